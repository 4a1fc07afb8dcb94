# SPDX-License-Identifier: Apache-2.0
"""External wrenches on links, in their three frames, with time derivatives."""

import numpy as np
import pytest
from high_precision import derivatives
from high_precision import multiprecision
from high_precision import taylor
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree

from hod_ros import inverse_dynamics
from hod_ros import jacobian
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.loads import FRAMES
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.dynamics.loads import body_wrenches
from hod_ros.errors import InputError
from hod_ros.kinematics.chain import body_pose_and_twists

pytestmark = pytest.mark.telling


def tree_with_tools(rng, joints, **options):
    model = random_tree(rng, joints, **options)
    tools = {f'tool{i}': (i, random_pose(rng)) for i in range(-1, len(model.bodies))}
    return model.replace(links=dict(model.links) | tools)


@pytest.mark.parametrize('frame', FRAMES)
@pytest.mark.parametrize('link', ['tool-1', 'tool0', 'tool4'])
def test_body_wrench_is_the_physical_wrench_and_its_rows_are_time_derivatives(frame, link):
    rng = np.random.default_rng(5)
    model = tree_with_tools(rng, 5, shape='chain')
    order = 3
    q, w = random_motion(rng, model, order), rng.standard_normal((order + 1, 6))
    body, placement = model.links[link]

    def at(t):
        """By virtual power: the wrench's power on any twist of the body is the same in all frames."""
        C, _ = body_pose_and_twists(model, taylor(q, t)[:1], body)
        values = taylor(w, t)[0]
        link_pose = C @ placement
        R, p, o = link_pose[:3, :3], link_pose[:3, 3], C[:3, 3]
        torque, force = values[:3], values[3:]
        if frame == 'link':
            torque, force = R @ torque, R @ force
        if frame == 'world':
            torque = torque - np.cross(p, force)
        torque = torque + np.cross(p - o, force)
        return np.concatenate([C[:3, :3].T @ torque, C[:3, :3].T @ force])

    got = body_wrenches(model, q, {link: LinkWrench(w, frame)})
    assert got.shape == (order + 1, 6, 6)
    expected = derivatives(at, order + 1)
    assert np.abs(got[:, body] - expected).max() < 1e-11 * np.abs(expected).max()
    got[:, body] = 0
    assert not got.any()


def test_wrenches_lower_the_torques_by_the_transposed_jacobian():
    pin = pytest.importorskip('pinocchio')
    from pinocchio_peer import Peer
    rng = np.random.default_rng(6)
    model = tree_with_tools(rng, 8)
    peer = Peer(model)
    q, w = random_motion(rng, model, 0), rng.standard_normal((1, 6))
    pin.computeJointJacobians(peer.model, peer.data, peer.vector(q[0]))
    pin.updateFramePlacements(peer.model, peer.data)
    frames = {'link': pin.LOCAL, 'world_aligned': pin.LOCAL_WORLD_ALIGNED, 'world': pin.WORLD}
    for name, reference in frames.items():
        J = pin.getFrameJacobian(peer.model, peer.data, peer.frame('tool5'), reference)
        J = peer.angular_first(J)[:, peer.columns]
        external = body_wrenches(model, q, {'tool5': LinkWrench(w, name)})
        change = recursive.inverse_dynamics(model, q, external)[0] - recursive.inverse_dynamics(model, q)[0]
        assert np.abs(change[0] + J.T @ w[0]).max() < 1e-12 * np.abs(change).max()


def test_a_free_base_moves_the_links_to_which_world_wrenches_are_applied():
    rng = np.random.default_rng(7)
    order = 2
    fixed = tree_with_tools(rng, 4, shape='chain')
    q, w = random_motion(rng, fixed, order), rng.standard_normal((order + 1, 6))
    upper = fixed.replace(
        name='upper', joint_names=fixed.joint_names[1:], bodies=fixed.bodies[1:], joints=fixed.joints[1:],
        parent=fixed.parent[1:] - 1, coordinate=fixed.coordinate[1:] - 1, multiplier=fixed.multiplier[1:],
        offset=fixed.offset[1:], B=fixed.B[1:], X=fixed.X[1:], M=fixed.M[1:], screw_body=fixed.screw_body[1:] - 1,
        armature=None, damping=None, friction=None, position_limits=None, velocity_limits=None, effort_limits=None,
        base='free', links={'tool3': (2, fixed.links['tool3'][1])})
    base = body_pose_and_twists(fixed, q, 0)
    for frame in FRAMES:
        whole = body_wrenches(fixed, q, {'tool3': LinkWrench(w, frame)})
        part = body_wrenches(upper, q[:, 1:], {'tool3': LinkWrench(w, frame)}, base)
        assert np.allclose(whole[:, 3], part[:, 2], rtol=1e-12, atol=1e-13)


def test_a_batch_equals_its_samples_one_by_one():
    rng = np.random.default_rng(8)
    model = tree_with_tools(rng, 6, mimics=1)
    q = random_motion(rng, model, 2, samples=4)
    own, shared = rng.standard_normal((4, 3, 6)), rng.standard_normal((5, 6))
    aligned = LinkWrench(shared, 'world_aligned')
    got = body_wrenches(model, q, [('tool3', LinkWrench(own, 'world')), ('tool5', aligned), ('tool3', shared)])
    assert got.shape == (4, 3, len(model.bodies) + 1, 6)
    for sample, one_wrench in enumerate(own):
        loads = [('tool3', LinkWrench(one_wrench, 'world')), ('tool5', aligned), ('tool3', shared)]
        one = body_wrenches(model, q[sample], loads)
        assert np.allclose(got[sample], one, rtol=1e-13, atol=1e-14)


def test_several_wrenches_on_a_link_add_up():
    rng = np.random.default_rng(9)
    model = tree_with_tools(rng, 3)
    q, w = random_motion(rng, model, 1), rng.standard_normal((2, 6))
    twice = body_wrenches(model, q, [('tool1', w), ('tool1', LinkWrench(w, 'link'))])
    assert np.array_equal(twice, body_wrenches(model, q, {'tool1': 2 * w}))


@pytest.mark.parametrize('formulation', ['recursive', 'closed_form', 'spatial', 'body_fixed', 'hybrid'])
def test_every_formulation_takes_wrenches_of_all_frames_on_all_kinds_of_links(formulation):
    """Against the virtual power of the wrench: Q falls by J^T W, at every order."""
    rng = np.random.default_rng(10)
    model = tree_with_tools(rng, 6, mimics=1)
    q = random_motion(rng, model, 2, samples=3)
    frames = {'link': 'body', 'world_aligned': 'world_aligned', 'world': 'spatial'}
    for link in ('tool-1', 'tool2', 'link6'):
        for frame, representation in frames.items():
            w = rng.standard_normal((3, 6))
            loaded = inverse_dynamics(model, q, wrenches={link: LinkWrench(w, frame)}, formulation=formulation)
            change = loaded - inverse_dynamics(model, q, formulation=formulation)
            J = jacobian(model, q, link, representation)[:, :3]
            for s in range(3):
                expected = product(np.swapaxes(J[s], 1, 2), w, apply)
                assert np.abs(change[s] + expected).max() < 1e-11 * np.abs(loaded[s]).max()


@pytest.mark.parametrize(('wrenches', 'words'), [
    ({'gripper': np.zeros((3, 6))}, ['gripper', 'tool1']),
    ({'tool1': np.zeros((2, 6))}, ['tool1', '2 rows', 'order 2', '3 rows']),
    ({'tool1': np.zeros((3, 5))}, ['tool1', '(3, 5)', '(rows, 6)']),
    ({'tool1': np.zeros((2, 3, 6))}, ['tool1', '2 samples', 'one sample']),
    ({'tool1': [[0, 0, 0, 0, np.nan, 0]] * 3}, ['tool1', 'force y', 'nan', 'row 0']),
    ({'tool1': [['a'] * 6] * 3}, ['tool1', 'numbers']),
    ({'tool1': [['1'] * 6] * 3}, ['tool1', 'numbers']),
    ({'tool1': np.full((3, 6), 1j)}, ['tool1', 'complex', 'real numbers']),
    ({'tool1': np.full((3, 6), np.nan, object)}, ['tool1', 'nan', 'finite']),
    (7, ['wrenches', '{link: wrench}']),
])
def test_bad_wrenches_are_refused_with_link_value_and_remedy(wrenches, words):
    model = tree_with_tools(np.random.default_rng(1), 3)
    with pytest.raises(InputError) as error:
        body_wrenches(model, np.zeros((5, 3)), wrenches)
    assert all(word in str(error.value) for word in words)


def test_an_unknown_frame_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="'body'.*'link', 'world_aligned', 'world'"):
        LinkWrench(np.zeros((1, 6)), 'body')


def test_wrench_values_are_a_copy_that_cannot_change():
    values = np.zeros((1, 6))
    wrench = LinkWrench(values)
    values[0, 0] = 1
    assert not wrench.values.any()
    with pytest.raises(ValueError):
        wrench.values[0, 0] = 1


def test_multiprecision_numbers_pass_through():
    rng = np.random.default_rng(2)
    model = tree_with_tools(rng, 3)
    q, w = random_motion(rng, model, 1), rng.standard_normal((2, 6))
    got = body_wrenches(model, multiprecision(q), {'tool2': LinkWrench(multiprecision(w), 'world')})
    plain = body_wrenches(model, q, {'tool2': LinkWrench(w, 'world')})
    assert got.dtype == object
    assert np.abs(got - plain).max() < 1e-13
