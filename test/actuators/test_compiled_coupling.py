# SPDX-License-Identifier: Apache-2.0
"""Rotors on moving links in the kernel: what numpy's recursion says, for random trees with rotors at any of their links."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_motion
from random_trees import random_tree

from hod_ros import Antagonistic
from hod_ros import DampingFilter
from hod_ros import HyperbolicSineSpring
from hod_ros import LinkWrench
from hod_ros import PreparedDrives
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros.kernel import compiled

pytestmark = pytest.mark.skipif(not compiled.available, reason='there is no compiled kernel')

KINDS = [
    (Rigid, {}), (SeriesElastic, {'stiffness': 3e3}), (SeriesElastic, {'stiffness': 3e3, 'damping': 2.0, 'damping_terms': 1}),
    (Antagonistic, {'spring': HyperbolicSineSpring(torque=20.0, rate=20.0), 'stiffness': 2e4})]


def random_drives(rng, model):
    """Of every kind, with rotors at random links, many of them at the same one; some at the base, some nowhere."""
    drives, links = {}, [*model.links][:1 + len(model.links) // 2]
    for joint in model.joint_names:
        place = {'motor_link': str(rng.choice(links)), 'motor_axis': tuple(rng.normal(size=3))} if rng.random() < 0.8 else {}
        common = {'motor_inertia': 1e-6, 'gear_ratio': float(rng.choice([-80.0, 30.0])), **place}
        kind, more = KINDS[rng.integers(len(KINDS))]
        drives[joint] = kind(**more, **common)
    return drives


def both(model, drives, **options):
    """Prepared drives that the kernel computes, and such that numpy does."""
    quick, slow = PreparedDrives(model, drives, **options), PreparedDrives(model, drives, **options)
    slow._motors = slow.rotors._compiled = None
    return quick, slow


def assert_same(found, expected):
    for name in ('motion', 'torques', 'Q'):
        a, b = getattr(found, name), getattr(expected, name)
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.abs(b).max(axis=(0, -1), keepdims=True).max(), err_msg=name)


def random_trees(rng, count):
    for _ in range(count):
        yield random_tree(
            rng, int(rng.integers(2, 12)), kinds=('revolute', 'revolute', 'prismatic', 'helical'), mimics=int(rng.integers(0, 3)),
            axes=str(rng.choice(['random', 'z'])), armature=bool(rng.integers(2)))


@pytest.mark.usefixtures('instruction_set')
def test_couples_and_torques_of_random_trees_are_numpys():
    rng = np.random.default_rng(11)
    seen = 0
    for model in random_trees(rng, 40):
        rotors = PreparedDrives(model, random_drives(rng, model)).rotors
        if not rotors:
            continue
        seen += 1
        rows, motors = int(rng.integers(3, 9)), len(rotors.figures)
        q, theta = rng.uniform(-1, 1, (11, rows, model.n)), rng.uniform(-100, 100, (11, rows, motors))
        for motion, turned in ((q, theta), (q[4], theta[4])):
            found, expected = rotors._compiled(motion, turned, rotors.figures), rotors._in_numpy(motion, turned)
            for a, b in zip(found, expected, strict=True):
                assert a.shape == b.shape
                np.testing.assert_allclose(a, b, rtol=0, atol=1e-13 * max(np.abs(b).max(), 1e-300))
    assert seen > 30


@pytest.mark.usefixtures('instruction_set')
def test_motors_with_coupled_rotors_are_numpys_alone_in_batches_and_under_loads():
    rng = np.random.default_rng(12)
    for model in random_trees(rng, 12):
        drives = random_drives(rng, model)
        quick, slow = both(model, drives)
        rows = quick.rows + int(rng.integers(0, 3))
        q = random_motion(rng, model, rows - 3, 9, scale=0.5)
        expected = slow.motor_feedforward(q)
        assert quick._compiled(q, None, None, quick._rotor_figures) is not None
        assert_same(quick.motor_feedforward(q), expected)
        assert_same(quick.motor_feedforward(q[4]), slow.motor_feedforward(q[4]))
        loads = {'link2': LinkWrench(rng.normal(size=(rows - 2, 6)), 'world_aligned')}
        assert_same(quick.motor_feedforward(q[3], wrenches=loads), slow.motor_feedforward(q[3], wrenches=loads))
        spong = PreparedDrives(model, {joint: replace(drive, motor_link=None, motor_axis=None) for joint, drive in drives.items()})
        if quick.rotors:
            assert np.abs(quick.motor_feedforward(q).torques - spong.motor_feedforward(q).torques).max() > 1e-8


def test_the_exact_form_and_filters_of_dampers_take_the_kernel_too():
    rng = np.random.default_rng(13)
    model = random_tree(rng, 6, shape='chain')
    links = ['base', *model.bodies]
    drives = {joint: SeriesElastic(stiffness=3e3, motor_inertia=1e-6, gear_ratio=50.0, motor_link=link, motor_axis=(1.0, 2.0, 3.0))
              for joint, link in zip(model.joint_names, links, strict=False)}
    quick, slow = both(model, drives, coupling='exact')
    q = random_motion(rng, model, quick.rows - 3, 5, scale=0.5)
    assert_same(quick.motor_feedforward(q), slow.motor_feedforward(q))
    damped = {joint: replace(drive, damping=3.0) for joint, drive in drives.items()}
    quick, slow = DampingFilter(model, damped, step=1e-3), DampingFilter(model, damped, step=1e-3)
    slow.prepared.rotors._compiled = None
    assert_same(quick(q[0, :5]), slow(q[0, :5]))
