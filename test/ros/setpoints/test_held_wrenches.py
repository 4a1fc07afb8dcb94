# SPDX-License-Identifier: Apache-2.0
"""External wrenches: what holds, what ends, what is refused, and what of the motion they let be computed."""

from array import array
from time import monotonic

import numpy as np
import pytest
from rclpy.logging import get_logger
from ros_harness import arm_urdf

from hod_interfaces.msg import LinkWrench
from hod_ros import RobotModel
from hod_ros.ros.reporting.status import ERROR
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.setpoints.wrenches import HeldWrenches

pytestmark = pytest.mark.telling

MODEL = RobotModel.from_urdf(arm_urdf(3))
LOGGER = get_logger('held_wrenches')


def wrench(link, rows=1, value=1.0):
    return LinkWrench(link=link, values=array('d', [value] * 6 * rows))


@pytest.fixture
def parameters():
    return {'wrench_timeout': 0.0}


@pytest.fixture
def held(parameters):
    return HeldWrenches(parameters, LOGGER)


def test_the_next_wrench_on_a_link_takes_the_place_of_the_last_and_an_empty_one_ends_it(held):
    assert held.by_link is None and held.order is None
    held.receive(wrench('link1'), MODEL)
    held.receive(wrench('link2'), MODEL)
    held.receive(wrench('link1', value=7.0), MODEL)
    assert set(held.by_link) == {'link1', 'link2'}
    np.testing.assert_array_equal(held.by_link['link1'].values, [[7.0] * 6])
    held.receive(LinkWrench(link='link1'), MODEL)
    assert set(held.by_link) == {'link2'}
    held.receive(LinkWrench(link='link2'), MODEL)
    assert held.by_link is None and held.received == 5


def test_the_wrench_with_the_fewest_derivatives_decides_on_the_order(held):
    held.receive(wrench('link1', 3), MODEL)
    assert held.order == 2
    held.receive(wrench('link2', 1), MODEL)
    assert held.order == 0
    held.receive(LinkWrench(link='link2'), MODEL)
    assert held.order == 2


@pytest.mark.parametrize('bad', [
    wrench('hand'), LinkWrench(link='link1', values=array('d', [1.0] * 5)), wrench('link1', value=float('nan')),
    LinkWrench(link='link1', frame='tool', values=array('d', [1.0] * 6)), wrench('link1', value=1e300)])
def test_a_bad_wrench_is_counted_and_leaves_the_last_good_one(held, bad):
    held.receive(wrench('link1', value=2.0), MODEL)
    held.receive(bad, MODEL)
    assert held.refused == 1 and held.last_fault
    np.testing.assert_array_equal(held.by_link['link1'].values, [[2.0] * 6])
    assert held.status()[:3] == ('external wrenches', ERROR, f'refused 1: {held.last_fault}')
    assert held.status()[:3] == ('external wrenches', OK, 'on link1')


@pytest.mark.parametrize(('rows', 'needed', 'taken'), [(12, 3, True), (13, 3, False), (200, 3, False), (15, 15, True), (16, 15, False)])
def test_rows_that_may_be_samples_are_refused(held, rows, needed, taken):
    held.receive(wrench('link1', rows), MODEL, needed)
    assert (held.by_link is not None, held.refused) == (taken, not taken)
    if not taken:
        assert held.last_fault == (
            f"wrench on link 'link1': {rows} rows: are these samples? Send one sample in a message; if all rows are derivatives of one "
            f'sample, give no more than {max(needed, 12)}')


def test_old_wrenches_end_link_by_link(held, parameters):
    held.receive(wrench('link1'), MODEL)
    between = monotonic()
    while monotonic() == between:
        pass
    held.receive(wrench('link2'), MODEL)
    held.expire(between + 1e6)
    assert set(held.by_link) == {'link1', 'link2'}, 'there is no timeout'
    parameters['wrench_timeout'] = 10.0
    held.expire(between + 10.0)
    assert set(held.by_link) == {'link2'} and held.timeouts == 1
    assert held.status().level == WARN
    held.expire(between + 20.0)
    assert held.by_link is None and held.order is None and held.timeouts == 2


def test_a_new_robot_keeps_the_wrenches_on_links_that_it_has(held):
    held.receive(wrench('link1'), MODEL)
    held.receive(wrench('link3'), MODEL)
    held.keep_links_of(RobotModel.from_urdf(arm_urdf(2)))
    assert set(held.by_link) == {'link1'}
    held.clear()
    assert held.by_link is None
