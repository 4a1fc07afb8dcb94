# SPDX-License-Identifier: Apache-2.0
"""The controller by simulated time: quicker and slower than the wall's, and time that stands still, over DDS."""

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from elastic_peer import MODULE  # noqa: E402
from elastic_peer import NAMES  # noqa: E402
from elastic_peer import PARAMETERS  # noqa: E402
from elastic_peer import STILL  # noqa: E402
from elastic_peer import Peer  # noqa: E402
from elastic_peer import in_use  # noqa: E402
from elastic_peer import weight  # noqa: E402
from ros_harness import PATIENCE  # noqa: E402
from ros_harness import running_node  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402

BEGIN = 50_000_000_000      # [ns]
WALL = 0.005                # [s] about, between two states
RATE = 50.0                 # [N m/s]
PUSH = np.array([8.0, 0.0, 0.0])
PUSHED = STILL + np.outer([0, 0, 0, 1, 0], PUSH)        # a torque that needs a time to come to
LIMITS = PARAMETERS | {f'limits.{name}.effort_rate': RATE for name in NAMES} | {'delay': 1e-3, 'use_sim_time': True}


class SimulatedPeer(Peer):
    """It publishes the clock too, before each state."""

    def __init__(self, client):
        super().__init__(client)
        self.now = BEGIN
        self._clock = client.node.create_publisher(Clock, '/clock', 10)
        self._publishers.append(self._clock)

    def live(self, rate, rows, until, patience=PATIENCE):
        """States, and references of these rows (None: none), whether `until` came; rate: seconds of the clock in one of the wall's."""
        for _ in range(round(patience / WALL)):
            if until():
                return True
            self.now += round(1e9 * rate * WALL)
            stamp = dict(zip(('sec', 'nanosec'), divmod(self.now, 1_000_000_000), strict=True))
            if rate:
                message = Clock()
                message.clock.sec, message.clock.nanosec = stamp['sec'], stamp['nanosec']
                self._clock.publish(message)
            if rows is not None:
                self.reference(rows=rows, **stamp)
            self.state(rate=np.zeros(3), **stamp)
            self.client.spin(WALL)
        return False

    @property
    def torque(self):
        return np.array(self.torques[-1].effort) if self.torques else np.full(3, np.nan)


@pytest.fixture
def peer(client):
    yield from in_use(client, SimulatedPeer(client))


@pytest.mark.parametrize('rate', [1.5, pytest.param(0.25, marks=pytest.mark.slow)])
def test_torques_change_by_the_clock_however_fast_that_goes_and_where_it_stands_the_arm_is_held(peer, rate):
    with running_node(module=MODULE, parameters=LIMITS):
        peer.start()
        assert peer.client.wait_until(lambda: peer._clock.get_subscription_count())
        assert peer.live(rate, STILL, lambda: np.allclose(peer.torque, weight(STILL[0]), atol=1e-6))
        first = len(peer.torques) - 1
        assert peer.live(rate, PUSHED, lambda: np.allclose(peer.torque, weight(STILL[0]) + PUSH, atol=1e-6))
        stamps = np.array([m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec for m in peer.torques[first:]])
        torques = np.array([m.effort for m in peer.torques[first:]])
        assert (np.abs(np.diff(torques, axis=0)) <= RATE * np.diff(stamps)[:, None] + 1e-6).all(), 'torques jump by the clock'
        assert stamps[-1] - stamps[0] >= PUSH[0] / RATE - 1e-6, 'torques go by another time'

        peer.live(0.0, PUSHED, lambda: False, patience=0.5)
        np.testing.assert_allclose(peer.torque, weight(STILL[0]) + PUSH, atol=1e-6, err_msg='references that come are followed')
        assert peer.live(0.0, None, lambda: np.allclose(peer.torque, weight(STILL[0]), atol=1e-3)), 'the arm is not held'
        assert not any(peer.faults)
        assert peer.live(rate, PUSHED, lambda: np.allclose(peer.torque, weight(STILL[0]) + PUSH, atol=1e-6)), 'it does not go on'
        assert not any(peer.faults)
