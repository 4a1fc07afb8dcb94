#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Third-order inverse dynamics of the Franka Emika Panda: the published figures, and beside them the right ones.

The published torques and derivatives are without gravity, and take the inertia tensors, which were identified about the
centres of mass, as if they were about the link frames. Run: python examples/panda_figures.py --output .
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sine_motion import PANDA
from sine_motion import SineMotion
from tensors import tensors_taken_about_link_frames

from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.model import screws
from hod_ros.pictures.rows import save_rows

UNITS = ('Q [N m]', "Q' [N m/s]", "Q'' [N m/s²]", "Q''' [N m/s³]")
D1, D3, D5, A4, A7 = 0.333, 0.316, 0.384, 0.0825, 0.088     # [m]


def panda() -> RobotModel:
    return RobotModel.from_urdf(PANDA.read_bytes())


def panda_from_screws(inertias: NDArray[np.float64]) -> RobotModel:
    """The arm from axes e_j and points y_j on them in the world frame at q = 0; the links' frames are at these
    points."""
    x, y, z = np.eye(3)
    e = [z, y, z, -y, z, -y, -z]
    shoulder, elbow, wrist = D1 * z, (D1 + D3) * z, (D1 + D3 + D5) * z
    points = [shoulder, shoulder, elbow, elbow + A4 * x, wrist, wrist, wrist + A7 * x]
    A = np.zeros((7, 4, 4))
    for frame, axis, point in zip(A, e, points, strict=True):
        frame[:3, :4] = np.stack([x, np.cross(axis, x), axis, point], axis=1)
        frame[3, 3] = 1
    Y = [screws.revolute(axis, point) for axis, point in zip(e, points, strict=True)]
    return RobotModel.from_screws(Y, A, inertias, name='panda', joint_names=[f'panda_joint{i}' for i in range(1, 8)])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--output', type=Path, default=Path('.'), help='folder of the picture')
    parser.add_argument('--kind', choices=('png', 'svg', 'pdf'), default='png', help='of the picture')
    parser.add_argument('--samples', type=int, default=600)
    options = parser.parse_args()

    model, t = panda(), np.linspace(0, 10, options.samples)
    q = SineMotion.from_yaml().derivatives(t, 6)
    published = inverse_dynamics(tensors_taken_about_link_frames(model).replace(gravity=(0, 0, 0)), q)
    right = inverse_dynamics(model, q)
    screw_based = inverse_dynamics(panda_from_screws(model.M), q)
    print(f'model from screws against URDF: {np.abs(right - screw_based).max() / np.abs(right).max():.1e} relative')
    for order, unit in enumerate(UNITS):
        difference = np.abs(published[:, order] - right[:, order]).max()
        largest = np.abs(right[:, order]).max()
        print(f'{unit}: at most {largest:.4g}; the published reading is off by up to {difference:.3g}')
    titles = ['as published: no gravity, tensors about link frames', 'with gravity, tensors about the centres of mass', 'difference']
    cases = [published, right, published - right]
    print('wrote', save_rows(options.output / f'panda_figures.{options.kind}', t, cases, UNITS, titles))


if __name__ == '__main__':
    main()
