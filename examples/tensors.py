# SPDX-License-Identifier: Apache-2.0
"""A reading of inertia data that some published figures rest on."""

import numpy as np

from hod_ros import RobotModel


def tensors_taken_about_link_frames(model: RobotModel) -> RobotModel:
    """The model whose tensors about the centres of mass are taken as if about the link frames: without Steiner's
    terms."""
    M = np.array(model.M)
    for inertia in M:
        if inertia[3, 3] > 0:
            moment = inertia[:3, 3:]                    # mass times [center of mass]x
            inertia[:3, :3] += moment @ moment / inertia[3, 3]
    return model.replace(M=M)
