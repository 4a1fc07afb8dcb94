# SPDX-License-Identifier: Apache-2.0
"""Numbers as robot descriptions spell them: decimal, in ASCII, without anything between their digits."""

import re
from functools import cache

_NUMBER = r'[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?'


def are_numbers(text: str, count: int = 1) -> bool:
    """Whether a text is so many numbers, with blanks between."""
    return _pattern(count).fullmatch(text) is not None


@cache
def _pattern(count):
    """Compiled when it is needed, for that takes a millisecond."""
    more = rf'(?:\s+{_NUMBER}){{{count - 1}}}' if count > 1 else ''
    return re.compile(rf'\s*{_NUMBER}{more}\s*', re.ASCII)
