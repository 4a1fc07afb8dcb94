# SPDX-License-Identifier: Apache-2.0
"""Who goes first on a busy machine: the setpoint path, not the services."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from ros_harness import node_with_arm
from ros_harness import setpoint
from trajectory_msgs.msg import JointTrajectory

from hod_ros.ros.scheduling import no_longer_give_way

pytestmark = pytest.mark.slow

ASK = 'import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))'
PERMITTED = subprocess.run([sys.executable, '-c', ASK], capture_output=True).returncode == 0
REAL_TIME = pytest.mark.skipif(not PERMITTED, reason='this system permits no SCHED_FIFO to us')
WITHOUT_PERMISSION = ('setpriv', '--bounding-set=-sys_nice', '--inh-caps=-sys_nice')
Q = [[0.1, 0.2, 0.3]] * 5
NAMES = ['joint1', 'joint2', 'joint3']


def policies(pid):
    """{(policy, priority)} of all threads of a process."""
    threads = [int(thread.name) for thread in Path(f'/proc/{pid}/task').iterdir()]
    return {(os.sched_getscheduler(thread), os.sched_getparam(thread).sched_priority) for thread in threads}


def child_of(pid, module):
    """That runs a module; None where there is none yet."""
    found = []
    for thread in Path(f'/proc/{pid}/task').iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):       # a thread or a child that has ended
            found += [
                int(child) for child in (thread / 'children').read_text().split() if module in Path(f'/proc/{child}/cmdline').read_text()]
    assert len(found) <= 1
    return found[0] if found else None


def services_of(pid):
    return child_of(pid, 'services.host')


@REAL_TIME
def test_setpoints_are_answered_in_real_time_and_services_give_way(client):
    with node_with_arm(client) as node:
        assert client.ask(setpoint(Q, NAMES)) is not None
        assert client.compute(Q, order=2).success
        assert policies(node.pid) == {(os.SCHED_FIFO, 20)}
        services = services_of(node.pid)
        assert policies(services) == {(os.SCHED_OTHER, 0)}
        assert os.getpriority(os.PRIO_PROCESS, services) > os.getpriority(os.PRIO_PROCESS, node.pid)


@REAL_TIME
def test_services_that_are_to_end_give_way_no_more_with_any_thread(client):
    with node_with_arm(client) as node:
        assert client.compute(Q, order=2).success
        services = services_of(node.pid)
        threads = [int(thread.name) for thread in Path(f'/proc/{services}/task').iterdir()]
        ordinary = os.getpriority(os.PRIO_PROCESS, 0)
        assert all(os.getpriority(os.PRIO_PROCESS, thread) > ordinary for thread in threads)
        no_longer_give_way(services)
        assert all(os.getpriority(os.PRIO_PROCESS, thread) == ordinary for thread in threads)
        assert all(os.sched_getaffinity(thread) == os.sched_getaffinity(0) for thread in threads)


@pytest.mark.parametrize('priority', [pytest.param(20, marks=REAL_TIME), 0])
def test_what_plans_motions_goes_before_what_is_ordinary_but_not_before_the_node(client, priority):
    with node_with_arm(client, parameters={'realtime_priority': priority}) as node:
        publisher = client.node.create_publisher(JointTrajectory, '/hod/joint_trajectory', 1)
        planner = client.wait_until(lambda: child_of(node.pid, 'planner_host'))
        ordinary = os.getpriority(os.PRIO_PROCESS, node.pid)
        assert client.wait_until(lambda: os.getpriority(os.PRIO_PROCESS, planner) != ordinary)
        assert policies(planner) == {(os.SCHED_OTHER, 0)}
        assert (os.getpriority(os.PRIO_PROCESS, planner) < ordinary) == (priority > 0)
        client.node.destroy_publisher(publisher)


@REAL_TIME
def test_a_realtime_priority_of_0_leaves_the_node_as_it_was_started(client):
    with node_with_arm(client, parameters={'realtime_priority': 0}) as node:
        assert policies(node.pid) == {(os.SCHED_OTHER, 0)}


@pytest.mark.skipif(PERMITTED and shutil.which('setpriv') is None, reason='there is no setpriv to take the permission away')
def test_where_real_time_is_not_permitted_the_node_says_so_and_works(client):
    with node_with_arm(client, under=WITHOUT_PERMISSION if PERMITTED else ()) as node:
        assert client.ask(setpoint(Q, NAMES)) is not None
        assert policies(node.pid) == {(os.SCHED_OTHER, 0)}
        node.wait_for_output('SCHED_FIFO 20 was refused .* rtprio')


@pytest.mark.skipif(
    not PERMITTED or None in map(shutil.which, ('chrt', 'setpriv')), reason='real time can be neither given nor withheld here')
def test_services_are_ordinary_also_where_the_node_was_given_real_time_and_may_not_take_it_again(client):
    with node_with_arm(client, under=('chrt', '-f', '30', *WITHOUT_PERMISSION)) as node:
        assert client.compute(Q, order=2).success
        assert policies(node.pid) == {(os.SCHED_FIFO, 20)}
        assert policies(services_of(node.pid)) == {(os.SCHED_OTHER, 0)}
