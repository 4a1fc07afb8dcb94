# SPDX-License-Identifier: Apache-2.0
"""What `hod` says of input that is odd, wrong, or told elsewhere: lines of a xacro, exit codes, standard error, JSON, encodings."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess

import numpy as np
import pytest
import yaml
from running import HOD
from running import ROOT
from running import hod
from running import refusal
from running import report

from hod_ros import RobotModel
from hod_ros import example_robot
from hod_ros import read_waypoints

PANDA = RobotModel.from_urdf(example_robot('panda'))
PICK = ROOT / 'config' / 'motions' / 'panda_pick.csv'
LEGS = """<robot xmlns:xacro="http://ros.org/wiki/xacro" name="a"><xacro:macro name="leg" params="n m"><link name="l${n}"><inertial>
<mass value="${m}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j${n}" type="continuous"><parent link="b"/><child link="l${n}"/></joint></xacro:macro>
<link name="b"/><xacro:leg n="1" m="1"/><xacro:leg n="2" m="-1"/></robot>"""


def sines(samples=1200):
    t = np.arange(samples) * 1e-2
    return t, 0.5 * np.sin(np.outer(t, np.linspace(0.5, 2, 7))) + [0, 0, 0, -1.5, 0, 1.5, 0]


def test_lines_of_a_xacro_are_those_of_what_xacro_gives(tmp_path):
    xacro = pytest.importorskip('xacro')
    (tmp_path / 'm.xacro').write_text(LEGS)
    lines = xacro.process_file(str(tmp_path / 'm.xacro')).toprettyxml(indent='  ').splitlines()
    number = next(i for i, line in enumerate(lines, 1) if 'mass value="-1"' in line)
    place = f"link 'l2' (line {number} of the expanded description, xacro m.xacro): its mass is -1.0 kg"
    told = hod('check', 'm.xacro', cwd=tmp_path, code=1).stdout
    assert told.startswith(f'm.xacro: error: {place}') and not re.search(r'm.xacro:\d', told)
    assert place in refusal('info', 'm.xacro', cwd=tmp_path, code=3)
    document = report('check', 'm.xacro', cwd=tmp_path, code=1)
    assert document['lines_of'] == 'xacro m.xacro' and document['errors'][0]['line'] == number


def test_a_joint_that_is_locked_beyond_its_limits_is_told(tmp_path):
    for value, told in ((9, True), (2, False)):
        done = hod('compute', 'panda', PICK, '--interpolate', '-o', tmp_path / 'Q.npz', '--lock', f'panda_joint7={value}')
        assert ('--lock panda_joint7=9 lies beyond the limits of the joint, -2.897 and 2.897' in done.stderr) is told
    assert '--lock panda_joint1=3 lies beyond' in hod('check', 'panda', '--lock', 'panda_joint1=3').stderr


def test_a_stream_is_no_page():
    pytest.importorskip('viser')
    assert '--live shows a stream; leave out --html' in refusal('view', 'panda', '--live', '--html', 'x.html', code=2)


def test_no_speed_is_slow_enough_is_an_answer(tmp_path):
    pytest.importorskip('scipy')
    (tmp_path / 'l.yaml').write_text('effort: 1.0')
    words = ('retime', 'panda', PICK, '--limits', 'l.yaml', '-o', 'x.csv')
    done = hod(*words, cwd=tmp_path, code=1)
    assert done.stderr == f'hod retime: {done.stdout}' and 'no speed is slow enough' in done.stdout
    assert report(*words, cwd=tmp_path, code=1)['feasible'] is False and not (tmp_path / 'x.csv').exists()


@pytest.mark.parametrize('json_too', [[], ['--json']])
def test_the_answer_no_is_a_line_on_standard_error(tmp_path, json_too):
    pytest.importorskip('scipy')
    (tmp_path / 'l.yaml').write_text('effort_rate: 5')
    for command in (['evaluate'], ['retime', '--slow-down', '--margin', '1e-9']):
        told = hod(command[0], 'panda', PICK, '--limits', 'l.yaml', *command[1:], *json_too, cwd=tmp_path, code=1).stderr
        line, = told.splitlines()
        assert line.startswith(f'hod {command[0]}: ') and len(line) > 50


@pytest.mark.skipif(shutil.which('c++') is None, reason='there is no C++ compiler')
def test_a_full_disk_under_a_compiler_is_a_full_disk(tmp_path):
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20 * 1024, 20 * 1024))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    line = refusal('export', 'panda', '--out', 'arm', cwd=tmp_path, code=5, preexec_fn=small)
    assert 'could not be written: File too large' in line and not list(tmp_path.iterdir())


def test_efforts_that_nobody_measured_are_refused(tmp_path):
    pytest.importorskip('scipy')
    t, q = sines()
    efforts = np.zeros_like(q)
    np.savez(tmp_path / 'm.npz', joint_names=PANDA.joint_names, times=t, positions=q, efforts=efforts)
    line = refusal('identify', 'panda', 'm.npz', '-o', 'out.urdf', cwd=tmp_path, code=3)
    assert "m.npz: effort of joint 'panda_joint1' is constant (0) while it moves by" in line and 'leave this recording out' in line
    efforts[:, :6] = np.random.default_rng(0).normal(size=(len(t), 6))
    efforts[:, 6] = 0.25
    np.savez(tmp_path / 'm.npz', joint_names=PANDA.joint_names, times=t, positions=q, efforts=efforts)
    assert "'panda_joint7' is constant (0.25)" in refusal('identify', 'panda', 'm.npz', cwd=tmp_path, code=3)
    assert not (tmp_path / 'out.urdf').exists()


def test_motors_that_measure_no_torque_are_refused(tmp_path):
    pytest.importorskip('scipy')
    t, q = sines()
    drives = {'panda_joint1': {'type': 'series_elastic', 'stiffness': 300.0, 'motor_inertia': 2e-4, 'gear_ratio': 100.0}}
    (tmp_path / 'd.yaml').write_text(yaml.safe_dump(drives))
    np.savez(tmp_path / 'links.npz', joint_names=PANDA.joint_names, times=t, positions=q)
    np.savez(tmp_path / 'motors.npz', joint_names=['panda_joint1'], times=t, positions=100 * q[:, :1], efforts=0 * q[:, :1])
    line = refusal('identify', 'panda', 'links.npz', '--motor-states', 'motors.npz', '--drives', 'd.yaml', cwd=tmp_path, code=3)
    assert "motors.npz: effort of joint 'panda_joint1' is constant (0)" in line


def test_failures_are_json_too():
    for words, code, said in (
            (['info', 'nope'], 3, "no file 'nope'"), (['info'], 2, 'ROBOT'), (['info', 'panda', '--lock', 'a'], 2, '--lock')):
        done = hod(*words, '--json', code=code)
        assert said in json.loads(done.stdout)['error'] and said in done.stderr.splitlines()[-1]


@pytest.mark.parametrize('words', [
    ['compute', 'panda', '-', '-o', 'x.csv'], ['compute', 'panda', PICK, '-o', '-'], ['identify', 'panda', '-'],
    ['export', 'panda', '-o', '-'], ['evaluate', 'panda', '-']])
def test_only_a_robot_is_read_from_standard_input(tmp_path, words):
    assert 'name a file: only ROBOT is read from standard input' in refusal(*words, cwd=tmp_path, code=2)
    assert not list(tmp_path.iterdir())


def test_names_that_a_terminal_cannot_show_are_spelled_out(tmp_path):
    shutil.copy(PICK, tmp_path / 'naïve ü.csv')
    done = subprocess.run(
        [str(HOD), 'compute', 'panda', 'naïve ü.csv', '--interpolate', '-o', 'ü.csv'], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, 'PYTHONIOENCODING': 'ascii'}, timeout=900)
    assert done.returncode == 0 and done.stdout.startswith('\\xfc.csv: Q of')
    assert (tmp_path / 'ü.csv').exists()


def test_a_last_row_without_an_end_is_noted(tmp_path):
    text = PICK.read_text().rstrip('\n')
    for ended, content in ((True, text + '\n'), (False, text[:-1])):
        (tmp_path / 'm.csv').write_text(content)
        told = hod('compute', 'panda', 'm.csv', '--interpolate', '-o', 'Q.npz', cwd=tmp_path)
        notes = [told.stdout, report('evaluate', 'panda', 'm.csv', cwd=tmp_path)['note']] if read_waypoints(tmp_path / 'm.csv') else []
        assert all(("the last row of 'm.csv'" in note) is not ended for note in notes)
        assert ended or repr(content.rpartition(',')[2]) in told.stdout


def test_a_bag_says_which_topic_was_read(tmp_path):
    pytest.importorskip('rosbags')
    from rosbags.rosbag2 import StoragePlugin
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores
    from rosbags.typesys import get_types_from_msg
    from rosbags.typesys import get_typestore
    store = get_typestore(Stores.ROS2_JAZZY)
    text = (ROOT / 'hod_interfaces' / 'msg' / 'JointSetpoint.msg').read_text()
    store.register(get_types_from_msg(text, 'hod_interfaces/msg/JointSetpoint'))
    t, q = sines(400)
    make = store.types
    with Writer(tmp_path / 'bag', version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        setpoints = writer.add_connection('/hod/setpoint', 'hod_interfaces/msg/JointSetpoint', typestore=store)
        states = writer.add_connection('/joint_states', 'sensor_msgs/msg/JointState', typestore=store)
        nothing = np.zeros(0)
        for time, row in zip((t * 1e9).astype(int) + 10**9, q, strict=True):
            stamp = make['builtin_interfaces/msg/Time'](int(time) // 10**9, int(time) % 10**9)
            header = make['std_msgs/msg/Header'](stamp, '')
            asked = make[setpoints.msgtype](header, list(PANDA.joint_names), row, *[nothing] * 8)
            seen = make[states.msgtype](header, list(PANDA.joint_names), row, nothing, 0 * row)
            for connection, message in ((setpoints, asked), (states, seen)):
                writer.write(connection, int(time), store.serialize_cdr(message, connection.msgtype))
    pytest.importorskip('scipy')
    words = ('compute', 'panda', 'bag', '--differentiate', '-o', 'Q.npz')
    assert 'of /hod/setpoint (hod_interfaces/msg/JointSetpoint)' in hod(*words, cwd=tmp_path).stdout
    assert report(*words, '--topic', '/joint_states', cwd=tmp_path)['topic'] == '/joint_states'
    assert 'effort of joint' in refusal('identify', 'panda', 'bag', cwd=tmp_path, code=3)       # of JointState, not of what was asked for


def test_derivatives_that_are_missing_are_counted_not_listed(tmp_path):
    assert 'd5, d6 and 95 more' in refusal('compute', 'panda', PICK, '--order', 99, '-o', tmp_path / 'Q.npz', code=3)


@pytest.mark.parametrize(('change', 'number'), [(lambda t: t[:50] + t[49:], 50), (lambda t: [*t[:100], *t[90:]], 100)])
def test_times_that_do_not_increase_are_told_by_their_sample(tmp_path, change, number):
    pytest.importorskip('scipy')
    t = change(list(range(200)))
    np.savez(tmp_path / 'm.npz', joint_names=PANDA.joint_names, times=0.01 * np.array(t), positions=sines(len(t))[1])
    line = refusal('compute', 'panda', 'm.npz', '--differentiate', '-o', 'Q.npz', cwd=tmp_path, code=3)
    assert f'times[{number}] is ' in line and "sort the samples of 'm.npz' by time and drop the repeated ones" in line
