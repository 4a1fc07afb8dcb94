# SPDX-License-Identifier: Apache-2.0
"""A model's constants for controllers in C++: as a header, or as bytes that hod::constants_in reads at run time."""

import struct

import numpy as np

from hod_ros.actuators.compiled_drives import compiled_figures
from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.checks.arguments import shown
from hod_ros.errors import InputError
from hod_ros.kernel.compiled import NormalForm
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

VERSION = 3                     # hod::ROBOT_VERSION
LONGEST_NAME = 63               # bytes of UTF-8 in a hod::Name


def cpp_robot(model: RobotModel, name: str = 'robot', drives: Drives | None = None) -> str:
    """A C++ header that defines `name`, the constants that a hod::Robot is made of.

    drives: of its joints, as in motor_feedforward; without them the robot answers no motor feedforward.

    Raises InputError where name is no C++ identifier, the model has joints of several axes or other numbers than floats, or a drive is of a
    kind that C++ does not know.

        >>> header = cpp_robot(model, name='panda')         # #include "panda.hpp";  hod::Robot robot(panda);
        >>> 'panda_joint1' in header
        True
    """
    from hod_ros.cpp.header import header_of
    return header_of(Constants(model, drives), name)


def robot_bytes(model: RobotModel, drives: Drives | None = None) -> bytes:
    """The same as bytes with a version and the model's hash, for hod::constants_in.

    Raises InputError where the model has joints of several axes or other numbers than floats, or a drive is of a kind that C++ does not
    know.

        >>> type(robot_bytes(model))
        <class 'bytes'>
    """
    it = Constants(model, drives)
    head = struct.pack(
        '<8s8i64s16s3d', b'hodrobot', VERSION, len(model.bodies), model.n, len(it.links), model.base == 'free', len(it.motor_names),
        len(it.rotors), 0, model.name.encode()[:LONGEST_NAME], model.hash.encode(), *model.gravity)
    doubles = b''.join(array.astype('<f8').tobytes() for array in (it.numbers, model.armature, it.drives, it.motors, it.rotors))
    links = b''.join(struct.pack('<64sd12d', link.encode(), body, *pose) for link, body, pose in it.links)
    names = b''.join(struct.pack('64s', name.encode()) for name in (*model.joint_names, *it.motor_names))
    return head + doubles + links + names + it.parents.astype('<i4').tobytes()


class Constants:
    """What a hod::RobotConstants holds: numbers (N + 1, 37) and parents (N + 1, 3) in normal form, links, and the drives' figures."""

    def __init__(self, model: RobotModel, drives: Drives | None = None) -> None:
        motions.robot_model(model)
        if model.exact or not model.single_axes:
            kind = 'exact numbers' if model.exact else 'joints of several axes'
            raise InputError(f'{model.name} has {kind}, which the C++ kernel does not know; give a model of floats and joints of one axis')
        self.model = model
        self.drives = np.zeros((0, 13))
        self.motors = np.zeros((0, 8))
        self.rotors = np.zeros((0, 5))
        self.motor_names: tuple[str, ...] = ()
        if drives is not None:
            drives = prepared(model, drives)
            self.motor_names = drives.motor_names
            self.drives, self.motors, self.rotors = compiled_figures(drives)
        for name in (*model.joint_names, *model.links, *self.motor_names):
            if len(name.encode()) > LONGEST_NAME or '\0' in name:
                raise InputError(f'the name {shown(name)} has more than {LONGEST_NAME} bytes, or a zero among them; give a shorter one')
        form = NormalForm(model)
        self.numbers, self.parents = form.packed(model)
        self.links = [(link, *form.place(body, pose)) for link, (body, pose) in model.links.items()]
