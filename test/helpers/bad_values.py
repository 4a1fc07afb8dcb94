# SPDX-License-Identifier: Apache-2.0
"""What callers hand in by mistake, and whether a function answers it with an error of ours or with finite numbers."""

import dataclasses
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
