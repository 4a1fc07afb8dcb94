# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from robots import robot_text

from hod_ros import InputError
from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import SingularityError
from hod_ros import cartesian_path
from hod_ros import forward_kinematics
from hod_ros import inverse_kinematics
from hod_ros import time_optimal

LINK = 'panda_link8'
START = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.5])


@pytest.fixture(scope='module')
def panda():
    return RobotModel.from_urdf(robot_text('our_panda'))


@pytest.fixture(scope='module')
def first(panda):
    return forward_kinematics(panda, START[None], LINK).pose


def turned(axis, angle):
    a = np.cross(np.eye(3), axis)
    return np.eye(3) - np.sin(angle) * a + (1 - np.cos(angle)) * a @ a


def moved(pose, shift, angle=0.0, axis=(0, 0, 1)):
    out = pose.copy()
    out[:3, :3] = turned(np.array(axis, dtype=float), angle) @ pose[:3, :3]
    out[:3, 3] += shift
    return out


def triangle(first):
    return [first, moved(first, [0.1, 0.2, 0.1], 0.5), moved(first, [-0.1, 0.3, 0.0], 0.7, (0.6, 0.0, 0.8)), first]


@pytest.fixture(scope='module')
def path(panda, first):
    return cartesian_path(panda, LINK, triangle(first), START)


def test_pinocchio_sees_the_link_on_straight_lines_through_the_poses(panda, first, path):
    pin = pytest.importorskip('pinocchio')
    from pinocchio_peer import Peer
    peer = Peer(panda)
    corners = [pose[:3, 3] for pose in triangle(first)]
    for i, s in enumerate(path.curve.parameters):
        pin.framesForwardKinematics(peer.model, peer.data, peer.vector(path.evaluate([s])[0, 0]))
        np.testing.assert_allclose(peer.data.oMf[peer.frame(LINK)].homogeneous, triangle(first)[i], atol=1e-9)
    for s in np.linspace(path.start, path.end, 200):
        pin.framesForwardKinematics(peer.model, peer.data, peer.vector(path.evaluate([s])[0, 0]))
        p = peer.data.oMf[peer.frame(LINK)].translation
        lines = [(b - a, p - a) for a, b in zip(corners[:-1], corners[1:], strict=True)]
        assert min(np.linalg.norm(offset - np.clip(offset @ line / (line @ line), 0, 1) * line) for line, offset in lines) < 1e-3 + 1e-9


def test_the_link_does_not_drift_from_the_curve_and_derivatives_agree_with_its_twists(panda, path):
    s = np.linspace(path.start, path.end, 1501)
    q = path.evaluate(s, 4)
    motion = forward_kinematics(panda, q, LINK, 'world_aligned')
    np.testing.assert_allclose(motion.pose, path.curve.poses(s), atol=2e-10)
    wanted = path.curve.twists(s, 4)
    for k in range(4):
        np.testing.assert_allclose(motion.twists[:, k], wanted[:, k], atol=1e-4 * np.abs(wanted[:, k]).max())
    assert path.deviation <= 1e-10


def test_derivatives_at_its_breaks_are_those_of_higher_order_inverse_kinematics(panda, path):
    s = path.breaks[3:-3:7]
    q, twists = path.evaluate(s, 4), path.curve.twists(s, 4)
    for x, V in zip(q, twists, strict=True):
        np.testing.assert_allclose(
            inverse_kinematics(panda, x[0], LINK, V, 'world_aligned', null_motion=x[1:])[1:], x[1:], rtol=1e-8, atol=1e-7 * np.abs(x).max())


def test_it_is_continuous_to_the_fourth_derivative_and_rests_at_its_ends(path):
    q = path.evaluate(np.linspace(path.start, path.end, 2001), 4)
    size = np.abs(q).max(axis=(0, 2))
    assert (np.abs(path.jumps(4)).max(axis=(0, 2)) < 1e-9 * size).all()
    assert (np.abs(q[[0, -1], 1:]).max(axis=(0, 2)) < 1e-9 * size[1:]).all()


def test_the_same_pose_finds_the_same_posture_again(path):
    np.testing.assert_allclose(path.evaluate([path.end])[0, 0], path.evaluate([path.start])[0, 0], atol=1e-10)


def test_of_all_postures_the_nearest_is_taken(panda, first):
    wanted = START + [0.3, 0.0, -0.3, 0.0, 0.0, 0.0, 0.0]
    weights = np.array([1.0, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0])
    path = cartesian_path(panda, LINK, triangle(first)[:2], START, posture=wanted, weights=weights)
    for s in np.linspace(path.start, path.end, 7):
        q = path.evaluate([s])[0, 0]
        J = forward_kinematics_jacobian(panda, q)
        along = np.linalg.svd(J)[2][-1]                 # the motion of the joints that leaves the link in place
        assert abs(along @ (weights * (q - wanted))) < 1e-8


def forward_kinematics_jacobian(model, q):
    rows = np.zeros((model.n, 2, model.n))
    rows[:, 0], rows[:, 1] = q, np.eye(model.n)
    return forward_kinematics(model, rows, LINK, 'world_aligned').twists[:, 0].T


def test_times_are_met(panda, first):
    times = [1.0, 2.5, 3.0, 5.0]
    path = cartesian_path(panda, LINK, triangle(first), START, times=times)
    assert (path.start, path.end) == (1.0, 5.0)
    np.testing.assert_allclose(forward_kinematics(panda, path.evaluate(times), LINK).pose, triangle(first), atol=1e-9)


def test_positions_alone_leave_the_orientation_free(panda, first):
    points = np.array([pose[:3, 3] for pose in triangle(first)])
    path = cartesian_path(panda, LINK, points, START)
    np.testing.assert_allclose(
        forward_kinematics(panda, path.evaluate(path.curve.parameters), LINK).pose[:, :3, 3], points, atol=1e-9)


def test_it_can_be_timed_optimally(panda, path):
    limits = Limits(velocity=panda.velocity_limits, effort=panda.effort_limits, effort_rate=1000.0)
    motion = time_optimal(panda, path, limits)
    assert max(share.max() for share in motion.certificate.usage.values()) <= 1 + 1e-9
    times = np.linspace(motion.start, motion.end, 300)
    np.testing.assert_allclose(
        forward_kinematics(panda, motion.evaluate(times), LINK).pose, path.curve.poses(motion.parameter(times)), atol=1e-9)


def test_singularities_are_named_with_their_place(panda, first):
    with pytest.raises(SingularityError, match=r"path at its parameter 0\.4\d+, between poses 0 and 1, comes too near to a singularity"):
        cartesian_path(panda, LINK, [first, moved(first, [0.9, 0.2, 0.1], 0.5)], START)


def test_a_wrist_that_would_pass_its_singularity_is_refused():
    model = RobotModel.from_urdf(robot_text('ur5_robot'))
    before = np.array([0, -1.0, 1.2, -1.5, -0.5, 0.3])
    after = before * [1, 1, 1, 1, -1, 1]
    poses = [forward_kinematics(model, q[None], 'tool0').pose for q in (before, after)]
    with pytest.raises(SingularityError, match='between poses 0 and 1, comes too near to a singularity .* turning about'):
        cartesian_path(model, 'tool0', poses, before)


def test_joint_limits_on_the_way_are_named(panda, first):
    with pytest.raises(InputError, match=r"joint 'panda_joint\d' would leave its limits .* between poses"):
        cartesian_path(panda, LINK, [first, moved(first, [0, 0, 0], 1.8), moved(first, [0, 0, 0], 3.4)], START)


def test_poses_that_say_nothing_clear_are_refused(panda, first):
    for poses, sentence in (
            ([first, first], r'poses\[0\] and poses\[1\] are the same'),
            ([first, moved(first, [0, 0, 0.1], np.pi)], r'poses\[1\] is turned by half a turn'),
            ([first, 2 * first], r'poses\[1\] is .* no pose'),
            ([first], 'two or more'),
            ([first, np.full((4, 4), np.nan)], 'no pose')):
        with pytest.raises(InputError, match=sentence):
            cartesian_path(panda, LINK, poses, START)
    with pytest.raises(InputError, match='link'):
        cartesian_path(panda, 'nowhere', [first, moved(first, [0, 0, 0.1])], START)


def test_more_poses_than_joints_are_led_along_are_refused_before_they_are(panda, first):
    places = np.tile(first[:3, 3], (20_002, 1))
    places[:, 0] += np.linspace(0, 0.1, len(places))
    with pytest.raises(InputError, match='poses holds 20002 poses, .* at most 20000'):
        cartesian_path(panda, LINK, places, START)
