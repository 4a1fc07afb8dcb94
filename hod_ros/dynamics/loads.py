# SPDX-License-Identifier: Apache-2.0
"""External loads: wrenches that the environment exerts on links, with time derivatives, as wrenches on bodies.

A wrench is (torque, force) [N m], [N]; its values (rows, 6) are its components and, row by row, their time
derivatives. Loads lower the generalised forces: Q falls by J^T W.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.algebra.moving_frames import adjoints
from hod_ros.algebra.moving_frames import rotations
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.errors import InputError
from hod_ros.kinematics.chain import body_pose_and_twists
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

FRAMES = ('link', 'world_aligned', 'world')
COMPONENTS = ('torque x', 'torque y', 'torque z', 'force x', 'force y', 'force z')


@dataclass(frozen=True, eq=False)
class LinkWrench:
    """A wrench on a link with time derivatives of its components; k rows let at most Q^(k-1) be computed.

    frame: 'link' (axes and origin of the link), 'world_aligned' (world axes at the link's origin) or 'world' (world
    axes, torque about the world's origin).

    Raises InputError where the frame is unknown or the values are not finite or have the wrong shape.

        >>> push = LinkWrench(np.zeros((3, 6)) + [0, 0, 0, 5.0, 0, 0], 'world_aligned')
        >>> inverse_dynamics(model, q, wrenches={'panda_link8': push}).shape
        (3, 7)
    """

    values: Array      # (rows, 6) or (samples, rows, 6): torque [N m], force [N], then their derivatives
    frame: str = 'link'

    def __post_init__(self) -> None:
        if not arguments.one_of(self.frame, FRAMES):
            raise InputError(f'a wrench has the frame {arguments.shown(self.frame)}; it is one of {", ".join(map(repr, FRAMES))}')
        values = np.array(arrays.numbers(self.values, 'a wrench'))
        if values.ndim not in (2, 3) or values.shape[-1] != 6 or values.shape[-2] == 0:
            raise InputError(
                f'a wrench has the shape {values.shape}; give (rows, 6) or (samples, rows, 6), torque before force')
        if values.dtype != object and not np.isfinite(values).all():
            *_, row, component = np.argwhere(~np.isfinite(values))[0]
            value = values[~np.isfinite(values)][0]
            raise InputError(f'a wrench has {COMPONENTS[component]} = {value} in row {row}; give finite numbers')
        values.setflags(write=False)
        object.__setattr__(self, 'values', values.view())       # which cannot be made writeable again

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.values, self.frame)


Wrenches: TypeAlias = Mapping[str, ArrayLike | LinkWrench] | Iterable[tuple[str, ArrayLike | LinkWrench]]


def body_wrenches(model: RobotModel, q: ArrayLike, wrenches: Wrenches, base: FreeBase | None = None, *, order: int | None = None) -> Array:
    """All loads as body-fixed wrenches (order + 1, N + 1, 6), the base's last, for q (order + 3, n).

    wrenches: {link: wrench}, or a sequence of (link, wrench) where a link may occur again; a wrench is a LinkWrench or,
    in the link's own frame, an array (order + 1, 6). base: (pose, twists) of a free base, as in inverse_dynamics; None:
    at rest in the world frame. For q (samples, order + 3, n) the result is (samples, order + 1, N + 1, 6); a wrench is
    then (samples, order + 1, 6) or shared by all samples, and so are base's pose and twists.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> body_wrenches(model, q, {'panda_link8': np.zeros((3, 6))}).shape
        (3, 8, 6)
    """
    q = motions.motions(model, q, 3, order)
    rows = q.shape[-2] - 1
    if base is None:
        motions.base_of(model, None, rows)
    else:
        base = motions.free_bases(model, base, q.shape[:-2], rows)
    given = pairs(wrenches)
    checked_loads(model, q, given)
    return motions.finite_result(model, on_bodies(model, q, given, base), 'a wrench on a body', q)


@np.errstate(over='ignore', invalid='ignore')
def on_bodies(model, q, loads, base=None):
    """body_wrenches of checked arguments; loads: (link, LinkWrench) each, of as many rows or more."""
    many = q.ndim == 3
    loads = [(link, np.moveaxis(_numbers(model, link, wrench)[..., :q.shape[-2] - 2, :], -2, 0), wrench.frame) for link, wrench in loads]
    loads = [(link, values[:, None] if many and values.ndim == 2 else values, frame) for link, values, frame in loads]
    q = np.moveaxis(q, -2, 0)
    if base is not None:
        base = np.asarray(base[0]), np.moveaxis(np.asarray(base[1]), -2, 0)
    rows = len(q) - 2
    dtype = np.result_type(q.dtype, float, *(values.dtype for _, values, _ in loads))
    out = np.zeros((rows, *q.shape[1:-1], len(model.bodies) + 1, 6), dtype)
    for link, values, frame in loads:
        body, placement = model.body_of(link)
        out[..., body, :] += _on_body(model, q, body, placement, values, frame, base)
    return np.moveaxis(out, 0, 1) if many else out


def checked_external(model, external, rows):
    """external as an array (rows, N + 1, 6), None if there is none."""
    if external is None:
        return None
    return arrays.array(
        external, (rows, len(model.bodies) + 1, 6), 'external',
        'body-fixed wrenches on all bodies and, last, on the base, row k the k-th time derivative; body_wrenches makes it of wrenches '
        'on links')


def pairs(wrenches):
    """[(link, LinkWrench)] of {link: wrench} or of a sequence of such pairs."""
    items = wrenches.items() if isinstance(wrenches, Mapping) else wrenches
    try:
        items = None if isinstance(wrenches, (str, bytes)) else items
        items = [(link, wrench) for link, wrench in items]
    except (TypeError, ValueError):
        raise InputError(
            'wrenches is neither {link: wrench} nor a sequence of (link, wrench); give one of these') from None
    return [(link, _link_wrench(link, wrench)) for link, wrench in items]


def _link_wrench(link, wrench):
    try:
        return wrench if isinstance(wrench, LinkWrench) else LinkWrench(wrench)
    except InputError as error:
        raise InputError(f'link {arguments.shown(link)}: {error}') from None


def checked_loads(model, q, loads):
    """[(link, values (..., order + 1, 6), frame)] of (link, LinkWrench) each, for q (..., order + 3, n)."""
    rows, samples, out = q.shape[-2] - 2, q.shape[:-2], []
    for link, wrench in loads:
        model.body_of(link)
        values = wrench.values
        if values.ndim == 3 and values.shape[:1] != samples:
            asked = f'{samples[0]} samples' if samples else 'one sample'
            raise InputError(
                f'link {link!r}: its wrench has {len(values)} samples, but q has {asked}; give as many, or one for all')
        if values.shape[-2] < rows:
            given = values.shape[-2]
            raise InputError(
                f'link {link!r}: its wrench has {given} rows, which allow order {given - 1} at most, but q with {rows + 2} '
                f'rows asks for order {rows - 1}; give {rows} rows of the wrench, or q without its last rows')
        if values.ndim == 2:
            motions.check_shared(len(values), rows, samples, f'link {link!r}: its wrench has')
        out.append((link, _numbers(model, link, wrench)[..., :rows, :], wrench.frame))
    return out


def _numbers(model, link, wrench):
    return motions.numbers_of(model, wrench.values, f'the wrench on link {link!r}')


def of_sample(loads, i):
    """The loads of sample i: those that have samples lose that axis."""
    return [(link, LinkWrench(wrench.values[i], wrench.frame) if wrench.values.ndim == 3 else wrench) for link, wrench in loads]


def for_kernel(model, loads, samples):
    """Values (..., order + 1, loads, 6), with an axis of samples where one has it, and places (loads, 14) of checked loads."""
    values = [values for _, values, _ in loads]
    if any(one.ndim == 3 for one in values):
        values = [np.broadcast_to(one, samples + one.shape[-2:]) for one in values]
    return np.stack(values, axis=-2), places(model, [(link, frame) for link, _, frame in loads])


def places(model, loads):
    """Where (link, frame) each are, (loads, 14), for the kernel."""
    return np.array([model._compiled.link(model, link, frame) for link, frame in loads]).reshape(-1, 14)


def _on_body(model, q, body, placement, values, frame, base):
    """A link's wrench as the wrench on its body, in the body's frame at its origin."""
    if frame == 'link':
        return apply(_co_transform(placement), values)
    C, V = body_pose_and_twists(model, q[:len(values)], body, base)
    if frame == 'world':
        return product(transpose(adjoints(C, V)), values, apply)
    at_link_origin = product(transpose(rotations(C, V)), values, apply)
    arm = lie.pose(np.eye(3), placement[:3, 3])
    return apply(_co_transform(arm), at_link_origin)


def _co_transform(C):
    """Ad_C^{-T}: a wrench given in the frame with pose C to the frame in which C is given."""
    return lie.Ad(lie.inverse(C)).T
