# SPDX-License-Identifier: Apache-2.0
"""Trajectories by simulated time: quicker and slower than the wall's, and time that stands still, over DDS."""

import time

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import running_node
from rosgraph_msgs.msg import Clock
from streaming_robot import HOME
from streaming_robot import MODEL
from streaming_robot import PARAMETERS
from streaming_robot import TIMEOUT
from streaming_robot import Robot
from streaming_robot import trajectory

from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics

BEGIN = 50.0            # [s] of simulated time


class SimulatedRobot(Robot):
    """It publishes the clock too; rate: seconds of it in one of the wall's."""

    def __init__(self, client):
        super().__init__(client)
        self.rate, self.now, self._told = 1.0, BEGIN, time.monotonic()
        self.moved = self._told         # [s] when it moved by torques last
        self._clock = client.node.create_publisher(Clock, '/clock', 10)

    def tell(self):
        wall = time.monotonic()
        self.now += self.rate * min(wall - self._told, 0.05)
        self._told = wall
        if self.rate:
            message = Clock()
            message.clock.sec, message.clock.nanosec = int(self.now), int(self.now % 1 * 1e9)
            self._clock.publish(message)
        super().tell()

    def close(self):
        self.client.node.destroy_publisher(self._clock)
        super().close()


@pytest.fixture(scope='module')
def robot(client):
    client.describe(arm_urdf(3))
    with running_node(parameters=PARAMETERS | {'use_sim_time': True}):
        client.wait_for_state('active')
        client.connect()
        robot = SimulatedRobot(client)
        assert client.wait_until(lambda: robot._trajectories.get_subscription_count() and robot._clock.get_subscription_count())
        robot.live(0.3)
        yield robot
        robot.close()
    client.withdraw_description()


def weight(place):
    return inverse_dynamics(MODEL, np.array([place, np.zeros(3), np.zeros(3)]))[0]


def held(robot):
    """Whether its weight is commanded; it moves as a body does, for it may have been held before it heard the last of what was streamed."""
    torque, now = robot.commands[-1], time.monotonic()
    elapsed, robot.moved = min(now - robot.moved, 0.02), now
    robot.speed = forward_dynamics(MODEL, np.stack([robot.place, robot.speed]), torque[None])[0] * elapsed + robot.speed
    robot.place = robot.place + elapsed * robot.speed
    return np.allclose(torque, weight(robot.place), atol=1e-6)


@pytest.mark.parametrize('rate', [4.0, pytest.param(0.25, marks=pytest.mark.slow)])
def test_a_trajectory_takes_its_time_by_the_clock_however_fast_that_goes(robot, rate):
    robot.rate, first = rate, len(robot.streamed)
    goal = HOME + ([0.3, 0.2, -0.2] if np.allclose(robot.place, HOME, atol=1e-3) else 0.0)
    robot.send(trajectory([1.0], [goal]))
    assert robot.live(until=lambda: len(robot.streamed) > first) and robot.at(goal), f'it does not arrive: fault {robot.faults[-1]!r}'
    assert robot.faults[-1] == ''
    q, times = robot.rows(first), np.array(robot.times[first:])
    moving = np.flatnonzero(np.abs(q[:, 1]).max(axis=1) > 1e-6)
    steps = np.diff(times)
    assert (steps > 0).all(), 'a time was streamed twice'
    assert 0.95 - 3 * steps.max() < times[moving[-1]] - times[moving[0]] <= 1.0
    change, mean = np.diff(q[:, 0], axis=0), 0.5 * (q[1:, 1] + q[:-1, 1]) * steps[:, None]
    bend = np.abs(q[:, 3]).max()
    assert (np.abs(change - mean) <= bend * steps[:, None]**3 + 1e-9).all(), 'velocities are those of another time'


@pytest.mark.parametrize('paused', [False, pytest.param(True, marks=pytest.mark.slow)])
def test_when_time_stands_still_the_motion_ends_the_arm_is_held_and_later_trajectories_are_followed(robot, client, paused):
    """paused: joint_states stop too, as those of a simulator do."""
    robot.rate, first = 1.0, len(robot.streamed)
    begin = robot.place.copy()
    robot.send(trajectory([2.0], [begin + 0.4]))
    assert robot.live(until=lambda: len(robot.streamed) > first and np.abs(robot.place - begin).max() > 0.05)
    robot.rate, robot.measures = 0.0, not paused
    robot.live(2 * TIMEOUT)
    assert paused or robot.live(until=lambda: held(robot)), f'the arm is not held: fault {robot.faults[-1]!r}'
    streamed = len(robot.streamed)
    robot.live(TIMEOUT)
    assert len(robot.streamed) == streamed and np.abs(robot.place - begin).max() < 0.4 and robot.faults[-1] == ''
    assert client.diagnostics('trajectories')[1] == 'none'
    robot.rate, robot.measures, robot.speed = 1.0, True, np.zeros(3)
    robot.live(0.3)
    robot.send(trajectory([1.0], [HOME]))
    assert robot.live(until=lambda: len(robot.streamed) > streamed) and robot.at(HOME) and robot.faults[-1] == ''
