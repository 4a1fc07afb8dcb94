"""Read-only parameters of the small nodes: declared with their meaning, checked once."""

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.parameter import Parameter

from hod_ros.errors import InputError

NUMBERS = {Parameter.Type.DOUBLE: Parameter.Type.INTEGER, Parameter.Type.DOUBLE_ARRAY: Parameter.Type.INTEGER_ARRAY}


def declare(node, specifications):
    """{name: value} of these Specifications; whole numbers are taken where floating point ones are wanted."""
    return {specification.name: _declared(node, specification) for specification in specifications}


def _declared(node, specification):
    name, wanted = specification.name, specification.parameter_type
    descriptor = ParameterDescriptor(description=specification.description, read_only=True, dynamic_typing=True)
    parameter = node.declare_parameter(name, specification.default, descriptor)
    value = parameter.value
    if hasattr(value, '__len__') and not isinstance(value, str):
        value = list(value)
    if value == []:
        return value
    if parameter.type_ == NUMBERS.get(wanted):
        value = [float(number) for number in value] if isinstance(value, list) else float(value)
    elif parameter.type_ != wanted:
        raise InputError(f'parameter {name} is {value!r}, of type {parameter.type_.name.lower()}; it takes {wanted.name.lower()}')
    fault = specification.fault(value)
    if fault:
        raise InputError(f'parameter {fault}')
    return value
