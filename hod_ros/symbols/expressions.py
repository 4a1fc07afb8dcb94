# SPDX-License-Identifier: Apache-2.0
"""Closed expressions of Q, Q', Q'', ... for small robots, by sympy.

The numpy reference computes in any numbers. Here it computes in polynomials of sines, cosines, rates and parameters;
the result is written as a sum over angles, sum A cos(n . q) + B sin(n . q), where every term occurs once and all that
can cancel has done so. Time derivatives are taken of that form.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.checks import arguments
from hod_ros.checks.optional import optional
from hod_ros.checks.types import Array
from hod_ros.dynamics.formulations import recursive
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel
from hod_ros.symbols import exact_numbers

sympy = optional('sympy', 'symbolic')

MAX_JOINTS = 3
DIGITS = 15
NEGLIGIBLE = 1e-13


class SymbolicDynamics(NamedTuple):
    """Expressions and the symbols in them.

    What symbolic returns.

        >>> one = RobotModel.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [link_inertia(1, [0, 0, 0], np.eye(3))])
        >>> symbolic(one, 0).q[2, 0]
        ddq1
    """

    Q: Array   # (order + 1, n) expressions of Q, Q', ...
    q: Array   # (order + 3, n) what stands for q, q', q'', ...


def symbolic(model: RobotModel, order: int, *, q: ArrayLike | None = None, simplify: bool = True) -> SymbolicDynamics:
    """(Q, q): simplified expressions of Q .. Q^(order), (order + 1, n), and their symbols q, (order + 3, n).

    model: up to three joints; its arrays may hold sympy's symbols (masses, lengths, gravity), see from_screws, from_dh.
    Where all its numbers are short (fractions, their roots) the expressions are exact, otherwise they hold decimals.
    q: symbols of your own, (order + 3, n), or functions of time (n,), which are differentiated; None: q1, dq1, ddq1,
    d3q1, ...
    simplify: False leaves what the recursion makes of sympy's symbols as it stands; so are joints of several axes.

    Raises InputError where order or q is wrong; ModelError where the model has more than three joints or a free base.

        >>> one = RobotModel.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [link_inertia(1, [0, 0, 0], np.eye(3))])
        >>> symbolic(one, 1).Q[:, 0].tolist()
        [ddq1, d3q1]
    """
    if not isinstance(order, (int, np.integer)) or isinstance(order, bool) or not 0 <= order < motions.MOST_ROWS:
        raise InputError(f'order is {arguments.shown(order)}; give 0, 1, 2, ...')
    simplify = arguments.flag(simplify, 'simplify')
    if motions.robot_model(model).n > MAX_JOINTS:
        raise ModelError(
            f'{model.name} has {model.n} coordinates; closed expressions are for up to {MAX_JOINTS}. Lock other joints')
    if model.base != 'fixed':
        raise ModelError(f'{model.name} has a free base; closed expressions are for fixed ones')
    q = _symbols(model, order) if q is None else _given(q, model, order)
    exact, short = exact_numbers.with_exact_numbers(model)
    if not (simplify and model.single_axes and model.n):
        return SymbolicDynamics(recursive.inverse_dynamics(exact, q)[0], q)
    rows = np.array([sympy.Dummy(f'q{k}_{j}') for k in range(order + 3) for j in range(model.n)], object)
    rows = rows.reshape(q.shape)
    space = exact_numbers.PolynomialSpace(exact, rows)
    forces, _ = recursive.inverse_dynamics(space.model(exact), space.array(rows[:3]))
    series = [[AngleSums.of(space, force) for force in forces[0]]]
    for _ in range(order):
        series.append([force.derivative() for force in series[-1]])
    names = dict(zip(rows.flat, q.flat, strict=True))
    Q = [[force.expression(None if short else DIGITS).xreplace(names) for force in row] for row in series]
    return SymbolicDynamics(np.array(Q, object).reshape(order + 1, model.n), q)


class AngleSums:
    """sum A cos(n . angles) + B sin(n . angles): {n: (A, B)}, with polynomials A and B free of sines and cosines."""

    def __init__(self, space, terms):
        self.space, self.terms = space, terms

    @classmethod
    def of(cls, space, polynomial):
        K = len(space.angles)
        terms = {}
        for powers, value in polynomial.element.terms():
            rest = space.ring.from_dict({(0,) * (2 * K) + powers[2 * K:]: value})
            for n, (a, b) in _sums_of_product(powers[:K], powers[K:2 * K]).items():
                A, B = terms.get(n, (0, 0))
                terms[n] = A + rest * a, B + rest * b
        return cls(space, terms)

    def derivative(self):
        """d/dt, by the chain rule: every symbol's derivative is the one a row below it."""
        terms = {}
        for n, (A, B) in self.terms.items():
            angle = sum((k * angle for k, angle in zip(n, self.space.angles, strict=True)), sympy.S.Zero)
            rate = self._rate(self.space(angle).element)
            terms[n] = self._rate(A) + B * rate, self._rate(B) - A * rate
        return AngleSums(self.space, terms)

    def expression(self, digits):
        """sympy's expression; with `digits`, in decimals and without what is only rounding."""
        sizes = [abs(_float(c)) for pair in self.terms.values() for part in pair for c in _coefficients(part)]
        negligible = NEGLIGIBLE * max(sizes, default=0.0)
        out = []
        for n, (A, B) in self.terms.items():
            angle = sum((k * angle for k, angle in zip(n, self.space.angles, strict=True)), sympy.S.Zero)
            for part, function in ((A, sympy.cos), (B, sympy.sin)):
                if digits is not None and part:
                    kept = {powers: c for powers, c in part.terms() if abs(_float(c)) > negligible}
                    part = self.space.ring.from_dict(kept)
                if part:
                    factor = self.space.expression(part, digits)
                    if factor.has(sympy.sin, sympy.cos):        # of a parameter, such as a twist angle
                        factor = sympy.trigsimp(factor)
                    out.append((sympy.factor(factor) if digits is None else factor) * function(angle))
        return sympy.Add(*out)

    def _rate(self, polynomial):
        q, generator = self.space.q, self.space.ring.from_expr
        out = self.space.ring.zero
        for k in range(len(q) - 1):
            for now, then in zip(q[k], q[k + 1], strict=True):
                slope = polynomial and polynomial.diff(generator(now))
                if slope:
                    out += slope * generator(then)
        return out


def _coefficients(polynomial):
    return polynomial.values() if polynomial else ()


def _float(rational):
    return int(rational.numerator) / int(rational.denominator)


@lru_cache(maxsize=4096)
def _sums_of_product(cosine_powers, sine_powers):
    """prod c_k^a_k s_k^b_k as {n: (A, B)} with A cos(n . angles) + B sin(n . angles); the first entry of n is
    positive."""
    k = next((k for k, powers in enumerate(zip(cosine_powers, sine_powers, strict=True)) if any(powers)), None)
    if k is None:
        return {(0,) * len(cosine_powers): (sympy.QQ(1), sympy.QQ(0))}
    takes_cosine = cosine_powers[k] > 0
    fewer = [list(cosine_powers), list(sine_powers)]
    fewer[0 if takes_cosine else 1][k] -= 1
    half, out = sympy.QQ(1, 2), {}
    for n, (A, B) in _sums_of_product(*map(tuple, fewer)).items():
        for sign in (1, -1):
            m = list(n)
            m[k] += sign
            # 2 cos x cos y = cos(x+y) + cos(x-y), 2 cos x sin y = sin(x+y) - sin(x-y), and so on
            a, b = (A, B) if takes_cosine else (-sign * B, sign * A)
            _accumulate(out, tuple(m), half * a, half * b)
    return out


def _accumulate(out, n, a, b):
    leading = next((x for x in n if x), 0)
    if leading < 0:
        n, b = tuple(-x for x in n), -b
    if leading == 0:
        b = sympy.QQ(0)
    A, B = out.get(n, (sympy.QQ(0), sympy.QQ(0)))
    out[n] = A + a, B + b


def _symbols(model, order):
    marks = ['', 'd', 'dd', *(f'd{k}' for k in range(3, order + 3))]
    symbols = [sympy.Symbol(f'{mark}q{j + 1}', real=True) for mark in marks for j in range(model.n)]
    return np.array(symbols, object).reshape(order + 3, model.n)


def _given(q, model, order):
    try:
        q = np.array(q, object)
        for at, entry in np.ndenumerate(q):
            q[at] = sympy.sympify(entry, strict=True)
    except (TypeError, ValueError):
        raise InputError(f'q is {arguments.shown(q)}; give symbols or functions of time') from None
    if not all(isinstance(entry, sympy.Expr) for entry in q.flat):
        raise InputError(f'q is {arguments.shown(q)}; give symbols or functions of time')
    if q.shape == (model.n,):
        t = _time_of(q)
        q = np.array([[sympy.diff(f, t, k) for f in q] for k in range(order + 3)], object)
    if q.shape != (order + 3, model.n):
        raise InputError(
            f'q has the shape {q.shape}; give ({order + 3}, {model.n}) symbols, or ({model.n},) functions of time')
    return q


def _time_of(functions):
    variables = set().union(*(sympy.sympify(f).free_symbols for f in functions))
    if len(variables) != 1:
        raise InputError(f'q is {functions.tolist()}; as functions of time, all depend on the same one variable')
    return variables.pop()
