# SPDX-License-Identifier: Apache-2.0
"""The minimal set of inertial parameters: what the joint forces of a robot can tell of its masses at all.

Some columns of the regressor are zero for every motion, others are constant linear combinations of each other. The
columns are taken in their order; one that depends on those kept before it is dropped, and its parameter is grouped into
theirs. So parameters of bodies near the base are kept and those of bodies further out grouped into them, which is the
usual choice. The set is not unique; its size is. Dependence is decided numerically, on regressors at random states.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.dynamics.forward_dynamics import has_own_coordinates
from hod_ros.dynamics.regressor import parameter_names
from hod_ros.dynamics.regressor import regressor
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


@dataclass(frozen=True)
class MinimalParameters:
    """b of p parameters suffice: Y[..., columns] @ (grouping @ pi) = Y @ pi, for every motion."""

    columns: Array     # (b,) indices of the parameters kept, ascending
    grouping: Array    # (b, p) map from all parameters to the minimal ones; the identity on the columns kept
    names: tuple[str, ...]  # (b,) names of the parameters kept
    unidentifiable: tuple[str, ...]     # names of the parameters without any influence on Q

    def parameters(self, pi: ArrayLike) -> Array:
        """(..., p) -> (..., b)"""
        with np.errstate(over='ignore', invalid='ignore'):
            return arrays.not_too_large(self._checked(pi, 'pi') @ self.grouping.T, 'a minimal parameter')

    def regressor(self, Y: ArrayLike) -> Array:
        """(..., p) -> (..., b)"""
        return self._checked(Y, 'Y')[..., self.columns]

    def _checked(self, values, name):
        values, p = arrays.numbers(values, name), self.grouping.shape[1]
        if not values.ndim or values.shape[-1] != p:
            raise InputError(f'{name} has the shape {values.shape}, but needs (..., {p}): one column for each of the parameters')
        return arrays.finite(values, name)


def minimal_parameters(model: RobotModel, *, tolerance: float = 1e-9, seed: int = 0) -> MinimalParameters:
    """The minimal set of a model's inertial parameters, gravity as the model has it.

    With a free base, what the wrench on it tells counts too.
    tolerance: a column depends on others where less than this part of its norm is left beside them.

    Raises InputError where an argument has the wrong shape, name or value, or the model holds no floats.

        >>> least = minimal_parameters(model)
        >>> pi = least.parameters(inertial_parameters(model))
        >>> np.allclose(least.regressor(regressor(model, q)) @ pi, inverse_dynamics(model, q))
        True
    """
    motions.robot_model(model)
    if model.exact:
        raise InputError(f'{model.name} holds symbols or multiprecision numbers; minimal parameters are found with floats')
    tolerance = arguments.number_above_0(tolerance, 'tolerance')
    if tolerance >= 1:
        raise InputError(f'tolerance is {tolerance:g}, part of a norm; give a small number below 1, such as 1e-9')
    Y = _stacked_regressors(model, np.random.default_rng(arguments.count(seed, 'seed', 0)))
    norms = np.linalg.norm(Y, axis=0)
    influential = np.flatnonzero(norms > tolerance * norms.max(initial=0))
    columns = _independent_columns(Y / np.where(norms > 0, norms, 1), influential, tolerance)
    grouping = np.zeros((len(columns), Y.shape[1]))
    kept = Y[:, columns] / norms[columns]
    solution = np.linalg.lstsq(kept, Y[:, influential], rcond=None)[0] / norms[columns, None]
    grouping[:, influential] = np.where(np.abs(solution) > 1e-12 * np.abs(solution).max(initial=0), solution, 0)
    grouping[:, columns] = np.eye(len(columns))
    names = parameter_names(model)
    return MinimalParameters(
        columns, grouping, tuple(names[c] for c in columns),
        tuple(name for c, name in enumerate(names) if c not in influential))


def _stacked_regressors(model, rng):
    """Rows for three times as many equations as parameters."""
    samples = 3 * len(parameter_names(model)) // max(model.n, 1) + 3
    turns = 1 if has_own_coordinates(model) else 8      # bodies of mimic joints go through their angles at other rates
    scale = np.array([turns * np.pi, 2.0, 4.0])[:, None]
    motions = scale * rng.uniform(-1, 1, (samples, 3, model.n))
    return np.concatenate([regressor(model, q, base=_random_base(model, rng))[0] for q in motions])


def _random_base(model, rng):
    if model.base == 'fixed':
        return None
    return lie.exp_twist(rng.uniform(-2, 2, 6)), rng.uniform(-2, 2, (2, 6))


def _independent_columns(Y, candidates, tolerance):
    """Columns of unit norm that keep more than `tolerance` of it beside their predecessors; twice orthogonalised."""
    basis, kept = np.zeros((len(Y), 0)), []
    for c in candidates:
        rest = Y[:, c]
        for _ in range(2):
            rest = rest - basis @ (basis.T @ rest)
        size = np.linalg.norm(rest)
        if size > tolerance:
            basis = np.column_stack([basis, rest / size])
            kept.append(c)
    return np.array(kept, dtype=np.intp)
