# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and Jacobians of links: against Pinocchio, and against differences in many digits."""

import numpy as np
import pytest
from high_precision import derivatives
from high_precision import multiprecision
from high_precision import taylor
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import FIVE
from robots import robot
from robots import robot_text

from hod_ros import forward_kinematics
from hod_ros import jacobian
from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.moving_frames import REPRESENTATIONS
from hod_ros.errors import InputError

pytestmark = pytest.mark.telling

LINKS = ('tool-1', 'tool0', 'tool9')


def with_tools(rng, joints, **options):
    model = random_tree(rng, joints, **options)
    tools = {f'tool{i}': (i, random_pose(rng)) for i in range(-1, len(model.bodies))}
    return model.replace(links=dict(model.links) | tools)


def close(value, expected, tolerance=1e-12):
    value, expected = np.asarray(value, float), np.asarray(expected, float)
    assert value.shape == expected.shape
    assert np.abs(value - expected).max() <= tolerance * max(np.abs(expected).max(), 1e-3)


class PinocchioCase:
    def __init__(self, joints=10):
        self.pin = pytest.importorskip('pinocchio')
        from pinocchio_peer import Peer
        rng = np.random.default_rng(20)
        self.model = with_tools(rng, joints)
        self.peer = Peer(self.model)
        self.q = random_motion(rng, self.model, 0)
        motion = [self.peer.vector(row) for row in self.q]
        self.pin.forwardKinematics(self.peer.model, self.peer.data, *motion)
        self.pin.computeJointJacobians(self.peer.model, self.peer.data, motion[0])
        self.pin.computeJointJacobiansTimeVariation(self.peer.model, self.peer.data, *motion[:2])
        self.pin.updateFramePlacements(self.peer.model, self.peer.data)
        self.frames = {'body': self.pin.LOCAL, 'spatial': self.pin.WORLD, 'world_aligned': self.pin.LOCAL_WORLD_ALIGNED}

    def ask(self, function, link, representation):
        return self.peer.angular_first(
            function(self.peer.model, self.peer.data, self.peer.frame(link), self.frames[representation]))


@pytest.fixture(scope='module')
def peer():
    return PinocchioCase()


@pytest.mark.parametrize('link', LINKS)
def test_poses_are_pinocchios(peer, link):
    expected = peer.peer.data.oMf[peer.peer.frame(link)].homogeneous
    close(forward_kinematics(peer.model, peer.q, link).pose, expected)


@pytest.mark.parametrize('link', LINKS)
@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_twists_are_pinocchios_velocities(peer, link, representation):
    twists = forward_kinematics(peer.model, peer.q, link, representation).twists
    close(twists[0], peer.ask(peer.pin.getFrameVelocity, link, representation))


@pytest.mark.parametrize('link', LINKS)
@pytest.mark.parametrize('representation', ['body', 'spatial'])
def test_body_and_spatial_derivatives_are_pinocchios_spatial_accelerations(peer, link, representation):
    twists = forward_kinematics(peer.model, peer.q, link, representation).twists
    close(twists[1], peer.ask(peer.pin.getFrameAcceleration, link, representation))


@pytest.mark.parametrize('link', LINKS)
def test_world_aligned_derivatives_are_pinocchios_classical_accelerations(peer, link):
    twists = forward_kinematics(peer.model, peer.q, link, 'world_aligned').twists
    close(twists[1], peer.ask(peer.pin.getFrameClassicalAcceleration, link, 'world_aligned'))


@pytest.mark.parametrize('link', LINKS)
@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_jacobians_and_their_rates_are_pinocchios(peer, link, representation):
    J = jacobian(peer.model, peer.q, link, representation)
    close(J[0], peer.ask(peer.pin.getFrameJacobian, link, representation)[:, peer.peer.columns])
    close(J[1], peer.ask(peer.pin.getFrameJacobianTimeVariation, link, representation)[:, peer.peer.columns])


@pytest.mark.parametrize('name', FIVE)
def test_all_links_of_public_robots_move_as_pinocchio_says(name):
    pin = pytest.importorskip('pinocchio')
    model, peer = robot(name), pin.buildModelFromXML(robot_text(name).decode())
    data, q = peer.createData(), random_motion(np.random.default_rng(3), model, 0)
    rows = np.zeros((3, peer.nv))
    for joint, column, multiplier, offset in zip(
            model.joints, model.coordinate, model.multiplier, model.offset, strict=True):
        index = peer.joints[peer.getJointId(joint)].idx_v
        rows[:, index] = multiplier * q[:, column] + np.array([offset, 0, 0])
    pin.forwardKinematics(peer, data, pin.integrate(peer, pin.neutral(peer), rows[0]), rows[1], rows[2])
    pin.updateFramePlacements(peer, data)
    for link in model.links:
        frame = peer.getFrameId(link, pin.FrameType.BODY)
        motion = forward_kinematics(model, q, link, 'world_aligned')
        velocity, acceleration = (
            np.roll(f(peer, data, frame, pin.LOCAL_WORLD_ALIGNED).vector, 3)
            for f in (pin.getFrameVelocity, pin.getFrameClassicalAcceleration))
        close(motion.pose, data.oMf[frame].homogeneous, 1e-11)
        close(motion.twists, [velocity, acceleration], 1e-11)


@pytest.mark.parametrize('representation', REPRESENTATIONS)
@pytest.mark.parametrize('link', ['tool-1', 'tool2', 'tool6'])
def test_rows_are_time_derivatives_up_to_the_sixth(link, representation):
    rng = np.random.default_rng(21)
    model = with_tools(rng, 5, shape='chain', kinds=('revolute', 'prismatic', 'helical'), mimics=2)
    q = random_motion(rng, model, 5)

    def at(t):
        now = taylor(q, t)[:2]
        return np.concatenate([
            forward_kinematics(model, now, link, representation).twists[0],
            jacobian(model, now[:1], link, representation).ravel()])

    twists = forward_kinematics(model, q, link, representation).twists
    J = jacobian(model, q, link, representation)[:7]
    for row, expected in zip(np.concatenate([twists, J.reshape(7, -1)], axis=1), derivatives(at, 7), strict=True):
        close(row, expected, 1e-11)


@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_twists_are_jacobians_times_rates_at_every_order(representation):
    rng = np.random.default_rng(22)
    for model in (with_tools(rng, 30, mimics=3), zoo(rng)):
        q = random_motion(rng, model, 4)
        for link in list(model.links)[::4]:
            twists = forward_kinematics(model, q, link, representation).twists
            J = jacobian(model, q, link, representation)
            close(twists, product(J[:-1], q[1:], apply))


def test_the_first_twists_say_how_the_pose_moves():
    rng = np.random.default_rng(23)
    model = with_tools(rng, 6, shape='chain')
    q = random_motion(rng, model, 0)
    poses = derivatives(lambda t: np.array(forward_kinematics(model, taylor(q, t)[:1], 'tool5').pose).ravel(), 2)
    C, rate = poses.reshape(2, 4, 4)
    V = {name: forward_kinematics(model, q, 'tool5', name).twists[0] for name in REPRESENTATIONS}
    body, spatial = lie.inverse(C) @ rate, rate @ lie.inverse(C)
    close(body[:3], np.c_[lie.skew(V['body'][:3]), V['body'][3:]])
    close(spatial[:3], np.c_[lie.skew(V['spatial'][:3]), V['spatial'][3:]])
    close(V['world_aligned'], np.r_[V['spatial'][:3], rate[:3, 3]])


@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_a_free_base_carries_its_links_along(representation):
    rng = np.random.default_rng(24)
    whole = with_tools(rng, 4, shape='chain')
    q = random_motion(rng, whole, 2)
    base = forward_kinematics(whole, q, 'link1')
    parts = {name: getattr(whole, name)[1:] for name in ('bodies', 'joints', 'multiplier', 'offset', 'B', 'X', 'M')}
    upper = type(whole)(
        name='upper', joint_names=whole.joint_names[1:], parent=whole.parent[1:] - 1,
        coordinate=whole.coordinate[1:] - 1, links={'tool3': (2, whole.links['tool3'][1])}, base='free', **parts)
    expected = forward_kinematics(whole, q, 'tool3', representation)
    moved = base.pose, base.twists
    got = forward_kinematics(upper, q[:, 1:], 'tool3', representation, base=moved)
    close(got.pose, expected.pose)
    close(got.twists, expected.twists)
    J = jacobian(upper, q[:, 1:], 'tool3', representation, base=moved)
    close(J, jacobian(whole, q, 'tool3', representation)[:, :, 1:])


@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_a_batch_equals_its_samples_one_by_one(representation):
    rng = np.random.default_rng(25)
    for model in (with_tools(rng, 7, mimics=1), zoo(rng)):
        q = random_motion(rng, model, 2, samples=3)
        link = list(model.links)[-1]
        motion, J = (f(model, q, link, representation) for f in (forward_kinematics, jacobian))
        for s in range(3):
            one = forward_kinematics(model, q[s], link, representation)
            close(motion.pose[s], one.pose)
            close(motion.twists[s], one.twists)
            close(J[s], jacobian(model, q[s], link, representation))


def test_multiprecision_numbers_pass_through():
    rng = np.random.default_rng(26)
    model = with_tools(rng, 3)
    q = random_motion(rng, model, 1)
    assert forward_kinematics(model, multiprecision(q), 'tool2', 'spatial').twists.dtype == object
    close(jacobian(model, multiprecision(q), 'tool2', 'spatial'), jacobian(model, q, 'tool2', 'spatial'))


@pytest.mark.parametrize('function', [forward_kinematics, jacobian])
@pytest.mark.parametrize(('arguments', 'words'), [
    ((np.zeros((2, 3)), 'hand'), ['hand', 'tool1']),
    ((np.zeros((2, 3)), 'tool1', 'local'), ["'local'", "'world_aligned'"]),
    ((np.zeros((2, 4)), 'tool1'), ['(2, 4)', '3']),
    ((np.zeros((5, 0, 3)), 'tool1'), ['(5, 0, 3)']),
    ((np.full((2, 3), np.inf), 'tool1'), ['inf', 'joint1']),
    (('home', 'tool1'), ['q', 'number']),
])
def test_bad_arguments_are_refused(function, arguments, words):
    model = with_tools(np.random.default_rng(1), 3)
    with pytest.raises(InputError) as error:
        function(model, *arguments)
    assert all(word in str(error.value) for word in words)
