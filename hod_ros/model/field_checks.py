"""Checks of the fields that a RobotModel is made of; arrays become read-only and cannot be made writeable again."""

from collections.abc import Iterable
from collections.abc import Mapping
from numbers import Number

import numpy as np

from hod_ros.checks.arguments import LARGEST
from hod_ros.checks.arguments import exact_package
from hod_ros.checks.arguments import shown
from hod_ros.errors import ModelError


def numbers(value, name):
    """Read-only array of floats, or of objects if these are numbers of another kind."""
    array = _array(value, name)
    if array.dtype == object:
        for entry in array.flat:
            if not isinstance(entry, Number) and exact_package(entry) is None:
                raise ModelError(f'{name} holds {shown(entry)}, which is no number; give numbers')
        return _read_only(array)
    if array.dtype.kind not in 'buif':
        raise ModelError(f'{name} is not an array of numbers but of {array.dtype}; give real numbers')
    return _read_only(array.astype(np.float64))


def indices(value, name):
    """Read-only array of integers."""
    array = _array(value, name)
    if array.size and array.dtype.kind not in 'iu':
        raise ModelError(f'{name} is {shown(value)}; give integers')
    return _read_only(array.astype(np.intp))


def names(value, name, *, distinct=True):
    """Tuple of texts, which are different names unless they need not be."""
    unordered = isinstance(value, (str, bytes, Mapping, set, frozenset)) or not isinstance(value, Iterable)
    if unordered or isinstance(value, np.ndarray) and not value.ndim:
        raise ModelError(f'{name} is {shown(value)}; give a sequence of texts')
    items = tuple(value)
    for item in items:
        if not isinstance(item, str):
            raise ModelError(f'{name} holds {shown(item)}, which is no text; give texts')
    if distinct and len(set(items)) != len(items):
        raise ModelError(f'{name} is {shown(items)}; give every name once')
    return items


def text(value, name):
    """A text."""
    if not isinstance(value, str):
        raise ModelError(f'{name} is {shown(value)}; give a text')
    return value


def links(value, bodies):
    """{link: (body, read-only pose)} of such a mapping."""
    if not isinstance(value, Mapping):
        raise ModelError(f'links is {shown(value)}; give a mapping from names of links to (body, 4x4 pose in the body)')
    out = {}
    for link, place in value.items():
        text(link, 'a link')
        try:
            body, pose = place
        except (TypeError, ValueError):
            raise ModelError(f'link {link!r} is at {shown(place)}; give (body, 4x4 pose in the body)') from None
        if isinstance(body, bool) or not isinstance(body, (int, np.integer)) or not -1 <= body < bodies:
            raise ModelError(f'link {link!r} belongs to the body {shown(body)}; give an index below {bodies}, or -1 for the base')
        pose = numbers(pose, f'the pose of link {link!r}')
        if pose.shape != (4, 4):
            raise ModelError(f'the pose of link {link!r} has the shape {pose.shape}; give (4, 4)')
        out[link] = int(body), pose
    named = [(link, pose) for link, (_, pose) in out.items() if pose.dtype != object]
    if named:
        check_poses(np.stack([pose for _, pose in named]), lambda i: f'the pose of link {named[i][0]!r}')
    return out


def check_poses(poses, what):
    """Refuses matrices (N, 4, 4) that are no rotation and displacement; what: their names by index."""
    if poses.dtype == object:
        return
    with np.errstate(over='ignore', invalid='ignore'):
        R = poses[:, :3, :3]
        off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max((-1, -2), initial=0)
        good = (off < 1e-6) & (np.linalg.det(R) > 0) & (poses[:, 3] == [0, 0, 0, 1]).all(-1) & np.isfinite(poses).all((-1, -2))
    if not good.all():
        i = int(np.argmin(good))
        raise ModelError(f'{what(i)} is {poses[i].tolist()}, which is no pose; give a 4x4 rotation and displacement')


def check_screws(X, what):
    """Refuses screws (m, 6) without a unit vector as direction; what: their names by index."""
    if X.dtype == object:
        return
    angular, linear = X[:, :3], X[:, 3:]
    with np.errstate(over='ignore', invalid='ignore'):
        length = np.linalg.norm(np.where((angular != 0).any(-1, keepdims=True), angular, linear), axis=-1)
        good = (np.abs(length - 1) < 1e-6) & (np.abs(X).max(-1, initial=0) < LARGEST)
    if not good.all():
        k = int(np.argmin(good))
        raise ModelError(
            f'the screw of {what(k)} is {X[k].tolist()}, whose direction has the length {length[k]:g}; make it a unit vector, and the '
            'lengths in it those of a robot')


def check_inertias(M, what):
    """Refuses matrices (N, 6, 6) that are not made of a mass, a first moment and a symmetric tensor; what: their names by index."""
    if M.dtype == object or not len(M):
        return
    m, off = M[:, 3, 3], M[:, :3, 3:]
    with np.errstate(over='ignore', invalid='ignore'):
        wrong = np.concatenate([
            M - np.swapaxes(M, -1, -2),
            np.concatenate([off + np.swapaxes(off, -1, -2), M[:, 3:, 3:] - m[:, None, None] * np.eye(3)], axis=-1)], axis=-2)
        largest = np.abs(M).max((-1, -2))
        good = (np.abs(wrong).max((-1, -2)) <= 1e-9 * largest) & (largest < LARGEST)
    if not good.all():
        i = int(np.argmin(good))
        raise ModelError(
            f'{what(i)} has the inertia {M[i].tolist()}, which is none of a rigid body in coordinates (angular, linear): symmetric, with '
            'the mass on the diagonal of its last block, no number of an impossible size; make it with link_inertia')


def _array(value, name):
    if np.ma.is_masked(value):
        raise ModelError(f'{name} has masked entries, which have no value; fill them')
    try:
        return np.array(value)
    except (TypeError, ValueError) as reason:
        raise ModelError(f'{name} is not an array of numbers ({reason}); give rows of equal length') from None


def _read_only(array):
    array.setflags(write=False)
    return array.view()
