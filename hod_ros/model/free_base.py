# SPDX-License-Identifier: Apache-2.0
"""A free base as a joint of six axes (001, VI): the same robot, with a fixed base below."""

import numpy as np

from hod_ros.model import screws


def on_free_joint(model, pose):
    """The model whose first body is this model's free base, on a joint of six axes that starts from `pose` (4, 4).

    Its first six coordinates stand for the base: in row 0 the canonical coordinates of its motion away from `pose`,
    from row 1 on its body-fixed twist (angular, linear).
    """
    joint_names = (*(f'{model.base_link}/{k + 1}' for k in range(6)), *model.joint_names)
    return model.replace(
        base='fixed',
        joint_names=joint_names,
        bodies=(model.base_link, *model.bodies),
        joints=(model.base_link, *model.joints),
        parent=[-1, *(model.parent + 1)],
        coordinate=[*range(6), *(model.coordinate + 6)],
        multiplier=[*np.ones(6), *model.multiplier],
        offset=[*np.zeros(6), *model.offset],
        B=np.concatenate([pose[None], model.B]),
        X=np.concatenate([screws.free(), model.X]),
        M=np.concatenate([model.M_base[None], model.M]),
        M_base=np.zeros((6, 6)),
        screw_body=[*[0] * 6, *(model.screw_body + 1)],
        armature=[*np.zeros(6), *model.armature],
        links={link: (body + 1, place) for link, (body, place) in model.links.items()},
        base_link=f'below {model.base_link}',
        damping=None, friction=None, position_limits=None, velocity_limits=None, effort_limits=None,
    )
