# SPDX-License-Identifier: Apache-2.0
"""Parameters that change while the node runs, and what comes while it does not."""

from array import array

import numpy as np
import pytest
from ros_harness import arm_urdf
from setpoint_path import ELASTIC
from setpoint_path import NAMES
from setpoint_path import Path

from hod_interfaces.msg import LinkWrench


@pytest.fixture
def path(monkeypatch):
    path = Path(monkeypatch, **{'limits.joint1.velocity': 3.0})
    yield path
    path.close()


def push(rows=3):
    return LinkWrench(link='link3', values=array('d', [0.0, 0.0, 0.0, 0.0, 0.0, 50.0] * rows))


def change(path, **values):
    assert path.set(**values).successful
    path.path.use(path.path._robot)


def test_what_is_measured_is_fresh_by_the_timeout_of_the_moment(path):
    measured = path.path.measured
    measured.take(NAMES, [0.0] * 3, [0.0] * 3, 50.0)
    assert not measured.fresh(51.0)
    change(path, joint_states_timeout=2.0)
    assert path.path.measured is measured and measured.fresh(51.0) and not measured.fresh(52.1)


def test_jumps_of_what_is_measured_are_judged_by_the_limits_of_the_moment(path):
    change(path, **{'joint_states_timeout': 1.0, 'limits.joint1.velocity': 0.1})
    for k in range(3):
        path.path.measured.take(NAMES, [0.5 * k, 0.0, 0.0], [], 50.0 + 0.2 * k)
    assert path.path.measured.positions[0] == 0.0 and path.path.measured.record.count == 2


def test_a_robot_with_other_joints_is_measured_anew(path):
    path.path.measured.take(NAMES, [0.0] * 3, [], 50.0)
    path.path.use(path.robot(arm_urdf(4)))
    assert not path.path.measured.known


def test_wrenches_that_come_while_the_node_is_inactive_count_for_nothing(path):
    path.send(np.zeros(3))
    path.path.deactivate()
    path.path.take_wrench(push())
    path.path.activate()
    path.send(np.zeros(3))
    np.testing.assert_array_equal(path.feedforward[1], path.feedforward[0])
    assert path.path.wrenches.status().values['received while inactive'] == 1
    path.path.take_wrench(push())
    path.send(np.zeros(3))
    assert np.abs(path.feedforward[2] - path.feedforward[0]).max() > 1.0


def test_wrenches_of_a_node_that_was_cleaned_up_are_none_of_the_next_robots(path):
    path.path.deactivate()
    path.path.close()
    path.path.take_wrench(push())
    assert path.path.wrenches.by_link is None


def test_wrenches_may_have_as_many_rows_as_the_order_or_drives_can_use(monkeypatch):
    path = Path(monkeypatch, **ELASTIC, order=20)
    path.path.take_wrench(push(21))
    assert path.path.wrenches.refused == 0 and path.path.wrenches.order == 20
    path.path.take_wrench(push(22))
    assert path.path.wrenches.refused == 1
    path.close()
