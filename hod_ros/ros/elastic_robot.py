"""A robot with its drives, as the plant and the controller know it: from parameters and the robot description."""

import numpy as np
from rclpy.parameter import Parameter
from std_msgs.msg import String

from hod_ros.actuators.description import drives_from_urdf
from hod_ros.actuators.description import foreign_stiffness
from hod_ros.actuators.feedforward import PreparedDrives
from hod_ros.dynamics.model import RobotModel
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.declaration import declare
from hod_ros.ros.elastic_parameters import declare_elastic
from hod_ros.ros.quality import LATCHED
from hod_ros.ros.specifications import Specification

PARAMETERS = (
    Specification('robot_description', '', 'URDF of the robot. Where it is empty, the topic robot_description gives it.'),
    Specification(
        'joints', [], 'Joints of the robot, in this order; empty: all moving joints that mimic no other. The others are locked at 0.',
        type=Parameter.Type.STRING_ARRAY),
    Specification('gravity', [0.0, 0.0, -9.81], "Gravity in the frame of the robot's root link: x, y, z [m/s^2]."),
)


class ElasticRobot:
    """Calls use(prepared) once, with the PreparedDrives of the first good description."""

    def __init__(self, node, use):
        self._node = node
        self._use = use
        self._done = False
        self._settings = declare(node, PARAMETERS)
        self._figures = declare_elastic(node)
        if self._settings['robot_description']:
            self._take(self._settings['robot_description'])
        else:
            node.create_subscription(String, 'robot_description', self._on_description, LATCHED)
            node.get_logger().info(f'waiting for a robot description on {node.resolve_topic_name("robot_description")}')

    def _on_description(self, message):
        if self._done:
            self._node.get_logger().info('another robot description came and is not used; start this node again to use it')
            return
        try:
            self._take(message.data)
        except HodError as error:
            self._node.get_logger().error(f'robot description refused: {error}')

    def _take(self, text):
        model = RobotModel.from_urdf(text, joints=self._settings['joints'] or None, gravity=self._settings['gravity'])
        prepared = PreparedDrives(model, drives_from_urdf(text, model, self._figures))
        for warning in (*model.warnings, *foreign_stiffness(text)):
            self._node.get_logger().warning(warning)
        self._use(prepared)
        self._done = True


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
