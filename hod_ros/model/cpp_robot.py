# SPDX-License-Identifier: Apache-2.0
"""A model's constants for controllers in C++: as a header, or as bytes that hod::constants_in reads at run time."""

import re
import struct

from hod_ros.checks.arguments import shown
from hod_ros.errors import InputError
from hod_ros.kernel.compiled import NormalForm
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

VERSION = 1                     # hod::ROBOT_VERSION
LONGEST_NAME = 63               # bytes of UTF-8 in a hod::Name


def cpp_robot(model: RobotModel, name: str = 'robot') -> str:
    """A C++ header that defines `name`, the constants that a hod::Robot is made of.

    Raises InputError where name is no C++ identifier or the model has joints of several axes or other numbers than floats.

        >>> header = cpp_robot(model, name='panda')         # #include "panda.hpp";  hod::Robot robot(panda);
        >>> 'panda_joint1' in header
        True
    """
    if not isinstance(name, str) or not re.fullmatch(r'[A-Za-z_][A-Za-z0-9_]*', name):
        raise InputError(f'name is {shown(name)}; give a C++ identifier of ASCII letters, digits and underscores')
    numbers, parents, links = _constants(model)
    rows = ',\n'.join('    ' + ', '.join(map(repr, row.tolist())) for row in numbers)
    placed = ',\n'.join(f'    {{{_text(link)}, {body}, {{{", ".join(map(repr, pose.tolist()))}}}}}' for link, body, pose in links)
    moves = ', '.join(map(str, parents.ravel().tolist()))
    return f'''// The constants of {_text(model.name)[1:-1]} ({model.hash}), written by hod_ros.cpp_robot: not to be edited.
#pragma once

#include <hod/robot.hpp>

inline constexpr double {name}_numbers[] = {{
{rows}}};
inline constexpr double {name}_armature[] = {{{', '.join(map(repr, model.armature.tolist())) or '0.0'}}};
inline constexpr hod::Link {name}_links[] = {{
{placed}}};
inline constexpr hod::Name {name}_joint_names[] = {{{', '.join(map(_text, model.joint_names)) or '""'}}};
inline constexpr int {name}_parents[] = {{{moves}}};
inline constexpr hod::RobotConstants {name} = {{
    {VERSION}, {_text(model.name)}, "{model.hash}", {len(model.bodies)}, {model.n}, {len(links)}, {str(model.base == 'free').lower()},
    {{{', '.join(map(repr, model.gravity.tolist()))}}}, {name}_numbers, {name}_armature, {name}_links, {name}_joint_names, {name}_parents}};
'''


def robot_bytes(model: RobotModel) -> bytes:
    """The same as bytes with a version and the model's hash, for hod::constants_in.

    Raises InputError where the model has joints of several axes or other numbers than floats.

        >>> type(robot_bytes(model))
        <class 'bytes'>
    """
    numbers, parents, links = _constants(model)
    head = struct.pack(
        '<8s6i64s16s3d', b'hodrobot', VERSION, len(model.bodies), model.n, len(links), model.base == 'free', 0,
        model.name.encode()[:LONGEST_NAME], model.hash.encode(), *model.gravity)
    body = numbers.astype('<f8').tobytes() + model.armature.astype('<f8').tobytes()
    body += b''.join(struct.pack('<64sd12d', link.encode(), body, *pose) for link, body, pose in links)
    return head + body + b''.join(struct.pack('64s', joint.encode()) for joint in model.joint_names) + parents.astype('<i4').tobytes()


def _constants(model):
    """Numbers (N + 1, 37), parents (N + 1, 3) and [(link, body, pose (12,))] in normal form."""
    motions.robot_model(model)
    if model.exact or not model.single_axes:
        kind = 'exact numbers' if model.exact else 'joints of several axes'
        raise InputError(f'{model.name} has {kind}, which the C++ kernel does not know; give a model of floats and joints of one axis')
    for name in (*model.joint_names, *model.links):
        if len(name.encode()) > LONGEST_NAME or '\0' in name:
            raise InputError(f'the name {shown(name)} has more than {LONGEST_NAME} bytes, or a zero among them; give a shorter one')
    form = NormalForm(model)
    links = []
    for link, (body, pose) in model.links.items():
        slot, place = form.place(body, pose)
        links.append((link, slot, place))
    return *form.packed(model), links


def _text(name):
    """A name as a C++ string literal."""
    return '"' + ''.join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f'\\{byte:03o}' for byte in name.encode()) + '"'
