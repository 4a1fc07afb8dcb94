"""The node's parameters: what they are called, mean and may be."""

from dataclasses import dataclass
from math import isfinite

from rcl_interfaces.msg import FloatingPointRange
from rcl_interfaces.msg import IntegerRange
from rcl_interfaces.msg import ParameterDescriptor
from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter

from hod_ros.errors import InputError

HIGHEST_ORDER = 100
MOST_SAMPLES = 1_000_000


@dataclass(frozen=True)
class Specification:
    """One parameter; its type is that of its default."""

    name: str
    default: object
    description: str
    minimum: float | None = None
    maximum: float | None = None
    read_only: bool = False
    type: Parameter.Type | None = None
    check: object = None                # function of the value; returns what is wrong with it, or None

    @property
    def parameter_type(self):
        return self.type or Parameter.Type.from_parameter_value(self.default)

    def descriptor(self):
        descriptor = ParameterDescriptor(
            name=self.name, description=self.description, read_only=self.read_only, type=self.parameter_type.value)
        if self.minimum is not None and self.parameter_type == Parameter.Type.INTEGER:
            descriptor.integer_range = [IntegerRange(from_value=self.minimum, to_value=self.maximum, step=1)]
        elif self.minimum is not None:
            descriptor.floating_point_range = [
                FloatingPointRange(from_value=self.minimum, to_value=self.maximum, step=0.0)]
        return descriptor


def _check_gravity(value):
    if len(value) != 3:
        return f'gravity has {len(value)} values; give x, y, z in the base frame [m/s^2]'
    if not all(isfinite(component) for component in value):
        return f'gravity is {list(value)}; give finite numbers'
    return None


def _check_unique_names(value):
    duplicates = sorted({name for name in value if value.count(name) > 1})
    if duplicates:
        return f'joints names {", ".join(duplicates)} more than once; name each joint once'
    return None


SPECIFICATIONS = (
    Specification(
        'robot_description', '', 'URDF of the robot. Where it is empty, the topic robot_description gives it.'),
    Specification(
        'autostart', True, 'Configure and activate as soon as there is a valid robot_description; '
        'false for a lifecycle manager.', read_only=True),
    Specification(
        'joints', [], 'Joints to compute, in this order; empty: all moving joints that mimic no other. '
        'The others are locked.', read_only=True, type=Parameter.Type.STRING_ARRAY, check=_check_unique_names),
    Specification(
        'gravity', [0.0, 0.0, -9.81], "Gravity in the frame of the robot's root link: x, y, z [m/s^2].",
        check=_check_gravity),
    Specification(
        'order', 2, 'Highest time derivative of the efforts to publish: 0 efforts, 1 rates, 2 accelerations.',
        minimum=0, maximum=HIGHEST_ORDER),
    Specification(
        'max_order', 20, 'Highest order that a service request may ask for.', minimum=0, maximum=HIGHEST_ORDER),
    Specification(
        'max_samples', 10000, 'Most samples that a service request may carry.',
        minimum=1, maximum=MOST_SAMPLES),
)

LOCKED_POSITIONS = 'locked_positions'
LOCKED_POSITION = Specification(
    f'{LOCKED_POSITIONS}.<joint>', 0.0, 'Position at which a joint that is not in `joints` is locked [rad] or [m].',
    read_only=True)


class Parameters:
    """Declares the parameters on a node, refuses bad values with a reason, calls `changed(names)` after good ones."""

    def __init__(self, node, changed):
        self._node = node
        self._changed = changed
        self._checks = {}
        for specification in SPECIFICATIONS:
            self._declare(specification, specification.name)
        self.locked_joints = tuple(self._declare_family(LOCKED_POSITION))
        node.add_pre_set_parameters_callback(self._convert)
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(lambda parameters: self._changed({p.name for p in parameters}))

    def __getitem__(self, name):
        return self._node.get_parameter(name).value

    @property
    def model_settings(self):
        """What a description is turned into a model with: the keyword arguments of RobotModel.from_urdf."""
        locked = {joint: self[f'{LOCKED_POSITIONS}.{joint}'] for joint in self.locked_joints}
        return {'joints': list(self['joints']) or None, 'gravity': tuple(self['gravity']), 'locked': locked or None}

    def add_check(self, name, check):
        """A further check of a changed parameter: a function of its value that returns what is wrong, or None."""
        self._checks[name] = check

    def _declare_family(self, specification):
        """Declares one parameter for every override `<prefix>.<joint>` and yields the joints."""
        prefix = specification.name.removesuffix('<joint>')
        for name in list(self._node._parameter_overrides):
            if name.startswith(prefix):
                self._declare(specification, name)
                yield name.removeprefix(prefix)

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
        lowest, highest = specification.minimum, specification.maximum
        if lowest is not None and not lowest <= value <= highest:
            raise InputError(f'parameter {name} is {value}; it takes {lowest} to {highest}')
        if specification.check is not None:
            fault = specification.check(value)
            if fault:
                raise InputError(f'parameter {name}: {fault}')
            self._checks[name] = specification.check
        descriptor = specification.descriptor()
        descriptor.name = name
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
            if self._node.has_parameter(parameter.name):
                parameter = _as_double(parameter, self._node.get_parameter(parameter.name).type_)
            converted.append(parameter)
        return converted

    def _check(self, parameters):
        for parameter in parameters:
            check = self._checks.get(parameter.name)
            fault = check(parameter.value) if check else None
            if fault:
                return SetParametersResult(successful=False, reason=fault)
        return SetParametersResult(successful=True)


def _as_double(parameter, wanted):
    if wanted == Parameter.Type.DOUBLE and parameter.type_ == Parameter.Type.INTEGER:
        return Parameter(parameter.name, wanted, float(parameter.value))
    if wanted == Parameter.Type.DOUBLE_ARRAY and parameter.type_ == Parameter.Type.INTEGER_ARRAY:
        return Parameter(parameter.name, wanted, [float(value) for value in parameter.value])
    return parameter
