# SPDX-License-Identifier: Apache-2.0
"""An arm with elastic joints on MuJoCo, driven with and without the derivatives of its torques, and with a stiffness that is wrong.

    python examples/elastic_stiffness.py [--picture FILE]

The Panda's arm with springs of 3000 N m/rad (illustrative: no citable figures are known) and rotors of 0.2 kg m^2 moves by
0.4 sin(4 t + 0.7 i) rad. Its motors get feedforward torques and PD control of their own positions, at 1 kHz.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hod_ros import ElasticPlant
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward

PANDA = Path(__file__).parents[1] / 'config' / 'robots' / 'panda.urdf'
STIFFNESS, ROTOR = 3000.0, 0.2              # [N m/rad], [kg m^2]
BANDWIDTH, DAMPING = 2 * np.pi * 5, 0.7     # of the PD control [rad/s], []
PERIOD, SUBSTEPS, DURATION = 1e-3, 5, 3.0   # [s], [], [s]

Array: TypeAlias = NDArray[np.float64]
Feedforward: TypeAlias = Callable[[RobotModel, Array], tuple[Array, Array, Array]]      # (model, q) -> theta, theta', tau of the motors


def motion(times: Array, n: int) -> Array:
    phase = 4 * times[:, None] + 0.7 * np.arange(n)
    return np.stack([0.4 * 4.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(5)], axis=1)


def drives(model: RobotModel, factor: float = 1.0) -> dict[str, SeriesElastic]:
    return dict.fromkeys(model.joint_names, SeriesElastic(stiffness=factor * STIFFNESS, motor_inertia=ROTOR))


def full(model: RobotModel, q: Array, factor: float = 1.0) -> tuple[Array, Array, Array]:
    m = motor_feedforward(model, drives(model, factor), q)
    return m.positions, m.velocities, m.efforts


def torque_only(model: RobotModel, q: Array) -> tuple[Array, Array, Array]:
    """theta = q + Q / K, without Q' and Q''."""
    Q = inverse_dynamics(model, q)[:, 0]
    return q[:, 0] + Q / STIFFNESS, q[:, 1], Q + ROTOR * q[:, 2]


def rigid(model: RobotModel, q: Array) -> tuple[Array, Array, Array]:
    return q[:, 0], q[:, 1], inverse_dynamics(model, q)[:, 0] + ROTOR * q[:, 2]


def none(model: RobotModel, q: Array) -> tuple[Array, Array, Array]:
    return q[:, 0], q[:, 1], np.zeros_like(q[:, 0])


def errors(model: RobotModel, feedforward: Feedforward) -> tuple[Array, Array]:
    """Error of the joints (periods, n) [rad] under this feedforward and PD control on the motors."""
    times = np.arange(round(DURATION / PERIOD), dtype=np.float64) * PERIOD
    plant = ElasticPlant(model, drives(model), step=PERIOD / SUBSTEPS)
    q = motion(times, model.n)
    at_start = motor_feedforward(model, drives(model), q[0])
    plant.set_state(q[0, 0], q[0, 1], at_start.positions, at_start.velocities)
    positions, velocities, _ = feedforward(model, q)
    efforts = feedforward(model, motion(times + PERIOD / 2, model.n))[2]
    out = np.empty((len(times), model.n))
    for i in range(len(times)):
        out[i] = plant.positions - q[i, 0]
        tau = (efforts[i] + ROTOR * BANDWIDTH ** 2 * (positions[i] - plant.motor_positions)
               + 2 * DAMPING * ROTOR * BANDWIDTH * (velocities[i] - plant.motor_velocities))
        for _ in range(SUBSTEPS):
            plant.step(tau)
    return times, out


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--picture', metavar='FILE', help='draw the errors there')
    picture = parser.parse_args().picture
    model = RobotModel.from_urdf(PANDA.read_text())
    cases: dict[str, Feedforward] = {        # in sea_demo's order, which gives them its lines
        'full feedforward': full,
        "Q alone: no Q', Q''": torque_only,
        'rigid feedforward': rigid,
        'PD alone': none,
        **{f'full, stiffness {percent:+d} %': partial(full, factor=1 + percent / 100) for percent in (10, -10, 30, -30)},
    }
    results = {name: errors(model, feedforward) for name, feedforward in cases.items()}
    for name, (_, error) in results.items():
        print(f'{name:24} rms {np.sqrt((error ** 2).mean()):9.2e} rad   largest {np.abs(error).max():9.2e} rad')
    if picture:
        draw(results, picture)


def draw(results: dict[str, tuple[Array, Array]], file: str) -> None:
    from hod_ros.pictures import style
    figure, ((axes,),) = style.subplots(1, 1, (style.WIDTH, 3.8))
    axes.set_prop_cycle(style.line_styles())
    for name, (times, error) in results.items():
        axes.semilogy(times, 1e3 * np.maximum(np.abs(error).max(axis=1), 1e-9), label=name, linewidth=1.0)
    axes.set(xlabel='t [s]', ylabel='largest joint error [mrad]')
    axes.set_title('Panda with elastic joints on MuJoCo, motor PD of 5 Hz', fontsize=style.TITLE)
    axes.yaxis.set_major_formatter('{x:g}')
    axes.grid(alpha=0.25)
    figure.legend(loc='outside right center', frameon=False, fontsize=style.TYPE)
    style.save(figure, file)


if __name__ == '__main__':
    main()
