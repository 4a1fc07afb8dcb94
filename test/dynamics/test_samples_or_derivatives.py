# SPDX-License-Identifier: Apache-2.0
"""An array of recorded positions is never taken for derivatives: more than a dozen rows need an order or an axis of samples."""

import numpy as np
import pytest

import hod_ros
from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros import SeriesElastic

pytestmark = pytest.mark.telling

RECORDED = np.linspace(0.0, 1.0, 5000 * 7).reshape(5000, 7)


@pytest.fixture(scope='module')
def panda():
    from robots import PANDA
    return RobotModel.from_urdf(PANDA.read_text())


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
    'motor_feedforward': lambda model, q: hod_ros.motor_feedforward(
        model, {'panda_joint1': SeriesElastic(stiffness=1e3, motor_inertia=0.1)}, q),
}


@pytest.mark.parametrize('rows', [13, 50, 5000])
@pytest.mark.parametrize('name', CALLS)
def test_rows_that_may_be_samples_are_refused(panda, name, rows):
    with pytest.raises(InputError, match=f'has {rows} rows: are these samples'):
        CALLS[name](panda, RECORDED[:rows])


@pytest.mark.parametrize('name', [name for name in CALLS if name != 'motor_feedforward'])
def test_an_order_says_that_rows_are_derivatives_and_must_fit(panda, name):
    with pytest.raises(InputError, match='order=2 needs'):
        CALLS[name](panda, RECORDED[:13], order=2)


def test_a_dozen_rows_and_more_with_their_order_are_derivatives(panda):
    q = RECORDED[:23]
    Q = hod_ros.inverse_dynamics(panda, q, order=20)
    assert Q.shape == (21, 7)
    np.testing.assert_allclose(hod_ros.inverse_dynamics(panda, q[:12]), Q[:10], rtol=1e-9)
    assert hod_ros.dynamics_matrices(panda, q, order=21).M.shape == (22, 7, 7)
