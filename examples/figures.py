# SPDX-License-Identifier: Apache-2.0
"""Pictures of forces and their time derivatives: one row for each order, one column for each case."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# Seven colours that eyes without red or green tell apart (Okabe and Ito), each with dashes of its own.
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')
DASHES = ('-', (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)), '-')


def save_rows(
        path: Path, t: NDArray[np.float64], cases: Sequence[NDArray[np.float64]], labels: Sequence[str], titles: Sequence[str],
        names: Sequence[str] | None = None) -> Path:
    """Writes a picture; the ending of `path` says of what kind (png, svg, pdf).

    cases: arrays (samples, orders, joints), one a column; labels: one an order; titles: one a case.
    """
    import matplotlib
    matplotlib.use('Agg')
    from cycler import cycler
    from matplotlib import pyplot
    orders = len(labels)
    pyplot.rcParams.update({'font.size': 9, 'axes.prop_cycle': cycler(color=COLOURS) + cycler(linestyle=DASHES)})
    figure, axes = pyplot.subplots(orders, len(cases), figsize=(4.6 * len(cases), 1.9 * orders + 0.6), sharex=True,
                                   squeeze=False)
    names = names or [f'joint {j + 1}' for j in range(np.shape(cases[0])[-1])]
    for column, (case, title) in enumerate(zip(cases, titles, strict=True)):
        for order, label in enumerate(labels):
            plot = axes[order, column]
            plot.plot(t, case[:, order], linewidth=1.1)
            plot.set_ylabel(label)
            plot.grid(alpha=0.3)
        axes[0, column].set_title(title, fontsize=10)
        axes[-1, column].set_xlabel('t [s]')
    figure.legend(axes[0, 0].lines, names, loc='lower center', ncol=len(names), fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return path
