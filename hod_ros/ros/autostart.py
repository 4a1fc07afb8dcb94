# SPDX-License-Identifier: Apache-2.0
"""When a lifecycle node starts by itself: with the first good robot, where nobody else answers in its place.

A node that answers beside another steps back, if it came later.
"""

from collections.abc import Mapping
from math import inf
from random import uniform
from time import monotonic
from typing import Any

from rclpy.lifecycle import TransitionCallbackReturn

from hod_ros.errors import InputError
from hod_ros.ros.guards.outputs import SETTLED
from hod_ros.ros.guards.record import Record
from hod_ros.ros.lifecycle import ManagedNode
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.log import STEADY
from hod_ros.ros.reporting.output_watch import PERIOD
from hod_ros.ros.reporting.output_watch import OutputWatch
from hod_ros.ros.robot.keeper import RobotKeeper

OUTPUTS = ('~/feedforward', '~/motor_feedforward', '~/commands')
DISCOVERY = 0.5         # [s] in which other nodes are found; a node that will command waits for so long
STEPS_BACK = 1.0, 4.0   # [s] random: of two that came at once, one is then first


class Autostart:
    """By the parameters autostart and publish_commands."""

    def __init__(self, node: ManagedNode, parameters: Mapping[str, Any], keeper: RobotKeeper) -> None:
        self._node = node
        self._parameters = parameters
        self._keeper = keeper
        self._watch = OutputWatch(node)
        self._born, self._again = monotonic(), inf
        keeper.awaited = parameters['autostart']
        node.create_timer(PERIOD, self._look, clock=STEADY)
        if not keeper.awaited:
            node.get_logger().info('autostart is false: waiting for a lifecycle manager to configure and activate')

    @property
    def record(self) -> Record:
        """What the guard of the outputs tells."""
        return self._watch.outputs.record

    @property
    def _outputs(self):
        return OUTPUTS if self._parameters['publish_commands'] else OUTPUTS[:-1]

    def start(self) -> None:
        """Configures and activates, as soon as there is a description that can be used, and nobody else who answers."""
        keeper = self._keeper
        if self._node.state != 'unconfigured':
            keeper.awaited = False      # somebody has configured it while it waited
        if not keeper.awaited or not keeper.available:
            return
        now = monotonic()
        self._again = now + PERIOD
        taken = self._watch.taken(self._outputs)
        keeper.hindered = f'its output topics: {taken}' if taken else ''
        if keeper.hindered or self._parameters['publish_commands'] and now - self._born < DISCOVERY:
            return
        self._again = inf
        if self._node.trigger_configure() != TransitionCallbackReturn.SUCCESS:
            return
        if self._node.trigger_activate() == TransitionCallbackReturn.FAILURE:
            self._start_again()         # another was quicker; our topics would keep it, too, from answering

    def claim(self) -> None:
        """Before an activation: its outputs are this node's from now on; InputError where another node answers in its place."""
        taken = self._watch.claim(self._outputs)
        if taken:
            raise InputError(f'not activated: {taken}')

    def note_activation(self) -> None:
        self._keeper.awaited = False

    def _look(self):
        now = monotonic()
        if now > self._again:
            self.start()
        if self._node.state != 'active':
            self._watch.release()
            return
        taken = self._watch.taken(self._outputs)
        if not taken:
            return
        self.record.act(taken)
        if now - self._born > SETTLED:
            self._node.get_logger().error(taken, **ONCE_A_SECOND)
        else:
            self._step_back(taken)

    def _step_back(self, taken):
        self._node.get_logger().error(f'this node steps back: {taken}')
        self._node.trigger_deactivate()
        if self._parameters['autostart']:
            self._start_again()

    def _start_again(self):
        """From the state inactive: gives everything back, and starts after a while."""
        self._node.trigger_cleanup()
        self._keeper.awaited = True
        self._again = monotonic() + uniform(*STEPS_BACK)
