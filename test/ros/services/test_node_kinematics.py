# SPDX-License-Identifier: Apache-2.0
"""compute_inverse_kinematics: what it answers leads where it was asked to, and how it refuses."""

from array import array

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import node_with_arm

from hod_interfaces.srv import ComputeInverseKinematics
from hod_ros import RobotModel
from hod_ros import forward_kinematics

MODEL = RobotModel.from_urdf(arm_urdf(7))
LINK = 'link7'
GOAL = np.array([0.3, -0.4, 0.5, 0.6, -0.2, 0.4, -0.3])
START = GOAL + 0.15


@pytest.fixture(scope='module', autouse=True)
def node(client):
    with node_with_arm(client, joints=7) as node:
        yield node


def pose_message(matrix):
    """x, y, z and the quaternion x, y, z, w of a homogeneous matrix."""
    R = matrix[:3, :3]
    w = np.sqrt(1.0 + np.trace(R)) / 2.0
    vector = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * w)
    return array('d', [*matrix[:3, 3], *vector, w])


POSE = pose_message(forward_kinematics(MODEL, GOAL[None], LINK).pose)


def ask(client, **fields):
    fields = {key: array('d', np.ravel(value)) if isinstance(value, np.ndarray) else value for key, value in fields.items()}
    request = ComputeInverseKinematics.Request(**{'link': LINK} | fields)
    return client.call(ComputeInverseKinematics, 'compute_inverse_kinematics', request)


def motion(response):
    assert response.success, response.message
    return np.reshape(response.derivatives, (-1, 7))


def test_pose_is_reached_and_the_search_reported(client):
    response = ask(client, pose=POSE, start=START)
    q = motion(response)
    assert q.shape == (1, 7) and response.converged and response.iterations > 0
    assert response.residual <= 1e-12 and response.condition > 1.0 and response.within_limits
    np.testing.assert_allclose(
        forward_kinematics(MODEL, q, LINK).pose, forward_kinematics(MODEL, GOAL[None], LINK).pose, atol=1e-10)


@pytest.mark.parametrize('representation', ['', 'body', 'world_aligned', 'spatial'])
def test_twists_and_their_derivatives_are_reproduced(client, representation):
    twists = np.random.default_rng(9).uniform(-1.0, 1.0, (3, 6))
    q = motion(ask(client, pose=POSE, start=START, twists=twists, representation=representation))
    assert q.shape == (4, 7)
    np.testing.assert_allclose(forward_kinematics(MODEL, q, LINK, representation or 'body').twists, twists, atol=1e-8)


def test_more_rows_than_samples_would_have_are_derivatives_as_far_as_the_node_computes(client):
    wanted = np.vstack([GOAL, np.random.default_rng(13).uniform(-0.3, 0.3, (13, 7))])
    twists = forward_kinematics(MODEL, wanted, LINK, order=13).twists
    np.testing.assert_allclose(motion(ask(client, start=GOAL, twists=twists, null_motion=wanted[1:])), wanted, atol=1e-9)


def test_without_pose_the_start_is_kept_and_only_its_derivatives_are_solved_for(client):
    twists = np.random.default_rng(10).uniform(-1.0, 1.0, (2, 6))
    response = ask(client, start=GOAL, twists=twists)
    q = motion(response)
    np.testing.assert_array_equal(q[0], GOAL)
    np.testing.assert_allclose(forward_kinematics(MODEL, q, LINK).twists, twists, atol=1e-8)
    assert response.converged and response.iterations == 0


def test_columns_follow_the_requests_joint_order(client):
    order = [6, 0, 1, 2, 3, 4, 5]
    names = [MODEL.joint_names[i] for i in order]
    twists = np.random.default_rng(11).uniform(-1.0, 1.0, (1, 6))
    plain = motion(ask(client, start=GOAL, twists=twists))
    response = ask(client, joint_names=names, start=GOAL[order], twists=twists)
    assert list(response.joint_names) == names
    np.testing.assert_allclose(motion(response), plain[:, order], atol=1e-12)


def test_null_motion_weights_and_components_shape_the_freedom_that_is_left(client):
    wanted = np.random.default_rng(12).uniform(-1.0, 1.0, (1, 7))
    twists = np.array([[0.0, 0.0, 0.0, 0.1, 0.2, 0.3]])
    fields = dict(start=GOAL, twists=twists, components=[3, 4, 5])
    least, near, weighted = (motion(ask(client, **fields, **extra)) for extra in (
        {}, {'null_motion': wanted}, {'weights': np.array([1e6, 1, 1, 1, 1, 1, 1])}))
    for q in (least, near, weighted):
        np.testing.assert_allclose(forward_kinematics(MODEL, q, LINK).twists[0, 3:], twists[0, 3:], atol=1e-9)
    assert np.linalg.norm(least[1]) < np.linalg.norm(near[1])
    assert np.linalg.norm(near[1] - wanted) < np.linalg.norm(least[1] - wanted)
    assert abs(weighted[1, 0]) < 1e-4 < abs(least[1, 0])


def test_limits_are_kept_where_asked_and_further_attempts_help(client):
    far = np.full(7, 2.9)
    response = ask(client, pose=POSE, start=far, respect_limits=True, attempts=20)
    q = motion(response)
    assert response.within_limits and np.all(np.abs(q) <= 3.0)
    np.testing.assert_allclose(forward_kinematics(MODEL, q, LINK).pose[:3, 3], np.array(POSE[:3]), atol=1e-9)


def test_search_that_does_not_converge_says_so_and_gives_no_positions(client):
    out_of_reach = array('d', [50.0, 0, 0, 0, 0, 0, 1])
    response = ask(client, pose=out_of_reach, start=START, attempts=2)
    assert not response.success and not response.converged
    assert response.residual > 1.0 and response.iterations > 0
    assert 'no position was found' in response.message and not len(response.derivatives)


STRAIGHT = dict(link='link2', twists=np.ones((1, 6)), start=GOAL)        # two joints can't give six components


def test_damping_answers_where_the_link_cannot_move_as_asked(client):
    refused = ask(client, **STRAIGHT)
    assert not refused.success and refused.message
    assert np.all(np.isfinite(motion(ask(client, **STRAIGHT, damping=0.1))))


@pytest.mark.parametrize(('fields', 'text'), [
    (dict(), 'pose and twists are empty'),
    (dict(link='gripper', pose=POSE), "no link 'gripper'"),
    (dict(pose=array('d', [0.0] * 6)), 'pose has 6 values; give 7'),
    (dict(pose=array('d', [0, 0, 0, 1.0, 1.0, 0, 0])), 'unit quaternion'),
    (dict(pose=array('d', [0, np.nan, 0, 0, 0, 0, 1])), 'y is nan'),
    (dict(pose=POSE, start=np.zeros(6)), 'start has 6 values for 7 joints'),
    (dict(pose=POSE, twists=np.zeros(5)), 'twists has 5 values; give rows of 6'),
    (dict(pose=POSE, twists=np.zeros(6 * 21)), 'max_order = 20'),
    (dict(pose=POSE, components=[0, 7]), 'components is (0, 7)'),
    (dict(pose=POSE, weights=np.zeros(7)), 'weights is 0.0'),
    (dict(pose=POSE, attempts=4_000_000_000), 'attempts is 4000000000'),
    (dict(pose=POSE, tolerance=-1.0), 'tolerance is -1.0'),
    (dict(pose=POSE, tolerance=2.5), 'tolerance is 2.5; give up to 0.1'),
    (dict(start=GOAL, twists=np.ones(6), damping=float('nan')), 'damping'),
    (dict(start=GOAL, twists=np.ones(6), representation='tool'), "'tool'"),
    (dict(start=GOAL, twists=np.ones(6), null_motion=np.ones((2, 7))), 'null_motion has 2 rows'),
    (dict(pose=POSE, joint_names=['joint1']), 'missing'),
])
def test_bad_request_is_refused_with_a_sentence(client, fields, text):
    response = ask(client, **fields)
    assert not response.success and text in response.message, response.message
    assert not len(response.derivatives)
