# SPDX-License-Identifier: Apache-2.0
import os
import pickle
import subprocess
import sys
import threading
from decimal import Decimal

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree

from hod_ros import HodError
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.inverse_dynamics import FORMULATIONS
from hod_ros.kernel import compiled

pytestmark = pytest.mark.telling

needs_kernel = pytest.mark.skipif(not compiled.available, reason='the package was built without a C compiler')
KINDS = ('revolute', 'prismatic', 'helical')


def assert_close(Q, expected, tolerance=1e-12):
    assert Q.shape == expected.shape
    for row, wanted in zip(Q.reshape(-1, Q.shape[-1]), expected.reshape(-1, Q.shape[-1]), strict=True):
        assert np.abs(row - wanted).max() <= tolerance * np.abs(wanted).max()


@pytest.fixture
def arm():
    return random_tree(np.random.default_rng(3), 7, kinds=KINDS)


@needs_kernel
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(0, 9), st.integers(0, 3))
def test_the_kernel_agrees_with_the_numpy_recursion(seed, joints, order, mimics):
    rng = np.random.default_rng(seed)
    model = random_tree(rng, joints, kinds=KINDS, mimics=mimics, armature=bool(seed % 2))
    q = random_motion(rng, model, order)
    expected = recursive.inverse_dynamics(model, q)[0]
    error = np.abs(inverse_dynamics(model, q) - expected).max(axis=1)
    assert (error <= 1e-12 * np.maximum(np.abs(expected).max(axis=1), summed(model, q))).all()


def summed(model, q):
    """(rows,) the largest force that Q sums, where mimic joints add theirs to another's: these may cancel."""
    joints = len(model.joints)
    alone = model.replace(
        joint_names=model.joints, coordinate=np.arange(joints), multiplier=np.ones(joints), offset=np.zeros(joints),
        **dict.fromkeys(('armature', 'damping', 'friction', 'position_limits', 'velocity_limits', 'effort_limits')))
    x = q[:, model.coordinate] * model.multiplier
    x[0] += model.offset
    return np.abs(recursive.inverse_dynamics(alone, x)[0] * model.multiplier).max(axis=1)


@needs_kernel
@pytest.mark.parametrize('order', [0, 1, 2, 3, 7, 20])
def test_every_instruction_set_gives_the_same_result(arm, instruction_set, order):
    q = random_motion(np.random.default_rng(order), arm, order)
    expected = recursive.inverse_dynamics(arm, q)[0]
    assert_close(inverse_dynamics(arm, q, order=order), expected)
    assert_close(inverse_dynamics(arm, q[None]), expected[None])


@needs_kernel
@pytest.mark.parametrize('samples', [0, 1, 2, 7, 8, 9, 17, 1000])
def test_a_batch_is_its_samples_one_by_one(arm, instruction_set, samples):
    q = random_motion(np.random.default_rng(samples), arm, 2, samples)
    assert_close(inverse_dynamics(arm, q), np.array([inverse_dynamics(arm, one) for one in q]).reshape(samples, 3, 7))


@needs_kernel
def test_a_sample_of_a_batch_does_not_depend_on_its_place(arm):
    q = random_motion(np.random.default_rng(0), arm, 3, 100)
    turned = inverse_dynamics(arm, np.ascontiguousarray(q[::-1]))[::-1]
    assert np.array_equal(inverse_dynamics(arm, q), turned)


@pytest.mark.parametrize('samples', [None, 11])
def test_loads_and_free_bases_run_compiled_as_in_numpy(samples):
    rng = np.random.default_rng(4)
    model = random_tree(rng, 9, kinds=KINDS, base='free')
    q = random_motion(rng, model, 3, samples)
    base = random_pose(rng), rng.normal(size=(5, 6))
    load = rng.normal(size=(4, 6))
    Q, W = inverse_dynamics(model, q, base=base, wrenches={'link4': load, 'base': load})
    from hod_ros import body_wrenches
    for i, one in enumerate(q if samples else [q]):
        external = body_wrenches(model, one, {'link4': load, 'base': load}, base)
        expected = recursive.inverse_dynamics(model, one, external, base)
        assert_close(Q[i] if samples else Q, expected[0])
        assert_close(W[i] if samples else W, expected[1])


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('samples', [None, 3])
def test_every_formulation_gives_the_same_result(arm, formulation, samples):
    q = random_motion(np.random.default_rng(1), arm, 2, samples)
    load = {'link5': np.random.default_rng(2).normal(size=(3, 6))}
    assert_close(inverse_dynamics(arm, q, formulation=formulation, wrenches=load), inverse_dynamics(arm, q, wrenches=load))


def test_lists_floats32_and_strided_arrays_are_taken(arm):
    q = random_motion(np.random.default_rng(1), arm, 2)
    Q = inverse_dynamics(arm, q)
    assert np.array_equal(inverse_dynamics(arm, q.tolist()), Q)
    assert np.array_equal(inverse_dynamics(arm, np.asfortranarray(q)), Q)
    assert np.array_equal(inverse_dynamics(arm, np.repeat(q, 2, axis=1)[:, ::2]), Q)
    assert_close(inverse_dynamics(arm, q.astype(np.float32)), Q, 1e-4)
    assert_close(inverse_dynamics(arm, np.ones((5, 7), int)), inverse_dynamics(arm, np.ones((5, 7))))


def test_masked_entries_are_refused(arm):
    q = np.ma.array(np.zeros((5, 7)), mask=np.eye(5, 7, dtype=bool))
    with pytest.raises(HodError, match='masked'):
        inverse_dynamics(arm, q)
    with pytest.raises(HodError, match='masked'):
        inverse_dynamics(arm, q[None])
    assert_close(inverse_dynamics(arm, np.ma.array(np.ones((5, 7)))), inverse_dynamics(arm, np.ones((5, 7))))


def test_the_input_is_left_as_it_was_and_may_be_read_only(arm):
    q = random_motion(np.random.default_rng(1), arm, 2)
    before = q.copy()
    q.setflags(write=False)
    inverse_dynamics(arm, q)
    assert np.array_equal(q, before)


@pytest.mark.parametrize('shape', [(), (7,), (2, 7), (5, 6), (5, 8), (0, 7), (4, 2, 7), (4, 5, 6), (1, 1, 5, 7)])
def test_a_wrong_shape_is_refused_with_the_right_one(arm, shape):
    with pytest.raises(HodError, match=r'q has the shape .* (7|columns)'):
        inverse_dynamics(arm, np.zeros(shape))


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('row', range(5))
def test_a_number_that_is_not_finite_is_named_by_row_and_joint(arm, bad, row):
    q = np.zeros((5, 7))
    q[row, 4] = bad
    with pytest.raises(HodError, match=f"row {row} of 'joint5'"):
        inverse_dynamics(arm, q)
    batch = np.zeros((300, 5, 7))
    batch[217] = q
    with pytest.raises(HodError, match=f"sample 217 of q is {bad} in row {row} of 'joint5'"):
        inverse_dynamics(arm, batch)


def test_an_overflow_is_an_error_not_an_infinity(arm):
    with pytest.raises(HodError, match='too large'):
        inverse_dynamics(arm, np.full((5, 7), 1e200))
    with pytest.raises(HodError, match='too large'):
        inverse_dynamics(arm, np.full((2, 5, 7), 1e200))
    with pytest.raises(HodError, match='2000 rows'):
        inverse_dynamics(arm, np.zeros((2000, 7)))


@pytest.mark.parametrize('bad', [float('nan'), float('inf'), 1j, Decimal(1), 10**400, mpmath.nan, 'x', None], ids=repr)
def test_arrays_of_objects_are_checked_as_arrays_of_floats_are(arm, bad):
    q = random_motion(np.random.default_rng(3), arm, 2)
    objects = q.astype(object)
    assert np.array_equal(inverse_dynamics(arm, objects), inverse_dynamics(arm, q))
    objects[1, 2] = bad
    for entry in (objects, [objects, objects]):
        with pytest.raises(HodError, match='^q holds'):
            inverse_dynamics(arm, entry)


@pytest.mark.parametrize('call, said', [
    (lambda arm, q: inverse_dynamics(None, q), 'RobotModel'),
    (lambda arm, q: inverse_dynamics(arm, q, formulation='magic'), "'recursive'"),
    (lambda arm, q: inverse_dynamics(arm, q, formulation=['recursive']), "'closed_form'"),
    (lambda arm, q: inverse_dynamics(arm, q + 0j), 'real numbers'),
    (lambda arm, q: arm.replace(gravity=(0, 0, 'down')), 'gravity'),
    (lambda arm, q: inverse_dynamics(arm, 'q'), 'not an array of numbers'),
    (lambda arm, q: inverse_dynamics(arm, [[1, 2], [3]]), 'not an array of numbers'),
    (lambda arm, q: inverse_dynamics(arm, q, base=(np.eye(4), np.zeros((4, 6)))), "base='free'"),
    (lambda arm, q: inverse_dynamics(arm.replace(base='free'), q), 'free base'),
    (lambda arm, q: inverse_dynamics(arm.replace(base='free'), q, base=(np.eye(3), np.zeros((4, 6)))), r'\(4, 4\)'),
    (lambda arm, q: inverse_dynamics(arm.replace(base='free'), q, base=(np.eye(4), np.zeros((3, 6)))), '4 rows'),
    (lambda arm, q: inverse_dynamics(arm.replace(base='free'), q, base=(2 * np.eye(4), np.zeros((4, 6)))), 'pose'),
    (lambda arm, q: inverse_dynamics(arm, q, wrenches={'nowhere': np.zeros((3, 6))}), 'nowhere'),
    (lambda arm, q: inverse_dynamics(arm, q, wrenches={'link1': np.zeros((2, 6))}), '2 rows'),
])
def test_wrong_arguments_are_refused_with_the_remedy(arm, call, said):
    with pytest.raises(HodError, match=said):
        call(arm, np.zeros((5, 7)))


@needs_kernel
@pytest.mark.parametrize('formulation', ['recursive', 'spatial', 'closed_form'])
@pytest.mark.parametrize('order', [True, 1.0, np.float64(1), np.array(1), np.array([1]), np.True_, '1', -1])
def test_an_order_is_an_integer(arm, order, formulation):
    q = random_motion(np.random.default_rng(3), arm, 1)
    with pytest.raises(HodError, match='order is .*; give an integer of 0 or more'):
        inverse_dynamics(arm, q, order=order, formulation=formulation)
    assert_close(inverse_dynamics(arm, q, order=np.int64(1), formulation=formulation), inverse_dynamics(arm, q))


def test_orders_beyond_the_kernel_are_computed_in_numpy(arm):
    q = np.zeros((compiled.most_rows + 2, 7))
    q[:4] = random_motion(np.random.default_rng(1), arm, 1)
    assert_close(inverse_dynamics(arm, q, order=len(q) - 3)[:2], inverse_dynamics(arm, q[:4]))


@needs_kernel
def test_threads_that_share_a_model_do_not_disturb_each_other(arm):
    motions = [random_motion(np.random.default_rng(i), arm, i) for i in range(6)]
    batches = [random_motion(np.random.default_rng(i), arm, i, 500) for i in range(6)]
    expected = [inverse_dynamics(arm, q) for q in motions], [inverse_dynamics(arm, q) for q in batches]
    failures = []

    def work(i):
        for _ in range(50):
            if not np.array_equal(inverse_dynamics(arm, motions[i]), expected[0][i]):
                failures.append(i)
            if not np.array_equal(inverse_dynamics(arm, batches[i]), expected[1][i]):
                failures.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures


@needs_kernel
def test_results_do_not_share_memory(arm):
    q = random_motion(np.random.default_rng(1), arm, 2)
    first = inverse_dynamics(arm, q)
    kept = first.copy()
    inverse_dynamics(arm, 2 * q)
    assert np.array_equal(first, kept)


def test_a_model_survives_pickling(arm):
    q = random_motion(np.random.default_rng(1), arm, 2)
    copy = pickle.loads(pickle.dumps(arm))
    assert copy.hash == arm.hash
    assert np.array_equal(inverse_dynamics(copy, q), inverse_dynamics(arm, q))


def test_arrays_of_a_model_cannot_be_changed(arm):
    for name in ('B', 'X', 'M', 'parent', 'gravity', 'armature'):
        with pytest.raises(ValueError):
            getattr(arm, name)[...] = 0
    with pytest.raises(AttributeError):
        arm.gravity = (0, 0, 0)


def test_gravity_can_be_replaced(arm):
    still = np.zeros((3, 7))
    assert np.abs(inverse_dynamics(arm, still)).max() > 0.1
    assert np.abs(inverse_dynamics(arm.replace(gravity=(0, 0, 0)), still)).max() == 0


def test_power_of_the_torques_is_the_change_of_energy():
    """Q q' = d/dt (kinetic + potential energy), by differences of the energies along a polynomial motion."""
    rng = np.random.default_rng(9)
    model = random_tree(rng, 6, kinds=KINDS, armature=True)
    q = random_motion(rng, model, 2)

    def energy(t):
        s = np.array([sum(q[k + j] * t**j / [1, 1, 2, 6, 24][j] for j in range(5 - k)) for k in range(2)])
        motion = recursive.body_motion(model, np.vstack([s, np.zeros(model.n)]))
        V = motion.V[0, :-1]
        kinetic = 0.5 * np.einsum('ia,iab,ib', V, model.M, V) + 0.5 * model.armature @ s[1]**2
        poses = []
        for i, parent in enumerate(model.parent):
            poses.append((poses[parent] if parent >= 0 else np.eye(4)) @ motion.C_rel[i])
        moments = [C[:3, :3] @ c + m * C[:3, 3] for C, c, m in zip(poses, model.first_moments, model.masses, strict=True)]
        return kinetic - model.gravity @ np.sum(moments, axis=0)

    h = 1e-3
    slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    assert inverse_dynamics(model, q)[0] @ q[1] == pytest.approx(slope, rel=1e-8)


REFERENCE_ONLY = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    import hod_ros
    from hod_ros.kernel import compiled
import numpy as np
assert not compiled.available
assert sum('numpy reference' in str(w.message) for w in caught) == 1, [str(w.message) for w in caught]
from random_trees import random_tree
model = random_tree(np.random.default_rng(3), 7, kinds=('revolute', 'prismatic', 'helical'))
q = np.arange(35.0).reshape(5, 7) / 35
print(hod_ros.inverse_dynamics(model, q).tolist())
assert hod_ros.inverse_dynamics(model, q[None]).shape == (1, 3, 7)
"""


def test_with_the_kernel_switched_off_the_reference_gives_the_same_result(arm):
    environment = os.environ | {'HOD_ROS_KERNEL': '0', 'PYTHONPATH': os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, '-c', REFERENCE_ONLY], env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    q = np.arange(35.0).reshape(5, 7) / 35
    assert_close(np.array(eval(done.stdout)), inverse_dynamics(arm, q))


def test_a_hand_made_model_that_contradicts_itself_is_refused():
    fields = dict(name='one', joint_names=['a'], bodies=['l'], joints=['a'], parent=[-1], coordinate=[0], multiplier=[1], offset=[0],
                  B=[np.eye(4)], X=[[0, 0, 1, 0, 0, 0]], M=[np.eye(6)], links={})
    RobotModel(**fields)
    for change, said in [
        ({'parent': [0]}, 'parent'), ({'coordinate': [1]}, 'coordinate'), ({'X': [[0, 0, 1]]}, 'shape'),
        ({'M': [np.full((6, 6), np.nan)]}, 'finite'),
        ({'armature': [-1.0]}, 'armature'), ({'base': 'floating'}, "'free'"), ({'gravity': [0, 0]}, 'gravity'),
    ]:
        with pytest.raises(HodError, match=said):
            RobotModel(**fields | change)
