# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from scipy.interpolate import BPoly
from scipy.interpolate import PPoly

from hod_ros import InputError
from hod_ros import Trajectory

pytestmark = pytest.mark.telling


def random_trajectory(rng, pieces=5, degree=6, n=3, names=None):
    breaks = rng.uniform(-2, 2) + np.cumsum(rng.uniform(0.1, 2, pieces + 1))
    return Trajectory(breaks, rng.standard_normal((pieces, degree + 1, n)), names)


def as_ppoly(t):
    h = np.diff(t.breaks)[:, None, None]
    powers = np.arange(t.coefficients.shape[1])[:, None]
    return PPoly(np.moveaxis(t.coefficients / h**powers, 1, 0)[::-1], t.breaks)


@pytest.mark.parametrize('samples', [3, 40, 4000])
def test_evaluates_as_scipys_piecewise_polynomials_do(samples):
    rng = np.random.default_rng(1)
    t = random_trajectory(rng)
    for times in (np.linspace(t.start, t.end, samples), rng.uniform(t.start, t.end, samples)):
        got = t.evaluate(times, 8)
        assert got.shape == (samples, 9, 3)
        for k in range(9):
            want = as_ppoly(t).derivative(k)(times) if k < 7 else np.zeros((samples, 3))
            np.testing.assert_allclose(got[:, k], want, rtol=1e-9, atol=1e-9 * (1 + np.abs(want).max()))


def test_the_order_of_times_does_not_change_what_belongs_to_each():
    rng = np.random.default_rng(2)
    t = random_trajectory(rng, pieces=30)
    times = rng.uniform(t.start, t.end, 9000)
    order = np.argsort(times)
    np.testing.assert_allclose(t.evaluate(times, 4)[order], t.evaluate(times[order], 4), rtol=1e-9, atol=1e-8)


def test_a_break_belongs_to_the_piece_that_begins_there_among_many_times_as_alone():
    t = random_trajectory(np.random.default_rng(3))                     # not continuous
    times = np.sort(np.concatenate([t.breaks, (t.breaks[1:] + t.breaks[:-1]) / 2, np.linspace(t.start, t.end, 3000)]))
    got = t.evaluate(times, 2)
    begins = t.coefficients[:, 0]
    assert np.array_equal(got[np.searchsorted(times, t.breaks[:-1])][:, 0], begins)
    assert np.allclose(got[-1, 0], t.coefficients[-1].sum(axis=0), rtol=1e-14)
    alone = np.concatenate([t.evaluate([time], 2) for time in times[::7]])
    assert np.abs(got[::7] - alone).max() <= 1e-13 * np.abs(alone).max()


@pytest.mark.parametrize('duration', [1e-9, 1.0])
def test_derivatives_beyond_the_degree_are_zero_however_short_the_piece(duration):
    t = Trajectory.interpolate([0, duration], [[0.0, 1.0], [1.0, 2.0]])
    degree = t.coefficients.shape[1] - 1
    for times in (np.linspace(0, duration, 500), [duration / 3]):
        got = t.evaluate(times, 1000)
        assert np.isfinite(got).all() and got[:, degree].all() and not got[:, degree + 1:].any()
        assert np.array_equal(got[:, :degree + 1], t.evaluate(times, degree))


@pytest.mark.parametrize(('call', 'said'), [
    (lambda t: t.jumps(2.5), 'order is 2.5; give an integer'),
    (lambda t: t.of_half(99, False), 'piece is 99, but the trajectory has 2'),
    (lambda t: t.of_half(-1, False), 'piece is -1; give an integer of 0 or more'),
    (lambda t: t.evaluate_pieces([2], [0.5], 1), r'piece is \[2\]; give indices of pieces, integers from 0 to 1'),
    (lambda t: t.evaluate_pieces([-1], [0.5], 1), r'piece is \[-1\]; give indices'),
    (lambda t: t.evaluate_pieces([0.5], [0.5], 1), r'piece is \[0.5\]; give indices'),
    (lambda t: t.evaluate_pieces([0, 1], [0.5], 1), r'u has the shape \(1,\)'),
    (lambda t: t.evaluate_pieces([0], [1.5], 1), r'u\[0\] is 1.5; give numbers from 0'),
])
def test_pieces_and_places_that_are_not_there_are_refused(call, said):
    t = Trajectory.from_derivatives([0, 1, 2], np.zeros((3, 2, 1)))
    with pytest.raises(InputError, match=said):
        call(t)


def test_end_derivatives_are_met_and_make_the_same_polynomial_as_scipys():
    rng = np.random.default_rng(3)
    times, given = np.cumsum(rng.uniform(0.2, 1.5, 8)), rng.standard_normal((8, 5, 2))
    t = Trajectory.from_derivatives(times, given, ['a', 'b'])
    np.testing.assert_allclose(t.evaluate(times, 4), given, rtol=1e-15)
    assert np.array_equal(t.evaluate(times)[:, 0], given[:, 0])
    fine = np.linspace(t.start, t.end, 777)
    np.testing.assert_allclose(t.evaluate(fine)[:, 0], BPoly.from_derivatives(times, given)(fine), rtol=0, atol=1e-10)
    assert np.abs(t.jumps(4)).max() < 1e-14
    assert np.abs(t.jumps(5)[:, 5]).max() > 1
    halves = (t.breaks[1:] + t.breaks[:-1]) / 2
    around = t.evaluate(np.stack([np.nextafter(halves, 0), np.nextafter(halves, np.inf)]).ravel(), 4).reshape(2, -1, 5, 2)
    assert (np.abs(np.diff(around, axis=0)) < 1e-13 * np.abs(t.evaluate(fine, 4)).max(axis=(0, 2))[:, None]).all()
    assert t.joint_names == ('a', 'b')


def test_speed_multiplies_the_kth_derivative_by_its_kth_power():
    t = random_trajectory(np.random.default_rng(4))
    slow = t.at_speed(0.5)
    assert slow.start == t.start and slow.duration == pytest.approx(2 * t.duration)
    s = np.linspace(0, t.duration, 50)
    np.testing.assert_allclose(
        slow.evaluate(slow.start + 2 * s, 4), t.evaluate(t.start + s, 4) * 0.5**np.arange(5)[:, None], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(t.starting_at(7.0).evaluate(7 + s), t.evaluate(t.start + s), atol=1e-12)


def test_is_immutable_and_keeps_no_hold_of_what_it_was_made_of():
    c = np.ones((1, 2, 1))
    t = Trajectory([0.0, 1.0], c)
    c[:] = 5
    assert t.coefficients[0, 0, 0] == 1
    with pytest.raises(ValueError, match='read-only'):
        t.coefficients[0, 0, 0] = 2
    with pytest.raises(AttributeError):
        t.n = 3
    assert t == Trajectory([0.0, 1.0], np.ones((1, 2, 1))) and hash(t) == hash(Trajectory([0.0, 1.0], np.ones((1, 2, 1))))


@pytest.mark.parametrize(('breaks', 'coefficients', 'names', 'message'), [
    ([0.0], np.zeros((0, 2, 1)), None, 'one break more'),
    ([0.0, 0.0], np.zeros((1, 2, 1)), None, r'breaks\[1\] is 0 s after'),
    ([0.0, np.nan], np.zeros((1, 2, 1)), None, 'must be finite'),
    ([0.0, 1.0], np.full((1, 2, 1), np.inf), None, 'must be finite'),
    ([0.0, 1.0], np.zeros((2, 2, 1)), None, 'one break more'),
    ([0.0, 1.0], np.zeros((1, 2)), None, 'needs'),
    ([0.0, 1.0], np.zeros((1, 99, 1)), None, '64 powers'),
    ([0.0, 1.0], np.zeros((1, 2, 2)), ['a'], '1 names'),
    ([0.0, 1.0], np.zeros((1, 2, 2)), ['a', 'a'], 'more than once'),
])
def test_what_is_no_trajectory_is_refused(breaks, coefficients, names, message):
    with pytest.raises(InputError, match=message):
        Trajectory(breaks, coefficients, names)


def test_times_outside_are_refused_and_rounding_at_the_ends_is_not():
    t = Trajectory([1.0, 2.0], [[[0.0], [1.0]]])
    assert t.evaluate([1.0, 2.0 + 1e-12])[1, 0, 0] == pytest.approx(1)
    with pytest.raises(InputError, match=r'times\[1\] is 2.1 s, but the trajectory runs from 1 s to 2 s'):
        t.evaluate([1.5, 2.1])
    with pytest.raises(InputError, match='order'):
        t.evaluate([1.5], -1)
    assert t.evaluate([], 2).shape == (0, 3, 1)
