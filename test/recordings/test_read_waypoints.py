# SPDX-License-Identifier: Apache-2.0
import json
from types import SimpleNamespace

import numpy as np
import pytest

from hod_ros import InputError
from hod_ros import Waypoints
from hod_ros import read_waypoints
from hod_ros.recordings.documents import read_document

PLAN = {
    'joint_names': ['b', 'a'],
    'points': [
        {'positions': [0.0, 1.0], 'velocities': [0.0, 0.0], 'time_from_start': {'sec': 0, 'nanosec': 0}},
        {'positions': [0.5, 1.5], 'velocities': [], 'accelerations': [0.1, '1e-05'], 'time_from_start': {'sec': 1, 'nanosec': 500000000}},
        {'positions': [1.0, 1.0], 'velocities': [0.0, 0.0], 'effort': [3.0, 4.0], 'time_from_start': {'sec': 2, 'nanosec': 0}}]}


def as_message(value):
    if isinstance(value, dict):
        return SimpleNamespace(**{key: as_message(item) for key, item in value.items()})
    return [as_message(item) for item in value] if isinstance(value, list) else value


def assert_plan(w):
    assert w.joint_names == ('b', 'a')
    assert w.times.tolist() == [0, 1.5, 2] and w.positions.tolist() == [[0, 1], [0.5, 1.5], [1, 1]]
    np.testing.assert_array_equal(w.velocities, [[0, 0], [np.nan, np.nan], [0, 0]])
    np.testing.assert_array_equal(w.accelerations[1], [0.1, 1e-5])
    np.testing.assert_array_equal(w.efforts[2], [3, 4])
    t = w.trajectory(max_deviation=None)
    assert t.joint_names == ('b', 'a') and t.evaluate([1.5], 2)[0, 2].tolist() == [0.1, 1e-5]


@pytest.mark.parametrize('wrap', [
    lambda m: m, lambda m: {'joint_trajectory': m}, lambda m: {'trajectory': [{'joint_trajectory': m}]},
    lambda m: {'goal': {'trajectory': m}}])
def test_messages_and_what_holds_one_are_read_by_their_fields(wrap):
    assert_plan(read_waypoints(wrap(PLAN)))
    assert_plan(read_waypoints(as_message(wrap(PLAN))))


def test_a_message_of_ros_is_read():
    pytest.importorskip('trajectory_msgs')
    from trajectory_msgs.msg import JointTrajectory
    from trajectory_msgs.msg import JointTrajectoryPoint
    message = JointTrajectory(joint_names=['b', 'a'])
    for point in PLAN['points']:
        made = JointTrajectoryPoint(**{k: [float(x) for x in v] for k, v in point.items() if k != 'time_from_start'})
        made.time_from_start.sec, made.time_from_start.nanosec = point['time_from_start']['sec'], point['time_from_start']['nanosec']
        message.points.append(made)
    assert_plan(read_waypoints(message))


def test_files_are_read(tmp_path):
    yaml = pytest.importorskip('yaml')
    (tmp_path / 'plan.yaml').write_text(yaml.safe_dump(PLAN) + '---\n')
    (tmp_path / 'plan.json').write_text(json.dumps({'trajectory': PLAN}))
    (tmp_path / 'plan.csv').write_text(
        'time, b, a.position, b.velocity, a.velocity, b.acceleration, a.acceleration, b.effort, a.effort\n'
        '0,0,1,0,0,,,,\n1.5,0.5,1.5,,,0.1,1e-5,,\n\n2,1,1,0,0,,,3,4\n')
    w = read_waypoints(PLAN)
    np.savez(
        tmp_path / 'plan.npz', joint_names=w.joint_names, times=w.times, positions=w.positions, velocities=w.velocities,
        accelerations=w.accelerations, efforts=w.efforts)
    for name in ('plan.yaml', 'plan.json', 'plan.csv', 'plan.npz'):
        assert_plan(read_waypoints(tmp_path / name))
    assert_plan(read_waypoints(str(tmp_path / 'plan.csv')))


@pytest.mark.parametrize(('text', 'value'), [
    ('1e3', 1000.0), ('1.5e-2', 0.015), ('.5', 0.5), ('-2.', -2.0), ('010', 10), ('0x10', 16), ('1:50', '1:50'), ('.inf', np.inf),
    ('-7', -7), ('1_000', '1_000'), ('"3"', '3'), ('true', True)])
def test_numbers_of_yaml_are_what_they_look_like(tmp_path, text, value):
    pytest.importorskip('yaml')
    (tmp_path / 'a.yaml').write_text(f'figure: {text}\n')
    found = read_document(tmp_path / 'a.yaml')['figure']
    assert found == value and type(found) is type(value)


def test_parts_of_seconds_count_in_times(tmp_path):
    points = [{'positions': [k], 'time_from_start': {'sec': 1.5 * k, 'nanosec': 0}} for k in range(3)]
    assert read_waypoints({'joint_names': ['a'], 'points': points}).times.tolist() == [0, 1.5, 3]


def test_points_without_times_get_them_by_a_rate():
    w = read_waypoints({'joint_names': ['a'], 'points': [{'positions': [0.1 * i * i]} for i in range(5)]})
    assert w.times is None
    assert w.trajectory(chunk_rate=10).end == pytest.approx(0.4)


def test_a_plan_starts_from_where_the_robot_is_and_by_whole_turns_near_it():
    w = Waypoints(('a', 'b'), [1.0, 2.0], [[0.1, 7.0], [0.2, 7.5]], velocities=[[1.0, np.nan], [0.0, 0.0]])
    near = w.wrapped_near([0.0, 0.5], ['b'])
    np.testing.assert_allclose(near.positions, [[0.1, 7.0 - 2 * np.pi], [0.2, 7.5 - 2 * np.pi]])
    whole = near.starting_from([0.0, 0.5], [0.0, 0.0])
    assert whole.times.tolist() == [0, 1, 2] and whole.positions[0].tolist() == [0, 0.5]
    np.testing.assert_array_equal(whole.velocities, [[0, 0], [1, np.nan], [0, 0]])
    assert whole.of_joints(['b']).positions.shape == (3, 1)
    with pytest.raises(InputError, match='start at 0 s or before'):
        whole.starting_from([0, 0])
    with pytest.raises(InputError, match="continuous names 'c'"):
        w.wrapped_near([0, 0], ['c'])
    with pytest.raises(InputError, match="joint 'c' is not among"):
        w.of_joints(['c'])


class RuckigLike:
    """As ruckig's Trajectory: duration and at_time(t) -> position, velocity, acceleration."""

    duration = 2.0

    def at_time(self, time):
        return [time**3, 0.0], [3 * time**2, 0.0], [6 * time, 0.0]


class ToppraLike:
    """As toppra's paths: path_interval and a call with times and an order."""

    path_interval = np.array([0.0, 2.0])

    def __call__(self, times, order=0):
        times = np.asarray(times)
        return np.stack([[times**2, 2 * times, 2 + 0 * times][order], 0 * times], axis=1)


def test_results_of_planners_are_sampled():
    w = read_waypoints(RuckigLike(), step=0.1, joint_names=['a', 'b'])
    assert w.joint_names == ('a', 'b') and len(w) == 21
    np.testing.assert_allclose(w.accelerations[:, 0], 6 * w.times, atol=1e-12)
    w = read_waypoints(ToppraLike(), step=0.3)
    assert w.joint_names == ('joint1', 'joint2') and w.accelerations is None and w.times[-1] == 2
    np.testing.assert_allclose(w.velocities[:, 0], 2 * w.times)


@pytest.mark.parametrize(('source', 'message'), [
    (3, 'give a JointTrajectory'),
    ({'joint_names': [], 'points': []}, '0 points of 0 joints'),
    ({'joint_names': ['a', 'a'], 'points': [{}]}, 'more than once'),
    ({'joint_names': ['a', 'b'], 'points': [{'positions': [1.0]}]}, 'point 0 has 1 positions for 2 joints'),
    ({'joint_names': ['a'], 'points': [{'positions': [1.0]}, {'velocities': [1.0]}]}, 'point 1 has no positions'),
    ({'joint_names': ['a'], 'points': [{'positions': ['fast']}]}, 'positions of point 0'),
    ({'joint_names': ['a'], 'points': [{'positions': [1.0], 'time_from_start': t} for t in (1.0, 0.5)]}, 'times must increase'),
    ({'joint_names': ['a'], 'points': [{'positions': [1.0], 'time_from_start': 'soon'}]}, 'time_from_start of point 0'),
    ({'joint_names': ['a'], 'points': [{'positions': [1.0], 'time_from_start': {'sec': 'x', 'nanosec': 0}}]}, "sec of .* is 'x'"),
])
def test_what_holds_no_plan_is_refused_with_its_point(source, message):
    with pytest.raises(InputError, match=message):
        read_waypoints(source)


@pytest.mark.parametrize(('name', 'content', 'message'), [
    ('a.txt', '', 'ends in none of'),
    ('a.csv', '', 'is empty'),
    ('a.csv', 'time,a\n0\n', 'row 1 of .* has 1 cells'),
    ('a.csv', 'time,a\n0,fast\n', "row 1, column 'a'"),
    ('a.csv', 'time,a,a.position\n0,1,1\n', "two columns of the position of 'a'"),
    ('a.csv', 'time,a.velocity\n0,1\n', "no column 'a' with positions"),
    ('a.csv', bytes(range(256)), "'a.csv' is no CSV"),
    ('a.csv', 'time,a\n0,"' + 200_000 * '0' + '"\n', "'a.csv' is no CSV"),
    ('a.npz', 'nonsense', 'not readable as NPZ'),
    ('a.json', '{', 'not readable'),
    ('a.json', '{"points": 3}', 'holds the keys points'),
    ('a.yaml', 'a: [', 'is no YAML'),
    ('a.yaml', 'joint_names: [a]\npoints: []\npoints: []\n', "has 'points' twice"),
    ('a.json', '{"points": 3, "points": 3}', "has 'points' twice"),
    ('a.yaml', 'points: 1\n---\npoints: 2\n', 'holds 2 documents'),
])
def test_files_that_hold_no_plan_are_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        read_waypoints(tmp_path / name)
