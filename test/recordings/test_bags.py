# SPDX-License-Identifier: Apache-2.0
"""Bags: bytes that ROS itself and rosbags wrote, read in batches; torques written as bags that they read."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rosbags')

from rosbags.rosbag2 import Reader  # noqa: E402
from rosbags.rosbag2 import StoragePlugin  # noqa: E402
from rosbags.rosbag2 import Writer  # noqa: E402
from rosbags.typesys import Stores  # noqa: E402
from rosbags.typesys import get_types_from_msg  # noqa: E402
from rosbags.typesys import get_typestore  # noqa: E402

from hod_ros import InputError  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import Samples  # noqa: E402
from hod_ros import compute_torques  # noqa: E402
from hod_ros import link_inertia  # noqa: E402
from hod_ros import read_samples  # noqa: E402
from hod_ros.recordings import cdr  # noqa: E402
from hod_ros.recordings import torque_files  # noqa: E402

INTERFACES = Path(__file__).parents[2] / 'hod_interfaces' / 'msg'
N = ('a', 'bb', 'ccc')


@pytest.fixture(scope='module')
def store():
    types = get_typestore(Stores.ROS2_JAZZY)
    for name in ('JointSetpoint', 'TorqueFeedforward'):
        types.register(get_types_from_msg((INTERFACES / f'{name}.msg').read_text(), f'hod_interfaces/msg/{name}'))
    return types


def header(types, stamp):
    time = types.types['builtin_interfaces/msg/Time'](stamp // 10**9, stamp % 10**9)
    return types.types['std_msgs/msg/Header'](time, 'base')


def setpoint(types, stamp, names=N, rows=5, seed=None):
    q = np.random.default_rng(stamp if seed is None else seed).normal(size=(rows, len(names)))
    arrays = [q[k] if k < rows else np.zeros(0) for k in range(5)] + [q[5:].ravel()] + [np.zeros(0)] * 3
    return types.types[cdr.SETPOINT](header(types, stamp), list(names), *arrays), q


def state(types, stamp, names=N, effort=True):
    q = np.random.default_rng(stamp).normal(size=(3, len(names)))
    return types.types[cdr.STATE](header(types, stamp), list(names), q[0], q[1], q[2] if effort else np.zeros(0)), q


def write(path, types, topics, plugin=StoragePlugin.MCAP, big=False):
    """topics: {name: (type, [(time, message)])}"""
    with Writer(path, version=9, storage_plugin=plugin) as writer:
        for topic, (kind, messages) in topics.items():
            connection = writer.add_connection(topic, kind, typestore=types)
            for time, message in messages:
                writer.write(connection, time, types.serialize_cdr(message, kind, little_endian=not big))
    return path


@pytest.mark.parametrize(('plugin', 'big'), [(StoragePlugin.MCAP, False), (StoragePlugin.SQLITE3, False), (StoragePlugin.MCAP, True)])
def test_setpoints_of_any_container_and_byte_order_are_read(tmp_path, store, plugin, big):
    made = [setpoint(store, 10**9 + 1000 * i, rows=7) for i in range(20)]
    bag = write(tmp_path / 'bag', store, {'/s': (cdr.SETPOINT, [(i, m) for i, (m, _) in enumerate(made)])}, plugin, big)
    found = read_samples(bag)
    assert found.joint_names == N and found.stamps.tolist() == [10**9 + 1000 * i for i in range(20)]
    np.testing.assert_array_equal(found.q, [q for _, q in made])
    file = next(bag.glob('*.mcap' if plugin == StoragePlugin.MCAP else '*.db3'))
    np.testing.assert_array_equal(read_samples(file).q, found.q)


def test_joint_states_whose_names_change_their_order_keep_theirs(tmp_path, store):
    made = [state(store, 5 + i, N if i % 3 else N[::-1]) for i in range(30)]
    bag = write(tmp_path / 'bag', store, {'/s': (cdr.STATE, [(i, m) for i, (m, _) in enumerate(made)])})
    found = read_samples(bag)
    expected = np.array([q if i % 3 else q[:, ::-1] for i, (_, q) in enumerate(made)])
    assert found.joint_names == N[::-1] and found.stamps.tolist() == [5 + i for i in range(30)]
    np.testing.assert_array_equal(found.q, expected[:, :2, ::-1])
    np.testing.assert_array_equal(found.efforts, expected[:, 2, ::-1])


def test_stamps_in_seconds_are_no_stamps():
    with pytest.raises(InputError, match='stamps holds 0.5; give whole nanoseconds'):
        Samples(('a',), [0.0, 0.5], np.zeros((2, 1, 1)))


def test_messages_of_other_joints_on_the_same_topic_are_left_out(tmp_path, store):
    arm = [(k * 10, state(store, k * 10 + 1)) for k in range(6)]
    gripper = [(k * 10 + 5, state(store, k * 10 + 6, names=('finger',))) for k in range(6)]
    mixed = sorted((*arm, *gripper), key=lambda sample: sample[0])
    path = write(tmp_path / 'bag', store, {'/joint_states': (cdr.STATE, [(time, message) for time, (message, _) in mixed])})
    found = read_samples(path, topic='joint_states', joint_names=N[::-1])
    np.testing.assert_array_equal(found.q, [q[:2, ::-1] for _, (_, q) in arm])
    np.testing.assert_array_equal(found.stamps, [time + 1 for time, _ in arm])
    with pytest.raises(InputError, match="none of the joints 'wheel', only 'a', 'bb', 'ccc', 'finger'"):
        read_samples(path, joint_names=['wheel'])
    with pytest.raises(InputError, match="has no joint 'finger', only 'a', 'bb', 'ccc'; joints that come in several messages"):
        read_samples(path, joint_names=['a', 'finger'])


def test_trajectories_become_their_points(tmp_path, store):
    types = store.types
    points = [
        types['trajectory_msgs/msg/JointTrajectoryPoint'](
            np.full(3, 1.0 * i), np.full(3, 2.0), np.full(3, 0.5 * i), np.zeros(0), types['builtin_interfaces/msg/Duration'](i, 500))
        for i in range(4)]
    message = types[cdr.TRAJECTORY](header(store, 10**9), list(N), points)
    found = read_samples(write(tmp_path / 'bag', store, {'/t': (cdr.TRAJECTORY, [(0, message)])}))
    assert found.stamps.tolist() == [10**9 * (1 + i) + 500 for i in range(4)]
    assert found.q[:, :, 1].tolist() == [[i, 2.0, 0.5 * i] for i in range(4)]


def test_several_trajectories_are_not_interpolated_as_one_motion(tmp_path, store):
    pytest.importorskip('scipy')
    types = store.types
    arm = RobotModel.from_dh([0], [np.pi / 2], [0], [0], [link_inertia(2.0, [0.2, 0, 0], 0.05 * np.eye(3))], joint_names=['a'])
    points = [
        types['trajectory_msgs/msg/JointTrajectoryPoint'](
            np.full(1, 0.1 * i), np.zeros(0), np.zeros(0), np.zeros(0), types['builtin_interfaces/msg/Duration'](i, 0)) for i in range(4)]
    messages = [(10**10 * k, types[cdr.TRAJECTORY](header(store, 10**10 * (k + 1)), ['a'], points)) for k in range(2)]
    one = write(tmp_path / 'one', store, {'/t': (cdr.TRAJECTORY, messages[:1])})
    assert compute_torques(arm, one, tmp_path / 'Q.npz', missing='interpolate').samples == 4
    with pytest.raises(InputError, match='holds 2 trajectories, which are no way points of one motion'):
        compute_torques(arm, write(tmp_path / 'two', store, {'/t': (cdr.TRAJECTORY, messages)}), tmp_path / 'Q.npz', missing='interpolate')


def test_bytes_of_ros_itself_are_read_whatever_pads_them(store):
    pytest.importorskip('hod_interfaces')
    from rclpy.serialization import serialize_message

    from hod_interfaces.msg import JointSetpoint
    raw = []
    for i in range(6):
        message = JointSetpoint(joint_names=['j'] * 1 if i % 2 else ['jj'], positions=[float(i)], velocities=[1.0], accelerations=[])
        message.header.stamp.nanosec = i
        raw.append(serialize_message(message))
    dirty = bytearray(raw[0])
    place = dirty.index(b'jj\0') + 3
    dirty[place] = 0xAA                 # between a text and the next length
    batches = list(cdr.batches([bytes(dirty), *raw[1:]], cdr.SETPOINT))
    assert [batch.rows.tolist() for batch in batches] == [[0, 2, 4], [1, 3, 5]]
    assert batches[0].numbers(batches[0].layout.arrays['positions']).ravel().tolist() == [0.0, 2.0, 4.0]


def test_the_definition_that_is_written_is_that_of_the_interface(store):
    first = torque_files.DEFINITION.split('\n' + '=' * 80)[0]
    written = get_types_from_msg(first, torque_files.TYPE)[torque_files.TYPE][1]
    source = get_types_from_msg((INTERFACES / 'TorqueFeedforward.msg').read_text(), torque_files.TYPE)[torque_files.TYPE][1]
    assert written == source


def test_what_is_written_as_mcap_is_read_by_others(tmp_path, store):
    Q, stamps = np.random.default_rng(0).normal(size=(50, 5, 3)), 10**18 + 10**6 * np.arange(50)
    with open(tmp_path / 'Q.mcap', 'wb') as file:
        writer = torque_files.Mcap(file, N, 4, 'model')
        writer.add(stamps[:30], Q[:30])
        writer.add(stamps[30:], Q[30:])
        writer.finish()
    with Reader(tmp_path / 'Q.mcap') as reader:
        assert reader.message_count == 50 and reader.start_time == 10**18
        read = [(time, store.deserialize_cdr(data, c.msgtype)) for c, time, data in reader.messages()]
    assert [time for time, _ in read] == stamps.tolist()
    for (_, message), each in zip(read, Q, strict=True):
        assert message.joint_names == list(N)
        np.testing.assert_array_equal(
            np.concatenate([message.efforts, message.effort_rates, message.effort_accelerations, message.higher]), each.ravel())
    if pytest.importorskip('hod_interfaces'):
        from rclpy.serialization import deserialize_message

        from hod_interfaces.msg import TorqueFeedforward
        with Reader(tmp_path / 'Q.mcap') as reader:
            data = next(iter(reader.messages()))[2]
        assert list(deserialize_message(bytes(data), TorqueFeedforward).efforts) == Q[0, 0].tolist()


def test_a_bag_that_is_cut_off_or_says_nothing_is_refused(tmp_path, store):
    bag = write(tmp_path / 'bag', store, {
        '/s': (cdr.SETPOINT, [(i, setpoint(store, i)[0]) for i in range(50)]),
        '/other': (cdr.SETPOINT, [(0, setpoint(store, 0)[0])])})
    file = next(bag.glob('*.mcap'))
    with pytest.raises(InputError, match=r"several topics of .*: '/other', '/s'; choose one"):
        read_samples(bag)
    with pytest.raises(InputError, match="has no topic '/nothing'.*its topics are /s"):
        read_samples(bag, topic='/nothing')
    data = file.read_bytes()
    for end in (len(data) // 2, len(data) - 20, 10, 0):
        (tmp_path / 'cut.mcap').write_bytes(data[:end])
        with pytest.raises(InputError, match="'cut.mcap' is damaged or cut off"):
            read_samples(tmp_path / 'cut.mcap', topic='/s')
    (tmp_path / 'no.db3').write_bytes(b'no database at all')
    with pytest.raises(InputError, match="'no.db3' is damaged"):
        read_samples(tmp_path / 'no.db3')


@pytest.mark.parametrize('damage', [b'\xff\xff\xff\x7f', b'\x00\x01\x00\x00'])
def test_bytes_that_are_no_message_are_refused(store, damage):
    message, _ = setpoint(store, 1)
    data = bytearray(store.serialize_cdr(message, cdr.SETPOINT))
    data[12:16] = damage            # the length of frame_id
    with pytest.raises(InputError, match='is no hod_interfaces/msg/JointSetpoint'):
        list(cdr.batches([bytes(data)], cdr.SETPOINT))
