"""~/commands for an effort controller: the efforts of each setpoint, and what is sent while there are none.

Such a controller holds its last command for ever, so that an end of setpoints must end in a command that is safe to hold.
"""

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.lifecycle import LifecyclePublisher
from std_msgs.msg import Float64MultiArray

from hod_ros.errors import HodError
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.setpoints.computation import Computation
from hod_ros.ros.setpoints.freshness import Freshness

PERIOD = 0.01       # [s] between two looks at the age of setpoints, and between two commands while they are stale
MEANING = {'gravity': 'the gravity torque of the last position', 'zero': 'zero', 'stop': 'nothing'}


class Commands:
    """By the parameters command_joints and on_timeout. Everything that ~/commands ever carries goes through `_publish`."""

    def __init__(
            self, publisher: LifecyclePublisher, parameters: Mapping[str, Any], freshness: Freshness, logger: RcutilsLogger) -> None:
        self._publisher = publisher
        self._parameters = parameters
        self._freshness = freshness
        self._logger = logger
        self._message = Float64MultiArray()
        self._computation: Computation | None = None
        self._columns: list[int] | slice = slice(None)
        self._positions: NDArray[np.float64] | None = None      # of the last setpoint, in the order of the model that holds them:
        self._holding: tuple[Computation | None, list[int] | slice] = None, slice(None)
        self.published = 0
        self.fallbacks = 0

    def use(self, computation: Computation) -> None:
        """Computes with this from now on. Where its joints are others, those of the last setpoint are held until the next one."""
        names = computation.model.joint_names
        self._computation = computation
        joints = self._parameters['command_joints']         # the controller's, in its order; empty: the model's
        self._columns = [names.index(joint) for joint in joints] if joints else slice(None)
        holding = self._holding[0]
        if holding is not None and holding.model.joint_names == names:
            self._holding = computation, self._columns

    def forget(self) -> None:
        """Nothing is sent before the next setpoint."""
        self._positions = None

    def send(self, positions: NDArray[np.float64], efforts: NDArray[np.float64]) -> None:
        """The efforts (n,) of a setpoint with these positions (n,), both in the model's order."""
        self._positions = positions
        self._holding = self._computation, self._columns
        self._publish(efforts, self._columns)
        self.published += 1

    def fall_back(self) -> None:
        """What is safe to hold in place of a setpoint, as on_timeout says. Nothing where no setpoint has come yet."""
        how = self._parameters['on_timeout']
        if how == 'stop' or self._positions is None:
            return
        self._publish(self._holding_efforts() if how == 'gravity' else np.zeros(len(self._positions)), self._holding[1])
        self.fallbacks += 1

    def _holding_efforts(self):
        try:
            return self._holding[0].holding_efforts(self._positions)
        except HodError as error:
            self._logger.error(f'~/commands carries zero: {error}', **ONCE_A_SECOND)
            return np.zeros(len(self._positions))

    def _publish(self, efforts, columns):
        self._message.data = array('d', efforts[columns].tobytes())
        self._publisher.publish(self._message)

    def status(self) -> Status:
        how = self._parameters['on_timeout']
        values = {'published': self.published, 'published while stale': self.fallbacks, 'on_timeout': how}
        if not self._publisher.is_activated:
            return Status('commands', OK, 'none: the node is inactive', values)
        if self._freshness.stale:
            return Status('commands', WARN, f'stale setpoints: {MEANING[how]}', values)
        return Status('commands', OK, 'efforts of setpoints', values)
