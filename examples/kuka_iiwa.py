# SPDX-License-Identifier: Apache-2.0
#!/usr/bin/env python3
"""The KUKA iiwa's torques and their first two derivatives in closed form, and the same by numerical differentiation.

Run: python examples/kuka_iiwa.py --output .
"""

import argparse
from pathlib import Path

import numpy as np
from figures import save_rows
from numpy.typing import NDArray
from sine_motion import ROOT
from sine_motion import SineMotion
from tensors import tensors_taken_about_link_frames

from hod_ros import RobotModel
from hod_ros import inverse_dynamics

IIWA = ROOT / 'config' / 'robots' / 'kuka_iiwa.urdf'
GRAVITY = (0, 0, -9.80665)
UNITS = ('Q [N m]', "Q' [N m/s]", "Q'' [N m/s²]")


def iiwa() -> RobotModel:
    return RobotModel.from_urdf(IIWA.read_bytes(), gravity=GRAVITY)


def by_differences(model: RobotModel, motion: SineMotion, t: NDArray[np.float64], order: int, step: float = 1e-3) -> NDArray[np.float64]:
    """The order-th time derivative of Q (samples, n) by central differences of Q itself."""
    ahead, here, behind = (
        inverse_dynamics(model, motion.derivatives(t + shift, 3))[:, 0] for shift in (step, 0, -step))
    return (ahead - behind) / (2 * step) if order == 1 else (ahead - 2 * here + behind) / step**2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--output', type=Path, default=Path('.'), help='folder of the picture')
    parser.add_argument('--samples', type=int, default=500)
    options = parser.parse_args()

    model, motion = iiwa(), SineMotion.from_yaml()
    t = np.linspace(0, 10, options.samples)
    q = motion.derivatives(t, 5)
    exact = inverse_dynamics(model, q, formulation='closed_form')
    for order in (1, 2):
        error = np.abs(by_differences(model, motion, t, order) - exact[:, order]).max() / np.abs(exact[:, order]).max()
        print(f'order {order}: closed form against central differences of Q: {error:.1e} relative')
    published = inverse_dynamics(tensors_taken_about_link_frames(model), q, formulation='closed_form')
    titles = ['as published: tensors taken about the link frames', 'tensors about the centres of mass']
    print('wrote', save_rows(options.output / 'kuka_iiwa.png', t, [published, exact], UNITS, titles))


if __name__ == '__main__':
    main()
