"""The parameters elastic.<joint>.<figure>: the drives of elastic joints, by the names of hod_ros.actuators.figures.

A joint that is named here takes all its figures from here; others may have theirs in the description's <hod_elastic>.
"""

from rcl_interfaces.msg import ParameterDescriptor

from hod_ros.actuators.figures import drive_from_figures
from hod_ros.actuators.figures import unit_of
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.rclpy_private import given_parameters

PREFIX = 'elastic.'


def declare_elastic(node):
    """Declares what the node was given as elastic.*, read-only, and returns {joint: figures}; InputError where they make no drive."""
    figures = {}
    for name in sorted(given_parameters(node)):
        if not name.startswith(PREFIX):
            continue
        joint, _, figure = name.removeprefix(PREFIX).rpartition('.')
        if not joint:
            raise InputError(f'parameter {name} names no figure of a joint; write elastic.<joint>.<figure>, for example '
                             f'elastic.{figure or "joint1"}.stiffness')
        descriptor = ParameterDescriptor(
            description=f'Drive of joint {joint}: {figure}, {_unit(figure)}.', read_only=True, dynamic_typing=True)
        value = node.declare_parameter(name, None, descriptor).value
        figures.setdefault(joint, {})[figure] = tuple(value) if hasattr(value, '__len__') and not isinstance(value, str) else value
    for joint, values in figures.items():
        try:
            drive_from_figures(joint, values)
        except HodError as error:
            raise InputError(f'parameters {PREFIX}{joint}.*: {error}') from None
    return figures


def _unit(figure):
    try:
        return unit_of(figure)
    except InputError:
        return 'unknown'
