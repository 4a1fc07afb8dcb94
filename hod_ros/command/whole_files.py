# SPDX-License-Identifier: Apache-2.0
"""Output that is whole or not there, and how a command says that it could not be written."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.recordings import whole_files


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """An open file that takes the place of `path` where the block ends well, and goes where it does not."""
    try:
        with whole_files.whole_file(path) as file:
            yield file
    except OSError as error:
        raise Failure(f'{str(path)!r} could not be written: {error.strerror or error}', exits.OUTPUT) from None


def ending(path: Path, kinds: tuple[str, ...]) -> str:
    """The ending of an output file, which must be one of some kinds: asked before the work is done."""
    if path.suffix not in kinds:
        raise Failure(f'{str(path)!r} ends in none of {", ".join(kinds)}; name an output that does', exits.USAGE)
    if not path.parent.is_dir():
        raise Failure(f'{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}', exits.OUTPUT)
    return path.suffix
