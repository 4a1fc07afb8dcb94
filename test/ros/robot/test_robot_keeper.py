# SPDX-License-Identifier: Apache-2.0
"""The robot in use: another comes by a description or by parameters, is made once, and a bad one leaves the last good one."""

import time

import numpy as np
import pytest
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from ros_harness import arm_urdf

from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros.errors import DescriptionError
from hod_ros.model.payload import with_payload
from hod_ros.ros.lifecycle import ManagedNode
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.robot import robot as robot_module
from hod_ros.ros.robot.keeper import RobotKeeper
from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.robot.settings import robot_settings

GIVEN = {'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stiffness': 3000.0, 'elastic.joint1.motor_inertia': 0.2}
LOAD = {'payload.link': 'link3', 'payload.mass': 2.0, 'payload.center': [0.0, 0.1, 0.2]}


class Held:
    """A keeper that holds the robot of an arm, and whatever it told."""

    def __init__(self, table='hod', **given):
        overrides = [Parameter(name, value=value) for name, value in {**GIVEN, **given}.items()]
        self.node = ManagedNode('keeper', parameter_overrides=overrides)
        self.parameters = Parameters(self.node, table)
        self.told = []
        self.kept_because, self.use = '', self.told.append
        self.fits = lambda robot, changes: None
        self.keeper = RobotKeeper(
            self.node, self.parameters, lambda robot: self.use(robot), lambda robot, changes: self.fits(robot, changes),
            lambda robot: self.kept_because)
        self.parameters.listen(self.keeper.check, lambda names: self.keeper.adopt())
        self.keeper.receive(arm_urdf(3))
        self.keeper.load()

    def set(self, **values):
        parameters = [Parameter(name, value=value) for name, value in values.items()]
        return self.node.set_parameters_atomically(parameters)

    def close(self):
        self.keeper.close()
        self.node.destroy_node()


@pytest.fixture
def held():
    held = Held()
    yield held
    held.close()


@pytest.fixture
def made(monkeypatch):
    """Names of what was made of a robot, as often as it was."""
    made = []

    def counted(name, function):
        def call(*arguments, **options):
            made.append(name)
            return function(*arguments, **options)
        return call

    monkeypatch.setattr(robot_module, 'with_payload', counted('payload', robot_module.with_payload))
    monkeypatch.setattr(robot_module, '_without_payload', counted('model', robot_module._without_payload))
    return made


def test_a_change_of_the_payload_loads_the_model_once(held, made):
    assert held.set(**LOAD).successful
    assert made == ['payload'] and held.told == [held.keeper.robot]
    expected = with_payload(RobotModel.from_urdf(arm_urdf(3)), 'link3', 2.0, (0.0, 0.1, 0.2))
    assert held.keeper.robot.model.hash == expected.hash


def test_a_description_that_is_set_as_a_parameter_is_read_once(held, made):
    assert held.set(robot_description=arm_urdf(4)).successful
    assert made == ['model'] and held.told == [held.keeper.robot]
    assert held.keeper.robot.model.n == 4


def test_parameters_that_are_not_the_robots_make_nothing_but_are_told(held, made):
    before = held.keeper.robot
    assert held.set(order=1).successful
    assert made == [] and held.told == [before] and held.keeper.robot is before


def test_what_is_refused_changes_nothing(held, made):
    before = held.keeper.robot
    result = held.set(**{'payload.link': 'hand', 'payload.mass': 1.0})
    assert not result.successful and "'hand'" in result.reason
    result = held.set(robot_description='<robot')
    assert not result.successful
    assert held.keeper.robot is before and held.told == [] and held.parameters['payload.link'] == ''
    assert held.set(gravity=[0.0, 0.0, -1.62]).successful
    assert tuple(held.keeper.robot.model.gravity) == (0.0, 0.0, -1.62), 'nothing of what was refused is left'
    assert held.keeper.robot.model.n == 3


def fails(*arguments):
    raise RuntimeError('no memory')


def test_a_check_that_fails_by_an_error_of_ours_is_a_refusal(held):
    before = held.keeper.robot
    held.fits = fails
    result = held.set(gravity=[0.0, 0.0, -1.62])
    assert not result.successful and result.reason == "internal error, please report it: RuntimeError('no memory')"
    assert held.keeper.robot is before and held.parameters['gravity'] == [0.0, 0.0, -9.81]


@pytest.mark.parametrize('change', [{'gravity': [0.0, 0.0, -1.62]}, {'robot_description': arm_urdf(4)}])
def test_a_robot_that_fails_in_use_leaves_the_one_before_and_whoever_set_it_is_answered(held, change):
    before, held.use = held.keeper.robot, fails
    held.set(**change)
    assert held.keeper.robot is before and held.keeper.kept is None
    assert ('no memory' in held.keeper.fault) == ('robot_description' in change)


def test_a_robot_that_is_kept_stays_kept_where_it_can_not_be_used(held):
    before, held.kept_because = held.keeper.robot, 'in motion'
    assert held.set(gravity=[0.0, 0.0, -1.62]).successful
    kept, held.use = held.keeper.kept, fails
    with pytest.raises(RuntimeError):
        held.keeper.take_kept()
    assert (held.keeper.robot, held.keeper.kept) == (before, kept)
    held.use = held.told.append
    held.keeper.take_kept()
    assert (held.keeper.robot, held.keeper.kept) == (kept, None)


def test_parameters_are_judged_with_the_robot_that_is_kept_too(held):
    held.kept_because = 'in motion'
    assert held.set(gravity=[0.0, 0.0, -1.62]).successful
    judged = []
    held.fits = lambda robot, changes: judged.append(robot)
    assert held.set(order=1).successful
    assert judged == [held.keeper.robot, held.keeper.kept]


def test_a_new_description_on_the_topic_is_loaded_beside_and_a_bad_one_is_named(held):
    executor = SingleThreadedExecutor()
    executor.add_node(held.node)

    def wait_for(condition):
        end = time.monotonic() + 10.0
        while not condition():
            assert time.monotonic() < end
            executor.spin_once(timeout_sec=0.05)

    before = held.keeper.robot
    assert not held.keeper.receive(arm_urdf(3).replace('</robot>', '')), 'there is a robot already'
    wait_for(lambda: held.keeper.fault)
    assert held.keeper.robot is before and held.keeper.status().text.endswith('the last good model runs')
    held.keeper.receive(arm_urdf(5))
    wait_for(lambda: held.told)
    assert held.keeper.robot.model.n == 5 and held.keeper.fault == ''
    executor.shutdown()


def test_without_a_description_there_is_nothing_to_load():
    held = Held()
    held.keeper.clear()
    held.parameters.listen(held.keeper.check, lambda names: held.keeper.adopt())
    fresh = RobotKeeper(held.node, held.parameters, held.told.append)
    assert not fresh.available
    with pytest.raises(DescriptionError, match='there is no robot description yet'):
        fresh.load()
    fresh.awaited = True
    assert fresh.status().text.startswith('waiting for a robot description on /robot_description')
    fresh.close()
    held.close()


@pytest.mark.parametrize('table', ['hod', 'hod_elastic_controller', 'hod_elastic_plant'])
def test_every_node_makes_the_same_robot_of_the_same_parameters(table):
    given = {**LOAD, 'locked_positions.joint2': 0.3, 'armature.joint1': 0.4, 'gravity': [0.0, 0.1, -9.0]}
    held = Held(table, **given)
    robot = Robot.build(arm_urdf(3), 'a test', robot_settings(held.parameters))
    expected = RobotModel.from_urdf(arm_urdf(3), locked={'joint2': 0.3}, armature={'joint1': 0.4}, gravity=(0.0, 0.1, -9.0))
    expected = with_payload(expected, 'link3', 2.0, (0.0, 0.1, 0.2))
    assert robot.model.hash == expected.hash
    assert robot.drives == {'joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
    assert robot.prepared.model is robot.model
    np.testing.assert_array_equal(robot.prepared.motor_inertia, [0.2, 0.0])
    if table != 'hod':
        assert not held.set(**{'payload.mass': 1.0}).successful, 'taken at the start only'
    held.close()
