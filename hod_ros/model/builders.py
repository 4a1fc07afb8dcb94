# SPDX-License-Identifier: Apache-2.0
"""Models without a URDF: from joint screws and reference configurations (003 II, 000 II.A), or from DH parameters.

Screws are (angular, linear); see hod_ros.model.screws for the usual joints. Lengths in [m], angles in [rad]. Arrays
may hold sympy's symbols or mpmath's numbers: the model then computes with the numpy reference, in these numbers.

Every body's frame is moved onto its joint's axis (or centre), if the link's own frame lies elsewhere; `model.links`
says where the link's frame is in the body's.
"""

from collections.abc import Mapping

import numpy as np

from hod_ros.algebra import lie
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks import geometry
from hod_ros.description.plausibility import LARGEST_TURN
from hod_ros.description.plausibility import free_base_warnings
from hod_ros.description.plausibility import grouped
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.model import build_checks
from hod_ros.model import field_checks
from hod_ros.model.bodies import STANDARD_GRAVITY
from hod_ros.model.idle import idle_warnings
from hod_ros.model.rotors import rotor_warnings

CONVENTIONS = ('craig', 'denavit-hartenberg')


def fields_of_screws(screws, reference, inertias, *, representation='spatial', parent=None, joint_names=None,
                      link_names=None, name='robot', gravity=STANDARD_GRAVITY, armature=None, base='fixed',
                      base_link='base', base_inertia=None):
    """The fields of a RobotModel of N links, each moved by one joint of one to six axes.

    screws: N joint screws, (6,) or (d, 6) each. reference: N poses (4, 4).
    representation: 'spatial': screws Y and poses A of 003 II, all in the world frame at q = 0; 'body': screws X in
    their own link's frame and poses B relative to the parent link, 000 II.A.
    inertias: N matrices (6, 6) about the links' frames, see link_inertia; None where a link has no mass.
    parent: N indices of earlier links, -1 for the base; None: a serial chain.
    armature: (n,) or {joint name: rotor inertia}.
    A joint of several axes owns several coordinates: 'hip' of three axes has the names 'hip/1', 'hip/2', 'hip/3'.
    """
    screws = [np.atleast_2d(_numbers(X, f'screw {i}')) for i, X in enumerate(_items(screws, 'screws'))]
    N = len(screws)
    joints = _names(joint_names, 'joint', N)
    bodies = _names(link_names, 'link', N)
    parent = np.arange(-1, N - 1) if parent is None else field_checks.indices(parent, 'parent')
    field_checks.text(base_link, 'base_link')
    if base_link in bodies:
        raise ModelError(f'link_names has {base_link!r}, which is the name of the base; give every link its own name, or another base_link')
    reference = _of_shape(reference if N else np.zeros((0, 4, 4)), (N, 4, 4), 'reference')
    base_inertia = np.zeros((6, 6)) if base_inertia is None else _numbers(base_inertia, 'base_inertia')
    build_checks.check_inertia(f'the base {base_link!r}', base_inertia)
    inertias = [np.zeros((6, 6)) if M is None else _numbers(M, f'inertia {i}') for i, M in enumerate(_items(inertias, 'inertias'))]
    if len(inertias) != N:
        raise ModelError(
            f'inertias holds {len(inertias)} matrices for {N} joints; one for each link, None for one without mass')
    build_checks.check_parent(parent, joints)
    screws = [build_checks.unit_screws(joint, X) for joint, X in zip(joints, screws, strict=True)]
    reference = geometry.poses(reference, lambda i: f'the reference configuration of joint {joints[i]!r}', ModelError)
    for joint, M in zip(joints, inertias, strict=True):
        build_checks.check_inertia(f'the link of joint {joint!r}', M)
    if not arguments.one_of(representation, ('spatial', 'body')):
        raise ModelError(f"representation is {arguments.shown(representation)}; it is 'spatial' or 'body'")
    if representation == 'spatial':
        upstream = [np.eye(4, dtype=int) if p < 0 else reference[p] for p in parent]
        screws = [X @ lie.Ad(lie.inverse(A)).T for X, A in zip(screws, reference, strict=True)]
        reference = [lie.inverse(up) @ A for up, A in zip(upstream, reference, strict=True)]
    moved = [_onto_axis(X) for X in screws]         # the body's frame in the link's
    back = [lie.inverse(T) for T in moved]
    above = [np.eye(4, dtype=int) if p < 0 else back[p] for p in parent]
    names = [_axis_names(joint, len(X)) for joint, X in zip(joints, screws, strict=True)]
    names = sum(names, ())
    armature = _armature(armature, names)
    screw_body = np.repeat(np.arange(N), [len(X) for X in screws])
    X = _stack([X @ lie.Ad(T).T for X, T in zip(screws, back, strict=True)], (len(names), 6))
    M = _stack([lie.Ad(T).T @ M @ lie.Ad(T) for M, T in zip(inertias, moved, strict=True)], (N, 6, 6))
    fields = dict(
        name=name,
        joint_names=names,
        bodies=bodies,
        joints=joints,
        parent=parent,
        coordinate=np.arange(len(names)),
        multiplier=np.ones(len(names)),
        offset=np.zeros(len(names)),
        B=_stack([up @ B @ T for up, B, T in zip(above, reference, moved, strict=True)], (N, 4, 4)),
        X=X,
        M=M,
        links={base_link: (-1, np.eye(4))} | {link: (i, back[i]) for i, link in enumerate(bodies)},
        screw_body=screw_body,
        base_link=base_link,
        base=base,
        M_base=base_inertia,
        gravity=gravity,
        armature=armature,
        warnings=[
            *grouped(doubt for link, inertia in zip((base_link, *bodies), (base_inertia, *inertias), strict=True)
                     if arguments.one_of(base, ('free',)) or link != base_link
                     for doubt in build_checks.doubts(link, inertia)),
            *free_base_warnings(base, base_link, base_inertia),
            *idle_warnings(names, range(len(names)), X, screw_body, parent, M, armature),
        ],
    )
    fields['warnings'] += rotor_warnings(fields)
    return fields


def fields_of_dh(a, alpha, d, theta, inertias, *, convention='craig', kinds='revolute', **options):
    """The fields of a RobotModel of a serial chain from Denavit-Hartenberg parameters, N each: a, d [m], alpha, theta [rad].

    convention: 'craig' (modified, proximal): link i's frame is Rx(alpha_i) Tx(a_i) Rz(theta_i) Tz(d_i) in its
    predecessor's, and joint i moves along its own z axis; 'denavit-hartenberg' (original, distal; 003 (5)): it is
    Rz(theta_i) Tz(d_i) Tx(a_i) Rx(alpha_i), and joint i moves along its predecessor's z axis.
    inertias: about the links' frames of the convention, see fields_of_screws.
    kinds: 'revolute' or 'prismatic', for all joints or one by one; q_i is added to theta_i or to d_i.
    options: of fields_of_screws, but for parent and representation.
    """
    for option in ('parent', 'representation'):
        if option in options:
            raise ModelError(f'{option} is no option here: Denavit-Hartenberg parameters describe a serial chain in frames of their own')
    columns = {'a': a, 'alpha': alpha, 'd': d, 'theta': theta}
    columns = {key: np.atleast_1d(_numbers(values, key)) for key, values in columns.items()}
    N = len(columns['a'])
    for key, values in columns.items():
        if values.shape != (N,):
            raise ModelError(
                f'{key} has the shape {values.shape} where a has {N} entries; give one number for each joint')
        if values.dtype != object and not np.isfinite(values).all():
            raise ModelError(f'{key} holds {values[~np.isfinite(values)][0]}; give finite numbers')
    kinds = [kinds] * N if isinstance(kinds, str) else _items(kinds, 'kinds')
    if len(kinds) != N:
        raise ModelError(f'kinds holds {len(kinds)} entries for {N} joints; give one for each')
    if not arguments.one_of(convention, CONVENTIONS):
        raise ModelError(f'convention is {arguments.shown(convention)}; it is one of {", ".join(map(repr, CONVENTIONS))}')
    z = {'revolute': np.array([0, 0, 1, 0, 0, 0]), 'prismatic': np.array([0, 0, 0, 0, 0, 1])}
    screws, reference = [], []
    joints = _names(options.get('joint_names'), 'joint', N)
    for joint, kind, a, alpha, d, theta in zip(joints, kinds, *columns.values(), strict=True):
        if not arguments.one_of(kind, z):
            raise ModelError(f"joint {joint!r} is of the kind {arguments.shown(kind)}; it is 'revolute' or 'prismatic'")
        about_x, about_z = (lie.exp(e, value) @ lie.exp(t, shift) for e, t, value, shift in (
            (_X_TURN, _X_SHIFT, alpha, a), (z['revolute'], z['prismatic'], theta, d)))
        if convention == 'craig':
            reference.append(about_x @ about_z)
            screws.append(z[kind])
        else:
            reference.append(about_z @ about_x)
            screws.append(lie.Ad(lie.inverse(reference[-1])) @ z[kind])
    fields = fields_of_screws(screws, np.reshape(reference, (N, 4, 4)), inertias, representation='body', **options)
    turned = [key for key in ('alpha', 'theta') if columns[key].dtype != object and (np.abs(columns[key]) > LARGEST_TURN).any()]
    return fields | {'warnings': [*fields['warnings'], *(
        f'{key} holds {columns[key][np.argmax(np.abs(columns[key]))]:g}, beyond a whole turn, and is in radians: are these degrees?'
        for key in turned)]}


_X_TURN, _X_SHIFT = np.array([1, 0, 0, 0, 0, 0]), np.array([0, 0, 0, 1, 0, 0])


def _onto_axis(X):
    """Pose in the link's frame of a frame with the same axes, whose origin lies on the joint's axes: the nearest such
    point."""
    e, v = X[:, :3], X[:, 3:]
    if X.dtype == object:
        return np.eye(4, dtype=int)
    # e x r = h e - v for every axis: the point r on all of them; translations (e = 0) pass through every point.
    pitch = (e * v).sum(-1, keepdims=True)
    turning = (e != 0).any(-1, keepdims=True)
    off = np.where(turning, pitch * e - v, 0.0)
    if np.abs(off).max(initial=0.0) < 1e-14:
        return np.eye(4, dtype=int)
    r = np.linalg.lstsq(lie.skew(e).reshape(-1, 3), off.ravel(), rcond=None)[0]
    return lie.pose(np.eye(3), r)


def _names(names, what, N):
    names = tuple(f'{what}{i + 1}' for i in range(N)) if names is None else tuple(_items(names, f'{what}_names'))
    if len(names) != N or not all(isinstance(name, str) and name for name in names) or len(set(names)) != N:
        raise ModelError(f'{what}_names is {arguments.shown(names)}; give {N} different names, one for each {what}')
    return names


def _axis_names(joint, axes):
    return (joint,) if axes == 1 else tuple(f'{joint}/{k + 1}' for k in range(axes))


def _armature(armature, names):
    if not isinstance(armature, Mapping):
        return np.zeros(len(names)) if armature is None else _of_shape(armature, (len(names),), 'armature')
    for joint in armature:
        if joint not in names:
            raise ModelError(
                f'armature names the joint {joint!r}, which the model has not; its joints are {arguments.listed(names, 12)}')
    return np.array([armature.get(name, 0.0) for name in names])


def _items(values, what):
    """A list of the things in a sequence."""
    if not isinstance(values, (str, bytes, Mapping, set, frozenset)):
        try:
            return list(values)
        except TypeError:
            pass
    raise ModelError(f'{what} is {arguments.shown(values)}; give a sequence')


def _numbers(values, what):
    try:
        return arrays.numbers(values, what)
    except InputError as error:
        raise ModelError(f'{what} holds something that is no real number: {error}') from None


def _of_shape(values, shape, what):
    array = _numbers(values, what)
    if array.shape != shape:
        raise ModelError(f'{what} has the shape {array.shape}; give {shape}')
    return array


def _stack(arrays, shape):
    return np.concatenate([np.atleast_2d(a) for a in arrays]).reshape(shape) if arrays else np.zeros(shape)
