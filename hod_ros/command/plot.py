# SPDX-License-Identifier: Apache-2.0
"""`hod plot`: figures of a motion and of the torques that it needs."""

import argparse
from pathlib import Path

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.exits import require
from hod_ros.command.motions import add_limits
from hod_ros.command.motions import add_motion
from hod_ros.command.motions import read_drives
from hod_ros.command.motions import read_limits
from hod_ros.command.motions import read_motion
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_robot
from hod_ros.command.whole_files import ending
from hod_ros.command.whole_files import refuse_inputs
from hod_ros.command.whole_files import whole_file

DESCRIPTION = """\
Figures of a motion and of the torques that it needs, for paper and screen: a panel for each joint and quantity with its limits drawn in,
motors dashed where the robot has drives; or, with --together, all joints in one plot a quantity, with limits that are the same for all. The
ending of --out says of what kind."""
EXAMPLES = """\
examples:
  hod plot panda pick.csv --out pick.pdf
  hod plot panda pick.csv --limits limits.yaml --drives drives.yaml --out pick.svg
  hod plot panda pick.csv --together --show effort,effort_rate,effort_acceleration --out pick.png
"""
KINDS = ('.png', '.svg', '.pdf')
# How each quantity is called, written and measured: (label, unit of revolute joints, unit of prismatic ones).
QUANTITIES = {
    'position': ('q', 'rad', 'm'),
    'velocity': ("q'", 'rad/s', 'm/s'),
    'acceleration': ("q''", 'rad/s²', 'm/s²'),
    'jerk': ("q'''", 'rad/s³', 'm/s³'),
    'snap': ("q''''", 'rad/s⁴', 'm/s⁴'),
    'effort': ('Q', 'N m', 'N'),
    'effort_rate': ("Q'", 'N m/s', 'N/s'),
    'effort_acceleration': ("Q''", 'N m/s²', 'N/s²'),
}
DEFAULT = 'position,effort,effort_rate,effort_acceleration'
SAMPLES = 1001          # at least
MOST_SAMPLES = 10_001


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    add_motion(parser)
    add_limits(parser)
    group = parser.add_argument_group('the figure')
    group.add_argument('-o', '--out', metavar='FILE', type=Path, required=True, help='.png, .svg or .pdf')
    group.add_argument('--show', metavar='A,B,...', default=DEFAULT, help=f'of {", ".join(QUANTITIES)}; by default {DEFAULT}')
    group.add_argument('--together', action='store_true', help='all joints in one plot, told apart by dashes and colours')
    group.add_argument('--title', default=None, help="by default the robot's and the motion's names")


def run(options: argparse.Namespace) -> int:
    kind = ending(options.out, KINDS)
    shown = options.show.split(',')
    unknown = [name for name in shown if name not in QUANTITIES]
    if unknown:
        raise Failure(f'--show names {unknown[0]!r}; there are {", ".join(QUANTITIES)}', exits.USAGE)
    require('matplotlib', 'plot')
    import numpy as np

    from hod_ros.pictures import panels
    from hod_ros.pictures import rows
    from hod_ros.pictures import style
    refuse_inputs(options, options.out)
    source, model = read_robot(options)
    trajectory = read_motion(options, source, model)
    drives = read_drives(options, source, model)
    limits = read_limits(options, model, drives)
    times = sample_times(trajectory)
    values = values_over(model, trajectory, times)
    title = f'{model.name}, {options.motion.name}' if options.title is None else options.title
    labels = [label(name, model) for name in shown]
    notes = [options.note]
    if options.together:
        shared, own = shared_limits(shown, model, limits)
        if own and options.limits is not None:
            notes.append(f'no limits of {", ".join(own)} are drawn, which joints do not share; leave out --together to see them')
        figure = rows.rows_figure(times, [np.stack([values[name] for name in shown], axis=1)], labels, [title], model.joint_names, shared)
    else:
        motors = {} if drives is None else motor_values(drives, trajectory, times)
        quantities = [
            panels.Quantity(text, values[name], limits_of(name, model, limits), motors.get(name, ()))
            for name, text in zip(shown, labels, strict=True)]
        figure = panels.panels_figure(times, quantities, model.joint_names, title)
    with whole_file(options.out) as file:
        style.save(figure, file, kind)
    print(f'{options.out}: {model.n} joints over {trajectory.duration:.4g} s' + ''.join(f'; {note}' for note in notes if note))
    return exits.DONE


def sample_times(trajectory):
    """Times that a curve is drawn through: even ones, and some in every piece, however short, as the bends of a long motion are."""
    import numpy as np
    breaks = trajectory.breaks
    within = (breaks[:-1, None] + np.diff(breaks)[:, None] * (np.arange(4) / 4)).ravel()
    even = np.linspace(trajectory.start, trajectory.end, SAMPLES if len(within) <= MOST_SAMPLES - SAMPLES else MOST_SAMPLES)
    return np.union1d(even, within) if len(even) == SAMPLES else even


def values_over(model, trajectory, times):
    """{quantity: (samples, n)}"""
    from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
    q = trajectory.evaluate(times, 4)
    Q = inverse_dynamics(model, q)
    return dict(zip(QUANTITIES, [*q.swapaxes(0, 1), *Q.swapaxes(0, 1)], strict=True))


def motor_values(drives, trajectory, times):
    """{quantity: [(joint, (samples,))]} of the motors, as seen at their joints: positions through the gear, torques too."""
    from hod_ros.actuators.motor_feedforward import motor_feedforward
    m = motor_feedforward(drives.model, drives, trajectory.evaluate(times, drives.rows - 1))
    elastic = [k for k, joint in enumerate(drives.motor_joints) if drives.model.joint_names[joint] in drives.elastic_joints]
    through_gear = {
        'position': m.positions / drives.gear_ratio, 'velocity': m.velocities / drives.gear_ratio,
        'acceleration': m.accelerations / drives.gear_ratio, 'effort': m.efforts * drives.gear_ratio}
    return {name: [(int(drives.motor_joints[k]), rows[:, k]) for k in elastic] for name, rows in through_gear.items()}


def limits_of(name, model, limits):
    """(n, 2) the limits of a quantity, or None."""
    import numpy as np
    if name == 'position':
        return model.position_limits
    size = limits.of(name, model.joint_names) if hasattr(limits, name) else None
    return None if size is None else np.stack([-size, size], axis=1)


def shared_limits(shown, model, limits):
    """([(low, high) that all joints share, or None, of each quantity], the quantities whose limits differ from joint to joint)"""
    import numpy as np
    shared, own = [], []
    for name in shown:
        each = limits_of(name, model, limits)
        alike = each is not None and (each == each[0]).all()
        shared.append(tuple(float(limit) for limit in each[0]) if alike and np.isfinite(each[0]).all() else None)
        if each is not None and not alike:
            own.append(name)
    return shared, own


def label(name, model):
    """A quantity with its unit, as far as all joints share one."""
    import numpy as np
    symbol, turning, sliding = QUANTITIES[name]
    turns = (np.asarray(model.X)[:, :3] != 0).any(axis=1)
    unit = turning if turns.all() else sliding if not turns.any() else f'{turning}, {sliding}'
    return f'{symbol} [{unit}]'
