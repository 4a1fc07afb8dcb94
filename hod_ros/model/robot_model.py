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
    """A robot as immutable arrays: see Bodies for its fields, their shapes and units.

    Raises ModelError where fields contradict each other or physics.

        >>> panda = RobotModel.from_urdf(example_robot('panda'))
        >>> panda.n, panda.joint_names[0]
        (7, 'panda_joint1')
    """

    @classmethod
    def from_urdf(cls, source: 'str | bytes | PathLike[str] | Robot', *, joints: Sequence[str] | None = None,
                  gravity: ArrayLike = STANDARD_GRAVITY, locked: Mapping[str, float] | None = None, base: str = 'fixed',
                  armature: Mapping[str, float] | None = None, words: Wording = PYTHON) -> 'Self':
        """The model of a URDF: its text (str or bytes), its pathlib.Path, or a Robot of urdf_parser_py.

        joints: names of the joints to keep, in the order wanted; all others are locked at 0 or where `locked` ({name: position})
        says. armature: {joint name: rotor inertia reflected to the joint}. base: 'fixed' to the world or 'free'. words: how messages
        spell these options, for programs that give them other names.

        Raises DescriptionError where the description cannot become a model, InputError where an option is wrong.

            >>> arm = RobotModel.from_urdf(example_robot('panda'), joints=['panda_joint1', 'panda_joint2'], locked={'panda_joint4': -1.5})
            >>> arm.n
            2
        """
        return cls(**assemble(
            read_urdf(source), keep=joints, gravity=gravity, locked=locked, base=base, armature=armature, words=words))

    @classmethod
    def from_screws(
            cls, screws: Sequence[ArrayLike], reference: ArrayLike, inertias: ArrayLike | Sequence[ArrayLike | None],
            **options: Any) -> 'Self':
        """The model of joint screws and reference configurations, 003 II; see hod_ros.model.builders.fields_of_screws.

        screws: N joint screws (angular, linear), (6,) or (d, 6) each; reference: (N, 4, 4) poses of the links at q = 0, both in the world
        unless representation='body'; inertias: (6, 6) of link_inertia, or None.
        More options: parent, joint_names, link_names, gravity, base.

        Raises ModelError where screws, poses or inertias are wrong or contradict each other.

            >>> pendulum = RobotModel.from_screws([[0, 1, 0, 0, 0, 0]], [np.eye(4)], [link_inertia(1.0, [0.0, 0.0, -0.5])])
            >>> round(abs(float(inverse_dynamics(pendulum, [[np.pi / 2], [0], [0]])[0, 0])), 3)          # 1 kg at 0.5 m, held out
            4.905
        """
        return cls(**fields_of_screws(screws, reference, inertias, **options))

    @classmethod
    def from_dh(cls, a: ArrayLike, alpha: ArrayLike, d: ArrayLike, theta: ArrayLike, inertias: ArrayLike | Sequence[ArrayLike | None],
                **options: Any) -> 'Self':
        """The model of a table of Denavit-Hartenberg parameters; see hod_ros.model.builders.fields_of_dh.

        a, d [m], alpha, theta [rad], N each; inertias as in from_screws. Options: convention ('craig' or 'denavit-hartenberg'), kinds
        ('revolute' or 'prismatic'), and those of from_screws.

        Raises ModelError where the table or the inertias are wrong.

            >>> link = link_inertia(1.0, [0.25, 0.0, 0.0])
            >>> planar = RobotModel.from_dh([0, 0.5], [0, 0], [0, 0], [0, 0], [link, link], gravity=(0, -9.81, 0))
            >>> planar.n
            2
        """
        return cls(**fields_of_dh(a, alpha, d, theta, inertias, **options))

    def __repr__(self) -> str:
        joints = ', '.join(self.joint_names[:3]) + (', ...' if self.n > 3 else '')
        mass = '' if self.exact else f', {self.masses.sum() + self.M_base[3, 3]:.4g} kg'
        warned = f', {len(self.warnings)} warnings' if self.warnings else ''
        return f'<RobotModel {self.name!r}: {self.n} joints ({joints}), {len(self.bodies)} bodies{mass}, {self.base} base{warned}>'
