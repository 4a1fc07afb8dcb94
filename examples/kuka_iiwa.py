#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The KUKA iiwa's torques under the load of its published example, with their first two derivatives, in closed form and by differences.

Run: python examples/kuka_iiwa.py --output .
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sine_motion import ROOT
from sine_motion import SineMotion
from tensors import tensors_taken_about_link_frames

from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.pictures.rows import save_rows

IIWA = ROOT / 'config' / 'robots' / 'kuka_iiwa.urdf'
GRAVITY = (0, 0, -9.80665)
TOOL = 'iiwa_link_7'
UNITS = ('Q [N m]', "Q' [N m/s]", "Q'' [N m/s²]")


def iiwa() -> RobotModel:
    return RobotModel.from_urdf(IIWA.read_bytes(), gravity=GRAVITY)


def load(t: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """(samples, rows, 6): the example's load, all components 10 sin(pi t) [N m], [N] in the last link's frame, with derivatives.

    Its authors add J^T W to the torques: W is what the arm exerts, the negative of the wrench on the link.
    """
    k = np.arange(rows)[:, None]
    values = -10 * np.pi**k * np.sin(np.pi * t[:, None, None] + k * np.pi / 2)
    return np.broadcast_to(values, (len(t), rows, 6)).astype(np.float64)


def by_differences(model: RobotModel, motion: SineMotion, t: NDArray[np.float64], order: int, step: float = 1e-3) -> NDArray[np.float64]:
    """The order-th time derivative of Q (samples, n) by central differences of Q itself."""
    ahead, here, behind = (
        inverse_dynamics(model, motion.derivatives(t + shift, 3), wrenches={TOOL: load(t + shift, 1)})[:, 0] for shift in (step, 0, -step))
    return (ahead - behind) / (2 * step) if order == 1 else (ahead - 2 * here + behind) / step**2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--output', type=Path, default=Path('.'), help='folder of the picture')
    parser.add_argument('--kind', choices=('png', 'svg', 'pdf'), default='png', help='of the picture')
    parser.add_argument('--samples', type=int, default=500)
    options = parser.parse_args()

    model, motion = iiwa(), SineMotion.from_yaml()
    t = np.linspace(0, 10, options.samples)
    q = motion.derivatives(t, 5)
    loads = {TOOL: load(t, 3)}
    exact = inverse_dynamics(model, q, wrenches=loads)
    closed = inverse_dynamics(model, q[::50], wrenches={TOOL: load(t[::50], 3)}, formulation='closed_form')
    print(f'closed form against the recursion: {np.abs(closed - exact[::50]).max() / np.abs(exact).max():.1e} relative')
    for order in (1, 2):
        error = np.abs(by_differences(model, motion, t, order) - exact[:, order]).max() / np.abs(exact[:, order]).max()
        print(f'order {order}: exact against central differences of Q: {error:.1e} relative')
    misread = inverse_dynamics(tensors_taken_about_link_frames(model), q, wrenches=loads)
    unloaded = inverse_dynamics(model, q)
    titles = [
        'loaded, tensors about the centres of mass', 'change where tensors are taken about the link frames',
        'change where the load is left out']
    cases = [exact, misread - exact, unloaded - exact]
    print('wrote', save_rows(options.output / f'kuka_iiwa.{options.kind}', t, cases, UNITS, titles))


if __name__ == '__main__':
    main()
