# SPDX-License-Identifier: Apache-2.0
"""Exact numbers for closed expressions: sympy's in place of floats, and polynomials in what a robot's dynamics is made
of.

Dynamics is a polynomial in the sines and cosines of the angles, the coordinates of prismatic joints, the rates and the
parameters. As polynomials these sums stay short at every step, where trees of sympy's expressions grow beyond use.
"""

from fractions import Fraction
from numbers import Number

import numpy as np

from hod_ros.checks.optional import optional
from hod_ros.model import joints

sympy = optional('sympy', 'symbolic')

ROUNDING = 1e-12
DENOMINATORS = (10_000, 100)    # of fractions, and of their squares, that a float is taken for
FIELDS = ('multiplier', 'offset', 'B', 'X', 'M', 'M_base', 'gravity', 'armature')


def with_exact_numbers(model):
    """The model in sympy's numbers, and whether all of them are short ones: integers, plain fractions and their roots,
    symbols."""
    short = True
    changes = {}
    for name in FIELDS:
        array = getattr(model, name)
        changes[name] = out = np.empty(array.shape, object)
        for at, value in np.ndenumerate(array):
            out[at], is_short = _exact(value)
            short &= is_short
    return model.replace(**changes), short


class PolynomialSpace:
    """The polynomials in which one model computes; `q` (rows, n) are its symbols, `angles` the arguments of its
    sines."""

    def __init__(self, model, q):
        self.q, self.roots = q, {}
        turning = (model.X[:, :3] != 0).any(-1)
        self.angles = list(dict.fromkeys(joints.screw_coordinates(model, q[:1])[0][turning]))
        self.cosines = [sympy.Dummy(f'c{k}') for k in range(len(self.angles))]
        self.sines = [sympy.Dummy(f's{k}') for k in range(len(self.angles))]
        parameters = dict.fromkeys(value for name in FIELDS for value in getattr(model, name).flat)
        plain = [self._without_roots(value) for value in parameters]
        unknown = sorted(set().union(*(self._generators(value) for value in plain)), key=sympy.default_sort_key)
        self._generators_in_order = [*self.cosines, *self.sines, *q.flat, *unknown]
        self.ring, *_ = sympy.polys.rings.ring(self._generators_in_order, sympy.QQ)
        self.trigonometric = {self(angle): (self(c), self(s))
                              for angle, c, s in zip(self.angles, self.cosines, self.sines, strict=True)}

    def __call__(self, expression):
        plain = self._without_roots(sympy.sympify(expression))
        polynomial = sympy.Poly(plain, *self._generators_in_order, domain=sympy.QQ)
        return Polynomial(self.ring.from_dict(polynomial.rep.to_dict()), self)

    def model(self, model):
        """The model with its numbers in this space."""
        return model.replace(**{name: self.array(getattr(model, name)) for name in FIELDS})

    def array(self, values):
        out = np.empty(values.shape, object)
        for at, value in np.ndenumerate(values):
            out[at] = self(value)
        return out

    def expression(self, polynomial, digits=None):
        """As sympy's expression; with `digits`, its numbers as decimals."""
        if digits is None:
            out = polynomial.as_expr()
        else:
            out = sympy.Add(*(
                sympy.Rational(int(c.numerator), int(c.denominator)).n(digits)
                * polynomial.ring.from_dict({powers: sympy.QQ(1)}).as_expr() for powers, c in polynomial.terms()))
        return out.xreplace({symbol: root for root, symbol in self.roots.items()})

    def _without_roots(self, value):
        """Roots of numbers as symbols of their own."""
        for power in value.atoms(sympy.Pow):
            if power.is_number and power not in self.roots:
                self.roots[power] = sympy.Dummy(f'root{len(self.roots)}')
        return value.xreplace(self.roots)

    @staticmethod
    def _generators(value):
        return set() if value.is_Number else set(sympy.Poly(value).gens)


class Polynomial(Number):
    """A number for numpy's object arrays; np.sin and np.cos call its methods."""

    __slots__ = ('element', 'space')

    def __init__(self, element, space):
        self.element, self.space = element, space

    def sin(self):
        return self.space.trigonometric[self][1] if self.element else self

    def cos(self):
        return self.space.trigonometric[self][0] if self.element else self + 1

    def _other(self, other):
        return other.element if isinstance(other, Polynomial) else int(other)

    def __add__(self, other):
        return Polynomial(self.element + self._other(other), self.space)

    def __sub__(self, other):
        return Polynomial(self.element - self._other(other), self.space)

    def __rsub__(self, other):
        return Polynomial(-self.element + self._other(other), self.space)

    def __mul__(self, other):
        return Polynomial(self.element * self._other(other), self.space)

    def __neg__(self):
        return Polynomial(-self.element, self.space)

    def __eq__(self, other):
        return self.element == self._other(other)

    def __bool__(self):
        return bool(self.element)

    def __hash__(self):
        return hash(self.element)

    __radd__, __rmul__ = __add__, __mul__


def _exact(value):
    """(sympy's number, whether it is a short one)"""
    if isinstance(value, sympy.Basic) and not isinstance(value, sympy.Float):
        return value, True
    value = float(value)
    sign, size = (-1 if value < 0 else 1), abs(value)
    for power, limit in zip((1, 2), DENOMINATORS, strict=True):
        ratio = Fraction(size**power).limit_denominator(limit)
        if abs(float(ratio) ** (1 / power) - size) <= ROUNDING:
            return sign * sympy.Rational(ratio.numerator, ratio.denominator) ** sympy.Rational(1, power), True
    return sympy.Rational(repr(value)), False
