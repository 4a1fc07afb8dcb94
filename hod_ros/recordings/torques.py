# SPDX-License-Identifier: Apache-2.0
"""A recording's torques and their time derivatives, file to file, in pieces: a recording of any size takes the same memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hod_ros.checks import arguments
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.far_positions import in_other_units
from hod_ros.model.robot_model import RobotModel
from hod_ros.recordings.bags import is_bag
from hod_ros.recordings.bags import trajectories
from hod_ros.recordings.contradictions import refuse_contradiction
from hod_ros.recordings.contradictions import refuse_wrong_times
from hod_ros.recordings.derivatives import Noise
from hod_ros.recordings.derivatives import differentiated
from hod_ros.recordings.measured import as_way_points
from hod_ros.recordings.order import increasing
from hod_ros.recordings.read_samples import pieces_of
from hod_ros.recordings.read_samples import read_samples
from hod_ros.recordings.samples import Samples
from hod_ros.recordings.samples import row_name
from hod_ros.recordings.speeds import refuse_too_fast
from hod_ros.recordings.speeds import share_of_limits
from hod_ros.recordings.speeds import slow_text
from hod_ros.recordings.torque_files import WRITERS
from hod_ros.recordings.whole_files import whole_file
from hod_ros.trajectories.interpolation import SMOOTHNESS
from hod_ros.trajectories.trajectory import Trajectory

_EVALUATED = 8192           # samples of an interpolated motion at once
_READ_LONGER = 300          # joints times rows squared, below which a sample is computed sooner than it is read
_JUDGED = 100_000           # samples, in which units are told
_MOST = 1e9                 # samples of one
_NAMED = 6                  # derivatives that are missing
_FARTHEST = 1e-3            # [rad] or [m] from straight lines, of an interpolated motion


@dataclass(frozen=True)
class TorqueReport:
    """What compute_torques did.

    See there.

        >>> TorqueReport(samples=100, order=2, noise=None).samples
        100
    """

    samples: int
    order: int
    noise: str | None       # of positions that were differentiated: a sentence
    duration: float = 0.0   # [s] from the first sample to the last
    note: str = ''          # on samples that were taken for way points, where the motion through them is not the one that was recorded


def compute_torques(
        model: RobotModel, recording: str | os.PathLike[str], output: str | os.PathLike[str], *, order: int = 0, topic: str | None = None,
        missing: str | None = None, cutoff: float | None = None, rate: float | None = None, threads: int | None = None,
        progress: Callable[[int], object] | None = None) -> TorqueReport:
    """Q, Q', ..., Q^(order) of every sample of a recording, into a file that is whole or not there.

    recording: a bag, CSV, NPZ or Parquet as read_samples reads it, with derivatives up to order + 2. output: a file .csv, .npz, .parquet or
    .mcap. missing: where derivatives are missing, 'differentiate' takes all from the positions by smoothed_motion (cutoff: its own), and
    'interpolate' takes the samples for way points of Trajectory.interpolate, at `rate` [Hz] or at their own times; None: that is an error.
    threads: of the kernel; None: one where reading takes longer than computing, else as many as there are cores. progress: called with the
    number of samples done.

    Raises InputError where the recording is wrong, with its line or message; OSError where the output cannot be written.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> t = np.linspace(0, 1, 200)
        >>> np.savez(folder.name + '/m.npz', joint_names=model.joint_names, times=t, positions=np.sin(t)[:, None] + np.zeros(7))
        >>> compute_torques(model, folder.name + '/m.npz', folder.name + '/Q.npz', order=1, missing='differentiate').samples
        200
    """
    recording, output = arguments.path(recording, 'recording'), arguments.path(output, 'output')
    order = arguments.count(order, 'order', 0)
    if order + 3 > motions.MOST_ROWS:
        raise InputError(f'order is {arguments.shown(order)}, but derivatives are computed up to {motions.MOST_ROWS - 3}; ask for less')
    arguments.text_or_none(topic, 'topic')
    arguments.threads(threads)
    if progress is not None and not callable(progress):
        raise InputError(f'progress is {arguments.shown(progress)}; give a function of the number of samples done, or None')
    if output.suffix not in WRITERS:
        raise InputError(f'{output.name!r} ends in none of {", ".join(WRITERS)}; name an output that does')
    if output.exists() and recording.exists() and output.samefile(recording):
        raise InputError(f'output {output.name!r} is the recording itself, which it would replace; name another')
    if missing is not None and not arguments.one_of(missing, ('differentiate', 'interpolate')):
        raise InputError(f"missing is {arguments.shown(missing)}; it is 'differentiate', 'interpolate' or None")
    if missing == 'interpolate' and order + 2 > max(SMOOTHNESS):
        raise InputError(
            f"order is {order}, but a motion through way points has {max(SMOOTHNESS)} continuous derivatives, enough for order "
            f"{max(SMOOTHNESS) - 2}; ask for that at most, or for missing='differentiate' (--differentiate)")
    if motions.massive(model).base != 'fixed':
        raise InputError(f'{model.name} has a free base, whose motion no recording of joints holds')
    if threads is None and model.n * (order + 1)**2 < _READ_LONGER:
        threads = 1
    noise, notes = Noise(), list[str]()
    pieces = _pieces(model, recording, order, topic, missing, cutoff, rate, noise, notes)
    first = next((piece for piece in pieces if len(piece)), None)
    if first is None:
        raise InputError(f'{recording.name!r} holds no samples')
    done, last = 0, first.stamps[0]
    with whole_file(output) as file:
        writer = WRITERS[output.suffix](file, model.joint_names, order, model.hash)
        piece: Samples | None = first
        while piece is not None:
            other_units = in_other_units(model, piece.q[:, 0])
            if other_units:
                raise InputError(f'{recording.name!r} has {other_units}')
            q = np.ascontiguousarray(piece.q[:, :order + 3])
            writer.add(piece.stamps, inverse_dynamics(model, q, order=order, threads=threads))
            done, last = done + len(piece), piece.stamps[-1]
            if progress is not None:
                progress(done)
            piece = next(pieces, None)
        writer.finish()
    return TorqueReport(done, order, noise.text() if noise.cutoffs else None, float(last - first.stamps[0]) * 1e-9, *notes)


def _pieces(model, path, order, topic, missing, cutoff, rate, noise, notes) -> Iterator[Samples]:
    """Samples of the model's joints with order + 3 rows or more."""
    if missing == 'interpolate':
        yield from _interpolated(model, path, order, topic, rate, notes)
        return
    pieces = (piece for piece in pieces_of(path, topic, model.joint_names) if len(piece))
    if missing == 'differentiate':
        yield from differentiated(_of_right_times(model, increasing(pieces, path.name), path.name, notes), order + 2, cutoff, noise)
        return
    done = 0
    for piece in pieces:
        rows = piece.q.shape[1]
        if rows < order + 3:
            lacking = arguments.some((row_name(k) for k in range(rows, order + 3)), _NAMED)
            lower = ', or ask for a lower order' if order else ''
            raise InputError(
                f'sample {done} of {path.name!r}, at {piece.stamps[0] * 1e-9:.9g} s, has no {lacking}, which order {order} needs; what is '
                f"not given is never taken as zero: have it made by missing='differentiate' or 'interpolate', which are "
                f'--differentiate and --interpolate of hod compute{lower}')
        if not np.isfinite(piece.q[:, :order + 3]).all():
            at, row, joint = np.argwhere(~np.isfinite(piece.q[:, :order + 3]))[0]
            raise InputError(
                f'sample {done + at} of {path.name!r}, at {piece.stamps[at] * 1e-9:.9g} s: {row_name(int(row))} of joint '
                f'{model.joint_names[joint]!r} is {piece.q[at, row, joint]}; every number must be finite')
        if done < _JUDGED:
            refuse_contradiction((piece.stamps - piece.stamps[0]) * 1e-9, piece.q[:, :order + 3], piece.joint_names, path.name)
        yield piece
        done += len(piece)


def _of_right_times(model, pieces, name, notes):
    done, share = 0, np.nan
    for piece in pieces:
        times = (piece.stamps - piece.stamps[0]) * 1e-9
        if done < _JUDGED:
            if piece.q.shape[1] > 1:
                refuse_wrong_times(times, piece.q, piece.joint_names, name)
            refuse_too_fast(model, times, piece.q[:, 0], name)
        share = np.fmax(share, share_of_limits(model, times, piece.q[:, 0]))
        yield piece
        done += len(piece)
    notes.append(slow_text(share, name))


def _interpolated(model, path, order, topic, rate, notes):
    count = trajectories(path, topic) if is_bag(path) else 1
    if count > 1:
        raise InputError(
            f'{path.name!r} holds {count} trajectories, which are no way points of one motion; give a bag of one, or each as a file '
            '(YAML, as `ros2 topic echo` prints it, CSV)')
    samples = read_samples(path, topic=topic, joint_names=model.joint_names)
    times = (samples.stamps - samples.stamps[0]) * 1e-9
    refuse_contradiction(times, samples.q[:, :3], samples.joint_names, path.name)
    given = {'velocities': samples.q[:, 1]} if samples.q.shape[1] > 1 else {}
    if samples.q.shape[1] > 2:
        given['accelerations'] = samples.q[:, 2]
    motion = Trajectory.interpolate(times, samples.q[:, 0], **given, smoothness=order + 2, max_deviation=_FARTHEST)
    given_times = times
    if rate is not None:
        rate = arguments.number_above_0(rate, 'rate', '[Hz]')
        if times[-1] * rate > _MOST:
            raise InputError(f'rate is {rate:g} Hz, at which {times[-1]:.4g} s have more than {_MOST:g} samples; give a lower one')
        times = np.arange(0, times[-1] + 1e-9, 1 / rate)
    stamps = samples.stamps[0] + np.round(times * 1e9).astype(np.int64)
    notes.append(as_way_points(given_times, samples.q[:, 0], given.get('velocities')))
    for i in range(0, len(times), _EVALUATED):
        part = slice(i, i + _EVALUATED)
        yield Samples(model.joint_names, stamps[part], motion.evaluate(np.minimum(times[part], motion.end), order + 2))
