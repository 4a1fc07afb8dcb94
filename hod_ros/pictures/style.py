# SPDX-License-Identifier: Apache-2.0
"""What all figures share: colours and dashes, and one way to make and to write them, without a display."""

from os import PathLike
from pathlib import Path
from typing import IO
from typing import Any

from hod_ros.errors import InputError

# Seven colours that eyes without red or green tell apart (Okabe and Ito), each with dashes of its own.
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')
DASHES = ('-', (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)), '-')
KINDS = ('.png', '.svg', '.pdf')
_SETTINGS = {'font.size': 9, 'svg.hashsalt': 'hod_ros', 'svg.fonttype': 'none', 'pdf.fonttype': 42}


def subplots(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Any, Any]:
    """A figure and its axes (rows, columns); size [inch]."""
    figure = new_figure(size)
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def new_figure(size: tuple[float, float]) -> Any:
    """An empty figure that no window knows."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=size, layout='constrained')
    FigureCanvasAgg(figure)
    return figure


def line_styles() -> Any:
    """The cycle of colours with their dashes."""
    from cycler import cycler
    return cycler(color=COLOURS) + cycler(linestyle=DASHES)


def save(figure: Any, file: 'str | PathLike[str] | IO[bytes]', kind: str | None = None) -> None:
    """Writes a figure to a path, whose ending says of what kind, or to an open file of that kind; the same figure gives the same bytes."""
    import matplotlib
    kind = Path(file).suffix if kind is None else kind
    if kind not in KINDS:
        raise InputError(f'a picture is written as {", ".join(KINDS)}, not as {kind!r}; name a file that ends in one of them')
    undated = {'.svg': {'Date': None}, '.pdf': {'CreationDate': None}}.get(kind, {})
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(file, format=kind[1:], dpi=150, metadata=undated)
