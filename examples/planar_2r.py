#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The planar arm of two links: closed expressions of Q, Q', Q'' by sympy, and a picture of them along a motion.

Both links carry their masses at their ends; gravity points along -y. Run: python examples/planar_2r.py --output .
"""

import argparse
from pathlib import Path
from typing import Any
from typing import TypeAlias

import numpy as np
import sympy
from numpy.typing import NDArray
from sine_motion import SineMotion

import hod_ros
from hod_ros import RobotModel
from hod_ros import link_inertia
from hod_ros.model import screws
from hod_ros.pictures.rows import save_rows

Number: TypeAlias = Any         # a float or an expression of sympy
PARAMETERS = sympy.symbols('m1 m2 L1 L2 g', positive=True)
VALUES = (2.0, 1.0, 0.5, 0.4, 9.81)                 # [kg], [kg], [m], [m], [m/s^2]
MOTION = SineMotion(('joint1', 'joint2'), np.array([1.5, -2.0]), np.array([1.3, 2.9]))


def planar_arm(m1: Number, m2: Number, L1: Number, L2: Number, g: Number) -> RobotModel:
    """The arm from its screws and reference configurations; the numbers may be symbols."""
    exact = any(isinstance(value, sympy.Basic) for value in (m1, m2, L1, L2, g))
    elbow: NDArray[Any] = np.array(sympy.eye(4)) if exact else np.eye(4)
    elbow[0, 3] = L1
    return RobotModel.from_screws(
        screws=[screws.revolute((0, 0, 1)), screws.revolute((0, 0, 1), (L1, 0, 0))],
        reference=[np.eye(4, dtype=int), elbow],
        inertias=[link_inertia(m1, (L1, 0, 0)), link_inertia(m2, (L2, 0, 0))],
        gravity=(0, -g, 0),
        name='planar_2r')


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--output', type=Path, default=Path('.'), help='folder of the picture')
    parser.add_argument('--kind', choices=('png', 'svg', 'pdf'), default='png', help='of the picture')
    parser.add_argument('--samples', type=int, default=500)
    options = parser.parse_args()

    Q, q = hod_ros.symbolic(planar_arm(*PARAMETERS), 2)
    for order, row in enumerate(Q):
        for joint, expression in enumerate(row, start=1):
            print('Q' + str(joint) + "'" * order, '=', expression)

    t = np.linspace(0, 8, options.samples)
    motion = MOTION.derivatives(t, 5)
    expressions = sympy.lambdify([*q.flat, *PARAMETERS], list(Q.flat))
    closed = np.array([expressions(*sample.flat, *VALUES) for sample in motion]).reshape(-1, 3, 2)
    recursive = hod_ros.inverse_dynamics(planar_arm(*VALUES), motion)
    print(f'expressions against recursion: {np.abs(closed - recursive).max() / np.abs(recursive).max():.1e} relative')
    units = ('Q [N m]', "Q' [N m/s]", "Q'' [N m/s²]")
    print('wrote', save_rows(options.output / f'planar_2r.{options.kind}', t, [recursive], units, ['planar 2R arm']))


if __name__ == '__main__':
    main()
