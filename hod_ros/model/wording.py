# SPDX-License-Identifier: Apache-2.0
"""How messages spell the options of a model, so that a face which has other names for them can be understood."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass

from hod_ros.checks.arguments import listed

_MOST = 6


def _lock(joints: Sequence[str]) -> str:
    some = ', '.join(f'{joint!r}: 0' for joint in joints[:_MOST])
    return f'lock with locked={{{some}{", ..." if len(joints) > _MOST else ""}}}'


@dataclass(frozen=True)
class Wording:
    """The names of from_urdf's options, and the remedies that they offer."""

    joints: str = 'joints'
    locked: str = 'locked'
    armature: str = 'armature'
    entry: Callable[[str, str], str] = '{}[{!r}]'.format        # of an option that is a table, for a joint
    lock: Callable[[Sequence[str]], str] = _lock                # some joints at 0, as an imperative
    free_base: str = "load with base='free'"


PYTHON = Wording()


def names_of(joints: Iterable[str]) -> str:
    """'joint 'a'' or 'joints 'a', 'b''"""
    joints = list(joints)
    return f'joint{"s" if len(joints) > 1 else ""} {listed(joints)}'
