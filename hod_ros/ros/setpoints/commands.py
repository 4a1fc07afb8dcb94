"""~/commands for an effort controller: the efforts of each setpoint, and what is sent while there are none.

Such a controller holds its last command for ever, so that an end of setpoints must end in a command that is safe to hold.
"""

from array import array

import numpy as np
from std_msgs.msg import Float64MultiArray

PERIOD = 0.01       # [s] between two looks at the age of setpoints, and between two commands while they are stale
MEANING = {'gravity': 'the gravity torque of the last position', 'zero': 'zero', 'stop': 'nothing'}


class Commands:

    def __init__(self, publisher, joints):
        self._publisher = publisher
        self._joints = joints           # the controller's, in its order; empty: the model's
        self._message = Float64MultiArray()
        self._computation = None
        self._columns = None
        self._positions = None          # of the last setpoint, in the model's order
        self.published = 0
        self.fallbacks = 0

    def use(self, computation):
        """Computes with this from now on. Positions of other joints than its own are forgotten."""
        names = computation.model.joint_names
        if self._computation is not None and names != self._computation.model.joint_names:
            self._positions = None
        self._computation = computation
        self._columns = [names.index(joint) for joint in self._joints] if self._joints else slice(None)

    def forget(self):
        self._positions = None

    def send(self, positions, efforts):
        """The efforts (n,) of a setpoint with these positions (n,), both in the model's order."""
        self._positions = positions
        self._publish(efforts)
        self.published += 1

    def fall_back(self, how):
        """What is safe to hold in place of a setpoint: 'gravity', 'zero' or 'stop'. Nothing where no setpoint has come yet."""
        if how == 'stop' or self._positions is None:
            return
        if how == 'zero':
            efforts = np.zeros(len(self._positions))
        else:
            efforts = self._computation.holding_efforts(self._positions)
        self._publish(efforts)
        self.fallbacks += 1

    def _publish(self, efforts):
        self._message.data = array('d', efforts[self._columns].tobytes())
        self._publisher.publish(self._message)
