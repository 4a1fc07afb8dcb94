# SPDX-License-Identifier: Apache-2.0
"""The hod node with elastic joints and two planners: ~/motor_feedforward answers one of them."""

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from ros_harness import arm_urdf  # noqa: E402
from ros_harness import long_queues  # noqa: E402
from ros_harness import node_with_arm  # noqa: E402
from ros_harness import setpoint  # noqa: E402

from hod_interfaces.msg import JointSetpoint  # noqa: E402
from hod_interfaces.msg import MotorFeedforward  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import motor_feedforward  # noqa: E402

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf())
PARAMETERS = {'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stiffness': 3000, 'elastic.joint1.motor_inertia': 0.2}
DRIVES = {'joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
FIRST = np.stack([[0.4, -0.3, 0.6], *np.zeros((4, 3))])
SECOND = FIRST + np.outer([1, 0, 0, 0, 0], [0.2, 0.0, 0.0])


@pytest.mark.parametrize('commands', [False, True])
def test_motors_follow_one_of_two_planners_and_the_other_is_answered_and_named(client, commands):
    with node_with_arm(client, parameters={**PARAMETERS, **long_queues(), 'source_timeout': 60.0, 'publish_commands': commands}) as node:
        motors = []
        listening = client.node.create_subscription(MotorFeedforward, '/hod/motor_feedforward', motors.append, 1000)
        second = client.node.create_publisher(JointSetpoint, '/hod/setpoint', 10)
        assert client.wait_until(lambda: second.get_subscription_count() and client.node.count_publishers('/hod/motor_feedforward'))
        client.spin(0.3)
        client.ask(setpoint(FIRST, NAMES))
        answers = len(client.answers)
        for _ in range(20):
            second.publish(setpoint(SECOND, NAMES))
            client.send(setpoint(FIRST, NAMES))
            client.spin(0.01)
        assert client.wait_until(lambda: len(client.answers) == answers + 40), 'not all have their feedforward'
        assert client.wait_until(lambda: len(motors) >= 21)
        client.spin(0.1)
        assert len(motors) == 21
        for message in motors:
            np.testing.assert_allclose(message.positions, motor_feedforward(MODEL, DRIVES, FIRST).positions, rtol=1e-12)
        assert 'another source sends setpoint messages' in client.diagnostics('guards')[2]['source']
        node.wait_for_output('another source sends setpoint .*~/motor_feedforward answers the owner alone .*let only one publish')
        client.node.destroy_publisher(second)
        client.node.destroy_subscription(listening)
