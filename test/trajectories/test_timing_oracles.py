# SPDX-License-Identifier: Apache-2.0
"""The interior-point method against general solvers on the same points."""

import numpy as np
import pytest
from robots import robot_text
from scipy.optimize import linprog
from test_time_optimal import full_limits
from test_time_optimal import smooth_path

from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros.trajectories.timing.interior_point import fastest
from hod_ros.trajectories.timing.path_limits import PathLimits
from hod_ros.trajectories.timing.speed_basis import Basis
from hod_ros.trajectories.timing.warped_path import WarpedPath


def problem(limits_of, seed):
    model = RobotModel.from_urdf(robot_text('our_panda'))
    route = WarpedPath(smooth_path(model, seed))
    breaks, u = np.linspace(0, 1, 31), np.linspace(0, 1, 121)
    basis, limits = Basis(breaks, u), PathLimits(model, route, limits_of(model)).at(u)
    weights = np.full(len(u), 1 / len(u))
    return basis, limits, weights, fastest(basis, limits, weights, np.full(basis.size, 1e-4), 1e-5)


def dense(basis):
    """(4, points, unknowns): z as a matrix times the unknowns."""
    return np.stack([basis.z(x) for x in np.eye(basis.size)], axis=-1).transpose(1, 0, 2)


def test_clarabel_finds_the_same_optimum_of_the_convex_program():
    clarabel = pytest.importorskip('clarabel')
    from scipy.sparse import block_diag
    from scipy.sparse import csc_matrix
    from scipy.sparse import hstack
    from scipy.sparse import vstack
    basis, limits, weights, found = problem(lambda m: Limits(velocity=m.velocity_limits, effort=m.effort_limits), 1)
    scale = found.x.mean()              # which leaves the solver numbers near 1
    Z, points = dense(basis), len(weights)
    ones = np.tile([1.0, 0.0, 0.0, 0.0], (points, 1))
    offset, slopes = limits.slack(0 * ones + 1e-300), limits.slopes(ones)
    A = -np.einsum('pck,kpx->pcx', slopes, Z).reshape(-1, basis.size) * scale
    # b^(1/3) t^(2/3) >= 1: t is at least b^(-1/2)
    rows = [csc_matrix(np.array([[0.0], [-1.0], [0.0]])) for _ in range(points)]
    b_rows = np.zeros((3 * points, basis.size))
    b_rows[::3] = -Z[0]
    cone = hstack([csc_matrix(b_rows), block_diag(rows)])
    matrix = vstack([hstack([csc_matrix(A), csc_matrix((len(A), points))]), cone]).tocsc()
    right = np.concatenate([offset.ravel(), np.tile([0.0, 0.0, 1.0], points)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    n = basis.size + points
    cones = [clarabel.NonnegativeConeT(len(A))] + [clarabel.PowerConeT(1 / 3)] * points
    solution = clarabel.DefaultSolver(
        csc_matrix((n, n)), np.concatenate([np.zeros(basis.size), weights]), matrix, right, cones, settings).solve()
    assert 'Solved' in str(solution.status)
    ours = weights @ basis.z(found.x)[:, 0] ** -0.5
    assert abs(ours / (solution.obj_val * scale ** -0.5) - 1) < 1e-4


@pytest.mark.parametrize('seed', [1, 2])
def test_no_tangent_program_gains_anything_at_the_end(seed):
    basis, limits, weights, found = problem(full_limits, seed)
    Z, z = dense(basis), basis.z(found.x)
    slack, b = limits.slack(z), z[:, 0]
    assert (slack > 0).all()
    A = -np.einsum('pck,kpx->pcx', limits.slopes(z), Z).reshape(-1, basis.size)
    cost = -0.5 * weights * b ** -1.5 @ Z[0]
    scale = found.x                     # an unknown may vanish or grow elevenfold
    step = linprog(cost * scale, A_ub=A * scale, b_ub=slack.ravel(), bounds=(-1, 10), method='highs')
    assert step.status == 0
    assert -step.fun < 1e-3 * (weights @ b ** -0.5)
