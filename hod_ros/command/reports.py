# SPDX-License-Identifier: Apache-2.0
"""What a command prints: text with colours on a terminal, tables, or one JSON document for scripts."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any
from typing import TextIO

_ESCAPES = re.compile(r'\033\[\d+m')
STYLES = {'bold': '1', 'dim': '2', 'red': '31', 'green': '32', 'yellow': '33'}


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--json', action='store_true', help='print one JSON document, for scripts')


def styled(text: str, style: str, stream: TextIO | None = None) -> str:
    """The text, in that style where the stream is a terminal that shows it; NO_COLOR is respected."""
    stream = sys.stdout if stream is None else stream
    if not stream.isatty() or os.environ.get('NO_COLOR') or os.environ.get('TERM') == 'dumb':
        return text
    return f'\033[{STYLES[style]}m{text}\033[0m'


def print_json(document: Any) -> None:
    """One JSON document: numbers that are not finite become null, since JSON has none."""
    import json
    print(json.dumps(plain(document), indent=2, allow_nan=False))


def say_no(command: str, message: str, json: bool) -> None:
    """The answer no in one line on standard error, where a terminal does not show the report that says it."""
    if json or not sys.stdout.isatty():
        print(f'hod {command}: {" ".join(message.split())}', file=sys.stderr, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Lines of a table; right: the columns that are flush right."""
    widths = [max(_width(row[i]) for row in (header, *rows)) for i in range(len(header))]

    def line(row):
        blanks = [' ' * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [blank + cell if i in right else cell + blank for i, (cell, blank) in enumerate(zip(row, blanks, strict=True))]
        return '  '.join(cells).rstrip()

    return [styled(line(header), 'bold'), *map(line, rows)]


def _width(cell):
    return len(_ESCAPES.sub('', cell))


def figure(value: float) -> str:
    """A number of four digits, or nothing where there is none."""
    return f'{value:.4g}' if abs(value) < float('inf') else ''


def plain(value):
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, 'tolist'):
        return plain(value.tolist())
    if isinstance(value, float) and not abs(value) < float('inf'):
        return None
    return value
