# SPDX-License-Identifier: Apache-2.0
"""A stream starts where the robot is, and goes on no faster than its joints can move."""

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.guards.record import Record

SLACK = 0.01            # [s] of motion at full speed that a stream may be ahead: planners jitter by so much
SPARE = 0.05            # [s] of motion at full speed that a stream which was slower may make up for, as after a planner's pause
MOST_AHEAD = 0.1        # [s] by which the times that setpoints tell may have gone on more than their arrivals


class Continuity:
    """velocity (n,): limits, inf where there is none. tolerance [rad] or [m]: how far from the robot a stream may start."""

    def __init__(self, joint_names: tuple[str, ...], velocity: NDArray[np.float64], tolerance: float) -> None:
        self.start = Record('start')
        self.reach = Record('reach')
        self._names = joint_names
        self.use(velocity, tolerance)
        self.begin()

    def use(self, velocity: NDArray[np.float64], tolerance: float) -> None:
        """From now on. What a stream is ahead is not forgotten."""
        self.tolerance = tolerance
        self._slowness = 1.0 / velocity         # [s/rad]
        self.reach.off = '' if self._slowness.any() else 'no joint has a velocity limit'

    def begin(self) -> None:
        """What comes next is a stream's second setpoint."""
        self._ahead = np.zeros(len(self._names))        # [s] of motion at full speed by which each joint is ahead; negative: spare
        self._rested = False                            # whether all have all that they can spare
        self._lead = 0.0                                # [s] by which the times that setpoints tell are ahead of their arrivals

    def start_fault(self, positions: NDArray[np.float64], robot: NDArray[np.float64], where: str) -> str:
        """Why no stream may start with these positions while the robot is there, or ''; where: 'measured', for example."""
        distances = np.abs(positions - robot)
        joint = int(np.argmax(distances))
        if distances[joint] <= self.tolerance:
            return ''
        return (f'a stream would start with joint {self._names[joint]!r} at {positions[joint]:.4g}, but it is at {robot[joint]:.4g} '
                f'({where}); start within {self.tolerance:g} of where the robot is')

    def reach_fault(
            self, positions: NDArray[np.float64], last: NDArray[np.float64], arrived: float, told: float = 0.0) -> str:
        """Why these positions can't be reached from the last setpoint's, or ''.

        arrived, told: time [s] between the arrivals of both, and between the times that they tell, which is right in a burst.
        """
        elapsed = max(arrived, min(told, arrived + MOST_AHEAD - self._lead))
        self._lead = max(0.0, self._lead + min(max(told, 0.0), elapsed) - arrived)
        times = (positions - last) * self._slowness
        if self._rested and times @ times <= elapsed * elapsed:
            return ''
        times = np.abs(times)
        ahead = self._ahead = np.maximum(self._ahead + times - elapsed, -SPARE)
        joint = int(ahead.argmax())
        self._rested = ahead[joint] == -SPARE
        if ahead[joint] <= SLACK and times.max() <= elapsed + SLACK:
            return ''
        if ahead[joint] <= SLACK:
            joint = int(times.argmax())
        name, limit, place = self._names[joint], 1.0 / self._slowness[joint], positions[joint]
        if times[joint] > elapsed + SLACK:
            return (f'a setpoint jumps with joint {name!r} from {last[joint]:.4g} to {place:.4g} in {elapsed:.4g} s; its velocity limit is '
                    f'{limit:.4g}')
        return (f'setpoints move joint {name!r} faster than its velocity limit {limit:.4g}, the last by {place - last[joint]:.4g} in '
                f'{elapsed:.4g} s')
