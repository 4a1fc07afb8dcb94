# SPDX-License-Identifier: Apache-2.0
"""What is used of rclpy's private members does what it is used for, and no name of ours hides one of rclpy's."""

import ast
import time
from pathlib import Path

import pytest
import rclpy
from lifecycle_msgs.srv import ChangeState
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from hod_interfaces.srv import SetPayload
from hod_ros.ros import rclpy_private
from hod_ros.ros.rclpy_private import TolerantLifecycleNode
from hod_ros.ros.rclpy_private import given_parameters
from hod_ros.ros.rclpy_private import lifecycle_state
from hod_ros.ros.rclpy_private import take_message
from hod_ros.ros.rclpy_private import take_request

ROOM = Path(rclpy_private.__file__).parent


@pytest.fixture
def node():
    node = TolerantLifecycleNode('tried', parameter_overrides=[Parameter('limit.joint1', value=3.0)])
    yield node
    node.destroy_node()


def test_given_parameters_are_known_before_they_are_declared(node):
    assert given_parameters(node)['limit.joint1'].value == 3.0
    assert not node.has_parameter('limit.joint1')


def test_state_follows_transitions(node):
    assert lifecycle_state(node) == 'unconfigured'
    node.trigger_configure()
    assert lifecycle_state(node) == 'inactive'


def test_a_transition_that_the_state_does_not_have_is_answered_and_changes_nothing(node):
    client_node = rclpy.create_node('asking')
    client = client_node.create_client(ChangeState, '/tried/change_state')
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(node)
    executor.add_node(client_node)
    try:
        assert client.wait_for_service(10.0)
        for transition, success in ((3, False), (1, True), (3, True)):      # activate, configure, activate
            request = ChangeState.Request()
            request.transition.id = transition
            future = client.call_async(request)
            executor.spin_until_future_complete(future, 10.0)
            assert future.result().success == success
        assert lifecycle_state(node) == 'active'
    finally:
        executor.shutdown()
        client_node.destroy_node()


def test_a_request_that_waits_is_taken_with_what_its_answer_needs(node):
    service = node.create_service(SetPayload, 'asked', lambda request, response: None)
    client_node = rclpy.create_node('asking')
    client = client_node.create_client(SetPayload, '/asked')
    try:
        assert client.wait_for_service(10.0)
        assert take_request(service) == (None, None)
        future = client.call_async(SetPayload.Request())
        end = time.monotonic() + 10.0
        while (taken := take_request(service)) == (None, None):
            assert time.monotonic() < end
        service.send_response(SetPayload.Response(message='by hand'), taken[1])
        executor = rclpy.executors.SingleThreadedExecutor()
        executor.add_node(client_node)
        executor.spin_until_future_complete(future, 10.0)
        executor.shutdown()
        assert future.result().message == 'by hand'
    finally:
        client_node.destroy_node()


def test_messages_that_wait_are_taken_as_bytes_in_their_order(node):
    subscription = node.create_subscription(String, 'said', lambda message: None, 10, raw=True)
    publisher_node = rclpy.create_node('saying')
    publisher = publisher_node.create_publisher(String, '/said', 10)
    try:
        end = time.monotonic() + 10.0
        while not publisher.get_subscription_count():
            assert time.monotonic() < end
            time.sleep(0.01)
        assert take_message(subscription) is None
        for text in ('one', 'two'):
            publisher.publish(String(data=text))
        said = []
        while len(said) < 2:
            assert time.monotonic() < end
            data = take_message(subscription)
            if data is not None:
                said.append(deserialize_message(data, String).data)
        assert said == ['one', 'two']
    finally:
        publisher_node.destroy_node()


def test_no_other_module_of_the_room_touches_private_members_of_rclpys_objects():
    wrong = []
    for path in ROOM.rglob('*.py'):
        if path.name == 'rclpy_private.py':
            continue
        for item in ast.walk(ast.parse(path.read_text())):
            if isinstance(item, ast.Attribute) and item.attr == 'handle':
                wrong.append(f'{path.relative_to(ROOM)}:{item.lineno} {ast.unparse(item)}')
            elif isinstance(item, ast.Attribute) and item.attr.startswith('_') and not item.attr.startswith('__'):
                owner = ast.unparse(item.value)
                if owner.endswith(('node', 'publisher', 'subscription', 'service', 'client', 'logger', 'executor')):
                    wrong.append(f'{path.relative_to(ROOM)}:{item.lineno} {owner}.{item.attr}')
    assert not wrong


@pytest.mark.parametrize('path', sorted([ROOM / 'lifecycle.py', *(ROOM / 'nodes').glob('*.py')]), ids=lambda path: path.name)
def test_no_attribute_of_our_nodes_hides_one_of_rclpys(path):
    plain = LifecycleNode('plain')
    theirs = {name for name in {*vars(plain), *dir(LifecycleNode)} if not name.startswith(('__', 'on_', 'destroy_node'))}
    plain.destroy_node()
    ours = set()
    for item in ast.walk(ast.parse(path.read_text())):
        if isinstance(item, ast.ClassDef):
            ours |= {part.name for part in item.body if isinstance(part, ast.FunctionDef)}
        elif isinstance(item, ast.Attribute) and isinstance(item.ctx, ast.Store) and ast.unparse(item.value) == 'self':
            ours.add(item.attr)
    assert not ours & theirs
