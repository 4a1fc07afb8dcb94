# SPDX-License-Identifier: Apache-2.0
"""From arrays to the TorqueFeedforward message that answers a setpoint."""

from array import array

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_ros.ros.setpoints.answer import Limited
from hod_ros.ros.setpoints.setpoint_reader import Columns


class FeedforwardWriter:
    """Fills a TorqueFeedforward message; one message is used again and again."""

    def __init__(self, message: TorqueFeedforward) -> None:
        self.message = message
        self._empty = array('d')
        self._no_flags = array('B')

    def write(self, setpoint: JointSetpoint, limited: Limited, columns: Columns) -> TorqueFeedforward:
        """The message that answers this setpoint with what is Limited, in the model's order."""
        Q, flags, clipped, _ = limited
        if columns.to_message is not None:
            Q = Q.take(columns.to_message, axis=1)
            flags = None if flags is None else flags.take(columns.to_message)
        data = array('d', Q.tobytes())
        n = len(columns.names)
        message = self.message
        message.header = setpoint.header
        message.joint_names = columns.names
        message.efforts = data[:n]
        message.effort_rates = data[n:2 * n]
        message.effort_accelerations = data[2 * n:3 * n]
        message.higher = data[3 * n:] if len(data) > 3 * n else self._empty
        message.limit_flags = self._no_flags if flags is None else array('B', flags.tobytes())
        message.clipped = clipped
        return message
