# SPDX-License-Identifier: Apache-2.0
"""From links and joints to bodies: order, merging, locking, mimicking, selecting."""

import numpy as np
import pytest
from random_trees import random_inertia
from random_trees import random_tree
from random_trees import random_urdf
from random_trees import urdf_of

from hod_ros import DescriptionError
from hod_ros import InputError
from hod_ros import ModelError
from hod_ros import RobotModel
from hod_ros import example_robot
from hod_ros import inverse_dynamics
from hod_ros.algebra import lie

pytestmark = pytest.mark.telling


def link(name, mass=1.0):
    inertial = f'<inertial><origin xyz="0.1 0.2 0.3"/><mass value="{mass}"/>' \
               '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    return f'<link name="{name}">{inertial if mass else ""}</link>'


def joint(name, parent, child, inside='', kind='revolute'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>{inside}</joint>')


def robot(*parts):
    return f'<robot name="r">{"".join(parts)}</robot>'


def mimic(master, *factors):
    attributes = zip(('multiplier', 'offset'), factors, strict=False)
    return f'<mimic joint="{master}"' + ''.join(f' {key}="{value}"' for key, value in attributes) + '/>'


CHAIN = robot(*(link(name) for name in ('base', 'a', 'b', 'c')),
              joint('one', 'base', 'a'), joint('two', 'a', 'b', kind='prismatic'),
              joint('three', 'b', 'c', kind='continuous'))


def test_joints_are_in_depth_first_document_order_whatever_the_order_of_the_text():
    links = [link(name) for name in ('c', 'b', 'a', 'base', 'z', 'd')]
    text = robot(joint('late', 'base', 'z'), joint('tip', 'b', 'c'), joint('mid', 'a', 'b'),
                 joint('early', 'base', 'a'), joint('side', 'a', 'd'), *links)
    model = RobotModel.from_urdf(text)
    assert model.joint_names == ('late', 'early', 'mid', 'tip', 'side')
    assert model.bodies == ('z', 'a', 'b', 'c', 'd')
    assert model.parent.tolist() == [-1, -1, 1, 2, 1]
    assert model.base_link == 'base'


def test_selected_joints_come_in_the_callers_order():
    model = RobotModel.from_urdf(CHAIN, joints=['three', 'one'])
    assert model.joint_names == ('three', 'one')
    assert model.joints == ('one', 'three') and model.coordinate.tolist() == [1, 0]
    assert RobotModel.from_urdf(CHAIN, joints=('one',)).bodies == ('a',)
    assert RobotModel.from_urdf(CHAIN, joints=[]).n == 0


def test_limits_follow_the_callers_order():
    text = CHAIN.replace('<parent link="b"/>', '<parent link="b"/><limit effort="3" velocity="1"/>')
    assert RobotModel.from_urdf(text, joints=['three', 'one']).effort_limits.tolist() == [3, np.inf]


@pytest.mark.parametrize('position', [0.0, 0.7, -2.0])
def test_a_locked_joint_behaves_like_the_moving_one_at_rest_there(position):
    rng = np.random.default_rng(1)
    whole = RobotModel.from_urdf(CHAIN)
    for name in whole.joint_names:
        part = RobotModel.from_urdf(CHAIN, locked={name: position})
        others = [column for column, other in enumerate(whole.joint_names) if other != name]
        q = rng.uniform(-1, 1, (5, 3))
        q[:, whole.joint_names.index(name)] = [position, 0, 0, 0, 0]
        expected = inverse_dynamics(whole, q)
        np.testing.assert_allclose(inverse_dynamics(part, q[:, others]), expected[:, others], atol=1e-12)


def test_locking_merges_inertia_into_the_parent_and_keeps_the_total():
    whole = RobotModel.from_urdf(CHAIN)
    part = RobotModel.from_urdf(CHAIN, locked={'one': 0.4})
    assert part.masses.sum() + part.M_base[3, 3] == pytest.approx(whole.masses.sum() + whole.M_base[3, 3])
    assert part.M_base[3, 3] == 2.0
    assert part.links['a'][0] == -1 and part.links['b'][0] == 0
    np.testing.assert_allclose(part.links['a'][1], whole.B[0] @ lie.exp(whole.X[0], 0.4), atol=1e-15)


def test_links_fixed_to_a_body_add_their_inertia_at_their_place():
    rng = np.random.default_rng(3)
    base = random_tree(rng, 2, shape='chain')
    text = urdf_of(base)
    extra = random_tree(rng, 1)
    piece = urdf_of(extra).split('\n')[2].replace('link1', 'extra')
    fix = joint('fix', 'link2', 'extra', kind='fixed')
    model = RobotModel.from_urdf(text.replace('</robot>', piece + fix + '</robot>'))
    body, pose = model.links['extra']
    assert body == 1
    Ad = lie.Ad(lie.inverse(pose))
    np.testing.assert_allclose(model.M[1], base.M[1] + Ad.T @ extra.M[0] @ Ad, atol=1e-12)


@pytest.mark.parametrize('seed', range(5))
def test_a_model_written_as_urdf_reads_back_the_same(seed):
    model = random_tree(np.random.default_rng(seed), 7, mimics=2)
    again = RobotModel.from_urdf(urdf_of(model))
    assert sorted(again.joints) == sorted(model.joints) and sorted(again.joint_names) == sorted(model.joint_names)
    order = [model.joints.index(joint) for joint in again.joints]
    for name in ('B', 'X', 'M', 'multiplier', 'offset'):
        np.testing.assert_allclose(getattr(again, name), getattr(model, name)[order], atol=1e-12)
    assert [again.joint_names[c] for c in again.coordinate] == [model.joint_names[model.coordinate[i]] for i in order]
    np.testing.assert_allclose(again.M_base, model.M_base, atol=1e-12)


@pytest.mark.parametrize('seed', range(10))
def test_random_trees_move_as_pinocchio_says(seed):
    pin = pytest.importorskip('pinocchio')
    rng = np.random.default_rng(seed)
    text = random_urdf(rng, int(rng.integers(1, 15)), shape=str(rng.choice(['tree', 'chain', 'star'])), mimics=2)
    model = RobotModel.from_urdf(text)
    reference = pin.buildModelFromXML(text)
    q = rng.uniform(-1, 1, (3, model.n))
    full = np.zeros((3, reference.nv))
    reflect = np.zeros((reference.nv, model.n))
    for i, joint in enumerate(model.joints):
        column = reference.joints[reference.getJointId(joint)].idx_q
        full[:, column] = model.multiplier[i] * q[:, model.coordinate[i]] + [model.offset[i], 0, 0]
        reflect[column, model.coordinate[i]] += model.multiplier[i]
    expected = reflect.T @ pin.rnea(reference, reference.createData(), *full)
    Q, = inverse_dynamics(model, q)
    np.testing.assert_allclose(Q, expected, atol=1e-12 * max(1, np.abs(expected).max()))


FINGERS = robot(*(link(name) for name in ('base', 'a', 'b', 'c', 'd')), joint('one', 'base', 'a'),
                joint('two', 'a', 'b', mimic('one', 2, 0.5)), joint('three', 'b', 'c', mimic('two', -3, 1)),
                joint('four', 'c', 'd', mimic('one')))


def test_mimics_of_mimics_follow_the_independent_joint():
    model = RobotModel.from_urdf(FINGERS)
    assert model.joint_names == ('one',)
    assert model.joints == ('one', 'two', 'three', 'four')
    assert model.coordinate.tolist() == [0, 0, 0, 0]
    assert model.multiplier.tolist() == [1, 2, -6, 1]
    assert model.offset.tolist() == [0, 0.5, -0.5, 0]


def test_friction_of_mimic_joints_is_felt_at_their_master():
    def dynamics(text, damping, friction):
        return text.replace('</joint>', f'<dynamics damping="{damping}" friction="{friction}"/></joint>')
    text = robot(*(link(name) for name in ('base', 'a', 'b', 'c')), dynamics(joint('one', 'base', 'a'), 1, 1),
                 dynamics(joint('two', 'a', 'b', mimic('one', -2)), 3, 12), dynamics(joint('three', 'b', 'c'), 5, 7))
    model = RobotModel.from_urdf(text, joints=['three', 'one'])
    assert model.damping.tolist() == [5, 1 + 3 * 4]
    assert model.friction.tolist() == [7, 1 + 12 * 2]
    assert RobotModel.from_urdf(text, locked={'one': 0.2}).damping.tolist() == [5]


def test_a_mimic_may_come_before_its_master_in_the_tree():
    text = robot(link('base'), link('a'), link('b'), joint('one', 'base', 'a', mimic('two', 2)), joint('two', 'a', 'b'))
    model = RobotModel.from_urdf(text)
    assert model.joint_names == ('two',) and model.multiplier.tolist() == [2, 1]


@pytest.mark.parametrize('options, position', [({'locked': {'one': 0.2}}, 0.2), ({'joints': ['free']}, 0.0)])
def test_a_mimic_of_a_locked_joint_is_locked_where_its_master_puts_it(options, position):
    text = FINGERS.replace('</robot>', link('e') + joint('free', 'base', 'e') + '</robot>')
    model = RobotModel.from_urdf(text, **options)
    assert model.joint_names == ('free',)
    pose = np.eye(4)
    whole = RobotModel.from_urdf(text)
    for i, angle in enumerate((position, 2 * position + 0.5, -6 * position - 0.5, position)):
        pose = pose @ whole.B[i] @ lie.exp(whole.X[i], angle)
    body, placed = model.links['d']
    assert body == -1
    np.testing.assert_allclose(placed, pose, atol=1e-14)


def test_a_mimic_with_multiplier_zero_is_locked_at_its_offset():
    model = RobotModel.from_urdf(FINGERS.replace(mimic('two', -3, 1), mimic('two', 0, 1)))
    assert model.joints == ('one', 'two', 'four')
    np.testing.assert_allclose(model.links['c'][1], RobotModel.from_urdf(FINGERS).B[2] @ lie.exp(np.eye(6)[1], 1.0))


def test_a_mimic_of_a_fixed_joint_is_locked_at_its_offset():
    text = robot(link('base'), link('a'), link('b'), link('c'), joint('still', 'base', 'a', kind='fixed'),
                 joint('two', 'a', 'b', mimic('still', 2, 0.3)), joint('three', 'b', 'c'))
    model = RobotModel.from_urdf(text)
    assert model.joint_names == ('three',) and model.links['b'][0] == -1


def test_a_mimic_of_a_joint_that_does_not_exist_is_independent_with_a_warning():
    model = RobotModel.from_urdf(FINGERS.replace(mimic('one', 2, 0.5), mimic('ghost', 2, 0.5)))
    assert model.joint_names == ('one', 'two')
    assert model.multiplier.tolist() == [1, 1, -3, 1]
    assert len(model.warnings) == 1 and "'two'" in model.warnings[0] and "'ghost'" in model.warnings[0]


@pytest.mark.parametrize('options, words', [
    ({'joints': ['two']}, ["joints names 'two'", "mimics 'one'", "choose from: 'one'"]),
    ({'locked': {'three': 0}}, ["locked names 'three'", "mimics 'two'"]),
    ({'joints': ['ghost']}, ["'ghost'", 'no such joint', "choose from: 'one'"]),
    ({'locked': {'ghost': 0}}, ["'ghost'", 'no such joint']),
    ({'joints': ['one', 'one']}, ["'one'", 'more than once']),
    ({'joints': ['one'], 'locked': {'one': 0}}, ["'one'", 'both']),
    ({'joints': 'one'}, ["'one'", 'sequence']),
    ({'joints': 3}, ['3', 'sequence']),
    ({'joints': [1]}, ['1', 'name']),
    ({'joints': [None]}, ['None', 'name']),
    ({'locked': ['one']}, ['one', 'mapping']),
    ({'locked': {'one': None}}, ["locked['one']", 'None']),
    ({'locked': {'one': '0.1'}}, ["locked['one']", "'0.1'"]),
    ({'locked': {'one': True}}, ["locked['one']", 'True']),
    ({'locked': {'one': float('nan')}}, ["locked['one']", 'nan']),
    ({'locked': {'one': [0.1]}}, ["locked['one']", '[0.1]']),
    ({'locked': {1: 0.1}}, ['1', 'name']),
    ({'gravity': None}, ['gravity', 'None']),
    ({'gravity': 9.81}, ['gravity', '9.81', '3 finite numbers']),
    ({'gravity': '0 0 1'}, ['gravity', "'0 0 1'"]),
    ({'gravity': (0, 0)}, ['gravity', '(0, 0)']),
    ({'gravity': (0, 0, float('inf'))}, ['gravity', 'inf']),
    ({'gravity': (0, 0, True)}, ['gravity', 'True']),
    ({'gravity': (0, 0, '9')}, ['gravity', "'9'"]),
    ({'gravity': [[0, 0], 0, 0]}, ['gravity', '[0, 0]']),
    ({'gravity': {0, 1, 2}}, ['gravity', '{0, 1, 2}']),
    ({'gravity': np.array(9.81)}, ['gravity', '9.81']),
    ({'gravity': (0, 0, 10**400)}, ['gravity', '1000']),
    ({'gravity': (0, 0, 1j)}, ['gravity', '1j']),
    ({'base': 'floating'}, ["'floating'", "'free'"]),
    ({'base': None}, ['None', "'free'"]),
    ({'armature': {'ghost': 1}}, ["'ghost'", 'one']),
    ({'armature': {'two': 1}}, ["'two'", 'one']),
    ({'armature': {'one': -1}}, ["armature['one']", '-1', '0 or more']),
    ({'armature': {'one': float('nan')}}, ["armature['one']", 'nan']),
    ({'armature': [1.0]}, ['armature', 'mapping']),
])
def test_a_bad_argument_is_refused_with_its_value_and_the_rule(options, words):
    with pytest.raises(InputError) as caught:
        RobotModel.from_urdf(FINGERS, **options)
    assert all(word in str(caught.value) for word in words), caught.value


def test_a_fixed_joint_can_be_neither_selected_nor_locked():
    text = CHAIN.replace('"one" type="revolute"', '"one" type="fixed"')
    for options in ({'joints': ['one']}, {'locked': {'one': 0}}):
        with pytest.raises(InputError, match="'one'.*fixed.*choose from: 'two', 'three'"):
            RobotModel.from_urdf(text, **options)


@pytest.mark.parametrize('value', [1, np.float32(1), np.int64(1), np.array(1.0)])
def test_numbers_of_any_type_serve_as_arguments(value):
    model = RobotModel.from_urdf(CHAIN, locked={'one': value}, armature={'two': value}, gravity=[0, value, 0])
    assert model.armature.tolist() == [1, 0] and model.gravity.tolist() == [0, 1, 0]


def test_armature_follows_the_order_of_the_joints_and_is_idle_on_locked_ones():
    model = RobotModel.from_urdf(CHAIN, joints=['three', 'one'], armature={'one': 0.1, 'two': 0.2, 'three': 0.3})
    assert model.armature.tolist() == [0.3, 0.1]


def test_a_free_base_keeps_the_inertia_of_its_root_link():
    model = RobotModel.from_urdf(CHAIN, base='free')
    assert model.base == 'free' and model.M_base[3, 3] == 1 and model.warnings == ()


def test_a_free_base_without_inertia_is_a_warning_that_names_it():
    model = RobotModel.from_urdf(CHAIN.replace(link('base'), link('base', 0)), base='free')
    assert "'base'" in model.warnings[0]


def test_a_free_robot_without_any_inertia_has_no_dynamics():
    model = RobotModel.from_urdf(robot(link('base', 0)), base='free')
    with pytest.raises(ModelError, match='has any inertia: dynamics are refused'):
        inverse_dynamics(model, np.zeros((3, 0)), base=(np.eye(4), np.zeros((2, 6))))
    assert RobotModel.from_urdf(robot(link('base')), base='free').n == 0


def test_a_free_base_takes_the_place_of_a_floating_joint_to_the_world():
    inner = RobotModel.from_urdf(CHAIN, base='free')
    text = CHAIN.replace('</robot>', link('world', 0) + joint('float', 'world', 'base', kind='floating') + '</robot>')
    model = RobotModel.from_urdf(text, base='free')
    assert model.base_link == 'base' and model.joint_names == inner.joint_names
    np.testing.assert_array_equal(model.M_base, inner.M_base)
    with pytest.raises(DescriptionError, match="'float' is floating below the bare link 'world'.*; load with base='free', or") as caught:
        RobotModel.from_urdf(text)
    assert 'remove' not in str(caught.value)


def test_what_mimics_the_floating_joint_of_a_free_base_is_independent_with_the_reason():
    text = CHAIN.replace('</robot>', link('world', 0) + joint('float', 'world', 'base', kind='floating') + link('tail')
                         + joint('wag', 'base', 'tail', mimic('float', 2)) + '</robot>')
    model = RobotModel.from_urdf(text, base='free')
    assert 'wag' in model.joint_names
    warning, = model.warnings
    assert warning == ("joint 'wag': 'float': mimics the floating joint of the free base, which has no one coordinate to follow: "
                       'it is taken as an independent joint')


def test_every_array_of_a_loaded_model_is_read_only():
    model = RobotModel.from_urdf(CHAIN)
    for array in (model.B, model.X, model.M, model.M_base, model.gravity, model.position_limits, model.links['a'][1]):
        with pytest.raises(ValueError):
            array[...] = 0


def test_a_chain_of_thousands_of_joints_loads():
    count = 2000
    links = [link(f'l{k}') for k in range(count + 1)]
    model = RobotModel.from_urdf(robot(*links, *(joint(f'j{k}', f'l{k}', f'l{k + 1}') for k in range(count))))
    assert model.n == count


def test_random_inertias_are_of_real_bodies():
    rng = np.random.default_rng(0)
    for _ in range(100):
        assert np.linalg.eigvalsh(random_inertia(rng)).min() > 0


def test_a_model_tells_its_joints_bodies_mass_and_base_at_a_glance():
    shown = repr(RobotModel.from_urdf(example_robot('panda')))
    assert shown.startswith("<RobotModel 'panda': 7 joints (panda_joint1, panda_joint2, panda_joint3, ...), 7 bodies, ")
    assert ' kg, fixed base' in shown


def test_models_of_the_same_robot_are_equal_and_others_are_not():
    panda, again = (RobotModel.from_urdf(example_robot('panda')) for _ in range(2))
    assert panda == again and len({panda, again}) == 1
    assert panda != panda.replace(gravity=(0, 0, -1.62)) and panda != 'panda'
