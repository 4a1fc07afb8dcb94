# SPDX-License-Identifier: Apache-2.0
"""Output that is whole or not there: written beside its place, and renamed when it is complete."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_PART = re.compile(r'\..+\.(\d+)\.part')


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """An open file that takes the place of `path` where the block ends well, and goes where it does not."""
    part = path.with_name(f'.{path.name}.{os.getpid()}.part')
    try:
        with open(part, 'wb') as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
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
