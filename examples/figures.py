# SPDX-License-Identifier: Apache-2.0
"""Pictures of forces and their time derivatives: one row for each order, one column for each case."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def save_rows(
        path: Path, t: NDArray[np.float64], cases: Sequence[NDArray[np.float64]], labels: Sequence[str], titles: Sequence[str],
        names: Sequence[str] | None = None) -> Path:
    """Writes a PNG. cases: arrays (samples, orders, joints), one a column; labels: one an order; titles: one a case."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    orders = len(labels)
    figure, axes = pyplot.subplots(orders, len(cases), figsize=(4.6 * len(cases), 1.9 * orders + 0.6), sharex=True,
                                   squeeze=False)
    names = names or [f'joint {j + 1}' for j in range(np.shape(cases[0])[-1])]
    for column, (case, title) in enumerate(zip(cases, titles, strict=True)):
        for order, label in enumerate(labels):
            plot = axes[order, column]
            plot.plot(t, case[:, order], linewidth=0.9)
            plot.set_ylabel(label)
            plot.grid(alpha=0.3)
        axes[0, column].set_title(title, fontsize=10)
        axes[-1, column].set_xlabel('t [s]')
    figure.legend(axes[0, 0].lines, names, loc='lower center', ncol=len(names), fontsize=7, frameon=False)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)
    pyplot.close(figure)
    return path
