# SPDX-License-Identifier: Apache-2.0
"""Position and velocity limits of what is asked for and of what is measured: beyond them the stream ends."""

import numpy as np
from numpy.typing import NDArray

from hod_ros.model.far_positions import FAR
from hod_ros.ros.guards.record import Record

KINDS = ('position', 'velocity')
ROUNDING = 1e-9         # by which a planner that goes up to a limit may exceed it
OVERSPEED = 1.25        # times the velocity limit: a controller that tracks full speed overshoots a little
POSITION_FLAG, VELOCITY_FLAG = 8, 16


class MotionLimits:
    """lower, upper, velocity: (n,), inf where there is none. tolerance [rad] or [m]: by which a measured position may lie outside."""

    def __init__(
            self, joint_names: tuple[str, ...], lower: NDArray[np.float64], upper: NDArray[np.float64], velocity: NDArray[np.float64],
            tolerance: float = 0.0) -> None:
        self.record = Record('motion limits')
        self._names = joint_names
        self._lower, self._upper, self._velocity, self._tolerance = lower, upper, velocity, tolerance
        self.exist = bool(np.isfinite([lower, upper, velocity]).any())
        slack = ROUNDING * np.stack([np.maximum(1.0, np.nan_to_num(np.maximum(np.abs(lower), np.abs(upper)), posinf=1.0)),
                                     np.nan_to_num(velocity, posinf=1.0)])
        self._least = np.stack([lower, -velocity]) - slack
        self._most = np.stack([upper, velocity]) + slack

    def flags(self, q: NDArray[np.float64]) -> NDArray[np.uint8] | None:
        """(n,) POSITION_FLAG and VELOCITY_FLAG of a motion q (rows, n); None where all is within."""
        rows = q[:2]
        beyond = (rows < self._least) | (rows > self._most)
        if not beyond.any():
            return None
        return (beyond * np.array([[POSITION_FLAG], [VELOCITY_FLAG]], np.uint8)).sum(axis=0, dtype=np.uint8)

    def excesses(self, q: NDArray[np.float64]) -> list[tuple[str, str, float, float]]:
        """(joint, kind, value, limit) of all that a motion q (rows, n) exceeds."""
        rows = q[:2]
        above, below = rows > self._most, rows < self._least
        limits = np.where(above, [self._upper, self._velocity], [self._lower, -self._velocity])
        return [
            (self._names[joint], KINDS[kind], float(rows[kind, joint]), float(limits[kind, joint]))
            for kind, joint in np.argwhere(above | below)]

    def fault(self, q: NDArray[np.float64]) -> str:
        """What a setpoint q (rows, n) exceeds, or ''."""
        flags = self.flags(q)
        if flags is None:
            return ''
        joint = int(np.argmax(flags > 0))
        if flags[joint] & POSITION_FLAG:
            return self._position_text('a setpoint asks', joint, q[0, joint])
        return (f'a setpoint asks joint {self._names[joint]!r} for the velocity {q[1, joint]:.4g}; its limit is '
                f'{self._velocity[joint]:.4g}')

    def measured_fault(self, positions: NDArray[np.float64], velocities: NDArray[np.float64] | None) -> str:
        """What the robot itself exceeds, or ''."""
        outside = (positions < self._lower - self._tolerance) | (positions > self._upper + self._tolerance)
        if outside.any():
            joint = int(np.argmax(outside))
            return self._position_text('joint_states have', joint, positions[joint])
        if velocities is not None:
            fast = np.abs(velocities) > OVERSPEED * self._velocity
            if fast.any():
                joint = int(np.argmax(fast))
                return (f'joint {self._names[joint]!r} moves with {velocities[joint]:.4g}, more than {OVERSPEED:g} times its velocity '
                        f'limit {self._velocity[joint]:.4g}')
        return ''

    def stopping_place(self, free: NDArray[np.float64], positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) where joints at `positions` stop, which would by themselves at `free`: within their limits. One that is beyond them comes
        back no further than it would have gone, so that one at rest stays where it is: it may be its encoder that is wrong."""
        reach = np.abs(free - positions)
        lower, upper = np.minimum(self._lower, positions + reach), np.maximum(self._upper, positions - reach)
        return np.minimum(np.maximum(free, lower), upper)

    def _position_text(self, who: str, joint: int, position: float) -> str:
        lower, upper = self._lower[joint], self._upper[joint]
        far = max(position - upper, lower - position) > FAR * (upper - lower)
        return (f'{who} joint {self._names[joint]!r} at {position:.4g}; it may be from {lower:.4g} to {upper:.4g}'
                f'{": is that in [rad], or in [m]?" if far else ""}')
