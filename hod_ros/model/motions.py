# SPDX-License-Identifier: Apache-2.0
"""What users hand in for a model: motions, rates, forces and the motion of a free base, checked against it."""

import warnings

import numpy as np

from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks import geometry
from hod_ros.checks.arguments import LARGEST
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.model.robot_model import RobotModel

MOST_ROWS_UNASKED = 12      # of one sample; more are derivatives only where `order` says so
FEWER = f'give {MOST_ROWS_UNASKED} at most'      # the remedy where a function takes no order
MOST_ROWS = 1000        # C(n, k) of 1030 and more exceed a float
TWIST = ('angular x', 'angular y', 'angular z', 'linear x', 'linear y', 'linear z')
WRENCH = ('torque x', 'torque y', 'torque z', 'force x', 'force y', 'force z')


def robot_model(model):
    """The model, which must be one."""
    if not isinstance(model, RobotModel):
        kind = f'the class {model.__name__}' if isinstance(model, type) else type(model).__name__
        raise InputError(f'model is {kind}, not a RobotModel; make one by RobotModel.from_urdf(text)')
    return model


def massive(model):
    """The model, which must have some inertia that moves: forces that are zero in every motion are not returned in silence."""
    if robot_model(model).massless:
        raise ModelError(
            f'nothing that the joints of {model.name!r} move has any inertia: dynamics are refused, while kinematics work; give its links '
            'an inertia (an <inertial> in a URDF), or its joints an armature')
    return model


def motion(model, q, fewest, name='q', order=None, unasked=MOST_ROWS_UNASKED, *, remedy=None, batches=False):
    """q as an array (rows, n) of finite numbers with at least `fewest` rows, those of order 0; row k is the k-th time derivative.

    order: what the rows must serve exactly; None: whatever their number says, up to `unasked`, beyond which they may be samples.
    remedy, batches: see check_order.
    """
    q = arrays.numbers(q, name)
    if q.ndim == 2 and q.shape[1] == robot_model(model).n and len(q) >= fewest:
        check_order(q, fewest, name, order, unasked, remedy=remedy, batches=batches)
    return derivatives(model, q, fewest, name)


def derivatives(model, q, fewest, name='q'):
    """The same of a caller who knows that the rows are derivatives."""
    robot_model(model)
    q = arrays.numbers(q, name)
    if q.ndim != 2 or q.shape[1] != model.n or len(q) < fewest:
        raise InputError(
            f'{name} has the shape {q.shape}, but needs {fewest} rows or more of {model.n} columns: '
            f'row k is the k-th time derivative, column j the joint joint_names[j] of {model.name}')
    arrays.finite_rows(q, name, model.joint_names)
    check_rows(model, q, name)
    return numbers_of(model, q, name)


def motions(model, q, fewest, order=None, unasked=MOST_ROWS_UNASKED, *, remedy=None):
    """q as an array (rows, n) or (samples, rows, n) of finite numbers with at least `fewest` rows; order, remedy: see motion."""
    robot_model(model)
    q = arrays.numbers(q, 'q')
    if q.ndim == 2:
        return motion(model, q, fewest, order=order, unasked=unasked, remedy=remedy, batches=True)
    if q.ndim != 3 or q.shape[2] != model.n or q.shape[1] < fewest:
        raise InputError(
            f'q has the shape {q.shape}, but needs (rows, {model.n}) or (samples, rows, {model.n}) with {fewest} rows '
            f'or more: row k is the k-th time derivative, column j the joint joint_names[j] of {model.name}')
    if q.dtype != object and not np.isfinite(q).all():
        sample = int(np.argwhere(~np.isfinite(q))[0][0])
        arrays.finite_rows(q[sample], f'sample {sample} of q', model.joint_names)
    check_rows(model, q, 'q')
    check_order(q, fewest, 'q', order, unasked)
    return numbers_of(model, q, 'q')


def check_order(q, fewest, name, order, unasked=MOST_ROWS_UNASKED, *, remedy=None, batches=True):
    """Refuses rows that do not fit the order, and more than a dozen of unsaid order: they may be samples.

    remedy: what to do about rows that are derivatives; None: to say so with `order`. batches: whether the caller takes samples.
    """
    rows = q.shape[-2]
    if order is not None:
        order = arguments.count(order, 'order', 0)
        if rows != order + fewest:
            needed = arguments.shown(order + fewest)
            raise InputError(
                f'{name} has {rows} rows, but order={arguments.shown(order)} needs {needed}: give that many, or another order')
    elif q.ndim == 2 and rows > unasked:
        samples = f'Give samples an axis of their own, (samples, rows, {q.shape[1]})' if batches else 'Give one sample at a time'
        raise InputError(
            f'{name} has {rows} rows: are these samples? {samples}, row k the k-th time derivative; if all rows are derivatives of one '
            f'sample, {remedy or f"say so with order={rows - fewest}"}')


def check_shared(rows, needed, samples, what, columns=6):
    """Refuses rows beside q, given once, that are samples by their number: as many as q has, or times the rows needed, or beyond a dozen.

    Warns of other rows that several samples do not need: of one too few or too many they may still be.
    samples: of q, as a shape; None: the caller takes one. what: the sentence's beginning, 'stiffness has'. columns: of the array.
    """
    needed = max(needed, 1)
    if rows <= needed or rows <= MOST_ROWS_UNASKED and (not samples or samples[0] < 2):
        return
    if samples is None:
        apart = 'Give one sample at a time'
    else:
        as_q = 'as q has' if samples else 'and q too'
        apart = f'Give samples an axis of their own, ({samples[0] if samples else "samples"}, {needed}, {columns}), {as_q}'
    sentence = (
        f'{what} {rows} rows: are these samples? {apart}, row k the k-th time derivative; if all rows are derivatives of one sample, give '
        f'no more than the {needed} that are needed')
    if rows <= MOST_ROWS_UNASKED and rows not in (samples[0], samples[0] * needed):
        warnings.warn(f'{sentence}, which each of {samples[0]} samples takes now', stacklevel=4)
    else:
        raise InputError(sentence)


def check_twists(twists, needed, samples):
    """The same of a free base's twists."""
    if np.ndim(twists) == 2:
        check_shared(len(twists), needed, samples, 'the twists of base have')


def rates(model, values, fewest, name):
    """Rates and their derivatives (rows, n), or (rows, n + 6) with a free base's twist last; at least `fewest` rows."""
    robot_model(model)
    values = arrays.numbers(values, name)
    names = model.joint_names if model.base == 'fixed' else (*model.joint_names, *(f'base {c}' for c in TWIST))
    if values.ndim != 2 or values.shape[1] != len(names) or len(values) < fewest:
        raise InputError(
            f'{name} has the shape {values.shape}, but needs {fewest} rows or more of {len(names)} columns: '
            f'row k is the k-th time derivative of {arguments.some(names)}')
    arrays.finite_rows(values, name, names)
    return numbers_of(model, values, name)


def base_of(model, base, rows):
    """The motion of a free base, which must have one, checked as by free_base; None of a fixed base, which has none."""
    return free_base(model, base, rows) if _has_free_base(model, base, rows) else None


def bases_of(model, base, samples, rows):
    """The same for all samples, as by free_bases."""
    return free_bases(model, base, samples, rows) if _has_free_base(model, base, rows) else None


def _has_free_base(model, base, rows):
    if model.base == 'fixed' and base is not None:
        raise InputError(f"base is given, but the base of {model.name} is fixed; make the model with base='free'")
    if model.base == 'free' and base is None:
        raise InputError(
            f'{model.name} has a free base: give base=(pose, twists), its 4x4 pose and {rows} rows of twists')
    return model.base == 'free'


def free_base(model, base, rows):
    """(pose, twists) of a free base as arrays, with at least `rows` rows of twists; None passes."""
    if base is None:
        return None
    pose, twists = _base_arrays(model, base, (), rows)
    check_twists(twists, rows, None)
    return pose, twists


def free_bases(model, base, samples, rows):
    """(poses (*samples, 4, 4), twists (*samples, rows, 6)) of a free base; what is given once serves all samples."""
    poses, twists = _base_arrays(model, base, samples, rows)
    check_twists(twists, rows, samples)
    return np.broadcast_to(poses, samples + (4, 4)), np.broadcast_to(twists[..., :rows, :], samples + (rows, 6))


def _base_arrays(model, base, samples, rows):
    """(pose, twists) as they were given, for all samples or one for each."""
    try:
        pose, twists = base
    except (TypeError, ValueError):
        raise InputError('base is not a pair (pose, twists): give a 4x4 matrix and an array (rows, 6)') from None
    pose, twists = arrays.numbers(pose, 'the pose of base'), arrays.numbers(twists, 'the twists of base')
    right = pose.shape[-2:] == (4, 4) and twists.ndim > 1 and twists.shape[-1] == 6 and twists.shape[-2] >= rows
    if not right or any(shape not in ((), samples) for shape in (pose.shape[:-2], twists.shape[:-2])):
        many = f', or ({samples[0]}, 4, 4) and ({samples[0]}, {rows}, 6)' if samples else ''
        raise InputError(
            f'base has a pose of shape {pose.shape} and twists of shape {twists.shape}; give (4, 4) and {rows} rows or more of 6 '
            f'(angular, linear, body-fixed; row k the k-th time derivative){many}')
    arrays.finite(pose, 'the pose of base')
    for value, name in ((pose, 'the pose of base'), (twists, 'the twists of base')):
        if value.dtype != object and np.abs(value).max(initial=0.0) >= LARGEST and np.isfinite(value).all():
            raise InputError(f'{name} holds {value.flat[np.argmax(np.abs(value))]:g}; give figures of a robot, in [m], [rad] and [s]')
    poses = geometry.poses(pose.reshape(-1, 4, 4), lambda i: f'the pose of base{f" in sample {i}" if pose.ndim > 2 else ""}')
    for sample, one in enumerate(twists if twists.ndim > 2 else twists[None]):
        arrays.finite_rows(one, f'the twists of base{f" in sample {sample}" if twists.ndim > 2 else ""}', TWIST)
    return numbers_of(model, poses.reshape(pose.shape), 'the pose of base'), numbers_of(model, twists, 'the twists of base')


def numbers_of(model, array, name):
    """A checked array in the model's kind of numbers: objects where the model is exact, else floats where Python's numbers will do."""
    return array.astype(object) if model.exact else arrays.plain(array, name)


def check_rows(model, q, name):
    """Refuses more derivatives than floating point numbers serve."""
    if q.shape[-2] > MOST_ROWS and not model.exact:
        raise InputError(
            f'{name} has {q.shape[-2]} rows, but derivatives are computed in floating point numbers up to {MOST_ROWS} rows, beyond which '
            'their binomial coefficients are too large; give fewer')


def finite_result(model, result, what, q, given='q'):
    """The result, an array or several, unless it grew beyond floating point numbers."""
    for part in result if isinstance(result, tuple) else (result,):
        if part is None or part.dtype != object and not np.isfinite(part).all():
            raise InputError(
                f'{what} is too large for a floating point number: {_largest(model, q, given)}; are the units right ([rad], [m], [s]), and '
                'is an order so high needed?')
    return result


def _largest(model, q, given):
    where = []
    if q.size:
        largest = np.unravel_index(np.argmax(np.abs(q)), q.shape)
        where.append(f'the largest entry of {given} is {q[largest]:g}, in row {largest[-2]} of {model.joint_names[largest[-1]]!r}')
    if model.base == 'free' or not where:
        where.append("the motion of the base and the model's own figures count too")
    return '; '.join(where)
