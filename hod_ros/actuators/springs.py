# SPDX-License-Identifier: Apache-2.0
"""Spring laws: the force f and the stiffness f' at a deflection, as numbers and as Taylor series; and the inverses of both.

Forces are [N m] or [N], deflections [rad] or [m], and f(0) = 0. A law for antagonistic pairs is a frozen dataclass below SpringLaw whose
fields are its figures; its line in SPRINGS makes it known to parameter files, to <hod_elastic> and to the pages.
"""

import math
from abc import ABC
from abc import abstractmethod
from dataclasses import dataclass
from functools import wraps
from numbers import Real
from typing import Any

from hod_ros.actuators.figure_checks import figure
from hod_ros.actuators.figure_checks import not_negative
from hod_ros.actuators.figure_checks import positive
from hod_ros.algebra import taylor
from hod_ros.algebra.taylor import Series
from hod_ros.checks.arguments import shown
from hod_ros.errors import InputError

STIFFNESS = '[N m/rad] or [N/m]'
_DEFLECTION = 'e', '[rad] or [m]'
_ARGUMENTS = {
    'force_at': _DEFLECTION, 'stiffness_at': _DEFLECTION, 'curvature_at': _DEFLECTION, 'stretch': ('force', '[N m] or [N]'),
    'stretch_of_stiffness': ('stiffness', STIFFNESS)}


class OfNumbers:
    """Functions of one number, as classes below this one write them, answer anything else with an InputError."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, (what, unit) in _ARGUMENTS.items():
            function = cls.__dict__.get(name)
            if function is not None and not getattr(function, '__isabstractmethod__', False):
                setattr(cls, name, _of_a_number(function, what, unit))


def _of_a_number(function, what, unit):
    @wraps(function)
    def checked(self, value):
        try:
            result = function(self, value)
            if isinstance(result, Real) and math.isfinite(result) and not isinstance(value, bool):
                return result
        except (TypeError, ValueError, ArithmeticError):
            pass
        raise InputError(f'{type(self).__name__}: {what} is {shown(value)}; give one number {unit} that the spring can have')
    return checked


class SpringLaw(OfNumbers, ABC):
    """One spring of an antagonistic pair, f' > 0 and f'' > 0 where it is stretched. All that the inverse of a pair asks for is here.

    Those at hand: ExponentialSpring, QuadraticSpring, HyperbolicSineSpring, CubicSpring.

        >>> spring = QuadraticSpring(quadratic=50.0, linear=10.0)
        >>> isinstance(spring, SpringLaw), round(spring.stretch(1.5), 12)
        (True, 0.1)
    """

    pulls_only = False          # no force below zero stretch, where the law need not hold; otherwise f is odd
    ratio_grows = True          # whether f''/f' of a law that pushes too never falls from 0 on: then pairs have one least stiffness alone

    @abstractmethod
    def force_at(self, e: float) -> float:
        """f(e) of a number."""

    @abstractmethod
    def stiffness_at(self, e: float) -> float:
        """f'(e) of a number."""

    @abstractmethod
    def curvature_at(self, e: float) -> float:
        """f''(e) of a number."""

    @abstractmethod
    def stretch(self, force: float) -> float:
        """The deflection at which the spring exerts this force."""

    @abstractmethod
    def stretch_of_stiffness(self, stiffness: float) -> float:
        """The deflection of 0 or more with this stiffness; 0 where it is less than that at rest."""

    @abstractmethod
    def taylor(self, e: Series) -> tuple[Series, Series]:
        """Series of f(e) and of f'(e) along the series of e, of numbers or arrays of samples."""


@dataclass(frozen=True, kw_only=True)
class PolynomialSpring(OfNumbers):
    """f(e) = stiffness e + cubic e^3 + quintic e^5, for both signs of e: it hardens as it is deflected."""

    stiffness: float = figure('at rest ' + STIFFNESS)
    cubic: float = figure('[N m/rad^3] or [N/m^3]', 0.0)
    quintic: float = figure('[N m/rad^5] or [N/m^5]', 0.0)

    def __post_init__(self) -> None:
        positive(self, 'stiffness', '[N m/rad] or [N/m]')
        not_negative(self, 'cubic', '[N m/rad^3] or [N/m^3]')
        not_negative(self, 'quintic', '[N m/rad^5] or [N/m^5]')

    def force_at(self, e: float) -> float:
        return e * (self.stiffness + e * e * (self.cubic + e * e * self.quintic))

    def stiffness_at(self, e: float) -> float:
        return self.stiffness + e * e * (3 * self.cubic + 5 * self.quintic * e * e)

    def stretch(self, force: float) -> float:
        """The deflection at which the spring exerts this force; f is monotone and convex from 0 on."""
        target = abs(force)
        e = target / self.stiffness
        if self.cubic:
            e = min(e, (target / self.cubic) ** (1 / 3))
        if self.quintic:
            e = min(e, (target / self.quintic) ** 0.2)
        for _ in range(60):
            before = e
            e -= (self.force_at(e) - target) / self.stiffness_at(e)
            if abs(before - e) <= 2e-16 * e:
                break
        return math.copysign(e, force)

    def taylor(self, e: Series) -> tuple[Series, Series]:
        """Series of f(e) and of f'(e) along the series of e."""
        square = taylor.product(e, e)
        shape, stiffness = [self.cubic * a for a in square], [3 * self.cubic * a for a in square]
        if self.quintic:
            fourth = taylor.product(square, square)
            shape = [a + self.quintic * b for a, b in zip(shape, fourth, strict=True)]
            stiffness = [a + 5 * self.quintic * b for a, b in zip(stiffness, fourth, strict=True)]
        shape[0] = shape[0] + self.stiffness
        stiffness[0] = stiffness[0] + self.stiffness
        return taylor.product(e, shape), stiffness


@dataclass(frozen=True, kw_only=True)
class ExponentialSpring(SpringLaw):
    """f(e) = torque (exp(rate e) - 1) for e >= 0; it only pulls.

    Raises InputError where a figure has the wrong sign or is not finite.

        >>> ExponentialSpring(torque=2.0, rate=8.0).stiffness_at(0.0)
        16.0
    """

    torque: float = figure('of the springs of a pair [N m] or [N]')
    rate: float = figure('of the springs of a pair [1/rad] or [1/m]')

    pulls_only = True

    def __post_init__(self) -> None:
        positive(self, 'torque', '[N m] or [N]')
        positive(self, 'rate', '[1/rad] or [1/m]')

    def force_at(self, e: float) -> float:
        return self.torque * math.expm1(self.rate * e)

    def stiffness_at(self, e: float) -> float:
        return self.torque * self.rate * math.exp(self.rate * e)

    def curvature_at(self, e: float) -> float:
        return self.rate * self.stiffness_at(e)

    def stretch(self, force: float) -> float:
        return math.log1p(force / self.torque) / self.rate

    def stretch_of_stiffness(self, stiffness: float) -> float:
        return math.log(stiffness / (self.torque * self.rate)) / self.rate

    def taylor(self, e: Series) -> tuple[Series, Series]:
        grown = taylor.exponential([self.rate * term for term in e])
        force = [self.torque * term for term in grown]
        force[0] = force[0] - self.torque
        return force, [self.torque * self.rate * term for term in grown]


@dataclass(frozen=True, kw_only=True)
class QuadraticSpring(SpringLaw):
    """f(e) = linear e + quadratic e^2 for e >= 0; it only pulls.

    Raises InputError where a figure has the wrong sign or is not finite.

        >>> QuadraticSpring(quadratic=50.0, linear=10.0).force_at(0.1)
        1.5
    """

    quadratic: float = figure('[N m/rad^2] or [N/m^2]')
    linear: float = figure(STIFFNESS, 0.0)

    pulls_only = True

    def __post_init__(self) -> None:
        positive(self, 'quadratic', '[N m/rad^2] or [N/m^2]')
        not_negative(self, 'linear', '[N m/rad] or [N/m]')

    def force_at(self, e: float) -> float:
        return e * (self.linear + self.quadratic * e)

    def stiffness_at(self, e: float) -> float:
        return self.linear + 2 * self.quadratic * e

    def curvature_at(self, e: float) -> float:
        return 2 * self.quadratic

    def stretch(self, force: float) -> float:
        if force <= 0:
            return 0.0
        return 2 * force / (self.linear + math.sqrt(self.linear ** 2 + 4 * self.quadratic * force))

    def stretch_of_stiffness(self, stiffness: float) -> float:
        return (stiffness - self.linear) / (2 * self.quadratic)

    def taylor(self, e: Series) -> tuple[Series, Series]:
        stiffness = [2 * self.quadratic * term for term in e]
        stiffness[0] = stiffness[0] + self.linear
        square = taylor.product(e, e)
        return [self.linear * a + self.quadratic * b for a, b in zip(e, square, strict=True)], stiffness


@dataclass(frozen=True, kw_only=True)
class HyperbolicSineSpring(SpringLaw):
    """f(e) = torque sinh(rate e), for both signs of e.

    Raises InputError where a figure has the wrong sign or is not finite.

        >>> HyperbolicSineSpring(torque=2.0, rate=8.0).stiffness_at(0.0)
        16.0
    """

    torque: float = figure('of the springs of a pair [N m] or [N]')
    rate: float = figure('of the springs of a pair [1/rad] or [1/m]')

    def __post_init__(self) -> None:
        positive(self, 'torque', '[N m] or [N]')
        positive(self, 'rate', '[1/rad] or [1/m]')

    def force_at(self, e: float) -> float:
        return self.torque * math.sinh(self.rate * e)

    def stiffness_at(self, e: float) -> float:
        return self.torque * self.rate * math.cosh(self.rate * e)

    def curvature_at(self, e: float) -> float:
        return self.torque * self.rate ** 2 * math.sinh(self.rate * e)

    def stretch(self, force: float) -> float:
        return math.asinh(force / self.torque) / self.rate

    def stretch_of_stiffness(self, stiffness: float) -> float:
        return math.acosh(max(1.0, stiffness / (self.torque * self.rate))) / self.rate

    def taylor(self, e: Series) -> tuple[Series, Series]:
        sinh, cosh = taylor.hyperbolic([self.rate * term for term in e])
        return [self.torque * term for term in sinh], [self.torque * self.rate * term for term in cosh]


@dataclass(frozen=True, kw_only=True)
class CubicSpring(SpringLaw):
    """f(e) = linear e + cubic e^3, for both signs of e.

    Raises InputError where a figure has the wrong sign or is not finite.

        >>> CubicSpring(linear=10.0, cubic=2.0).force_at(1.0)
        12.0
    """

    linear: float = figure(STIFFNESS)
    cubic: float = figure('[N m/rad^3] or [N/m^3]')

    ratio_grows = False

    def __post_init__(self) -> None:
        positive(self, 'linear', STIFFNESS)
        positive(self, 'cubic', '[N m/rad^3] or [N/m^3]')
        object.__setattr__(self, '_polynomial', PolynomialSpring(stiffness=self.linear, cubic=self.cubic))

    def force_at(self, e: float) -> float:
        return self._polynomial.force_at(e)

    def stiffness_at(self, e: float) -> float:
        return self._polynomial.stiffness_at(e)

    def curvature_at(self, e: float) -> float:
        return 6 * self.cubic * e

    def stretch(self, force: float) -> float:
        return self._polynomial.stretch(force)

    def stretch_of_stiffness(self, stiffness: float) -> float:
        return math.sqrt(max(0.0, stiffness - self.linear) / (3 * self.cubic))

    def taylor(self, e: Series) -> tuple[Series, Series]:
        return self._polynomial.taylor(e)


SPRINGS = {         # laws of the springs of antagonistic pairs, by the names that parameters and descriptions give them
    'exponential': ExponentialSpring,
    'quadratic': QuadraticSpring,
    'hyperbolic_sine': HyperbolicSineSpring,
    'cubic': CubicSpring,
}

# The two springs of a qbmove Advanced (qb robotics, manual, p. 18).
QBMOVE = (HyperbolicSineSpring(torque=0.0026, rate=8.9995), HyperbolicSineSpring(torque=0.0011, rate=8.9989))


def pair_of_springs(spring: SpringLaw | tuple[SpringLaw, SpringLaw]) -> tuple[SpringLaw, SpringLaw]:
    """The springs of motors 1 and 2, given as one for both or as a pair."""
    pair = (spring, spring) if isinstance(spring, SpringLaw) else spring
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(item, SpringLaw) for item in pair):
        raise InputError(f'Antagonistic: spring is {shown(spring)}; give one of {names_of_springs()}, or a pair of them')
    if type(pair[0]) is not type(pair[1]):
        raise InputError(f'Antagonistic: spring is a pair of {type(pair[0]).__name__} and {type(pair[1]).__name__}; '
                         'give two of one kind')
    return pair[0], pair[1]


def names_of_springs() -> str:
    """The classes of SPRINGS, for a message."""
    return ', '.join(kind.__name__ for kind in SPRINGS.values())
