# SPDX-License-Identifier: Apache-2.0
"""Calls of every algorithm of the kernel by its signature, from several threads at once: random robots, sizes, layouts and kinds of
numbers, batches on several threads, wrong shapes and numbers that are not finite. A batch must agree with its samples."""

import re
import sys
import threading
import time

import numpy as np
from random_trees import random_tree

from hod_ros.kernel import _doorway
from hod_ros.kernel import compiled

THREADS = 4
WORD = re.compile(r'(\w+)\[([^\]]*)\]([?!\w]*)')
LENGTH = re.compile(r'(\d*)([KnNL]?)([+-]\d+)?')


def shape_of(text, sizes):
    shape = []
    for length in text.split(','):
        times, letter, plus = LENGTH.fullmatch(length).groups()
        shape.append(int(times or 1) * sizes[letter] + int(plus or 0) if letter else int(times))
    return tuple(shape)


def numbers(rng, name, shape, sizes):
    """Random numbers that suit an input of this name."""
    values = rng.uniform(-1, 1, shape)
    if name == 'pose':
        values = np.eye(4)
    elif name == 'places':
        values = np.zeros(shape)
        values[:, 0] = rng.integers(0, sizes['N'] + 1, len(values))
        values[:, 1] = rng.integers(0, 3, len(values))
        values[:, 2:11] = np.eye(3).ravel()
    elif name == 'slots':
        values = np.append(rng.permutation(sizes['N']), sizes['N']).astype(float)
    elif name == 'link':
        values[:2] = rng.integers(0, sizes['N'] + 1), rng.integers(0, 3)
        values[2:11] = np.eye(3).ravel()
    elif name == 'drives':                      # a motor for each joint, of every kind that has one
        values = np.zeros(shape)
        values[:, 0] = rng.integers(0, 3, len(values))
        values[:, 1] = 100
        values[:, 2] = 0.01
        values[:, 3] = 10
        values[:, 8] = 1e9
    elif name == 'rotors':
        values[:, 0] = rng.integers(0, sizes['N'] + 1, len(values))
    elif name == 'motors':
        values = np.full(shape, 0.5)
    elif name == 'stiffness':
        values += 50 * (np.arange(shape[-2])[:, None] == 0)
    return values


def disguised(rng, values):
    """The same numbers in another layout or of another kind, where they bear it."""
    choice = rng.integers(6)
    if choice == 0:
        return np.asfortranarray(values)
    if choice == 1:
        return np.repeat(values, 2, axis=-1)[..., ::2]
    if choice == 2 and values.size:             # an empty list has lost its shape
        return values.tolist()
    return values


def call_once(rng, robot, model, name, signature):
    inputs = WORD.findall(signature.split('->')[0])
    sizes = {'K': int(rng.integers(1, 8)), 'n': model.n, 'N': len(model.bodies), 'L': int(rng.integers(1, 4))}
    if name == 'motor_feedforward':
        sizes['L'] = model.n
        sizes['K'] = max(sizes['K'], 3)
    samples = int(rng.choice([1, 3, 65, 200]))
    single, batch = [], []
    loaded, free = rng.random() < 0.4, model.base == 'free'
    for what, lengths, marks in inputs:
        wanted = not marks.startswith('?') or (loaded if what in ('loads', 'places') else free if what in ('pose', 'twists', 'twist')
                                               else what in ('Q', 'stiffness', 'rotors') and rng.random() < 0.5)
        if not wanted:
            single.append(None)
            batch.append(None)
            continue
        shape = shape_of(lengths, sizes)
        many = np.stack([numbers(rng, what, shape, sizes) for _ in range(samples)])
        single.append(many[-1])
        batch.append(many[-1] if '!' in marks else many)
    algorithm = robot.algorithm(name)
    one = algorithm(*[None if a is None else disguised(rng, a) for a in single])
    all_of_them = algorithm(*batch, threads=int(rng.integers(1, 5)))
    assert (one is None) == (all_of_them is None) or samples > 1, name
    if one is not None and all_of_them is not None:
        for a, b in zip(*(each if isinstance(each, tuple) else (each,) for each in (one, all_of_them)), strict=True):
            np.testing.assert_allclose(b[-1], a, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(a).max(initial=0.0)), err_msg=name)
    wrong = [None if a is None else np.array(a, copy=True) for a in single]
    wrong[0].flat[rng.integers(wrong[0].size)] = rng.choice([np.nan, np.inf])
    assert algorithm(*wrong) is None, name
    assert algorithm(wrong[0][:, :-1], *wrong[1:]) is None
    return one is not None


def main():
    seconds, seed = float(sys.argv[1]), int(sys.argv[2])
    signatures = _doorway.algorithms()
    sets = compiled.instruction_sets()
    shared = random_tree(np.random.default_rng(seed), 6, mimics=1)
    answered, failures, calls = set(), [], [0] * THREADS
    end = time.monotonic() + seconds

    def work(index):
        rng = np.random.default_rng([seed, index])
        try:
            while time.monotonic() < end and not failures:
                model = shared if rng.random() < 0.3 else random_tree(
                    rng, int(rng.integers(1, 12)), shape=str(rng.choice(['tree', 'chain', 'star'])),
                    kinds=('revolute', 'prismatic', 'helical'),
                    base=str(rng.choice(['fixed', 'free'])), armature=bool(rng.integers(2)))
                robot = model._compiled.robot
                for name, signature in signatures.items():
                    compiled.use_instruction_set(str(rng.choice(sets)))
                    if call_once(rng, robot, model, name, signature):
                        answered.add(name)
                    calls[index] += 1
        except BaseException as error:
            failures.append(error)
            raise
    threads = [threading.Thread(target=work, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    silent = set(signatures) - answered
    print(f'{sum(calls)} rounds of calls by {THREADS} threads; algorithms without an answer: {", ".join(sorted(silent)) or "none"}')
    sys.exit(bool(failures or silent))


if __name__ == '__main__':
    main()
