# SPDX-License-Identifier: Apache-2.0
"""The proof of motor feedforward: MuJoCo's arms follow the motion open loop."""

import pytest
from robots import robot

pytest.importorskip('mujoco')

from open_loop import largest_error_with_dampers  # noqa: E402
from open_loop import largest_errors  # noqa: E402
from open_loop import motion  # noqa: E402
from open_loop import ramp  # noqa: E402

from hod_ros import Antagonistic  # noqa: E402
from hod_ros import ExponentialSpring  # noqa: E402
from hod_ros import HardeningSpring  # noqa: E402
from hod_ros import HyperbolicSineSpring  # noqa: E402
from hod_ros import PreparedDrives  # noqa: E402
from hod_ros import QuadraticSpring  # noqa: E402
from hod_ros import Rigid  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import motor_feedforward  # noqa: E402

ELASTIC = SeriesElastic(stiffness=3000.0, motor_inertia=0.2)


@pytest.fixture(scope='module', params=['our_panda', 'ur5_robot'])
def arm(request):
    return robot(request.param)


def test_full_feedforward_keeps_a_series_elastic_arm_on_its_motion_and_rigid_feedforward_does_not(arm):
    drives = dict.fromkeys(arm.joint_names, ELASTIC)
    full, _ = largest_errors(arm, drives)
    rigid, _ = largest_errors(arm, drives, dict.fromkeys(arm.joint_names, Rigid(motor_inertia=0.2)))
    assert full <= 2e-6
    assert rigid >= 1000 * full


def test_gears_and_motor_friction_change_nothing_at_the_joints(arm):
    drives = dict.fromkeys(arm.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=2e-5, gear_ratio=-100.0, motor_friction=1e-4))
    assert largest_errors(arm, drives)[0] <= 2e-6


@pytest.mark.parametrize('elastic', [slice(0, None, 2), slice(1, None, 2), slice(3, None)])
def test_rigid_and_elastic_joints_mix(arm, elastic):
    drives = dict.fromkeys(arm.joint_names, Rigid(motor_inertia=0.2)) | dict.fromkeys(arm.joint_names[elastic], ELASTIC)
    assert largest_errors(arm, drives)[0] <= 1e-5


def test_hardening_springs(arm):
    drives = dict.fromkeys(arm.joint_names, HardeningSpring(stiffness=2000.0, cubic=1e5, motor_inertia=0.2))
    assert largest_errors(arm, drives)[0] <= 1e-5


@pytest.mark.parametrize('drive', [
    SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=12.0),
    HardeningSpring(stiffness=2000.0, cubic=1e5, motor_inertia=0.2, damping=12.0),
], ids=['linear', 'hardening'])
def test_a_filter_follows_the_dampers_beside_springs(arm, drive):
    assert largest_error_with_dampers(arm, dict.fromkeys(arm.joint_names, drive), seconds=0.4) <= 2e-6


def test_terms_of_the_series_in_damping_over_stiffness_come_close_to_dampers_and_none_does_not(arm):
    drives = dict.fromkeys(arm.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=12.0))

    def error(**damping):
        prepared = PreparedDrives(arm, dict.fromkeys(arm.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=0.2, **damping)))
        return largest_error_with_dampers(
            arm, drives, lambda t: motor_feedforward(arm, prepared, motion([t], arm.n, prepared.rows)[0]))

    assert error(damping=12.0, damping_terms=2) < 0.03 * error()


@pytest.mark.parametrize('spring', [
    ExponentialSpring(torque=2.0, rate=20.0),
    QuadraticSpring(quadratic=4e3),
    (HyperbolicSineSpring(torque=2.0, rate=20.0), HyperbolicSineSpring(torque=1.5, rate=22.0)),
], ids=['exponential', 'quadratic', 'hyperbolic sine'])
def test_two_motors_a_joint_move_it_and_stiffen_it_by_a_factor_of_five(arm, spring):
    drives = dict.fromkeys(arm.joint_names[:2], Antagonistic(spring=spring, motor_inertia=0.2))
    drives |= dict.fromkeys(arm.joint_names[2:], ELASTIC)
    position, stiffness = largest_errors(arm, drives, stiffness=lambda t: ramp(t, 2, 4000.0, 5.0))
    assert position <= 1e-5
    assert stiffness <= 1e-3
