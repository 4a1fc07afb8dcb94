# SPDX-License-Identifier: Apache-2.0
"""Derivatives of noisy samples, and what is said of their noise."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from hod_ros import InputError  # noqa: E402
from hod_ros import smoothed_motion  # noqa: E402


def samples(t):
    return np.stack([[w**k * np.sin(w * t + k * np.pi / 2) for w in (2.0, 5.0)] for k in range(5)], axis=1).transpose(2, 1, 0)


@pytest.mark.parametrize('jitter', [0.0, 0.4])
def test_derivatives_are_as_wrong_as_it_is_said(jitter):
    rng = np.random.default_rng(1)
    t = np.linspace(0, 10, 5001)
    t[1:-1] += jitter * 0.002 * rng.uniform(-0.5, 0.5, 4999)
    true = samples(t)
    m = smoothed_motion(t, true[:, 0] + 1e-4 * rng.normal(size=(5001, 2)), 4)
    np.testing.assert_allclose(m.noise, 1e-4, rtol=0.05)
    inside = slice(500, -500)
    error = np.sqrt(np.mean((m.derivatives - true)[inside]**2, axis=0))
    assert (error < 2 * m.deviations).all() and (error > 0.2 * m.deviations).all()


def test_exact_samples_keep_their_digits():
    t = np.linspace(0, 4, 2001)
    m = smoothed_motion(t, samples(t)[:, 0], 2)
    np.testing.assert_allclose(m.derivatives[100:-100], samples(t)[100:-100, :3], atol=1e-6)


def test_a_cutoff_that_is_given_is_taken():
    t = np.linspace(0, 4, 2001)
    assert smoothed_motion(t, samples(t)[:, 0], 2, cutoff=10.0).cutoff == pytest.approx(10.0)


@pytest.mark.parametrize(('arguments', 'message'), [
    (([0, 1, 2], np.zeros((3, 1)), 2), 'too few'),
    ((np.r_[0.0, 0.0, np.arange(1, 99)], np.zeros((100, 1)), 2), r'times\[1\] is 0, not later'),
    ((np.arange(100), np.zeros((99, 1)), 2), 'times has the shape'),
    ((np.arange(100), np.zeros((100, 1)), 20), 'up to order 8'),
    ((np.arange(100), np.full((100, 1), np.nan), 2), 'must be finite'),
])
def test_what_has_no_derivatives_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        smoothed_motion(*arguments)
