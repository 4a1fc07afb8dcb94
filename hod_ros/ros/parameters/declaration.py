"""Read-only parameters of the small nodes: declared with their meaning, checked once."""

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.parameter import Parameter

from hod_ros.errors import InputError

NUMBERS = {Parameter.Type.DOUBLE: Parameter.Type.INTEGER, Parameter.Type.DOUBLE_ARRAY: Parameter.Type.INTEGER_ARRAY}
ARRAYS = (Parameter.Type.DOUBLE_ARRAY, Parameter.Type.STRING_ARRAY)


def declare(node, specifications):
    """{name: value} of these Specifications; whole numbers are taken where floating point ones are wanted."""
    return {specification.name: _declared(node, specification, specification.name) for specification in specifications}


def declare_of_joints(node, family):
    """{joint: value} of the joints that were given a parameter of this family, a Specification whose name ends in <joint>."""
    prefix = family.name.removesuffix('<joint>')
    joints = sorted(name.removeprefix(prefix) for name in node._parameter_overrides if name.startswith(prefix))
    return {joint: _declared(node, family, prefix + joint) for joint in joints}


def warn_of_unknown_parameters(node, page):
    """ROS ignores what a file or the command line gives beyond a node's parameters: a misspelt limit would never be missed."""
    for name in sorted(node._parameter_overrides):
        if not node.has_parameter(name) and not name.startswith('qos_overrides.'):
            node.get_logger().warning(f"parameter {name} is none of this node's and is ignored; {page} names all")


def _declared(node, specification, name):
    wanted = specification.parameter_type
    descriptor = ParameterDescriptor(description=specification.description, read_only=True, dynamic_typing=True)
    parameter = node.declare_parameter(name, specification.default, descriptor)
    value = parameter.value
    if value is None and wanted not in ARRAYS:
        raise InputError(f'parameter {name} is an empty list; it takes {wanted.name.lower()}')
    if wanted in ARRAYS and not value:
        value = []                          # rclpy knows no type of an empty list
    elif parameter.type_ == NUMBERS.get(wanted):
        value = [float(number) for number in value] if wanted in ARRAYS else float(value)
    elif parameter.type_ != wanted:
        raise InputError(f'parameter {name} is {_plain(value)!r}, of type {parameter.type_.name.lower()}; it takes {wanted.name.lower()}')
    value = _plain(value)
    fault = specification.fault(value)
    if fault:
        raise InputError(f'parameter {fault.replace(specification.name, name, 1)}')
    return value


def _plain(value):
    return list(value) if hasattr(value, '__len__') and not isinstance(value, str) else value
