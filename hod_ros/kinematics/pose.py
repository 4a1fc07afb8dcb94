# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics on position level: Newton's method on SE(3), safeguarded by damping far from the solution."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks import geometry
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.errors import InputError
from hod_ros.errors import SingularityError
from hod_ros.kinematics.forward import forward_kinematics
from hod_ros.kinematics.forward import jacobian
from hod_ros.kinematics.inverse import COMPONENTS
from hod_ros.kinematics.inverse import checked_components
from hod_ros.kinematics.inverse import checked_weights
from hod_ros.kinematics.inverse import position
from hod_ros.kinematics.joint_solver import JointSolver
from hod_ros.model import joints
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

_FIRST_DAMPING = 1e-3       # by the largest singular value
_MOST_DAMPING = 1e6


@dataclass(frozen=True)
class PoseSolution:
    """Where Newton's method ended.

    What solve_pose returns.

        >>> pose = forward_kinematics(model, q[:1], 'panda_link8').pose
        >>> found = solve_pose(model, 'panda_link8', pose, q[0])
        >>> found.converged, found.within_limits
        (True, True)
    """

    q: Array           # (n,) [rad] or [m]
    converged: bool
    iterations: int         # of all attempts
    residual: float         # norm of the remaining error twist [rad], [m]
    condition: float        # condition number of the Jacobian there
    within_limits: bool     # whether q respects the model's position limits


def solve_pose(model: RobotModel, link: str, pose: ArrayLike, start: ArrayLike, *, components: Sequence[int] = COMPONENTS,
               weights: ArrayLike | None = None, respect_limits: bool = False, attempts: int = 1, tolerance: float = 1e-12,
               max_iterations: int = 200, required: bool = True, base: FreeBase | None = None) -> PoseSolution:
    """PoseSolution whose q brings a link to a pose (4, 4) in the world, from the position start (n,).

    components: which of rotation x, y, z and translation x, y, z (world axes) are asked for, for example (3, 4, 5) for
    the position only. Redundant robots move by steps of least weighted norm. respect_limits: stay within the model's
    position limits. attempts: above 1, further starts are drawn within the limits (half a turn where there are none),
    the same ones at every call. base: the pose (4, 4) of a free base.

    Converged when the norm of the error twist is at most tolerance. Without convergence a SingularityError is raised;
    required=False returns the best iterate instead.

    Raises InputError where an argument has the wrong shape, name or value.

        >>> pose = forward_kinematics(model, q[:1], 'panda_link8').pose
        >>> found = solve_pose(model, 'panda_link8', pose, start=q[0] + 0.1)
        >>> np.allclose(forward_kinematics(model, found.q[None], 'panda_link8').pose, pose)
        True
    """
    pose, start = _checked_pose(pose), position(model, start, 'start')
    base = motions.base_of(model, None if base is None else (arrays.floats(base, 'base'), np.zeros((0, 6))), 0)
    components, weights = list(checked_components(components)), checked_weights(model, weights)
    attempts, max_iterations = arguments.count(attempts, 'attempts', 1), arguments.count(max_iterations, 'max_iterations', 1)
    tolerance = arguments.number_of_0_or_more(tolerance, 'tolerance', '[rad], [m]')
    respect_limits, required = arguments.flag(respect_limits, 'respect_limits'), arguments.flag(required, 'required')
    goal = _Goal(model, link, pose, components, weights, base)
    lower, upper = model.position_limits.T
    bounds = (lower, upper) if respect_limits else (-np.inf, np.inf)
    best, iterations = None, 0
    for q in _starts(model, start, attempts):
        q, error, steps = _newton(goal, np.clip(q, *bounds), bounds, tolerance, max_iterations)
        iterations += steps
        if best is None or np.linalg.norm(error) < best[1]:
            best = q, float(np.linalg.norm(error))
        if best[1] <= tolerance:
            break
    q, residual = best
    within = bool(np.all((lower <= q) & (q <= upper)))
    condition = float(goal.solver_at(q).condition)
    solution = PoseSolution(q, residual <= tolerance, iterations, residual, condition, within)
    if required and not solution.converged:
        raise SingularityError(
            f'no position of {model.name} was found that brings link {link!r} to the pose: after {iterations} '
            f'iterations an error of {residual:.3g} remains (condition number {condition:.3g}); start nearer, give '
            'more attempts, or name fewer components')
    return solution


@dataclass(frozen=True)
class _Goal:
    model: object
    link: str
    pose: Array
    components: list
    weights: Array | None
    base: tuple | None

    def error_at(self, q):
        """What is left to the pose: of all six components the body-fixed twist that leads there in unit time."""
        C = forward_kinematics(self.model, q[None], self.link, base=self.base).pose
        if len(self.components) == 6:
            return lie.log(lie.inverse(C) @ self.pose)[self.components]
        turn = lie.pose(C[:3, :3].T @ self.pose[:3, :3], np.zeros(3))
        shift = self.pose[:3, 3] - C[:3, 3]
        return np.concatenate([C[:3, :3] @ lie.log(turn)[:3], shift])[self.components]

    def solver_at(self, q, free=None):
        representation = 'body' if len(self.components) == 6 else 'world_aligned'
        J = jacobian(self.model, q[None], self.link, representation, base=self.base)[0][self.components]
        weights = np.ones(self.model.n) if self.weights is None else self.weights
        if free is not None:
            weights = np.where(free, weights, np.inf)
        return JointSolver(J, weights)


def _newton(goal, q, bounds, tolerance, max_iterations):
    """q, its error and the number of steps tried; damped, as Levenberg and Marquardt do, where a full step fails."""
    error, damping, iterations = goal.error_at(q), 0.0, 0
    while not np.linalg.norm(error) <= tolerance:
        solver = goal.solver_at(q)
        while True:
            if iterations == max_iterations or damping > _MOST_DAMPING:
                return q, error, iterations
            iterations += 1
            moved = _bounded_step(goal, q, solver, error, damping, bounds)
            moved_error = goal.error_at(moved)
            if np.linalg.norm(moved_error) < np.linalg.norm(error):
                break
            damping = max(4 * damping, _FIRST_DAMPING)
        q, error, damping = moved, moved_error, damping / 8 if damping > _FIRST_DAMPING else 0.0
    return q, error, iterations


def _bounded_step(goal, q, solver, error, damping, bounds):
    """q after one step; joints that would leave their limits stay there and the others do their part."""
    free = np.ones(len(q), bool)
    while True:
        step = solver.solve(error, damping=damping * solver.sigma[:1].sum())
        moved = joints.moved_coordinates(goal.model, q, step)
        bounded = np.clip(moved, *bounds)
        stuck = free & (bounded != moved) & (bounded == q)
        if not stuck.any():
            return bounded
        free &= ~stuck
        solver = goal.solver_at(q, free)


def _starts(model, start, attempts):
    yield start
    rng = np.random.default_rng(0)
    lower, upper = np.clip(model.position_limits.T, -np.pi, np.pi)
    for _ in range(attempts - 1):
        yield rng.uniform(np.minimum(lower, upper), upper)


def _checked_pose(pose):
    pose = arrays.floats(pose, 'pose')
    if pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise InputError(f'pose has the shape {pose.shape} or is not finite; give a homogeneous matrix (4, 4)')
    return geometry.pose(pose, 'pose')
