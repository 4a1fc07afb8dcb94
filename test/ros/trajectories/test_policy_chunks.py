# SPDX-License-Identifier: Apache-2.0
"""A policy in a process of its own, the example's, and the node in another: late and missing chunks."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from ros_harness import PATIENCE
from ros_harness import running_node

from hod_ros import example_robot

EXAMPLE = Path(__file__).resolve().parents[3] / 'examples' / 'policy_chunks.py'
TIMEOUT = 1.0           # [s] above any standstill of the machine
MARGIN, EFFORT_RATE = 0.8, 870.0
pytestmark = [pytest.mark.slow, pytest.mark.alone]
ATTEMPTS = 10           # of a policy that is its robot too, and that a busy machine may hold up: for TIMEOUT, or until chunks are too late


def told_by_the_policy(client):
    """(what it says of its motion, whether its measurements or its chunks came too late for the node)"""
    client.describe(example_robot('panda'))
    parameters = {
        'trajectory.chunk_rate': 50.0, 'publish_commands': True, 'setpoint_timeout': TIMEOUT, 'source_timeout': 2 * TIMEOUT,
        'max_age': TIMEOUT, 'joint_states_timeout': TIMEOUT}
    try:
        with running_node(parameters=parameters) as node:
            client.wait_for_state('active')
            policy = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, timeout=3 * PATIENCE)
    finally:
        client.withdraw_description()
    print(policy.stdout, policy.stderr)
    return policy.stdout, 'joint_states are' in node.output or ' 0 refused' not in policy.stdout


def test_a_policys_chunks_are_streamed_and_where_one_is_late_or_none_comes_the_robot_stops_on_the_path(client):
    for _ in range(ATTEMPTS):
        told, held_up = told_by_the_policy(client)
        if not held_up:
            break
    assert int(re.search(r'(\d+) taken', told)[1]) >= 2
    assert '2 stops along it where no chunk came' in told
    assert float(re.search('([0-9.]+) mrad', told)[1]) < 10
    assert 10 < float(re.search('up to ([0-9.]+) N m/s', told)[1]) <= MARGIN * EFFORT_RATE
