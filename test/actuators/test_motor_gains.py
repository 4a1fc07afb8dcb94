# SPDX-License-Identifier: Apache-2.0
"""Gains that mean what they say on every joint, and the delay that the loop bears: against the eigenvalues of the closed loop itself."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

from hod_ros import Antagonistic
from hod_ros import HyperbolicSineSpring
from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import delay_margin
from hod_ros import dynamics_matrices
from hod_ros import example_robot
from hod_ros import motor_gains

K, GEAR, ROTOR = 3000.0, 100.0, 2e-5
B = ROTOR * GEAR**2
BANDWIDTH, DAMPING = 3.0, 0.7
W = 2 * math.pi * BANDWIDTH


@pytest.fixture(scope='module')
def panda():
    return RobotModel.from_urdf(example_robot('panda'))


@pytest.fixture(scope='module')
def drives(panda):
    return dict.fromkeys(panda.joint_names, SeriesElastic(stiffness=K, motor_inertia=ROTOR, gear_ratio=GEAR))


def postures(panda, count=4):
    low, high = panda.position_limits.T
    return np.random.default_rng(3).uniform(low, high, (count, panda.n))


def open_loop(panda, q, damping=0.0):
    """(A, B) of x' = A x + B u, x = (q, theta, q', theta') about a posture, u the motors' torques on the joints' side."""
    n, one, Z = panda.n, np.eye(panda.n), np.zeros((panda.n, panda.n))
    inverse = np.linalg.inv(dynamics_matrices(panda, np.stack([q, 0 * q])).M[0])
    A = np.block([
        [Z, Z, one, Z], [Z, Z, Z, one], [-K * inverse, K * inverse, -damping * inverse, damping * inverse],
        [K / B * one, -K / B * one, damping / B * one, -damping / B * one]])
    return A, np.concatenate([np.zeros((3 * n, n)), one / B])


def of_joints(gains):
    return [GEAR**2 * part for part in gains]


def test_every_joint_has_the_bandwidth_and_the_damping_asked_for(panda, drives):
    wanted = W * complex(-DAMPING, math.sqrt(1 - DAMPING**2))
    for q in postures(panda):
        P, D = of_joints(motor_gains(panda, drives, q, bandwidth=BANDWIDTH, damping=DAMPING))
        A, inputs = open_loop(panda, q)
        poles = np.linalg.eigvals(A - inputs @ np.hstack([0 * P, P, 0 * D, D]))
        near = np.abs(poles - wanted) < 1e-4 * W
        assert near.sum() == panda.n
        others = poles[(~near) & (np.abs(poles - wanted.conjugate()) > 1e-4 * W)]
        slow = np.abs(others) < 2 * W
        assert (others.real < 0).all() and (others[slow].real < -0.5 * DAMPING * W).all()


def test_gains_of_rigid_joints_are_those_of_their_inertia(panda):
    q = postures(panda)[0]
    M = dynamics_matrices(panda, np.stack([q, 0 * q])).M[0]
    P, D = motor_gains(panda, {}, q, bandwidth=BANDWIDTH, damping=DAMPING)
    np.testing.assert_allclose(P, W**2 * M, atol=1e-9 * np.abs(W**2 * M).max())
    np.testing.assert_allclose(D, 2 * DAMPING * W * M, atol=1e-9 * np.abs(W * M).max())


def largest_pole(A, inputs, P, D, delay, step):
    """Of the loop with a delay, sampled so quickly that the sampling is nothing: |z| of the slowest of its modes."""
    n = len(P)
    both = expm(np.block([[A, inputs], [np.zeros((n, 5 * n))]]) * step)
    F, G, steps = both[:4 * n, :4 * n], both[:4 * n, 4 * n:], round(delay / step)
    size = 4 * n + n * steps
    loop = np.zeros((size, size))
    loop[:4 * n, :4 * n] = F
    feedback = -np.hstack([0 * P, P, 0 * D, D])
    loop[:4 * n, 4 * n:5 * n] = G                       # the oldest torque acts
    loop[4 * n:-n, 5 * n:] = np.eye(n * (steps - 1))
    loop[-n:, :4 * n] = feedback
    return np.abs(np.linalg.eigvals(loop)).max()


@pytest.mark.parametrize('damping', [0.0, 2.0])
def test_the_delay_margin_is_where_the_sampled_loop_becomes_unstable(panda, damping):
    drives = dict.fromkeys(panda.joint_names, SeriesElastic(
        stiffness=K, motor_inertia=ROTOR, gear_ratio=GEAR, damping=damping, damping_terms=1 if damping else None))
    q, step = postures(panda)[1], 1e-4
    gains = motor_gains(panda, drives, q, bandwidth=BANDWIDTH, damping=DAMPING)
    margin = delay_margin(panda, drives, q, *gains)
    A, inputs = open_loop(panda, q, damping)
    held = step / 2         # by which a torque acts later than it is made
    assert 5e-4 < margin < 2e-2
    assert largest_pole(A, inputs, *of_joints(gains), 0.93 * margin - held, step) <= 1 + 1e-9
    assert largest_pole(A, inputs, *of_joints(gains), 1.07 * margin - held + step, step) > 1 + 1e-7


def test_without_velocity_gains_no_delay_is_borne(panda, drives):
    assert delay_margin(panda, drives, np.zeros(7), np.eye(7), np.zeros((7, 7))) == 0.0


def test_motors_of_a_pair_share_their_joint(panda):
    pair = Antagonistic(spring=HyperbolicSineSpring(torque=2.0, rate=9.0), motor_inertia=0.05, stiffness=60.0)
    q = postures(panda)[0]
    P, D = motor_gains(panda, {'panda_joint7': pair}, q, bandwidth=BANDWIDTH, damping=DAMPING)
    inertia = 0.05 + 0.5 * dynamics_matrices(panda, np.stack([q, 0 * q])).M[0, 6, 6]
    assert P.shape == (8, 8) and P[6, 7] == 0.0
    np.testing.assert_allclose(np.diagonal(P)[6:], inertia * W**2)
    assert delay_margin(panda, {'panda_joint7': pair}, q, P, D) > 1e-4


@pytest.mark.parametrize(('change', 'text'), [
    ({'bandwidth': 8.0}, r"more than springs let motors do, of joint 'panda_joint\d' first; ask for \S+ Hz at most"),
    ({'bandwidth': 0.0}, 'bandwidth is 0'),
    ({'damping': 1.5}, 'damping is 1.5; give the damping ratio'),
    ({'q': np.zeros(3)}, 'q has'),
])
def test_bad_arguments_are_refused_with_a_sentence(panda, drives, change, text):
    arguments = {'q': np.zeros(7), 'bandwidth': BANDWIDTH, 'damping': DAMPING} | change
    with pytest.raises(InputError, match=text):
        motor_gains(panda, drives, **arguments)
