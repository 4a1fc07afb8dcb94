# SPDX-License-Identifier: Apache-2.0
"""The controller as a process: whose references it listens to, and states that are too old for its loop."""

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from elastic_peer import MODULE  # noqa: E402
from elastic_peer import PARAMETERS  # noqa: E402
from elastic_peer import STILL  # noqa: E402
from elastic_peer import Peer  # noqa: E402
from elastic_peer import at_rest  # noqa: E402
from elastic_peer import in_use  # noqa: E402
from elastic_peer import weight  # noqa: E402
from ros_harness import Client  # noqa: E402
from ros_harness import running_node  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

MOVED = STILL + np.outer([1, 0, 0, 0, 0], [0.05, 0.0, 0.0])
CLOCK = 100             # [s] at which the simulated clock stands


@pytest.fixture
def peer(client):
    yield from in_use(client, Peer(client))


@pytest.fixture
def listening():
    listening = Client('listening', node='/hod_elastic_controller')
    yield listening
    listening.close()


def test_references_are_followed_of_one_source_until_it_is_silent_and_others_are_refused_and_named(client, peer, listening):
    other = Client('second_planner', node='/hod_elastic_controller')
    second = Peer(other)
    try:
        with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 30.0, 'source_timeout': 1.0}) as controller:
            peer.start()
            assert other.wait_until(lambda: second.reaches_the_controller)
            peer.reference(rows=STILL)
            client.spin(0.05)
            np.testing.assert_allclose(peer.next(lambda: peer.state(rate=np.zeros(3))), weight(STILL[0]), atol=1e-9)
            for _ in range(10):
                peer.reference(rows=STILL)
                second.reference(rows=MOVED)
                at_rest(peer, 0.02)
            np.testing.assert_allclose(peer.torques[-1].effort, weight(STILL[0]), atol=1e-6, err_msg='the second one is followed')
            _, text, values = listening.diagnostics('guards')
            assert 'another source sends motor_feedforward messages' in values['source']
            assert {'/client', '/second_planner'} <= set(listening.diagnostics('control')[2]['publishers of references'].split(', '))
            controller.wait_for_output('another source sends motor_feedforward .*let only one publish')
            assert client.wait_until(lambda: second.reference(rows=MOVED) or at_rest(peer, 0.02) or (
                abs(peer.torques[-1].effort[0] - weight(STILL[0])[0]) > 0.5)), 'the first is silent, and the second is not followed'
            assert not any(peer.faults)
    finally:
        second.close()
        other.close()


@pytest.mark.slow
def test_states_too_old_for_the_loop_start_nothing_and_in_motion_are_a_fault_by_which_the_arm_is_carried(client, peer, listening):
    clock = client.node.create_publisher(Clock, '/clock', 10)

    def states(count, age):
        """So many, of motors that stand still, by a clock that does so too."""
        for _ in range(count):
            clock.publish(time_at(CLOCK))
            peer.reference(rows=STILL)
            peer.state(sec=CLOCK - 1, nanosec=round(1e9 * (1 - age)), rate=np.zeros(3))
            client.spin(0.002)

    def control():
        listening.spin(0.2)         # what came while it did not listen
        return listening.diagnostics('control')
    try:
        with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 30.0, 'delay': 1e-3, 'use_sim_time': True}) as controller:
            peer.start()
            assert client.wait_until(lambda: clock.get_subscription_count())
            for _ in range(64):
                clock.publish(time_at(CLOCK))
                peer.state(sec=CLOCK - 1, nanosec=900_000_000, rate=np.zeros(3))
                client.spin(0.002)
            states(64, 0.1)
            assert not peer.torques, 'a reference is followed although no loop bears this'
            controller.wait_for_output('no reference is followed: torques act 100 ms after the time of their state .* it would be unstable')
            states(170, 0.0005)
            assert peer.torques and not any(peer.faults)
            assert client.wait_until(lambda: states(4, 0.1) or any(peer.faults)), 'old states are no fault'
            assert 'it would be unstable' in peer.faults[-1]
            states(40, 0.1)
            np.testing.assert_allclose(peer.torques[-1].effort, weight(STILL[0]), atol=1e-3)
            level, text, values = control()
            assert level == b'\x02' and text.startswith('fault: delay; carries the arm by the model alone')
            assert values['age of states when answered: median, 95 %, largest [ms]'].startswith('100, ')
            assert not listening.call(Trigger, 'reset', Trigger.Request()).success, 'they are still as old'
            states(170, 0.0005)
            assert control()[1].startswith('fault: delay; the motors hold their place')
            answer = listening.call(Trigger, 'reset', Trigger.Request())
            assert answer.success, answer.message
            states(20, 0.0005)
            assert control()[1].startswith('follows references')
    finally:
        client.node.destroy_publisher(clock)
        client.spin(0.05)


def time_at(seconds):
    message = Clock()
    message.clock.sec = seconds
    return message
