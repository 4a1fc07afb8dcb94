# SPDX-License-Identifier: Apache-2.0
"""The papers' figures: one row for each order, one column for each case, all joints in one plot."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

import numpy as np
from numpy.typing import NDArray

from hod_ros.pictures import style
from hod_ros.pictures.panels import FAR
from hod_ros.pictures.panels import limits_text


def rows_figure(
        t: NDArray[np.float64], cases: Sequence[NDArray[np.float64]], labels: Sequence[str], titles: Sequence[str],
        names: Sequence[str] | None = None, limits: Sequence[tuple[float, float] | None] | None = None):
    """cases: arrays (samples, orders, joints), one a column; labels: one an order; titles: one a case; names: of the joints.

    limits: for each order those that all joints share, which are drawn as lines; None where there are none.
    """
    orders = len(labels)
    names = names or [f'joint {j + 1}' for j in range(np.shape(cases[0])[-1])]
    width = min(4.6 * len(cases), style.WIDTH)
    across = _columns(width, names)
    below = -(-len(names) // across)        # lines of the legend
    figure, axes = style.subplots(orders, len(cases), (width, 1.6 * orders + 0.5 + 0.2 * below), sharex=True)
    for column, (case, title) in enumerate(zip(cases, titles, strict=True)):
        for order, label in enumerate(labels):
            plot = axes[order, column]
            plot.set_prop_cycle(style.line_styles())
            plot.plot(t, case[:, order], linewidth=1.0)
            if limits is not None and limits[order] is not None:
                _draw_limits(plot, limits[order], np.abs(case[:, order]).max())
            plot.set_ylabel(label if column == 0 else '')
            plot.grid(alpha=0.3)
        axes[0, column].set_title(fill(title, int(13 * width / len(cases))), fontsize=style.TITLE)
        axes[-1, column].set_xlabel('t [s]')
    figure.legend(axes[0, 0].lines[:len(names)], names, loc='outside lower center', ncols=across, frameon=False, fontsize=style.TYPE)
    return figure


def _draw_limits(plot, limits, largest):
    near = [limit for limit in limits if abs(limit) <= FAR * largest]
    for limit in near:
        plot.axhline(limit, **style.LIMIT)
    if len(near) < len(limits):
        plot.annotate(
            limits_text(*limits), (1.0, 1.02), xycoords='axes fraction', ha='right', va='bottom', fontsize=style.TYPE, color='0.35')


def _columns(width, names):
    """How many entries of a legend stand side by side in so many inches."""
    return min(len(names), max(1, int(width / (0.5 + 0.065 * max(map(len, names))))))


def save_rows(
        path: Path, t: NDArray[np.float64], cases: Sequence[NDArray[np.float64]], labels: Sequence[str], titles: Sequence[str],
        names: Sequence[str] | None = None) -> Path:
    """rows_figure in a file; the ending of `path` says of what kind (png, svg, pdf)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    style.save(rows_figure(t, cases, labels, titles, names), path)
    return path
