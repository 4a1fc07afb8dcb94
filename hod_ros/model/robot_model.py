"""RobotModel, the robot that all algorithms read, and the ways to make one: a URDF, joint screws, DH parameters."""

from hod_ros.description.urdf import read_urdf
from hod_ros.model.assembly import assemble
from hod_ros.model.bodies import STANDARD_GRAVITY
from hod_ros.model.bodies import Bodies
from hod_ros.model.builders import fields_of_dh
from hod_ros.model.builders import fields_of_screws


class RobotModel(Bodies):
    """A robot as immutable arrays: see Bodies for its fields, their shapes and units."""

    @classmethod
    def from_urdf(cls, text, *, joints=None, gravity=STANDARD_GRAVITY, locked=None, base='fixed', armature=None):
        """The model of a URDF's text (str or bytes).

        joints: names of the joints to keep, in the order wanted; all others are locked at 0 or where `locked` ({name: position})
        says. armature: {joint name: rotor inertia reflected to the joint}. base: 'fixed' to the world or 'free'.
        """
        name, links, joint_list = read_urdf(text)
        return cls(**assemble(name, links, joint_list, keep=joints, gravity=gravity, locked=locked, base=base, armature=armature))

    @classmethod
    def from_screws(cls, screws, reference, inertias, **options):
        """The model of joint screws and reference configurations, 003 II; see hod_ros.model.builders.fields_of_screws."""
        return cls(**fields_of_screws(screws, reference, inertias, **options))

    @classmethod
    def from_dh(cls, a, alpha, d, theta, inertias, **options):
        """The model of a table of Denavit-Hartenberg parameters; see hod_ros.model.builders.fields_of_dh."""
        return cls(**fields_of_dh(a, alpha, d, theta, inertias, **options))

    def __repr__(self):
        return f'<RobotModel {self.name!r}: {self.n} joints, {len(self.bodies)} bodies, base {self.base}>'
