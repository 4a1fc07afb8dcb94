# SPDX-License-Identifier: Apache-2.0
"""All that is wrong or odd about a robot description, in one reading: its author mends it in one go."""

import re
from dataclasses import dataclass
from typing import Any

from hod_ros.description.plausibility import grouped
from hod_ros.description.plausibility import inertia_doubts
from hod_ros.description.plausibility import limit_doubts
from hod_ros.description.urdf import read_urdf
from hod_ros.errors import DescriptionError
from hod_ros.model.assembly import assemble
from hod_ros.model.robot_model import RobotModel
from hod_ros.model.topology import in_tree_order

_QUOTED = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class Finding:
    """An error or a warning; line: of the text, None where it is about none in particular."""

    message: str
    line: int | None


def judged(source: str | bytes, joints: list[str] | None = None, **options: Any) -> tuple[list[Finding], list[Finding]]:
    """(errors, warnings) of a URDF's text, by line; the options are RobotModel.from_urdf's.

    Links and joints with errors of their own are left out of what is asked of the robot as a whole.
    """
    errors: list[DescriptionError] = []
    warnings: list[str] = []
    lines: dict[str, dict[str, int]] = {'link': {}, 'joint': {}}
    try:
        description = read_urdf(source, errors.append)
        lines = {'link': _lines(description.links), 'joint': _lines(description.joints)}
        if errors:
            warnings = [*description.warnings, *_doubts(description)]
            if description.complete:
                in_tree_order(description.links, description.joints, errors.append)
        else:
            fields = assemble(description, keep=joints, report=errors.append, **options)
            warnings = list(RobotModel(**fields).warnings) if not errors else [*description.warnings, *_doubts(description)]
    except DescriptionError as error:
        errors.append(error)
    found = [Finding(str(error), error.line) for error in errors]
    return _sorted(found), _sorted([_warning(text, lines) for text in warnings])


def _lines(items):
    return {item.name: item.line for item in reversed(items)}


def _doubts(description):
    return [
        *grouped(doubt for link in description.links for doubt in inertia_doubts(link.name, link.mass, link.tensor)),
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
