# SPDX-License-Identifier: Apache-2.0
"""What the encoders of motors say, as far as motors can do it: a jump is the encoder's doing, and so is a velocity that no motor has."""

from dataclasses import replace

import numpy as np

from hod_ros.ros.elastic.laws import State
from hod_ros.ros.elastic.motor_model import MotorModel
from hod_ros.ros.guards.measured import MARGIN
from hod_ros.ros.guards.motor_bounds import MotorBounds
from hod_ros.ros.guards.unbroken import FASTEST
from hod_ros.ros.guards.unbroken import Unbroken

SLACK = 0.05            # [rad] or [m] of a joint, by which its motors may be measured to move at once


class MotorEncoders:
    """Motors are where they are measured, until an encoder jumps; from then on, until `believe`, where their own motion has led them."""

    def __init__(self, model: MotorModel, bounds: MotorBounds) -> None:
        n = model.model.n
        fastest = np.minimum(MARGIN * bounds.motor_velocity, np.abs(model.of_motors(np.full(n, FASTEST))))
        self._places = Unbroken(fastest, np.abs(model.of_motors(np.full(n, SLACK))))
        self._names = model.prepared.motor_names
        self.jumped = False         # since `believe`
        self.jump = ''              # which motor jumps with the last state, in words

    def take(self, now: float, state: State, *, anew: bool) -> State:
        """The state as motors can have moved; anew: nothing is known of where they were."""
        places, velocities = self._places, state.motor_velocities
        before, elapsed = places.positions.copy(), now - places.times[0]
        jumps = places.take(slice(None), state.motor_positions, now, -np.inf if anew else np.inf)
        self.jump = ''
        if anew:
            self.jumped = False
        elif jumps.any():
            m = int(np.argmax(jumps))
            self.jumped = True
            self.jump = (
                f'motor {self._names[m]!r} jumps to {state.motor_positions[m]:.4g} by motor_states, further than it can have moved from '
                f'{before[m]:.4g} in {elapsed:.4g} s; it is held as if it had not, and ~/reset takes it to be where it is then measured')
        wrong = np.abs(velocities) > places.fastest
        if not self.jumped and not wrong.any():
            return state
        if wrong.any():
            seen = (places.positions - before) / elapsed if not anew and elapsed > 0 else np.zeros(len(before))
            velocities = np.where(wrong, seen, velocities)
        return replace(state, motor_positions=places.positions.copy(), motor_velocities=velocities)

    def believe(self) -> None:
        """Motors are where they are measured."""
        self._places.believe()
        self.jumped = False
