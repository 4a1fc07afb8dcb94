# SPDX-License-Identifier: Apache-2.0
"""Every public function of the dynamics answers bad arguments with an error of ours, or with finite numbers."""

import copy
import importlib
import inspect
import pickle

import numpy as np
import pytest
import sympy
from bad_values import misread_shapes
from bad_values import unclear_answers
from motion_quantities import OF_ROBOT

import hod_ros
from hod_ros import HodError
from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import ModelError
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros.dynamics.formulations import body_fixed
from hod_ros.dynamics.formulations import spatial
from hod_ros.model.wording import PYTHON

INERTIA = '<inertial><origin xyz="0.1 0 0.2"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f'''<robot name="two">
<link name="foot">{INERTIA}</link><link name="l1">{INERTIA}</link><link name="l2">{INERTIA}</link><link name="tool"/>
<joint name="j1" type="continuous"><parent link="foot"/><child link="l1"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/><dynamics damping="1" friction="2"/></joint>
<joint name="t" type="fixed"><parent link="l2"/><child link="tool"/><origin xyz="0 0 0.1"/></joint>
</robot>'''
FIXED = RobotModel.from_urdf(URDF)
FREE = RobotModel.from_urdf(URDF, base='free')
RNG = np.random.default_rng(5)


def numbers(*shape):
    return RNG.uniform(-1, 1, shape)


def calls():
    """(name, options) -> good arguments of every public function."""
    W, M = {'tool': LinkWrench(numbers(3, 6), 'world')}, hod_ros.link_inertia(1.0, (0, 0, 0.1), np.eye(3))
    pose = hod_ros.forward_kinematics(FIXED, [[0.1, 0.2]], 'tool').pose
    for model in (FIXED, FREE):
        def moving(rows, model=model):
            return {'base': (np.eye(4), numbers(rows, 6))} if model is FREE else {}

        driven = {'base': (np.eye(4), np.zeros(6))} if model is FREE else {}
        yield 'inverse_dynamics', (model, numbers(5, 2)), {
            'wrenches': W, 'formulation': 'recursive', 'order': 2, 'threads': 1, **moving(4)}
        yield 'inverse_dynamics', (model, numbers(5, 2)), {'formulation': 'closed_form', **moving(4)}
        yield 'body_wrenches', (model, numbers(5, 2), W), moving(4)
        yield 'payload_wrench', (model, numbers(4, 2), 'tool', np.stack([M] * 3)), {'exchanged': False, **moving(3)}
        yield 'forward_dynamics', (model, numbers(2, 2), numbers(2, 2)), {'wrenches': W} | driven
        yield 'forward_dynamics', (model, numbers(2, 2), numbers(2, 2)), driven and driven | {'base_wrench': numbers(2, 6)}
        yield 'forward_dynamics_derivatives', (model, numbers(2, 2), numbers(2)), {'wrenches': W} | driven
        yield 'inverse_dynamics_derivatives', (model, numbers(3, 2)), {'wrenches': W, **moving(2)}
        for name, rows in (('system_kinematics', 3), ('body_fixed_motion', 3), ('hybrid_motion', 3),
                           ('spatial_motion', 3), ('net_wrenches', 4), ('parameter_derivatives', 3),
                           *((name, fewest + 1) for name, fewest in OF_ROBOT.items())):
            yield name, (model, numbers(rows, 2)), moving(rows - 1)
        yield 'total_momentum', (model, numbers(3, 2)), {'about': 'com', **moving(2)}
        yield 'slotine_li_regressor', (model, numbers(3, 2), numbers(3, 8 if model is FREE else 2)), moving(2)
        yield 'with_inertial_parameters', (model, hod_ros.inertial_parameters(model)), {}
        yield 'minimal_parameters', (model,), {'tolerance': 1e-9, 'seed': 0}
        yield 'coordinate_rates', (model, numbers(2)), {}
        for name in ('total_mass', 'weightless_acceleration', 'inertial_parameters', 'parameter_names', 'multiprecision', 'zero_reference'):
            yield name, (model,), {}
        yield 'forward_kinematics', (model, numbers(3, 2), 'tool', 'spatial'), moving(2)
        yield 'jacobian', (model, numbers(3, 2), 'tool', 'spatial'), moving(2)
        yield 'inverse_kinematics', (model, numbers(2), 'tool', numbers(2, 2), 'world_aligned'), {
            'components': (3, 4), 'weights': [1.0, 2.0], 'null_motion': numbers(2, 2), 'prescribed': {'j1': [0.0, 1.0]}, 'damping': 0.1,
            'max_condition': 1e6, **moving(2)}
        yield 'solve_pose', (model, 'tool', pose, [0.2, 0.3]), {
            'components': (3, 4, 5), 'respect_limits': False, 'tolerance': 1e-10, 'required': False} | ({} if model is FIXED else {
                'base': np.eye(4)})
        yield 'inter_body_wrenches', (model, numbers(2, 3, 6)), {}
    motion, kinematics = hod_ros.spatial_motion(FIXED, numbers(4, 2)), hod_ros.system_kinematics(FIXED, numbers(4, 2))
    yield 'joint_screws', (FIXED, body_fixed.body_fixed_motion(FIXED, numbers(2, 2)).C_rel), {}
    yield 'equations_of_motion', (FIXED, kinematics, numbers(3, 3, 6)), {}
    yield 'derivative_coefficients', (hod_ros.equations_of_motion(FIXED, kinematics), 1), {}
    carried = hod_ros.body_wrenches(FIXED, numbers(5, 2), {'tool': numbers(3, 6)})
    yield 'combined_kinematics', (FIXED, numbers(2), 'tool', numbers(2, 2)), {
        'components': (3, 4), 'weights': [1.0, 2.0], 'null_motion': numbers(2, 2), 'prescribed': {'j1': [0.0, 1.0]}, 'damping': 0.1,
        'max_condition': 1e6}
    yield 'mass_matrices', (FIXED, motion.C), {}
    yield 'spatial_wrenches', (motion.C, motion.V, carried), {}
    yield 'joint_forces', (FIXED, motion.S, carried[:2], numbers(4, 2)), {}
    yield 'momentum_screws', (spatial.mass_matrices(FIXED, motion.C), motion.V), {}
    yield 'gravity_wrenches', (spatial.mass_matrices(FIXED, motion.C), motion.V, spatial.weightless_acceleration(FIXED), 3), {}
    yield 'force_gradients', (FIXED, numbers(4, 2)), {'wrenches': W}
    yield 'force_gradient_product', (FIXED, numbers(4, 2), numbers(2, 2)), {'wrenches': W}
    yield 'cpp_robot', (FIXED, 'two'), {}
    yield 'robot_bytes', (FIXED,), {}
    yield 'friction_forces', (FIXED, numbers(4, 2)), {'width': [0.1, 0.1]}
    yield 'with_payload', (FIXED, 'tool', 1.0, (0, 0, 0.1), np.eye(3)), {}
    yield 'payload_inertias', (numbers(2), numbers(2, 3), np.stack([np.eye(3), np.ones((3, 3))])), {}
    yield 'link_inertia', (1.0, (0, 0, 0.1), np.eye(3)), {'about': 'com'}
    yield 'symbolic', (FIXED, 0), {'q': None, 'simplify': False}


CALLS = list(calls())


@pytest.mark.parametrize('name, arguments, options', CALLS, ids=[f'{name}-{k}' for k, (name, *_) in enumerate(CALLS)])
def test_bad_arguments_are_answered_with_an_error_of_ours(name, arguments, options):
    call = getattr(hod_ros, name)
    call(*arguments, **options)
    assert unclear_answers(call, arguments, options) == []


@pytest.mark.parametrize('name, arguments, options', CALLS, ids=[f'{name}-{k}' for k, (name, *_) in enumerate(CALLS)])
def test_arrays_of_a_wrong_shape_are_refused_by_name_and_none_is_misread(name, arguments, options):
    assert misread_shapes(getattr(hod_ros, name), arguments, options) == []


def test_every_public_function_of_the_dynamics_is_tried():
    rooms = ('model', 'kinematics', 'dynamics', 'symbols', 'cpp')
    functions = {name for name, module in hod_ros._LAZY.items() if module.split('.')[1] in rooms
                 and inspect.isfunction(getattr(importlib.import_module(module), name))}
    assert functions - {'export_cpp'} == {name for name, *_ in CALLS}           # which writes files: test_export.py


@pytest.mark.parametrize('make, options', [
    (FIXED.replace, {name: getattr(FIXED, name) for name in FIXED.__dataclass_fields__}),
    (lambda **given: RobotModel.from_urdf(**given), dict(
        source=URDF, joints=['j1'], gravity=(0, 0, -9.81), locked={'j2': 0.1}, base='fixed', armature={'j1': 0.1}, words=PYTHON)),
    (lambda **given: RobotModel.from_screws(**given), dict(
        screws=FIXED.X, reference=FIXED.B, inertias=FIXED.M, representation='body', parent=[-1, 0], joint_names=['a', 'b'],
        link_names=['x', 'y'], name='robot', gravity=(0, 0, -9.81), armature=[0.0, 0.1], base='fixed', base_link='foot',
        base_inertia=FIXED.M[0])),
    (lambda **given: RobotModel.from_dh(**given), dict(
        a=[0, 0.1], alpha=[0, 0.1], d=[0.1, 0], theta=[0, 0.1], inertias=FIXED.M, convention='craig', kinds='revolute')),
    (LinkWrench, {'values': numbers(3, 6), 'frame': 'link'}),
    (hod_ros.body_fixed_motion(FIXED, numbers(3, 2)).jacobian, {'body': 1}),
    (hod_ros.minimal_parameters(FIXED).parameters, {'pi': hod_ros.inertial_parameters(FIXED)}),
    (hod_ros.minimal_parameters(FIXED).regressor, {'Y': hod_ros.regressor(FIXED, numbers(3, 2))}),
], ids=['replace', 'from_urdf', 'from_screws', 'from_dh', 'LinkWrench', 'jacobian', 'parameters', 'minimal regressor'])
def test_bad_fields_are_answered_with_an_error_of_ours(make, options):
    make(**options)
    assert unclear_answers(make, (), options) == []


def test_what_is_no_model_is_named_by_all_that_take_one():
    takers = [(name, arguments, options) for name, arguments, options in CALLS if arguments[0] is FIXED]
    assert len(takers) > 30
    for name, arguments, options in takers:
        for wrong, said in ((None, 'NoneType'), (URDF, 'str'), (RobotModel, 'the class RobotModel')):
            with pytest.raises(InputError, match=f'model is {said}, not a RobotModel; make one by'):
                getattr(hod_ros, name)(wrong, *arguments[1:], **options)


@pytest.mark.parametrize('call, said', [
    (lambda: hod_ros.minimal_parameters(FIXED, tolerance=-1), 'tolerance is -1.0; give a number above 0'),
    (lambda: hod_ros.minimal_parameters(FIXED, seed=-1), 'seed is -1; give an integer of 0 or more'),
    (lambda: hod_ros.momentum_screws(np.eye(6), np.zeros(6)), r'M has the shape \(6, 6\) and V has \(6,\)'),
    (lambda: hod_ros.joint_screws(FIXED, np.zeros((2, 4, 4))), r'C_rel\[0\] is .* which is no pose'),
    (lambda: hod_ros.equations_of_motion(FIXED, None), 'kinematics is None; give what system_kinematics'),
    (lambda: hod_ros.equations_of_motion(FIXED, hod_ros.system_kinematics(RobotModel.from_urdf(URDF, joints=['j2']), [[0], [0]])),
     'kinematics is of another robot'),
    (lambda: hod_ros.derivative_coefficients(hod_ros.equations_of_motion(FIXED, hod_ros.system_kinematics(FIXED, numbers(3, 2))), 2),
     'n is 2, but equations have derivatives up to 1'),
    (lambda: hod_ros.gravity_wrenches(np.eye(6), np.zeros((2, 6)), np.zeros(6), 9), 'rows is 9, but V with 2 rows allows 3'),
    (lambda: hod_ros.inverse_kinematics(FIXED, [0, 0], 'tool', [[0.0]], components=[3.0]), r'components is \[3.0\]; give distinct'),
    (lambda: hod_ros.inverse_kinematics(FIXED, [0, 0], 'tool', [[0.0]], components={3}), r'components is \{3\}; give distinct'),
    (lambda: hod_ros.inverse_kinematics(FIXED, [0, 0], 'tool', np.zeros((1, 6)), prescribed=[1]), r'prescribed is \[1\]; give a mapping'),
    (lambda: hod_ros.solve_pose(FIXED, 'tool', np.eye(4), [0, 0], required='no'), "required is 'no'; give True or False"),
    (lambda: hod_ros.payload_inertias([1.0], [[0, 0, np.nan]], np.zeros((1, 3, 3))), r'center is nan at \[0, 2\]'),
    (lambda: hod_ros.forward_kinematics(FIXED, np.full((3, 2), 1e200), 'tool'), "the motion of link 'tool' is too large"),
    (lambda: hod_ros.inverse_dynamics(FIXED, numbers(3, 2), wrenches=''), 'wrenches is neither'),
    (lambda: RobotModel.from_urdf(URDF, gravity=['0', '0', '-9.81']), 'component 0 of gravity is'),
    (lambda: FIXED.body_of([1]), r'two has no link \[1\]'),
])
def test_messages_name_the_argument_and_the_remedy(call, said):
    with pytest.raises(HodError, match=said):
        call()


@pytest.mark.parametrize('change, said', [
    ({'parent': [-1, 0.5]}, 'parent is .* give integers'),
    ({'joint_names': 'ab'}, "joint_names is 'ab'; give a sequence"),
    ({'joint_names': ('a', 'a')}, 'give every name once'),
    ({'joints': ('a',)}, 'joints has 1 names for 2 bodies'),
    ({'links': {'tool': (7, np.eye(4))}}, "link 'tool' belongs to the body 7"),
    ({'links': {'tool': (0, np.zeros((4, 4)))}}, "the pose of link 'tool' is .* no pose"),
    ({'B': 2 * FIXED.B}, "the reference configuration B of joint 'j1' is .* no pose"),
    ({'X': 2 * FIXED.X}, "the screw of joint 'j1' .* the length 2; make it a unit vector"),
    ({'M': FIXED.M + np.triu(np.ones((6, 6)))}, "body 'l1' has the inertia .* none of a rigid body"),
    ({'M_base': np.ones((6, 6))}, "the base 'foot' has the inertia .* none of a rigid body"),
    ({'velocity_limits': [1.0, np.nan]}, "velocity_limits of joint 'j2' holds nan"),
])
def test_a_field_that_no_robot_has_is_refused_by_name(change, said):
    with pytest.raises(ModelError, match=said):
        FIXED.replace(**change)


def test_arrays_of_a_model_and_of_a_wrench_cannot_be_made_writeable():
    exact = hod_ros.multiprecision(FIXED)
    for array in (FIXED.M, FIXED.parent, FIXED.links['tool'][1], exact.M, LinkWrench(numbers(1, 6)).values):
        with pytest.raises(ValueError, match='WRITEABLE'):
            array.setflags(write=True)


def test_inertias_of_a_payload_have_the_structure_of_a_body_in_every_row():
    inertias = np.stack([hod_ros.link_inertia(1.0, (0, 0, 0.1), np.eye(3))] * 3)
    hod_ros.payload_wrench(FIXED, numbers(4, 2), 'tool', inertias * [[[1]], [[-1]], [[1e-12]]])
    for place in ((0, 1), (3, 4), (5, 5), (0, 3)):
        wrong = inertias.copy()
        wrong[1][place] += 1e-3
        with pytest.raises(InputError, match="row 1 of the payload on 'tool' has the inertia"):
            hod_ros.payload_wrench(FIXED, numbers(4, 2), 'tool', wrong)


@pytest.mark.parametrize('compiled', [True, False])
def test_a_base_is_checked_also_where_it_is_of_no_influence(compiled):
    fixed, free = FIXED.replace(), FREE.replace()
    for model in (fixed, free):
        if not compiled:
            object.__setattr__(model, '_compiled', None)
    q = numbers(3, 2)
    jacobian = hod_ros.jacobian(free, q, 'tool', 'body')
    assert np.array_equal(hod_ros.jacobian(free, q, 'tool', 'body', base=(np.eye(4), numbers(2, 6))), jacobian)
    for wrong in ('rubbish', (np.full((4, 4), np.nan), numbers(2, 6)), (np.eye(4), numbers(1, 6)), (np.eye(4), 'x')):
        with pytest.raises(InputError, match='base'):
            hod_ros.jacobian(free, q, 'tool', 'body', base=wrong)
    with pytest.raises(InputError, match='base is given, but the base of two is fixed'):
        hod_ros.jacobian(fixed, q, 'tool', 'body', base=(np.eye(4), numbers(2, 6)))


@pytest.mark.parametrize('compiled', [True, False])
def test_objects_that_are_floats_are_floats(compiled):
    fixed, free = FIXED.replace(), FREE.replace()
    for model in (fixed, free):
        if not compiled:
            object.__setattr__(model, '_compiled', None)
    q, W, V, v = numbers(3, 2), numbers(1, 6), numbers(2, 6), numbers(1, 2)
    loads = hod_ros.PreparedLoads(fixed, {'tool': 'world'})
    for call, given in (
            (lambda V: hod_ros.inverse_dynamics(free, q, base=(np.eye(4), V))[0], V),
            (lambda pose: hod_ros.inverse_dynamics(free, q, base=(pose, V))[1], np.eye(4)),
            (lambda V: hod_ros.inverse_dynamics(free, q[None], base=(np.eye(4), V))[0], V),
            (lambda V: hod_ros.inverse_dynamics_derivatives(free, q, base=(np.eye(4), V)).q, V),
            (lambda V: hod_ros.forward_kinematics(free, q, 'tool', base=(np.eye(4), V)).twists, V),
            (lambda W: hod_ros.inverse_dynamics(fixed, q, wrenches={'tool': W}), W),
            (lambda W: hod_ros.body_wrenches(fixed, q, {'tool': LinkWrench(W, 'world')}), W),
            (lambda W: loads.inverse_dynamics(q, W[:, None]), W),
            (lambda v: hod_ros.force_gradient_product(fixed, q, v), v)):
        result, expected = call(given.astype(object)), call(given)
        assert result.dtype == float
        np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


def test_models_are_equal_whatever_the_sign_of_their_zeros():
    other = FIXED.replace(gravity=(-0.0, 0.0, -9.81))
    assert other == FIXED.replace(gravity=(0.0, -0.0, -9.81)) and hash(other) == hash(FIXED.replace(gravity=(0, 0, -9.81)))


@pytest.mark.parametrize('copied', [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy, copy.copy])
def test_copies_of_values_are_read_only_as_these_are(copied):
    wrench = LinkWrench(numbers(2, 6), 'world')
    motion = Trajectory.from_derivatives([0, 1, 3], numbers(3, 2, 2), ['j1', 'j2'])
    other, moved, model = copied(wrench), copied(motion), copied(FIXED)
    limits, points = copied(hod_ros.Limits(effort=[1.0, 2.0])), copied(hod_ros.Waypoints(['j1', 'j2'], [0, 1], numbers(2, 2)))
    loads, q, W = hod_ros.PreparedLoads(FIXED, {'tool': 'world'}), numbers(3, 2), numbers(1, 1, 6)
    assert copied(loads).links == loads.links and np.array_equal(copied(loads).inverse_dynamics(q, W), loads.inverse_dynamics(q, W))
    assert limits.given == ('effort',) and points.joint_names == ('j1', 'j2') and points.velocities is None
    assert other.frame == 'world' and np.array_equal(other.values, wrench.values)
    assert moved == motion and hash(moved) == hash(motion) and moved.joint_names == motion.joint_names
    times = np.linspace(0, 3, 20)
    assert np.array_equal(moved.evaluate(times, 2), motion.evaluate(times, 2))
    for array in (
            limits.effort, points.times, points.positions, other.values, moved.breaks, moved.coefficients, moved._from_ends, model.M,
            model.links['tool'][1]):
        with pytest.raises(ValueError, match='read-only'):
            array[...] = np.nan


@pytest.mark.parametrize('compute', [
    lambda wrenches: hod_ros.forward_dynamics(FIXED, [[0.1, 0.2], [0.3, 0.4]], [[1.0, 2.0], [3.0, 4.0]], wrenches=wrenches),
    lambda wrenches: hod_ros.inverse_dynamics_derivatives(FIXED, [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], wrenches=wrenches).q,
    lambda wrenches: hod_ros.forward_dynamics_derivatives(FIXED, [[0.1, 0.2], [0.3, 0.4]], [1.0, 2.0], wrenches=wrenches).q,
])
def test_wrenches_from_an_iterator_count_as_often_as_they_are_needed(compute):
    pairs = [('tool', LinkWrench(numbers(3, 6), 'world'))]
    assert np.array_equal(compute(iter(pairs)), compute(pairs))
    assert not np.array_equal(compute(pairs), compute([]))


def test_functions_of_time_are_numbers_in_every_formulation():
    t = sympy.Symbol('t')
    functions = [sympy.Function(name)(t) for name in 'ab']
    rows = [[f.diff(t, k) for f in functions] for k in range(3)]
    left_as_it_stands, _ = hod_ros.symbolic(FIXED, 0, q=functions, simplify=False)
    Q = hod_ros.inverse_dynamics(FIXED, rows)
    values = {entry: 0.1 * k for k, entry in enumerate(reversed([entry for row in rows for entry in row]))}
    values = sorted(values.items(), key=lambda item: -sympy.count_ops(item[0]))
    for a, b in zip(left_as_it_stands.flat, Q.flat, strict=True):
        assert abs(float(a.subs(values)) - float(b.subs(values))) < 1e-12
