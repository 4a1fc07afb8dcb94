# SPDX-License-Identifier: Apache-2.0
"""Whether a measured recording is in the units that commands ask for, as far as it and the description tell."""

from pathlib import Path
from typing import TYPE_CHECKING

from hod_ros.command.exits import Failure
from hod_ros.command.motions import refuse_other_units

if TYPE_CHECKING:
    from hod_ros.model.robot_model import RobotModel
    from hod_ros.recordings.samples import Samples


def refuse_wrong_units(model: 'RobotModel', samples: 'Samples', path: Path) -> None:
    """Ends the command where positions are in degrees or millimetres, or times in anything but seconds."""
    from hod_ros.recordings.contradictions import refuse_wrong_times
    from hod_ros.recordings.speeds import refuse_too_fast
    from hod_ros.recordings.speeds import share_of_limits
    from hod_ros.recordings.speeds import slow_text
    refuse_other_units(model, samples.q[:, 0], path)
    times = (samples.stamps - samples.stamps[0]) * 1e-9
    if samples.q.shape[1] > 1:
        refuse_wrong_times(times, samples.q, samples.joint_names, str(path))
    refuse_too_fast(model, times, samples.q[:, 0], str(path))
    slow = slow_text(share_of_limits(model, times, samples.q[:, 0]), str(path))
    if slow:
        raise Failure(slow)
