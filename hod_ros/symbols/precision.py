# SPDX-License-Identifier: Apache-2.0
"""A model in mpmath's numbers, for results of any precision from the numpy reference.

    import mpmath
    mpmath.mp.dps = 50
    precise = multiprecision(model)
    Q = inverse_dynamics(precise, q)            # q: array of mpmath.mpf

Floats keep rotations, directions and the symmetry of inertias to sixteen digits only; here they are made exact to the
working precision.
"""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.checks.optional import optional
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

mpmath = optional('mpmath', 'symbolic')

FIELDS = ('multiplier', 'offset', 'gravity', 'armature')


def multiprecision(model: RobotModel) -> RobotModel:
    """The model in mpmath's numbers of the precision now set, its screws of unit length and rotations orthogonal.

    Raises InputError where the model holds symbols.

        >>> import mpmath
        >>> with mpmath.workdps(30):
        ...     Q = inverse_dynamics(multiprecision(model), q[:3])
        >>> np.allclose(Q.astype(float), inverse_dynamics(model, q[:3]))
        True
    """
    motions.robot_model(model)
    changes = {name: _numbers(model, name) for name in FIELDS}
    for name in ('M', 'M_base'):
        inertia = _numbers(model, name)
        changes[name] = (inertia + np.swapaxes(inertia, -1, -2)) / 2
    X, B = _numbers(model, 'X'), _numbers(model, 'B')
    for screw in X:
        turning = any(screw[:3])
        screw /= _length(screw[:3] if turning else screw[3:])
    return model.replace(X=X, B=lie.pose(_rotations(B[:, :3, :3]), B[:, :3, 3]), **changes)


def _numbers(model, field):
    array = getattr(model, field)
    try:
        return np.array([mpmath.mpf(value) for value in array.flat], object).reshape(array.shape)
    except (TypeError, ValueError):
        raise InputError(f'{field} of {model.name} holds symbols, which have no digits; put numbers in their place first') from None


def _rotations(R):
    """The rotations next to R, by columns: x along the first, z across the first two."""
    x = np.array([column / _length(column) for column in R[..., 0]], object).reshape(R[..., 0].shape)
    z = np.cross(x, R[..., 1])
    z = np.array([column / _length(column) for column in z], object).reshape(x.shape)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def _length(vector):
    return mpmath.sqrt((vector * vector).sum())
