"""What stands between a motor and its joint: rigid gears, springs, adjustable springs, antagonistic pairs of springs.

Values are on the motor's own side of the gear, theta_motor = gear_ratio theta: motor_inertia B, motor_friction (viscous), torque_limit
(None: unlimited) and all that is returned about motors. Springs lie between gear and joint; their figures are the joint's: stiffness
[N m/rad] of theta - q.
With the joint's deflection e = theta - q, and Q what the spring passes to the joint (003 (2)-(3)):

    Q = f(e) + damping e',    tau = B theta_motor'' + motor_friction theta_motor' + Q / gear_ratio.

The damper breaks flatness. damping_terms = m approximates it by m terms of the series in damping / stiffness, each of which needs one
derivative of q more; without damping_terms the drive has a state, which only a DampingFilter keeps.
"""

from dataclasses import dataclass

from hod_ros.actuators.figure_checks import count
from hod_ros.actuators.figure_checks import not_negative
from hod_ros.actuators.figure_checks import not_zero
from hod_ros.actuators.figure_checks import number_above_0
from hod_ros.actuators.figure_checks import number_but_0
from hod_ros.actuators.figure_checks import number_of_0_or_more
from hod_ros.actuators.figure_checks import pair
from hod_ros.actuators.figure_checks import positive
from hod_ros.actuators.spring_inverse import least_stiffness
from hod_ros.actuators.spring_inverse import paired_stretches
from hod_ros.actuators.spring_inverse import stretches
from hod_ros.actuators.springs import PAIRED
from hod_ros.actuators.springs import PolynomialSpring
from hod_ros.actuators.springs import pair_of_springs
from hod_ros.algebra import taylor
from hod_ros.checks.arguments import finite_number
from hod_ros.errors import InputError
from hod_ros.errors import SingularityError

STIFFNESS = '[N m/rad] or [N/m]'
INERTIA = '[kg m^2] or [kg], on the motor side'
FRICTION = '[N m s/rad] or [N s/m], on the motor side'
TORQUE = '[N m] or [N], on the motor side'
DAMPING = '[N m s/rad] or [N s/m], between motor and joint'


class Drive:
    """What the drives have in common."""

    elastic = True
    variable = False        # whether the stiffness is an input
    linear_spring = False   # whether Q = stiffness e with a constant
    damping = 0.0
    damping_terms = None

    def motors(self, joint):
        """Names of the motors of a joint."""
        return (joint,)

    @property
    def extra_rows(self):
        """How many derivatives of Q more than those of the motor's motion this drive needs."""
        return self.damping_terms or 0

    @property
    def keeps_state(self):
        return self.damping > 0 and self.damping_terms is None

    def deflections(self, Q, k):
        """[(series of x - q, series of what the joint's side exerts on the motor)] of each motor, for series of Q and k."""
        return [(self._deflection(Q, k), Q)]

    def _deflection(self, Q, k):
        e = self.static(Q, k)
        for _ in range(self.extra_rows):
            held = [a - self.damping * b for a, b in zip(Q, taylor.rate(e), strict=False)]
            e = self.static(held, k)
        return e


@dataclass(frozen=True, kw_only=True)
class Rigid(Drive):
    """A motor whose gear does not give: theta = q."""

    motor_inertia: float = 0.0
    gear_ratio: float = 1.0
    motor_friction: float = 0.0
    torque_limit: float | None = None

    elastic = False

    def __post_init__(self):
        _check_motor(self)

    def deflections(self, Q, k):
        return [([0.0 * term for term in Q], Q)]


@dataclass(frozen=True, kw_only=True)
class SeriesElastic(Drive):
    """A motor behind a linear spring: Q = stiffness (theta - q)."""

    stiffness: float = None
    motor_inertia: float = None
    gear_ratio: float = 1.0
    motor_friction: float = 0.0
    torque_limit: float | None = None
    damping: float = 0.0
    damping_terms: int | None = None

    linear_spring = True

    def __post_init__(self):
        positive(self, 'stiffness', STIFFNESS)
        _check_motor(self)
        _check_damping(self)

    def static(self, Q, k):
        return [term / self.stiffness for term in Q]

    def forces(self, e, k):
        """Series of Q and of the stiffness for the series of e and k."""
        return [self.stiffness * term for term in e], [self.stiffness, *(0.0 for _ in e[1:])]


@dataclass(frozen=True, kw_only=True)
class HardeningSpring(Drive):
    """A motor behind a spring that hardens: Q = stiffness e + cubic e^3 + quintic e^5, e = theta - q."""

    stiffness: float = None
    cubic: float = 0.0
    quintic: float = 0.0
    motor_inertia: float = None
    gear_ratio: float = 1.0
    motor_friction: float = 0.0
    torque_limit: float | None = None
    damping: float = 0.0
    damping_terms: int | None = None

    def __post_init__(self):
        positive(self, 'stiffness', STIFFNESS)
        not_negative(self, 'cubic', '[N m/rad^3] or [N/m^3]')
        not_negative(self, 'quintic', '[N m/rad^5] or [N/m^5]')
        _check_motor(self)
        _check_damping(self)
        object.__setattr__(self, 'spring', PolynomialSpring(stiffness=self.stiffness, cubic=self.cubic, quintic=self.quintic))

    def static(self, Q, k):
        return stretches(self.spring, Q)

    def forces(self, e, k):
        return self.spring.taylor(e)


@dataclass(frozen=True, kw_only=True)
class AdjustableStiffness(Drive):
    """A motor behind a spring whose stiffness another mechanism sets: Q = k(t) (theta - q).

    stiffness is the configured constant, in force where no stiffness motion is given; stiffness_range what the mechanism can reach.
    """

    stiffness: float | None = None
    motor_inertia: float = None
    gear_ratio: float = 1.0
    motor_friction: float = 0.0
    torque_limit: float | None = None
    damping: float = 0.0
    damping_terms: int | None = None
    stiffness_range: tuple[float, float] | None = None

    variable = True

    def __post_init__(self):
        if self.stiffness is not None:
            positive(self, 'stiffness', STIFFNESS)
        _check_motor(self)
        _check_damping(self)
        if self.stiffness_range is not None:
            pair(self, 'stiffness_range', number_above_0(STIFFNESS))
            if self.stiffness_range[0] > self.stiffness_range[1]:
                raise InputError(f'AdjustableStiffness: stiffness_range is {self.stiffness_range}; give (lowest, highest)')
            if self.stiffness is not None:
                self.check_stiffness(self.stiffness, self.stiffness)

    def static(self, Q, k):
        return taylor.quotient(Q, k)

    def forces(self, e, k):
        return taylor.product(k, e), k[:len(e)]

    def check_stiffness(self, lowest, highest):
        """Refuses stiffnesses that the mechanism cannot reach."""
        if lowest <= 0:
            raise InputError(f'the stiffness is {lowest:g}; it must stay above 0 {STIFFNESS}')
        if self.stiffness_range is not None:
            least, most = self.stiffness_range
            if lowest < least or highest > most:
                wrong = lowest if lowest < least else highest
                raise SingularityError(f'the stiffness is {wrong:g}; this spring can be set from {least:g} to {most:g} {STIFFNESS}')


@dataclass(frozen=True, kw_only=True)
class Antagonistic(Drive):
    """Two motors that act on the joint through a spring each: Q = f1(x1 - q) - f2(q - x2), k = f1'(x1 - q) + f2'(q - x2).

    spring: one for both, or a pair. Both motors turn in the joint's sense; motor 1 is ahead of the joint and motor 2 behind it.
    motor_inertia, gear_ratio, motor_friction and torque_limit may be pairs. stiffness is the configured constant, as in
    AdjustableStiffness.
    """

    spring: object = None
    stiffness: float | None = None
    motor_inertia: float | tuple[float, float] = None
    gear_ratio: float | tuple[float, float] = 1.0
    motor_friction: float | tuple[float, float] = 0.0
    torque_limit: float | tuple[float, float] | None = None

    variable = True

    def __post_init__(self):
        if self.spring is None:
            names = ', '.join(kind.__name__ for kind in PAIRED)
            raise InputError(f'Antagonistic: spring is missing; give one of {names}, or a pair of them')
        object.__setattr__(self, 'spring', pair_of_springs(self.spring))
        if self.stiffness is not None:
            positive(self, 'stiffness', STIFFNESS)
        pair(self, 'motor_inertia', number_of_0_or_more(INERTIA))
        pair(self, 'gear_ratio', number_but_0('[motor rad per joint rad]'))
        pair(self, 'motor_friction', number_of_0_or_more(FRICTION))
        if self.torque_limit is not None:
            pair(self, 'torque_limit', number_above_0(TORQUE))

    def motors(self, joint):
        return f'{joint}/1', f'{joint}/2'

    def least_stiffness(self, Q):
        """The least stiffness that the springs can have at the joint torque Q [N m/rad]."""
        return least_stiffness(self.spring, finite_number(Q, 'Q', '[N m] or [N]'))

    def deflections(self, Q, k):
        d1, d2 = paired_stretches(self.spring, Q, k)
        f1, f2 = self.spring[0].taylor(d1)[0], self.spring[1].taylor(d2)[0]
        return [(d1, f1), ([-term for term in d2], [-term for term in f2])]

    def forces(self, d1, d2):
        """Series of Q and of the stiffness for the series of both stretches."""
        f1, k1 = self.spring[0].taylor(d1)
        f2, k2 = self.spring[1].taylor(d2)
        return [a - b for a, b in zip(f1, f2, strict=True)], [a + b for a, b in zip(k1, k2, strict=True)]

    def check_stiffness(self, lowest, highest):
        """Refuses stiffnesses that no springs have; what these springs can do depends on the torque."""
        if lowest <= 0:
            raise InputError(f'the stiffness is {lowest:g}; it must stay above 0 {STIFFNESS}')


def _check_motor(drive):
    not_negative(drive, 'motor_inertia', INERTIA)
    not_zero(drive, 'gear_ratio', '[motor rad per joint rad]')
    not_negative(drive, 'motor_friction', FRICTION)
    if drive.torque_limit is not None:
        positive(drive, 'torque_limit', TORQUE)


def _check_damping(drive):
    not_negative(drive, 'damping', DAMPING)
    count(drive, 'damping_terms', 1)
    if drive.damping_terms and not drive.damping:
        raise InputError(f'{type(drive).__name__}: damping_terms is {drive.damping_terms}, but damping is 0 {DAMPING}; give both or none')
