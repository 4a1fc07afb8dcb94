# SPDX-License-Identifier: Apache-2.0
"""Motors of elastic joints are led by one source of setpoints at a time, as commands are."""

import numpy as np
import pytest
from ros_harness import setpoint
from setpoint_path import ELASTIC
from setpoint_path import NAMES
from setpoint_path import Path

HERE, THERE = np.array([0.5, 0.0, 0.0]), np.array([-0.4, 0.0, 0.0])
SOURCE_TIMEOUT = 0.5


@pytest.fixture
def elastic(monkeypatch):
    path = Path(monkeypatch, source_timeout=SOURCE_TIMEOUT, **ELASTIC)
    yield path
    path.close()


@pytest.fixture
def rigid(monkeypatch):
    path = Path(monkeypatch)
    yield path
    path.close()


def test_motors_are_led_by_the_first_of_two_sources_and_both_have_their_feedforward(elastic):
    for _ in range(5):
        assert elastic.send(HERE) and not elastic.send(THERE, 'second')
    assert len(elastic.feedforward) == 10
    np.testing.assert_allclose(elastic.motors, np.tile(elastic.motors[0], (5, 1)), err_msg='motors jump between two sources')
    source = elastic.guard('source')
    assert source.count == 5 and 'another source sends setpoint messages' in source.reason


def test_another_source_leads_motors_after_the_first_has_been_silent(elastic):
    assert elastic.send(HERE)
    elastic.now += SOURCE_TIMEOUT
    assert not elastic.send(THERE, 'second')
    elastic.now += 1e-3
    assert elastic.send(THERE, 'second') and not elastic.send(HERE)


def test_the_timeout_may_change_while_a_source_leads(elastic):
    assert elastic.send(HERE)
    assert elastic.set(source_timeout=2.0).successful
    elastic.path.use(elastic.path._robot)
    elastic.now += 1.9
    assert not elastic.send(THERE, 'second')


def test_a_source_whose_setpoints_are_bad_leads_nothing_and_keeps_no_other_away(elastic):
    bad = setpoint(np.zeros((5, 3)), NAMES)
    bad.positions[0] = np.nan
    elastic.take(bad, 'second')
    assert elastic.send(HERE)
    elastic.take(bad, 'second')
    assert elastic.guard('source').count == 0


def test_an_activation_begins_without_an_owner(elastic):
    assert elastic.send(HERE)
    elastic.path.deactivate()
    elastic.path.activate()
    assert elastic.send(THERE, 'second')


def test_the_nodes_own_stream_and_a_planners_do_not_mix(elastic):
    assert elastic.stream(HERE) == '' and len(elastic.motors) == 1
    assert not elastic.send(THERE)
    assert 'another source sends setpoint messages' in elastic.guard('source').reason
    elastic.path.release()
    assert elastic.send(THERE)
    assert 'another source sends trajectory messages' in elastic.stream(HERE)
    assert len(elastic.motors) == 2


@pytest.mark.parametrize('commanded', [True, False])
def test_no_trajectory_begins_while_another_source_leads_motors(elastic, commanded):
    assert elastic.path.stream_hindrance(commanded) == ''
    assert elastic.send(HERE)
    assert elastic.path.stream_hindrance(commanded).startswith('another source of setpoints has the stream')
    elastic.now += SOURCE_TIMEOUT + 1e-3
    assert elastic.path.stream_hindrance(commanded) == ''


def test_a_trajectory_without_measurement_begins_where_motors_were_led_last(elastic):
    assert elastic.send(HERE) and not elastic.send(THERE, 'second')
    np.testing.assert_array_equal(elastic.path.last_position, HERE)


def test_sources_of_rigid_joints_are_all_answered_and_hinder_no_trajectory(rigid):
    for _ in range(3):
        rigid.send(HERE)
        rigid.send(THERE, 'second')
        assert rigid.stream(HERE) == '' and rigid.path.stream_hindrance(False) == ''
    assert len(rigid.feedforward) == 9 and rigid.guard('source') is None
