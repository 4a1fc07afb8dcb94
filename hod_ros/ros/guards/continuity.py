# SPDX-License-Identifier: Apache-2.0
"""A stream starts where the robot is, and goes on no faster than its joints can move."""

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.guards.rate_limiter import within
from hod_ros.ros.guards.record import Record

SLACK = 0.01            # [s] of motion at full speed that a setpoint may be ahead: planners jitter by so much


class Continuity:
    """velocity (n,): limits, inf where there is none. tolerance [rad] or [m]: how far from the robot a stream may start."""

    def __init__(self, joint_names: tuple[str, ...], velocity: NDArray[np.float64], tolerance: float) -> None:
        self.start = Record('start')
        self.reach = Record('reach')
        self.tolerance = tolerance
        self._names = joint_names
        self._slowness = 1.0 / velocity         # [s/rad]
        if not self._slowness.any():
            self.reach.off = 'no joint has a velocity limit'

    def start_fault(self, positions: NDArray[np.float64], robot: NDArray[np.float64], where: str) -> str:
        """Why no stream may start with these positions while the robot is there, or ''; where: 'measured', for example."""
        distances = np.abs(positions - robot)
        joint = int(np.argmax(distances))
        if distances[joint] <= self.tolerance:
            return ''
        return (f'a stream would start with joint {self._names[joint]!r} at {positions[joint]:.4g}, but it is at {robot[joint]:.4g} '
                f'({where}); start within {self.tolerance:g} of where the robot is')

    def reach_fault(self, positions: NDArray[np.float64], last: NDArray[np.float64], elapsed: float) -> str:
        """Why these positions can't be reached from the last setpoint's within this time [s], or ''."""
        times = (positions - last) * self._slowness
        if within(times, elapsed + SLACK):
            return ''
        joint = int(np.argmax(np.abs(times)))
        return (f'a setpoint jumps with joint {self._names[joint]!r} from {last[joint]:.4g} to {positions[joint]:.4g} in {elapsed:.4g} s; '
                f'its velocity limit is {1 / self._slowness[joint]:.4g}')
