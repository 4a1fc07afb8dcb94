# SPDX-License-Identifier: Apache-2.0
"""What a setpoint comes to."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.setpoints.setpoint_reader import Columns


class Limited(NamedTuple):
    """Q within limits: a clipped one has one row. flags: (n,) of TorqueFeedforward, None where no joint has a limit.
    beyond: whether the motion exceeds a limit of position or velocity."""

    Q: NDArray[np.float64]
    flags: NDArray[np.uint8] | None = None
    clipped: bool = False
    beyond: bool = False


class Answer(NamedTuple):
    """To one setpoint, in the model's order."""

    q: NDArray[np.float64]          # (rows, n), the setpoint
    Q: NDArray[np.float64]          # (rows - 2, n), unlimited
    limited: Limited                # what is published of Q
    columns: Columns                # the setpoint's joints
    friction: NDArray[np.float64] | None = None     # (rows - 2, n) of the joints, that Q holds
