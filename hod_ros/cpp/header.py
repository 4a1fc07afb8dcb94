# SPDX-License-Identifier: Apache-2.0
"""A robot's constants as a C++ header, in which each distinct rotation, place, inertia and row of a drive's figures stands once."""

import numpy as np

from hod_ros.checks.arguments import shown
from hod_ros.cpp.constants import VERSION
from hod_ros.cpp.constants import Constants
from hod_ros.cpp.identifiers import is_free
from hod_ros.errors import InputError


def header_of(
        constants: Constants, name: str, includes: tuple[str, ...] = ('<hod/robot.hpp>',), scalar: str = 'double', **lists: str) -> str:
    """As cpp_robot, of Constants; `scalar` is the type of all numbers. joint_names, motor_names: what stands in place of these lists."""
    if not is_free(name):
        raise InputError(
            f'name is {shown(name)}; give a C++ identifier of ASCII letters, digits and single underscores between them, which C++ leaves '
            'free')
    model = constants.model
    n, motors, rotors = model.n, len(constants.motor_names), len(constants.rotors)
    names = {'joint_names': names_of(model.joint_names), 'motor_names': names_of(constants.motor_names), **lists}

    def numbers(array):
        return _without_last_zeros([number_text(value, scalar) for value in np.ravel(array)])

    def table(kind, what, text, size):
        return f'inline constexpr {kind} {name}_{what}[{size}] = {{{text}}};\n' if size else ''

    def names_table(what, size):
        return f'inline constexpr hod::Name {name}_{what}[] = {names[what]};\n' if size else ''

    def rows_table(kind, what, rows, columns, between):
        rows = between.join(f'{{{row}}}' for row in rows)
        return f'inline constexpr {kind} {name}_{what}[][{columns}] = {{\n{rows}}};\n'

    def distinct(what, rows):
        return rows_table(scalar, what, map(numbers, rows), rows.shape[1], ',\n')

    def whole(what, which, *tables):
        tables = ', '.join(f'{name}_{table}' for table in tables)
        return (rows_table('int', f'{what}_rows', (_without_last_zeros(map(str, row)) for row in which), which.shape[1], ',')
                + f'inline constexpr auto {name}_{what} = hod::rows_of({name}_{what}_rows, {tables});\n')

    def figures(what, rows, *ends):
        """Rows in parts that end before the given columns, each distinct part once."""
        parts = [Distinct(part) for part in np.split(rows, ends, axis=1)] if len(rows) else []
        tables = [f'{what}_{i}' for i in range(len(parts))]
        which = np.array([part.which for part in parts]).T
        written = [distinct(table, part.rows) for table, part in zip(tables, parts, strict=True)]
        return ''.join([*written, whole(what, which, *tables)]) if parts else ''

    def place(what, size=1, member=''):
        return f'{name}_{what}{member}' if size else 'nullptr'

    bodies, poses = constants.numbers, np.array([pose for _, _, pose in constants.links])
    rotations = Distinct(np.eye(3).reshape(1, 9), bodies[:, :9], bodies[:, 25:34], poses[:, :9])
    places = Distinct(np.zeros((1, 3)), bodies[:, 9:12], bodies[:, 34:], poses[:, 9:])
    inertias, joints = Distinct(bodies[:, 12:22]), Distinct(bodies[:, 22:25])
    (_, own_turn, frame_turn, link_turn), (_, own_place, frame_place, link_place) = rotations.parts, places.parts
    links = ',\n'.join(
        f'{{{_without_last_zeros([_text(link), str(body), str(turn), str(at)])}}}'
        for (link, body, _), turn, at in zip(constants.links, link_turn, link_place, strict=True))
    return f'''// The constants of {_text(model.name)[1:-1]} ({model.hash}), written by hod_ros.cpp_robot: not to be edited.
#pragma once

{''.join(f'#include {header}' + chr(10) for header in includes)}
// Each distinct one once: rotations, places; mass, first and second moments; pitch, multiplier, offset. Bodies and links name theirs
// by their numbers; zeros at an end are left out.
''' + ''.join([
        distinct('rotations', rotations.rows), distinct('places', places.rows), distinct('inertias', inertias.rows),
        distinct('joints', joints.rows),
        whole('numbers', np.stack([own_turn, own_place, inertias.which, joints.which, frame_turn, frame_place], axis=-1),
              'rotations', 'places', 'inertias', 'joints', 'rotations', 'places'),
        table('hod::LinkAt', 'link_places', '\n' + links, len(poses)),
        f'inline constexpr auto {name}_links = hod::links_of({name}_link_places, {name}_rotations, {name}_places);\n',
        table(scalar, 'armature', numbers(model.armature), n),
        table('int', 'parents', ','.join(map(str, constants.parents.ravel().tolist())), constants.parents.size),
        names_table('joint_names', n),
        figures('drives', constants.drives, 1, 3), figures('motors', constants.motors, 2, 3), figures('rotors', constants.rotors, 1, 4),
        names_table('motor_names', motors and constants.motor_names != model.joint_names),
    ]) + f'''inline constexpr hod::RobotConstants {name} = {{
    {VERSION}, {_text(model.name)}, "{model.hash}", {len(model.bodies)}, {n}, {len(constants.links)}, {str(model.base == 'free').lower()},
    {{{numbers(model.gravity)}}}, {name}_numbers.of, {place('armature', n)}, {name}_links.of, {place('joint_names', n)}, {name}_parents,
    {motors}, {place('drives', motors, '.of')}, {place('motors', motors, '.of')}, {place('rotors', rotors, '.of')},
    {place('joint_names' if constants.motor_names == model.joint_names else 'motor_names', motors)}}};
'''


class Distinct:
    """The distinct rows of arrays, in the order of their first appearance; which of them each row is, in all and in parts by array."""

    def __init__(self, *arrays: np.ndarray) -> None:
        every = np.concatenate(arrays) + 0.0            # no -0
        _, first, which = np.unique(every, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        self.rows = every[first[order]]
        self.which = np.argsort(order)[which.ravel()]
        self.parts = np.split(self.which, np.cumsum([len(array) for array in arrays])[:-1])


def names_of(names: tuple[str, ...]) -> str:
    """Names as a C initialiser; of none an empty one."""
    return '{' + (','.join(map(_text, names)) or '""') + '}'


def _without_last_zeros(texts):
    texts = list(texts)
    while texts and texts[-1] == '0':
        texts.pop()
    return ','.join(texts)


def number_text(value: float, scalar: str = 'double') -> str:
    """The shortest text of a number that reads back as it."""
    if scalar == 'float':
        if abs(value) > np.finfo(np.float32).max:
            raise InputError(f'the robot or its drives have the figure {value:g}, which is beyond the range of float; export to double')
        value = np.float32(value)
        text = np.format_float_scientific(value, unique=True, trim='-') if value and not 1e-3 < abs(value) < 1e6 else str(value)
        return text.removesuffix('.0') if '.' not in text.removesuffix('.0') and 'e' not in text else text + 'f'
    return repr(float(value)).removesuffix('.0')


def _text(name):
    """A name as a C++ string literal."""
    return '"' + ''.join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f'\\{byte:03o}' for byte in name.encode()) + '"'
