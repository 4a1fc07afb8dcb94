# SPDX-License-Identifier: Apache-2.0
"""Joint paths that lead a link along poses: exact to rounding, with all derivatives, and refused where the robot cannot follow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.errors import SingularityError
from hod_ros.kinematics.inverse import checked_limit
from hod_ros.kinematics.inverse import checked_weights
from hod_ros.kinematics.inverse import position
from hod_ros.kinematics.pose import solve_pose
from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories import arguments
from hod_ros.trajectories import deviation
from hod_ros.trajectories.cartesian.nearest_posture import NearestPosture
from hod_ros.trajectories.cartesian.pose_curve import PoseCurve
from hod_ros.trajectories.polynomials import factorials
from hod_ros.trajectories.trajectory import Trajectory

Array = NDArray[np.float64]
_FIRST_STEPS = 8            # of every piece of the curve
_LEAST_STEP = 1e-4          # of the curve; below it the joints run away
_FARTHEST = 0.2             # rad or m: by which a step may miss its extrapolation
_LOOKS = (0.25, 0.5, 0.75)
_HALVINGS = 7
_MOST_PIECES = 20000         # of the curve: each takes milliseconds
_MOST_NODES = 20000         # beside the first ones
_MOVES_TO_POSTURE = 20
_LIMIT_ROUNDING = 1e-9


class CartesianPath(Trajectory):
    """A joint path along poses of a link: piecewise polynomials over the curve's parameter or time, continuous to the fourth derivative.

    What cartesian_path returns.

        >>> pose = forward_kinematics(model, q[:1], 'panda_link8').pose
        >>> path = cartesian_path(model, 'panda_link8', [pose[:3, 3], pose[:3, 3] + [0, 0, 0.05]], q[0])
        >>> path.evaluate([path.start, path.end], 4).shape
        (2, 5, 7)
    """

    link: str
    curve: PoseCurve
    deviation: float                    # the largest distance of the link from the curve that was found [m], [rad]
    condition: float                    # the largest condition number of the link's Jacobian that was found

    def _with_breaks(self, breaks):
        return Trajectory(breaks, self.coefficients, self.joint_names)


def cartesian_path(
        model: RobotModel, link: str, poses: ArrayLike, start: ArrayLike, *, times: ArrayLike | None = None,
        posture: ArrayLike | None = None, weights: ArrayLike | None = None, max_deviation: float | None = 1e-3,
        tolerance: float = 1e-10, max_condition: float = 1e3) -> CartesianPath:
    """The joint path on which a link follows poses: over time where `times` are given, else over a parameter, for time_optimal.

    poses: (points, 4, 4) in the world, or positions alone (points, 3), which leave the orientation free. start: (n,) joint positions from
    which the first pose is sought. The curve through the poses is smooth to the fourth derivative and at rest at its ends; it leaves the
    straight lines between them by max_deviation at most (position and unit quaternion as one vector [m]; None: as far as it likes).

    A redundant robot takes of all postures that hold the pose the one nearest to `posture` (n,), by default the one in which the first
    pose is found, in the norm sqrt(sum weights (q - posture)^2): the same pose always finds the same posture.
    tolerance: how far the link may be from the curve, anywhere [m], [rad].

    SingularityError with the place on the path where the condition number of the link's Jacobian exceeds max_condition, or the robot
    cannot follow; InputError where a joint would leave its position limits.

        >>> here = forward_kinematics(model, q[:1], 'panda_link8').pose[:3, 3]
        >>> path = cartesian_path(model, 'panda_link8', [here, here + [0, 0, 0.05]], q[0])
        >>> motion = time_optimal(model, path, Limits(velocity=2.0))
        >>> np.allclose(forward_kinematics(model, motion.evaluate([motion.end])[0], 'panda_link8').pose[:3, 3], here + [0, 0, 0.05])
        True
    """
    start = position(model, start)
    _check_model(model)
    curve = PoseCurve(poses, times, max_deviation)
    pieces = len(curve.motion.coefficients)
    if pieces > _MOST_PIECES:
        raise InputError(
            f'poses holds {len(curve.parameters)} poses, through which leads a curve of {pieces} pieces, but joints are led along at most '
            f'{_MOST_PIECES}: leave out poses that the others imply, or make several paths, each from where the one before ends')
    tolerance = arguments.number_above_0(tolerance, 'tolerance', '[m], [rad]')
    max_condition = checked_limit(max_condition, 'max_condition')
    weights = checked_weights(model, weights)
    weights = np.ones(model.n) if weights is None else weights
    if model.n < len(curve.components):
        raise InputError(f'{model.name} has {model.n} joints, but poses ask for {len(curve.components)} components; give positions alone')
    first = solve_pose(model, link, curve.poses(curve.parameters[:1])[0], start, components=curve.components).q
    wanted = first if posture is None else arguments.floats(position(model, posture), 'posture')
    postures = NearestPosture(model, link, curve, first, weights)
    q, f = _to_posture(postures, wanted)
    follower = _Follower(postures, max_condition)
    s, motion = follower.refined(*follower.marched(q, f), tolerance)
    path = CartesianPath.from_derivatives(s, motion, model.joint_names)
    path.link, path.curve, path.deviation, path.condition = link, curve, follower.deviation, follower.condition
    _check_limits(model, path)
    return path


def _to_posture(postures, wanted):
    """q and the multipliers at the first pose, for the wanted posture, which is approached step by step."""
    s = postures.curve.parameters[:1]
    first = postures.posture
    q, f = first[None], np.zeros((1, len(postures.curve.components)))
    for share in np.linspace(0, 1, _MOVES_TO_POSTURE + 1):
        q, f, found = postures.solve(s, q, f, (first + share * (wanted - first))[None])
        if not found.all():
            raise SingularityError(
                f'no posture of {postures.model.name} near {np.round(wanted, 4).tolist()} was found in which link {postures.link!r} holds '
                'the first pose; give a posture nearer to one that does')
    postures.posture = wanted
    return q, f


class _Follower:
    """Nodes along the curve, where the joint motion is exact, close enough for polynomials between them."""

    def __init__(self, postures, max_condition):
        self.postures, self.curve, self.max_condition = postures, postures.curve, max_condition
        self.condition = self.deviation = 0.0

    def marched(self, q, f):
        """Parameters (nodes,) and motions (nodes, 5, n) from the first pose to the last, each node found from the one before."""
        pieces = self.curve.motion.breaks
        wanted = np.unique(np.concatenate([np.linspace(a, b, _FIRST_STEPS + 1) for a, b in zip(pieces[:-1], pieces[1:], strict=True)]))
        self.most = len(wanted) + _MOST_NODES
        least = _LEAST_STEP * (wanted[-1] - wanted[0]) / _FIRST_STEPS
        nodes, motions, forces = [wanted[0]], [self._motion(wanted[:1], q, f)[0]], [f[0]]
        ahead = list(wanted[:0:-1])
        while ahead:
            step = ahead[-1] - nodes[-1]
            guess = _extrapolated(motions[-1], step)
            s = np.array(ahead[-1:])
            q, f, found = self.postures.solve(s, guess[None], forces[-1][None])
            if found[0] and np.abs(q[0] - guess).max() < _FARTHEST:
                motions.append(self._motion(s, q, f)[0])
                nodes.append(ahead.pop())
                forces.append(f[0])
            elif step < least or len(nodes) > self.most:
                raise self._lost(nodes[-1], motions[-1][0])
            else:
                ahead.append(nodes[-1] + step / 2)
        self.forces = np.array(forces)
        return np.array(nodes), np.array(motions)

    def refined(self, s, motions, tolerance):
        """More nodes, until the link is nowhere farther from the curve than the tolerance."""
        forces = self.forces
        for _ in range(_HALVINGS + 1):
            path = Trajectory.from_derivatives(s, motions)
            wrong = np.zeros(len(s) - 1)
            for share in _LOOKS:
                places = s[:-1] + share * np.diff(s)
                error = self.postures.error(self.curve.poses(places), path.evaluate(places)[:, 0])
                wrong = np.maximum(wrong, np.abs(error).max(axis=1))
            self.deviation = float(wrong.max())
            bad = np.flatnonzero(wrong > tolerance)
            if not bad.size:
                return s, motions
            if len(s) + len(bad) > self.most:
                break
            places = (s[bad] + s[bad + 1]) / 2
            q, f, found = self.postures.solve(places, path.evaluate(places)[:, 0], (forces[bad] + forces[bad + 1]) / 2)
            if not found.all():
                i = bad[int(np.argmin(found))]
                raise self._lost(s[i], motions[i, 0])
            s = np.insert(s, bad + 1, places)
            motions, forces = np.insert(motions, bad + 1, self._motion(places, q, f), axis=0), np.insert(forces, bad + 1, f, axis=0)
        i = int(wrong.argmax())
        raise SingularityError(
            f'the joint path {self.curve.between(s[i])}, bends too sharply to stay within {tolerance:g} of the poses ({self.deviation:.3g} '
            f'remains); the condition number of the Jacobian is {self.postures.condition(motions[i:i + 1, 0])[0]:.3g} there: keep '
            'farther from the singularity, or allow a larger tolerance')

    def _motion(self, s, q, f):
        condition = self.postures.condition(q)
        if not condition.max() <= self.max_condition:
            i = int(condition.argmax())
            raise SingularityError(
                f'the path {self.curve.between(s[i])}, comes too near to a singularity of link {self.postures.link!r}: the condition '
                f'number of its Jacobian is {condition[i]:.3g}, above {self.max_condition:g}, where {self.postures.weakest(q[i])} is '
                'nearly lost; lead the path around it, give another start, or positions alone')
        self.condition = max(self.condition, float(condition.max()))
        return self.postures.derivatives(s, q, f)

    def _lost(self, s, q):
        return SingularityError(
            f'the path cannot be followed {self.curve.between(s)}: beyond it no joint positions near {np.round(q, 4).tolist()} hold the '
            f'pose of link {self.postures.link!r} (condition number {self.postures.condition(q[None])[0]:.3g}): the robot does not reach '
            'it, or its posture would jump; move the poses, or start in another posture')


def _extrapolated(motion, step):
    return (step ** np.arange(len(motion)) / factorials(len(motion))) @ motion


def _check_model(model):
    if model.base == 'free':
        raise InputError(f"{model.name} has a free base; cartesian_path is for fixed bases: make the model with base='fixed'")


def _check_limits(model, path):
    lower, upper = model.position_limits.T
    beyond = deviation.beyond(path.coefficients, lower, upper)
    if (beyond > _LIMIT_ROUNDING).any():
        piece = int(np.argmax(beyond > _LIMIT_ROUNDING))
        q = path.evaluate(np.linspace(path.breaks[piece], path.breaks[piece + 1], 9))[:, 0]
        j = int(np.maximum(q - upper, lower - q).max(axis=0).argmax())
        raise InputError(
            f'joint {model.joint_names[j]!r} would leave its limits {lower[j]:g} to {upper[j]:g} {path.curve.between(path.breaks[piece])}: '
            'another start or posture, or other poses, may keep it within them')
