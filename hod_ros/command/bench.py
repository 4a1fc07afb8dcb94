# SPDX-License-Identifier: Apache-2.0
"""`hod bench`: how fast this machine computes, beside the peers that are installed."""

import argparse
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from hod_ros.command import exits
from hod_ros.command.exits import require
from hod_ros.command.reports import add_json
from hod_ros.command.reports import print_json
from hod_ros.command.reports import table
from hod_ros.command.whole_files import ending
from hod_ros.command.whole_files import whole_file

DESCRIPTION = """\
How long an evaluation takes on this machine, from Python: torques alone and with derivatives, one sample and in batches, for 7 and 30
joints; and Pinocchio's and MuJoCo's torques where they are installed. All are measured in turns, so that what else the machine does falls
on all alike; the ratios are what counts."""
EXAMPLES = """\
examples:
  hod bench
  hod bench --out bench.svg          a picture of it
  hod bench --json --seconds 2
"""
KINDS = ('.png', '.svg', '.pdf')
BATCH = 10_000
LOOKS = 15              # times each is measured; the median counts


class Figure(NamedTuple):
    joints: int
    what: str
    microseconds: float         # an evaluation
    ratio: float                # to our Q, Q', Q'' of the same robot


class Case(NamedTuple):
    joints: int
    what: str
    call: Callable[[], object]
    evaluations: int            # of a call


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--seconds', type=float, default=4.0, help='to measure for, about')
    parser.add_argument('-o', '--out', metavar='FILE', type=Path, help='a picture: .png, .svg or .pdf')
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    if options.out is not None:
        require('matplotlib', 'plot')
        ending(options.out, KINDS)
    figures = measured(cases(), options.seconds)
    if options.out is not None:
        with whole_file(options.out) as file:
            draw(figures, file, options.out.suffix)
    if options.json:
        print_json({'machine': machine(), 'figures': [figure._asdict() for figure in figures]})
        return exits.DONE
    print(machine() + '\n')
    rows = [(str(f.joints), f.what, f'{f.microseconds:.3f}', f'{f.ratio:.2f}') for f in figures]
    print('\n'.join(table(('joints', 'what', 'us an evaluation', "of our Q, Q', Q''"), rows, right=(0, 2, 3))))
    if options.out is not None:
        print(f'\n{options.out}')
    return exits.DONE


OURS = "hod_ros Q, Q', Q''"


def cases() -> list[Case]:
    """What is measured, ours first for each robot."""
    import numpy as np

    from hod_ros.description.example_robots import example_robot
    from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
    from hod_ros.model.robot_model import RobotModel
    found = []
    for text in (example_robot('panda'), chain(30)):
        model = RobotModel.from_urdf(text)
        n = model.n
        q = np.random.default_rng(1).uniform(-1, 1, (11, n))
        batch = np.ascontiguousarray(np.broadcast_to(q[:5], (BATCH, 5, n)))
        found += [
            Case(n, OURS, partial(inverse_dynamics, model, q[:5].copy()), 1),
            Case(n, 'hod_ros Q alone', partial(inverse_dynamics, model, q[:3].copy()), 1),
            Case(n, 'hod_ros up to the 8th derivative', partial(inverse_dynamics, model, q), 1),
            Case(n, f"hod_ros Q, Q', Q'' in batches of {BATCH}", partial(inverse_dynamics, model, batch), BATCH),
            *peers(text, q)]
    return found


def peers(text, q):
    """Their torques, without derivatives, for which none of them has a call."""
    if find_spec('pinocchio'):
        import pinocchio
        model = pinocchio.buildModelFromXML(text)
        data = model.createData()
        yield Case(model.nv, 'Pinocchio Q alone (rnea)', partial(pinocchio.rnea, model, data, q[0], q[1], q[2]), 1)
    if find_spec('mujoco'):
        import mujoco
        robot = mujoco.MjModel.from_xml_string(text)
        robot.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT      # limits and contacts are not what is compared
        state = mujoco.MjData(robot)
        state.qpos[:], state.qvel[:], state.qacc[:] = q[0], q[1], q[2]
        yield Case(robot.nv, 'MuJoCo Q alone (mj_inverse)', partial(_mujoco, mujoco.mj_inverse, robot, state), 1)


def _mujoco(inverse, robot, state):
    inverse(robot, state)
    return state.qfrc_inverse


def measured(todo: list[Case], seconds: float) -> list[Figure]:
    """All cases in turns, the median of each."""
    share = seconds / LOOKS / len(todo)
    repeats = [max(1, round(share / _lasts(case, 1))) for case in todo]
    looks = [[_lasts(case, count) for case, count in zip(todo, repeats, strict=True)] for _ in range(LOOKS)]
    medians = [sorted(look[i] for look in looks)[LOOKS // 2] / case.evaluations for i, case in enumerate(todo)]
    ours = {case.joints: median for case, median in zip(todo, medians, strict=True) if case.what == OURS}
    return [
        Figure(case.joints, case.what, 1e6 * median, median / ours[case.joints]) for case, median in zip(todo, medians, strict=True)]


def _lasts(case, count):
    """Seconds a call, the mean of some."""
    case.call()
    begun = time.perf_counter()
    for _ in range(count):
        case.call()
    return (time.perf_counter() - begun) / count


def chain(n: int) -> str:
    """A URDF of n joints in a row, about axes that differ."""
    axes = ('0 0 1', '0 1 0', '1 0 0')
    links = ''.join(
        f'<link name="l{i}"><inertial><origin xyz="0.02 0.01 0.05"/><mass value="1.5"/>'
        '<inertia ixx="0.01" iyy="0.012" izz="0.008" ixy="0.001" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="j{i}" type="revolute"><parent link="{"base" if i == 0 else f"l{i - 1}"}"/><child link="l{i}"/>'
        f'<origin xyz="0 0 0.1" rpy="0.1 0.2 0"/><axis xyz="{axes[i % 3]}"/><limit lower="-3" upper="3" effort="100" velocity="5"/></joint>'
        for i in range(n))
    return f'<robot name="chain"><link name="base"/>{links}</robot>'


def machine() -> str:
    """What was measured on, with what."""
    import os
    import platform
    from importlib.metadata import version
    with open('/proc/cpuinfo') if os.path.exists('/proc/cpuinfo') else open(os.devnull) as file:
        names = [line.partition(':')[2].strip() for line in file if line.startswith('model name')]
    packages = ', '.join(f'{name} {version(package)}' for name, package, module in (
        ('hod_ros', 'hod_ros', 'hod_ros'), ('Pinocchio', 'pin', 'pinocchio'), ('MuJoCo', 'mujoco', 'mujoco')) if find_spec(module))
    busy = f', load {os.getloadavg()[0]:.1f}' if hasattr(os, 'getloadavg') else ''
    return f'{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} processors{busy}; {packages}'


def draw(figures: list[Figure], file, kind: str) -> None:
    """Bars of the times, ours hatched, with their figures beside them."""
    from hod_ros.pictures import style
    sizes = sorted({figure.joints for figure in figures})
    figure, axes = style.subplots(len(sizes), 1, (7.2, 0.6 + 0.42 * len(figures)))
    for plot, joints in zip(axes[:, 0], sizes, strict=True):
        shown = [one for one in figures if one.joints == joints][::-1]
        bars = plot.barh(
            [one.what for one in shown], [one.microseconds for one in shown], edgecolor='black', height=0.65,
            color=['#B8D4EA' if one.what.startswith('hod_ros') else 'white' for one in shown])
        for bar, one in zip(bars, shown, strict=True):
            bar.set_hatch('///' if one.what.startswith('hod_ros') else '')
        plot.bar_label(bars, [f'{one.microseconds:.2f} µs' for one in shown], padding=4)
        plot.set_title(f'{joints} joints', loc='left', fontsize=10)
        plot.set_xlim(0, 1.2 * max(one.microseconds for one in shown))
        plot.spines[['top', 'right']].set_visible(False)
    axes[-1, 0].set_xlabel('microseconds an evaluation, called from Python')
    style.save(figure, file, kind)
