# SPDX-License-Identifier: Apache-2.0
"""Polynomials on u in [0, 1], coefficients in ascending powers: end derivatives to coefficients, and bounds that hold everywhere.

Axis -2 of every array counts coefficients, axis -1 joints; more axes in front count pieces.
"""

from __future__ import annotations

from functools import cache
from math import comb
from math import perm

import numpy as np
from numpy.typing import NDArray


@cache
def hermite_matrix(rows: int) -> NDArray[np.float64]:
    """(rows, rows) integers: the upper half of the coefficients from what the lower half lacks of the Taylor coefficients at u = 1.

    Column k is (u - 1)^k sum_j C(rows - 1 + j, j) (1 - u)^j over j < rows - k: times u^rows it has the k-th of them alone.
    """
    columns = [
        [sum(comb(rows - 1 + j, j) * comb(j + k, i) * (-1)**(k + i) for j in range(rows - k)) for i in range(rows)]
        for k in range(rows)]
    return _read_only(np.array(columns, dtype=np.float64).T)


@cache
def shift_matrix(rows: int) -> NDArray[np.float64]:
    """(rows, rows): Taylor coefficients at u = 1 from those at u = 0, of a polynomial of degree rows - 1."""
    return _read_only(np.array([[comb(j, k) for j in range(rows)] for k in range(rows)], dtype=np.float64))


def from_end_taylor(start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., 2 rows, n) coefficients from Taylor coefficients (..., rows, n) at u = 0 and u = 1."""
    rows = start.shape[-2]
    missing = end - start
    missing -= _shift_less_itself(rows) @ start
    return np.concatenate([start, hermite_matrix(rows) @ missing], axis=-2)


@cache
def middle_weights(rows: int) -> NDArray[np.float64]:
    """(2, rows): the value at u = 1/2 from the derivatives at u = 0 and at u = 1."""
    units = np.eye(2 * rows)
    taylor = 0.5**np.arange(2 * rows) @ from_end_taylor(units[:rows], units[rows:])
    return _read_only(taylor.reshape(2, rows) / factorials(rows))


@cache
def _shift_less_itself(rows: int) -> NDArray[np.float64]:
    return _read_only(shift_matrix(rows) - np.eye(rows))


@cache
def signs(rows: int) -> NDArray[np.float64]:
    """(rows,) 1, -1, 1, ...: of the powers of -u."""
    return _read_only((-1.0)**np.arange(rows))


@cache
def factorials(rows: int) -> NDArray[np.float64]:
    """(rows,) 0!, 1!, ..."""
    return _read_only(np.array([float(perm(k)) for k in range(rows)]))


@cache
def falling(rows: int, order: int) -> NDArray[np.float64]:
    """(rows - order,) factors of the order-th derivative: j! / (j - order)! for j = order, ..., rows - 1."""
    return _read_only(np.array([float(perm(j, order)) for j in range(order, rows)]))


def derivative(coefficients: NDArray[np.float64], order: int = 1) -> NDArray[np.float64]:
    """Coefficients of the order-th derivative by u; a constant's is 0."""
    rows = coefficients.shape[-2]
    if order >= rows:
        return np.zeros_like(coefficients[..., :1, :])
    return coefficients[..., order:, :] * falling(rows, order)[:, None]


@cache
def of_derivatives(rows: int, orders: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """(rows, orders): which coefficient times which factor is coefficient i of derivative k."""
    factors = np.zeros((rows, orders))
    for k in range(min(orders, rows)):
        factors[:rows - k, k] = falling(rows, k)
    return np.minimum(np.arange(rows)[:, None] + np.arange(orders), rows - 1), _read_only(factors)


@cache
def _derivatives_of_powers(rows: int, orders: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """(orders, rows): factors and exponents of the derivatives of 1, u, u^2, ..."""
    factors = np.zeros((orders, rows))
    for k in range(min(orders, rows)):
        factors[k, k:] = falling(rows, k)
    return _read_only(factors), np.maximum(np.arange(rows) - np.arange(orders)[:, None], 0)


def powers(u: NDArray[np.float64], rows: int, orders: int) -> NDArray[np.float64]:
    """(places, orders, rows): times coefficients (rows, n), the polynomial and its derivatives at u (places,)."""
    factors, exponents = _derivatives_of_powers(rows, orders)
    return (u[:, None]**np.arange(rows))[:, exponents] * factors


@cache
def bernstein_matrix(rows: int, pieces: int = 1) -> NDArray[np.float64]:
    """(pieces * rows, rows): control points of `pieces` equal parts of [0, 1]; each part lies in the hull of its control points."""
    to_bernstein = np.array([[comb(i, j) / comb(rows - 1, j) for j in range(rows)] for i in range(rows)])
    parts = []
    for part in range(pieces):
        shift = np.array([[comb(j, k) * (part / pieces)**(j - k) if j >= k else 0.0 for j in range(rows)] for k in range(rows)])
        parts.append(to_bernstein @ ((1 / pieces)**np.arange(rows)[:, None] * shift))
    return _read_only(np.concatenate(parts))


def control_points(coefficients: NDArray[np.float64], pieces: int = 1) -> NDArray[np.float64]:
    """(..., pieces * rows, n) Bernstein coefficients on equal parts of [0, 1]."""
    return bernstein_matrix(coefficients.shape[-2], pieces) @ coefficients


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.setflags(write=False)
    return array
