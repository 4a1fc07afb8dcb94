# SPDX-License-Identifier: Apache-2.0
"""Fast motions along one path, of equal duration, on an arm with elastic joints: TOPP-RA's, a quintic's, and one within torque rates.

    python examples/elastic_time_optimal.py [--picture FILE] [--period SECONDS]

TOPP-RA keeps limits of torques, which may jump: then motors of elastic joints would have to be elsewhere at once. The plant is MuJoCo's.
Beside the environment that make builds: pip install toppra 'hod_ros[sim,trajectories,plot]'.
"""

import argparse
import logging
import sys
from dataclasses import dataclass
from typing import Any
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hod_ros import ElasticPlant
from hod_ros import Limits
from hod_ros import PreparedDrives
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import Trajectory
from hod_ros import example_robot
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros import time_optimal

POINTS = [[0.0, -0.6, 0.0, -2.2, 0.0, 1.8, 0.8], [0.6, -0.2, 0.3, -1.6, 0.2, 1.9, 0.4], [1.2, 0.3, 0.0, -1.9, 0.0, 2.3, 1.2]]
EFFORT_RATE = 1000.0                        # [N m/s] of ours, which the arm's maker states
STIFFNESS, INERTIA = 3000.0, 0.2            # [N m/rad], [kg m^2] of rotors, at the joint
BANDWIDTH, DAMPING = 2 * np.pi * 15, 0.7    # [rad/s], [] of the motors' PD control
STEP = 2e-4                                 # [s] of the plant, and of the controller unless --period says otherwise
REST = 0.3                                  # [s] that the arm is watched after the end
GRID = 1001                                 # points of TOPP-RA's
NAMES = ('TOPP-RA', 'quintic', 'torque rates limited')

Array: TypeAlias = NDArray[np.float64]


@dataclass
class Run:
    """times (samples,) [s]; joint efforts that the motion asks for, and errors of the joints [rad], both (samples, n)."""

    times: Array
    efforts: Array
    errors: Array

    @property
    def largest(self) -> float:
        """[rad]"""
        return float(np.abs(self.errors).max())


def along(path: Trajectory, s: Array) -> Array:
    """(samples, 5, n) on a path of which s (samples, 5) are the place and its derivatives by time: the chain rule."""
    p = path.evaluate(np.clip(s[:, 0], path.start, path.end), 4)
    s1, s2, s3, s4 = s[:, 1:].T[:, :, None]
    return np.stack([
        p[:, 0], p[:, 1] * s1, p[:, 2] * s1**2 + p[:, 1] * s2, p[:, 3] * s1**3 + 3 * p[:, 2] * s1 * s2 + p[:, 1] * s3,
        p[:, 4] * s1**4 + 6 * p[:, 3] * s1**2 * s2 + p[:, 2] * (3 * s2**2 + 4 * s1 * s3) + p[:, 1] * s4], axis=1)


def quintic(path: Trajectory, times: Array, duration: float) -> Array:
    """(samples, 5): from rest to rest by the polynomial of degree five."""
    x = np.clip(times / duration, 0, 1)
    rows = [x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x)**2, 60 * x - 180 * x**2 + 120 * x**3, 60 - 360 * x + 360 * x**2,
            -360 + 720 * x]
    s = path.duration * np.stack(rows, axis=1) / duration ** np.arange(5)
    s[:, 0] += path.start
    s[times > duration, 1:] = 0.0
    return np.asarray(s)


def toppra_clock(model: RobotModel, path: Trajectory) -> tuple[Array, Array, Array]:
    """(places, speeds there, times) within limits of velocities and efforts; between places the acceleration along the path is constant."""
    import toppra
    from toppra import algorithm
    from toppra import constraint
    logging.getLogger('toppra').setLevel(logging.CRITICAL)

    geometric_path: Any = toppra.interpolator.AbstractGeometricPath

    class Path(geometric_path):
        dof = model.n
        path_interval = np.array([path.start, path.end])
        waypoints = None

        def __call__(self, s: Any, order: int = 0) -> Array:
            q = path.evaluate(np.clip(np.atleast_1d(s), path.start, path.end), order)[:, order]
            return q if np.ndim(s) else q[0]

    def efforts(q: Array, v: Array, a: Array) -> Array:
        return np.asarray(inverse_dynamics(model, np.array([q, v, a]))[0])

    places = np.linspace(path.start, path.end, GRID)
    velocity, effort = model.velocity_limits, model.effort_limits
    method = algorithm.TOPPRA(
        [constraint.JointVelocityConstraint(np.stack([-velocity, velocity], axis=1)),
         constraint.JointTorqueConstraint(efforts, np.stack([-effort, effort], axis=1), np.zeros(model.n))],
        Path(), gridpoints=places, solver_wrapper='seidel')
    speeds = np.asarray(method.compute_parameterization(0, 0)[1], dtype=float)
    return places, speeds, np.concatenate([[0.0], np.cumsum(2 * np.diff(places) / (speeds[1:] + speeds[:-1]))])


def of_clock(clock: tuple[Array, Array, Array], times: Array, duration: float) -> Array:
    """(samples, 5) of TOPP-RA's motion, slowed down to a duration. What jumps has no derivative: s''' and s'''' are 0."""
    places, speeds, knots = clock
    slower = duration / knots[-1]
    i = np.clip(np.searchsorted(knots, times / slower, side='right') - 1, 0, len(knots) - 2)
    dt = np.clip(times / slower, 0, knots[-1]) - knots[i]
    acceleration = np.diff(speeds)[i] / np.diff(knots)[i]
    s = np.zeros((len(times), 5))
    s[:, 0] = places[i] + speeds[i] * dt + acceleration * dt**2 / 2
    s[:, 1], s[:, 2] = (speeds[i] + acceleration * dt) / slower, acceleration / slower**2
    s[times > duration, 1:] = 0.0
    return s


def followed(model: RobotModel, drives: PreparedDrives, motion: Any, duration: float, period: float) -> Run:
    """motion(times) -> q (samples, 5, n), tracked by motors under PD control with full feedforward, once a period [s]."""
    times = np.arange(round((duration + REST) / period), dtype=np.float64) * period
    now, middle, wanted = motion(times), motion(times + period / 2), motion(times + period)
    reference, torques = motor_feedforward(model, drives, now), motor_feedforward(model, drives, middle).efforts
    plant = ElasticPlant(model, drives, step=STEP)
    at_rest = motor_feedforward(model, drives, now[:1] * (np.arange(5) == 0)[:, None])
    plant.set_state(now[0, 0], np.zeros(model.n), at_rest.positions[0], np.zeros(model.n))
    errors = np.zeros((len(times), model.n))
    for i, q in enumerate(wanted[:, 0]):
        command = (torques[i] + INERTIA * BANDWIDTH**2 * (reference.positions[i] - plant.motor_positions)
                   + 2 * DAMPING * INERTIA * BANDWIDTH * (reference.velocities[i] - plant.motor_velocities))
        for _ in range(round(period / STEP)):
            plant.step(command)
        errors[i] = plant.positions - q
    return Run(times + period, inverse_dynamics(model, wanted[:, :3])[:, 0], errors)


def compare(period: float = STEP) -> tuple[RobotModel, tuple[float, float], dict[str, Run]]:
    """(model, durations [s] of TOPP-RA and of ours, runs by NAMES, all of the latter duration)"""
    model = RobotModel.from_urdf(example_robot('panda'))
    drives = PreparedDrives(model, dict.fromkeys(model.joint_names, SeriesElastic(stiffness=STIFFNESS, motor_inertia=INERTIA)))
    lines = np.diff(POINTS, axis=0)
    path = Trajectory.interpolate([0, 1, 2], POINTS, max_deviation=None, start=lines[:1], end=lines[1:])     # never at rest: TOPP-RA's need
    limits = Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=EFFORT_RATE)
    ours, clock = time_optimal(model, path, limits), toppra_clock(model, path)

    def within(times: Array) -> Array:
        q = ours.evaluate(np.clip(times, 0, ours.end), 4)
        q[times > ours.end, 1:] = 0.0
        return q

    motions = (
        lambda times: along(path, of_clock(clock, times, ours.duration)), lambda times: along(path, quintic(path, times, ours.duration)),
        within)
    return model, (float(clock[2][-1]), ours.duration), {
        name: followed(model, drives, motion, ours.duration, period) for name, motion in zip(NAMES, motions, strict=True)}


def draw(model: RobotModel, runs: dict[str, Run], file: str) -> None:
    from hod_ros.pictures import style
    figure, axes = style.subplots(2, 3, (style.WIDTH, 4.2), sharex=True, sharey='row')
    for column, (name, run) in enumerate(runs.items()):
        above, below = axes[:, column]
        above.set_prop_cycle(style.line_styles())
        above.plot(run.times, run.efforts, linewidth=1)
        below.semilogy(run.times, 1e3 * np.abs(run.errors).max(axis=1), color='black', linewidth=1)
        for axis in (above, below):
            axis.grid(alpha=0.25)
        above.set_title(name, fontsize=style.TITLE)
        below.set_title(f'at most {1e3 * run.largest:.2g} mrad', fontsize=style.TYPE)
        below.set_xlabel('t [s]')
        below.set_xticks(np.arange(0, run.times[-1], 0.5))
        below.set_ylim(1e-4, 30)
        below.yaxis.set_major_formatter('{x:g}')
    axes[0, 0].set_ylabel('Q [N m]')
    axes[1, 0].set_ylabel('largest joint error [mrad]')
    figure.legend(axes[0, 0].lines, model.joint_names, loc='outside right center', frameon=False, fontsize=style.TYPE)
    style.save(figure, file)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--picture', metavar='FILE', help='draw torques and errors there')
    parser.add_argument('--period', type=float, default=STEP, help="[s] of the controller, some of the plant's steps of %(default)g")
    options = parser.parse_args(arguments)
    try:
        import toppra  # noqa: F401
    except ImportError as error:
        print(f'skipped: toppra cannot be imported ({error}); {sys.executable} -m pip install toppra', file=sys.stderr)
        return 0
    model, (theirs, ours), runs = compare(options.period)
    print(f'{theirs:.3f} s by TOPP-RA, {ours:.3f} s within {EFFORT_RATE:g} N m/s, for which all have time')
    for name, run in runs.items():
        use = np.abs(run.efforts).max(axis=0) / model.effort_limits
        print(f'{name}: joints err by up to {1e3 * run.largest:.3f} mrad; {100 * use.max():.0f} % of an effort limit')
    if options.picture:
        draw(model, runs, options.picture)
    return 0


if __name__ == '__main__':
    sys.exit(main())
