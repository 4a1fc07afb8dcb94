# SPDX-License-Identifier: Apache-2.0
"""Loads on the same links again and again: prepared once, so that an evaluation costs little more than without them."""

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.force_gradients import force_gradient_product
from hod_ros.dynamics.force_gradients import force_gradients
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.loads import FRAMES
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.dynamics.loads import places
from hod_ros.dynamics.state_derivatives import InverseDynamicsDerivatives
from hod_ros.dynamics.state_derivatives import inverse_dynamics_derivatives
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


class PreparedLoads:
    """Inverse dynamics of a model on some of whose links the environment acts, and gradients.

    Raises InputError where a link or frame is unknown; calls do where an argument has the wrong shape, name or value.

        >>> loads = PreparedLoads(model, {'panda_link8': 'world_aligned'})
        >>> wrench = np.zeros((3, 6))                                # rows: derivatives
        >>> loads.inverse_dynamics(q, wrench[:, None]).shape         # q (order + 3, n)
        (3, 7)
    """

    def __init__(self, model: RobotModel, links: Mapping[str, str] | Iterable[tuple[str, str]]) -> None:
        """links: {link: frame}, or a sequence of (link, frame) where a link may occur again; frames as in LinkWrench."""
        self.model: RobotModel = motions.robot_model(model)
        items = links.items() if isinstance(links, Mapping) else links
        try:
            self.links: tuple[tuple[str, str], ...] = tuple((link, frame) for link, frame in items)
        except (TypeError, ValueError):
            raise InputError('links is neither {link: frame} nor a sequence of (link, frame); give one of these') from None
        for link, frame in self.links:
            model.body_of(link)
            if not arguments.one_of(frame, FRAMES):
                raise InputError(f'link {link!r} has the frame {arguments.shown(frame)}; it is one of {", ".join(map(repr, FRAMES))}')
        self._kernel = model._compiled
        self._places = None if self._kernel is None else places(model, self.links)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model, self.links)

    def inverse_dynamics(self, q: ArrayLike, values: ArrayLike, *, base: FreeBase | None = None,
                         threads: int | None = None) -> Array | tuple[Array, Array]:
        """As the function of this name; values (order + 1, loads, 6) or (samples, order + 1, loads, 6): torque, force and derivatives."""
        if self._kernel is not None and threads is None:
            pose, twists = base if isinstance(base, tuple) and len(base) == 2 else (None, None)
            Q = self._kernel.inverse_dynamics(q, pose, twists, values, self._places)
            if Q is not None:
                forces = Q[0] if type(Q) is tuple else Q
                if forces.ndim == 3 or len(values) != len(forces) or twists is not None and len(twists) != len(forces) + 1:
                    self._check_shared(values, forces.shape[-2], forces.shape[:-2], twists, forces.shape[-2] + 1)
                return Q
        return inverse_dynamics(self.model, q, wrenches=self._wrenches(values), base=base, order=_order(q, values), threads=threads)

    def inverse_dynamics_derivatives(self, q: ArrayLike, values: ArrayLike, *, base: FreeBase | None = None,
                                     threads: int | None = None) -> InverseDynamicsDerivatives:
        """As the function of this name; values (rows, loads, 6) or (samples, rows, loads, 6), of which row 0 counts."""
        if self._kernel is not None and threads is None:
            pose, twists = base if isinstance(base, tuple) and len(base) == 2 else (None, None)
            matrices = self._kernel.inverse_dynamics_derivatives(q, values, self._places, pose, twists)
            if matrices is not None:
                if len(values) > 1 or twists is not None and len(twists) > 2:
                    self._check_shared(values, 1, matrices[0].shape[:-2], twists, 2)
                return InverseDynamicsDerivatives._make(matrices)
        return inverse_dynamics_derivatives(self.model, q, wrenches=self._wrenches(values), base=base, threads=threads)

    def force_gradients(self, q: ArrayLike, values: ArrayLike, *, threads: int | None = None) -> Array:
        """As the function of this name; values (order + 1, loads, 6) or (samples, order + 1, loads, 6)."""
        if self._kernel is not None and threads is None:
            G = self._kernel.force_gradients(q, values, self._places)
            if G is not None:
                if G.ndim == 5 or len(values) != len(G):
                    self._check_shared(values, G.shape[-4], G.shape[:-4])
                return G
        return force_gradients(self.model, q, wrenches=self._wrenches(values), order=_order(q, values), threads=threads)

    def force_gradient_product(self, q: ArrayLike, v: ArrayLike, values: ArrayLike, *, threads: int | None = None) -> Array:
        """As the function of this name; values as in force_gradients."""
        if self._kernel is not None and threads is None:
            g = self._kernel.force_gradient_product(q, v, values, self._places)
            if g is not None:
                if g.ndim == 3 or len(values) != len(g) - 2:
                    self._check_shared(values, g.shape[-2] - 2, g.shape[:-2])
                return g
        return force_gradient_product(self.model, q, v, wrenches=self._wrenches(values), order=_order(q, values), threads=threads)

    def _check_shared(self, values, rows, samples, twists=None, twist_rows=None):
        """Of what the kernel took: whether rows that were given once may be samples."""
        if np.ndim(values) == 3:
            motions.check_shared(len(values), rows, samples, 'values has', f'{len(self.links)}, 6')
        if twists is not None:
            motions.check_twists(twists, twist_rows, samples)

    def _wrenches(self, values):
        values = arrays.numbers(values, 'values')
        if values.ndim not in (3, 4) or values.shape[-2:] != (len(self.links), 6):
            raise InputError(
                f'values has the shape {values.shape}; give (order + 1, {len(self.links)}, 6) or with an axis of samples before: a wrench '
                f'(torque, force) on each of {", ".join(link for link, _ in self.links)}, row k the k-th time derivative')
        return [(link, LinkWrench(values[..., i, :], frame)) for i, (link, frame) in enumerate(self.links)]


def _order(q, values):
    """The order that the rows of one sample's values say, where those of q are as many; else None."""
    q, values = arrays.numbers(q, 'q'), arrays.numbers(values, 'values')
    if q.ndim == 2 and values.ndim == 3 and len(q) == len(values) + 2:
        return len(values) - 1
    if q.ndim == 2:
        motions.check_order(q, 3, 'q', None, remedy=f'give {len(q) - 2} rows of values')
    return None
