"""Inverse kinematics on position level: Newton's method on SE(3), safeguarded by damping far from the solution."""

from dataclasses import dataclass

import numpy as np

from hod_ros.dynamics import joints
from hod_ros.dynamics import lie
from hod_ros.dynamics import motion_checks
from hod_ros.dynamics.inverse_kinematics import COMPONENTS
from hod_ros.dynamics.inverse_kinematics import checked_components
from hod_ros.dynamics.inverse_kinematics import checked_weights
from hod_ros.dynamics.inverse_kinematics import position
from hod_ros.dynamics.joint_solver import JointSolver
from hod_ros.dynamics.kinematics import forward_kinematics
from hod_ros.dynamics.kinematics import jacobian
from hod_ros.errors import InputError
from hod_ros.errors import SingularityError


@dataclass(frozen=True)
class PoseSolution:
    """Where Newton's method ended."""

    q: np.ndarray           # (n,) [rad] or [m]
    converged: bool
    iterations: int
    residual: float         # norm of the remaining error twist [rad], [m]
    condition: float        # condition number of the Jacobian there
    within_limits: bool     # whether q respects the model's position limits


def solve_pose(model, link, pose, start, *, components=COMPONENTS, weights=None, tolerance=1e-12, max_iterations=200,
               required=True, base=None):
    """PoseSolution whose q brings a link to a pose (4, 4) in the world, from the position start (n,).

    components: which of rotation x, y, z and translation x, y, z (world axes) are asked for, for example (3, 4, 5)
    for the position only. Converged when the norm of the error twist is at most tolerance. Redundant robots move by
    steps of least weighted norm. Without convergence a SingularityError is raised; required=False returns the last
    iterate instead. base: the pose (4, 4) of a free base.
    """
    components = list(checked_components(components))
    pose, q = _checked_pose(pose, 'pose'), position(model, start)
    weights = checked_weights(model, weights)
    base = motion_checks.base_of(model, None if base is None else (base, np.zeros((0, 6))), 0)
    representation = 'body' if len(components) == 6 else 'world_aligned'

    def error_at(q):
        C = forward_kinematics(model, q[None], link, base=base).pose
        return (_twist_to if representation == 'body' else _displacement_to)(pose, C)[components]

    def solver_at(q):
        return JointSolver(jacobian(model, q[None], link, representation, base=base)[0][components], weights)

    error, damping, iterations = error_at(q), 0.0, 0
    while not np.linalg.norm(error) <= tolerance and iterations < max_iterations:
        solver = solver_at(q)
        for _ in range(_ATTEMPTS):
            iterations += 1
            moved = joints.moved_coordinates(model, q, solver.solve(error, damping=damping * solver.sigma[:1].sum()))
            moved_error = error_at(moved)
            if np.linalg.norm(moved_error) < np.linalg.norm(error):
                break
            damping = max(4 * damping, _FIRST_DAMPING)
        else:
            break
        q, error, damping = moved, moved_error, damping / 8 if damping > _FIRST_DAMPING else 0.0
    return _solution(model, link, q, error, tolerance, iterations, solver_at(q).condition, required)


_ATTEMPTS = 20
_FIRST_DAMPING = 1e-3


def _solution(model, link, q, error, tolerance, iterations, condition, required):
    residual = float(np.linalg.norm(error))
    lower, upper = model.position_limits.T
    solution = PoseSolution(
        q, residual <= tolerance, iterations, residual, float(condition), bool(np.all((lower <= q) & (q <= upper))))
    if required and not solution.converged:
        raise SingularityError(
            f'no position of {model.name} was found that brings link {link!r} to the pose: after {iterations} '
            f'iterations an error of {residual:.3g} remains (condition number {condition:.3g}); start nearer, give '
            'more iterations, or name fewer components')
    return solution


def _twist_to(pose, C):
    """The body-fixed twist that moves C to the pose in unit time."""
    return lie.log(lie.inverse(C) @ pose)


def _displacement_to(pose, C):
    """Rotation vector and displacement from C to the pose in world axes."""
    turn = lie.pose(C[:3, :3].T @ pose[:3, :3], np.zeros(3))
    return np.concatenate([C[:3, :3] @ lie.log(turn)[:3], pose[:3, 3] - C[:3, 3]])


def _checked_pose(pose, name):
    pose = motion_checks.numbers(pose, name)
    if pose.shape != (4, 4) or not np.isfinite(pose.astype(float)).all():
        raise InputError(f'{name} has the shape {pose.shape} or is not finite; give a homogeneous matrix (4, 4)')
    R = pose[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0 or np.abs(pose[3] - [0, 0, 0, 1]).max() > 1e-9:
        raise InputError(
            f'{name} is {pose.tolist()}, whose upper left 3x3 is no rotation or whose last row is not 0 0 0 1')
    return pose
