# SPDX-License-Identifier: Apache-2.0
"""A stream on the page: the robot as it is commanded, what its joints bear, and the last seconds of that as plots."""

import json
import threading
import time
from collections import deque
from collections.abc import Iterable

import numpy as np

from hod_ros.checks.types import Array
from hod_ros.scene.loads import scale_of
from hod_ros.scene.page import SYMBOLS
from hod_ros.scene.page import UNITS
from hod_ros.scene.page import WORDS
from hod_ros.scene.page import Page
from hod_ros.scene.player import RATE
from hod_ros.scene.robot_view import Poses

WINDOW = 10.0           # [s] that the plots show
TABLE_RATE = 2.0        # [Hz] of table and plots, which cost more than the robot
_STALE = 1.0            # [s] without a message, after which that is said


class Live:
    """lines: a JSON document each: positions, effort, effort_rate by joint name, time [s]."""

    def __init__(self, page: Page, lines: Iterable[str], limits: dict[str, 'Array | None'], quantity: str = 'effort') -> None:
        self._page, self._limits = page, limits
        model = page.model
        page._quantity.value = WORDS[quantity]
        self._columns = {name: j for j, name in enumerate(model.joint_names)}
        self._q = np.zeros(model.n)
        self._values = {name: np.zeros(model.n) for name in UNITS}
        self._largest = {name: np.zeros(model.n) for name in UNITS}
        self._past: deque = deque(maxlen=int(WINDOW * RATE))
        self._plots = {
            name: page.add_plot(name, (-WINDOW, 0.0), 1.0, f'{SYMBOLS[name]} [{UNITS[name]}], the last {WINDOW:g} s') for name in UNITS}
        self.updates = 0
        self.watched = 0.0          # [s] that the updates took place in
        self._newest: deque = deque(maxlen=1)
        self._came = threading.Event()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def _read(self, lines):
        for line in lines:
            self._newest.append((time.monotonic(), json.loads(line)))
            self._came.set()

    def run(self, until: float | None = None) -> None:
        """Shows what comes until a time of the steady clock, or for ever."""
        told, came = -np.inf, time.monotonic()
        began = came
        while until is None or time.monotonic() < until:
            now = time.monotonic()
            if self._newest:
                came, message = self._newest.pop()
                self._take(message, came)
                if self._page.watched:
                    self._show()
                    began = came if self.updates == 1 else began
                    self.watched = came - began
            if self._page.watched and now - told > 1 / TABLE_RATE:
                self._tell(now - came)
                told = now
            self._came.wait(1 / TABLE_RATE)
            self._came.clear()

    def _take(self, message, came):
        for joint, value in message.get('positions', {}).items():
            if joint in self._columns:
                self._q[self._columns[joint]] = value
        for name, values in self._values.items():
            for joint, value in message.get(name, {}).items():
                if joint in self._columns:
                    values[self._columns[joint]] = value
            self._largest[name] = np.maximum(self._largest[name], np.abs(values))
        self._past.append((came, {name: values.copy() for name, values in self._values.items()}))

    def _scale(self, name):
        return scale_of(self._largest[name][None], self._limits[name])

    def _show(self):
        name = self._page.quantity
        self._page.show(Poses(self._page.model, self._q[None]), 0, self._values[name], self._scale(name))
        self.updates += 1

    def _tell(self, age):
        limit = self._limits[self._page.quantity]
        limited = limit is not None and bool(np.isfinite(limit).any())
        scales = {name: self._scale(name) for name in self._values}
        self._page.tell(self._q, self._values, scales, limited, 'live' if age < _STALE else f'nothing came for {age:.0f} s')
        if len(self._past) < 2:
            return
        times = np.array([came for came, _ in self._past]) - self._past[-1][0]
        for name, plot in self._plots.items():
            rows = np.array([values[name] for _, values in self._past])
            plot.data = (times, *rows.T)
            bound = float(1.05 * self._largest[name].max() or 1.0)
            plot.scales = {**plot.scales, 'y': {'auto': False, 'range': (-bound, bound)}}
