# SPDX-License-Identifier: Apache-2.0
"""Recorded samples of joints from files of any kind: bags, CSV, NPZ, Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

from hod_ros.checks import arguments
from hod_ros.errors import InputError
from hod_ros.recordings import bags
from hod_ros.recordings import sample_files
from hod_ros.recordings.samples import Samples
from hod_ros.recordings.samples import joined


def pieces_of(path: Path, topic: str | None = None, joint_names: tuple[str, ...] | None = None) -> Iterator[Samples]:
    """The samples of a file or bag in order, some thousands at a time: of these joints, whatever else it holds, or of all."""
    if not path.exists():
        raise InputError(f'there is no file {str(path)!r}')
    if bags.is_bag(path):
        return bags.read_bag(path, topic, joint_names)
    if path.suffix not in sample_files.ENDINGS:
        raise InputError(f'{path.name!r} is no recording; name a bag (its folder, .mcap or .db3), or a file .csv, .npz or .parquet')
    return sample_files.read_file(path, joint_names)


def count_of(path: Path, topic: str | None = None) -> int | None:
    """How many samples there are, or messages; None where that takes reading them."""
    return bags.count(path, topic) if bags.is_bag(path) else sample_files.count(path)


def measured_topic(path: Path, topic: str | None = None) -> str | None:
    """The topic of a bag that tells what was measured, rather than what was asked for: `topic` where it is given; None: no bag."""
    return bags.topic_of(path, topic, bags.MEASURED)[0] if path.exists() and bags.is_bag(path) else None


def read_samples(
        path: str | os.PathLike[str], *, topic: str | None = None, joint_names: Sequence[str] | None = None) -> Samples:
    """All samples of a recording, in memory: a ROS 2 bag (MCAP or sqlite3, read without ROS), a CSV, an NPZ or a Parquet file.

    topic: of a bag; None: the only one of JointSetpoint, else of JointState, else of JointTrajectory. joint_names: of interest, in
    this order, whatever else the recording holds: other columns, or messages of other joints; None: all joints, which each sample must
    hold.

    Raises InputError where the file is none of these, is damaged, or holds no samples, with the line, column or message.

        >>> import tempfile
        >>> file = tempfile.NamedTemporaryFile('w', suffix='.csv')
        >>> written = file.write('time,a,a.velocity' + chr(10) + '0,1,2' + chr(10) + '0.1,1.2,2' + chr(10))
        >>> file.flush()
        >>> read_samples(file.name).q[:, 0].tolist()
        [[1.0], [1.2]]
    """
    path = arguments.path(path, 'path')
    arguments.text_or_none(topic, 'topic')
    wanted = None if joint_names is None else arguments.names(joint_names, 'joint_names')
    parts = [part for part in pieces_of(path, topic, wanted) if len(part)]
    if not parts:
        raise InputError(f'{path.name!r} holds no samples')
    return joined(parts)
