# SPDX-License-Identifier: Apache-2.0
"""A robot at rest on the page: a slider for each joint, coloured by the torque that gravity asks."""

import time

import numpy as np

from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.scene.loads import scale_of
from hod_ros.scene.page import Page
from hod_ros.scene.player import RATE
from hod_ros.scene.robot_view import Poses


class Posture:
    def __init__(self, page: Page) -> None:
        model = page.model
        self._page = page
        low, high = np.clip(np.asarray(model.position_limits).T, -np.pi, np.pi)
        start = np.clip(np.zeros(model.n), low, high)
        self._sliders = [
            page.server.gui.add_slider(name, float(low[j]), float(max(high[j], low[j] + 1e-3)), 1e-3, float(start[j]))
            for j, name in enumerate(model.joint_names)]
        self._limits = np.where(model.effort_limits > 0, model.effort_limits, np.inf)
        self._shown = None

    def show(self) -> None:
        """The robot as the sliders have it."""
        q = np.array([slider.value for slider in self._sliders])
        if self._shown is not None and np.array_equal(q, self._shown):
            return
        Q = inverse_dynamics(self._page.model, np.stack([q, np.zeros_like(q), np.zeros_like(q)]))[0]
        scale = scale_of(Q[None], self._limits)
        self._page.show(Poses(self._page.model, q[None]), 0, Q, scale)
        values = {'effort': Q, 'effort_rate': np.zeros_like(Q)}
        self._page.tell(q, values, dict.fromkeys(values, scale), bool(np.isfinite(self._limits).any()), 'at rest, under gravity')
        self._shown = q

    def run(self, until: float | None = None) -> None:
        """Follows the sliders until a time of the steady clock, or for ever."""
        while until is None or time.monotonic() < until:
            self.show()
            time.sleep(1 / RATE)
