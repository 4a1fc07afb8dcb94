"""RobotModel, the robot that all algorithms read, and the ways to make one: a URDF, joint screws, DH parameters."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

from numpy.typing import ArrayLike

from hod_ros.description.urdf import read_urdf
from hod_ros.model.assembly import assemble
from hod_ros.model.bodies import STANDARD_GRAVITY
from hod_ros.model.bodies import Bodies
from hod_ros.model.builders import fields_of_dh
from hod_ros.model.builders import fields_of_screws

if TYPE_CHECKING:
    from typing_extensions import Self  # typing's own from Python 3.11


class RobotModel(Bodies):
    """A robot as immutable arrays: see Bodies for its fields, their shapes and units."""

    @classmethod
    def from_urdf(cls, text: str | bytes, *, joints: Sequence[str] | None = None, gravity: ArrayLike = STANDARD_GRAVITY,
                  locked: Mapping[str, float] | None = None, base: str = 'fixed', armature: Mapping[str, float] | None = None) -> 'Self':
        """The model of a URDF's text (str or bytes).

        joints: names of the joints to keep, in the order wanted; all others are locked at 0 or where `locked` ({name: position})
        says. armature: {joint name: rotor inertia reflected to the joint}. base: 'fixed' to the world or 'free'.
        """
        name, links, joint_list = read_urdf(text)
        return cls(**assemble(name, links, joint_list, keep=joints, gravity=gravity, locked=locked, base=base, armature=armature))

    @classmethod
    def from_screws(cls, screws: Sequence[ArrayLike], reference: ArrayLike, inertias: Sequence[ArrayLike | None], **options: Any) -> 'Self':
        """The model of joint screws and reference configurations, 003 II; see hod_ros.model.builders.fields_of_screws."""
        return cls(**fields_of_screws(screws, reference, inertias, **options))

    @classmethod
    def from_dh(cls, a: ArrayLike, alpha: ArrayLike, d: ArrayLike, theta: ArrayLike, inertias: Sequence[ArrayLike | None],
                **options: Any) -> 'Self':
        """The model of a table of Denavit-Hartenberg parameters; see hod_ros.model.builders.fields_of_dh."""
        return cls(**fields_of_dh(a, alpha, d, theta, inertias, **options))

    def __repr__(self) -> str:
        return f'<RobotModel {self.name!r}: {self.n} joints, {len(self.bodies)} bodies, base {self.base}>'
