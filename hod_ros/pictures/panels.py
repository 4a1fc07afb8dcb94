# SPDX-License-Identifier: Apache-2.0
"""A panel for each joint and quantity, limits drawn in: what the papers' figures show, for any robot."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.pictures import style

Array = NDArray[np.float64]
ACROSS = 4              # joints side by side at most; more go below
FAR = 2.5               # times the largest value: limits further off are written, not drawn, lest the curve be flat


@dataclass(frozen=True)
class Quantity:
    """One quantity of all joints over time."""

    label: str                          # with its unit, such as 'Q [N m]'
    values: Array                       # (samples, n)
    limits: Array | None = None         # (n, 2) lower and upper, infinite where there is none
    motors: Sequence[tuple[int, Array]] = ()    # (joint, (samples,)): the same of its motor, as seen at the joint


def panels_figure(t: Array, quantities: Sequence[Quantity], names: Sequence[str], title: str = ''):
    """t: (samples,) [s]; names: of the n joints. Solid: the joint; dashed: its motor; hatched: beyond a limit."""
    columns = -(-len(names) // -(-len(names) // ACROSS))
    blocks = [range(first, min(first + columns, len(names))) for first in range(0, len(names), columns)]
    rows = len(blocks) * len(quantities)
    figure, axes = style.subplots(rows, columns, (min(1.2 + 2.0 * columns, style.WIDTH), 0.8 + 1.25 * rows), sharex=True)
    figure.suptitle(title, fontsize=style.TITLE)
    shown = {}
    for b, block in enumerate(blocks):
        for row, quantity in enumerate(quantities, start=b * len(quantities)):
            for column in range(columns):
                plot = axes[row, column]
                if column >= len(block):
                    plot.set_axis_off()
                    continue
                shown |= _panel(plot, t, quantity, block[column])
                if row == b * len(quantities):
                    plot.set_title(names[block[column]], fontsize=style.TITLE, pad=14)
            axes[row, 0].set_ylabel(quantity.label)
    for plot in axes[-1]:
        plot.set_xlabel('t [s]')
    if len(shown) > 1:
        figure.legend(shown.values(), shown.keys(), loc='outside lower center', ncols=len(shown), frameon=False, fontsize=style.TYPE)
    return figure


def _panel(plot, t, quantity, joint):
    """Draws one panel; returns {what is drawn: an artist of it}."""
    shown = {}
    values = quantity.values[:, joint]
    shown['joint'], = plot.plot(t, values, color='black', linewidth=1.0)
    motors = [motor for owner, motor in quantity.motors if owner == joint]
    for motor in motors:
        shown['motor, as seen at the joint'], = plot.plot(t, motor, **style.MOTOR)
    largest = np.abs([values, *motors]).max()
    plot.grid(alpha=0.3)
    plot.margins(x=0)
    low, high = (-np.inf, np.inf) if quantity.limits is None else quantity.limits[joint]
    near = [limit for limit in (low, high) if np.isfinite(limit) and abs(limit) <= FAR * largest]
    for limit in near:
        plot.axhline(limit, **style.LIMIT)
    if near:
        bottom, top = plot.get_ylim()
        edge = 0.08 * (top - bottom)
        bottom, top = min(bottom, low - edge if low in near else bottom), max(top, high + edge if high in near else top)
        for limit, outer in ((low, bottom), (high, top)):
            if limit in near:
                shown['beyond a limit'] = plot.axhspan(
                    *sorted((limit, outer)), facecolor='none', edgecolor=style.LIMIT['color'], hatch='////', linewidth=0, alpha=0.6)
        plot.set_ylim(bottom, top)
    elif np.isfinite(low) or np.isfinite(high):
        plot.annotate(
            limits_text(low, high), (1.0, 1.02), xycoords='axes fraction', ha='right', va='bottom', fontsize=style.TYPE, color='0.35')
    return shown


def limits_text(low: float, high: float) -> str:
    """Limits in words."""
    return f'limit ±{high:.4g}' if -low == high else f'limits {low:.4g}, {high:.4g}'
