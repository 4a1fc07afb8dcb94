# SPDX-License-Identifier: Apache-2.0
"""Drives from plain figures: what parameter files and robot descriptions hold.

A drive is a mapping with `type` and the figures of that type by the names of its class; the springs of an antagonistic pair are given
as `spring` (their kind) and the spring's own figures, each one number for both or two.
"""

from collections.abc import Mapping
from dataclasses import MISSING
from dataclasses import fields
from typing import Any

from hod_ros.actuators import drives
from hod_ros.actuators.springs import SPRINGS
from hod_ros.checks.arguments import names
from hod_ros.checks.arguments import shown
from hod_ros.errors import HodError
from hod_ros.errors import InputError

TYPES = {
    'rigid': drives.Rigid,
    'series_elastic': drives.SeriesElastic,
    'hardening': drives.HardeningSpring,
    'adjustable': drives.AdjustableStiffness,
    'antagonistic': drives.Antagonistic,
}
def figures_of(kind: str) -> tuple[str, ...]:
    """Names of the figures that a type of drive takes, beside `type`."""
    of_motors = [field.name for field in fields(drives.Motor)]
    names = [field.name for field in fields(TYPES[kind]) if field.name not in of_motors] + of_motors
    if kind == 'antagonistic':
        names += sorted({field.name for spring in SPRINGS.values() for field in fields(spring)})
    return tuple(names)


def unit_of(figure: str) -> str:
    """What a figure is, with its unit, for a description; InputError where no drive has it."""
    known = {'type': f'one of {", ".join(TYPES)}', 'spring': f'of an antagonistic pair, one of {", ".join(SPRINGS)}'}
    known |= {field.name: field.metadata['unit'] for kind in (*SPRINGS.values(), *TYPES.values()) for field in fields(kind)
              if field.name not in known}
    if figure not in known:
        raise InputError(f'{shown(figure)} is no figure of a drive; these are {", ".join(known)}')
    return known[figure]


def drive_from_figures(joint: str, figures: Mapping[str, Any]) -> drives.Motor:
    """The drive of a joint; errors name the joint and the figure.

    Raises InputError where the type is unknown or a figure missing, unknown or wrong.

        >>> drive_from_figures('joint1', {'type': 'series_elastic', 'stiffness': 3000.0, 'motor_inertia': 0.2}).stiffness
        3000.0
    """
    if not isinstance(joint, str):
        raise InputError(f'joint is {shown(joint)}; give the name of the joint')
    if not isinstance(figures, Mapping) or 'type' not in figures:
        raise InputError(f'the drive of joint {joint!r} has no type; give one of {", ".join(TYPES)}')
    kind, rest = figures['type'], {name: value for name, value in figures.items() if name != 'type'}
    if not isinstance(kind, str) or kind not in TYPES:
        raise InputError(f'the drive of joint {joint!r} has the type {shown(kind)}; give one of {", ".join(TYPES)}')
    unknown = sorted(set(rest) - set(figures_of(kind)))
    if unknown:
        raise InputError(
            f'the drive of joint {joint!r} has {", ".join(map(repr, unknown))}, which {kind} does not know; '
            f'it knows {", ".join(figures_of(kind))}')
    try:
        if kind == 'antagonistic':
            rest = _with_springs(rest)
        return TYPES[kind](**rest)
    except HodError as error:
        raise type(error)(f'joint {joint!r}: {error}') from None


def drives_from_figures(figures: Mapping[str, Mapping[str, Any]]) -> dict[str, drives.Motor]:
    """{joint: drive} of {joint: figures}.

    Raises InputError as drive_from_figures does.

        >>> drives = drives_from_figures({'joint1': {'type': 'rigid', 'gear_ratio': 100.0}})
        >>> drives['joint1'].gear_ratio
        100.0
    """
    return {joint: drive_from_figures(joint, values) for joint, values in by_joint(figures).items()}


def by_joint(figures):
    """The mapping {joint: figures} itself."""
    if not isinstance(figures, Mapping):
        raise InputError(f'figures is {shown(figures)}; give a mapping from joint names to figures')
    names(figures, 'figures')
    return figures


def _with_springs(figures):
    """Figures of a pair with its springs made of theirs."""
    kind = figures.get('spring')
    if not isinstance(kind, str) or kind not in SPRINGS:
        raise InputError(f'spring is {shown(kind)}; give one of {", ".join(SPRINGS)}')
    own = {field.name for field in fields(SPRINGS[kind])}
    foreign = sorted(name for name in figures if name not in own and name not in {field.name for field in fields(drives.Antagonistic)})
    if foreign:
        raise InputError(f'{", ".join(map(repr, foreign))} is no figure of {kind} springs; they have {", ".join(sorted(own))}')
    missing = [field.name for field in fields(SPRINGS[kind]) if field.default is MISSING and field.name not in figures]
    if missing:
        raise InputError(f'{", ".join(missing)} of its {kind} springs is missing; give one number, or one for each of the two')
    pair = tuple(SPRINGS[kind](**{name: _one_of_two(figures[name], name, i) for name in own if name in figures}) for i in (0, 1))
    return {name: value for name, value in figures.items() if name not in own} | {'spring': pair}


def _one_of_two(value, name, which):
    if not isinstance(value, (list, tuple)):
        return value
    if len(value) != 2:
        raise InputError(f'{name} has {len(value)} numbers; give one, or one for each of the two springs')
    return value[which]
