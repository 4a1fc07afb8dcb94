# SPDX-License-Identifier: Apache-2.0
"""Checks of the fields that a RobotModel is made of; arrays become read-only and cannot be made writeable again."""

from collections.abc import Iterable
from collections.abc import Mapping
from numbers import Number

import numpy as np

from hod_ros.checks import geometry
from hod_ros.checks.arguments import exact_package
from hod_ros.checks.arguments import masked
from hod_ros.checks.arguments import one_of
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


def geometry_of(poses, screws, joints, screw_body):
    """(poses, screws) as read-only arrays that are exactly what they were meant to be."""
    poses = geometry.poses(poses, lambda i: f'the reference configuration B of joint {joints[i]!r}', ModelError)
    screws = geometry.screws(screws, lambda k: f'the screw of joint {joints[screw_body[k]]!r}', ModelError)
    return _read_only(poses), _read_only(screws)


def base(value, error):
    """'fixed' or 'free'."""
    if not one_of(value, ('fixed', 'free')):
        raise error(f"base is {shown(value)}; give 'fixed' or 'free'")


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
    named = [link for link, (_, pose) in out.items() if pose.dtype != object]
    if named:
        given = np.stack([out[link][1] for link in named])
        exact = geometry.poses(given, lambda i: f'the pose of link {named[i]!r}', ModelError)
        if exact is not given:
            out |= {link: (out[link][0], _read_only(pose)) for link, pose in zip(named, exact, strict=True)}
    return out


def _array(value, name):
    if masked(value):
        raise ModelError(f'{name} has masked entries, which have no value; fill them')
    try:
        return np.array(value)
    except (TypeError, ValueError) as reason:
        raise ModelError(f'{name} is not an array of numbers ({reason}); give rows of equal length') from None


def _read_only(array):
    array.setflags(write=False)
    return array.view()
