# SPDX-License-Identifier: Apache-2.0
"""n-th order inverse dynamics: one entry to all formulations, compiled where it can be."""

from importlib import import_module
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.checks import arguments
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics import loads
from hod_ros.dynamics.loads import Wrenches
from hod_ros.errors import InputError
from hod_ros.kernel import compiled
from hod_ros.model import motions
from hod_ros.model.far_positions import warn_of_far_positions
from hod_ros.model.robot_model import RobotModel

MOST_UNASKED = motions.MOST_ROWS_UNASKED - 2      # the most rows of Q where `order` is not given
JUDGED = 1000           # samples of a batch whose positions are judged, at its beginning, middle and end: small beside its cost

# Name of a formulation -> module whose inverse_dynamics(model, q, external, base) computes one sample in numpy.
FORMULATIONS = {
    'recursive': 'hod_ros.dynamics.formulations.recursive',
    'closed_form': 'hod_ros.dynamics.formulations.closed_form',
    'spatial': 'hod_ros.dynamics.formulations.spatial',
    'body_fixed': 'hod_ros.dynamics.formulations.body_fixed',
    'hybrid': 'hod_ros.dynamics.formulations.hybrid',
}


@overload
def inverse_dynamics(model: RobotModel, q: ArrayLike, *, wrenches: Wrenches | None = None, formulation: str = 'recursive',
                     base: None = None, order: int | None = None, threads: int | None = None) -> Array: ...


@overload
def inverse_dynamics(model: RobotModel, q: ArrayLike, *, wrenches: Wrenches | None = None, formulation: str = 'recursive',
                     base: FreeBase, order: int | None = None, threads: int | None = None) -> tuple[Array, Array]: ...


def inverse_dynamics(model: RobotModel, q: ArrayLike, *, wrenches: Wrenches | None = None, formulation: str = 'recursive',
                     base: FreeBase | None = None, order: int | None = None, threads: int | None = None) -> Array | tuple[Array, Array]:
    """Generalised forces Q and their time derivatives, Q = M q'' + C q' + g - J^T W.

    q: (order + 3, n), row k the k-th time derivative of the joint positions [rad] or [m], [s]; or (samples, order + 3, n).
    wrenches: {link: wrench} that the environment exerts, (order + 1, 6) in the link's frame or a LinkWrench; see PreparedLoads too.
    formulation: 'recursive' runs compiled, 'spatial' too where nothing loads the robot; 'closed_form', 'body_fixed' and 'hybrid' are numpy.
    base: (pose (4, 4), twists (order + 2, 6)) of a free base, the twists body-fixed (angular, linear).
    order: how many derivatives are meant; needed beyond twelve rows of one sample, which may be samples. Up to 125 the kernel computes
        (128 rows of q), beyond that numpy, thousands of times slower.
    threads: how many a batch may run on; None: what HOD_ROS_THREADS says, else as many as there are cores.

    Returns Q: (order + 1, n) or (samples, order + 1, n), row k the k-th time derivative [N m] or [N]; with a free base (Q, W),
    W: (order + 1, 6) the wrench (torque, force) on the base, in its frame.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats; ModelError where
    nothing that moves has inertia. A large batch far beyond position limits is a warning: it may be in degrees.

        >>> Q = inverse_dynamics(model, q)                                      # Q, Q', Q''
        >>> loaded = inverse_dynamics(model, q, wrenches={'panda_link8': LinkWrench(np.ones((3, 6)), 'world_aligned')})
        >>> Q.shape, loaded.shape, np.allclose(Q, inverse_dynamics(model, q, formulation='closed_form'))
        ((3, 7), (3, 7), True)
    """
    try:
        kernel = model._compiled
        if kernel is not None and wrenches is None and threads is None:
            if formulation == 'recursive':
                if base is None:
                    Q = kernel.inverse_dynamics(q)
                else:
                    pose, twists = base
                    Q = kernel.inverse_dynamics(q, pose, twists)
                    if Q is not None:
                        if order is None and Q[0].ndim == 2 and len(Q[0]) + 1 == len(twists) <= MOST_UNASKED:
                            return Q
                        motions.check_twists(twists, Q[0].shape[-2] + 1, Q[0].shape[:-2])
            elif formulation == 'spatial' and base is None:
                Q = kernel.spatial_inverse_dynamics(q)
            else:
                Q = None
            if Q is not None and (order is None and len(Q) <= MOST_UNASKED or _as_meant(Q, order)):
                if len(Q) >= JUDGED:
                    warn_of_far_positions(model, np.asarray(q)[[0, len(Q) // 2, -1], 0])
                return Q
    except (AttributeError, TypeError, ValueError):     # of no model, or of a comparison with an array
        motions.robot_model(model)
    return _checked(model, q, wrenches, formulation, base, order, threads)


def _as_meant(result, order):
    """Whether there is an axis of samples, or as many rows as the order says."""
    Q = result[0] if type(result) is tuple else result
    return Q.ndim == 3 if order is None else Q.shape[-2] == order + 1 and (type(order) is int or isinstance(order, np.integer))


def _checked(model, q, wrenches, formulation, base, order, threads):
    if not arguments.one_of(formulation, FORMULATIONS):
        raise InputError(f'formulation is {arguments.shown(formulation)}; it is one of {", ".join(map(repr, FORMULATIONS))}')
    arguments.threads(threads)
    q = motions.motions(motions.massive(model), q, 3, order)
    rows = q.shape[-2]
    base = motions.bases_of(model, base, q.shape[:-2], rows - 1)
    pairs = None
    if wrenches is not None:
        pairs = loads.pairs(wrenches)
        checked = loads.checked_loads(model, q, pairs)
    given = [q, *(base or ()), *([] if pairs is None else [values for _, values, _ in checked])]
    numeric = all(values.dtype != object for values in given)
    if formulation == 'recursive' and model._compiled is not None and numeric and rows <= compiled.most_rows:
        given = [q, *(base or (None, None))]
        if pairs:
            given += loads.for_kernel(model, checked, q.shape[:-2])
        result = model._compiled.inverse_dynamics(*given, threads=threads)
    else:
        external = None if pairs is None else loads.on_bodies(model, q, pairs, base)
        result = _in_numpy(model, q, formulation, external, base)
    return motions.finite_result(model, result, 'Q', q)


def _in_numpy(model, q, formulation, external, base):
    compute = import_module(FORMULATIONS[formulation]).inverse_dynamics
    if q.ndim == 2:
        with np.errstate(over='ignore', invalid='ignore'):
            Q, W = compute(model, q, external, base)
        return Q if base is None else (Q, W)
    samples = [
        _in_numpy(model, one, formulation, None if external is None else external[i], None if base is None else (base[0][i], base[1][i]))
        for i, one in enumerate(q)]
    if not samples:
        Q, W = np.zeros((0, q.shape[1] - 2, model.n)), np.zeros((0, q.shape[1] - 2, 6))
        return Q if base is None else (Q, W)
    if base is None:
        return np.stack(samples)
    return tuple(np.stack(part) for part in zip(*samples, strict=True))
