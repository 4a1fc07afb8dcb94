"""Loads that a link carries: as part of the model, or with an inertia that changes with time (003 V.B) as a wrench.

Inertia matrices (6, 6) act on twists (angular, linear) of the link's frame, 000 (12).
"""

import numpy as np

from hod_ros.dynamics import checks
from hod_ros.dynamics import lie
from hod_ros.dynamics import motion_checks
from hod_ros.dynamics.chain import body_pose_and_twists
from hod_ros.dynamics.leibniz import apply
from hod_ros.dynamics.leibniz import product
from hod_ros.dynamics.leibniz import transpose
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.dynamics.moving_frames import inverse_adjoints
from hod_ros.errors import InputError

_TOLERANCE = 1e-6


def with_payload(model, link, mass, center=(0.0, 0.0, 0.0), inertia=None):
    """The model with a load rigidly attached to a link (also one of the base); the model itself stays as it is.

    mass [kg], center: its centre of mass in the link's frame [m], inertia: its (3, 3) tensor about its centre of mass
    along the link's axes [kg m^2], None for a point mass.
    """
    body, placement = motion_checks.robot_model(model).body_of(link)
    load = payload_inertias(*([part] for part in _checked(mass, center, inertia, model.exact)))[0]
    to_link = lie.Ad(lie.inverse(placement))
    load = to_link.T @ load @ to_link
    if body < 0:
        return model.replace(M_base=model.M_base + load)
    M = model.M.copy()
    M[body] += load
    return model.replace(M=M)


@np.errstate(over='ignore', invalid='ignore')
def payload_inertias(mass, center, inertia):
    """(rows, 6, 6) inertia matrix about the link's frame and its time derivatives.

    mass (rows,), center (rows, 3), inertia (rows, 3, 3) about the centre of mass: each with its time derivatives.
    """
    named = {'mass': mass, 'center': center, 'inertia': inertia}
    mass, center, inertia = (motion_checks.finite(motion_checks.numbers(value, name), name) for name, value in named.items())
    if not (mass.ndim == 1 and center.shape == (len(mass), 3) and inertia.shape == (len(mass), 3, 3)):
        raise InputError(
            f'a payload has mass, center and inertia of the shapes {mass.shape}, {center.shape}, {inertia.shape}; give '
            '(rows,), (rows, 3), (rows, 3, 3) with as many rows each, row k the k-th time derivative')
    moment = lie.skew(product(mass, center, np.multiply))
    out = np.zeros((len(mass), 6, 6), np.result_type(mass, center, inertia))
    out[:, :3, :3] = inertia + product(moment, transpose(lie.skew(center)))
    out[:, :3, 3:], out[:, 3:, :3], out[:, 3:, 3:] = moment, -moment, mass[:, None, None] * np.eye(3, dtype=int)
    return motion_checks.not_too_large(out, 'an inertia of the payload')


def payload_wrench(model, q, link, inertias, *, exchanged=False, base=None):
    """The LinkWrench (order + 1 rows, frame 'link') of a load whose inertia changes with time, for q (order + 3, n).

    inertias: (order + 2, 6, 6) inertia matrix about the link's frame with its time derivatives, see payload_inertias.
    The load's momentum is M V. exchanged=False: it stays with the load, as for a body that changes its shape, and the
    wrench is the load's weight less d(M V)/dt. exchanged=True: matter joins and leaves at the link's own velocity, as
    when something is gripped, filled in or poured out, and carries the momentum flow M' V with it; order + 1 rows do
    then. Momentum of motion inside the load, as m c' of a moving centre of mass, is not part of M V: add its wrench.
    """
    body, placement = motion_checks.robot_model(model).body_of(link)
    exchanged = checks.flag(exchanged, 'exchanged')
    q = motion_checks.motion(model, q, 3)
    base = motion_checks.base_of(model, base, len(q) - 1)
    inertias = motion_checks.numbers(inertias, 'inertias')
    rows = len(q) - 2
    needed = rows if exchanged else rows + 1
    if inertias.ndim != 3 or inertias.shape[1:] != (6, 6) or len(inertias) < needed:
        raise InputError(
            f'inertias of the payload on {link!r} have the shape {inertias.shape}, but q with {len(q)} rows needs '
            f'({needed}, 6, 6): the inertia matrix and its time derivatives')
    if inertias.dtype != object and not np.isfinite(inertias).all():
        row = int(np.argwhere(~np.isfinite(inertias))[0][0])
        raise InputError(f'inertias of the payload on {link!r} are not finite in row {row}; give finite numbers')
    with np.errstate(over='ignore', invalid='ignore'):
        W = _wrench(model, q, body, placement, inertias, exchanged, base)
    return LinkWrench(motion_checks.finite_result(model, -W, 'the wrench of the payload', q))


def _wrench(model, q, body, placement, inertias, exchanged, base):
    """What moves the payload, (order + 1, 6) in the link's frame."""
    rows = len(q) - 2
    C, V = body_pose_and_twists(model, q, body, base)
    C, V = C @ placement, apply(lie.Ad(lie.inverse(placement)), V)
    weightless = np.concatenate([np.zeros(3), -model.gravity])
    acceleration = V[1:] + apply(inverse_adjoints(C, V), weightless)[:rows]
    momentum = product(inertias, V[:rows], apply)
    W = product(inertias, acceleration, apply) - product(transpose(lie.ad(V)), momentum, apply, rows)
    if not exchanged:
        W = W + product(inertias[1:], V, apply, rows)
    return W


def _checked(mass, center, inertia, exact):
    numbers = motion_checks.numbers if exact else motion_checks.floats
    try:
        mass, center = numbers(mass, 'mass'), numbers(center, 'center')
        inertia = np.zeros((3, 3)) if inertia is None else numbers(inertia, 'inertia')
    except InputError as error:
        raise InputError(f'mass, center or inertia of the payload are no numbers ({error}); give 1, 3 and 3x3 numbers') from None
    if mass.ndim:
        raise InputError(f'the payload has a mass of shape {mass.shape}; give one number [kg]')
    if center.shape != (3,) or inertia.shape != (3, 3):
        raise InputError(
            f'the payload has a center of shape {center.shape}, an inertia of {inertia.shape}; give (3,) and (3, 3)')
    try:
        _check_plausible(float(mass), center.astype(float), inertia.astype(float))
    except TypeError:
        pass        # symbols may stand for anything
    except OverflowError:
        raise InputError('mass, center or inertia of the payload is too large for a floating point number; are the units right?') from None
    return mass[()], center, inertia


def _check_plausible(mass, center, inertia):
    for name, value in (('mass', mass), ('center', center), ('inertia', inertia)):
        if not np.isfinite(value).all():
            raise InputError(f'the payload has {name} {value}; give finite numbers')
    if mass < 0:
        raise InputError(f'the payload has the mass {mass} kg; give 0 or more (the model without it still exists)')
    if np.abs(inertia).max() > checks.LARGEST:
        raise InputError(f'the payload has the inertia {inertia.tolist()}; give numbers of a real body [kg m^2]')
    if np.abs(inertia - inertia.T).max() > _TOLERANCE * np.abs(inertia).max():
        raise InputError(f'the payload has the inertia {inertia.tolist()}; give a symmetric tensor')
    a, b, c = np.linalg.eigvalsh(inertia)
    if a < -_TOLERANCE * c or a + b < c - _TOLERANCE * c:
        raise InputError(
            f'the payload has the principal moments of inertia {a:.6g}, {b:.6g}, {c:.6g} kg m^2, which no body has: '
            'each is 0 or more and at most the sum of the others; give the tensor about the centre of mass')
