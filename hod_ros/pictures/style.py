# SPDX-License-Identifier: Apache-2.0
"""What all figures share: size, type, colours, dashes, and one way to make and to write them, without a display."""

import re
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import IO
from typing import Any

from hod_ros.errors import InputError

WIDTH = 7.2             # [inch] of a page's text, so that type is printed in the size that it has here
TYPE, TITLE = 8, 9      # [pt] what is set without a size outside of subplots is as large as the caller's settings have it
# Seven colours that eyes without red or green tell apart (Okabe and Ito), each with dashes of its own.
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')
DASHES = ('-', (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (6, 1.5, 2, 1.5)))
MARKERS = ('', 'o', 's', '^', 'D', 'v', 'x')        # of the second seven lines, the third, ...
MOTOR = {'color': COLOURS[1], 'linestyle': (0, (3, 1.5)), 'linewidth': 1.0}
LIMIT = {'color': '#666666', 'linestyle': (0, (10, 2, 1, 2, 1, 2)), 'linewidth': 0.8}
KINDS = ('.png', '.svg', '.pdf')
DPI = 300
MOST_PIXELS = 2**16 - 1         # across or down: Agg draws no more
_SETTINGS = {
    'font.size': TYPE, 'svg.hashsalt': 'hod_ros', 'svg.fonttype': 'none', 'pdf.fonttype': 42, 'path.simplify_threshold': 0.15}


def subplots(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Any, Any]:
    """A figure and its axes (rows, columns); size [inch], up to WIDTH across."""
    import matplotlib
    figure = new_figure(size)
    with matplotlib.rc_context(_SETTINGS):
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
    """The cycle of lines: no two share dashes and markers before the fiftieth."""
    from cycler import cycler
    lines = [(colour, dashes, marker) for marker in MARKERS for colour, dashes in zip(COLOURS, DASHES, strict=True)]
    colours, dashes, markers = zip(*lines, strict=True)
    return (cycler(color=colours) + cycler(linestyle=dashes) + cycler(marker=markers)) * cycler(markersize=[3]) * cycler(markevery=[0.2])


def save(figure: Any, file: 'str | PathLike[str] | IO[bytes]', kind: str | None = None) -> None:
    """Writes a figure to a path, whose ending says of what kind, or to an open file of that kind; the same figure gives the same bytes."""
    import matplotlib
    kind = Path(file).suffix if kind is None else kind
    if kind not in KINDS:
        raise InputError(f'a picture is written as {", ".join(KINDS)}, not as {kind!r}; name a file that ends in one of them')
    undated = {'.svg': {'Date': None}, '.pdf': {'CreationDate': None}}.get(kind, {})
    dpi = min(DPI, int(MOST_PIXELS / max(figure.get_size_inches())))
    drawn = BytesIO()
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(drawn, format=kind[1:], dpi=dpi, metadata=undated)
    written = _palette(drawn, dpi) if kind == '.png' else _rounded(drawn.getvalue()) if kind == '.svg' else drawn.getvalue()
    if isinstance(file, (str, PathLike)):
        Path(file).write_bytes(written)
    else:
        file.write(written)


def _palette(drawn, dpi):
    """A PNG with a palette: lines on white need no more colours, and a third of the bytes."""
    from PIL import Image
    out = BytesIO()
    with Image.open(drawn) as picture:
        picture.convert('RGB').quantize(256, dither=Image.Dither.NONE).save(out, 'PNG', dpi=(dpi, dpi), optimize=True)
    return out.getvalue()


def _rounded(svg):
    """Places of curves to a hundredth of a point, which makes half of the file."""
    return re.sub(rb' d="[^"]*"', lambda path: re.sub(rb'(\.\d\d)\d+', rb'\1', path[0]), svg)
