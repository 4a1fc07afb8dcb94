# SPDX-License-Identifier: Apache-2.0
"""Rotors that spin on moving links, against Pinocchio's model of the same robot with every rotor as a body of its own."""

import numpy as np
import pytest
from robots import robot

from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import DampingFilter
from hod_ros import ExponentialSpring
from hod_ros import FeedbackLinearisation
from hod_ros import HardeningSpring
from hod_ros import HodError
from hod_ros import PreparedDrives
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros import drives_from_urdf
from hod_ros import motor_feedforward
from hod_ros import with_payload

LINKS = [f'panda_link{i}' for i in range(7)]            # of them link i carries joint i + 1


@pytest.fixture(scope='module')
def arm():
    """A Panda with the inertia of large rotors in its links."""
    model = robot('our_panda')
    for link in LINKS[1:]:
        model = with_payload(model, link, mass=0.5, center=(0.0, 0.0, 0.0), inertia=np.diag([0.21, 0.21, 0.21]))
    return model


def drives_of(arm, gear, kind=SeriesElastic, links=LINKS, **figures):
    """Drives of seven joints whose rotors, at the joint's side, have 0.2 kg m^2."""
    figures = {'stiffness': 3000.0, **figures}
    return {joint: kind(motor_inertia=0.2 / gear**2, gear_ratio=gear, motor_link=link, **figures)
            for joint, link in zip(arm.joint_names, links, strict=True)}


def motion(t, rows):
    phase = 2 * np.asarray(t, float)[..., None] + 0.7 * np.arange(7)
    return np.stack([0.4 * 2.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(rows)], axis=-2)


class WithRotors:
    """The robot with all its rotors, in Pinocchio."""

    def __init__(self, prepared):
        pin = pytest.importorskip('pinocchio')
        from pinocchio_peer import Peer
        self.pin, peer, model = pin, Peer(prepared.model), prepared.model
        self.model = peer.model
        self.links = peer.columns
        rotors = []
        for rotor in prepared.rotors.rotors:
            upstream = self.model.getJointId(model.joints[rotor.body])
            held = self.model.inertias[upstream]
            spin = rotor.inertia * np.outer(rotor.axis, rotor.axis)
            self.model.inertias[upstream] = pin.Inertia(held.mass, held.lever, held.inertia - spin)
            joint = self.model.addJoint(upstream, pin.JointModelRevoluteUnaligned(rotor.axis), pin.SE3.Identity(), f'rotor {rotor.motor}')
            self.model.appendBodyToJoint(joint, pin.Inertia(0.0, np.zeros(3), spin), pin.SE3.Identity())
            rotors.append(self.model.joints[joint].idx_v)
        self.rotors = np.array(rotors)
        self.motors = [rotor.motor for rotor in prepared.rotors.rotors]
        self.data = self.model.createData()

    def torques(self, q, theta):
        """What the joints take (n,) and what the rotors take (rotors,), for rows of positions, velocities and accelerations."""
        rows = np.zeros((3, self.model.nv))
        rows[:, self.links], rows[:, self.rotors] = q[:3], theta[:3, self.motors]
        taken = self.pin.rnea(self.model, self.data, *rows)
        return taken[self.links], taken[self.rotors]


@pytest.mark.parametrize('gear', [1.0, 10.0, -50.0, 100.0])
def test_the_exact_form_solves_the_equations_of_all_bodies(arm, gear):
    prepared = PreparedDrives(arm, drives_of(arm, gear), coupling='exact')
    assert prepared.rows == 5 + 2 * 6
    peer = WithRotors(prepared)
    for t in (0.3, 1.1):
        q = motion(t, prepared.rows)
        m = motor_feedforward(arm, prepared, q)
        joints, rotors = peer.torques(q, m.motion)
        np.testing.assert_allclose(3000.0 * (m.positions / gear - q[0]), joints, atol=1e-10 * np.abs(joints).max())
        np.testing.assert_allclose((m.efforts - m.Q[0] / gear)[peer.motors], rotors, atol=1e-10 * np.abs(rotors).max())


def test_derivatives_of_the_exact_form_are_those_of_its_torques(arm):
    prepared, h = PreparedDrives(arm, drives_of(arm, 2.0), coupling='exact'), 0.02
    peer = WithRotors(prepared)
    times = 0.4 + h * np.arange(-4, 5)
    m = motor_feedforward(arm, prepared, motion(times, prepared.rows))
    Q = np.array([peer.torques(motion(t, 3), theta)[0] for t, theta in zip(times, m.motion, strict=True)])
    rate = np.array([3, -32, 168, -672, 0, 672, -168, 32, -3]) @ Q / (840 * h)
    acceleration = np.array([-9, 128, -1008, 8064, -14350, 8064, -1008, 128, -9]) @ Q / (5040 * h * h)
    np.testing.assert_allclose(m.Q[4, 1], rate, atol=1e-8 * np.abs(rate).max())
    np.testing.assert_allclose(m.Q[4, 2], acceleration, atol=1e-7 * np.abs(acceleration).max())


@pytest.mark.parametrize('gear', [1.0, 10.0])
def test_the_five_row_form_solves_them_with_stiff_springs_and_rigid_gears_exactly(arm, gear):
    soft = {}
    for kind, figures in ((Rigid, None), (SeriesElastic, 3e3), (SeriesElastic, 3e5)):
        options = {} if figures is None else {'stiffness': figures}
        drives = {joint: kind(motor_inertia=0.2 / gear**2, gear_ratio=gear, motor_link=link, **options)
                  for joint, link in zip(arm.joint_names, LINKS, strict=True)}
        prepared = PreparedDrives(arm, drives)
        assert prepared.rows == 5
        q = motion(0.3, 5)
        m = motor_feedforward(arm, prepared, q)
        joints, rotors = WithRotors(prepared).torques(q, m.motion)
        soft[figures] = np.abs(m.Q[0] - joints).max() / np.abs(joints).max()
    assert soft[None] <= 1e-13
    assert soft[3e5] <= 0.02 * soft[3e3]
    assert soft[3e3] <= 1e-2


def test_a_batch_is_its_samples_and_more_rows_are_more_derivatives(arm):
    for coupling, rows in (('five_rows', 6), ('exact', 17)):
        prepared = PreparedDrives(arm, drives_of(arm, 3.0), coupling=coupling)
        q = motion(np.array([0.1, 0.5, 0.9]), rows)
        many = motor_feedforward(arm, prepared, q)
        for i, one in enumerate(q):
            single = motor_feedforward(arm, prepared, one)
            np.testing.assert_allclose(many.motion[i], single.motion, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(many.torques[i], single.torques, rtol=1e-11, atol=1e-11)


def test_springs_of_other_kinds_are_coupled_too(arm):
    pair = ExponentialSpring(torque=2.0, rate=20.0)
    names = arm.joint_names
    drives = drives_of(arm, 4.0)
    figures = {'motor_inertia': 0.0125, 'gear_ratio': 4.0}
    drives[names[6]] = HardeningSpring(stiffness=900.0, cubic=1e5, motor_link=LINKS[6], **figures)
    drives[names[5]] = Antagonistic(spring=pair, stiffness=3000.0, motor_link=LINKS[5], motor_inertia=0.004, gear_ratio=(4.0, 3.0))
    drives[names[4]] = AdjustableStiffness(stiffness=800.0, motor_link=LINKS[4], **figures)
    drives[names[3]] = SeriesElastic(stiffness=3000.0, damping=1.0, damping_terms=1, motor_link=LINKS[3], **figures)
    prepared = PreparedDrives(arm, drives, coupling='exact')
    assert prepared.rows == 6 + 3 * 6
    q = motion(0.3, prepared.rows)
    m = motor_feedforward(arm, prepared, q)
    joints, rotors = WithRotors(prepared).torques(q, m.motion)
    np.testing.assert_allclose(m.Q[0], joints, atol=1e-10 * np.abs(joints).max())


def test_motors_at_the_base_and_links_left_out_are_spongs_model(arm):
    q = motion(0.3, 5)
    spong = {joint: SeriesElastic(stiffness=3000.0, motor_inertia=0.002, gear_ratio=10.0) for joint in arm.joint_names}
    at_base = drives_of(arm, 10.0, links=['panda_link0'] * 7)
    np.testing.assert_array_equal(motor_feedforward(arm, spong, q).efforts, motor_feedforward(arm, at_base, q).efforts)
    coupled = motor_feedforward(arm, drives_of(arm, 10.0), q)
    assert np.abs(coupled.efforts - motor_feedforward(arm, spong, q).efforts).max() > 1e-3


def test_a_filter_of_dampers_sees_the_coupled_torques(arm):
    drives = drives_of(arm, 5.0, damping=12.0)
    advance = DampingFilter(arm, drives, step=1e-3)
    plain = PreparedDrives(arm, drives_of(arm, 5.0))
    for t in 1e-3 * np.arange(300):
        m = advance(motion(t, 5))
    Q = plain._with_rotors(motion(t, 5), np.zeros((3, 7)))[1] + m.Q * 0
    np.testing.assert_allclose(m.Q, motor_feedforward(arm, plain, motion(t, 5)).Q, rtol=1e-12, atol=1e-12)
    assert np.abs(Q).max() > 0.01


def test_the_tag_says_where_a_motor_sits(arm):
    text = ('<robot name="r"><link name="a"/><link name="b"/><joint name="panda_joint2" type="fixed"><parent link="a"/><child link="b"/>'
            '</joint><hod_elastic joint="panda_joint2" type="series_elastic" stiffness="3000" motor_inertia="2e-5" gear_ratio="100" '
            'motor_link="panda_link1" motor_axis="0 0 2"/></robot>')
    drive = drives_from_urdf(text, arm)['panda_joint2']
    assert drive.motor_link == 'panda_link1' and drive.motor_axis == (0.0, 0.0, 1.0)


def test_what_cannot_be_coupled_is_refused_with_its_reason(arm):
    q = motion(0.3, 5)
    with pytest.raises(HodError, match='q has 5 rows, but the exact coupling .* needs 17.*five_rows'):
        motor_feedforward(arm, drives_of(arm, 10.0), q, coupling='exact')
    with pytest.raises(HodError, match="coupling is 'spong'; it is one of 'five_rows', 'exact'"):
        motor_feedforward(arm, drives_of(arm, 10.0), q, coupling='spong')
    with pytest.raises(HodError, match="motor_link of joint 'panda_joint1'.*no link 'nowhere'"):
        PreparedDrives(arm, drives_of(arm, 10.0, links=['nowhere'] * 7))
    with pytest.raises(HodError, match="motor_axis of joint 'panda_joint1' is missing"):
        PreparedDrives(arm, drives_of(arm, 10.0, links=['panda_link4'] * 7))
    with pytest.raises(HodError, match="coupling is 'exact', but a motor sits on a link that its own joint moves"):
        PreparedDrives(arm, drives_of(arm, 10.0, links=[f'panda_link{i}' for i in range(1, 8)]), coupling='exact')
    with pytest.raises(HodError, match="damper of joint 'panda_joint1' gives its drive a state"):
        PreparedDrives(arm, drives_of(arm, 10.0, damping=3.0), coupling='exact')
    with pytest.raises(HodError, match="link 'panda_link.' has less inertia than the rotors.*'panda_joint.'.*with_payload"):
        PreparedDrives(robot('our_panda'), drives_of(arm, 1.0))
    with pytest.raises(HodError, match='motor_link'):
        FeedbackLinearisation(arm, drives_of(arm, 10.0))
    with pytest.raises(HodError, match='motor_axis is given, but motor_link is not'):
        SeriesElastic(stiffness=1.0, motor_inertia=1.0, motor_axis=(0, 0, 1))
    with pytest.raises(HodError, match='motor_axis is .*no direction'):
        SeriesElastic(stiffness=1.0, motor_inertia=1.0, motor_link='panda_link1', motor_axis=(0, 0, 0))
