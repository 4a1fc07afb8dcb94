"""The parameters elastic.<joint>.<figure>: the drives of elastic joints, by the names of hod_ros.actuators.figures.

A joint that is named here takes all its figures from here; others may have theirs in the description's <hod_elastic>.
"""

from rcl_interfaces.msg import ParameterDescriptor

from hod_ros.actuators.drives import DAMPING
from hod_ros.actuators.drives import FRICTION
from hod_ros.actuators.drives import INERTIA
from hod_ros.actuators.drives import STIFFNESS
from hod_ros.actuators.drives import TORQUE
from hod_ros.actuators.figures import drive_from_figures
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.rclpy_private import given_parameters

PREFIX = 'elastic.'
UNITS = {
    'type': 'rigid, series_elastic, hardening, adjustable or antagonistic',
    'stiffness': STIFFNESS,
    'stiffness_range': f'lowest and highest {STIFFNESS}',
    'cubic': '[N m/rad^3] or [N/m^3]',
    'quintic': '[N m/rad^5] or [N/m^5]',
    'quadratic': '[N m/rad^2] or [N/m^2]',
    'linear': STIFFNESS,
    'torque': 'of the springs of a pair [N m] or [N]',
    'rate': 'of the springs of a pair [1/rad] or [1/m]',
    'spring': 'of an antagonistic pair: exponential, quadratic or hyperbolic_sine',
    'motor_inertia': INERTIA,
    'motor_friction': FRICTION,
    'gear_ratio': '[motor rad per joint rad]',
    'torque_limit': TORQUE,
    'damping': DAMPING,
    'damping_terms': 'terms of the series in damping / stiffness',
}


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
            description=f'Drive of joint {joint}: {figure}, {UNITS.get(figure, "unknown")}.', read_only=True, dynamic_typing=True)
        value = node.declare_parameter(name, None, descriptor).value
        figures.setdefault(joint, {})[figure] = tuple(value) if hasattr(value, '__len__') and not isinstance(value, str) else value
    for joint, values in figures.items():
        try:
            drive_from_figures(joint, values)
        except HodError as error:
            raise InputError(f'parameters {PREFIX}{joint}.*: {error}') from None
    return figures
