# SPDX-License-Identifier: Apache-2.0
"""RobotModel, the robot that all algorithms read, and the ways to make one: a URDF, joint screws, DH parameters."""

from collections.abc import Mapping
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING
from typing import Any

from numpy.typing import ArrayLike

from hod_ros.description.urdf import read_urdf
from hod_ros.model.assembly import assemble
from hod_ros.model.bodies import STANDARD_GRAVITY
from hod_ros.model.bodies import Bodies
from hod_ros.model.builders import fields_of_dh
from hod_ros.model.builders import fields_of_screws
from hod_ros.model.wording import PYTHON
from hod_ros.model.wording import Wording

if TYPE_CHECKING:
    from typing_extensions import Self  # typing's own from Python 3.11
    from urdf_parser_py.urdf import Robot


class RobotModel(Bodies):
    """A robot as immutable arrays: see Bodies for its fields, their shapes and units."""

    @classmethod
    def from_urdf(cls, source: 'str | bytes | PathLike[str] | Robot', *, joints: Sequence[str] | None = None,
                  gravity: ArrayLike = STANDARD_GRAVITY, locked: Mapping[str, float] | None = None, base: str = 'fixed',
                  armature: Mapping[str, float] | None = None, words: Wording = PYTHON) -> 'Self':
        """The model of a URDF: its text (str or bytes), its pathlib.Path, or a Robot of urdf_parser_py.

        joints: names of the joints to keep, in the order wanted; all others are locked at 0 or where `locked` ({name: position})
        says. armature: {joint name: rotor inertia reflected to the joint}. base: 'fixed' to the world or 'free'. words: how messages
        spell these options, for programs that give them other names.
        """
        return cls(**assemble(
            read_urdf(source), keep=joints, gravity=gravity, locked=locked, base=base, armature=armature, words=words))

    @classmethod
    def from_screws(
            cls, screws: Sequence[ArrayLike], reference: ArrayLike, inertias: ArrayLike | Sequence[ArrayLike | None],
            **options: Any) -> 'Self':
        """The model of joint screws and reference configurations, 003 II; see hod_ros.model.builders.fields_of_screws."""
        return cls(**fields_of_screws(screws, reference, inertias, **options))

    @classmethod
    def from_dh(cls, a: ArrayLike, alpha: ArrayLike, d: ArrayLike, theta: ArrayLike, inertias: ArrayLike | Sequence[ArrayLike | None],
                **options: Any) -> 'Self':
        """The model of a table of Denavit-Hartenberg parameters; see hod_ros.model.builders.fields_of_dh."""
        return cls(**fields_of_dh(a, alpha, d, theta, inertias, **options))

    def __repr__(self) -> str:
        joints = ', '.join(self.joint_names[:3]) + (', ...' if self.n > 3 else '')
        mass = '' if self.exact else f', {self.masses.sum() + self.M_base[3, 3]:.4g} kg'
        warned = f', {len(self.warnings)} warnings' if self.warnings else ''
        return f'<RobotModel {self.name!r}: {self.n} joints ({joints}), {len(self.bodies)} bodies{mass}, {self.base} base{warned}>'
