# SPDX-License-Identifier: Apache-2.0
"""PD gains of the motors of elastic joints that give the arm the bandwidth and the damping asked for, and the delay such a loop bears.

With x = theta_motor / gear_ratio, small motions about a posture at rest take from the motors, on the joints' side, the forces

    Z(s) x,    Z(s) = B s^2 + F s + ((M(q) s^2)^-1 + (K + D s)^-1)^-1,

B rotors, F their viscous friction, K springs, D dampers beside them, M(q) the links' inertia: all but B and F act through the springs.
Gains P, D_v with P + D_v s = -Z(s) at s = -damping w + j w sqrt(1 - damping^2) place that pair of poles once for every joint, so that
every joint has the same bandwidth w and damping, whatever it carries; with springs that don't give, P = (M + B) w^2 and
D_v = 2 damping w (M + B). Both are symmetric, and as long as they are positive the loop is stable without delay, however wrong the
model.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.checks import arrays
from hod_ros.checks.arguments import number_above_0
from hod_ros.checks.arguments import shown
from hod_ros.checks.types import Array
from hod_ros.dynamics.matrices import dynamics_matrices
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel

SWIFTEST, SWIFTEST_DAMPED = 0.9, 0.4     # up to (w / links' on springs)^2 = 0.9 - 0.4 damping no other pole is as slow as the pair
MOST_DAMPING = 0.999                # above, the pair of poles would be two real ones
SLOWEST, QUICKEST = 1e-1, 1e5       # [rad/s] between which a loop's gain is looked at
FREQUENCIES = 200                   # besides those about resonances, where a gain may be above 1 in a very narrow band
ABOUT = np.geomspace(1e-7, 0.2, 20)
HALVINGS = 20                       # of the interval in which a gain crosses 1


def motor_gains(
        model: RobotModel, drives: Drives, q: ArrayLike, *, bandwidth: float, damping: float) -> tuple[Array, Array]:
    """(position gains, velocity gains), (motors, motors) each [N m/rad], [N m s/rad] on the motors' side, for the posture q (n,).

    drives: {joint: drive} or PreparedDrives. bandwidth [Hz], damping: the ratio, below 1. The motors of an antagonistic pair get the
    gains of a joint with half of its inertia each, as if its springs did not give.

    Raises InputError where an argument is wrong, or where the springs are too soft for this bandwidth.

        >>> drives = {name: SeriesElastic(stiffness=3000.0, motor_inertia=2e-5, gear_ratio=100.0) for name in model.joint_names}
        >>> position, velocity = motor_gains(model, drives, q[0], bandwidth=3.0, damping=0.7)
        >>> position.shape, bool(np.allclose(velocity, velocity.T))
        ((7, 7), True)
    """
    p = prepared(model, drives)
    w = 2 * math.pi * number_above_0(bandwidth, 'bandwidth', '[Hz]')
    if not 0 < number_above_0(damping, 'damping', '(ratio)') <= MOST_DAMPING:
        raise InputError(f'damping is {shown(damping)}; give the damping ratio, above 0 and up to {MOST_DAMPING}')
    M = _inertia(p, q)
    _check_springs(p, M, w, bandwidth, damping)
    s = w * complex(-damping, math.sqrt(1 - damping**2))
    Z = _impedance(p, M, np.array([s]), friction=False)[0]
    velocity = -Z.imag / s.imag
    position = -Z.real - velocity * s.real
    for m in np.flatnonzero(_paired(p)):
        joint = p.motor_joints[m]
        inertia = p.motor_inertia[m] * p.gear_ratio[m]**2 + 0.5 * M[joint, joint]
        for gains, own in ((position, inertia * w**2), (velocity, 2 * damping * w * inertia)):
            gains[m, :] = gains[:, m] = 0.0
            gains[m, m] = own
    side = 1 / p.gear_ratio
    return position * np.outer(side, side), velocity * np.outer(side, side)


def _check_springs(p, M, w, bandwidth, damping):
    """The links, on springs whose motors stand still, must swing faster than the bandwidth, or they would do so whatever the motors do."""
    springs = np.array([0.0 if (k := p.softest_stiffness(j)) is None else k for j in range(p.model.n)])
    soft = np.sqrt(np.divide(1.0, springs, out=np.zeros_like(springs), where=springs > 0))
    values, vectors = np.linalg.eigh(M * np.outer(soft, soft))
    most = math.sqrt((SWIFTEST - SWIFTEST_DAMPED * damping) / values[-1]) if values[-1] > 0 else math.inf
    if w > most:
        joint = p.model.joint_names[int(np.argmax(np.abs(vectors[:, -1])))]
        raise InputError(
            f'a bandwidth of {bandwidth:g} Hz and the damping {damping:g} is more than springs let motors do, of joint {joint!r} first; '
            f'ask for {most / (2 * math.pi):.3g} Hz at most in this posture')


def delay_margin(model: RobotModel, drives: Drives, q: ArrayLike, position_gains: ArrayLike, velocity_gains: ArrayLike) -> float:
    """The delay [s] of all torques at which tau = P (theta_d - theta) + D_v (theta_d' - theta') becomes unstable at the posture q (n,).

    Gains (motors, motors) on the motors' side, as motor_gains gives them. Torques that are held over a period act half a period later
    in the mean, which counts. inf: no delay makes it unstable; 0: it is so without any. Springs are those of the drives at rest.

    Raises InputError where an argument has the wrong shape, name or value.

        >>> drives = {name: SeriesElastic(stiffness=3000.0, motor_inertia=2e-5, gear_ratio=100.0) for name in model.joint_names}
        >>> gains = motor_gains(model, drives, q[0], bandwidth=3.0, damping=0.7)
        >>> 0.001 < delay_margin(model, drives, q[0], *gains) < 0.1
        True
    """
    p = prepared(model, drives)
    motors, side = len(p.motor_names), p.gear_ratio
    P, D = (arrays.array(gains, (motors, motors), name, 'gains of each motor') * np.outer(side, side)
            for gains, name in ((position_gains, 'position_gains'), (velocity_gains, 'velocity_gains')))
    if min(np.linalg.eigvalsh(0.5 * gains + 0.5 * gains.T)[0] for gains in (P, D)) <= 0:
        return 0.0
    M = _inertia(p, q)

    def loop(w):
        """Eigenvalues of the open loop (frequencies, motors), the largest first."""
        s = 1j * np.asarray(w)
        with np.errstate(over='ignore', invalid='ignore'):
            open_loop = np.linalg.solve(_impedance(p, M, s), P + s[:, None, None] * D)
        if not np.isfinite(open_loop).all():
            raise InputError('the gains are too large for floating point numbers; are they in [N m/rad] and [N m s/rad]?')
        values = np.linalg.eigvals(open_loop)
        return np.take_along_axis(values, np.argsort(-np.abs(values), axis=1), 1)

    resonances = _resonances(p, M)[:, None] * (1 + np.concatenate([-ABOUT, ABOUT]))
    w = np.unique(np.concatenate([np.geomspace(SLOWEST, QUICKEST, FREQUENCIES), resonances.ravel()]))
    above = np.abs(loop(w)) > 1
    if above[-1].any():         # it bears less than can be told
        return 0.0
    at, locus = np.nonzero(above[1:] != above[:-1])
    if not len(at):
        return math.inf
    low, high, first = w[at], w[at + 1], above[at, locus]
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        same = (np.abs(np.take_along_axis(loop(middle), locus[:, None], 1)[:, 0]) > 1) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    crossing = np.take_along_axis(loop(low), locus[:, None], 1)[:, 0]
    return float(np.min((np.pi + np.angle(crossing)) / low))


def _resonances(p, M):
    """[rad/s] at which rotors and links swing on their springs, without dampers."""
    n, elastic = p.model.n, np.array([p.drives[j].elastic for j in p.motor_joints], dtype=bool)
    rotors, joints = p.motor_inertia * p.gear_ratio**2, p.motor_joints
    mass = np.zeros((n + len(joints),) * 2)
    mass[:n, :n] = M
    mass[joints[~elastic], joints[~elastic]] += rotors[~elastic]
    mass[range(n, n + len(joints)), range(n, n + len(joints))] = np.where(elastic & (rotors > 0), rotors, 1.0)
    stiffness = np.zeros_like(mass)
    for m in np.flatnonzero(elastic):
        pair = np.ix_([joints[m], n + m], [joints[m], n + m])
        stiffness[pair] += (p.softest_stiffness(joints[m]) or 0.0) / len(p.motors_of(joints[m])) * np.array([[1.0, -1.0], [-1.0, 1.0]])
    side = np.linalg.inv(np.linalg.cholesky(mass))
    values = np.linalg.eigvalsh(side @ stiffness @ side.T)
    return np.sqrt(values[values > SLOWEST**2])


def _inertia(p, q):
    q = arrays.vector(q, p.model.joint_names, 'q')
    return np.asarray(dynamics_matrices(p.model, np.stack([q, np.zeros(len(q))])).M[0])


def _paired(p):
    """Flags of the motors that share their joint."""
    return np.bincount(p.motor_joints, minlength=p.model.n)[p.motor_joints] > 1


def _impedance(p: PreparedDrives, M: Array, s: Array, friction: bool = True) -> Array:
    """Z(s) (frequencies, motors, motors) on the joints' side."""
    n, joints = p.model.n, p.motor_joints
    share = np.zeros((n, len(joints)))
    share[joints, np.arange(len(joints))] = 1 / np.bincount(joints, minlength=n)[joints]
    stiffness = np.array([p.softest_stiffness(j) or np.inf for j in range(n)])
    damping = np.array([drive.damping if friction else 0.0 for drive in p.drives])
    springs = stiffness + np.where(np.isinf(stiffness), 0.0, s[:, None] * damping)
    compliance = np.linalg.inv(M) / s[:, None, None]**2 + np.eye(n) * np.where(np.isinf(stiffness), 0.0, 1 / springs)[:, :, None]
    Z = share.T @ np.linalg.inv(compliance) @ share
    rotors = p.motor_inertia * s[:, None]**2 + (p.motor_friction * s[:, None] if friction else 0.0)
    Z = Z + np.eye(len(joints)) * (rotors * p.gear_ratio**2)[:, :, None]
    for j in np.flatnonzero(np.bincount(joints, minlength=n) > 1):         # what a pair's motors do against each other
        motors, own = p.motors_of(j), np.where(np.isinf(stiffness[j]), 0.0, stiffness[j])
        Z[:, motors[:, None], motors] += own / len(motors) * (np.eye(len(motors)) - 1 / len(motors))
    return Z
