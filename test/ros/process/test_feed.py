# SPDX-License-Identifier: Apache-2.0
"""The feed that programs without rclpy read: the newest of a fast stream, some times a second, and no word while nothing comes."""

import json
import os
import select
import subprocess
import sys
import time
from array import array
from pathlib import Path

import rclpy
from rclpy.serialization import serialize_message
from ros_harness import PATIENCE

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward

RATE = 20.0     # [Hz]


def test_the_feed_tells_the_newest_of_a_fast_stream_and_nothing_of_what_the_middleware_prints(tmp_path):
    unreadable = str(tmp_path / 'profiles.xml')
    Path(unreadable).write_text('<dds><never-closed')
    surroundings = os.environ | {'FASTRTPS_DEFAULT_PROFILES_FILE': unreadable, 'FASTDDS_DEFAULT_PROFILES_FILE': unreadable}
    node = rclpy.create_node('streams')
    setpoints = node.create_publisher(JointSetpoint, '/some/setpoint', 10)
    feedforwards = node.create_publisher(TorqueFeedforward, '/some/feedforward', 10)
    process = subprocess.Popen(
        [sys.executable, '-m', 'hod_ros.ros.feed', '/some', str(RATE)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=surroundings)
    sent, told = 0, []
    try:
        end = time.monotonic() + 30
        while len(told) < 10:
            assert time.monotonic() < end, 'the feed told nothing'
            setpoint = JointSetpoint(joint_names=['a', 'b'], positions=array('d', [float(sent), -1.0]))
            setpoint.header.stamp.sec = sent
            setpoints.publish(setpoint)
            feedforwards.publish(TorqueFeedforward(joint_names=['b', 'a'], efforts=array('d', [2.0, float(sent)])))
            sent += 1
            time.sleep(0.002)
            if select.select([process.stdout], [], [], 0)[0]:
                told.append(json.loads(process.stdout.readline()))
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=300)
        node.destroy_node()
    assert process.returncode == 0 and 'XMLPARSER' in errors and 'Traceback' not in errors
    for found in told[1:]:
        assert found['positions'] == {'a': found['time'], 'b': -1.0}
        assert found['effort']['b'] == 2.0 and abs(found['effort']['a'] - found['time']) <= 1
        assert found['effort_rate'] == {}
    steps = [b['time'] - a['time'] for a, b in zip(told[1:], told[2:], strict=False)]
    assert min(steps) >= 1 and sum(steps) > 3 * len(steps), 'it passes over what is not the newest'


def test_the_feed_passes_over_what_is_cut_off():
    whole = serialize_message(JointSetpoint(joint_names=['a', 'b'], positions=array('d', [1.0, 2.0])))
    node = rclpy.create_node('cuts')
    setpoints = node.create_publisher(JointSetpoint, '/cut/setpoint', 10)
    process = subprocess.Popen([sys.executable, '-m', 'hod_ros.ros.feed', '/cut', str(RATE)], stdout=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + PATIENCE
        while not setpoints.get_subscription_count():
            assert time.monotonic() < end
            time.sleep(0.01)
        for _ in range(3):
            for length in (1, 6, len(whole) // 2):
                setpoints.publish(whole[:length])
                time.sleep(2 / RATE)
        while not select.select([process.stdout], [], [], 2 / RATE)[0]:
            assert time.monotonic() < end and process.poll() is None
            setpoints.publish(whole)
        assert json.loads(process.stdout.readline())['positions'] == {'a': 1.0, 'b': 2.0}
    finally:
        process.terminate()
        process.communicate(timeout=300)
        node.destroy_node()
    assert process.returncode == 0


def test_the_feed_ends_when_its_reader_is_gone_although_nothing_is_streamed():
    """A reader that is killed takes nobody along."""
    process = subprocess.Popen(
        [sys.executable, '-m', 'hod_ros.ros.feed', '/silent', str(RATE)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdout.close()
        assert process.wait(timeout=PATIENCE) == 0
        assert b'Traceback' not in process.stderr.read()
    finally:
        process.kill()
        process.wait()
