# SPDX-License-Identifier: Apache-2.0
"""Output that is whole or not there: written beside its place, and renamed when it is complete."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_PART = re.compile(r'\..+\.(\d+)\.part')


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """An open file that takes the place of `path`, or of what it links to, where the block ends well, and goes where it does not."""
    with whole_files(path) as (file,):
        yield file


@contextmanager
def whole_files(*paths: Path) -> Iterator[list[IO[bytes]]]:
    """Open files that take their places together, when all of them are complete: none of them does before."""
    targets = [Path(os.path.realpath(path)) for path in paths]
    parts = [target.with_name(f'.{target.name}.{os.getpid()}.part') for target in targets]
    for path, target in zip(paths, targets, strict=True):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(open(part, 'wb')) for part in parts]
            yield files
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for part, target in zip(parts, targets, strict=True):
            os.replace(part, target)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def remove_parts(folder: Path) -> None:
    """Removes what processes that were killed left of their output."""
    for part in folder.glob('.*.part'):
        found = _PART.fullmatch(part.name)
        if found and not _runs(int(found[1])):
            part.unlink(missing_ok=True)


def _runs(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
