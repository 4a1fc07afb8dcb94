# SPDX-License-Identifier: Apache-2.0
"""The doorway to the kernel: every layout and kind of array, batches, threads, interruption, the choice of instruction set."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from closeness import close
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree

from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import PreparedLoads
from hod_ros import SeriesElastic
from hod_ros import body_wrenches
from hod_ros import dynamics_matrices
from hod_ros import force_gradient_product
from hod_ros import force_gradients
from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.loads import FRAMES
from hod_ros.kernel import compiled

pytestmark = [pytest.mark.telling, pytest.mark.skipif(not compiled.available, reason='the package was built without a C++ compiler')]
KINDS = ('revolute', 'prismatic', 'helical')
SEEDS = given(st.integers(0, 2**32 - 1))
SOME = settings(max_examples=30, deadline=None)


@pytest.fixture
def arm():
    return random_tree(np.random.default_rng(3), 7, kinds=KINDS)


def same_numbers(q):
    """The same numbers in other clothes."""
    yield q.tolist()
    yield tuple(map(tuple, q.tolist()))
    yield list(q)
    yield np.asfortranarray(q)
    yield np.repeat(q, 2, axis=1)[:, ::2]
    yield q[::-1].copy()[::-1]
    yield q.astype(q.dtype.newbyteorder())
    unaligned = np.frombuffer(b'x' + q.tobytes(), np.uint8)[1:].view(np.float64).reshape(q.shape)
    yield unaligned


def test_arrays_of_any_layout_and_lists_take_the_fast_way_to_the_same_result(arm):
    q = random_motion(np.random.default_rng(1), arm, 2)
    compute = arm._compiled.inverse_dynamics
    expected = compute(q)
    for other in same_numbers(q):
        assert np.array_equal(inverse_dynamics(arm, other), expected)
        if not isinstance(other, np.ndarray) or other.dtype.isnative:
            assert np.array_equal(compute(other), expected)


@pytest.mark.parametrize('kind', ['i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f4', 'f2', '?'])
def test_numbers_of_every_real_kind_are_taken(arm, kind):
    q = np.random.default_rng(1).integers(0, 2, (5, 7)).astype(kind)
    assert np.array_equal(inverse_dynamics(arm, q), inverse_dynamics(arm, q.astype(float)))
    assert np.array_equal(inverse_dynamics(arm, q.tolist()), inverse_dynamics(arm, q.astype(float)))


@pytest.mark.parametrize('wrong', [
    [], [[]], [[1.0] * 7] * 2, [[1.0] * 7] * 2 + [[1.0] * 6], [[1.0] * 6] * 3, [['a'] * 7] * 3, [[None] * 7] * 3, [[10**400] * 7] * 3,
    [[1.0] * 7, np.ones(7), np.ones((7, 1))], np.ones((1, 1, 3, 7)), np.full((3, 7), np.nan),
    np.array(1.0), 'text', None, {}, np.ones((3, 7), complex)])
def test_what_is_no_motion_is_refused_in_words(arm, wrong):
    assert arm._compiled.inverse_dynamics(wrong) is None
    with pytest.raises(InputError):
        inverse_dynamics(arm, wrong)


def test_more_or_fewer_arguments_than_the_signature_has_are_refused(arm):
    compute, q = arm._compiled.forward_dynamics, np.ones((2, 7))
    assert compute() is None and compute(q) is None
    assert compute(q, np.ones((1, 7)), *[None] * 6) is None
    assert compute(q[None], np.ones((1, 7))) is None        # one Q for all samples of q
    with pytest.raises(TypeError, match='threads'):
        compute(q[None], np.ones((1, 1, 7)), cores=2)


@SOME
@SEEDS
def test_loads_in_all_frames_and_free_bases_agree_with_numpy(seed):
    rng = np.random.default_rng(seed)
    model = random_tree(rng, int(rng.integers(1, 10)), kinds=KINDS, base='free' if seed % 2 else 'fixed')
    model = model.replace(links=dict(model.links) | {f'tool{i}': (i, random_pose(rng)) for i in range(-1, len(model.bodies))})
    order, samples = int(rng.integers(0, 5)), int(rng.integers(1, 20))
    q = random_motion(rng, model, order, samples)
    base = (np.array([random_pose(rng) for _ in q]), rng.normal(size=(samples, order + 2, 6))) if seed % 2 else None
    links = [(str(rng.choice(list(model.links))), FRAMES[rng.integers(3)]) for _ in range(rng.integers(1, 4))]
    values = rng.normal(size=(samples, order + 1, len(links), 6))
    prepared = PreparedLoads(model, links)
    batch = prepared.inverse_dynamics(q, values, base=base)
    for i in range(samples):
        wrenches = [(link, LinkWrench(values[i, :, j], frame)) for j, (link, frame) in enumerate(links)]
        one_base = None if base is None else (base[0][i], base[1][i])
        external = body_wrenches(model, q[i], wrenches, one_base)
        expected = recursive.inverse_dynamics(model, q[i], external, one_base)
        one = prepared.inverse_dynamics(q[i], values[i], base=one_base)
        together = inverse_dynamics(model, q[i], wrenches=wrenches, base=one_base)
        for k in range(2 if base else 1):
            for got in (batch[k][i] if base else batch[i], one[k] if base else one, together[k] if base else together):
                close(got, expected[k], 1e-11)


def test_prepared_loads_refuse_what_does_not_fit(arm):
    with pytest.raises(InputError, match='nowhere'):
        PreparedLoads(arm, {'nowhere': 'link'})
    with pytest.raises(InputError, match='frame'):
        PreparedLoads(arm, {'link3': 'tool'})
    prepared, q = PreparedLoads(arm, {'link3': 'link'}), np.ones((5, 7))
    for values in (np.ones((3, 2, 6)), np.ones((3, 6)), np.ones((2, 1, 6)), np.full((3, 1, 6), np.inf), 'text'):
        with pytest.raises(InputError):
            prepared.inverse_dynamics(q, values)
    assert np.array_equal(prepared.inverse_dynamics(q, np.zeros((4, 1, 6))), inverse_dynamics(arm, q))


@pytest.mark.parametrize('kernel', [True, False])
def test_prepared_loads_take_any_order_that_their_values_say_whoever_computes_it(arm, kernel):
    rng = np.random.default_rng(8)
    order = 10                                          # 13 rows of q, which alone might be samples
    q, values, v = random_motion(rng, arm, order), rng.normal(size=(order + 1, 1, 6)), rng.normal(size=(order + 1, 7))
    prepared, wrenches = PreparedLoads(arm, {'link3': 'world'}), {'link3': LinkWrench(values[:, 0], 'world')}
    if not kernel:
        prepared._kernel = None
    close(prepared.inverse_dynamics(q, values), inverse_dynamics(arm, q, wrenches=wrenches, order=order), 1e-12)
    close(prepared.force_gradients(q, values), force_gradients(arm, q, wrenches=wrenches, order=order), 1e-12)
    close(prepared.force_gradient_product(q, v, values), force_gradient_product(arm, q, v, wrenches=wrenches, order=order), 1e-12)


def test_large_results_are_arrays_of_their_own_and_leave_their_memory_to_later_ones(arm):
    q = random_motion(np.random.default_rng(6), arm, 0, 3000)
    expected = np.array([dynamics_matrices(arm, one[:2]).M for one in q[:2]])
    results = [dynamics_matrices(arm, q[:, :2]).M for _ in range(3)]
    assert results[0].nbytes > 1 << 20
    assert not any(np.shares_memory(a, b) for a, b in zip(results, results[1:], strict=False))
    for M in results:
        assert M.flags.c_contiguous and M.flags.writeable and M.flags.aligned
        close(M[:2], expected, 1e-12)
        M.flags.writeable = False
        M.flags.writeable = True
        M[:] = 7                                # nobody's but the caller's
    view, address = results[0][5:, 0], results[1].ctypes.data
    del M, results                              # the view keeps what it views
    again = [dynamics_matrices(arm, q[:, :2]).M for _ in range(4)]
    assert address in [each.ctypes.data for each in again]
    assert (view == 7).all()
    for M in again:
        close(M[:2], expected, 1e-12)


@SOME
@SEEDS
def test_forward_dynamics_with_loads_and_a_free_base_is_undone(seed):
    rng = np.random.default_rng(seed)
    model = random_tree(rng, int(rng.integers(1, 10)), kinds=KINDS, base='free')
    K = int(rng.integers(1, 4))
    q, Q, pose, twist, W = (rng.normal(size=shape) for shape in ((2, model.n), (K, model.n), (4, 4), (6,), (K, 6)))
    pose = random_pose(rng)
    wrenches = {'link1': LinkWrench(rng.normal(size=(K, 6)), 'world')}
    rows, twists = forward_dynamics(model, q, Q, wrenches=wrenches, base=(pose, twist), base_wrench=W)
    back, wrench = inverse_dynamics(model, np.concatenate([q, rows]), wrenches=wrenches, base=(pose, np.concatenate([twist[None], twists])))
    scale = np.abs(back).max() + np.abs(wrench).max() + np.abs(rows).max() + np.abs(twists).max()
    assert np.abs(back - Q).max() < 1e-9 * scale and np.abs(wrench - W).max() < 1e-9 * scale


@pytest.mark.parametrize('samples', [0, 1, 7, 8, 65, 300])
def test_batches_of_matrices_and_forward_dynamics_are_their_samples(arm, instruction_set, samples):
    q = random_motion(np.random.default_rng(1), arm, 1, samples)
    batch = dynamics_matrices(arm, q[:, :3])
    assert batch.M.shape == (samples, 2, 7, 7) and batch.g.shape == (samples, 2, 7)
    Q = inverse_dynamics(arm, q)
    rows = forward_dynamics(arm, q[:, :2], Q)
    assert rows.shape == (samples, 2, 7)
    for i in range(0, samples, 13):
        close(batch.C[i], dynamics_matrices(arm, q[i, :3]).C, 1e-12)
        close(rows[i], forward_dynamics(arm, q[i, :2], Q[i]), 1e-9)


@pytest.mark.parametrize('distance', [1e3, 5e6])
def test_no_digits_are_lost_far_from_the_worlds_origin(distance):
    rng = np.random.default_rng(6)
    near = random_tree(rng, 7, shape='chain')
    B = near.B.copy()
    B[0, :3, 3] += distance
    far, q = near.replace(B=B), random_motion(rng, near, 2)
    for ours, theirs in ((dynamics_matrices(far, q[:4]), dynamics_matrices(near, q[:4])),):
        for name in ('M', 'C', 'g'):
            close(getattr(ours, name), getattr(theirs, name), 1e-12)
    for formulation in ('recursive', 'spatial'):
        close(inverse_dynamics(far, q, formulation=formulation), inverse_dynamics(near, q), 1e-12)
    Q = inverse_dynamics(near, q)
    close(forward_dynamics(far, q[:2], Q), forward_dynamics(near, q[:2], Q), 1e-12)


def test_a_robot_far_along_its_own_slides_keeps_its_digits():
    rng = np.random.default_rng(7)
    model = random_tree(rng, 6, shape='chain', kinds=('revolute',))
    X = model.X.copy()
    X[:2] = [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]
    model, q = model.replace(X=X), random_motion(rng, model, 2)
    moved = q.copy()
    moved[0, :2] += 5e6
    for name in ('M', 'C', 'g'):
        close(getattr(dynamics_matrices(model, moved[:4]), name), getattr(dynamics_matrices(model, q[:4]), name), 1e-12)
    close(inverse_dynamics(model, moved, formulation='spatial'), inverse_dynamics(model, q), 1e-12)


@pytest.mark.parametrize('threads', [1, 2, 3, 100])
def test_the_number_of_threads_changes_no_bit(arm, threads):
    q = random_motion(np.random.default_rng(0), arm, 2, 1000)
    expected = inverse_dynamics(arm, q)
    assert np.array_equal(inverse_dynamics(arm, q, threads=threads), expected)
    assert np.array_equal(dynamics_matrices(arm, q[:, :3], threads=threads).M, dynamics_matrices(arm, q[:, :3]).M)
    drives = {arm.joint_names[1]: SeriesElastic(stiffness=300.0, motor_inertia=0.1)}
    moved = random_motion(np.random.default_rng(1), arm, 2, 1000)
    assert np.array_equal(motor_feedforward(arm, drives, moved, threads=threads).motion, motor_feedforward(arm, drives, moved).motion)


@pytest.mark.parametrize('threads', [0, -1, 1.5, 'two', True, 10**15, 10**30])
def test_a_number_of_threads_that_is_none_is_refused(arm, threads):
    for call in (
            lambda: inverse_dynamics(arm, np.ones((2, 3, 7)), threads=threads),
            lambda: forward_dynamics(arm, np.ones((2, 2, 7)), np.ones((2, 1, 7)), threads=threads),
            lambda: motor_feedforward(arm, {}, np.ones((2, 5, 7)), threads=threads),
            lambda: motor_feedforward(arm, {}, np.ones((5, 7)), threads=threads)):
        with pytest.raises(InputError, match='threads'):
            call()


def test_the_environments_number_of_threads_is_taken_or_warned_of():
    program = 'import numpy as np, hod_ros.kernel.compiled as c; print(c.available)'
    for value, said in (('2', ''), ('two', 'HOD_ROS_THREADS'), ('0', 'HOD_ROS_THREADS'), ('2abc', 'HOD_ROS_THREADS')):
        done = subprocess.run(
            [sys.executable, '-c', program], capture_output=True, text=True, timeout=300, env=os.environ | {'HOD_ROS_THREADS': value})
        assert done.stdout == 'True\n' and (said in done.stderr if said else not done.stderr), done.stderr


def test_a_bad_sample_anywhere_in_a_batch_is_named(arm):
    q = random_motion(np.random.default_rng(0), arm, 2, 1000)
    q[777, 2, 3] = np.nan
    with pytest.raises(InputError, match='sample 777'):
        inverse_dynamics(arm, q)


def test_the_instruction_set_may_change_while_batches_run(arm):
    q = random_motion(np.random.default_rng(0), arm, 3, 2000)
    expected, before, failures = inverse_dynamics(arm, q), compiled.instruction_set(), []

    def batches():
        for _ in range(30):
            if np.abs(inverse_dynamics(arm, q) - expected).max() > 1e-10 * np.abs(expected).max():
                failures.append(1)

    workers = [threading.Thread(target=batches) for _ in range(3)]
    for worker in workers:
        worker.start()
    try:
        while any(worker.is_alive() for worker in workers):
            for name in compiled.instruction_sets():
                compiled.use_instruction_set(name)
                inverse_dynamics(arm, q[0])
    finally:
        compiled.use_instruction_set(before)
    assert not failures


def test_ctrl_c_ends_a_batch():
    program = '''
import numpy as np
from random_trees import random_tree
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
model = random_tree(np.random.default_rng(0), 30)
q = np.zeros((20000, 60, 30))
print('ready', flush=True)
try:
    for _ in range(100):
        inverse_dynamics(model, q, order=57)
except KeyboardInterrupt:
    print('interrupted', flush=True)
'''
    helpers = os.path.join(os.path.dirname(__file__), '..', 'helpers')
    process = subprocess.Popen(
        [sys.executable, '-c', program], stdout=subprocess.PIPE, text=True, env=os.environ | {'PYTHONPATH': f'{helpers}:{os.getcwd()}'})
    try:
        assert process.stdout.readline() == 'ready\n'
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=300)[0] == 'interrupted\n'
    finally:
        process.kill()
        process.wait()


def test_results_outlive_their_model_and_share_no_memory():
    model = random_tree(np.random.default_rng(3), 7)
    compute, q = model._compiled.inverse_dynamics, np.ones((5, 7))
    first = compute(q)
    kept = first.copy()
    del model
    assert np.array_equal(compute(q), kept)
    compute(2 * q)
    assert np.array_equal(first, kept)
