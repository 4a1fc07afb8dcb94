# SPDX-License-Identifier: Apache-2.0
"""Every compiled quantity against its numpy reference: single and in batches, on all instruction sets, far from the world's origin."""

import numpy as np
import pytest
from closeness import close
from motion_quantities import OF_LINK
from motion_quantities import OF_ROBOT
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree

import hod_ros
from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import PreparedLoads
from hod_ros import energy
from hod_ros import force_gradient_product
from hod_ros import forward_dynamics_derivatives
from hod_ros import inverse_dynamics
from hod_ros import inverse_dynamics_derivatives
from hod_ros import total_momentum
from hod_ros.algebra.moving_frames import REPRESENTATIONS
from hod_ros.dynamics.loads import FRAMES
from hod_ros.kernel import compiled

pytestmark = [pytest.mark.telling, pytest.mark.skipif(not compiled.available, reason='the package was built without a C++ compiler')]
KINDS = ('revolute', 'prismatic', 'helical')



def of_link(function, representation):
    return lambda model, q, base, **options: function(model, q, 'tool', representation, base=base, **options)


def of_robot(function, **more):
    return lambda model, q, base, **options: function(model, q, base=base, **more, **options)


# name -> (function of (model, q, base), the fewest rows of q)
OF_MOTION = {
    **{f'{name}, {one}': (of_link(getattr(hod_ros, name), one), rows) for name, rows in OF_LINK.items() for one in REPRESENTATIONS},
    **{name: (of_robot(getattr(hod_ros, name)), rows) for name, rows in OF_ROBOT.items()},
    'total_momentum about com': (of_robot(total_momentum, about='com'), 2),
}


def arrays(result):
    return [result] if isinstance(result, np.ndarray) else list(result)


def without_kernel(model):
    twin = model.replace()
    object.__setattr__(twin, '_compiled', None)
    return twin


def some_robots(seed, joints=6):
    """Robots with all kinds of joints, mimics, rotors, on fixed and free bases, and the motion of the base."""
    rng = np.random.default_rng(seed)
    for base in ('fixed', 'free'):
        model = random_tree(rng, joints, kinds=KINDS, mimics=1, base=base)
        armature = rng.uniform(0, 1, model.n) * (np.arange(model.n) % 2)
        model = model.replace(links=dict(model.links) | {'tool': (len(model.bodies) - 1, random_pose(rng))}, armature=armature)
        yield model, lambda rows, free=base == 'free': (random_pose(rng), rng.standard_normal((rows, 6))) if free else None


@pytest.mark.parametrize('name', OF_MOTION)
def test_quantities_agree_with_numpy_single_and_in_batches(name, instruction_set):
    compute, fewest = OF_MOTION[name]
    for model, motion_of_base in some_robots(1):
        for order in range(5):
            rows = order + fewest
            q = random_motion(np.random.default_rng(order), model, order, 11)[:, :rows]
            base = motion_of_base(rows - 1)
            batch, wider = arrays(compute(model, q, base)), arrays(compute(model, q, base, threads=2))
            assert all(np.array_equal(a, b) for a, b in zip(batch, wider, strict=True))
            for i in (0, 7, 10):
                expected = arrays(compute(without_kernel(model), q[i], base))
                for one, many, reference in zip(arrays(compute(model, q[i], base)), batch, expected, strict=True):
                    assert one.shape == reference.shape
                    for k in range(len(reference)):
                        close([one[k]], [reference[k]], 1e-11)
                        close([many[i][k]], [reference[k]], 1e-11)


def robots_that_begin_in_any_way(count, base):
    """Robots of all shapes and mixtures of joints, among them those whose first bodies slide, one behind the other."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        kinds = (('prismatic',), ('revolute', 'prismatic'), KINDS)[seed % 3]
        yield random_tree(rng, 1 + seed % 5, shape=('chain', 'tree', 'star')[seed // 3 % 3], kinds=kinds, base=base)


@pytest.mark.parametrize('base', ['fixed', 'free'])
@pytest.mark.parametrize('name', OF_MOTION)
def test_quantities_agree_with_numpy_on_robots_that_begin_in_any_way(name, base):
    compute, fewest = OF_MOTION[name]
    for model in robots_that_begin_in_any_way(36, base):
        rng = np.random.default_rng(model.n)
        model = model.replace(links=dict(model.links) | {'tool': (len(model.bodies) - 1, random_pose(rng))})
        q = random_motion(rng, model, 1)[:fewest + 1]
        motion = (random_pose(rng), rng.standard_normal((fewest, 6))) if base == 'free' else None
        for one, reference in zip(
                arrays(compute(model, q, motion)), arrays(compute(without_kernel(model), q, motion)), strict=True):
            np.testing.assert_allclose(one, reference, rtol=0, atol=1e-11 * max(1.0, np.abs(reference).max(initial=0.0)))


@pytest.mark.parametrize('compute', [
    lambda model, q: inverse_dynamics(model, q),
    lambda model, q: inverse_dynamics(model, q, formulation='spatial'),
    lambda model, q: hod_ros.forward_dynamics(model, q[:2], inverse_dynamics(model, q)),
    lambda model, q: np.stack(inverse_dynamics_derivatives(model, q[:3])),
    lambda model, q: np.stack(forward_dynamics_derivatives(model, q[:2], inverse_dynamics(model, q)[0])),
    lambda model, q: hod_ros.force_gradients(model, q),
    lambda model, q: force_gradient_product(model, q, inverse_dynamics(model, q)),
], ids=['inverse', 'spatial', 'forward', 'derivatives', 'forward derivatives', 'gradients', 'product'])
def test_dynamics_agree_with_numpy_on_robots_that_begin_in_any_way(compute):
    for model in robots_that_begin_in_any_way(36, 'fixed'):
        q = random_motion(np.random.default_rng(model.n), model, 2)
        close(compute(model, q), compute(without_kernel(model), q), 1e-9)


@pytest.mark.parametrize('name', OF_MOTION)
def test_quantities_are_compiled_and_their_references_take_batches(name):
    compute, fewest = OF_MOTION[name]
    for model, motion_of_base in some_robots(2):
        q, base = random_motion(np.random.default_rng(0), model, 1, 3)[:, :fewest + 1], motion_of_base(fewest)
        asked = {'dynamics_matrices': 'matrices'}.get(name, name.split(',')[0].split(' ')[0])
        assert asked in compiled._doorway.algorithms()
        for samples in (q, q[:0]):
            references = arrays(compute(without_kernel(model), samples, base))
            for one, reference in zip(arrays(compute(model, samples, base)), references, strict=True):
                assert one.shape == reference.shape
                close(one, reference, 1e-11) if len(samples) else None


@pytest.mark.parametrize('name', OF_MOTION)
def test_bad_motions_are_refused_in_words(name):
    compute, fewest = OF_MOTION[name]
    (model, _), (free, _) = some_robots(3)
    bad = np.ones((4, fewest, model.n))
    bad[2, 0, 1] = np.nan
    with pytest.raises(InputError, match='sample 2 of q'):
        compute(model, bad, None)
    if name != 'matrix_derivatives':
        with pytest.raises(InputError, match='order=2'):
            compute(model, np.ones((4, fewest, model.n)), None, order=2)
    with pytest.raises(InputError, match='samples'):
        compute(model, np.ones((20, model.n)), None)
    with pytest.raises(InputError, match='threads'):
        compute(model, np.ones((fewest, model.n)), None, threads=0)
    if name != 'jacobian, body':
        with pytest.raises(InputError, match='base'):
            compute(free, np.ones((fewest, free.n)), None)


@pytest.mark.parametrize('distance', [1e3, 5e6])
def test_what_does_not_depend_on_the_place_keeps_its_digits_far_from_the_origin(distance):
    rng = np.random.default_rng(6)
    near = random_tree(rng, 7, shape='chain')
    near = near.replace(links=dict(near.links) | {'tool': (6, random_pose(rng))})
    B = near.B.copy()
    B[0, :3, 3] += distance
    far, q = near.replace(B=B), random_motion(rng, near, 2)
    for name in ('jacobian, body', 'jacobian, world_aligned', 'centre_of_mass_jacobian', 'regressor', 'dynamics_matrices'):
        compute, _ = OF_MOTION[name]
        for one, other in zip(arrays(compute(far, q, None)), arrays(compute(near, q, None)), strict=True):
            close(one, other, 1e-12)
    close(energy(far, q).kinetic, energy(near, q).kinetic, 1e-12)
    for name in ('forward_kinematics, body', 'forward_kinematics, world_aligned'):
        close(OF_MOTION[name][0](far, q, None).twists, OF_MOTION[name][0](near, q, None).twists, 1e-12)
    derivatives = [arrays(forward_dynamics_derivatives(model, q[:2], q[2])) for model in (far, near)]
    for one, other in zip(*derivatives, strict=True):
        close(one, other, 1e-11)


def test_derivatives_of_forward_dynamics_and_products_with_gradients_agree_with_numpy(instruction_set):
    model, _ = next(some_robots(4))
    q, v = random_motion(np.random.default_rng(0), model, 2, 9), np.random.default_rng(1).standard_normal((9, 3, model.n))
    batch, product = forward_dynamics_derivatives(model, q[:, :2], v[:, 0], threads=2), force_gradient_product(model, q, v, threads=2)
    plain = arrays(forward_dynamics_derivatives(without_kernel(model), q[:, :2], v[:, 0]))
    close(product, force_gradient_product(without_kernel(model), q, v), 1e-11)
    for i in range(9):
        one = arrays(forward_dynamics_derivatives(model, q[i, :2], v[i, 0]))
        expected = arrays(forward_dynamics_derivatives(without_kernel(model), q[i, :2], v[i, 0]))
        for a, b, c, d in zip(one, arrays(batch), plain, expected, strict=True):
            close([a], [d], 1e-9)
            close([b[i]], [d], 1e-9)
            close([c[i]], [d], 1e-9)
        close(force_gradient_product(model, q[i], v[i]), product[i], 1e-12)


@pytest.mark.parametrize('frame', FRAMES)
def test_derivatives_with_loads_agree_with_numpy_on_fixed_and_free_bases(frame, instruction_set):
    rng, links = np.random.default_rng(9), [('tool', frame), ('link3', frame), ('base', frame), ('tool', 'link')]
    for model, motion_of_base in some_robots(8):
        base, driving = motion_of_base(2), rng.standard_normal(6)
        q, Q, values = random_motion(rng, model, 0, 9), rng.standard_normal((9, model.n)), rng.standard_normal((9, 1, 4, 6))
        prepared, bases = PreparedLoads(model, links), base and [np.broadcast_to(part, (9, *part.shape)) for part in base]
        of_base = {} if base is None else {'base': (base[0], base[1][0]), 'base_wrench': driving}

        def wrenches(values, links=links):
            return [(link, LinkWrench(values[..., j, :], frame)) for j, (link, frame) in enumerate(links)]

        forward = arrays(forward_dynamics_derivatives(model, q[:, :2], Q, wrenches=wrenches(values), **of_base, threads=2))
        batches = [arrays(prepared.inverse_dynamics_derivatives(q, values, base=base, threads=threads)) for threads in (None, 2)]
        batches.append(arrays(inverse_dynamics_derivatives(model, q, wrenches=wrenches(values), base=bases and tuple(bases))))
        for i in (0, 7, 8):
            loads, plain = wrenches(values[i]), without_kernel(model)
            expected = arrays(inverse_dynamics_derivatives(plain, q[i], wrenches=loads, base=base))
            one = arrays(prepared.inverse_dynamics_derivatives(q[i], values[i], base=base))
            for found in (one, *([part[i] for part in batch] for batch in batches)):
                for a, reference in zip(found, expected, strict=True):
                    close([a], [reference], 1e-11)
            expected = arrays(forward_dynamics_derivatives(plain, q[i, :2], Q[i], wrenches=loads, **of_base))
            one = arrays(forward_dynamics_derivatives(model, q[i, :2], Q[i], wrenches=loads, **of_base))
            for a, many, reference in zip(one, forward, expected, strict=True):
                close([a], [reference], 1e-9)
                close([many[i]], [reference], 1e-9)


def test_the_energys_rate_is_the_power_of_the_joints_with_derivatives():
    model, _ = next(some_robots(5))
    q = random_motion(np.random.default_rng(0), model, 2)
    E, Q = energy(model, q), inverse_dynamics(model, q)
    power = [Q[0] @ q[1], Q[1] @ q[1] + Q[0] @ q[2], Q[2] @ q[1] + 2 * Q[1] @ q[2] + Q[0] @ q[3]]
    close([E.kinetic[1:] + E.potential[1:]], [power], 1e-12)


def test_derivatives_in_a_batch_are_those_of_its_samples(instruction_set):
    model, _ = next(some_robots(7))
    q = random_motion(np.random.default_rng(0), model, 0, 9)
    batch = inverse_dynamics_derivatives(model, q)
    for i in range(9):
        for many, one in zip(arrays(batch), arrays(inverse_dynamics_derivatives(without_kernel(model), q[i])), strict=True):
            close([many[i]], [one], 1e-11)
