# SPDX-License-Identifier: Apache-2.0
"""A recording of a device by its own clock, looked up at the times of another: between gaps, at the times at which samples were taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hod_ros.checks.optional import optional
from hod_ros.checks.types import Array
from hod_ros.recordings.samples import Samples
from hod_ros.trajectories.sample_times import SampleTimes
from hod_ros.trajectories.sample_times import gaps
from hod_ros.trajectories.sample_times import sample_times

interpolate = optional('scipy.interpolate', 'trajectories')

_FEWEST = 4         # samples that a cubic goes through


@dataclass(frozen=True, eq=False)
class Course:
    """Samples at the times at which they were taken, which may differ from their stamps."""

    times: Array                        # (samples,) [s]
    positions: Array                    # (samples, n)
    stretches: tuple[slice, ...]        # between gaps
    taken: tuple[SampleTimes, ...]      # of each stretch

    def positions_at(self, times: Array) -> tuple[Array, Array]:
        """(positions (times, n), whether a sample is there (times,)): cubics between gaps, NaN in these and beyond the ends."""
        out = np.full((len(times), self.positions.shape[1]), np.nan)
        for stretch in self.stretches:
            own = self.times[stretch]
            inside = (times >= own[0]) & (times <= own[-1])
            if len(own) >= _FEWEST and inside.any():
                out[inside] = interpolate.CubicSpline(own, self.positions[stretch])(times[inside])
        return out, np.isfinite(out).all(axis=1)


def course(samples: Samples, begin: int) -> Course:
    """Of samples in the order of their stamps, times [s] since `begin` [ns]."""
    stamps = (samples.stamps - begin) * 1e-9
    bounds = [0, *(gaps(stamps) + 1), len(stamps)]
    stretches = tuple(slice(int(a), int(b)) for a, b in zip(bounds[:-1], bounds[1:], strict=True))
    taken = tuple(sample_times(stamps[stretch], samples.q[stretch, 0]) for stretch in stretches)
    times = np.concatenate([part.times for part in taken])
    if not (np.diff(times) > 0).all():      # stretches whose even times overlap
        times, taken = stamps, tuple(SampleTimes(stamps[stretch]) for stretch in stretches)
    return Course(times, samples.q[:, 0], stretches, taken)
