# SPDX-License-Identifier: Apache-2.0
import re
import warnings

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from hod_ros import InputError
from hod_ros import Trajectory

pytestmark = pytest.mark.filterwarnings('ignore:between point')     # of random times, many are uneven


def random_points(rng, most=9, joints=4, spread=1.0):
    """(times, positions) of a few points, some of them close in time."""
    points, n = rng.integers(2, most), rng.integers(1, joints)
    times = rng.uniform(-5, 5) + np.cumsum(10**rng.uniform(-spread, 0.3, points))
    return times, np.cumsum(rng.uniform(-1, 1, (points, n)), axis=0)


def some_of(rng, values, part):
    return np.where(rng.random(values.shape) < part, values, np.nan)


def off_the_lines(t, times, positions, samples=400):
    """The largest Euclidean distance from the straight line between the points on either side, by sampling."""
    at = np.linspace(times[:-1], times[1:], samples, axis=1)
    worst = 0.0
    for i, row in enumerate(at):
        q = t.evaluate(row)[:, 0]
        a, d = positions[i], positions[i + 1] - positions[i]
        part = np.clip((q - a) @ d / max(d @ d, 1e-300), 0, 1)
        worst = max(worst, np.sqrt(np.sum((q - a - part[:, None] * d)**2, axis=1)).max())
    return worst


def assert_continuous(t, smoothness):
    """Jumps at breaks against the largest value beside the break."""
    pieces = np.arange(len(t.coefficients))
    size = np.abs(t.evaluate_pieces(np.repeat(pieces, 9), np.tile(np.linspace(0, 1, 9), len(pieces)), smoothness))
    size = size.reshape(len(pieces), 9, smoothness + 1, t.n).max(axis=(1, 3))
    beside = np.maximum(size[1:], size[:-1])[:, :, None]
    assert (np.abs(t.jumps(smoothness)) <= 1e-9 * beside + 1e-300).all()


def assert_met(got, given, scale):
    """Where values are given: equal to 1e-12 of them or of the largest beside them."""
    assert (np.abs(got - given)[~np.isnan(given)] <= 1e-12 * np.broadcast_to(scale, given.shape)[~np.isnan(given)]).all()


@pytest.mark.parametrize('smoothness', [2, 3, 4, 5])
def test_any_subset_of_derivatives_is_met_with_the_promised_smoothness(smoothness):
    rng = np.random.default_rng(smoothness)
    for _ in range(250):
        times, positions = random_points(rng)
        velocities = some_of(rng, rng.standard_normal(positions.shape), rng.random())
        accelerations = some_of(rng, rng.standard_normal(positions.shape), rng.random())
        t = Trajectory.interpolate(times, positions, velocities, accelerations, smoothness, max_deviation=None)
        got = t.evaluate(times, smoothness)
        assert np.array_equal(got[:-1, 0], positions[:-1])
        size = np.abs(t.evaluate(np.linspace(times[0], times[-1], 400), 2)).max(axis=(0, 2))
        assert_met(got[:, 0], positions, size[0])
        assert_met(got[:, 1], velocities, size[1])
        assert_met(got[:, 2], accelerations, size[2])
        assert_continuous(t, smoothness)


def test_the_path_stays_near_the_straight_lines_and_within_the_limits():
    rng = np.random.default_rng(7)
    for i in range(120):
        times, positions = random_points(rng, spread=2.0)
        allowed = 10**rng.uniform(-5, -1)
        box = np.stack([positions.min(axis=0), positions.max(axis=0)])
        t = Trajectory.interpolate(times, positions, smoothness=2 + i % 4, max_deviation=allowed, position_limits=box)
        assert off_the_lines(t, times, positions) <= allowed * (1 + 1e-9) + 1e-14
        assert np.array_equal(t.evaluate(times[:-1])[:, 0], positions[:-1])
        fine = t.evaluate(np.linspace(times[0], times[-1], 2000))[:, 0]
        assert (fine >= box[0] - 1e-11).all() and (fine <= box[1] + 1e-11).all()
        assert_continuous(t, 2 + i % 4)


def test_limits_are_kept_where_any_deviation_is_allowed():
    rng = np.random.default_rng(17)
    longer = 0
    for _ in range(40):
        times, positions = random_points(rng, spread=0.3)
        box = np.stack([positions.min(axis=0) - 1e-3, positions.max(axis=0) + 1e-3])
        t = Trajectory.interpolate(times, positions, max_deviation=None, position_limits=box)
        fine = t.evaluate(np.linspace(times[0], times[-1], 2000))[:, 0]
        assert (fine >= box[0] - 1e-11).all() and (fine <= box[1] + 1e-11).all()
        longer += len(t.coefficients) >= len(times)
    assert longer > 10                                  # points were added


@pytest.mark.parametrize('given', [{'velocities': 10.0}, {'velocities': 10.0, 'accelerations': 1e3}])
def test_times_too_large_for_points_between_them_are_refused_and_those_from_the_start_of_the_motion_are_not(given):
    rng = np.random.default_rng(9)
    positions, times = rng.uniform(-1, 1, (5, 2)), 1e-4 * np.arange(5)
    given = {what: size * rng.uniform(-1, 1, (5, 2)) for what, size in given.items()}
    options = {'smoothness': 2, 'max_deviation': 1e-7, **given}
    assert np.isfinite(Trajectory.interpolate(times, positions, **options).coefficients).all()
    with pytest.raises(InputError, match='count times from the start of the motion'):
        Trajectory.interpolate(9e8 + times, positions, **options)


def test_a_motion_may_end_at_its_limits_exactly_whatever_its_smoothness():
    times = np.array([0.0, 0.11344584042424466, 0.25348958855063214, 0.9167608295135035, 1.762957974409924, 2.196550315486469])
    positions = np.array([                              # whose last line rounds off as much as the limits had been missed by
        0.22635097935557363, -0.7651423746073396, -0.044997338694875655, -1.317070924636683, 1.8507713690043837, -1.5177347133616141])
    limits = np.stack([positions.min(keepdims=True), positions.max(keepdims=True)])
    for smoothness in (2, 3, 4, 5):
        t = Trajectory.interpolate(times, positions[:, None], smoothness=smoothness, position_limits=limits)
        fine = t.evaluate(np.linspace(times[0], times[-1], 2000))[:, 0]
        assert (fine >= limits[0] - 1e-10).all() and (fine <= limits[1] + 1e-10).all()


def test_a_deviation_within_the_rounding_of_large_positions_is_refused_at_once_and_what_is_advised_is_met():
    times = [0.0, 0.4817785326132228, 1.4396229718465572, 2.3301519173613303]
    positions = np.array([                              # whose motion along a line rounds off more than its bends do
        [8007.890288211624, 6506.163212358016], [-5949.151560944121, -839.8017972813318], [7009.889711071483, 9790.988445896379],
        [-7393.871518088637, 7937.487280255097]])
    with pytest.raises(InputError, match='rounding alone takes the motion .* give 1e-07 or more') as refused:
        Trajectory.interpolate(times, positions, max_deviation=1e-9)
    advised = float(re.search('give (.*) or more', str(refused.value))[1])
    assert np.isfinite(Trajectory.interpolate(times, positions, max_deviation=advised).coefficients).all()


def test_given_velocities_are_met_near_the_lines_too_or_refused():
    rng = np.random.default_rng(8)
    refused = 0
    for _ in range(100):
        times, positions = random_points(rng, spread=0.5)
        velocities = some_of(rng, 0.3 * rng.standard_normal(positions.shape), 0.5)
        try:
            t = Trajectory.interpolate(times, positions, velocities, max_deviation=0.01)
        except InputError as error:
            assert 'leaves the straight line by' in str(error)
            refused += 1
            continue
        assert off_the_lines(t, times, positions) <= 0.01 * (1 + 1e-9)
        assert_met(t.evaluate(times, 1)[:, 1], velocities, np.abs(t.evaluate(np.linspace(times[0], times[-1], 400), 1)[:, 1]).max())
    assert refused < 20


def test_the_free_derivatives_are_those_of_the_spline_of_degree_seven():
    rng = np.random.default_rng(9)
    times, positions = np.cumsum(rng.uniform(0.3, 1, 15)), rng.standard_normal((15, 2))
    ends = rng.standard_normal((2, 3, 2))
    t = Trajectory.interpolate(times, positions, smoothness=3, max_deviation=None, start=ends[0], end=ends[1])
    spline = make_interp_spline(times, positions, k=7, bc_type=tuple([(k + 1, d[k]) for k in range(3)] for d in ends))
    at = np.linspace(times[0], times[-1], 500)
    got = t.evaluate(at, 3)
    for k in range(4):
        want = spline(at, k)
        np.testing.assert_allclose(got[:, k], want, rtol=0, atol=1e-9 * np.abs(want).max())


def test_no_other_choice_of_the_free_derivatives_has_less_snap_energy():
    def energy(t):
        x, w = np.polynomial.legendre.leggauss(12)
        pieces = np.arange(len(t.coefficients))
        snap = t.evaluate_pieces(np.repeat(pieces, 12), np.tile(x / 2 + 0.5, len(pieces)), 4)[:, 4]
        return np.sum(snap.reshape(len(pieces), 12, -1)**2 * (w / 2)[:, None] * np.diff(t.breaks)[:, None, None])
    rng = np.random.default_rng(10)
    times, positions = random_points(rng, most=8)
    t = Trajectory.interpolate(times, positions, max_deviation=None)
    rows = t.evaluate(times, 4)
    for _ in range(30):
        other = rows.copy()
        other[1:-1, 1:] += 1e-3 * np.abs(rows[1:-1, 1:]) * rng.standard_normal(rows[1:-1, 1:].shape)
        assert energy(Trajectory.from_derivatives(times, other)) >= energy(t) * (1 - 1e-12)


def test_ends_are_at_rest_unless_given():
    t = Trajectory.interpolate([0, 1, 2], [[0.0], [0.1], [1.0]], max_deviation=None)
    assert np.abs(t.evaluate([0, 2], 4)[:, 1:]).max() == 0
    start = [[0.1], [-0.2], [0.3], [-0.4]]
    t = Trajectory.interpolate([0, 1, 2], [[0.0], [0.1], [1.0]], start=start, end=[[0.5]], max_deviation=None)
    np.testing.assert_allclose(t.evaluate([0], 4)[0, 1:], start, atol=1e-15)
    np.testing.assert_allclose(t.evaluate([2], 4)[0, 1:, 0], [0.5, 0, 0, 0], atol=1e-15)


def test_standing_still_stays_exactly_still():
    t = Trajectory.interpolate([0, 1, 2, 3, 4], [[0, 0], [1, 1], [1, 1], [1, 1], [0, 1]])
    assert np.abs(t.evaluate(np.linspace(1, 3, 99), 4) - np.array([1.0] + [0] * 4)[:, None]).max() == 0


def test_positions_at_a_rate_need_no_times():
    chunk = np.linspace(0, 0.1, 10)[:, None] ** 2
    assert Trajectory.interpolate(None, chunk, chunk_rate=50) == Trajectory.interpolate(np.arange(10) / 50, chunk)


def test_points_on_one_straight_line_need_no_more_points():
    t = Trajectory.interpolate([0, 1, 2, 3], np.outer([0, 1, 2, 3], [1, 0.5, -2]), max_deviation=1e-6)
    assert len(t.coefficients) == 3


def test_many_points_are_smooth_too():
    rng = np.random.default_rng(11)
    points = 5000
    times = np.cumsum(rng.uniform(0.01, 0.05, points))
    positions = np.sin(times[:, None] * rng.uniform(0.5, 2, 3))
    t = Trajectory.interpolate(times, positions)
    assert_continuous(t, 4)
    assert off_the_lines(t, times, positions, 20) <= 1e-3


@pytest.mark.parametrize(('change', 'message'), [
    ({'positions': np.zeros((0, 2)), 'times': []}, '0 points'),
    ({'positions': [[0.0, 1.0]], 'times': [0.0]}, 'put the present position before a single point'),
    ({'times': [0, 2, 1]}, r'times\[2\] is 1 s after times\[1\] = 2 s; times must increase'),
    ({'times': [0, 1, 1]}, 'must increase'),
    ({'times': [0, 1]}, 'times holds 2 numbers and positions 3 rows'),
    ({'times': None}, 'chunk_rate'),
    ({'chunk_rate': 10}, 'both given'),
    ({'times': None, 'chunk_rate': -1}, 'chunk_rate is -1'),
    ({'positions': [[0, 0], [np.nan, 1], [1, 1]]}, 'must be finite'),
    ({'positions': [[0, 0], [1, 1], [1]]}, 'positions is not an array'),
    ({'positions': [[0, 0], [1, 1e300], [1, 1]]}, r'positions is 1e\+300 at point 1, column 1'),
    ({'times': [0, 1e-300, 1]}, 'are they in seconds'),
    ({'times': [-1e308, 0, 1e308]}, 'are they in seconds'),
    ({'velocities': [[0, 0]]}, 'velocities has the shape'),
    ({'velocities': [[0, 0], [np.inf, 0], [0, 0]]}, 'velocities is inf at point 1, column 0'),
    ({'smoothness': 6}, '2, 3, 4 or 5'),
    ({'smoothness': 4.0}, 'smoothness'),
    ({'max_deviation': 0}, 'max_deviation is 0'),
    ({'joint_names': ['a']}, '1 names'),
    ({'start': np.zeros((5, 2))}, 'start has the shape'),
    ({'start': [[1.0, 0.0]], 'velocities': [[2, 0], [np.nan] * 2, [0, 0]]}, 'give it once'),
    ({'position_limits': [[0, 0], [0.5, 2]]}, 'positions is 1 at point 1 for joint 0, beyond its limits'),
    ({'position_limits': [[0, 0]]}, 'position_limits has the shape'),
    ({'position_limits': [[-3, 3], [-4, 2]], 'joint_names': ['a', 'b']}, "-3 as the lower and -4 as the upper .* of joint 'a'; .*limits.T"),
    ({'position_limits': [[0, 3], [1, 4]], 'positions': [[2, 1], [1, 3], [3, 4]]}, r'beyond its limits .*or position_limits .*limits.T'),
    ({'position_limits': [[0, 0], [2, 1]], 'velocities': [[0, 0], [0, 9.0], [0, 0]], 'joint_names': ['a', 'b'], 'max_deviation': None},
     "joint 'b' leaves its position limits"),
])
def test_what_cannot_be_interpolated_is_refused_with_the_reason(change, message):
    arguments = {'times': [0, 1, 2], 'positions': [[0, 0], [1, 1], [2, 0]]} | change
    with pytest.raises(InputError, match=message):
        Trajectory.interpolate(**arguments)


def test_velocities_may_be_missing_at_some_points():
    a = Trajectory.interpolate([0, 1, 2], [[0.0], [1.0], [0.5]], [None, [0.1], []], max_deviation=None)
    assert a == Trajectory.interpolate([0, 1, 2], [[0.0], [1.0], [0.5]], [[np.nan], [0.1], [np.nan]], max_deviation=None)


def test_a_motion_that_swings_farther_than_all_its_points_lie_apart_is_told_of():
    positions = [[0.0], [1.0], [0.5], [1.0], [0.0]]
    with pytest.warns(RuntimeWarning, match=r'between point 2 .* swings .* too uneven \(1.9 s there, 0.1 s after point 1\)'):
        Trajectory.interpolate([0, 1, 1.1, 3, 4], positions, max_deviation=None)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        Trajectory.interpolate([0, 1, 1.5, 2.5, 3.5], positions, max_deviation=None)
        Trajectory.interpolate([0, 1, 1.1, 3, 4], positions)


@pytest.mark.parametrize('gap', [1e-4, 1e-5, 1e-8])
def test_very_uneven_times_are_refused_where_any_deviation_would_be_allowed(gap):
    times, positions = [0, 1, 1 + gap, 2, 3], [[0.0], [1.0], [0.5], [1.0], [0.0]]
    with pytest.raises(InputError, match='the times are too uneven|times differ too much'):
        Trajectory.interpolate(times, positions, max_deviation=None)
    even = Trajectory.interpolate([0, 1, 1.1, 2, 3], positions, max_deviation=None)
    assert np.abs(even.evaluate(np.linspace(0, 3, 301))).max() < 10
