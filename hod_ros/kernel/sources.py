# SPDX-License-Identifier: Apache-2.0
"""A digest of the kernel's C++: setup.py compiles it into the doorway, which is refused where other sources lie beside it."""

import hashlib
from pathlib import Path


def digest(folder):
    """Sixteen digits for all C++ below a folder; '' where there is none, as in an installed package."""
    paths = sorted(Path(folder).rglob('*.[ch]pp'))
    total = hashlib.sha256()
    for path in paths:
        total.update(path.relative_to(folder).as_posix().encode() + b'\n')
        total.update(path.read_bytes())
    return total.hexdigest()[:16] if paths else ''
