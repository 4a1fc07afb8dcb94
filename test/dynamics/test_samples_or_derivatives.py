# SPDX-License-Identifier: Apache-2.0
"""Arrays of recorded samples are never taken for derivatives: more than a dozen rows need an order or an axis of samples."""

import numpy as np
import pytest

import hod_ros
from hod_ros import AdjustableStiffness
from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import PreparedDrives
from hod_ros import PreparedLoads
from hod_ros import RobotModel
from hod_ros import SeriesElastic

pytestmark = pytest.mark.telling

RECORDED = np.linspace(0.0, 1.0, 5000 * 7).reshape(5000, 7)
POSTURE = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.8, 0.0])
MOTION = np.linspace(-1.0, 1.0, 5 * 7).reshape(5, 7)
HAND = {'panda_link8': 'link'}
ELASTIC = {'panda_joint1': SeriesElastic(stiffness=1e3, motor_inertia=0.1)}
DAMPED = {'panda_joint1': SeriesElastic(stiffness=1e3, motor_inertia=0.1, damping=1.0)}
ALL_ELASTIC = {f'panda_joint{j}': SeriesElastic(stiffness=1e3, motor_inertia=0.1) for j in range(1, 8)}
ADJUSTABLE = {'panda_joint1': AdjustableStiffness(stiffness=1e2, motor_inertia=0.1)}


@pytest.fixture(scope='module')
def panda():
    from robots import PANDA
    return RobotModel.from_urdf(PANDA.read_text())


@pytest.fixture(scope='module')
def floating():
    from robots import PANDA
    return RobotModel.from_urdf(PANDA.read_text(), base='free')


CALLS = {
    'inverse_dynamics': lambda model, q, **order: hod_ros.inverse_dynamics(model, q, **order),
    'closed_form': lambda model, q, **order: hod_ros.inverse_dynamics(model, q, formulation='closed_form', **order),
    'spatial': lambda model, q, **order: hod_ros.inverse_dynamics(model, q, formulation='spatial', **order),
    'forward_dynamics': lambda model, q, **order: hod_ros.forward_dynamics(model, q[:2], q, **order),
    'dynamics_matrices': hod_ros.dynamics_matrices,
    'regressor': hod_ros.regressor,
    'forward_kinematics': lambda model, q, **order: hod_ros.forward_kinematics(model, q, 'panda_link7', **order),
    'jacobian': lambda model, q, **order: hod_ros.jacobian(model, q, 'panda_link7', **order),
    'centre_of_mass': hod_ros.centre_of_mass,
    'total_momentum': hod_ros.total_momentum,
    'force_gradients': hod_ros.force_gradients,
    'friction_forces': lambda model, q, **order: hod_ros.friction_forces(model, q, width=0.1, **order),
    'body_fixed_motion': hod_ros.body_fixed_motion,
    'hybrid_motion': hod_ros.hybrid_motion,
    'spatial_motion': hod_ros.spatial_motion,
    'system_kinematics': hod_ros.system_kinematics,
    'inverse_kinematics': lambda model, twists, **order: hod_ros.inverse_kinematics(
        model, POSTURE, 'panda_link8', twists[:, :6], **order),
    'combined_kinematics': lambda model, twists, **order: hod_ros.combined_kinematics(
        model, POSTURE, 'panda_link8', twists[:, :6], **order),
}

WITHOUT_ORDER = {
    'motor_feedforward': lambda model, q: hod_ros.motor_feedforward(model, ELASTIC, q),
    'PreparedDrives.motor_feedforward': lambda model, q: PreparedDrives(model, ELASTIC).motor_feedforward(q),
    'PreparedDrives.motor_feedforward_of': lambda model, q: PreparedDrives(model, ELASTIC).motor_feedforward_of(q, q[2:]),
    'DampingFilter': lambda model, q: hod_ros.DampingFilter(model, DAMPED)(q),
    'DampingFilter.motor_feedforward_of': lambda model, q: hod_ros.DampingFilter(model, DAMPED).motor_feedforward_of(q, q[2:]),
    'FeedbackLinearisation.state': lambda model, z: hod_ros.FeedbackLinearisation(model, ALL_ELASTIC).state(z),
    'inverse_dynamics_derivatives': hod_ros.inverse_dynamics_derivatives,
    'matrix_derivatives': hod_ros.matrix_derivatives,
    'forward_dynamics_derivatives': lambda model, q: hod_ros.forward_dynamics_derivatives(model, q, q[0]),
    'PreparedLoads.inverse_dynamics': lambda model, q: PreparedLoads(model, HAND).inverse_dynamics(q, np.zeros((3, 1, 6))),
    'PreparedLoads.force_gradients': lambda model, q: PreparedLoads(model, HAND).force_gradients(q, np.zeros((3, 1, 6))),
}

# Functions of (model, q, rows): `rows` stand beside q, once for all samples of it; the numbers of rows that they need for q (.., 5, n).
BESIDE = {
    'inverse_dynamics': (3, lambda model, q, W: hod_ros.inverse_dynamics(model, q, wrenches={'panda_link8': W})),
    'closed_form': (3, lambda model, q, W: hod_ros.inverse_dynamics(model, q, wrenches={'panda_link8': W}, formulation='closed_form')),
    'LinkWrench': (3, lambda model, q, W: hod_ros.inverse_dynamics(model, q, wrenches=[('panda_link8', LinkWrench(W, 'world'))])),
    'body_wrenches': (3, lambda model, q, W: hod_ros.body_wrenches(model, q, {'panda_link8': W})),
    'forward_dynamics': (3, lambda model, q, W: hod_ros.forward_dynamics(
        model, q[..., :2, :], q[..., 2:, :], wrenches={'panda_link8': W})),
    'inverse_dynamics_derivatives': (1, lambda model, q, W: hod_ros.inverse_dynamics_derivatives(model, q, wrenches={'panda_link8': W})),
    'forward_dynamics_derivatives': (1, lambda model, q, W: hod_ros.forward_dynamics_derivatives(
        model, q[..., :2, :], q[..., 2, :], wrenches={'panda_link8': W})),
    'force_gradients': (3, lambda model, q, W: hod_ros.force_gradients(model, q, wrenches={'panda_link8': W})),
    'force_gradient_product': (3, lambda model, q, W: hod_ros.force_gradient_product(
        model, q, q[..., 2:, :], wrenches={'panda_link8': W})),
    'PreparedLoads.inverse_dynamics': (3, lambda model, q, W: PreparedLoads(model, HAND).inverse_dynamics(q, W[..., None, :])),
    'PreparedLoads.inverse_dynamics_derivatives': (1, lambda model, q, W: PreparedLoads(model, HAND).inverse_dynamics_derivatives(
        q[..., :3, :], W[..., None, :])),
    'PreparedLoads.force_gradients': (3, lambda model, q, W: PreparedLoads(model, HAND).force_gradients(q, W[..., None, :])),
    'PreparedLoads.force_gradient_product': (3, lambda model, q, W: PreparedLoads(model, HAND).force_gradient_product(
        q, q[..., 2:, :], W[..., None, :])),
    'motor_feedforward': (3, lambda model, q, k: hod_ros.motor_feedforward(model, ADJUSTABLE, q, stiffness=10 + k[..., :1])),
    'motor_feedforward of lists': (3, lambda model, q, k: hod_ros.motor_feedforward(
        model, ADJUSTABLE, q, stiffness=(10 + k[..., :1]).tolist())),
    'PreparedDrives.motor_feedforward_of': (3, lambda model, q, k: PreparedDrives(model, ADJUSTABLE).motor_feedforward_of(
        q, q[..., 2:, :], 10 + k[..., :1])),
}
OF_A_FREE_BASE = {
    'inverse_dynamics': (4, hod_ros.inverse_dynamics),
    'closed_form': (4, lambda model, q, base: hod_ros.inverse_dynamics(model, q, base=base, formulation='closed_form')),
    'inverse_dynamics_derivatives': (2, lambda model, q, base: hod_ros.inverse_dynamics_derivatives(model, q[..., :3, :], base=base)),
    'dynamics_matrices': (4, hod_ros.dynamics_matrices),
    'regressor': (4, hod_ros.regressor),
    'forward_kinematics': (4, lambda model, q, base: hod_ros.forward_kinematics(model, q, 'panda_link8', base=base)),
    'jacobian': (4, lambda model, q, base: hod_ros.jacobian(model, q, 'panda_link8', 'spatial', base=base)),
    'total_momentum': (4, hod_ros.total_momentum),
    'energy': (4, hod_ros.energy),
    'body_wrenches': (4, lambda model, q, base: hod_ros.body_wrenches(model, q, {}, base=base)),
    'PreparedLoads.inverse_dynamics': (4, lambda model, q, base: PreparedLoads(model, HAND).inverse_dynamics(
        q, np.zeros((3, 1, 6)), base=base)),
}
ONE_SAMPLE_OF_A_FREE_BASE = {
    'body_fixed_motion': hod_ros.body_fixed_motion,
    'hybrid_motion': hod_ros.hybrid_motion,
    'spatial_motion': hod_ros.spatial_motion,
    'system_kinematics': hod_ros.system_kinematics,
    'net_wrenches': hod_ros.net_wrenches,
    'parameter_derivatives': hod_ros.parameter_derivatives,
    'inverse_kinematics': lambda model, q, base: hod_ros.inverse_kinematics(
        model, POSTURE, 'panda_link8', RECORDED[:3, :6], base=base),
}


@pytest.mark.parametrize('rows', [13, 50, 5000])
@pytest.mark.parametrize('name', CALLS)
def test_rows_that_may_be_samples_are_refused(panda, name, rows):
    with pytest.raises(InputError, match=f'has {rows} rows: are these samples'):
        CALLS[name](panda, RECORDED[:rows])


@pytest.mark.parametrize('rows', [13, 50, 5000])
@pytest.mark.parametrize('name', WITHOUT_ORDER)
def test_the_remedy_names_no_order_where_there_is_none(panda, name, rows):
    with pytest.raises(InputError, match=f'has {rows} rows: are these samples') as refusal:
        WITHOUT_ORDER[name](panda, RECORDED[:rows])
    assert 'order' not in str(refusal.value)


@pytest.mark.parametrize('name', CALLS)
def test_an_order_says_that_rows_are_derivatives_and_must_fit(panda, name):
    with pytest.raises(InputError, match='order=2 needs'):
        CALLS[name](panda, RECORDED[:13], order=2)


def test_a_dozen_rows_and_more_with_their_order_are_derivatives(panda):
    q = RECORDED[:23]
    Q = hod_ros.inverse_dynamics(panda, q, order=20)
    assert Q.shape == (21, 7)
    np.testing.assert_allclose(hod_ros.inverse_dynamics(panda, q[:12]), Q[:10], rtol=1e-9)
    assert hod_ros.dynamics_matrices(panda, q, order=21).M.shape == (22, 7, 7)


def without_kernel(model):
    """The same model, which numpy computes."""
    model = model.replace()
    object.__setattr__(model, '_compiled', None)
    return model


def shared(name, table, of_base):
    """(needed, function of (model, q, rows)) of a table."""
    needed, call = table[name]
    return needed, (lambda model, q, rows: call(model, q, base=(np.eye(4), rows))) if of_base else call


EACH = [pytest.param(BESIDE, name, id=name) for name in BESIDE] + [
    pytest.param(OF_A_FREE_BASE, name, id=f'base of {name}') for name in OF_A_FREE_BASE]


def arrays_of(result):
    """The arrays of a result, whatever holds them."""
    if isinstance(result, hod_ros.MotorFeedforward):
        return [result.motion, result.torques]
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize('kernel', ['compiled', 'numpy'])
@pytest.mark.parametrize(('table', 'name'), EACH)
def test_rows_beside_the_motion_that_may_be_samples_are_refused(panda, floating, table, name, kernel):
    needed, call = shared(name, table, table is OF_A_FREE_BASE)
    model = floating if table is OF_A_FREE_BASE else panda
    if kernel == 'numpy':
        model = without_kernel(model)
    rows = 0.01 * RECORDED[:, :6]
    for samples, given in ((6, 6), (6, 6 * needed), (5, 5 * needed), (20, 20), (20, 13), (20, 5000)):
        with pytest.raises(InputError, match=rf'ha(s|ve) {given} rows: are these samples\? .*, \({samples}, {needed}, '):
            call(model, np.tile(MOTION, (samples, 1, 1)), rows[:given])
    for samples, given in ((6, needed + 1), (6, 5), (6, 7), (6, 12)):
        if given > needed and given not in (samples, samples * needed):
            with pytest.warns(UserWarning, match=rf'ha(s|ve) {given} rows: are these samples\? .*, which each of 6 samples takes now'):
                call(model, np.tile(MOTION, (samples, 1, 1)), rows[:given])
    for given in (13, 5000):
        with pytest.raises(InputError, match=rf'ha(s|ve) {given} rows: are these samples\? .*, \(samples, {needed}, .* and q too'):
            call(model, MOTION, rows[:given])


@pytest.mark.parametrize(('table', 'name'), EACH)
def test_surplus_rows_beside_one_sample_are_of_no_influence(panda, floating, table, name):
    needed, call = shared(name, table, table is OF_A_FREE_BASE)
    model = floating if table is OF_A_FREE_BASE else panda
    rows = 0.01 * RECORDED[:, :6]
    expected = arrays_of(call(model, MOTION, rows[:needed]))
    for given in (needed + 1, 12):
        for one, other in zip(arrays_of(call(model, MOTION, rows[:given])), expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(('table', 'name'), EACH)
def test_rows_beside_samples_serve_each_of_them(panda, floating, table, name):
    needed, call = shared(name, table, table is OF_A_FREE_BASE)
    model = floating if table is OF_A_FREE_BASE else panda
    rows = 0.01 * RECORDED[:needed, :6]
    expected = arrays_of(call(model, MOTION, rows))
    for samples in (1, 6, needed):
        for one, other in zip(arrays_of(call(model, np.tile(MOTION, (samples, 1, 1)), rows)), expected, strict=True):
            np.testing.assert_allclose(one, np.broadcast_to(other, one.shape), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize('name', ONE_SAMPLE_OF_A_FREE_BASE)
def test_twists_of_a_base_that_may_be_samples_are_refused_where_one_sample_is_taken(floating, name):
    call = ONE_SAMPLE_OF_A_FREE_BASE[name]
    call(floating, MOTION, base=(np.eye(4), RECORDED[:12, :6]))
    with pytest.raises(InputError, match='have 13 rows: are these samples. Give one sample at a time'):
        call(floating, MOTION, base=(np.eye(4), RECORDED[:13, :6]))


def test_an_order_says_so_of_wrenches_and_of_the_motion_of_a_base_too(panda, floating):
    q, W, V = 0.1 * RECORDED[:23], RECORDED[:21, :6], 0.1 * RECORDED[:22, :6]
    for frame in ('link', 'world_aligned', 'world'):
        loaded = {'panda_link8': LinkWrench(W, frame)}
        Q = hod_ros.inverse_dynamics(panda, q, wrenches=loaded, order=20)
        for model in (panda, without_kernel(panda)):
            back = hod_ros.forward_dynamics(model, q[:2], Q[:14], wrenches={'panda_link8': LinkWrench(W[:14], frame)}, order=13)
            np.testing.assert_allclose(back[:8], q[2:10], rtol=1e-6, atol=1e-8)
    for formulation in ('recursive', 'closed_form', 'spatial', 'body_fixed', 'hybrid'):
        Q = hod_ros.inverse_dynamics(floating, q, base=(np.eye(4), V), order=20, formulation=formulation)[0]
        np.testing.assert_allclose(Q[:10], hod_ros.inverse_dynamics(floating, q[:12], base=(np.eye(4), V[:11]))[0], rtol=1e-7, atol=1e-9)


def test_a_dozen_twists_lead_to_the_twelfth_derivative_and_more_say_their_order(panda, floating):
    twists = 0.01 * RECORDED[:20, :6]
    base = np.eye(4), 0.01 * RECORDED[:20, :6]
    a_dozen = hod_ros.inverse_kinematics(panda, POSTURE, 'panda_link8', twists[:12])
    assert a_dozen.shape == (13, 7)
    many = hod_ros.inverse_kinematics(panda, POSTURE, 'panda_link8', twists, order=20)
    np.testing.assert_array_equal(many[:13], a_dozen)
    found, _ = hod_ros.combined_kinematics(panda, POSTURE, 'panda_link8', twists, order=20)
    reached = hod_ros.forward_kinematics(panda, found, 'panda_link8', 'spatial', order=20).twists
    np.testing.assert_allclose(reached[:10], twists[:10], rtol=1e-6, atol=1e-12)
    many = hod_ros.inverse_kinematics(floating, POSTURE, 'panda_link8', twists, base=base, order=20)
    np.testing.assert_array_equal(many[:13], hod_ros.inverse_kinematics(
        floating, POSTURE, 'panda_link8', twists[:12], base=(base[0], base[1][:12])))
    with pytest.raises(InputError, match='twists has 13 rows: are these samples.*order=13'):
        hod_ros.inverse_kinematics(panda, POSTURE, 'panda_link8', twists[:13])


def test_inertias_of_a_payload_that_may_be_samples_are_refused(panda):
    inertias = np.tile(hod_ros.link_inertia(1.0, (0, 0, 0.1), np.eye(3)), (200, 1, 1))
    assert hod_ros.payload_wrench(panda, MOTION, 'panda_link8', inertias[:12]).values.shape == (3, 6)
    with pytest.raises(InputError, match="'panda_link8' have 200 rows: are these samples. Give one sample at a time"):
        hod_ros.payload_wrench(panda, MOTION, 'panda_link8', inertias)
