# SPDX-License-Identifier: Apache-2.0
"""Some seventy public robots, against Pinocchio's reading of the same files."""

import numpy as np
import pytest
import robots

from hod_ros import DescriptionError
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.model import joints

LOADING = [name for name in robots.public_robots() if name not in robots.REFUSED]

if not LOADING:
    pytest.skip('the PyPI package example-robot-data is not installed', allow_module_level=True)


def test_the_package_holds_the_robots_that_these_tests_are_about():
    assert len(LOADING) >= 60


@pytest.mark.parametrize('name', [*LOADING, 'our_panda'])
def test_torques_centre_of_mass_and_mass_are_pinocchios(name):
    pin = pytest.importorskip('pinocchio')
    model = robots.robot(name)
    reference = pin.buildModelFromUrdf(str(robots.robot_path(name)))
    q = np.random.default_rng(5).uniform(-1, 1, (3, model.n))
    full, reflect = _as_pinocchio(pin, model, reference, q)
    data = reference.createData()

    expected = reflect.T @ pin.rnea(reference, data, *full)
    Q, = inverse_dynamics(model, q)
    error = np.abs(Q - expected).max(initial=0.0)
    assert error <= 1e-12 * max(1.0, np.abs(expected).max(initial=0.0))

    # Pinocchio's inertia 0 is what is fixed to the world, which its centre of mass leaves out.
    assert model.masses.sum() == pytest.approx(sum(inertia.mass for inertia in reference.inertias[1:]), rel=1e-12)
    assert model.M_base[3, 3] == pytest.approx(reference.inertias[0].mass, rel=1e-12)
    if model.n:
        poses = _poses(model, q[0])
        moment = sum(C[:3, :3] @ first + C[:3, 3] * m
                     for C, first, m in zip(poses, model.first_moments, model.masses, strict=True))
        np.testing.assert_allclose(moment / model.masses.sum(), pin.centerOfMass(reference, data, full[0]), atol=1e-12)


@pytest.mark.parametrize('name', [*robots.FIVE, 'our_panda'])
def test_every_link_is_where_pinocchio_has_it(name):
    pin = pytest.importorskip('pinocchio')
    model = robots.robot(name)
    reference = pin.buildModelFromUrdf(str(robots.robot_path(name)))
    data = reference.createData()
    q = np.random.default_rng(6).uniform(-1, 1, (3, model.n))
    pin.framesForwardKinematics(reference, data, _as_pinocchio(pin, model, reference, q)[0][0])
    poses = [*_poses(model, q[0]), np.eye(4)]
    for link, (body, pose) in model.links.items():
        expected = data.oMf[reference.getFrameId(link, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(poses[body] @ pose, expected, atol=1e-12)


@pytest.mark.parametrize('name, idle', [
    ('romeo', ['LHand', 'RHand']),
    ('romeo_laas_small', ['l_gripper_joint', 'r_gripper_joint']),
])
def test_joints_that_move_no_inertia_are_named_with_the_short_way_out(name, idle):
    text = robots.robot_text(name)
    warning = RobotModel.from_urdf(text).warnings[-1]
    lock = f'locked={dict.fromkeys(idle, 0)}'
    assert all(repr(joint) in warning for joint in idle) and f'zero in every motion; lock with {lock}' in warning
    model = RobotModel.from_urdf(text, locked=dict.fromkeys(idle, 0))
    assert model.n > 20 and not any('in every motion' in warning for warning in model.warnings)


def test_the_empty_robot_is_refused_with_the_reason():
    with pytest.raises(DescriptionError, match='no links'):
        robots.robot('ur3')


def test_loading_str_and_bytes_gives_the_same_model():
    for name in robots.FIVE:
        data = robots.robot_text(name)
        assert RobotModel.from_urdf(data).hash == RobotModel.from_urdf(data.decode()).hash


def _poses(model, q):
    poses = []
    for parent, C in zip(model.parent, joints.relative_poses(model, q[None]), strict=True):
        poses.append(C if parent < 0 else poses[parent] @ C)
    return poses


def _as_pinocchio(pin, model, reference, q):
    """(q, q', q'') of all Pinocchio's joints, mimics among them, and the map from our rates to theirs."""
    full = [pin.neutral(reference), np.zeros(reference.nv), np.zeros(reference.nv)]
    reflect = np.zeros((reference.nv, model.n))
    for i, joint in enumerate(model.joints):
        theirs = reference.joints[reference.getJointId(joint)]
        position, rate, acceleration = model.multiplier[i] * q[:, model.coordinate[i]] + [model.offset[i], 0, 0]
        coordinates = [position] if theirs.nq == 1 else [np.cos(position), np.sin(position)]
        full[0][theirs.idx_q:theirs.idx_q + theirs.nq] = coordinates
        full[1][theirs.idx_v], full[2][theirs.idx_v] = rate, acceleration
        reflect[theirs.idx_v, model.coordinate[i]] = model.multiplier[i]
    return full, reflect
