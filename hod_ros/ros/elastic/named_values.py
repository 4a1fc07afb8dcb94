# SPDX-License-Identifier: Apache-2.0
"""Values of messages that carry names, brought into the order of ours."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.arguments import some
from hod_ros.errors import InputError


class NamedValues:

    def __init__(self, names: Iterable[str], *, exactly: bool = False) -> None:
        self._names = list(names)
        self._exactly = exactly         # whether other names are refused
        self._given = None
        self._index = None

    def take(self, message: Any, *fields: str) -> list[NDArray[np.float64]]:
        """Arrays of the fields of a message whose `name` field holds its names; InputError where something is amiss."""
        given = message.name
        if given != self._given:
            self._index = self._indices(list(given))
            self._given = list(given)
        taken = []
        for field in fields:
            values = np.array(getattr(message, field))
            if len(values) != len(given):
                raise InputError(f'{field} has {len(values)} values for {len(given)} names; give one for each')
            values = values[self._index]
            if not np.isfinite(values).all():
                column = int(np.argmin(np.isfinite(values)))
                raise InputError(f'{field} of {self._names[column]!r} is {values[column]}; give finite numbers')
            taken.append(values)
        return taken

    def _indices(self, given):
        missing = [name for name in self._names if name not in given]
        double = sorted(name for name, count in Counter(given).items() if count > 1)
        extra = [name for name in given if name not in self._names] if self._exactly else []
        for names, fault in ((missing, 'missing'), (double, 'named more than once'), (extra, 'unknown')):
            if names:
                raise InputError(f'name: {", ".join(map(repr, names[:8]))} {fault}; name each of {some(self._names)} once')
        return np.array([given.index(name) for name in self._names])
