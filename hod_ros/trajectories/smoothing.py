# SPDX-License-Identifier: Apache-2.0
"""A motion with derivatives from noisy samples of positions: splines by least squares, as smooth as the noise allows.

Splines of degree order + 3 on uniform knots, so that the derivative of the highest order is itself twice continuous. The distance of the
knots, common to all joints, is the one of least generalised cross-validation, N RSS / (N - K)^2 multiplied over the joints, made one step
finer, since a spline that is too stiff is more wrong in the derivatives than in the values. It acts as a low-pass filter without delay,
whose cut-off is 1 / (2 distance). What the samples deviate from the spline is their noise, and the noise of every derivative follows from
it by the same least squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.optional import optional
from hod_ros.checks.types import Array
from hod_ros.errors import InputError

interpolate = optional('scipy.interpolate', 'trajectories')

FEWEST_SPANS = 4
_FINER = 1.4               # from one distance of knots to the next
_MOST_TRIED = 8_000        # samples among which the distance is found
_HIGHEST_ORDER = 8


@dataclass(frozen=True, eq=False)
class SmoothedMotion:
    """What smoothed_motion returns.

    Its noise says how far derivatives can be trusted.

        >>> t = np.linspace(0, 2, 2001)
        >>> m = smoothed_motion(t, np.sin(3 * t)[:, None], order=2)
        >>> bool(abs(m.derivatives[1000, 2, 0] + 9 * np.sin(3.0)) < 1e-3)
        True
    """

    derivatives: Array      # (samples, order + 1, n)
    noise: Array            # (n,) standard deviation of the samples about the spline [rad] or [m]
    deviations: Array       # (order + 1, n) standard deviation of each derivative, away from the ends
    knot_distance: float    # [s]
    span: int               # samples between two knots, rounded

    @property
    def cutoff(self) -> float:
        """[Hz] beyond which nothing is followed."""
        return 0.5 / self.knot_distance


def smoothed_motion(times: ArrayLike, positions: ArrayLike, order: int, *, cutoff: float | None = None) -> SmoothedMotion:
    """Derivatives up to `order` of positions (samples, n) at times (samples,) [s], by a smoothing spline whose noise is reported.

    cutoff: [Hz] of what the spline follows; None: as the noise of the samples says.

    Raises InputError where an argument has the wrong shape or value, times do not increase, or there are too few samples.

        >>> t = np.arange(0, 2, 0.001)
        >>> noisy = np.sin(5 * t)[:, None] + 1e-4 * np.random.default_rng(0).normal(size=(2000, 1))
        >>> m = smoothed_motion(t, noisy, order=2)
        >>> bool(9e-5 < m.noise[0] < 1.1e-4), m.derivatives.shape
        (True, (2000, 3, 1))
    """
    order = arguments.count(order, 'order', 0)
    if order > _HIGHEST_ORDER:
        raise InputError(f'order is {arguments.shown(order)}; derivatives of noisy samples are taken up to order {_HIGHEST_ORDER}')
    positions = arrays.array(arrays.floats(positions, 'positions'), ('samples', 'joints'), 'positions', 'a row for each sample')
    times = arrays.array(arrays.floats(times, 'times'), (len(positions),), 'times', 'one time for each row of positions [s]')
    degree = order + 3
    if len(times) < 2 * (degree + FEWEST_SPANS):
        raise InputError(f'{len(times)} samples are too few for derivatives of order {order}; give {2 * (degree + FEWEST_SPANS)} or more')
    if not (np.diff(times) > 0).all():
        at = int(np.argmin(np.diff(times) > 0)) + 1
        raise InputError(f'times[{at}] is {times[at]:.9g}, not later than {times[at - 1]:.9g} before it; times must increase')
    if cutoff is None:
        distance = _distance(times, positions, degree)
    else:
        distance = 0.5 / arguments.number_above_0(cutoff, 'cutoff', '[Hz]')
    spans = max(FEWEST_SPANS, min(round((times[-1] - times[0]) / distance), (len(times) - 1) // 2))
    while True:
        try:
            spline = _spline(times, positions, degree, spans)
            break
        except (ValueError, np.linalg.LinAlgError):     # a gap among the samples leaves a span without any
            if spans == FEWEST_SPANS:
                raise InputError('the times of the samples are too uneven for a spline; leave out what stands alone') from None
            spans = max(FEWEST_SPANS, spans // 2)
    distance = (times[-1] - times[0]) / spans
    derivatives = np.stack([spline(times, nu=k) for k in range(order + 1)], axis=1)
    if not np.abs(derivatives).max() < arguments.LARGEST:
        raise InputError(
            'positions has numbers too large for derivatives; are their units right ([rad], [m])? are times those of the samples? they lie '
            f'{np.diff(times).min():.3g} s apart and more')
    noise = np.sqrt(np.sum((positions - derivatives[:, 0])**2, axis=0) / max(1, len(times) - spans - degree))
    step = (times[-1] - times[0]) / (len(times) - 1)
    gains = _gains(degree, order, distance / step, distance)
    return SmoothedMotion(derivatives, noise, gains[:, None] * noise, distance, max(1, round(distance / step)))


def _spline(times, values, degree, spans):
    inner = np.linspace(times[0], times[-1], spans + 1)
    knots = np.concatenate([np.full(degree, inner[0]), inner, np.full(degree, inner[-1])])
    return interpolate.make_lsq_spline(times, values, knots, degree)


def _distance(times, positions, degree):
    """The distance of knots of least cross-validation, found in the liveliest part of long recordings."""
    if len(times) > _MOST_TRIED:
        parts = len(times) // _MOST_TRIED
        speed = [np.abs(np.diff(part, axis=0)).sum() for part in np.array_split(positions, parts)]
        best = int(np.argmax(speed))
        times, positions = np.array_split(times, parts)[best], np.array_split(positions, parts)[best]
    # whatever rounding leaves counts as noise, so that exact samples are not chased to the last digit
    floor = len(times) * (1e-13 * (1.0 + np.abs(positions).max(axis=0)))**2
    found, least = None, np.inf
    spans = float(FEWEST_SPANS)
    while spans + degree < len(times) / 2:
        count = round(spans)
        try:
            rest = positions - _spline(times, positions, degree, count)(times)
        except (ValueError, np.linalg.LinAlgError):
            break
        score = np.sum(np.log(np.sum(rest**2, axis=0) + floor)) - 2 * positions.shape[1] * np.log(1 - (count + degree) / len(times))
        if score < least:
            found, least = count, score
        spans *= _FINER
    return (times[-1] - times[0]) / (_FINER * found if found else FEWEST_SPANS)


def _gains(degree, order, samples_a_span, distance):
    """(order + 1,) by which the noise of the samples grows into that of each derivative, in the middle of a long recording."""
    spans = 2 * degree + 8
    count = max(spans + degree + 1, round(spans * samples_a_span))
    t = np.linspace(0.0, spans, count)
    knots = np.concatenate([np.zeros(degree), np.arange(spans + 1.0), np.full(degree, float(spans))])
    B = interpolate.BSpline.design_matrix(t, knots, degree).toarray()
    R = np.linalg.qr(B, mode='r')
    middle = np.linspace(spans // 2, spans // 2 + 1, 8)
    each = interpolate.BSpline(knots, np.eye(B.shape[1]), degree)
    out = []
    for k in range(order + 1):
        rows = np.linalg.solve(R.T, each(middle, nu=k).T)
        out.append(np.sqrt(np.mean(np.sum(rows**2, axis=0))) / distance**k)
    return np.array(out)
