# SPDX-License-Identifier: Apache-2.0
"""What callers hand in by mistake, and whether a function answers it with an error of ours or with finite numbers."""

import dataclasses
import inspect
import warnings
from decimal import Decimal

import numpy as np
import sympy

from hod_ros import HodError
from hod_ros import PoseSolution
from hod_ros import RobotModel

nan, inf = float('nan'), float('inf')

STRAY = [
    None, '', 'abc', b'ab', -1, 0.5, nan, inf, True, 1j, 10**400, 10**5000, 1e200, Decimal('1.5'), object(), len, RobotModel, {}, {'x': 1},
    {1: 2}, {1, 2}, [], [[]], ([], {}), [[1, 2], [3]], [[1, 2], 'a', None], (None, None), (1, 2), [1.0, nan], [1, 2, 3], range(2),
    iter([1, 2]), np.int64(1), np.array(1.0), np.zeros(0), np.zeros((0, 2)), np.zeros((2, 2)), np.zeros((5, 3)), np.zeros((2, 5, 5)),
    np.zeros((2, 2, 2, 2)), np.full((6, 6), nan), np.zeros((4, 4)), np.array([['a', 'b']]), np.array([[1j, 2]]),
    np.array([[None, 1], [1, 2], [3, 4]], object), np.ma.masked_array([[1.0, 2.0]] * 3, mask=[[0, 1]] * 3), np.zeros(3, 'i4,f4'),
    np.array(['2020-01-01'], 'M8[D]'), np.array([[sympy.Symbol('x'), 1]] * 3, object), {'nowhere': np.zeros((3, 6))}, {'tool': None},
    {'tool': np.full((3, 6), nan)}, [('tool', np.zeros((3, 6)), 1)], (np.eye(4), None), (np.eye(4), [[1], [2, 3]]),
    (np.zeros((4, 4)), np.zeros((5, 6))), (np.eye(4), np.full((5, 6), nan)),
]


def spoilt(value):
    """Variants of a good argument that are wrong in one entry, in size or in shape, and stray values."""
    yield from STRAY
    try:
        good = np.array(value)
    except ValueError:
        return
    if good.dtype.kind not in 'fi' or not good.ndim or not good.size:
        return
    for entry in (nan, inf, None, 'x', [1]):
        one = good.astype(object)
        one.flat[-1] = entry
        yield one.astype(float) if isinstance(entry, float) else one
    yield from (good.T, good[:-1], good[..., :-1], np.concatenate([good, good]), good[None], np.stack([good] * 2))
    yield from (good + 1j, good.astype(str), good * 1e200, np.full(good.shape, 1e308))


def unclear_answers(call, arguments, options):
    """'argument <- value: what happened' of all that is answered neither with an error of ours nor with finite numbers."""
    found = []
    for key in [*range(len(arguments)), *options]:
        good = options[key] if key in options else arguments[key]
        for bad in spoilt(good):
            changed, named = list(arguments), dict(options)
            if key in options:
                named[key] = bad
            else:
                changed[key] = bad
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    result = call(*changed, **named)
                trouble = '' if _finite(result) else 'not finite'
            except HodError as error:
                trouble = '' if len(str(error)) > 20 else f'says only {error}'
            except Exception as error:
                trouble = f'{type(error).__name__}: {error}'
            if trouble:
                found.append(f'{key} <- {_text(bad)}: {trouble[:100]}')
    return found


def _finite(result):
    if isinstance(result, np.ndarray) and result.dtype.kind in 'fc':
        return result.dtype.kind == 'f' and bool(np.isfinite(result).all())
    if isinstance(result, (tuple, list)):
        return all(map(_finite, result))
    if isinstance(result, PoseSolution):        # whose condition number may be infinite
        return _finite(result.q)
    if dataclasses.is_dataclass(result) and not isinstance(result, (type, RobotModel)):
        return all(_finite(getattr(result, field.name)) for field in dataclasses.fields(result))
    return not isinstance(result, (float, complex)) or bool(np.isfinite(result))


def _text(value):
    try:
        return repr(value)[:60]
    except ValueError:
        return type(value).__name__


def misread_shapes(call, arguments, options):
    """'argument of shape: what happened' of all arrays of a wrong shape that are neither refused by name nor meant as they stand.

    Another number of columns is always wrong. Of two arguments whose lengths contradict, either may be named, or what it stands under
    in a mapping. Another number of rows may be another order: the rows that both results have must then be equal.
    One axis more may be samples: the results are then those of each sample.
    """
    names = list(inspect.signature(call).parameters)
    good = _numbers(call(*arguments, **options))
    found = []
    for key in [*range(len(arguments)), *options]:
        value = options[key] if key in options else arguments[key]
        name = names[key] if isinstance(key, int) else key
        for path, array in _arrays(value):
            for kind, wrong in _reshaped(array):
                if wrong.shape == array.shape:
                    continue
                changed, named = list(arguments), dict(options)
                if key in options:
                    named[key] = _with(value, path, wrong)
                else:
                    changed[key] = _with(value, path, wrong)
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter('ignore')
                        got = _numbers(call(*changed, **named))
                except HodError as error:
                    words = (*names, *(key for key in path if isinstance(key, str)))
                    trouble = '' if any(word in str(error) for word in words) else f'does not name it: {error}'
                else:
                    trouble = '' if _same_rows(good, got, kind) else f'taken as {kind}'
                if trouble:
                    found.append(f'{name}{path or ""} {array.shape} as {wrong.shape}: {trouble[:160]}')
    return found


def _reshaped(array):
    """(what it may mean, array) of wrong shapes."""
    yield 'columns', np.concatenate([array, array[..., -1:]], axis=-1)
    yield 'columns', array[..., :-1]
    if array.ndim > 1:
        yield 'columns', array.ravel()
        yield 'columns', array.reshape(-1, 1)
        if array.shape[-1] != array.shape[-2]:
            yield 'columns', np.swapaxes(array, -1, -2)
        yield 'rows', array[..., :-1, :]
        yield 'rows', np.concatenate([array, np.ones_like(array[..., -1:, :])], axis=-2)
    yield 'samples', array[None]
    yield 'samples', np.stack([array] * 2)


def _arrays(value, path=()):
    """(path, array) of the arrays in an argument; those in pairs and mappings have a path."""
    if isinstance(value, np.ndarray) and value.dtype.kind == 'f' and value.ndim and value.size:
        yield path, value
    elif isinstance(value, list) and value and all(isinstance(entry, float) for entry in value):
        yield path, np.array(value)
    elif isinstance(value, tuple):
        for index, entry in enumerate(value):
            yield from _arrays(entry, (*path, index))
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from _arrays(entry, (*path, name))


def _with(value, path, new):
    if not path:
        return new
    first, *rest = path
    if isinstance(value, dict):
        return value | {first: _with(value[first], rest, new)}
    return tuple(_with(entry, rest, new) if index == first else entry for index, entry in enumerate(value))


def _numbers(result):
    """The arrays of numbers in a result."""
    if isinstance(result, np.ndarray):
        return [result] if result.dtype.kind == 'f' else []
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in _numbers(part)]
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return [array for field in dataclasses.fields(result) for array in _numbers(getattr(result, field.name))]
    return []


def _same_rows(good, got, kind):
    """Whether the results agree where both have them, with an axis of samples in front where that was meant."""
    if kind == 'columns' or len(good) != len(got):
        return False
    for expected, found in zip(good, got, strict=True):
        if kind == 'samples' and found.ndim == expected.ndim + 1:
            found = found[-1]
        elif kind == 'samples' and found.shape != expected.shape:
            return False
        if found.ndim != expected.ndim:
            return False
        common = tuple(slice(min(a, b)) for a, b in zip(expected.shape, found.shape, strict=True))
        size = np.abs(expected).max(initial=1e-300)
        if not np.allclose(found[common], expected[common], rtol=1e-9, atol=1e-9 * size):
            return False
    return True
