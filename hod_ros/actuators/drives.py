# SPDX-License-Identifier: Apache-2.0
"""What stands between a motor and its joint: rigid gears, springs, adjustable springs, antagonistic pairs of springs.

Values are on the motor's own side of the gear, theta_motor = gear_ratio theta: motor_inertia B, friction, torque_limit (None: unlimited)
and all that is returned about motors. Springs lie between gear and joint; their figures are the joint's: stiffness [N m/rad] of theta - q.
With the joint's deflection e = theta - q, and Q what the spring passes to the joint (003 (2)-(3)):

    Q = f(e) + damping e',    tau = B theta_motor'' + F(theta_motor') + Q / gear_ratio,

F being the law of motor_friction.py. The damper breaks flatness. damping_terms = m approximates it by m terms of the series in
damping / stiffness, each of which needs one derivative of q more; without damping_terms the drive has a state, which only a DampingFilter
keeps. motor_link says on which link the motor's rotor spins; see rotor_coupling.py.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.actuators.figure_checks import count
from hod_ros.actuators.figure_checks import direction
from hod_ros.actuators.figure_checks import figure
from hod_ros.actuators.figure_checks import not_negative
from hod_ros.actuators.figure_checks import number_above_0
from hod_ros.actuators.figure_checks import number_but_0
from hod_ros.actuators.figure_checks import number_of_0_or_more
from hod_ros.actuators.figure_checks import optional
from hod_ros.actuators.figure_checks import pair
from hod_ros.actuators.figure_checks import positive
from hod_ros.actuators.motor_friction import check_friction
from hod_ros.actuators.spring_inverse import least_stiffness
from hod_ros.actuators.spring_inverse import paired_stretches
from hod_ros.actuators.spring_inverse import stretches
from hod_ros.actuators.springs import STIFFNESS
from hod_ros.actuators.springs import PolynomialSpring
from hod_ros.actuators.springs import SpringLaw
from hod_ros.actuators.springs import names_of_springs
from hod_ros.actuators.springs import pair_of_springs
from hod_ros.algebra import taylor
from hod_ros.algebra.taylor import Series
from hod_ros.checks.arguments import finite_number
from hod_ros.checks.arguments import shown
from hod_ros.checks.types import Array
from hod_ros.errors import InputError
from hod_ros.errors import SingularityError

INERTIA = '[kg m^2] or [kg], on the motor side'
FRICTION = '[N m s/rad] or [N s/m], on the motor side'
TORQUE = '[N m] or [N], on the motor side'
SPEED = '[rad/s] or [m/s], on the motor side'
RATIO = '[motor rad per joint rad]'
DAMPING = '[N m s/rad] or [N s/m], between motor and joint'


class Drive:
    """What the drives have in common."""

    elastic = True
    variable = False        # whether the stiffness is an input
    linear_spring = False   # whether Q = stiffness e with a constant
    damping: float = 0.0
    damping_terms: int | None = None

    def motors(self, joint: str) -> tuple[str, ...]:
        """Names of the motors of a joint."""
        return (joint,)

    @property
    def extra_rows(self) -> int:
        """How many derivatives of Q more than those of the motor's motion this drive needs."""
        return self.damping_terms or 0

    @property
    def keeps_state(self) -> bool:
        return self.damping > 0 and self.damping_terms is None

    def deflections(self, Q: Series, k: Series | None) -> list[tuple[Series, Series]]:
        """[(series of x - q, series of what the joint's side exerts on the motor)] of each motor, for series of Q and k."""
        return [(self._deflection(Q, k), Q)]

    def _deflection(self, Q, k):
        e = self.static(Q, k)
        for _ in range(self.extra_rows):
            held = [a - self.damping * b for a, b in zip(Q, taylor.rate(e), strict=False)]
            e = self.static(held, k)
        return e


@dataclass(frozen=True, kw_only=True)
class Motor(Drive):
    """A drive's motor. The figures of a pair of motors may be pairs."""

    motor_inertia: float = figure(INERTIA, None)
    gear_ratio: float = figure(RATIO, 1.0)
    motor_friction: float = figure('viscous ' + FRICTION, 0.0)
    motor_coulomb: float = figure('dry friction ' + TORQUE, 0.0)
    motor_breakaway: float | None = figure('dry friction of a slow motor (Stribeck), motor_coulomb or more ' + TORQUE, None)
    motor_stribeck_velocity: float | None = figure('at which 63 % of what motor_breakaway adds are gone ' + SPEED, None)
    motor_friction_width: float | None = figure('within which dry friction turns ' + SPEED, None)
    torque_limit: float | None = figure(TORQUE, None)
    motor_link: str | None = figure('name of the link on which the rotor spins; left out: it spins as if about a fixed axis', None)
    motor_axis: tuple[float, float, float] | None = figure(
        "of the rotor in that link's frame, three numbers; left out: the joint's own", None)

    def __post_init__(self) -> None:
        self._each('motor_inertia', number_of_0_or_more(INERTIA))
        self._each('gear_ratio', number_but_0(RATIO))
        self._each('motor_friction', number_of_0_or_more(FRICTION))
        self._each('motor_coulomb', number_of_0_or_more(TORQUE))
        self._each('motor_breakaway', optional(number_of_0_or_more(TORQUE)))
        self._each('motor_stribeck_velocity', optional(number_above_0(SPEED)))
        self._each('motor_friction_width', optional(number_above_0(SPEED)))
        self._each('torque_limit', optional(number_above_0(TORQUE)))
        check_friction(self)
        direction(self, 'motor_axis')
        if self.motor_link is not None and not isinstance(self.motor_link, str):
            raise InputError(f'{type(self).__name__}: motor_link is {shown(self.motor_link)}; give the name of a link')
        if self.motor_axis is not None and self.motor_link is None:
            raise InputError(f'{type(self).__name__}: motor_axis is given, but motor_link is not; name the link on which the rotor spins')

    def pulls(self, deflections: ArrayLike, rates: ArrayLike) -> Array:
        """(motors,) what the springs and dampers exert on the joint, each motor's share, at the motors' deflections x - q [N m]."""
        k = [self.stiffness or 0.0] if self.variable else None
        return np.array([self.forces([deflections[0]], k)[0][0] + self.damping * rates[0]])

    def _each(self, name, check):
        """Replaces a figure by its float."""
        object.__setattr__(self, name, check(getattr(self, name), f'{type(self).__name__}: {name}'))


@dataclass(frozen=True, kw_only=True)
class Rigid(Motor):
    """A motor whose gear does not give: theta = q.

    Raises InputError where a figure has the wrong sign or is not finite.

        >>> m = motor_feedforward(model, {'panda_joint1': Rigid(motor_inertia=1e-4, gear_ratio=100.0)}, q)
        >>> bool(np.isclose(m.positions[0], 100 * q[0, 0]))
        True
    """

    motor_inertia: float = figure(INERTIA, 0.0)

    elastic = False

    def deflections(self, Q: Series, k: Series | None) -> list[tuple[Series, Series]]:
        return [([0.0 * term for term in Q], Q)]


@dataclass(frozen=True, kw_only=True)
class SeriesElastic(Motor):
    """A motor behind a linear spring: Q = stiffness (theta - q).

    Raises InputError where a figure is missing, has the wrong sign or is not finite.

        >>> m = motor_feedforward(model, {'panda_joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}, q)
        >>> bool(np.isclose(m.positions[0], q[0, 0] + inverse_dynamics(model, q)[0, 0] / 3000.0))
        True
    """

    stiffness: float = figure(STIFFNESS, None)
    damping: float = figure(DAMPING, 0.0)
    damping_terms: int | None = figure('terms of the series in damping / stiffness', None)

    linear_spring = True

    def __post_init__(self) -> None:
        positive(self, 'stiffness', STIFFNESS)
        super().__post_init__()
        _check_damping(self)

    def static(self, Q: Series, k: Series | None) -> Series:
        return [term / self.stiffness for term in Q]

    def forces(self, e: Series, k: Series | None) -> tuple[Series, Series]:
        """Series of Q and of the stiffness for the series of e and k."""
        return [self.stiffness * term for term in e], [self.stiffness, *(0.0 for _ in e[1:])]


@dataclass(frozen=True, kw_only=True)
class HardeningSpring(Motor):
    """A motor behind a spring that hardens: Q = stiffness e + cubic e^3 + quintic e^5, e = theta - q.

    Raises InputError where a figure is missing, has the wrong sign or is not finite.

        >>> drive = HardeningSpring(stiffness=1000.0, cubic=2e4, motor_inertia=0.2)
        >>> motor_feedforward(model, {'panda_joint1': drive}, q).positions.shape
        (7,)
    """

    stiffness: float = figure(STIFFNESS, None)
    cubic: float = figure('[N m/rad^3] or [N/m^3]', 0.0)
    quintic: float = figure('[N m/rad^5] or [N/m^5]', 0.0)
    damping: float = figure(DAMPING, 0.0)
    damping_terms: int | None = figure('terms of the series in damping / stiffness', None)

    def __post_init__(self) -> None:
        positive(self, 'stiffness', STIFFNESS)
        not_negative(self, 'cubic', '[N m/rad^3] or [N/m^3]')
        not_negative(self, 'quintic', '[N m/rad^5] or [N/m^5]')
        super().__post_init__()
        _check_damping(self)
        object.__setattr__(self, 'spring', PolynomialSpring(stiffness=self.stiffness, cubic=self.cubic, quintic=self.quintic))

    def static(self, Q: Series, k: Series | None) -> Series:
        return stretches(self.spring, Q)

    def forces(self, e: Series, k: Series | None) -> tuple[Series, Series]:
        return self.spring.taylor(e)


@dataclass(frozen=True, kw_only=True)
class AdjustableStiffness(Motor):
    """A motor behind a spring whose stiffness another mechanism sets: Q = k(t) (theta - q).

    stiffness is the configured constant, in force where no stiffness motion is given; stiffness_range what the mechanism can reach.

    Raises InputError where a figure is missing or wrong; SingularityError where a stiffness is out of its range.

        >>> AdjustableStiffness(motor_inertia=0.2, stiffness=500.0, stiffness_range=(100.0, 2000.0)).stiffness
        500.0
    """

    stiffness: float | None = figure(STIFFNESS, None)
    damping: float = figure(DAMPING, 0.0)
    damping_terms: int | None = figure('terms of the series in damping / stiffness', None)
    stiffness_range: tuple[float, float] | None = figure(f'lowest and highest {STIFFNESS}', None)

    variable = True

    def __post_init__(self) -> None:
        if self.stiffness is not None:
            positive(self, 'stiffness', STIFFNESS)
        super().__post_init__()
        _check_damping(self)
        if self.stiffness_range is not None:
            pair(self, 'stiffness_range', number_above_0(STIFFNESS))
            if self.stiffness_range[0] > self.stiffness_range[1]:
                raise InputError(f'AdjustableStiffness: stiffness_range is {self.stiffness_range}; give (lowest, highest)')
            if self.stiffness is not None:
                self.check_stiffness(self.stiffness, self.stiffness)

    def static(self, Q: Series, k: Series | None) -> Series:
        return taylor.quotient(Q, k)

    def forces(self, e: Series, k: Series | None) -> tuple[Series, Series]:
        return taylor.product(k, e), k[:len(e)]

    def check_stiffness(self, lowest: float, highest: float) -> None:
        """Refuses stiffnesses that the mechanism cannot reach."""
        if lowest <= 0:
            raise InputError(f'the stiffness is {lowest:g}; it must stay above 0 {STIFFNESS}')
        if self.stiffness_range is not None:
            least, most = self.stiffness_range
            if lowest < least or highest > most:
                wrong = lowest if lowest < least else highest
                raise SingularityError(f'the stiffness is {wrong:g}; this spring can be set from {least:g} to {most:g} {STIFFNESS}')


@dataclass(frozen=True, kw_only=True)
class Antagonistic(Motor):
    """Two motors that act on the joint through a spring each: Q = f1(x1 - q) - f2(q - x2), k = f1'(x1 - q) + f2'(q - x2).

    spring: one for both, or a pair. Both motors turn in the joint's sense; motor 1 is ahead of the joint and motor 2 behind it.
    The motors' figures may be pairs. stiffness is the configured constant, as in AdjustableStiffness.

    Raises InputError where a figure is missing or wrong; its use SingularityError where no stretch gives torque and stiffness.

        >>> drive = Antagonistic(motor_inertia=0.01, spring=ExponentialSpring(torque=2.0, rate=8.0), stiffness=60.0)
        >>> motor_feedforward(model, {'panda_joint1': drive}, 0.1 * q).names[:3]          # the other joints are rigid
        ('panda_joint1/1', 'panda_joint1/2', 'panda_joint2')
    """

    spring: SpringLaw | tuple[SpringLaw, SpringLaw] = figure('of an antagonistic pair', None)
    motor_inertia: float | tuple[float, float] = figure(INERTIA, None)
    gear_ratio: float | tuple[float, float] = figure(RATIO, 1.0)
    motor_friction: float | tuple[float, float] = figure('viscous ' + FRICTION, 0.0)
    torque_limit: float | tuple[float, float] | None = figure(TORQUE, None)
    stiffness: float | None = figure(STIFFNESS, None)

    variable = True

    def __post_init__(self) -> None:
        if self.spring is None:
            raise InputError(f'Antagonistic: spring is missing; give one of {names_of_springs()}, or a pair of them')
        object.__setattr__(self, 'spring', pair_of_springs(self.spring))
        if self.stiffness is not None:
            positive(self, 'stiffness', STIFFNESS)
        super().__post_init__()

    def _each(self, name, check):
        pair(self, name, check)

    def motors(self, joint: str) -> tuple[str, ...]:
        return f'{joint}/1', f'{joint}/2'

    def pulls(self, deflections: ArrayLike, rates: ArrayLike) -> Array:
        stretches = deflections[0], -deflections[1]
        f1, f2 = (0.0 if law.pulls_only and d < 0 else law.force_at(d) for law, d in zip(self.spring, stretches, strict=True))
        return np.array([f1, -f2])

    def least_stiffness(self, Q: float) -> float:
        """The least stiffness that the springs can have at the joint torque Q [N m/rad]."""
        return least_stiffness(self.spring, finite_number(Q, 'Q', '[N m] or [N]'))

    def deflections(self, Q: Series, k: Series | None) -> list[tuple[Series, Series]]:
        d1, d2 = paired_stretches(self.spring, Q, k)
        f1, f2 = self.spring[0].taylor(d1)[0], self.spring[1].taylor(d2)[0]
        return [(d1, f1), ([-term for term in d2], [-term for term in f2])]

    def forces(self, d1: Series, d2: Series) -> tuple[Series, Series]:
        """Series of Q and of the stiffness for the series of both stretches."""
        f1, k1 = self.spring[0].taylor(d1)
        f2, k2 = self.spring[1].taylor(d2)
        return [a - b for a, b in zip(f1, f2, strict=True)], [a + b for a, b in zip(k1, k2, strict=True)]

    def check_stiffness(self, lowest: float, highest: float) -> None:
        """Refuses stiffnesses that no springs have; what these springs can do depends on the torque."""
        if lowest <= 0:
            raise InputError(f'the stiffness is {lowest:g}; it must stay above 0 {STIFFNESS}')


def _check_damping(drive):
    not_negative(drive, 'damping', DAMPING)
    count(drive, 'damping_terms', 1)
    if drive.damping_terms and not drive.damping:
        raise InputError(f'{type(drive).__name__}: damping_terms is {drive.damping_terms}, but damping is 0 {DAMPING}; give both or none')
