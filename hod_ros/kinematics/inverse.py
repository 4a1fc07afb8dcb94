# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of any order: joint motion from a link's twist and its derivatives, 003 Algorithm 2.

Twists are (angular, linear) [rad/s], [m/s] in one of the three representations of hod_ros.kinematics.forward. Order
by order V^(k-1) = J q^(k) + (terms of lower derivatives) is solved for q^(k) with one decomposition of J.

Where J leaves a choice, q^(k) is, at every order by itself, the one nearest to the wanted null motion, or of least
norm; this is one of the motions that the twists allow, and not the derivative of a field of least-norm velocities.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.errors import InputError
from hod_ros.errors import SingularityError
from hod_ros.kinematics.forward import forward_kinematics
from hod_ros.kinematics.forward import jacobian
from hod_ros.kinematics.joint_solver import JointSolver
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

COMPONENTS = (0, 1, 2, 3, 4, 5)
_REACHED = 1e-9


@np.errstate(over='ignore', invalid='ignore')
def inverse_kinematics(model: RobotModel, q: ArrayLike, link: str, twists: ArrayLike, representation: str = 'body', *,
                       components: Sequence[int] = COMPONENTS, weights: ArrayLike | None = None, null_motion: ArrayLike | None = None,
                       prescribed: Mapping[str, ArrayLike] | None = None, damping: float = 0.0, max_condition: float = 1e6,
                       base: FreeBase | None = None, order: int | None = None) -> Array:
    """q and its derivatives (rows + 1, n) that move a link as the twists (rows, 6) say, at the position q (n,).

    components: which of a twist's six components are asked for, for example (3, 4, 5) the linear ones; twists then
    has as many columns. A redundant robot takes the derivatives of least norm, sum weights_j (q_j^(k))^2, or those
    nearest to null_motion (rows, n) (q', q'', ... wanted where the link leaves freedom). prescribed: {joint: (rows,)
    its q', q'', ...} chosen beforehand, which solves for the other joints only (joint space decomposition, 003 Remark
    2).

    A condition number of J above max_condition raises SingularityError, unless damping [0 or more] is given: the
    derivatives then minimise |J q^(k) - r|^2 + damping^2 |q^(k)|^2 and the link deviates from its twists.
    base: (pose, twists (rows, 6) body-fixed) of a free base.
    order: how many derivatives of q are meant, as many as rows; needed beyond twelve, which may be samples.
    representation: as in forward_kinematics; 003 Algorithm 2.

    Raises InputError where an argument has the wrong shape, name or value.

        >>> twists = forward_kinematics(model, q, 'panda_link8').twists
        >>> motion = inverse_kinematics(model, q[0], 'panda_link8', twists)
        >>> np.allclose(forward_kinematics(model, motion, 'panda_link8').twists, twists)
        True
    """
    task = TwistTask(
        model, q, link, twists, components=components, weights=weights, null_motion=null_motion, prescribed=prescribed, damping=damping,
        max_condition=max_condition, order=order)
    pose, base_twists = motions.base_of(model, base, task.rows) or (None, None)

    def base_of(rows):
        return None if pose is None else (pose, base_twists[:rows])

    task.decompose(jacobian(model, task.q[None], link, representation, base=base_of(0))[0])
    motion = np.zeros((task.rows + 1, model.n))
    motion[0] = task.q
    for k in range(1, task.rows + 1):
        motion[k] = task.prescribed_part(k)
        meant = None if k < motions.MOST_ROWS_UNASKED else k        # unsaid, the kernel is asked at once
        lower = forward_kinematics(model, motion[:k + 1], link, representation, base=base_of(k), order=meant).twists[k - 1]
        motion[k] = task.solve(k, lower)
    return motion


class TwistTask:
    """What inverse_kinematics is asked for, checked, and the solution order by order; arguments as there."""

    def __init__(self, model, q, link, twists, *, components, weights, null_motion, prescribed, damping, max_condition, order):
        self.q, self.link = position(model, q), link
        self.components = list(checked_components(components))
        self.twists = _rows_of(twists, len(self.components), 'twists')
        motions.check_order(self.twists, 0, 'twists', order, batches=False)
        motions.check_rows(model, self.twists, 'twists')
        self.rows = len(self.twists)
        self.wanted = np.zeros((self.rows, model.n)) if null_motion is None else _rows_of(null_motion, model.n, 'null_motion', self.rows)
        self.free = _prescribe(model, self.wanted, prescribed)
        self.weights = checked_weights(model, weights)
        self.damping = arguments.number_of_0_or_more(damping, 'damping')
        self.max_condition = checked_limit(max_condition, 'max_condition')

    def decompose(self, J):
        """Takes the link's Jacobian (6, n), once for all orders."""
        J = J[self.components]
        self.solver = JointSolver(J[:, self.free], None if self.weights is None else self.weights[self.free])
        if not self.damping:
            self.solver.check(self.max_condition, self.link)

    def prescribed_part(self, k):
        """(n,) q^(k) of the prescribed joints, 0 of the others."""
        return np.where(self.free, 0.0, self.wanted[k - 1])

    def solve(self, k, lower):
        """(n,) q^(k), where `lower` (6,) is V^(k-1) of lower derivatives and of the prescribed joints' q^(k)."""
        r = self.twists[k - 1] - lower[self.components]
        out = self.prescribed_part(k)
        out[self.free] = self.solver.solve(r, self.wanted[k - 1, self.free], self.damping)
        if not np.isfinite(out).all():
            raise InputError(
                f'derivative {k} of q is too large for a floating point number, for the twists of link {self.link!r}; are their units '
                'right ([rad/s], [m/s])?')
        if not self.damping:
            _check_reached(self.solver, out[self.free], r, self.link, k)
        return out


def position(model, q, name='q'):
    """q as (n,) floats."""
    q = arrays.vector(q, motions.robot_model(model).joint_names, name)
    if q.dtype == object or model.exact:
        raise InputError(f'inverse kinematics of {model.name} needs floats, but the model or q holds other numbers')
    return q


def checked_components(components):
    """Components of a twist as a tuple of distinct indices."""
    try:
        ordered = () if isinstance(components, (Set, Mapping)) else components
        chosen = tuple(arguments.count(c, 'components', 0) for c in ordered)
    except (InputError, TypeError):
        chosen = ()
    if not chosen or len(set(chosen)) < len(chosen) or max(chosen) > 5:
        raise InputError(f'components is {arguments.shown(components)}; give distinct indices of (angular, linear), each of 0 to 5')
    return chosen


def checked_limit(value, name):
    """A number above 0; infinity is no limit."""
    return np.inf if isinstance(value, (float, np.floating)) and value == np.inf else arguments.number_above_0(value, name)


def checked_weights(model, weights):
    """(n,) positive weights of the joints, or None."""
    if weights is None:
        return None
    weights = arrays.floats(arrays.vector(weights, model.joint_names, 'weights'), 'weights')
    if (weights <= 0).any():
        worst = int(np.argmin(weights))
        raise InputError(
            f'weights is {weights[worst]} for {model.joint_names[worst]!r}; give positive numbers: the larger, the less the joint moves')
    return weights


def _prescribe(model, wanted, prescribed):
    """Which joints are free; the others' rates are written into `wanted`."""
    free = np.ones(model.n, bool)
    if prescribed is not None and not isinstance(prescribed, Mapping):
        raise InputError(f'prescribed is {arguments.shown(prescribed)}; give a mapping from joint names to their rates')
    for name, rates in (prescribed or {}).items():
        if not arguments.one_of(name, model.joint_names):
            raise InputError(
                f'prescribed names {arguments.shown(name)}, which is no joint of {model.name}: {arguments.listed(model.joint_names)}')
        column = model.joint_names.index(name)
        what = f'prescribed[{name!r}]'
        wanted[:, column] = _rows_of(arrays.floats(rates, what).reshape(-1, 1), 1, what, len(wanted))[:, 0]
        free[column] = False
    return free


def _rows_of(values, columns, name, rows=None):
    values = arrays.floats(values, name)
    if values.ndim != 2 or values.shape[1] != columns or not len(values) or rows not in (None, len(values)):
        raise InputError(
            f'{name} has the shape {values.shape}, but needs {rows or "1 or more"} rows of {columns}: '
            'row k the k-th time derivative')
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise InputError(f'{name} is {values[row, column]} in row {row}, column {column}; every number must be finite')
    return values.copy()


def _check_reached(solver, x, r, link, order):
    missed = np.abs(solver.J @ x - r).max()
    if missed > _REACHED * max(np.abs(r).max(), (np.abs(solver.J) @ np.abs(x)).max()):
        raise SingularityError(
            f'link {link!r} cannot move as asked: with the nearest joint motion, derivative {order - 1} of its twist '
            f'still misses by {missed:.3g}; name fewer components, or give damping')
