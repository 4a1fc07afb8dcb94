# SPDX-License-Identifier: Apache-2.0
"""compute_dynamics_matrices, and the loads of compute_inverse_dynamics."""

from array import array

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import node_with_arm

from hod_interfaces.msg import LinkWrench
from hod_interfaces.srv import ComputeDynamicsMatrices
from hod_ros import RobotModel
from hod_ros import dynamics_matrices
from hod_ros import inverse_dynamics
from hod_ros import jacobian

MODEL = RobotModel.from_urdf(arm_urdf(3))
Q = np.random.default_rng(6).uniform(-1.0, 1.0, (4, 12, 3))       # samples, rows, joints
JUMBLED = [2, 0, 1]


@pytest.fixture(scope='module', autouse=True)
def node(client):
    with node_with_arm(client, parameters={'max_samples': 500}) as node:
        yield node


def ask(client, q, order, names=()):
    request = ComputeDynamicsMatrices.Request(
        joint_names=list(names), order=order, samples=len(q) if np.ndim(q) == 3 else 0,
        derivatives=array('d', np.asarray(q, float).tobytes()))
    return client.call(ComputeDynamicsMatrices, 'compute_dynamics_matrices', request)


def wrench(link, values, frame=''):
    return LinkWrench(link=link, frame=frame, values=array('d', np.ravel(values)))


@pytest.mark.parametrize('order', [0, 2, 5])
def test_matrices_of_many_samples_make_up_the_joint_forces(client, order):
    response = ask(client, Q[:, :order + 2], order)
    assert response.success, response.message
    shape = (4, order + 1, 3, 3)
    M, C, g = (np.reshape(values, shape[:size]) for values, size in (
        (response.mass_matrices, 4), (response.coriolis_matrices, 4), (response.gravity_efforts, 3)))
    for sample in range(4):
        forces = M[sample, 0] @ Q[sample, 2] + C[sample, 0] @ Q[sample, 1] + g[sample, 0]
        np.testing.assert_allclose(forces, inverse_dynamics(MODEL, Q[sample, :3])[0], atol=1e-10)
        expected = dynamics_matrices(MODEL, Q[sample, :order + 2])
        for actual, wanted in ((M, expected.M), (C, expected.C), (g, expected.g)):
            np.testing.assert_allclose(actual[sample], wanted, atol=1e-11 * np.abs(wanted).max())


def test_rows_and_columns_follow_the_requests_joint_order(client):
    names = [MODEL.joint_names[i] for i in JUMBLED]
    response = ask(client, Q[0, :3][:, JUMBLED], 1, names)
    assert list(response.joint_names) == names
    expected = dynamics_matrices(MODEL, Q[0, :3])
    for values, wanted in ((response.mass_matrices, expected.M), (response.coriolis_matrices, expected.C)):
        np.testing.assert_allclose(np.reshape(values, (2, 3, 3)), wanted[:, JUMBLED][:, :, JUMBLED], atol=1e-12)
    np.testing.assert_allclose(np.reshape(response.gravity_efforts, (2, 3)), expected.g[:, JUMBLED], atol=1e-12)


@pytest.mark.parametrize(('q', 'order', 'text'), [
    (Q[0, :3], 2, '9 values; order 2 needs order + 2 = 4 rows: give samples x rows x joints = 1 x 4 x 3 = 12'),
    ([], 0, '0 values'),
    (Q[0], 4_294_967_295, 'order is 4294967295, but this node computes up to max_order = 20'),
    (np.zeros((501, 2, 3)), 0, 'samples is 501, but this node takes up to max_samples = 500'),
    ([[0.0, np.inf, 0.0], [0.0, 0.0, 0.0]], 0, "row 0 of joint 'joint2' in sample 0 is inf"),
    (np.full((4, 3), 1e200), 2, 'too large'),
])
def test_matrices_of_a_bad_request_are_refused_with_a_sentence(client, q, order, text):
    response = ask(client, q, order)
    assert not response.success and text in response.message
    assert not len(response.mass_matrices) and not len(response.joint_names)


@pytest.mark.parametrize('frame', ['link', 'world_aligned', 'world'])
def test_load_lowers_the_joint_forces_by_the_jacobian_of_its_frame(client, frame):
    W = np.random.default_rng(7).uniform(-5.0, 5.0, (3, 6))
    loaded = client.compute(Q[0, :5], order=2, wrenches=[wrench('link2', W, frame)])
    assert loaded.success, loaded.message
    fall = inverse_dynamics(MODEL, Q[0, :5]) - np.reshape(loaded.efforts, (3, 3))
    J = jacobian(MODEL, Q[0, :3], 'link2', {'link': 'body', 'world': 'spatial'}.get(frame, frame))
    leibniz = [J[0].T @ W[0], J[1].T @ W[0] + J[0].T @ W[1], J[2].T @ W[0] + 2 * J[1].T @ W[1] + J[0].T @ W[2]]
    np.testing.assert_allclose(fall, leibniz, atol=1e-10)


def test_loads_of_several_links_and_of_one_link_twice_add_up_over_all_samples(client):
    rng = np.random.default_rng(8)
    shared, own = rng.uniform(-1.0, 1.0, (2, 6)), rng.uniform(-1.0, 1.0, (4, 2, 6))
    loads = [wrench('link3', shared, 'world'), wrench('link1', own), wrench('link3', 2 * shared, 'world')]
    response = client.compute(Q[:, :4], order=1, wrenches=loads)
    assert response.success, response.message
    for sample in range(4):
        alone = client.compute(
            Q[sample, :4], order=1, wrenches=[wrench('link3', 3 * shared, 'world'), wrench('link1', own[sample])])
        np.testing.assert_allclose(np.reshape(response.efforts, (4, 6))[sample], alone.efforts, atol=1e-10)


@pytest.mark.parametrize('formulation', ['closed_form', 'spatial'])
def test_formulation_changes_nothing_but_the_path(client, formulation):
    loads = [wrench('link2', np.ones((3, 6)))]
    one, other = (client.compute(Q[0, :5], order=2, wrenches=loads, formulation=name) for name in ('recursive', formulation))
    assert other.success, other.message
    np.testing.assert_allclose(one.efforts, other.efforts, atol=1e-9)


@pytest.mark.parametrize(('load', 'text'), [
    (wrench('gripper', np.ones((3, 6))), "no link 'gripper'"),
    (wrench('link1', np.ones((3, 6)), 'tool'), "'tool'"),
    (wrench('link1', np.ones(17)), '17 values; give rows of 6'),
    (wrench('link1', []), '0 values; give rows of 6'),
    (wrench('link1', np.ones((2, 6))), '2 rows'),
    (wrench('link1', np.full((3, 6), np.nan)), 'finite'),
])
def test_bad_load_is_refused_with_a_sentence(client, load, text):
    response = client.compute(Q[0, :5], order=2, wrenches=[load])
    assert not response.success and text in response.message
    assert not len(response.efforts)
