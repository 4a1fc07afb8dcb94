# SPDX-License-Identifier: Apache-2.0
"""Models from screws and from Denavit-Hartenberg tables, against each other and against homogeneous transformations."""

import numpy as np
import pytest
from random_trees import random_inertia
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import robot
from robots import robot_text

from hod_ros import InputError
from hod_ros import ModelError
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros import link_inertia
from hod_ros.algebra import lie
from hod_ros.kinematics.chain import body_pose_and_twists
from hod_ros.model import screws

PANDA_DH = {
    'a': [0, 0, 0, 0.0825, -0.0825, 0, 0.088],
    'alpha': np.pi / 2 * np.array([0, -1, 1, 1, -1, 1, 1]),
    'd': [0.333, 0, 0.316, 0, 0.384, 0, 0],
    'theta': np.zeros(7),
}


def turn(axis, angle):
    C = np.eye(4)
    c, s = np.cos(angle), np.sin(angle)
    C[:3, :3] = [[1, 0, 0], [0, c, -s], [0, s, c]] if axis == 'x' else [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    return C


def shift(x=0.0, z=0.0):
    C = np.eye(4)
    C[0, 3], C[2, 3] = x, z
    return C


def link_pose(model, link, q):
    body, place = model.body_of(link)
    return body_pose_and_twists(model, q, body)[0] @ place


def world_screws(model):
    """Y and A of 003 at q = 0, of a random tree."""
    A = []
    for parent, B in zip(model.parent, model.B, strict=True):
        A.append((A[parent] if parent >= 0 else np.eye(4)) @ B)
    return [lie.Ad(C) @ X for C, X in zip(A, model.X, strict=True)], np.array(A)


def test_spatial_and_body_fixed_screws_make_the_same_model():
    rng = np.random.default_rng(1)
    tree = random_tree(rng, 8, kinds=('revolute', 'prismatic', 'helical'), armature=True)
    Y, A = world_screws(tree)
    options = {'parent': tree.parent, 'armature': tree.armature, 'joint_names': tree.joint_names}
    spatial = RobotModel.from_screws(Y, A, tree.M, **options)
    body = RobotModel.from_screws(tree.X, tree.B, tree.M, representation='body', **options)
    q = random_motion(rng, tree, 3)
    Q = inverse_dynamics(tree, q)
    for model in (spatial, body):
        np.testing.assert_allclose(inverse_dynamics(model, q), Q, atol=1e-12 * np.abs(Q).max())


def test_screws_of_003_from_axes_points_and_pitches():
    e, y = np.array([0, 0.6, 0.8]), np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(screws.revolute(e, y), [*e, *np.cross(y, e)])
    np.testing.assert_allclose(screws.prismatic(2 * e), [0, 0, 0, *e])
    np.testing.assert_allclose(screws.helical(e, y, 0.1), [*e, *(np.cross(y, e) + 0.1 * e)])


def test_panda_from_its_table_is_the_panda_of_the_urdf():
    ours = robot('our_panda')
    model = RobotModel.from_dh(**PANDA_DH, inertias=ours.M, joint_names=ours.joint_names)
    q = random_motion(np.random.default_rng(2), model, 3)
    Q = inverse_dynamics(ours, q)
    np.testing.assert_allclose(inverse_dynamics(model, q), Q, atol=1e-12 * np.abs(Q).max())


@pytest.mark.parametrize('convention', ['craig', 'denavit-hartenberg'])
def test_link_frames_follow_the_convention(convention):
    rng = np.random.default_rng(3)
    a, d = rng.uniform(-0.5, 0.5, (2, 4))
    alpha, theta = rng.uniform(-2, 2, (2, 4))
    kinds = ['revolute', 'prismatic', 'revolute', 'revolute']
    inertias = [random_inertia(rng) for _ in range(4)]
    model = RobotModel.from_dh(a, alpha, d, theta, inertias, convention=convention, kinds=kinds)
    q = rng.uniform(-1, 1, (1, 4))
    C = np.eye(4)
    for i, kind in enumerate(kinds):
        turned = theta[i] + (q[0, i] if kind == 'revolute' else 0)
        moved = d[i] + (q[0, i] if kind == 'prismatic' else 0)
        if convention == 'craig':
            C = C @ turn('x', alpha[i]) @ shift(x=a[i]) @ turn('z', turned) @ shift(z=moved)
        else:
            C = C @ turn('z', turned) @ shift(z=moved) @ shift(x=a[i]) @ turn('x', alpha[i])
        np.testing.assert_allclose(link_pose(model, f'link{i + 1}', q), C, atol=1e-14)


def test_one_arm_in_both_conventions_has_the_same_torques():
    """A planar arm: the original frames lie at the links' ends, Craig's at their beginnings."""
    L, com, tensor = (0.5, 0.4), 0.2, np.diag([0.01, 0.02, 0.02])
    same = {'alpha': [0, 0], 'd': [0, 0], 'theta': [0, 0], 'gravity': (0, -9.81, 0)}
    from_ends = [link_inertia(1.5, (com - length, 0, 0), tensor) for length in L]
    distal = RobotModel.from_dh(a=L, inertias=from_ends, convention='denavit-hartenberg', **same)
    craig = RobotModel.from_dh(a=[0, L[0]], inertias=[link_inertia(1.5, (com, 0, 0), tensor)] * 2, **same)
    q = random_motion(np.random.default_rng(4), craig, 4)
    np.testing.assert_allclose(inverse_dynamics(distal, q), inverse_dynamics(craig, q), rtol=1e-12, atol=1e-12)


def test_bodies_lie_on_their_axes_and_links_where_they_were_put():
    """Inertial parameters are about a point on the joint's axis, wherever the link's own frame is."""
    rng = np.random.default_rng(5)
    A, e, y, M = random_pose(rng), np.array([0, 0.6, 0.8]), np.array([1.0, 2.0, 3.0]), random_inertia(rng)
    model = RobotModel.from_screws([screws.helical(e, y, 0.2)], [A], [M], link_names=['tool'])
    np.testing.assert_allclose(np.cross(model.X[0, :3], model.X[0, 3:]), 0, atol=1e-15)
    np.testing.assert_allclose(link_pose(model, 'tool', np.zeros((1, 1))), A, atol=1e-14)
    ball = RobotModel.from_screws([screws.spherical(y)], [A], [M])
    np.testing.assert_allclose(ball.X[:, 3:], 0, atol=1e-14)
    np.testing.assert_allclose(ball.B[0, :3, 3], y, atol=1e-14)


def test_tensors_are_about_the_centre_of_mass_unless_told_otherwise():
    c, tensor = np.array([0.1, -0.2, 0.3]), np.diag([0.02, 0.03, 0.04])
    about_frame = tensor + 2.0 * (c @ c * np.eye(3) - np.outer(c, c))
    M = link_inertia(2.0, c, tensor)
    np.testing.assert_allclose(M[:3, :3], about_frame, rtol=1e-14)
    np.testing.assert_allclose(link_inertia(2.0, c, about_frame, about='frame'), M, atol=1e-16)


def one_joint(**changes):
    values = {
        'screws': [screws.revolute((0, 0, 1))], 'reference': [np.eye(4)],
        'inertias': [link_inertia(1.0, (0.1, 0, 0))], 'joint_names': ['hinge'],
    }
    return RobotModel.from_screws(**(values | changes))


@pytest.mark.parametrize('changes, said', [
    ({'inertias': [-link_inertia(1.0)]}, "joint 'hinge' has the inertia"),
    ({'inertias': [np.eye(5)]}, r"joint 'hinge' has an inertia of the shape \(5, 5\)"),
    ({'inertias': []}, 'inertias holds 0 matrices for 1 joints'),
    ({'reference': [2 * np.eye(4)]}, "the reference configuration of joint 'hinge'"),
    ({'reference': np.eye(4)}, r'reference has the shape \(4, 4\)'),
    ({'parent': [0]}, "joint 'hinge', number 0, has the parent 0"),
    ({'parent': [0.5]}, 'parent is'),
    ({'joint_names': ['a', 'b']}, 'joint_names is'),
    ({'armature': {'knee': 0.1}}, "armature names the joint 'knee'"),
    ({'armature': [-0.1]}, "armature of joint 'hinge' is -0.1"),
    ({'representation': 'hybrid'}, "representation is 'hybrid'"),
    ({'screws': [[0, 0, 'x', 0, 0, 0]]}, 'no real number'),
])
def test_what_is_wrong_is_named(changes, said):
    with pytest.raises(ModelError, match=said):
        one_joint(**changes)


def test_wrong_tables_are_refused():
    inertia = [link_inertia(1.0, (0.1, 0, 0))]
    with pytest.raises(ModelError, match='d has the shape'):
        RobotModel.from_dh([0], [0], [0, 1], [0], inertia)
    with pytest.raises(ModelError, match="convention is 'modified'"):
        RobotModel.from_dh([0], [0], [0], [0], inertia, convention='modified')
    with pytest.raises(ModelError, match="'joint1' is of the kind 'ball'"):
        RobotModel.from_dh([0], [0], [0], [0], inertia, kinds=['ball'])


def test_a_tensor_that_no_body_has_is_doubted_not_refused():
    model = one_joint(inertias=[link_inertia(1.0, (0, 0, 0), np.diag([1.0, 1.0, 3.0]))])
    assert 'exceeds the sum' in model.warnings[0]


def test_a_point_of_mass_in_the_centre_of_its_joint_is_doubted_by_the_joints_name():
    model = one_joint(inertias=[link_inertia(1.0, (0, 0, 0))])
    assert "'hinge': turns masses that lie on its axis" in model.warnings[0]
    assert not one_joint(inertias=[link_inertia(1.0, (0, 0, 0))], armature={'hinge': 0.1}).warnings


def test_armature_by_name_is_added_to_the_force():
    q = np.array([[0.1], [0.2], [3.0], [5.0]])
    with_rotor, without = one_joint(armature={'hinge': 0.25}), one_joint()
    added = inverse_dynamics(with_rotor, q) - inverse_dynamics(without, q)
    np.testing.assert_allclose(added, [[0.75], [1.25]], rtol=1e-12)


def test_names_without_an_order_are_refused():
    text = robot_text('our_panda')
    with pytest.raises(InputError, match='joints is .* in the order that they are to have'):
        RobotModel.from_urdf(text, joints={'panda_joint1', 'panda_joint2'})
    with pytest.raises(ModelError, match='joint_names is'):
        one_joint(joint_names={'hinge'})


def test_a_link_that_bears_the_bases_name_is_refused():
    with pytest.raises(ModelError, match="link_names has 'base', which is the name of the base"):
        one_joint(link_names=['base'])
    model = one_joint()
    with pytest.raises(ModelError, match='is both the base and part of a body that moves'):
        model.replace(links=dict(model.links) | {model.base_link: (0, np.eye(4))})


def test_the_inertia_of_the_base_is_checked_as_those_of_links():
    with pytest.raises(ModelError, match="the base 'base' has the inertia"):
        one_joint(base='free', base_inertia=link_inertia(-5.0))
    odd = link_inertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.3]))
    assert "link 'base': 0.1, 0.1, 0.3 kg m^2: principal moments" in one_joint(base='free', base_inertia=odd).warnings[0]
    assert not one_joint(base_inertia=odd).warnings       # a fixed base enters no force
    assert 'has no inertia of its own' in one_joint(base='free').warnings[0]
    assert not one_joint(base='free', base_inertia=link_inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))).warnings


def test_a_negative_tensor_is_doubted_for_what_it_is():
    warning, = one_joint(inertias=[link_inertia(1.0, (0, 0, 0), -np.eye(3))]).warnings
    assert 'none below zero' in warning


def test_a_robot_may_have_no_joints():
    assert RobotModel.from_screws([], [], []).n == RobotModel.from_dh([], [], [], [], []).n == 0


@pytest.mark.parametrize('option', [dict(parent=[-1]), dict(representation='spatial')])
def test_tables_take_no_options_of_frames_that_are_not_theirs(option):
    with pytest.raises(ModelError, match='is no option here'):
        RobotModel.from_dh([0], [0], [0], [0], [link_inertia(1.0, (0.1, 0, 0))], **option)


@pytest.mark.parametrize('axes', [5, None, [[1.0, 0, 0], [0, 1.0, 0]]])
def test_a_ball_joint_has_three_axes(axes):
    with pytest.raises(ModelError, match='axes'):
        screws.spherical(axes=axes)


def test_angles_of_a_dh_table_in_degrees_are_told():
    links = [link_inertia(1.0, (0.1, 0, 0), np.eye(3))] * 2
    assert RobotModel.from_dh([0, 0.5], [0, -np.pi / 2], [0, 0], [0, np.pi], links).warnings == ()
    warning, = RobotModel.from_dh([0, 0.5], [0, -90], [0, 0], [0, 0], links).warnings
    assert warning == 'alpha holds -90, beyond a whole turn, and is in radians: are these degrees?'
