"""Declares the parameters on a node, refuses bad values with a reason, and reads them back."""

from rcl_interfaces.msg import ParameterDescriptor
from rcl_interfaces.msg import SetParametersResult
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.parameter import Parameter

from hod_ros.errors import InputError
from hod_ros.ros.parameters.elastic import PREFIX
from hod_ros.ros.parameters.specifications import FAMILIES
from hod_ros.ros.parameters.specifications import SPECIFICATIONS


class Parameters:
    """The node's parameters by name.

    check(changes): asked before values change, with {name: new value}; returns why they can't be, or None.
    changed(names): told after they have.
    """

    def __init__(self, node, check, changed):
        self._node = node
        self._check_together = check
        self._specifications = {}
        self._joints = {family.name: [] for family in FAMILIES}
        for specification in SPECIFICATIONS:
            self._declare(specification, specification.name)
        for name in list(node._parameter_overrides):
            self._declare_of_joint(name)
        node.add_pre_set_parameters_callback(self._convert)
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(lambda parameters: changed({p.name for p in parameters}))

    def __getitem__(self, name):
        return self._node.get_parameter(name).value

    def of_joints(self, family):
        """{joint: value} of the joints that have been given a parameter of this family (a Specification)."""
        return {joint: self[family.name.replace('<joint>', joint)] for joint in self._joints[family.name]}

    def _declare_of_joint(self, name):
        of_joint = family_of(name)
        if of_joint:
            family, joint = of_joint
            self._declare(family, name)
            self._joints[family.name].append(joint)

    def _declare(self, specification, name):
        """Declares a parameter; an InputError where a file or the command line gives it a value it can't have."""
        wanted = specification.parameter_type
        given = self._node.declare_parameter(name, None, ParameterDescriptor(dynamic_typing=True))
        self._node.undeclare_parameter(name)
        given = _as_double(given, wanted)
        value = specification.default if given.value is None else given.value
        if given.type_ not in (wanted, Parameter.Type.NOT_SET):
            raise InputError(
                f'parameter {name} is {value!r}, of type {given.type_.name.lower()}; it takes {wanted.name.lower()}')
        fault = specification.fault(value)
        if fault:
            raise InputError(f'parameter {fault.replace(specification.name, name, 1)}')
        self._specifications[name] = specification
        descriptor = specification.descriptor(name)
        if value == []:
            self._declare_empty(name, wanted, descriptor)
        else:
            self._node.declare_parameter(name, value, descriptor, ignore_override=True)

    def _declare_empty(self, name, wanted, descriptor):
        """rclpy takes an empty list for bytes where it declares; it can be set afterwards, unless read-only."""
        self._node.declare_parameter(name, wanted, ParameterDescriptor(), ignore_override=True)
        self._node.set_parameters([Parameter(name, wanted, [])])
        self._node.set_descriptor(name, descriptor)

    def _convert(self, parameters):
        """Integers where floating point numbers are wanted are what people type: they are taken."""
        converted = []
        for parameter in parameters:
            if not self._node.has_parameter(parameter.name):
                raise UnknownParameter(parameter.name)
            if parameter.name in self._specifications:
                parameter = _as_double(parameter, self._specifications[parameter.name].parameter_type)
            converted.append(parameter)
        return converted

    def _check(self, parameters):
        for parameter in parameters:
            specification = self._specifications.get(parameter.name)
            if specification is None:
                continue
            if parameter.type_ != specification.parameter_type:
                fault = (f'parameter {parameter.name} is of type {parameter.type_.name.lower()}; '
                         f'it takes {specification.parameter_type.name.lower()}')
            else:
                fault = specification.fault(parameter.value)
            if fault:
                return SetParametersResult(successful=False, reason=fault.replace(specification.name, parameter.name, 1))
        fault = self._check_together({parameter.name: parameter.value for parameter in parameters})
        return SetParametersResult(successful=not fault, reason=fault or '')


class UnknownParameter(ParameterNotDeclaredException):
    """What rclpy's parameter services answer with; its own text leaves out the name."""

    def __init__(self, name):
        if family_of(name) or name.startswith(PREFIX):
            text = f'parameter {name} was not given at the start, and parameters of single joints are taken at the start only'
        else:
            text = f'this node has no parameter {name}; config/hod.yaml names all'
        Exception.__init__(self, text)


def family_of(name):
    """(family, joint) of the parameter of a single joint, or None."""
    for family in FAMILIES:
        prefix, suffix = family.name.split('<joint>')
        joint = name.removeprefix(prefix).removesuffix(suffix)
        if joint and name == prefix + joint + suffix:
            return family, joint
    return None


def _as_double(parameter, wanted):
    if wanted == Parameter.Type.DOUBLE and parameter.type_ == Parameter.Type.INTEGER:
        return Parameter(parameter.name, wanted, float(parameter.value))
    if wanted == Parameter.Type.DOUBLE_ARRAY and parameter.type_ == Parameter.Type.INTEGER_ARRAY:
        return Parameter(parameter.name, wanted, [float(value) for value in parameter.value])
    return parameter
