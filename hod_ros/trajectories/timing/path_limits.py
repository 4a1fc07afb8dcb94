# SPDX-License-Identifier: Apache-2.0
"""What limits the speed along a path: every limited quantity at points of it, as a function of b = u'^2 and its derivatives by u there.

z = (b, b', b'', b''') at a point; q', q'', ... by u. With u' = b^(1/2), u'' = b' / 2, u''' = b'' b^(1/2) / 2:

    velocity        q' b^(1/2)
    acceleration    q'' b + q' b' / 2
    jerk            (q''' b + 3/2 q'' b' + 1/2 q' b'') b^(1/2)
    effort          Q = m b' / 2 + c b + g
    effort rate     L b^(1/2),  L = m b'' / 2 + (m' / 2 + c) b' + c' b + g'
    Q''             L' b + L b' / 2

m, c, g and their derivatives along the path are read off inverse dynamics of order 2. Velocities (squared), accelerations and efforts are
affine in z and stay within +-1 when divided by their limits; jerks and effort rates without their factor b^(1/2) are affine too and
stay within +-b^(-1/2), a convex function, whose tangents lie below it. What the motors do is computed as it is.
"""

from copy import copy

import numpy as np
from numpy.typing import NDArray

from hod_ros.actuators.prepared_drives import prepared
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import InputError
from hod_ros.trajectories.limits import Limits
from hod_ros.trajectories.polynomials import factorials
from hod_ros.trajectories.timing.compositions import clock
from hod_ros.trajectories.timing.compositions import composed
from hod_ros.trajectories.timing.warped_path import WarpedPath

Array = NDArray[np.float64]
_STEP = 1e-3                # of central differences, by the size of the speed profile; what they differentiate is nearly quadratic


class PathDynamics:
    """q, m, c, g at points of a path with their derivatives by u: (points, order + 1, n) and three of (points, order - 1, n)."""

    def __init__(self, model, weightless, q: Array):
        self.q = q
        self.c = inverse_dynamics(weightless, _moving(q, 1.0, 0.0))
        self.g = inverse_dynamics(model, _moving(q, 1.0, 0.0)) - self.c
        # without gravity, b = 1 and b' = 2 give Q = m + c, Q' = m' + c' + 2 c, Q'' = m'' + m' + c'' + 5 c' + 2 c
        self.m = inverse_dynamics(weightless, _moving(q, 1.0, 2.0)) - self.c
        self.m[:, 1] -= 2 * self.c[:, 0]
        if self.m.shape[1] > 2:
            self.m[:, 2] -= self.m[:, 1] + 5 * self.c[:, 1] + 2 * self.c[:, 0]

    def efforts(self, z: Array) -> Array:
        """Q, Q', Q'' by time, (points, 3, n); of order 4."""
        m, c, g = (np.moveaxis(x, 1, 0) for x in (self.m, self.c, self.g))
        b, b1, b2, b3 = (column[:, None] for column in z.T)
        rate = g[1] + c[1] * b + (m[1] / 2 + c[0]) * b1 + m[0] / 2 * b2
        slope = g[2] + c[2] * b + (m[2] / 2 + 2 * c[1]) * b1 + (m[1] + c[0]) * b2 + m[0] / 2 * b3
        return np.stack([g[0] + c[0] * b + m[0] / 2 * b1, rate * np.sqrt(b), slope * b + rate * b1 / 2], axis=1)

    def motion(self, z: Array) -> Array:
        """q and its derivatives by time, (points, order + 1, n)."""
        return _in_time(self.q, z)


def _moving(q, b, b1):
    """q's derivatives by time for b and b' that are the same at all points, b'' and b''' being 0."""
    return _in_time(q, np.tile([b, b1, 0.0, 0.0], (len(q), 1)))


def _in_time(q, z):
    order = q.shape[1] - 1
    scale = factorials(order + 1)[:, None]
    return np.ascontiguousarray(composed(q / scale, clock(z[:, :order] / factorials(order), np.zeros(len(z)), order)) * scale)


class PathLimits:
    """All limited quantities of a robot on its way along a path; `at` gives them at points."""

    def __init__(self, model, route: WarpedPath, limits: Limits, drives=None):
        self.model = model
        self._weightless = model.replace(gravity=np.zeros(3))
        self.route = route
        self.drives = None if drives is None else prepared(model, drives)
        self.bounds = {}            # quantity -> limits (joints,), infinite where there is none
        for quantity in limits.given:
            motors = quantity.startswith('motor_')
            if motors and self.drives is None:
                raise InputError(f'limits.{quantity} is given without drives; give drives={{joint: drive}}, which say what the motors are')
            names = self.drives.motor_names if motors else model.joint_names
            bound = limits.of(quantity, names)
            if np.isfinite(bound).any():
                self.bounds[quantity] = bound
        if not self.bounds:
            raise InputError('limits holds no finite number, so nothing says how fast the path may be followed; give velocity, effort, ...')
        if self.drives is not None and self.drives.rows > 5:
            raise InputError(
                f'the drives need derivative {self.drives.rows - 1} of the path, but timing goes to the fourth; leave damping_terms at 0, '
                "and prepare rotors with coupling='five_rows'")
        self.order = 4 if self.motors else 3        # derivatives of the path that matter
        self.labels = [
            (quantity, name)
            for quantity in self.quantities
            for name in (self.drives.motor_names if quantity.startswith('motor_') else model.joint_names)]

    @property
    def motors(self) -> bool:
        """Whether the motors limit the motion."""
        return 'motor_effort' in self.bounds or 'motor_velocity' in self.bounds

    @property
    def quantities(self) -> list[str]:
        """The limited quantities, in the order of the columns of `usage`."""
        order = ('velocity', 'acceleration', 'effort', 'jerk', 'effort_rate', 'motor_velocity', 'motor_effort')
        return [quantity for quantity in order if quantity in self.bounds]

    def tighter(self, part: float) -> 'PathLimits':
        """The same with all limits reduced by this part of them."""
        if not part:
            return self
        out = copy(self)
        out.bounds = {quantity: bound * (1 - part) for quantity, bound in self.bounds.items()}
        return out

    def at(self, u: Array) -> 'PointLimits':
        """The limited quantities at points u."""
        return PointLimits(self, PathDynamics(self.model, self._weightless, self.route.derivatives(u, self.order)))


class PointLimits:
    """The limited quantities at points, for z (points, 4)."""

    def __init__(self, limits: PathLimits, dynamics: PathDynamics):
        self.limits = limits
        self.dynamics = dynamics
        q, m, c, g = (np.moveaxis(x, 1, 0) for x in (dynamics.q, dynamics.m, dynamics.c, dynamics.g))
        none = np.zeros_like(q[0])
        affine = {
            'velocity': (none, q[1] ** 2, none, none),
            'acceleration': (none, q[2], q[1] / 2, none),
            'effort': (g[0], c[0], m[0] / 2, none),
        }
        rated = {
            'jerk': (none, q[3], 1.5 * q[2], q[1] / 2),
            'effort_rate': (g[1], c[1], m[1] / 2 + c[0], m[0] / 2),
        }
        self._affine = self._stacked(affine)
        self._rated = self._stacked(rated)
        self._squared = np.array([quantity == 'velocity' for quantity, _ in limits.labels if quantity in affine], dtype=bool)
        self._motor_bounds = np.concatenate(
            [limits.bounds[quantity] for quantity in limits.quantities if quantity.startswith('motor_')] or [np.zeros(0)])

    def _stacked(self, rows):
        """(constant (points, joints), coefficients of b, b', b'' (points, joints, 4)), divided by the limits."""
        limits = self.limits
        chosen = [quantity for quantity in limits.quantities if quantity in rows]
        points, n = len(self.dynamics.q), self.dynamics.q.shape[2]
        if not chosen:
            return np.zeros((points, 0)), np.zeros((points, 0, 4))
        parts = []
        for quantity in chosen:
            bound = limits.bounds[quantity] ** (2 if quantity == 'velocity' else 1)
            parts.append(np.stack([*rows[quantity], np.zeros((points, n))], axis=2) / bound[:, None])
        stacked = np.concatenate(parts, axis=1)
        return stacked[..., 0], stacked[..., 1:]

    def _motor_shares(self, z):
        """What the motors do by their limits, with signs, (points, columns)."""
        limits = self.limits
        done = limits.drives.motor_feedforward_of(self.dynamics.motion(z), self.dynamics.efforts(z))
        parts = [done.velocities if q == 'motor_velocity' else done.efforts for q in limits.quantities if q.startswith('motor_')]
        return np.concatenate(parts, axis=1) / self._motor_bounds

    def usage(self, z: Array) -> Array:
        """|quantity| / limit, (points, columns): at most 1 where the limits are met."""
        b = z[:, :1]
        affine = np.abs(_apply(self._affine, z))
        affine = np.where(self._squared, np.sqrt(affine), affine) if affine.size else affine
        parts = [affine, np.abs(_apply(self._rated, z)) * np.sqrt(b)]
        if self.limits.motors:
            parts.append(np.abs(self._motor_shares(z)))
        return np.concatenate(parts, axis=1)

    def slack(self, z: Array) -> Array:
        """(points, constraints), all above 0 where b > 0 and every limit is kept with something to spare."""
        y, w, b = _apply(self._affine, z), _apply(self._rated, z), z[:, :1]
        parts = [b, 1 - y, 1 + y[:, ~self._squared], b ** -0.5 - w, b ** -0.5 + w]
        if self.limits.motors:
            share = self._motor_shares(z)
            parts += [1 - share, 1 + share]
        return np.concatenate(parts, axis=1)

    def slopes(self, z: Array) -> Array:
        """Derivatives of `slack` by z, (points, constraints, 4)."""
        points, b = len(z), z[:, 0]
        positive = np.zeros((points, 1, 4))
        positive[:, 0, 0] = 1.0
        root = np.zeros((points, 1, 4))
        root[:, 0, 0] = -0.5 * b ** -1.5
        A, R = self._affine[1], self._rated[1]
        parts = [positive, -A, A[:, ~self._squared], root - R, root + R]
        if self.limits.motors:
            share = self._motor_slopes(z)
            parts += [-share, share]
        return np.concatenate(parts, axis=1)

    @property
    def convex(self) -> slice:
        """The columns of `slack` that are b^(-1/2) and something affine."""
        first = 1 + 2 * len(self._squared) - int(self._squared.sum())
        return slice(first, first + 2 * self._rated[0].shape[1])

    def _motor_slopes(self, z):
        size = np.maximum(np.abs(z).max(axis=0), z[:, 0].max() * 10.0 ** np.arange(4))
        columns = []
        for k in range(4):
            step = np.zeros_like(z)
            step[:, k] = _STEP * (z[:, 0] if k == 0 else size[k])
            columns.append((self._motor_shares(z + step) - self._motor_shares(z - step)) / (2 * step[:, k, None]))
        return np.stack(columns, axis=2)


def _apply(rows, z):
    constant, coefficients = rows
    return constant + np.einsum('prk,pk->pr', coefficients, z)
