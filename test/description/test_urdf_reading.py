# SPDX-License-Identifier: Apache-2.0
"""Descriptions as they are found in the wild: what is read, what is passed over, and which defaults hold."""

import numpy as np
import pytest
import robots

from hod_ros import RobotModel

pytestmark = pytest.mark.telling

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def arm(inside='', kind='revolute', inertial=INERTIAL, extra=''):
    return (f'<robot name="arm"><link name="base"/><link name="tip">{inertial}</link><joint name="swing" type="{kind}">'
            f'<parent link="base"/><child link="tip"/>{inside}</joint>{extra}</robot>')


ACCENTS = arm().replace('"arm"', '"bras_é"')
DECLARED = '<?xml version="1.0" encoding="{}"?>'


@pytest.mark.parametrize('text', [
    ACCENTS,
    '\ufeff' + ACCENTS,
    DECLARED.format('utf-8') + ACCENTS,
    DECLARED.format('UTF-16') + ACCENTS,
    '\n\n<!-- made by hand -->' + ACCENTS,
    ACCENTS.encode(),
    b'\xef\xbb\xbf' + ACCENTS.encode(),
    ACCENTS.encode('utf-16'),
    ACCENTS.encode('utf-16-le'),
    ACCENTS.encode('utf-32'),
    (DECLARED.format('ISO-8859-1') + ACCENTS).encode('latin-1'),
    bytearray(ACCENTS.encode()),
    memoryview(ACCENTS.encode()),
], ids=range(13))
def test_text_is_read_in_any_common_encoding(text):
    model = RobotModel.from_urdf(text)
    assert model.name == 'bras_é'
    assert model.joint_names == ('swing',)


@pytest.mark.parametrize('encoding', ['gb2312', 'shift_jis', 'us-ascii', 'utf-16', 'unicode', 'no-such'])
def test_utf_8_is_read_whatever_else_it_declares(encoding):
    assert RobotModel.from_urdf((DECLARED.format(encoding) + ACCENTS).encode()).name == 'bras_é'


def test_what_can_be_as_it_declares_is_read_so_even_where_it_is_valid_utf_8():
    assert RobotModel.from_urdf((DECLARED.format('ISO-8859-1') + ACCENTS).encode()).name == 'bras_Ã©'


@pytest.mark.parametrize('extra', [
    '<gazebo><link name="ghost"/><joint name="swing" type="ball"><parent link="ghost"/></joint></gazebo>',
    '<gazebo reference="tip"><sensor:camera name="c"/><mass value="nan"/></gazebo>',
    '<transmission name="t"><type>x</type><joint name="swing"/><actuator name="m"/></transmission>',
    '<transmission/>',
    '<ros2_control name="c"><joint name="swing"><command_interface name="effort"/></joint></ros2_control>',
    '<material name="blue"/><sensor name="s"/><unknown><link name="base"/></unknown>',
    '<link name="camera"><visual><geometry/></visual><collision><origin xyz="a b"/></collision></link>'
    '<joint name="mount" type="fixed"><parent link="tip"/><child link="camera"/><axis xyz="0 0 0"/></joint>',
])
def test_what_does_not_matter_to_dynamics_may_hold_anything(extra):
    plain = RobotModel.from_urdf(arm())
    model = RobotModel.from_urdf(arm(extra=extra))
    assert model.joint_names == ('swing',)
    np.testing.assert_array_equal(model.M, plain.M)


def test_a_default_namespace_and_undeclared_prefixes_are_passed_over():
    text = arm(extra='<gazebo><ignition:x/></gazebo>')
    assert RobotModel.from_urdf(text.replace('<robot ', '<robot xmlns="http://www.ros.org" version="1.0" ')).n == 1


def test_a_missing_axis_is_x():
    np.testing.assert_array_equal(RobotModel.from_urdf(arm()).X, [[1, 0, 0, 0, 0, 0]])
    np.testing.assert_array_equal(RobotModel.from_urdf(arm(kind='prismatic')).X, [[0, 0, 0, 1, 0, 0]])


@pytest.mark.parametrize('axis', ['0 3 4', '0 3e-90 4e-90', '0 3e90 4e90'])
def test_an_axis_of_any_length_is_made_a_direction(axis):
    model = RobotModel.from_urdf(arm(f'<axis xyz="{axis}"/>'))
    np.testing.assert_allclose(model.X, [[0, 0.6, 0.8, 0, 0, 0]], rtol=1e-15)


def test_origins_turn_about_fixed_axes_x_then_y_then_z():
    model = RobotModel.from_urdf(arm('<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'))

    def about(axis, angle):
        c, s = np.cos(angle), np.sin(angle)
        return np.insert(np.insert(np.array([[c, -s], [s, c]]), axis, 0, 0), axis, np.eye(3)[axis], 1)

    y_turn = about(1, 0.2).T
    np.testing.assert_allclose(model.B[0, :3, :3], about(2, 0.3) @ y_turn @ about(0, 0.1), atol=1e-15)
    np.testing.assert_array_equal(model.B[0, :, 3], [1, 2, 3, 1])


def test_an_origin_may_be_a_quaternion():
    half = 0.5**0.5
    by_quaternion = RobotModel.from_urdf(arm(f'<origin xyz="1 2 3" quat_xyzw="0 0 {half!r} {half!r}"/>'))
    by_angles = RobotModel.from_urdf(arm(f'<origin xyz="1 2 3" rpy="0 0 {np.pi / 2!r}"/>'))
    np.testing.assert_allclose(by_quaternion.B, by_angles.B, atol=1e-15)


def test_inertia_is_about_the_centre_of_mass_in_the_axes_of_its_origin():
    inertial = ('<inertial><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
                '<inertia ixx="1" ixy="0" ixz="0" iyy="1.5" iyz="0" izz="2"/></inertial>')
    model = RobotModel.from_urdf(arm(inertial=inertial))
    np.testing.assert_allclose(model.tensors[0], np.diag([1.5 + 0.5, 1 + 0.5, 2]), atol=1e-15)
    np.testing.assert_allclose(model.first_moments[0], [0, 0, 1], atol=1e-15)
    assert model.masses[0] == 2


def test_limits_and_friction_are_read_for_the_independent_joints():
    limit = '<limit lower="-1" upper="2" effort="30" velocity="4"/>'
    model = RobotModel.from_urdf(arm(limit + '<dynamics damping="0.5" friction="0.1"/>'))
    assert model.position_limits.tolist() == [[-1, 2]]
    assert (model.velocity_limits[0], model.effort_limits[0]) == (4, 30)
    assert (model.damping[0], model.friction[0]) == (0.5, 0.1)


def test_limits_that_are_not_given_are_infinite():
    continuous = arm('<limit lower="-1" upper="1"/>', kind='continuous')
    for text in (arm(), arm('<limit effort="1" velocity="1"/>'), continuous):
        assert RobotModel.from_urdf(text).position_limits.tolist() == [[-np.inf, np.inf]]
    assert RobotModel.from_urdf(arm()).velocity_limits[0] == RobotModel.from_urdf(arm()).effort_limits[0] == np.inf


def test_one_position_limit_alone_leaves_the_other_at_zero():
    assert RobotModel.from_urdf(arm('<limit upper="1"/>')).position_limits.tolist() == [[0, 1]]


def test_limits_that_contradict_themselves_are_warnings():
    warnings = RobotModel.from_urdf(arm('<limit lower="2" upper="1" velocity="-1" effort="1"/>')).warnings
    assert len(warnings) == 2 and all("'swing'" in warning for warning in warnings)


@pytest.mark.parametrize('moments, word', [
    ('ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"', 'triangle'),
    ('ixx="1" ixy="0" ixz="0" iyy="-1" iyz="0" izz="1"', 'below zero'),
    ('ixx="1" ixy="2" ixz="0" iyy="1" iyz="0" izz="1"', 'below zero'),
    ('ixx="0.03844" ixy="0.00088" ixz="-0.00112" iyy="0.01144" iyz="-0.00111" izz="0.04988"', 'triangle'),
    ('ixx="0.00795" ixy="0.00022" ixz="-0.00029" iyy="0.01089" iyz="-0.00029" izz="0.00294"', 'triangle'),
])
def test_an_implausible_tensor_is_a_warning_that_names_link_and_figures(moments, word):
    inertial = f'<inertial><mass value="1"/><inertia {moments}/></inertial>'
    warning, = RobotModel.from_urdf(arm(inertial=inertial)).warnings
    assert "'tip'" in warning and word in warning and 'kg m^2' in warning


@pytest.mark.parametrize('moments', [
    'ixx="0.5" ixy="0" ixz="0" iyy="0.5" iyz="0" izz="1"',
    'ixx="0.00032" ixy="0" ixz="0" iyy="0.0001" iyz="0" izz="0.00042"',
    'ixx="1e-18" ixy="0" ixz="0" iyy="-1e-19" iyz="0" izz="0"',
])
def test_rods_plates_and_tiny_parts_are_plausible(moments):
    inertial = f'<inertial><origin xyz="0 0.1 0"/><mass value="1"/><inertia {moments}/></inertial>'
    assert RobotModel.from_urdf(arm(inertial=inertial)).warnings == ()


@pytest.mark.parametrize('place, moments, warned', [
    ('0 0 0', 'ixx="0"', True),
    ('0.3 0 0', 'ixx="0"', True),
    ('0.3 0 0.001', 'ixx="0"', False),
    ('0.3 0 0', 'ixx="1e-9"', False),
])
def test_masses_that_lie_on_the_axis_of_their_joint_are_a_warning_that_names_it(place, moments, warned):
    inertial = f'<inertial><origin xyz="{place}"/><mass value="2"/><inertia {moments} ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'

    def told(text, **options):
        return sum("'swing': turns masses that lie on its axis" in warning for warning in RobotModel.from_urdf(text, **options).warnings)

    assert told(arm(inertial=inertial)) == warned
    assert not told(arm(inertial=inertial), armature={'swing': 0.1})
    further = (f'<link name="hand">{INERTIAL}</link><joint name="wrist" type="prismatic"><parent link="tip"/><child link="hand"/>'
               '<axis xyz="0 1 0"/></joint>')
    assert not told(arm(inertial=inertial, extra=further))


def test_inertia_without_mass_is_a_warning():
    warning, = RobotModel.from_urdf(arm(inertial=INERTIAL.replace('mass value="1"', 'mass value="0"'))).warnings
    assert "'tip'" in warning and 'no mass' in warning


def test_a_robot_without_moving_joints_loads_and_says_so():
    model = RobotModel.from_urdf('<robot name="rock"><link name="base"/></robot>')
    assert model.n == 0 and model.joint_names == () and 'no moving joint' in model.warnings[0]


def test_our_panda_stands_as_its_data_sheet_says():
    model = robots.robot('our_panda')
    C = np.eye(4)
    for B in model.B:
        C = C @ B
    C = C @ model.links['panda_link8'][1]
    np.testing.assert_allclose(C[:3, 3], [0.088, 0, 0.333 + 0.316 + 0.384 - 0.107], atol=1e-15)
    np.testing.assert_allclose(C[:3, :3], np.diag([1, -1, -1]), atol=1e-15)
    assert model.joint_names == tuple(f'panda_joint{k}' for k in range(1, 8))
    assert model.masses.sum() == pytest.approx(16.062132, rel=1e-12)
    assert model.warnings == ()
    assert np.all(np.isfinite(model.position_limits)) and np.all(model.effort_limits <= 87)


def test_the_largest_float_may_stand_for_no_limit():
    assert RobotModel.from_urdf(arm('<limit effort="1.7976931348623157e308" velocity="1"/>')).effort_limits[0] > 1e308
