# SPDX-License-Identifier: Apache-2.0
"""The worked examples run, and what they show is right."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hod_ros import inverse_dynamics
from hod_ros import jacobian
from hod_ros import symbolic

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / 'examples'


@pytest.fixture
def example(monkeypatch):
    """Imports a module of the folder examples by name."""
    from importlib import import_module
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return import_module


def run(script, folder, *arguments):
    environment = os.environ | {'PYTHONPATH': str(ROOT), 'MPLCONFIGDIR': str(folder)}
    return subprocess.run([sys.executable, EXAMPLES / script, '--output', folder, '--samples', '20', *arguments],
                          env=environment, check=True, capture_output=True, text=True, timeout=900).stdout


@pytest.mark.parametrize('script', ['planar_2r', 'kuka_iiwa', 'panda_figures'])
def test_each_example_writes_its_picture(script, tmp_path):
    pytest.importorskip('matplotlib')
    output = run(f'{script}.py', tmp_path)
    assert (tmp_path / f'{script}.png').read_bytes().startswith(b'\x89PNG')
    assert 'relative' in output


def test_planar_arm_obeys_lagranges_equations_and_their_time_derivatives(example):
    sympy = pytest.importorskip('sympy')
    from sympy.simplify.fu import TR8
    planar = example('planar_2r')
    m1, m2, L1, L2, g = planar.PARAMETERS
    t = sympy.Symbol('t')
    angles = [sympy.Function('a')(t), sympy.Function('b')(t)]
    first = sympy.Matrix([L1 * sympy.cos(angles[0]), L1 * sympy.sin(angles[0])])
    second = first + sympy.Matrix([L2 * sympy.cos(sum(angles)), L2 * sympy.sin(sum(angles))])
    kinetic = (m1 * first.diff(t).dot(first.diff(t)) + m2 * second.diff(t).dot(second.diff(t))) / 2
    potential = m1 * g * first[1] + m2 * g * second[1]
    lagrangian = kinetic - potential
    forces = [lagrangian.diff(angle.diff(t)).diff(t) - lagrangian.diff(angle) for angle in angles]
    Q, _ = symbolic(planar.planar_arm(*planar.PARAMETERS), 2, q=angles)
    for order in range(3):
        for joint in range(2):
            difference = (Q[order, joint] - sympy.diff(forces[joint], t, order)).expand()
            assert TR8(difference).expand() == 0        # products of sines and cosines as sums, where all cancels


def test_planar_arms_order_0_is_the_one_of_textbooks(example):
    sympy = pytest.importorskip('sympy')
    planar = example('planar_2r')
    m1, m2, L1, L2, g = planar.PARAMETERS
    Q, q = symbolic(planar.planar_arm(*planar.PARAMETERS), 0)
    (a, b), (da, db), (dda, ddb) = q
    c, s = sympy.cos(b), sympy.sin(b)
    weight2 = m2 * L2 * g * sympy.cos(a + b)
    textbook = [
        (m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c + L2**2)) * dda + m2 * (L1 * L2 * c + L2**2) * ddb
        - m2 * L1 * L2 * s * (2 * da * db + db**2) + (m1 + m2) * L1 * g * sympy.cos(a) + weight2,
        m2 * (L1 * L2 * c + L2**2) * dda + m2 * L2**2 * ddb + m2 * L1 * L2 * da**2 * s + weight2]
    assert [sympy.expand(ours - theirs) for ours, theirs in zip(Q[0], textbook, strict=True)] == [0, 0]


def peer_forces(model, q, tensors_about_frames=False):
    """Q by Pinocchio, built from masses, centres and tensors rather than from our 6x6 inertias."""
    pin = pytest.importorskip('pinocchio')
    robot = pin.Model()
    robot.gravity.linear = np.array(model.gravity)
    for i in range(len(model.bodies)):
        robot.addJoint(i, pin.JointModelRZ(), pin.SE3(model.B[i]), model.joints[i])
        mass = model.masses[i]
        center = model.first_moments[i] / mass
        tensor = np.array(model.tensors[i])
        if tensors_about_frames:
            tensor += mass * pin.skew(center) @ pin.skew(center)
        about_frame = tensor[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
        inertia = pin.Inertia.FromDynamicParameters(np.concatenate([[mass], mass * center, about_frame]))
        robot.appendBodyToJoint(i + 1, inertia, pin.SE3.Identity())
    return pin.rnea(robot, robot.createData(), *q[:3])


@pytest.mark.parametrize('module, name', [('panda_figures', 'panda'), ('kuka_iiwa', 'iiwa')])
def test_the_published_reading_and_the_right_one_are_what_the_pages_say(example, module, name):
    model = getattr(example(module), name)()
    misread = example('tensors').tensors_taken_about_link_frames(model).replace(gravity=(0, 0, 0))
    q = example('sine_motion').SineMotion.from_yaml().derivatives(0.7, 6)
    right, published = inverse_dynamics(model, q)[0], inverse_dynamics(misread, q)[0]
    np.testing.assert_allclose(right, peer_forces(model, q), atol=1e-12 * np.abs(right).max())
    weightless = model.replace(gravity=(0, 0, 0))
    peers = peer_forces(weightless, q, tensors_about_frames=True)
    np.testing.assert_allclose(published, peers, atol=1e-12 * np.abs(right).max())
    assert np.abs(right - published).max() > 1.0


def test_panda_of_003s_screws_is_the_panda_of_the_urdf(example):
    panda = example('panda_figures')
    model = panda.panda()
    screws = panda.panda_from_screws(model.M)
    np.testing.assert_allclose(screws.B, model.B, atol=1e-15)
    np.testing.assert_allclose(screws.X, model.X, atol=1e-15)
    q = example('sine_motion').SineMotion.from_yaml().derivatives(1.3, 6)
    Q = inverse_dynamics(model, q)
    np.testing.assert_allclose(inverse_dynamics(screws, q), Q, atol=1e-12 * np.abs(Q).max())


def test_iiwas_derivatives_are_those_of_its_torques(example):
    kuka = example('kuka_iiwa')
    model, motion = kuka.iiwa(), example('sine_motion').SineMotion.from_yaml()
    t = np.array([0.3, 2.1])
    Q = inverse_dynamics(model, motion.derivatives(t, 5), wrenches={kuka.TOOL: kuka.load(t, 3)}, formulation='closed_form')
    for order, tolerance in ((1, 1e-5), (2, 1e-4)):
        differences = kuka.by_differences(model, motion, t, order)
        assert np.abs(differences - Q[:, order]).max() < tolerance * np.abs(Q[:, order]).max()


def test_iiwas_published_curves_are_met_to_half_a_printed_unit(example):
    """With gravity, the published load and the authors' reading of the tensors; with the right one they are not."""
    kuka = example('kuka_iiwa')
    printed = np.loadtxt(Path(__file__).with_name('kuka_iiwa_curves.csv'), delimiter=',', comments=('#', 't'))
    t, heights = printed[:, 0], printed[:, 1:]
    q = example('sine_motion').SineMotion.from_yaml().derivatives(t, 3)

    def height(values, lowest, highest):
        return 374 - (values - lowest) / (highest - lowest) * 343

    def torques(model):
        return height(inverse_dynamics(model, q, wrenches={kuka.TOOL: kuka.load(t, 1)})[:, 0], -100, 150)

    model = kuka.iiwa()
    half_a_unit = 0.0005 + np.spacing(np.float32(374)) / 2          # drawn with three decimals, from single precision
    assert np.abs(height(q[:, 0], -2, 2) - heights[:, :7]).max() <= half_a_unit
    assert np.abs(torques(example('tensors').tensors_taken_about_link_frames(model)) - heights[:, 7:]).max() <= half_a_unit
    assert np.abs(torques(model) - heights[:, 7:]).max() > 1000 * half_a_unit


def test_iiwas_published_load_is_added_by_the_transposed_jacobian(example):
    kuka = example('kuka_iiwa')
    model, t = kuka.iiwa(), np.array([0.3, 2.1])
    q = example('sine_motion').SineMotion.from_yaml().derivatives(t, 3)
    W = np.repeat(10 * np.sin(np.pi * t), 6).reshape(2, 6)
    loaded = inverse_dynamics(model, q, wrenches={kuka.TOOL: kuka.load(t, 1)})[:, 0]
    for i in range(2):
        J = jacobian(model, q[i], kuka.TOOL)[0]
        np.testing.assert_allclose(loaded[i], peer_forces(model, q[i]) + J.T @ W[i], atol=1e-12 * np.abs(loaded).max())


def test_a_plan_becomes_feasible_and_has_effort(example, capsys):
    assert example('planned_motion').main() == 0
    before, after, points = capsys.readouterr().out.splitlines()
    assert 'not feasible' in before and 'effort rate' in before
    assert ': feasible' in after and 'points with effort' in points


def test_jumps_of_torque_shake_an_elastic_arm_and_limited_torque_rates_do_not(example):
    pytest.importorskip('mujoco')
    pytest.importorskip('toppra')
    model, _, runs = example('elastic_time_optimal').compare()
    theirs, quintic, ours = runs.values()
    assert 5e-3 < theirs.largest and quintic.largest < theirs.largest / 10 and ours.largest < quintic.largest / 10
    assert (np.abs(ours.efforts).max(axis=0) <= model.effort_limits * (1 + 1e-6)).all()


@pytest.mark.parametrize(('script', 'package'), [('ruckig_motion', 'ruckig'), ('elastic_time_optimal', 'toppra')])
def test_an_example_whose_package_is_missing_says_what_to_install(example, script, package, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, package, None)
    assert example(script).main([]) == 0
    assert f'{sys.executable} -m pip install {package}' in capsys.readouterr().err


def test_ruckigs_motion_is_slowed_down_until_its_torque_rates_are_within_limits(example, capsys):
    pytest.importorskip('ruckig')
    assert example('ruckig_motion').main([]) == 0
    own, smooth, slower = capsys.readouterr().out.splitlines()
    assert 'as ruckig has it: effort rates up to 1331 N m/s' in own
    assert 'not feasible' in smooth and ': feasible' in slower
