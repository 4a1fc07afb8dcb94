"""The node's parameters, each with its default, its meaning and what it may be."""

import re
from dataclasses import dataclass
from math import inf
from math import isfinite
from math import isnan

from rcl_interfaces.msg import FloatingPointRange
from rcl_interfaces.msg import IntegerRange
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.parameter import Parameter

HIGHEST_ORDER = 100
MOST_SAMPLES = 1_000_000
LONGEST_TIMEOUT = 3600.0    # [s]
HIGHEST_PRIORITY = 99
STRONGEST_GRAVITY = 1000.0  # [m/s^2]
ON_TIMEOUT = ('gravity', 'zero', 'stop')
PLACE = re.compile('<joint>|<motor>')


@dataclass(frozen=True)
class Specification:
    """One parameter; its type is that of its default. A name that holds <joint> or <motor> is a family: one parameter for each."""

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

    @property
    def is_family(self):
        return '<' in self.name

    def member(self, name):
        """The joint, or motor, whose parameter of this family has this name; None where none has."""
        prefix, suffix = PLACE.split(self.name)
        member = name.removeprefix(prefix).removesuffix(suffix)
        return member if member and name == prefix + member + suffix else None

    def of(self, member):
        """The name of the parameter of a joint, or motor."""
        return PLACE.sub(lambda _: member, self.name)

    def descriptor(self, name):
        descriptor = ParameterDescriptor(
            name=name, description=self.description, read_only=self.read_only, type=self.parameter_type.value)
        if self.minimum is not None and self.parameter_type == Parameter.Type.INTEGER:
            descriptor.integer_range = [IntegerRange(from_value=self.minimum, to_value=self.maximum, step=1)]
        elif self.minimum is not None:
            descriptor.floating_point_range = [FloatingPointRange(from_value=self.minimum, to_value=self.maximum, step=0.0)]
        return descriptor

    def fault(self, value):
        """What is wrong with a value of the right type, or None."""
        if isinstance(value, float) and isnan(value):
            return f'{self.name} is nan; give a number'
        if self.minimum is not None and not self.minimum <= value <= self.maximum:
            return f'{self.name} is {value}; it takes {self.minimum} to {self.maximum}'
        return self.check(value) if self.check else None


def finite(name):
    def check(value):
        if isinstance(value, float):
            return None if isfinite(value) else f'{name} is {value}; give a finite number'
        return None if all(map(isfinite, value)) else f'{name} is {list(value)}; give finite numbers'
    return check


def finite_numbers(name, count, meaning):
    def check(value):
        if len(value) != count:
            return f'{name} has {len(value)} values; give {meaning}'
        return finite(name)(value)
    return check


def _check_gravity(value):
    fault = finite_numbers('gravity', 3, 'x, y, z in the base frame [m/s^2]')(value)
    if not fault and max(map(abs, value)) > STRONGEST_GRAVITY:
        return f'gravity is {list(value)}; it takes up to {STRONGEST_GRAVITY:g} m/s^2 along each axis'
    return fault


def _unique_names(name):
    def check(value):
        duplicates = sorted({entry for entry in value if value.count(entry) > 1})
        return f'{name} names {", ".join(duplicates)} more than once; name each joint once' if duplicates else None
    return check


def one_of(name, choices):
    def check(value):
        return None if value in choices else f'{name} is {value!r}; it is one of {", ".join(map(repr, choices))}'
    return check


ROBOT_DESCRIPTION = Specification(
    'robot_description', '', 'URDF of the robot. Where it is empty, the topic robot_description gives it.')
JOINTS = Specification(
    'joints', [], 'Joints to compute, in this order; empty: all moving joints that mimic no other and have no locked_positions. '
    'The others are locked.', read_only=True, type=Parameter.Type.STRING_ARRAY, check=_unique_names('joints'))
GRAVITY = Specification(
    'gravity', [0.0, 0.0, -9.81], "Gravity in the frame of the robot's root link: x, y, z [m/s^2].",
    check=_check_gravity)
REALTIME_PRIORITY = Specification(
    'realtime_priority', 20, 'SCHED_FIFO priority of this node, where the system permits it; 0: left as the node was started.',
    minimum=0, maximum=HIGHEST_PRIORITY, read_only=True)

PAYLOAD = (
    Specification(
        'payload.link', '', 'Link that carries a payload; empty: none.'),
    Specification(
        'payload.mass', 0.0, 'Mass of the payload [kg].', minimum=0.0, maximum=1e6),
    Specification(
        'payload.center', [0.0, 0.0, 0.0], "The payload's centre of mass in the link's frame: x, y, z [m].",
        check=finite_numbers('payload.center', 3, "x, y, z in the link's frame [m]")),
    Specification(
        'payload.inertia', [0.0] * 6, "The payload's inertia about its centre of mass along the link's axes: "
        'ixx, ixy, ixz, iyy, iyz, izz [kg m^2].',
        check=finite_numbers('payload.inertia', 6, 'ixx, ixy, ixz, iyy, iyz, izz [kg m^2]')),
)

SPECIFICATIONS = (
    ROBOT_DESCRIPTION,
    Specification(
        'autostart', True, 'Configure and activate as soon as there is a valid robot_description; '
        'false for a lifecycle manager.', read_only=True),
    JOINTS,
    GRAVITY,
    Specification(
        'order', 2, 'Highest time derivative of the efforts to publish: 0 efforts, 1 rates, 2 accelerations.',
        minimum=0, maximum=HIGHEST_ORDER),
    Specification(
        'setpoint_timeout', 0.1, 'Setpoints are stale when no good one has arrived for so long [s]; 0: never.',
        minimum=0.0, maximum=LONGEST_TIMEOUT),
    Specification(
        'on_timeout', 'gravity', "What ~/commands carries while setpoints are stale: 'gravity' (the torque that holds the last "
        "position), 'zero', or 'stop' (nothing: an effort controller then holds its last command).",
        check=one_of('on_timeout', ON_TIMEOUT)),
    Specification(
        'wrench_timeout', 0.0, 'An external wrench ceases when the next has not arrived for so long [s]; 0: it holds until the next.',
        minimum=0.0, maximum=LONGEST_TIMEOUT),
    Specification(
        'damping_filter', False, 'Let a filter that remembers earlier setpoints follow the dampers beside springs (elastic.<joint>.damping '
        'without damping_terms); false: such drives are refused.', read_only=True),
    Specification(
        'publish_commands', False, 'Publish the efforts on ~/commands for an effort controller.', read_only=True),
    Specification(
        'command_joints', [], "Joints of ~/commands, in the controller's order; empty: all, in the order of the model.",
        read_only=True, type=Parameter.Type.STRING_ARRAY, check=_unique_names('command_joints')),
    Specification(
        'limits.clip', False, 'Clip efforts to their limits (their rates are then left empty) instead of flagging them only.'),
    Specification(
        'limits.use_description', False, 'Take the effort limits of the robot description (those above 0) for joints without one here.'),
    *PAYLOAD,
    Specification(
        'joint_friction', False, "Add the joints' friction to the efforts of topics: <dynamics damping friction> of the robot "
        "description, damping q' + friction tanh(q' / joint_friction_width)."),
    Specification(
        'joint_friction_width', 0.05, "Velocity within which dry friction turns with the sign of q' [rad/s] or [m/s].",
        minimum=1e-9, maximum=1e9),
    REALTIME_PRIORITY,
    Specification(
        'max_order', 20, 'Highest order that a service request may ask for.', minimum=0, maximum=HIGHEST_ORDER),
    Specification(
        'max_samples', 10000, 'Most samples that a service request may carry.',
        minimum=1, maximum=MOST_SAMPLES),
    Specification(
        'max_seconds', 10.0, 'Most time of a processor that a service request may take [s].', minimum=0.1, maximum=LONGEST_TIMEOUT),
)

LOCKED_POSITION = Specification(
    'locked_positions.<joint>', 0.0, 'Position at which a joint is locked [rad] or [m]. One that is in `joints` may not be named.',
    read_only=True, check=finite('locked_positions.<joint>'))
ARMATURE = Specification(
    'armature.<joint>', 0.0, "Inertia of the joint's rotor, reflected to the joint [kg m^2] or [kg].",
    minimum=0.0, maximum=1e6, read_only=True)
EFFORT_LIMITS = (
    Specification('limits.<joint>.effort', inf, 'Largest effort [N m] or [N].', minimum=0.0, maximum=inf),
    Specification('limits.<joint>.effort_rate', inf, 'Largest effort rate [N m/s] or [N/s].', minimum=0.0, maximum=inf),
    Specification('limits.<joint>.effort_acceleration', inf, 'Largest effort acceleration [N m/s^2] or [N/s^2].', minimum=0.0, maximum=inf),
)
FAMILIES = (LOCKED_POSITION, ARMATURE, *EFFORT_LIMITS)
HOD = (*SPECIFICATIONS, *FAMILIES)
ROBOT = (ROBOT_DESCRIPTION, JOINTS, GRAVITY, *PAYLOAD, LOCKED_POSITION, ARMATURE)       # of every node
