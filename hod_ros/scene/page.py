# SPDX-License-Identifier: Apache-2.0
"""The page: viser's server on this machine alone, the robot in it, and beside it what its joints bear."""

import contextlib
import html
import io
import logging
import socket
from collections.abc import Sequence
from typing import Any

import numpy as np

from hod_ros.checks.types import Array
from hod_ros.model.robot_model import RobotModel
from hod_ros.scene.loads import COLOURS
from hod_ros.scene.loads import SHARES
from hod_ros.scene.loads import colours_of
from hod_ros.scene.robot_view import Poses
from hod_ros.scene.robot_view import RobotView
from hod_ros.scene.shapes import Shape

# Of lines, told apart by dashes too: Okabe and Ito's colours.
STROKES = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')
DASHES = ((), (8, 3), (2, 2), (8, 3, 2, 3), (14, 4), (4, 2, 2, 2, 2, 2), (20, 3))
UNITS = {'effort': 'N m', 'effort_rate': 'N m/s'}
SYMBOLS = {'effort': 'Q', 'effort_rate': "Q'"}
WORDS = {'effort': 'torque', 'effort_rate': 'torque rate'}


class Page:
    """A robot and a panel of controls; `quantity` says which of UNITS is shown as colour."""

    def __init__(self, model: RobotModel, shapes: Sequence[Shape], host: str = '127.0.0.1', port: int = 0) -> None:
        import viser
        any_port = free_port(host)      # OSError where this machine has no such address, for which viser would wait for ever
        logging.getLogger('websockets').setLevel(logging.CRITICAL)      # browsers open connections that they never use
        with contextlib.redirect_stdout(io.StringIO()):         # viser's banner
            self.server = viser.ViserServer(host=host, port=port or any_port, verbose=False)
        self.url = f'http://{"localhost" if host in ("127.0.0.1", "0.0.0.0") else host}:{self.server.get_port()}'
        self.model = model
        self.robot = RobotView(self.server, model, shapes)
        gui = self.server.gui
        gui.configure_theme(control_layout='collapsible', control_width='large', show_logo=False, show_share_button=False)
        gui.set_panel_label(model.name)
        self._quantity = gui.add_dropdown('colour', [WORDS[name] for name in UNITS])
        self._readout = gui.add_html('')
        self._set_stage(shapes)

    @property
    def quantity(self) -> str:
        return next(name for name, words in WORDS.items() if words == self._quantity.value)

    @property
    def watched(self) -> bool:
        """Whether a browser has the page open."""
        return bool(self.server.get_clients())

    def show(self, poses: Poses, sample: int, values: Array, scale: Array) -> None:
        """A sample of poses, the joints coloured by |values| / scale, (n,) each."""
        self.robot.show(poses, sample, colours_of(np.abs(values) / scale))

    def tell(self, q: Array, values: dict[str, Array], scales: dict[str, Array], limited: bool, what: str = '') -> None:
        """The table: positions (n,) and what the joints bear, by quantity."""
        shown = self.quantity
        shares = np.abs(values[shown]) / scales[shown]
        head = ''.join(f'<th>{SYMBOLS[name]} [{UNITS[name]}]</th>' for name in values)
        rows = ''.join(
            f'<tr><td style="text-align:left">{html.escape(joint)}</td><td>{q[j]:.3f}</td>'
            + ''.join(f'<td>{values[name][j]:.2f}</td>' for name in values)
            + f'<td style="background:{_css(colours_of(shares[j]))}">{100 * shares[j]:.0f} %</td></tr>'
            for j, joint in enumerate(self.model.joint_names))
        of = 'limit' if limited else 'largest'
        self._readout.content = (
            f'<div style="font-size:0.8em;padding:0 1em"><p>{html.escape(what)}</p>{_legend(of)}'
            f'<table style="width:100%;text-align:right"><tr><th style="text-align:left">joint</th><th>q</th>{head}<th>of {of}</th></tr>'
            f'{rows}</table></div>')

    def add_plot(self, quantity: str, span: tuple[float, float], largest: float, title: str) -> Any:
        """A chart of all joints over time; data as uPlot has it: times, then a row for each joint."""
        names = self.model.joint_names
        series = ({'label': 't [s]'}, *(
            {'label': name, 'stroke': STROKES[j % 7], 'dash': DASHES[j % 7], 'width': 1.5} for j, name in enumerate(names)))
        bound = 1.05 * largest or 1.0
        return self.server.gui.add_uplot(
            data=tuple(np.zeros(1) for _ in range(len(names) + 1)), series=series, title=title, height=230, aspect=1.6,
            scales={'x': {'time': False, 'auto': False, 'range': span}, 'y': {'auto': False, 'range': (-bound, bound)}},
            legend={'show': len(names) <= 8})

    def close(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()

    def _set_stage(self, shapes):
        """Camera and floor, by the size of the robot."""
        points = np.concatenate([shape.vertices for shape in shapes if shape.body < 0] or [np.zeros((1, 3))])
        reach = max(self._reach(), 0.1)
        scene = self.server.scene
        scene.set_up_direction('+z')
        scene.add_grid(
            '/floor', width=4 * reach, height=4 * reach, cell_size=reach / 5, section_size=reach, position=(0, 0, points[:, 2].min()))
        camera = self.server.initial_camera
        camera.position, camera.look_at, camera.up = (1.15 * reach, -1.15 * reach, 0.95 * reach), (0, 0, 0.4 * reach), (0, 0, 1)
        camera.fov = 0.85

    def _reach(self):
        poses = Poses(self.model, np.zeros((1, self.model.n)))
        return float(np.linalg.norm(poses.positions[0], axis=-1).max(initial=0.0)) * 1.1


def free_port(host: str) -> int:
    """A port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _css(colour):
    return f'rgb({",".join(str(int(c)) for c in colour)})'


def _legend(of):
    stops = ', '.join(f'{_css(colour)} {100 * share / SHARES[-1]:.0f}%' for share, colour in zip(SHARES, COLOURS, strict=True))
    return (f'<div style="height:0.7em;background:linear-gradient(to right, {stops})"></div>'
            f'<div style="display:flex;justify-content:space-between"><span>0</span><span>{of}</span><span>130 %</span></div>')
