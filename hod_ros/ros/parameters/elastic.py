# SPDX-License-Identifier: Apache-2.0
"""The parameters elastic.<joint>.<figure>: the drives of elastic joints, by the names of hod_ros.actuators.figures.

A joint that is named here takes all its figures from here; others may have theirs in the description's <hod_elastic>.
"""

from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from hod_ros.actuators.figures import drive_from_figures
from hod_ros.actuators.figures import unit_of
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.rclpy_private import given_parameters

PREFIX = 'elastic.'


def declare_elastic(node: Node) -> dict[str, dict[str, Any]]:
    """Declares what the node was given as elastic.*, read-only, and returns {joint: figures}; InputError where they make no drive."""
    figures: dict[str, dict[str, Any]] = {}
    given = {name: item.value for name, item in sorted(given_parameters(node).items()) if name.startswith(PREFIX)}
    for name, value in given.items():
        joint, _, figure = name.removeprefix(PREFIX).rpartition('.')
        if not joint:
            raise InputError(f'parameter {name} names no figure of a joint; write elastic.<joint>.<figure>, for example '
                             f'elastic.{figure or "joint1"}.stiffness')
        figures.setdefault(joint, {})[figure] = tuple(value) if hasattr(value, '__len__') and not isinstance(value, str) else value
    for joint, values in figures.items():
        try:
            drive_from_figures(joint, values)
        except HodError as error:
            raise InputError(f'parameters {PREFIX}{joint}.*: {error}') from None
    for joint, values in figures.items():
        for figure in values:
            node.declare_parameter(
                f'{PREFIX}{joint}.{figure}', None, ParameterDescriptor(
                    description=f'Drive of joint {joint}: {figure}, {unit_of(figure)}.', read_only=True, dynamic_typing=True))
    return figures
