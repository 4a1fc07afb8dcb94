# SPDX-License-Identifier: Apache-2.0
"""`hod view`: the robot in a browser, coloured by what its joints bear."""

import argparse
import contextlib
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.exits import require
from hod_ros.command.motions import add_limits
from hod_ros.command.motions import add_motion
from hod_ros.command.motions import read_drives
from hod_ros.command.motions import read_limits
from hod_ros.command.motions import read_motion
from hod_ros.command.reports import styled
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_robot
from hod_ros.command.whole_files import ending
from hod_ros.command.whole_files import refuse_inputs
from hod_ros.command.whole_files import whole_file

DESCRIPTION = """\
The robot in a browser, moving, its links coloured by the torque or torque rate of their joints, as a part of the limit where there is one;
with plots, a table and a slider of time beside it. Without MOTION: sliders of the joints and the torque of gravity. Nothing is loaded from
elsewhere, and only this machine can see the page. Ctrl-C ends it."""
EXAMPLES = """\
examples:
  hod view panda
  hod view panda pick.csv --limits limits.yaml --colour effort_rate
  hod view panda pick.csv --html pick.html                 a page that needs no server
  hod view my_robot.urdf --live                            what the node answers at this moment
"""
SHAPES = ('visual', 'collision', 'capsules')
COLOURS = ('effort', 'effort_rate')
SAMPLE_RATE = 120.0     # [Hz] of a motion that is shown
FEED_RATE = 32.0        # [Hz] of --live
MOST_SAMPLES = 20_000


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    add_motion(parser, optional=True)
    add_limits(parser)
    group = parser.add_argument_group('the page')
    group.add_argument('--colour', choices=COLOURS, default='effort', help='what is shown as colour')
    group.add_argument('--shapes', choices=SHAPES, default='visual', help='capsules take the place of what is not there')
    group.add_argument('--live', nargs='?', const='/hod', metavar='NODE', help='show what a node streams; /hod by default; needs ROS')
    group.add_argument('--html', metavar='FILE', type=Path, help='write a page that needs no server, and end')
    group.add_argument('--host', default='127.0.0.1', help='127.0.0.1: this machine alone; 0.0.0.0: whoever reaches it')
    group.add_argument('--port', type=int, default=8080, help='8080 by default; 0: any that is free')
    group.add_argument('--seconds', type=float, help='end after so long')


def run(options: argparse.Namespace) -> int:
    require('viser', 'view')
    if options.html is not None:
        ending(options.html, ('.html',))
        refuse_inputs(options, options.html)
    if options.live and options.html:
        raise Failure('--live shows a stream; leave out --html', exits.USAGE)
    if (options.live or options.html) and bool(options.live) == bool(options.motion):
        raise Failure('--html needs a MOTION, --live takes none', exits.USAGE)
    if not 0 <= options.port < 2**16:
        raise Failure(f'--port is {options.port}; give one from 1 to 65535, or 0 for any that is free', exits.USAGE)
    if options.seconds is not None and not options.seconds > 0:
        raise Failure(f'--seconds is {options.seconds:g}; give a number above 0', exits.USAGE)
    source, model = read_robot(options)
    if model.base == 'free':
        raise Failure('a free base is not shown; leave out --free-base', exits.USAGE)
    from hod_ros.scene.shapes import shapes_of
    shapes, problems = shapes_of(source.text, model, source.folder, options.shapes)
    if problems:
        more = f' (and {len(problems) - 1} more)' if len(problems) > 1 else ''
        print(f'{styled("warning", "yellow", sys.stderr)}: {problems[0]}{more}', file=sys.stderr)
    motion = None if options.motion is None else _motion(options, source, model)
    with contextlib.ExitStack() as stack:
        lines = stack.enter_context(_feed(options.live)) if options.live else None
        page = _page(model, shapes, options)
        stack.callback(page.close)
        shown = _shown(page, motion, lines, options)
        if options.html is not None:
            with whole_file(options.html) as file:
                file.write(shown.html().encode())
            print(f'{options.html}: {motion.times[-1]:.4g} s, {options.html.stat().st_size / 1e6:.1f} MB{_note(options)}')
            return exits.DONE
        print(f'{page.url} shows {model.name}{_note(options)}; Ctrl-C ends it', flush=True)
        with contextlib.suppress(KeyboardInterrupt):        # the way to end it
            shown.run(None if options.seconds is None else time.monotonic() + options.seconds)
        if options.live:
            print(f'{shown.updates} updates in {shown.watched:.1f} s')
    return exits.DONE


@contextlib.contextmanager
def _feed(node):
    """What a node streams, line by line, from a process of its own: this one has no rclpy."""
    if find_spec('rclpy') is None:
        raise Failure(
            '--live needs ROS 2: source /opt/ros/<distribution>/setup.bash and the workspace that holds hod_interfaces', exits.MISSING)
    process = subprocess.Popen(
        [sys.executable, '-m', 'hod_ros.ros.feed', node, str(FEED_RATE)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        yield process.stdout
    finally:
        process.terminate()
        process.wait()


def _page(model, shapes, options):
    from hod_ros.scene.page import Page
    try:
        return Page(model, shapes, options.host, 0 if options.html else options.port)
    except OSError as error:
        reason = error.strerror or error
        raise Failure(f'no server at {options.host}:{options.port}: {reason}; choose another --port', exits.OUTPUT) from None


def _shown(page, motion, lines, options):
    from hod_ros.scene.live import Live
    from hod_ros.scene.player import Player
    from hod_ros.scene.posture import Posture
    if lines is not None:
        limits = read_limits(options, page.model, None)
        return Live(page, lines, {name: limits.of(name, page.model.joint_names) for name in COLOURS}, options.colour)
    return Posture(page) if motion is None else Player(page, motion, options.colour)


def _note(options):
    """What is to be known of the motion that is shown."""
    note = getattr(options, 'note', '')
    return f'; {note}' if note else ''


def _motion(options, source, model):
    """The motion as it is shown."""
    import numpy as np

    from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
    from hod_ros.scene.player import Motion
    trajectory = read_motion(options, source, model)
    limits = read_limits(options, model, read_drives(options, source, model))
    samples = min(MOST_SAMPLES, max(2, int(trajectory.duration * SAMPLE_RATE) + 1))
    times = np.linspace(trajectory.start, trajectory.end, samples)
    q = trajectory.evaluate(times, 3)
    Q = inverse_dynamics(model, q)
    return Motion(
        times - times[0], q[:, 0], {'effort': Q[:, 0], 'effort_rate': Q[:, 1]},
        {name: limits.of(name, model.joint_names) for name in ('effort', 'effort_rate')})
