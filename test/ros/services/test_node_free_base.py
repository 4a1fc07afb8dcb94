# SPDX-License-Identifier: Apache-2.0
"""Services with the motion of a free base: the page on legged robots, many samples, and what is refused."""

import re
from array import array
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from ros_harness import running_node

from hod_interfaces.srv import ComputeDynamicsMatrices
from hod_interfaces.srv import ComputeInverseDynamics
from hod_ros import RobotModel
from hod_ros import dynamics_matrices
from hod_ros import inverse_dynamics

PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'legged-robots.md'
RNG = np.random.default_rng(4)
QUATERNION = np.array([0.0, 0.6, 0.0, 0.8])
TURN = np.array([[0.28, 0.0, 0.96], [0.0, 1.0, 0.0], [-0.96, 0.0, 0.28]])      # by the same


@pytest.fixture(scope='module')
def page():
    """The names that the page's Python makes."""
    names = {}
    for block in re.findall(r'```python\n(.*?)```', PAGE.read_text(), flags=re.DOTALL):
        exec(block, names)
    return SimpleNamespace(names=names)


@pytest.fixture(scope='module', autouse=True)
def node(client, page):
    with running_node() as node:
        client.describe(page.names['urdf'] + '</robot>')
        client.wait_for_state('active')
        yield node


def ask(client, service=ComputeInverseDynamics, **fields):
    fields = {name: array('d', np.ravel(value)) if isinstance(value, np.ndarray) else value for name, value in fields.items()}
    name = {ComputeInverseDynamics: 'compute_inverse_dynamics', ComputeDynamicsMatrices: 'compute_dynamics_matrices'}[service]
    return client.call(service, name, service.Request(**fields))


def test_contact_forces_and_their_rates_hold_the_base_as_the_page_says(client, page):
    names = dict(page.names)
    names['client'] = SimpleNamespace(call=lambda request: client.call(ComputeInverseDynamics, 'compute_inverse_dynamics', request))
    block, = re.findall(r'```py\n(.*?)```', PAGE.read_text(), flags=re.DOTALL)
    exec(block, names)
    assert names['response'].success, names['response'].message
    Q, W = page.names['torques'](0.1)
    np.testing.assert_allclose(names['Q'], Q, atol=1e-10)
    assert names['W'].shape == W.shape and abs(names['W']).max() < 1e-10


def moving(samples, order):
    """(fields of a request, (q, base) of the library) of a robot that tumbles."""
    q, twists = RNG.uniform(-1.0, 1.0, (samples, order + 3, 12)), RNG.uniform(-1.0, 1.0, (samples, order + 2, 6))
    poses = np.tile(np.eye(4), (samples, 1, 1))
    poses[:, :3, :3] = TURN
    poses[:, :3, 3] = RNG.uniform(-1.0, 1.0, (samples, 3))
    places = np.concatenate([poses[:, :3, 3], np.tile(QUATERNION, (samples, 1))], axis=1)
    return dict(order=order, samples=samples, derivatives=q, base_pose=places, base_twists=twists), (q, (poses, twists))


@pytest.mark.parametrize('formulation', ['recursive', 'closed_form'])
def test_many_samples_in_another_joint_order_each_with_its_own_base(client, page, formulation):
    model = RobotModel.from_urdf(page.names['urdf'] + '</robot>', base='free')
    fields, (q, base) = moving(3, 2)
    jumbled = RNG.permutation(12)
    fields['derivatives'] = np.ascontiguousarray(q[..., jumbled])
    response = ask(client, joint_names=[model.joint_names[i] for i in jumbled], formulation=formulation, **fields)
    assert response.success, response.message
    Q, W = inverse_dynamics(model, q, base=base)
    np.testing.assert_allclose(np.reshape(response.efforts, (3, 3, 12)), Q[..., jumbled], atol=1e-9 * abs(Q).max())
    np.testing.assert_allclose(np.reshape(response.base_wrenches, (3, 3, 6)), W, atol=1e-9 * abs(W).max())


def test_matrices_have_the_base_behind_the_joints_and_make_the_torques_and_its_wrench(client, page):
    model = RobotModel.from_urdf(page.names['urdf'] + '</robot>', base='free')
    fields, (q, (poses, twists)) = moving(3, 2)
    jumbled = RNG.permutation(12)
    fields |= {'derivatives': np.ascontiguousarray(q[:, :4, jumbled]), 'base_twists': np.ascontiguousarray(twists[:, :3])}
    names = [model.joint_names[i] for i in jumbled]
    response = ask(client, ComputeDynamicsMatrices, joint_names=names, **fields)
    assert response.success and response.joint_names == names, response.message
    M, C = (np.reshape(a, (3, 3, 18, 18)) for a in (response.mass_matrices, response.coriolis_matrices))
    g = np.reshape(response.gravity_efforts, (3, 3, 18))
    order = [*jumbled, *range(12, 18)]
    expected = dynamics_matrices(model, q[:, :4], base=(poses, twists[:, :3]), order=2)
    np.testing.assert_allclose(M, expected.M[..., order, :][..., order], atol=1e-9 * abs(M).max())
    rate = np.concatenate([q[:, 1, jumbled], twists[:, 0]], axis=1)
    change = np.concatenate([q[:, 2, jumbled], twists[:, 1]], axis=1)
    Q, W = inverse_dynamics(model, q[:, :3], base=(poses, twists[:, :2]), order=0)
    forces = np.einsum('sij,sj->si', M[:, 0], change) + np.einsum('sij,sj->si', C[:, 0], rate) + g[:, 0]
    np.testing.assert_allclose(forces, np.concatenate([Q[:, 0, jumbled], W[:, 0]], axis=1), atol=1e-9 * abs(W).max())
    fixed = ask(client, ComputeDynamicsMatrices, **fields | {'derivatives': q[:, :4], 'base_pose': np.zeros(0), 'base_twists': np.zeros(0)})
    np.testing.assert_allclose(np.reshape(fixed.mass_matrices, (3, 3, 12, 12)), expected.M[..., :12, :12], atol=1e-9 * abs(M).max())


@pytest.mark.parametrize(('field', 'value', 'said'), [
    ('base_pose', np.zeros(0), 'base_pose has 0 values; the motion of a free base is samples x 7 = 2 x 7 = 14'),
    ('base_twists', np.zeros(18), 'base_twists has 18 values; the motion of a free base is samples x (order + 2) x 6 = 2 x 3 x 6 = 36'),
    ('base_twists', np.full((2, 3, 6), np.nan), 'base_twists: sample 0, row 0 of angular x is nan'),
    ('base_twists', np.full((2, 3, 6), 1e300), 'the twists of base holds 1e+300; give figures of a robot'),
    ('base_pose', np.full((2, 7), np.inf), 'base_pose of sample 0: x is inf'),
    ('base_pose', np.ones((2, 7)), 'the quaternion of base_pose of sample 0 has the length 2'),
])
def test_a_bad_motion_of_the_base_is_refused_with_its_field_and_the_shape_that_it_needs(client, field, value, said):
    fields, _ = moving(2, 1)
    response = ask(client, **fields | {field: value})
    assert not response.success and said in response.message
    assert not len(response.efforts) and not len(response.base_wrenches)


def test_a_request_without_a_base_stands_still_as_before(client, page):
    fields, (q, _) = moving(2, 1)
    response = ask(client, **fields | {'base_pose': np.zeros(0), 'base_twists': np.zeros(0)})
    assert response.success and not len(response.base_wrenches)
    fixed = RobotModel.from_urdf(page.names['urdf'] + '</robot>')
    np.testing.assert_allclose(np.reshape(response.efforts, (2, 2, 12)), inverse_dynamics(fixed, q), atol=1e-9)
