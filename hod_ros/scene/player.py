# SPDX-License-Identifier: Apache-2.0
"""A motion on the page: it plays, and a slider leads to any time of it."""

import time
from dataclasses import dataclass

import numpy as np

from hod_ros.checks.types import Array
from hod_ros.scene.loads import scale_of
from hod_ros.scene.page import SYMBOLS
from hod_ros.scene.page import UNITS
from hod_ros.scene.page import WORDS
from hod_ros.scene.page import Page
from hod_ros.scene.robot_view import Poses

RATE = 30.0             # [Hz] of what is shown
TABLE_RATE = 6.0        # [Hz] of tables and plots
_PLOTTED = 400          # points


@dataclass(frozen=True, eq=False)
class Motion:
    """A sampled motion and what it asks of the joints."""

    times: Array                            # (samples,) [s] from 0
    q: Array                                # (samples, n)
    values: dict[str, Array]                # (samples, n) of each quantity
    limits: dict[str, 'Array | None']       # (n,) of each quantity


class Player:
    def __init__(self, page: Page, motion: Motion, quantity: str = 'effort') -> None:
        self._page, self._motion = page, motion
        self._poses = Poses(page.model, motion.q)
        self._scales = {name: scale_of(values, motion.limits[name]) for name, values in motion.values.items()}
        self._limited = {name: motion.limits[name] is not None and np.isfinite(motion.limits[name]).any() for name in motion.values}
        self._end = float(motion.times[-1])
        gui = page.server.gui
        page._quantity.value = WORDS[quantity]
        self._plays = gui.add_checkbox('play', True)
        self._speed = gui.add_dropdown('speed', ['1', '0.5', '0.25', '0.1', '2'])
        self._slider = gui.add_slider('time [s]', 0.0, self._end, max(round(self._end / 1000, 4), 1e-4), 0.0)
        self._plots = {
            name: page.add_plot(name, (0.0, self._end), float(np.abs(values).max()), f'{SYMBOLS[name]} [{UNITS[name]}]')
            for name, values in motion.values.items()}
        self._told = -np.inf

    def show(self, t: float) -> None:
        """The robot at a time of the motion."""
        sample = self._sample(t)
        name = self._page.quantity
        self._page.show(self._poses, sample, self._motion.values[name][sample], self._scales[name])

    def tell(self, t: float) -> None:
        """Table and plots at a time of the motion."""
        sample = self._sample(t)
        motion = self._motion
        self._page.tell(
            motion.q[sample], {name: values[sample] for name, values in motion.values.items()}, self._scales,
            self._limited[self._page.quantity], f't = {t:.2f} s')
        until = slice(0, sample + 1, max(1, len(motion.times) // _PLOTTED))
        for name, plot in self._plots.items():
            plot.data = (motion.times[until], *motion.values[name][until].T)

    def run(self, until: float | None = None) -> None:
        """Plays until a time of the steady clock, or for ever."""
        last = time.monotonic()
        while until is None or last < until:
            now = time.monotonic()
            if self._plays.value and self._page.watched:
                self._slider.value = (self._slider.value + (now - last) * float(self._speed.value)) % self._end
            t = float(self._slider.value)
            if self._page.watched:
                self.show(t)
                if now - self._told > 1 / TABLE_RATE:
                    self.tell(t)
                    self._told = now
            last = now
            time.sleep(max(0.0, now + 1 / RATE - time.monotonic()))

    def html(self) -> str:
        """A page of the motion that needs no server."""
        recording = self._page.server.get_scene_serializer()
        step = 1 / RATE
        for t in np.arange(0.0, self._end + step / 2, step):
            self.show(min(t, self._end))
            recording.insert_sleep(step)
        return recording.as_html()

    def _sample(self, t):
        return int(np.clip(np.searchsorted(self._motion.times, t), 0, len(self._motion.times) - 1))
