# SPDX-License-Identifier: Apache-2.0
"""The page on CasADi, JAX and PyTorch: each block runs as printed, and its gradients are those of the library."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hod_ros import RobotModel
from hod_ros import example_robot
from hod_ros import force_gradient_product
from hod_ros import force_gradients
from hod_ros import inverse_dynamics

ROOT = Path(__file__).resolve().parents[2]
Q = np.random.default_rng(8).uniform(-1, 1, (3, 5, 7))


@pytest.fixture(scope='module')
def panda():
    return RobotModel.from_urdf(example_robot('panda'))


def run(package):
    """The names that the block of a package defines."""
    pytest.importorskip(package, reason=f'{package} is not installed: pip install {package}')
    blocks = re.findall(r'```python\n(.*?)```', (ROOT / 'docs' / 'optimisers.md').read_text(), flags=re.DOTALL)
    block, = (block for block in blocks if block.startswith(f'import {package}\n'))
    assert len(block.splitlines()) <= 24
    names = {}
    exec(compile(block, 'optimisers.md', 'exec'), names)
    return names


def test_casadi_as_printed():
    assert run('casadi')['f'].size_out(0) == (7, 40)


def test_jax_as_printed(panda):
    names = run('jax')
    jax, torques = names['jax'], names['torques']
    np.testing.assert_array_equal(torques(Q), inverse_dynamics(panda, Q))
    expected = force_gradients(panda, Q)
    jacobians = jax.vmap(jax.jacrev(torques))(Q)                        # (samples, k, i, j, h)
    np.testing.assert_allclose(np.asarray(jacobians).transpose(0, 1, 3, 2, 4), expected, rtol=1e-12, atol=1e-11)
    rates = inverse_dynamics(panda, Q[0])[1]
    gradient = force_gradient_product(panda, Q[0], [np.zeros(7), 2 * rates, np.zeros(7)])
    np.testing.assert_allclose(names['effort_rate'](Q[0]), gradient, rtol=1e-12, atol=1e-9)


def test_torch_as_printed(panda):
    names = run('torch')
    torch, torques = names['torch'], names['Torques'].apply
    assert names['q'].grad.shape == (100, 5, 7)
    q = torch.from_numpy(Q).requires_grad_()
    assert torch.autograd.gradcheck(torques, (q,), eps=1e-6, atol=1e-5, rtol=1e-5)
    v = np.random.default_rng(9).standard_normal((3, 3, 7))
    torques(q).backward(torch.from_numpy(v))
    np.testing.assert_allclose(q.grad.numpy(), force_gradient_product(panda, Q, v), rtol=1e-13, atol=1e-13)


def test_the_trajectory_optimisation_keeps_torque_rates_and_beats_the_straight_line():
    pytest.importorskip('casadi', reason='casadi is not installed: pip install casadi')
    pytest.importorskip('scipy')
    program = ROOT / 'examples' / 'trajectory_optimisation.py'
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    share = float(re.search(r'that is ([\d.]+) of', done.stdout)[1])
    assert 0.6 < share < 0.85 and '\nfeasible for panda' in done.stdout
