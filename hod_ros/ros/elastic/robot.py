"""A robot with its drives, as the plant and the controller know it: from parameters and the robot description."""

import numpy as np
from std_msgs.msg import String

from hod_ros.actuators.description_tag import drives_from_urdf
from hod_ros.actuators.description_tag import foreign_stiffness
from hod_ros.actuators.motor_feedforward import PreparedDrives
from hod_ros.errors import DescriptionError
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.parameters.declaration import declare
from hod_ros.ros.parameters.declaration import declare_of_joints
from hod_ros.ros.parameters.elastic import declare_elastic
from hod_ros.ros.parameters.specifications import ARMATURE
from hod_ros.ros.parameters.specifications import GRAVITY
from hod_ros.ros.parameters.specifications import JOINTS
from hod_ros.ros.parameters.specifications import LOCKED_POSITION
from hod_ros.ros.parameters.specifications import ROBOT_DESCRIPTION
from hod_ros.ros.reporting.quality import LATCHED


class ElasticRobot:
    """Declares the parameters of a robot; find() looks for it."""

    def __init__(self, node):
        self._node = node
        self._use = None
        self._done = False
        self._settings = declare(node, (ROBOT_DESCRIPTION, JOINTS, GRAVITY))
        self._locked = declare_of_joints(node, LOCKED_POSITION)
        self._armature = declare_of_joints(node, ARMATURE)
        self._figures = declare_elastic(node)

    def find(self, use):
        """Calls use(prepared) once, with the PreparedDrives of the first good description; use may refuse it by a HodError."""
        node, text = self._node, self._settings[ROBOT_DESCRIPTION.name]
        self._use = use
        if text:
            self._take(text)
        else:
            node.create_subscription(String, 'robot_description', self._on_description, LATCHED)
            node.get_logger().info(f'waiting for a robot description on {node.resolve_topic_name("robot_description")}')

    def _on_description(self, message):
        if self._done:
            self._node.get_logger().info('another robot description came and is not used; start this node again to use it')
            return
        try:
            self._take(message.data)
        except (DescriptionError, ModelError) as error:
            self._node.get_logger().error(f'robot description refused: {error}')
        except HodError as error:
            self._node.get_logger().error(f'this robot cannot be used with the parameters as they are: {error}')

    def _take(self, text):
        model = RobotModel.from_urdf(
            text, joints=self._settings['joints'] or None, locked=self._locked, armature=self._armature, gravity=self._settings['gravity'])
        if not model.n:
            raise DescriptionError(f'robot {model.name!r} has no moving joint; there is nothing to control')
        prepared = PreparedDrives(model, self._drives(text, model))
        for warning in (*model.warnings, *foreign_stiffness(text)):
            self._node.get_logger().warning(warning)
        self._use(prepared)
        self._done = True

    def _drives(self, text, model):
        try:
            return drives_from_urdf(text, model, self._figures)
        except InputError as error:         # the parameters' figures have been checked: it is one of the description's
            raise DescriptionError(str(error)) from None


class NamedValues:
    """Values of messages that carry names, brought into the order of ours."""

    def __init__(self, names, *, exactly=False):
        self._names = list(names)
        self._exactly = exactly         # whether other names are refused
        self._given = None
        self._index = None

    def take(self, message, *fields):
        """Arrays of the fields of a message whose `name` field holds its names; InputError where something is amiss."""
        given = message.name
        if given != self._given:
            self._index = self._indices(list(given))
            self._given = list(given)
        taken = []
        for field in fields:
            values = np.array(getattr(message, field))
            if len(values) != len(given):
                raise InputError(f'{field} has {len(values)} values for {len(given)} names; give one for each')
            values = values[self._index]
            if not np.isfinite(values).all():
                column = int(np.argmin(np.isfinite(values)))
                raise InputError(f'{field} of {self._names[column]!r} is {values[column]}; give finite numbers')
            taken.append(values)
        return taken

    def _indices(self, given):
        missing = [name for name in self._names if name not in given]
        double = sorted({name for name in given if given.count(name) > 1})
        extra = [name for name in given if name not in self._names] if self._exactly else []
        for names, fault in ((missing, 'missing'), (double, 'named more than once'), (extra, 'unknown')):
            if names:
                raise InputError(f'name: {", ".join(map(repr, names))} {fault}; name each of {", ".join(self._names)} once')
        return np.array([given.index(name) for name in self._names])
