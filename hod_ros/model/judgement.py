# SPDX-License-Identifier: Apache-2.0
"""All that is wrong or odd about a robot description, in one reading: its author mends it in one go."""

import re
from dataclasses import dataclass
from typing import Any

from hod_ros.description.plausibility import grouped
from hod_ros.description.plausibility import inertia_doubts
from hod_ros.description.plausibility import limit_doubts
from hod_ros.description.plausibility import place_doubts
from hod_ros.description.urdf import read_urdf
from hod_ros.errors import DescriptionError
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.model.assembly import assemble
from hod_ros.model.mimic_joints import without_dangling_mimics
from hod_ros.model.robot_model import RobotModel
from hod_ros.model.selection import select
from hod_ros.model.topology import in_tree_order
from hod_ros.model.wording import PYTHON

_QUOTED = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class Finding:
    """An error or a warning; line: of the text, None where it is about none in particular."""

    message: str
    line: int | None


def judged(source: str | bytes, joints: list[str] | None = None, **options: Any) -> tuple[list[Finding], list[Finding]]:
    """(errors, warnings) of a URDF's text, by line; the options are RobotModel.from_urdf's.

    Links and joints with errors of their own are left out of what is asked of the joints together. An InputError of the options is raised
    where the description is sound, and is one of the errors where it is not.
    """
    errors: list[HodError] = []
    warnings: list[str] = []
    lines: dict[str, dict[str, int]] = {'link': {}, 'joint': {}}
    try:
        description = read_urdf(source, errors.append)
        lines = {'link': _lines(description.links), 'joint': _lines(description.joints)}
        faulty = {name for error in errors for name in _QUOTED.findall(str(error))[:1]}
        fields = None
        if description.complete:
            tree = in_tree_order(description.links, description.joints, errors.append)
            fields, more = _assembled(description, joints, options, bool(errors)) if tree else (None, _of_joints(description, options))
            errors += [error for error in more if faulty.isdisjoint(_QUOTED.findall(str(error)))]
        warnings = [*description.warnings, *_doubts(description)] if errors else list(RobotModel(**fields).warnings)
    except DescriptionError as error:
        errors.append(error)
    found = [Finding(str(error), getattr(error, 'line', None)) for error in errors]
    return _sorted(found), _sorted([_warning(text, lines) for text in warnings])


def _assembled(description, joints, options, unsound):
    """(fields of the robot, errors of its joints as they are chosen); raises those of the options where all else is sound."""
    found: list[HodError] = []
    try:
        fields = assemble(description, keep=joints, report=found.append, **options)
    except InputError as error:
        fields = assemble(description, report=found.append, **{name: options[name] for name in ('base', 'words') if name in options})
        if not (unsound or found):
            raise
        found.append(error)
    return fields, found


def _of_joints(description, options):
    """Errors of joints that form no tree; a floating one may be right where there is one."""
    found: list[HodError] = []
    joints, _ = without_dangling_mimics([joint for joint in description.joints if joint.kind != 'floating'])
    select(joints, None, None, None, options.get('words', PYTHON), found.append)
    return found


def _lines(items):
    return {item.name: item.line for item in reversed(items)}


def _doubts(description):
    return [
        *grouped(doubt for link in description.links for doubt in (
            *inertia_doubts(link.name, link.mass, link.tensor), *place_doubts(link))),
        *grouped(doubt for joint in description.joints for doubt in limit_doubts(joint))]


def _warning(text, lines):
    """At the first link or joint that it names; the lines of others come behind."""
    kinds = ('joint', 'link') if 'joint' in text else ('link', 'joint')
    named = [next((lines[kind][name] for kind in kinds if name in lines[kind]), None) for name in _QUOTED.findall(text)]
    found = [line for line in named if line is not None]
    others = f' (lines {", ".join(map(str, found))})' if len(found) > 1 else ''
    return Finding(text + others, found[0] if found else None)


def _sorted(findings):
    return sorted(findings, key=lambda finding: finding.line or 0)
