# SPDX-License-Identifier: Apache-2.0
"""The library on numpy 1.26, which is Ubuntu 24.04's and so that of a Jazzy installed there."""

import sys

import checkout
import pytest

USE = '''
import numpy as np
import sympy

import hod_ros
from hod_ros.kernel import compiled
from hod_ros.dynamics.inverse_dynamics import FORMULATIONS

assert np.__version__.startswith('1.26') and compiled.available
text = open('config/robots/panda.urdf', 'rb').read()
model = hod_ros.RobotModel.from_urdf(text)
q = np.random.default_rng(0).standard_normal((5, model.n))
Q = hod_ros.inverse_dynamics(model, q)

def agree(ours, theirs):
    np.testing.assert_allclose(np.asarray(ours, float), theirs, atol=1e-11 * np.abs(theirs).max())

for formulation in FORMULATIONS:
    agree(hod_ros.inverse_dynamics(model, q, formulation=formulation), Q)
agree(hod_ros.inverse_dynamics(model, np.stack([q] * 20))[-1], Q)
agree(hod_ros.inverse_dynamics(hod_ros.multiprecision(model), q), Q)
agree(hod_ros.regressor(model, q) @ hod_ros.inertial_parameters(model), Q)
agree(hod_ros.forward_dynamics(model, q[:2], Q), q[2:])
D = hod_ros.dynamics_matrices(model, q[:2])
agree(D.M[0] @ q[2] + D.C[0] @ q[1] + D.g[0], Q[0])

two = hod_ros.RobotModel.from_urdf(text, joints=['panda_joint4', 'panda_joint2'])
expressions, symbols = hod_ros.symbolic(two, 1)
agree(sympy.lambdify(list(symbols.flat), expressions.tolist())(*q[:4, :2].flat), hod_ros.inverse_dynamics(two, q[:4, :2]))
'''


@pytest.mark.skipif(sys.version_info >= (3, 13), reason='numpy 1.26 is not built for this Python')
def test_numpy_1_26_gives_the_same_results(tmp_path):
    python = checkout.virtual_environment(tmp_path / 'env')
    checkout.run([python, '-m', 'pip', 'install', 'numpy==1.26.4', 'urdfdom-py', 'mpmath', 'sympy'], tmp_path, checkout.bare_environment())
    checkout.run([python, '-W', 'error', '-c', USE], checkout.ROOT, checkout.bare_environment(PYTHONPATH=checkout.ROOT))
