# SPDX-License-Identifier: Apache-2.0
"""Output that is whole or not there, and how a command says that it could not be written."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.folders import RECORDINGS
from hod_ros.recordings import whole_files as whole

INPUTS = ('robot', 'motion', 'recordings', 'motors', 'motor_states', 'limits', 'drives')       # options that name what is read


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """An open file that takes the place of `path` where the block ends well, and goes where it does not."""
    with whole_files(path) as (file,):
        yield file


@contextmanager
def whole_files(*paths: Path) -> Iterator[list[IO[bytes]]]:
    """Open files that take their places together where the block ends well, and go where it does not."""
    try:
        with whole.whole_files(*paths) as files:
            yield files
    except OSError as error:
        names = ', '.join(repr(str(path)) for path in paths)
        raise Failure(f'{names} could not be written: {error.strerror or error}', exits.OUTPUT) from None


def ending(path: Path, kinds: tuple[str, ...]) -> str:
    """The ending of an output file, which must be one of some kinds: asked before the work is done."""
    if path.suffix not in kinds:
        raise Failure(f'{str(path)!r} ends in none of {", ".join(kinds)}; name an output that does', exits.USAGE)
    if not path.parent.is_dir():
        raise Failure(f'{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}', exits.OUTPUT)
    return path.suffix


def refuse_inputs(options: argparse.Namespace, *outputs: Path) -> None:
    """Ends the command where a file that it would write is one that it reads: asked before the work is done."""
    named = [getattr(options, name, None) for name in INPUTS]
    given = [Path(path) for value in named if value is not None for path in (value if isinstance(value, list) else [value])]
    read = [path for name in given for path in (_files_of(name) if name.is_dir() else [name])]
    for output in filter(Path.exists, outputs):
        for path in filter(Path.exists, read):
            if path.samefile(output):
                same = '' if str(path) == str(output) else f' ({str(path)!r})'
                raise Failure(f'{str(output)!r} is read{same} and would be overwritten: the output is the input; name another', exits.USAGE)


def _files_of(folder):
    return [path for path in folder.rglob('*') if path.suffix in RECORDINGS or path.name == 'metadata.yaml']
