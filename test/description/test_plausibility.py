# SPDX-License-Identifier: Apache-2.0
"""Warnings about figures that no real robot has: each names its links or joints, alike ones together, and none without effect."""

import pytest
from small_urdfs import INERTIAL
from small_urdfs import arm
from small_urdfs import joint
from small_urdfs import link
from small_urdfs import robot

from hod_ros import RobotModel


def inertial(mass, ixx, iyy=None, izz=None):
    iyy, izz = ixx if iyy is None else iyy, ixx if izz is None else izz
    return (f'<inertial><origin xyz="0.1 0 0.2"/><mass value="{mass}"/>'
            f'<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial>')


def warnings(inside, **options):
    return RobotModel.from_urdf(arm(child=inside), **options).warnings


def test_a_radius_of_gyration_above_a_metre_is_told_with_mass_and_moment():
    warning, = warnings(inertial(0.0028, 0.01))
    assert "link 'arm': 0.0028 kg, 0.01 kg m^2: an inertia much too large for its mass" in warning and 'above a metre' in warning
    assert warnings(inertial(1.0, 0.99)) == ()
    assert len(warnings(inertial(1.0, 1.01))) == 1


@pytest.mark.parametrize(('kind', 'lower', 'upper', 'unit'), [
    ('revolute', -180, 180, 'radians: are these degrees'), ('revolute', 0, 90, 'radians: are these degrees'),
    ('prismatic', 0, 250, 'metres: are these millimetres')])
def test_position_limits_in_another_unit_are_told(kind, lower, upper, unit):
    limit = f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>'
    text = robot(link('base'), joint('swing', 'base', 'arm', limit, kind=kind), link('arm'))
    warning, = RobotModel.from_urdf(text).warnings
    assert f"joint 'swing': {lower} and {upper}: position limits, which are in {unit}?" in warning


@pytest.mark.parametrize(('lower', 'upper'), [(-12.6, 12.6), (-1e9, 1e9), (-3.14, 3.14)])
def test_position_limits_of_some_turns_and_for_none_are_believed(lower, upper):
    limit = f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>'
    text = robot(link('base'), joint('swing', 'base', 'arm', limit, kind='revolute'), link('arm'))
    assert RobotModel.from_urdf(text).warnings == ()


def test_a_joint_that_is_locked_in_degrees_is_told():
    text = robot(link('base'), joint('swing', 'base', 'arm', '<limit lower="-2" upper="1" effort="1" velocity="1"/>', kind='revolute'),
                 link('arm'), joint('turn', 'arm', 'hand'), link('hand'))
    warning, = RobotModel.from_urdf(text, locked={'swing': -90}).warnings
    assert "joint 'swing': -90, limits -2 and 1: locked far beyond its limits; positions are in radians: are these degrees?" in warning
    assert RobotModel.from_urdf(text, locked={'swing': 1.5}).warnings == ()


def test_angles_of_an_origin_in_degrees_are_told():
    turned = '<origin xyz="0 0 1" rpy="0 {} 0"/>'
    for angle, told in (('-90', True), ('6.2832', False), ('1.5708', False)):
        found = RobotModel.from_urdf(robot(link('base'), joint('swing', 'base', 'arm', turned.format(angle)), link('arm'))).warnings
        assert list(found) == ["rpy beyond a whole turn, which is in radians: are these degrees?: 'swing'"] * told


def test_a_centre_of_mass_in_millimetres_is_told():
    warning, = warnings(inertial(1.0, 0.01).replace('0.1 0 0.2', '0 0 100'))
    assert "link 'arm'" in warning and 'are these millimetres?' in warning


def test_a_mass_without_a_tensor_is_told():
    warning, = warnings(inertial(2.5, 0))
    assert "link 'arm': 2.5 kg: a mass without rotational inertia, taken as a point" in warning


@pytest.mark.parametrize('odd', [inertial(0.0028, 0.01), inertial(2.5, 0), inertial(1, 0.1, 0.1, 0.3), inertial(1, -0.1), inertial(0, 1)])
def test_links_of_a_fixed_base_enter_no_force_and_are_not_judged(odd):
    text = robot(
        link('world', ''), joint('mount', 'world', 'base', kind='fixed'), link('base', odd), joint('swing', 'base', 'arm'), link('arm'))
    assert RobotModel.from_urdf(text).warnings == ()
    assert RobotModel.from_urdf(text, base='free').warnings[0].startswith("link 'base'")


def chain(count, inside='', child=INERTIAL):
    return robot(link('l0'), *(joint(f'j{k}', f'l{k}', f'l{k + 1}', inside) + link(f'l{k + 1}', child) for k in range(count)))


def test_alike_doubts_are_one_sentence_with_the_figure_they_share():
    limits = '<limit lower="-1" upper="1" effort="-1" velocity="-1"/>'
    velocity, effort = RobotModel.from_urdf(chain(46, limits)).warnings
    assert velocity.startswith("joints 'j0', 'j1', 'j2', 'j3', 'j4', 'j5' and 40 more: -1: a velocity limit below zero")
    assert effort.startswith("joints 'j0', 'j1', 'j2', 'j3', 'j4', 'j5' and 40 more: -1: an effort limit below zero")


def test_alike_doubts_of_different_figures_keep_the_first_figures():
    parts = [joint(f'j{k}', f'l{k}', f'l{k + 1}') + link(f'l{k + 1}', inertial(1, 0.1, 0.1, 0.3 + 0.1 * k)) for k in range(9)]
    warning, = RobotModel.from_urdf(robot(link('l0'), *parts)).warnings
    assert warning.startswith("links 'l1' (0.1, 0.1, 0.3 kg m^2), 'l2' (0.1, 0.1, 0.4 kg m^2)")
    assert 'and 3 more: principal moments' in warning


def test_mimic_joints_whose_master_is_missing_are_one_sentence():
    parts = [joint(f'j{k}', f'l{k}', f'l{k + 1}', '<mimic joint="ghost"/>') + link(f'l{k + 1}') for k in range(9)]
    model = RobotModel.from_urdf(robot(link('l0'), *parts))
    warning, = model.warnings
    assert model.n == 9 and "'ghost': mimics a joint that does not exist" in warning and 'and 3 more' in warning
