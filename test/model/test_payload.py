# SPDX-License-Identifier: Apache-2.0
"""Loads that a link carries, rigid and with an inertia that changes."""

import mpmath
import numpy as np
import pytest
import sympy
from high_precision import derivatives
from high_precision import multiprecision
from high_precision import taylor
from random_trees import random_inertia
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from random_trees import spatial_inertia
from robots import robot

import hod_ros
from hod_ros import RobotModel
from hod_ros import link_inertia
from hod_ros.algebra import lie
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.loads import body_wrenches
from hod_ros.dynamics.payload_wrench import payload_wrench
from hod_ros.errors import InputError
from hod_ros.kinematics.chain import body_pose_and_twists
from hod_ros.model.payload import payload_inertias
from hod_ros.model.payload import with_payload

TENSOR = np.array([[0.02, 0.001, 0.0], [0.001, 0.03, -0.002], [0.0, -0.002, 0.025]])


def with_tool(rng, joints):
    model = random_tree(rng, joints)
    extra = {'tool': (joints - 1, random_pose(rng)), 'pedestal': (-1, random_pose(rng))}
    return model.replace(links=dict(model.links) | extra)


@pytest.mark.parametrize('link', ['tool', 'pedestal'])
def test_a_rigid_payload_is_the_same_as_a_link_welded_on(link):
    rng = np.random.default_rng(1)
    model = with_tool(rng, 5)
    loaded = with_payload(model, link, 2.5, (0.1, -0.2, 0.3), TENSOR)
    body, placement = model.links[link]
    R, p = placement[:3, :3], placement[:3, 3]
    added = spatial_inertia(2.5, p + R @ [0.1, -0.2, 0.3], R @ TENSOR @ R.T)
    change = np.concatenate([loaded.M, loaded.M_base[None]]) - np.concatenate([model.M, model.M_base[None]])
    assert np.abs(change[body] - added).max() < 1e-14
    change[body] = 0
    assert not change.any()


def test_a_constant_payload_gives_the_same_torques_as_a_wrench_and_as_part_of_the_model():
    rng = np.random.default_rng(2)
    model = with_tool(rng, 6)
    q = random_motion(rng, model, 3)
    inertias = np.zeros((5, 6, 6))
    inertias[0] = payload_inertias([2.5], [[0.1, -0.2, 0.3]], [TENSOR])[0]
    for exchanged in (False, True):
        wrench = payload_wrench(model, q, 'tool', inertias, exchanged=exchanged)
        Q, W = recursive.inverse_dynamics(model, q, body_wrenches(model, q, {'tool': wrench}))
        loaded = with_payload(model, 'tool', 2.5, (0.1, -0.2, 0.3), TENSOR)
        Q_loaded, W_loaded = recursive.inverse_dynamics(loaded, q)
        assert np.abs(Q - Q_loaded).max() < 1e-12 * np.abs(Q_loaded).max()
        assert np.abs(W - W_loaded).max() < 1e-12 * np.abs(W_loaded).max()


@pytest.mark.parametrize('exchanged', [False, True])
def test_a_changing_payload_obeys_the_momentum_balance_in_the_world(exchanged):
    rng = np.random.default_rng(3)
    model, order = with_tool(rng, 3), 2
    q = random_motion(rng, model, order)
    inertias = np.stack([random_inertia(rng) for _ in range(order + 2)])
    body, placement = model.links['tool']

    def state(t):
        C, V = body_pose_and_twists(model, taylor(q, t)[:2], body)
        C, V = C @ placement, lie.Ad(lie.inverse(placement)) @ V[0]
        rates = taylor(inertias, t)
        return C, V, rates

    def momentum(t):
        C, V, M = state(t)
        return lie.Ad(lie.inverse(C)).T @ (M[0] @ V)

    def on_link(t):
        """Minus the change of spatial momentum, plus weight, plus what leaving matter carries away."""
        C, V, M = state(t)
        world = lie.Ad(lie.inverse(C))
        weight = world.T @ (M[0] @ (world @ multiprecision(np.array([0, 0, 0, 0, 0, -9.81]))))
        flow = world.T @ (M[1] @ V) if exchanged else 0
        rate = np.array([mpmath.diff(lambda s, c=c: momentum(s)[c], t) for c in range(6)])
        return lie.Ad(C).T @ (-rate + weight + flow)

    got = payload_wrench(model, q, 'tool', inertias, exchanged=exchanged).values
    expected = derivatives(on_link, order + 1)
    assert np.abs(got - expected).max() < 1e-12 * np.abs(expected).max()


def test_payload_inertias_are_time_derivatives_of_the_inertia_about_the_link():
    rng = np.random.default_rng(4)
    mass, center, inertia = rng.uniform(1, 2, 4), rng.standard_normal((4, 3)), rng.standard_normal((4, 3, 3))
    inertia += np.swapaxes(inertia, -1, -2)

    def at(t):
        m, c, tensor = taylor(mass, t)[0], taylor(center, t)[0], taylor(inertia, t)[0]
        return spatial_inertia_of(m, c, tensor).reshape(-1)

    got = payload_inertias(mass, center, inertia)
    assert np.allclose(got.reshape(4, 36), derivatives(at, 4), rtol=1e-12, atol=1e-12)


def spatial_inertia_of(m, c, tensor):
    S = lie.skew(c)
    top = np.concatenate([tensor - m * S @ S, m * S], axis=1)
    return np.concatenate([top, np.concatenate([-m * S, m * np.eye(3, dtype=int)], axis=1)])


@pytest.mark.parametrize(('arguments', 'words'), [
    (('hand', 1.0), ['hand', 'tool']),
    (('tool', -1.0), ['mass', '-1.0']),
    (('tool', np.nan), ['mass', 'nan']),
    (('tool', 1.0, (0, 0)), ['center', '(2,)']),
    (('tool', 1.0, (0, 0, np.inf)), ['center', 'inf']),
    (('tool', 1.0, (0, 0, 0), np.diag([1.0, 1.0, 3.0])), ['3', 'sum of the others']),
    (('tool', 1.0, (0, 0, 0), np.triu(np.ones((3, 3)))), ['symmetric']),
    (('tool', 'heavy'), ['numbers']),
    (('tool', 1e200), ['the mass 1e+200', 'of a real body [kg]']),
    (('tool', 0.0, (0, 0, 0), np.eye(3)), ['inertia but no mass', 'give its mass']),
])
def test_bad_payloads_are_refused_with_value_and_rule(arguments, words):
    with pytest.raises(InputError) as error:
        with_payload(with_tool(np.random.default_rng(1), 2), *arguments)
    assert all(word in str(error.value) for word in words)


@pytest.mark.parametrize(('load', 'words'), [
    ((1.0, (0, 0, 300.0)), ['300 m', 'are these millimetres?']),
    ((1.0, (0, 0, 0), 1000.0 * np.eye(3)), ['1 kg, 1000 kg m^2', 'in another unit?']),
])
def test_a_payload_in_other_units_is_doubted_as_a_link_is(load, words):
    model = with_tool(np.random.default_rng(1), 2)
    doubt, = with_payload(with_payload(model, 'tool', 1.0, (0, 0, 0.3)), 'tool', *load).warnings[len(model.warnings):]
    assert doubt.startswith("the payload of link 'tool': ") and all(word in doubt for word in words)
    assert with_payload(model, 'pedestal', *load).warnings == model.warnings, 'it enters no force'
    assert doubt.replace('tool', 'pedestal') in with_payload(model.replace(base='free'), 'pedestal', *load).warnings


@pytest.mark.parametrize('row', [0, 1])
def test_a_tensor_that_is_not_symmetric_is_refused_in_every_row(row):
    inertia = np.zeros((2, 3, 3))
    inertia[0] = TENSOR
    inertia[row, 0, 1] += 0.5
    with pytest.raises(InputError, match=f'in row {row}; give a symmetric tensor'):
        payload_inertias([1.0, 0.0], np.zeros((2, 3)), inertia)


def test_the_rounding_of_a_tensor_is_taken_off():
    rounded = TENSOR + [[0, 1e-9, 0], [0, 0, 0], [0, 0, 0]]
    got = payload_inertias([1.0], np.zeros((1, 3)), [rounded])[0]
    assert np.array_equal(got, got.T) and np.abs(got[:3, :3] - TENSOR).max() <= 1e-9
    assert np.array_equal(payload_inertias([1.0], np.zeros((1, 3)), [TENSOR])[0, :3, :3], TENSOR)


def test_too_few_derivatives_of_a_changing_payload_are_refused():
    model = with_tool(np.random.default_rng(1), 2)
    with pytest.raises(InputError, match=r'\(2, 6, 6\).*\(4, 6, 6\)'):
        payload_wrench(model, np.zeros((5, 2)), 'tool', np.zeros((2, 6, 6)))
    with pytest.raises(InputError, match="tool.*not finite in row 1"):
        payload_wrench(model, np.zeros((3, 2)), 'tool', np.stack([np.eye(6), np.full((6, 6), np.nan)]))
    with pytest.raises(InputError, match=r'\(2,\), \(1, 3\), \(2, 3, 3\)'):
        payload_inertias([1, 0], [[0, 0, 0]], np.zeros((2, 3, 3)))


def test_a_payload_of_an_exact_model_keeps_its_digits():
    with mpmath.workdps(40):
        model = hod_ros.multiprecision(robot('our_panda', joints=['panda_joint2', 'panda_joint4']))
        third = mpmath.mpf(1) / 3
        added = with_payload(model, model.bodies[1], third).M[1][3, 3] - model.M[1][3, 3] - third
        assert abs(added) < mpmath.mpf(10) ** -38
        for mass, fault in ((-third, 'the mass -0.333'), (mpmath.nan, 'must be finite'), (10 ** 400, 'too large')):
            with pytest.raises(InputError, match=fault):
                with_payload(model, model.bodies[1], mass)


def test_a_payload_may_be_a_symbol():
    link = link_inertia(sympy.Symbol('m'), (0, 0, sympy.Rational(1, 2)))
    model = RobotModel.from_screws([[0, 1, 0, 0, 0, 0]], [np.eye(4, dtype=int)], [link], link_names=['rod'])
    mass = sympy.Symbol('p')
    assert sympy.simplify(with_payload(model, 'rod', mass).M[0][3, 3] - sympy.Symbol('m') - mass) == 0
