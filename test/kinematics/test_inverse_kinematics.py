# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of any order from a link's twists, and of positions from its pose."""

import numpy as np
import pytest
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import robot

from hod_ros import RobotModel
from hod_ros import SingularityError
from hod_ros import forward_kinematics
from hod_ros import inverse_kinematics
from hod_ros import jacobian
from hod_ros import solve_pose
from hod_ros.algebra import lie
from hod_ros.algebra.moving_frames import REPRESENTATIONS
from hod_ros.errors import InputError


def arm(rng, joints, **options):
    model = random_tree(rng, joints, shape='chain', **options)
    return model.replace(links=dict(model.links) | {'tool': (len(model.bodies) - 1, random_pose(rng))})


def planar(joints):
    """Links of length 1 that turn about z."""
    zeros, inertia = np.zeros(joints), np.diag([0.1, 0.1, 0.1, 1.0, 1.0, 1.0])
    model = RobotModel.from_dh(np.r_[0, np.ones(joints - 1)], zeros, zeros, zeros, [inertia] * joints)
    return model.replace(links=dict(model.links) | {'tool': (joints - 1, lie.pose(np.eye(3), np.array([1.0, 0, 0])))})


def within(value, expected, tolerance):
    for row, (a, b) in enumerate(zip(value, expected, strict=True)):
        assert np.abs(a - b).max() <= tolerance * np.abs(b).max(), f'row {row}'


def well_posed(rng, joints, representation, limit, **options):
    while True:
        model = arm(rng, joints, **options)
        q = random_motion(rng, model, 2)
        if np.linalg.cond(jacobian(model, q[:1], 'tool', representation)[0]) < limit:
            return model, q


@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_a_square_arm_gets_its_own_joint_motion_back(representation):
    rng = np.random.default_rng(1)
    for _ in range(5):
        model, q = well_posed(rng, 6, representation, 1e2)
        twists = forward_kinematics(model, q, 'tool', representation).twists
        within(inverse_kinematics(model, q[0], 'tool', twists, representation), q, 1e-10)


@pytest.mark.parametrize('representation', REPRESENTATIONS)
@pytest.mark.parametrize(('joints', 'mimics'), [(7, 0), (9, 2), (12, 0)])
def test_a_redundant_arm_moves_its_link_as_asked_up_to_order_four(representation, joints, mimics):
    rng = np.random.default_rng([2, joints])
    for _ in range(5):
        model, q = well_posed(rng, joints, representation, 1e3, mimics=mimics)
        twists = forward_kinematics(model, q, 'tool', representation).twists
        got = inverse_kinematics(model, q[0], 'tool', twists, representation, max_condition=1e3)
        within(forward_kinematics(model, got, 'tool', representation).twists, twists, 1e-10)


def test_twists_that_no_joint_motion_made_are_met_to_rounding():
    """Against the size of J q^(k): near a singularity the higher derivatives of the joints grow as its powers."""
    rng = np.random.default_rng(17)
    for _ in range(5):
        model, q = well_posed(rng, 8, 'body', 1e3)
        twists = rng.standard_normal((4, 6))
        got = inverse_kinematics(model, q[0], 'tool', twists, max_condition=1e3)
        J = np.abs(jacobian(model, q[:1], 'tool')[0])
        missed = np.abs(forward_kinematics(model, got, 'tool').twists - twists).max(axis=1)
        assert (missed < 1e-13 * (J @ np.abs(got[1:, :, None]))[..., 0].max(axis=1)).all()


def test_of_all_motions_each_order_has_the_least_weighted_norm():
    rng = np.random.default_rng(3)
    model, q = well_posed(rng, 8, 'body', 1e2)
    weights = rng.uniform(0.5, 4.0, 8)
    twists = rng.standard_normal((4, 6))
    for w, chosen in ((np.ones(8), None), (weights, weights)):
        got = inverse_kinematics(model, q[0], 'tool', twists, weights=chosen)
        null = np.linalg.svd(jacobian(model, q[:1], 'tool')[0])[2][6:]
        assert np.abs(null @ (w * got[1:]).T).max() < 1e-10 * np.abs(got).max()


def test_a_null_motion_fills_the_freedom_and_leaves_the_link_alone():
    rng = np.random.default_rng(4)
    model, q = well_posed(rng, 8, 'body', 1e2)
    twists = forward_kinematics(model, q, 'tool').twists
    same = inverse_kinematics(model, q[0], 'tool', twists, null_motion=q[1:])
    within(same, q, 1e-10)
    wanted = rng.standard_normal((4, 8))
    moved = inverse_kinematics(model, q[0], 'tool', np.zeros((4, 6)), null_motion=wanted)
    assert np.abs(moved[1:]).max() > 0.1
    reached = forward_kinematics(model, moved, 'tool').twists
    assert np.abs(reached).max() < 1e-10 * np.abs(moved).max()
    null = np.linalg.svd(jacobian(model, q[:1], 'tool')[0])[2][6:]
    assert np.abs(null @ (moved[1:] - wanted).T).max() < 1e-10 * np.abs(moved).max()


def test_prescribed_joints_keep_their_motion_and_the_others_do_the_rest():
    rng = np.random.default_rng(5)
    model, q = well_posed(rng, 8, 'spatial', 1e2)
    twists = forward_kinematics(model, q, 'tool', 'spatial').twists
    prescribed = {'joint3': q[1:, 2], 'joint6': q[1:, 5]}
    got = inverse_kinematics(model, q[0], 'tool', twists, 'spatial', prescribed=prescribed)
    assert np.array_equal(got[:, [2, 5]], q[:, [2, 5]])
    within(got, q, 1e-9)


@pytest.mark.parametrize('representation', REPRESENTATIONS)
def test_some_components_only(representation):
    rng = np.random.default_rng(6)
    model, q = well_posed(rng, 4, representation, 1e2, kinds=('revolute',))
    twists = rng.standard_normal((4, 3))
    got = inverse_kinematics(model, q[0], 'tool', twists, representation, components=(3, 4, 5))
    within(forward_kinematics(model, got, 'tool', representation).twists[:, 3:], twists, 1e-10)


def test_a_planar_arm_of_two_joints_follows_a_point():
    model = planar(2)
    q = np.array([[0.3, 1.1], [0.5, -0.4], [0.2, 0.9], [-1.0, 0.6], [0.1, 0.2]])
    twists = forward_kinematics(model, q, 'tool', 'world_aligned').twists
    got = inverse_kinematics(model, q[0], 'tool', twists[:, 3:5], 'world_aligned', components=(3, 4))
    within(got, q, 1e-12)


def test_an_arm_of_few_joints_follows_what_it_can_and_refuses_the_rest():
    rng = np.random.default_rng(7)
    model, q = well_posed(rng, 4, 'body', 1e2)
    twists = forward_kinematics(model, q, 'tool').twists
    within(inverse_kinematics(model, q[0], 'tool', twists), q, 1e-10)
    with pytest.raises(SingularityError, match='tool.*cannot move'):
        inverse_kinematics(model, q[0], 'tool', twists + rng.standard_normal(twists.shape))


def test_a_singularity_is_named_with_the_condition_number():
    model = planar(2)
    for stretch, number in ((1e-9, r'e\+0[89]'), (0.0, 'inf')):
        with pytest.raises(SingularityError, match=f'tool.*condition number.*{number}.*damping'):
            inverse_kinematics(
                model, [0.2, stretch], 'tool', np.ones((2, 2)), 'world_aligned', components=(3, 4))


def test_damping_bounds_the_rates_at_a_singularity_and_solves_the_damped_problem():
    model, components = planar(3), (3, 4, 2)
    q, twists = np.array([0.2, 1e-7, -1e-7]), np.array([[1.0, -0.5, 0.3]])
    got = inverse_kinematics(
        model, q, 'tool', twists, 'world_aligned', components=components, damping=0.05)
    J = jacobian(model, q[None], 'tool', 'world_aligned')[0][list(components)]
    expected = np.linalg.solve(J.T @ J + 0.05 ** 2 * np.eye(3), J.T @ twists[0])
    assert np.abs(got[1] - expected).max() < 1e-10 * np.abs(expected).max()
    assert np.abs(got[1]).max() < 20


def test_a_free_base_is_taken_along():
    rng = np.random.default_rng(8)
    model, q = well_posed(rng, 6, 'body', 1e2, base='free')
    base = random_pose(rng), rng.standard_normal((4, 6))
    for representation in REPRESENTATIONS:
        twists = forward_kinematics(model, q, 'tool', representation, base=base).twists
        within(inverse_kinematics(model, q[0], 'tool', twists, representation, base=base), q, 1e-9)


def test_joints_of_several_axes_get_their_quasi_velocities():
    rng = np.random.default_rng(9)
    model = zoo(rng, ('free', 'revolute', 'spherical'))
    link = model.bodies[-1]
    q = random_motion(rng, model, 1)
    twists = forward_kinematics(model, q, link).twists
    got = inverse_kinematics(model, q[0], link, twists, null_motion=q[1:], max_condition=1e9)
    within(got, q, 1e-7)


@pytest.mark.parametrize(('arguments', 'options', 'words'), [
    ((np.zeros(3), 'tool', np.zeros((2, 6))), {}, ['q', '(3,)', '7']),
    ((np.zeros(7), 'hand', np.zeros((2, 6))), {}, ['hand', 'tool']),
    ((np.zeros(7), 'tool', np.zeros((2, 5))), {}, ['twists', '(2, 5)', '6']),
    ((np.zeros(7), 'tool', np.zeros((0, 6))), {}, ['twists', '(0, 6)']),
    ((np.zeros(7), 'tool', np.full((2, 6), np.nan)), {}, ['twists', 'nan', 'row 0']),
    ((np.zeros(7), 'tool', np.zeros((2, 6)), 'local'), {}, ['local', 'world_aligned']),
    ((np.zeros(7), 'tool', np.zeros((2, 6))), {'components': (0, 0)}, ['components', '(0, 0)']),
    ((np.zeros(7), 'tool', np.zeros((2, 6))), {'components': 5}, ['components', '5']),
    ((np.zeros(7), 'tool', np.zeros((2, 6))), {'weights': [1, 1, 0, 1, 1, 1, 1]}, ['weights', '0.0', 'joint3']),
    ((np.zeros(7), 'tool', np.zeros((2, 6))), {'null_motion': np.zeros((1, 7))}, ['null_motion', '(1, 7)', '2 rows']),
    ((np.zeros(7), 'tool', np.zeros((2, 6))), {'prescribed': {'elbow': [0, 0]}}, ['elbow', 'joint7']),
    ((np.zeros(7), 'tool', np.zeros((2, 6))), {'prescribed': {'joint1': [0]}}, ['joint1', '2 rows']),
    ((np.zeros(7), 'tool', np.zeros((2, 6))), {'damping': -1.0}, ['damping', '-1.0']),
])
def test_bad_arguments_are_refused(arguments, options, words):
    with pytest.raises(InputError) as error:
        inverse_kinematics(arm(np.random.default_rng(1), 7), *arguments, **options)
    assert all(word in str(error.value) for word in words)


@pytest.mark.parametrize('mimics', [0, 2])
@pytest.mark.parametrize('joints', [6, 7, 10])
def test_newton_finds_a_near_pose_and_reports_its_convergence(joints, mimics):
    rng = np.random.default_rng([10, joints, mimics])
    for _ in range(10):
        model = arm(rng, joints, mimics=mimics)
        goal = rng.uniform(-1, 1, joints)
        pose = forward_kinematics(model, goal[None], 'tool').pose
        solution = solve_pose(model, 'tool', pose, goal + rng.uniform(-0.2, 0.2, joints))
        assert solution.converged and solution.residual <= 1e-12 and solution.iterations < 60
        reached = forward_kinematics(model, solution.q[None], 'tool').pose
        assert np.abs(reached - pose).max() < 1e-12
        condition = np.linalg.cond(jacobian(model, solution.q[None], 'tool')[0])
        assert np.isclose(solution.condition, condition, rtol=1e-6) if condition < 1e9 else solution.condition > 1e8


def test_newton_converges_quadratically_near_the_solution():
    rng = np.random.default_rng(11)
    model, q = well_posed(rng, 6, 'body', 50, kinds=('revolute',))
    pose = forward_kinematics(model, q[:1], 'tool').pose
    solution = solve_pose(model, 'tool', pose, q[0] + 1e-3)
    assert solution.iterations <= 4
    assert np.abs(solution.q - q[0]).max() < 1e-10


def test_a_solved_pose_needs_no_iteration():
    model = arm(np.random.default_rng(12), 7)
    q = np.full(7, 0.3)
    solution = solve_pose(model, 'tool', forward_kinematics(model, q[None], 'tool').pose, q)
    assert solution.iterations == 0 and np.array_equal(solution.q, q)


def test_the_position_alone_may_be_asked_for():
    rng = np.random.default_rng(13)
    model = robot('ur5_robot')
    start = rng.uniform(-1, 1, model.n)
    pose = forward_kinematics(model, rng.uniform(-1, 1, (1, model.n)), model.bodies[-1]).pose
    solution = solve_pose(model, model.bodies[-1], pose, start, components=(3, 4, 5))
    reached = forward_kinematics(model, solution.q[None], model.bodies[-1]).pose
    assert np.abs(reached[:3, 3] - pose[:3, 3]).max() < 1e-12


def test_poses_of_arms_with_joints_of_several_axes_are_found():
    rng = np.random.default_rng(14)
    arms = ('spherical', 'prismatic', 'spherical'), ('free', 'revolute'), ('cylindrical', 'planar', 'spherical')
    for kinds in arms:
        model = zoo(rng, kinds)
        link = model.bodies[-1]
        goal = rng.uniform(-1, 1, model.n)
        pose = forward_kinematics(model, goal[None], link).pose
        solution = solve_pose(model, link, pose, goal + rng.uniform(-0.3, 0.3, model.n))
        assert np.abs(forward_kinematics(model, solution.q[None], link).pose - pose).max() < 1e-12


def test_a_base_elsewhere_moves_the_goal():
    rng = np.random.default_rng(15)
    fixed, base = arm(rng, 7), random_pose(rng)
    goal = rng.uniform(-1, 1, 7)
    pose = base @ forward_kinematics(fixed, goal[None], 'tool').pose
    solution = solve_pose(fixed.replace(base='free'), 'tool', pose, goal + 0.1, base=base)
    assert np.abs(base @ forward_kinematics(fixed, solution.q[None], 'tool').pose - pose).max() < 1e-12


def test_an_unreachable_pose_is_never_called_solved():
    model = planar(3)
    far = lie.pose(np.eye(3), np.array([5.0, 0.0, 0.0]))
    with pytest.raises(SingularityError, match='tool.*iterations.*error of.*condition number'):
        solve_pose(model, 'tool', far, [0.1, 0.2, 0.3])
    last = solve_pose(model, 'tool', far, [0.1, 0.2, 0.3], required=False)
    assert not last.converged and last.residual > 1.0 and last.iterations > 0


def test_position_limits_are_judged():
    model = planar(2)
    limited = model.replace(position_limits=[[-0.1, 0.1], [-3.0, 3.0]])
    goal = forward_kinematics(model, np.array([[0.5, 1.0]]), 'tool').pose
    for robot_model, within_limits in ((model, True), (limited, False)):
        solution = solve_pose(robot_model, 'tool', goal, [0.4, 0.9])
        assert solution.within_limits is within_limits


def test_solutions_within_the_limits_are_found_from_anywhere_by_further_attempts():
    model = robot('our_panda')
    rng = np.random.default_rng(18)
    lower, upper = model.position_limits.T
    link = 'panda_link7'
    for _ in range(5):
        goal, start = rng.uniform(lower, upper), rng.uniform(lower, upper)
        pose = forward_kinematics(model, goal[None], link).pose
        solution = solve_pose(model, link, pose, start, respect_limits=True, attempts=50)
        assert solution.within_limits and (lower <= solution.q).all() and (solution.q <= upper).all()
        assert np.abs(forward_kinematics(model, solution.q[None], link).pose - pose).max() < 1e-12
        again = solve_pose(model, link, pose, start, respect_limits=True, attempts=50)
        assert np.array_equal(again.q, solution.q) and again.iterations == solution.iterations


def test_joints_at_their_limits_stay_there_while_the_others_move_on():
    model = planar(3).replace(position_limits=[[-0.5, 0.5], [-3.0, 3.0], [-3.0, 3.0]])
    goal = np.array([0.5, 1.0, 0.4])
    pose = forward_kinematics(model, goal[None], 'tool').pose
    solution = solve_pose(model, 'tool', pose, [0.5, 0.8, 0.7], components=(3, 4), respect_limits=True)
    assert solution.within_limits
    reached = forward_kinematics(model, solution.q[None], 'tool').pose
    assert np.abs(reached[:3, 3] - pose[:3, 3]).max() < 1e-12


@pytest.mark.parametrize(('options', 'words'), [
    ({'attempts': 0}, ['attempts', '0']),
    ({'max_iterations': 2.5}, ['max_iterations', '2.5']),
])
def test_counts_below_one_are_refused(options, words):
    with pytest.raises(InputError) as error:
        solve_pose(planar(3), 'tool', np.eye(4), np.zeros(3), **options)
    assert all(word in str(error.value) for word in words)


@pytest.mark.parametrize(('pose', 'start', 'words'), [
    (np.eye(3), np.zeros(7), ['pose', '(3, 3)']),
    (np.full((4, 4), np.nan), np.zeros(7), ['pose', 'finite']),
    (np.diag([1, 1, 2, 1]), np.zeros(7), ['pose', 'rotation']),
    (np.eye(4), np.zeros(3), ['start', '(3,)']),
])
def test_bad_poses_and_starts_are_refused(pose, start, words):
    with pytest.raises(InputError) as error:
        solve_pose(arm(np.random.default_rng(1), 7), 'tool', pose, start)
    assert all(word in str(error.value) for word in words)


def test_log_is_the_inverse_of_the_exponential_up_to_half_a_turn():
    rng = np.random.default_rng(16)
    for angle in (0.0, 1e-12, 1e-8, 1e-5, 1e-3, 0.5, 2.0, 2.2, 3.0, np.pi - 1e-6):
        xi = rng.standard_normal(6)
        xi[:3] *= angle / np.linalg.norm(xi[:3])
        assert np.abs(lie.log(lie.exp_twist(xi)) - xi).max() < 1e-13 * max(1, 1e-2 / (np.pi - angle))
    half_turn = lie.exp_twist(np.r_[np.pi, 0, 0, 1, 2, 3])
    assert np.abs(lie.exp_twist(lie.log(half_turn)) - half_turn).max() < 1e-14
