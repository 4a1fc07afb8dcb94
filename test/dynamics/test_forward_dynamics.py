# SPDX-License-Identifier: Apache-2.0
"""Higher-order forward dynamics: judged backward, by inverse dynamics of its result, and against Pinocchio."""

import mpmath
import numpy as np
import pytest
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import FIVE
from robots import robot

from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import RobotModel
from hod_ros import SingularityError
from hod_ros import forward_dynamics
from hod_ros import forward_dynamics_derivatives
from hod_ros import inverse_dynamics
from hod_ros import link_inertia
from hod_ros import multiprecision
from hod_ros.dynamics.formulations import articulated
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.forward_dynamics import mass_matrix
from hod_ros.dynamics.forward_dynamics import mass_matrix_route
from hod_ros.dynamics.loads import body_wrenches
from hod_ros.model import screws

pytestmark = pytest.mark.telling

KINDS = ('revolute', 'prismatic', 'helical')


def residual(model, q, Q, external=None, base=None):
    """max |dQ^(k)| / max |Q^(k)| over the orders."""
    back, _ = recursive.inverse_dynamics(model, q, external, base)
    return max(np.abs(back[k] - Q[k]).max() / np.abs(Q[k]).max() for k in range(len(Q)))


@pytest.mark.parametrize('shape', ['tree', 'chain', 'star'])
@pytest.mark.parametrize('mimics', [0, 3])
def test_inverse_dynamics_of_the_result_gives_the_forces_for_30_joints_and_order_4(shape, mimics):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model = random_tree(rng, 30, shape=shape, mimics=mimics, kinds=KINDS, armature=bool(seed % 2))
        q = random_motion(rng, model, 4, scale=rng.uniform(0.3, 2.0))
        Q, _ = recursive.inverse_dynamics(model, q)
        routes = [forward_dynamics, mass_matrix_route] + [articulated.accelerations] * (mimics == 0)
        for route in routes:
            result = route(model, q[:2], Q)
            assert result.shape == (5, model.n)
            assert residual(model, np.concatenate([q[:2], result]), Q) < 1e-12


@pytest.mark.parametrize('name', ['our_panda', *FIVE])
def test_public_robots_fixed_and_flying(name):
    rng = np.random.default_rng(7)
    model, order = robot(name), 3
    q = random_motion(rng, model, order)
    Q, _ = recursive.inverse_dynamics(model, q)
    assert residual(model, np.concatenate([q[:2], forward_dynamics(model, q[:2], Q)]), Q) < 1e-12

    model, pose, twists = robot(name, base='free'), random_pose(rng), rng.standard_normal((order + 2, 6))
    if name == 'our_panda':         # a base without inertia of its own, turning about the axis of the first joint
        with pytest.raises(SingularityError, match="'panda_link0/3' moves no inertia of its own"):
            forward_dynamics(model, q[:2], Q, base=(pose, twists[0]))
        return
    Q, W = recursive.inverse_dynamics(model, q, base=(pose, twists))
    result, rates = forward_dynamics(model, q[:2], Q, base=(pose, twists[0]), base_wrench=W)
    again = np.concatenate([q[:2], result]), np.concatenate([twists[:1], rates])
    back = np.concatenate(recursive.inverse_dynamics(model, again[0], base=(pose, again[1])), axis=1)
    for given, got in zip(np.concatenate([Q, W], axis=1), back, strict=True):
        assert np.abs(got - given).max() < 1e-12 * np.abs(given).max()


def test_both_routes_agree_on_a_robot_with_joints_of_all_kinds():
    rng = np.random.default_rng(8)
    model = zoo(rng)
    q = random_motion(rng, model, 3)
    Q, _ = recursive.inverse_dynamics(model, q)
    for route in (forward_dynamics, mass_matrix_route, articulated.accelerations):
        result = route(model, q[:2], Q)
        np.testing.assert_allclose(result, q[2:], atol=1e-9 * np.abs(q).max())
        assert residual(model, np.concatenate([q[:2], result]), Q) < 1e-12


def test_order_0_is_pinocchios_aba():
    pytest.importorskip('pinocchio')
    import pinocchio as pin
    from pinocchio_peer import Peer
    rng = np.random.default_rng(9)
    model = random_tree(rng, 12)
    peer = Peer(model)
    q, Q = rng.uniform(-1, 1, (2, 12)), rng.uniform(-1, 1, (1, 12))
    expected = pin.aba(peer.model, peer.data, peer.vector(q[0]), peer.vector(q[1]), peer.vector(Q[0]))[peer.columns]
    np.testing.assert_allclose(forward_dynamics(model, q, Q)[0], expected, rtol=1e-9, atol=1e-9)
    at_rest, none = pin.rnea(peer.model, peer.data, peer.vector(q[0]), np.zeros(12), np.zeros(12)).copy(), np.zeros(12)
    for j, column in enumerate(mass_matrix(model, q[0])[0].T):
        unit = peer.vector(np.eye(12)[j])
        expected = (pin.rnea(peer.model, peer.data, peer.vector(q[0]), none, unit) - at_rest)[peer.columns]
        np.testing.assert_allclose(column, expected, atol=1e-11 * np.abs(at_rest).max())


def test_a_falling_pendulum_follows_its_closed_equations():
    """theta'' = -g/l sin(theta), differentiated by hand."""
    length, g = 0.7, 9.81
    model = RobotModel.from_screws([screws.revolute((0, 1, 0))], [np.eye(4)], [link_inertia(2.0, (0, 0, -length))])
    th, w = 0.4, 1.3
    a = -g / length * np.sin(th)
    jerk = -g / length * np.cos(th) * w
    snap = -g / length * (np.cos(th) * a - np.sin(th) * w**2)
    result = forward_dynamics(model, np.array([[th], [w]]), np.zeros((3, 1)))
    np.testing.assert_allclose(result[:, 0], [a, jerk, snap], rtol=1e-13)


@pytest.mark.parametrize('frame', ['link', 'world_aligned', 'world'])
@pytest.mark.parametrize('mimics', [0, 2])
def test_loads_on_links_push_the_joints(frame, mimics):
    rng = np.random.default_rng(10)
    model = random_tree(rng, 6, mimics=mimics)
    q, order = random_motion(rng, model, 3), 3
    wrenches = {'link4': LinkWrench(rng.standard_normal((order + 1, 6)), frame)}
    external = body_wrenches(model, q, wrenches)
    Q, _ = recursive.inverse_dynamics(model, q, external)
    result = forward_dynamics(model, q[:2], Q, wrenches=wrenches)
    again = np.concatenate([q[:2], result])
    assert residual(model, again, Q, body_wrenches(model, again, wrenches)) < 1e-12
    np.testing.assert_allclose(result, q[2:], atol=1e-8)


@pytest.mark.parametrize('mimics', [0, 2])
def test_free_base_moves_as_its_wrench_and_the_joints_forces_want(mimics):
    rng = np.random.default_rng(11)
    model = random_tree(rng, 6, base='free', mimics=mimics)
    order = 3
    q, pose, twists = random_motion(rng, model, order), random_pose(rng), rng.standard_normal((order + 2, 6))
    wrenches = {'base': LinkWrench(rng.standard_normal((order + 1, 6)), 'world')}
    external = body_wrenches(model, q, wrenches, (pose, twists))
    Q, W = recursive.inverse_dynamics(model, q, external, (pose, twists))
    result, base = forward_dynamics(model, q[:2], Q, wrenches=wrenches, base=(pose, twists[0]), base_wrench=W)
    np.testing.assert_allclose(result, q[2:], atol=1e-8)
    np.testing.assert_allclose(base, twists[1:], atol=1e-8)


def test_samples_are_answered_one_by_one():
    rng = np.random.default_rng(12)
    model = random_tree(rng, 4)
    q, Q = rng.standard_normal((3, 2, 4)), rng.standard_normal((3, 2, 4))
    together = forward_dynamics(model, q, Q)
    assert together.shape == (3, 2, 4)
    np.testing.assert_array_equal(together[1], forward_dynamics(model, q[1], Q[1]))


@pytest.mark.parametrize('base', ['fixed', 'free'])
def test_samples_have_loads_and_bases_of_their_own_or_share_them(base):
    rng = np.random.default_rng(14)
    model = random_tree(rng, 4, base=base)
    q, Q = rng.standard_normal((3, 2, 4)), rng.standard_normal((3, 2, 4))
    own, shared = LinkWrench(rng.standard_normal((3, 2, 6)), 'world'), rng.standard_normal((2, 6))
    wrenches = [('link2', own), ('link3', shared)]
    bases = {} if base == 'fixed' else {'base': (random_pose(rng), rng.standard_normal((3, 6)))}
    together = forward_dynamics(model, q, Q, wrenches=wrenches, **bases)
    for i in range(3):
        alone = {} if base == 'fixed' else {'base': (bases['base'][0], bases['base'][1][i])}
        mine = [('link2', LinkWrench(own.values[i], 'world')), ('link3', shared)]
        one = forward_dynamics(model, q[i], Q[i], wrenches=mine, **alone)
        for part, whole in ((one, together),) if base == 'fixed' else zip(one, together, strict=True):
            np.testing.assert_allclose(whole[i], part, rtol=0, atol=1e-13 * np.abs(part).max())
    with pytest.raises(InputError, match="'link2': its wrench has 3 samples, but q has 2"):
        forward_dynamics(model, q[:2], Q[:2], wrenches=wrenches, **(bases and {'base': (np.eye(4), np.zeros(6))}))


def test_wrong_input_is_refused_with_what_to_do():
    model = random_tree(np.random.default_rng(13), 3)
    with pytest.raises(InputError, match=r'q has the shape \(3, 3\); give \(2, 3\)'):
        forward_dynamics(model, np.zeros((3, 3)), np.zeros((1, 3)))
    with pytest.raises(InputError, match=r'Q has the shape \(1, 2\)'):
        forward_dynamics(model, np.zeros((2, 3)), np.zeros((1, 2)))
    with pytest.raises(InputError, match="Q is nan in row 0 of 'joint2'"):
        forward_dynamics(model, np.zeros((2, 3)), np.array([[0, np.nan, 0]]))
    with pytest.raises(InputError, match='fixed base'):
        forward_dynamics(model, np.zeros((2, 3)), np.zeros((1, 3)), base=(np.eye(4), np.zeros(6)))
    with pytest.raises(InputError, match='link .*link9'):
        forward_dynamics(model, np.zeros((2, 3)), np.zeros((1, 3)), wrenches={'link9': np.zeros((1, 6))})
    with pytest.raises(InputError, match="the motion is too large .* row 0 of 'joint1'"):
        forward_dynamics(model, np.full((2, 3), 1e200), np.zeros((2, 3)))


def with_a_point_of_mass_on_the_last_axis(rng, joints, mimic=None):
    """An arm whose last joint turns about an axis on which its only mass lies."""
    text = ''
    for i in range(1, joints + 1):
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        place, moment = (0.7 * axis, 0.0) if i == joints else (rng.uniform(-0.3, 0.3, 3), 0.1)
        text += (
            f'<link name="l{i}"><inertial><origin xyz="{" ".join(map(repr, place.tolist()))}"/><mass value="1"/><inertia ixx="{moment}" '
            f'iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j{i}" type="continuous">'
            f'<parent link="l{i - 1}"/><child link="l{i}"/><origin xyz="0.4 0.1 0.2" rpy="0.3 0.2 0.1"/>'
            f'<axis xyz="{" ".join(map(repr, axis.tolist()))}"/>{mimic if i == 2 and mimic else ""}</joint>')
    return RobotModel.from_urdf(f'<robot name="arm"><link name="l0"/>{text}</robot>')


@pytest.mark.parametrize('seed', range(20))
@pytest.mark.parametrize('mimic', [None, '<mimic joint="j1" multiplier="-1.7"/>'])
def test_a_mass_matrix_that_is_singular_to_rounding_is_refused_on_every_way(seed, mimic):
    rng = np.random.default_rng(seed)
    model = with_a_point_of_mass_on_the_last_axis(rng, 4, mimic)
    q, Q = rng.standard_normal((2, model.n)), rng.standard_normal((1, model.n))
    for run in (
            lambda: forward_dynamics(model, q, Q),
            lambda: forward_dynamics(model, q[None], Q[None]),
            lambda: forward_dynamics(model, q, Q, wrenches={'l1': np.ones((1, 6))}),
            lambda: mass_matrix_route(model, q, Q),
            lambda: forward_dynamics_derivatives(model, q, Q[0])):
        with pytest.raises(SingularityError, match="'j4' moves no inertia of its own"):
            run()
    moving = model.replace(armature=np.where(np.arange(model.n) == model.n - 1, 1e-6, 0.0))
    rows = forward_dynamics(moving, q, Q)
    np.testing.assert_allclose(inverse_dynamics(moving, np.concatenate([q, rows])), Q, rtol=1e-9, atol=1e-9)


def test_a_singular_mass_matrix_of_exact_numbers_is_refused():
    model = multiprecision(RobotModel.from_screws(
        [screws.revolute((0, 1, 0)), screws.revolute((0, 0, 1))], [np.eye(4)] * 2,
        [link_inertia(2.0, (0, 0, -0.7)), link_inertia(1.0, (0, 0, -0.7))]))
    q = np.array([[mpmath.mpf(1) / 3, mpmath.mpf(1) / 6]] * 2)
    for run in (lambda: forward_dynamics(model, q, q), lambda: forward_dynamics_derivatives(model, q, q[0])):
        with pytest.raises(SingularityError, match="'joint2' moves no inertia of its own"):
            run()


def test_a_joint_that_moves_no_inertia_of_its_own_is_named():
    """Two equal axes: how they share the acceleration is open."""
    z = screws.revolute((0, 0, 1))
    model = RobotModel.from_screws([z, z], [np.eye(4)] * 2, [None, link_inertia(1.0, (0.3, 0, 0))])
    with pytest.raises(SingularityError, match="'joint1'"):
        forward_dynamics(model, np.zeros((2, 2)), np.ones((1, 2)))
