# SPDX-License-Identifier: Apache-2.0
"""Elastic joints: time of motor feedforward against inverse dynamics, and how closely MuJoCo's arms follow it open loop."""

import sys
from dataclasses import replace

import numpy as np

from bench import ROOT
from bench.timing import Table
from bench.timing import nanoseconds
from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import CubicSpring
from hod_ros import ExponentialSpring
from hod_ros import HardeningSpring
from hod_ros import HyperbolicSineSpring
from hod_ros import PreparedDrives
from hod_ros import QuadraticSpring
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros import with_payload

sys.path.insert(0, str(ROOT / 'test' / 'simulation'))

ELASTIC = SeriesElastic(stiffness=3000.0, motor_inertia=0.2)
PAIRS = {
    'exponential': ExponentialSpring(torque=2.0, rate=20.0),
    'quadratic': QuadraticSpring(quadratic=4e3),
    'hyperbolic sine': HyperbolicSineSpring(torque=2.0, rate=20.0),
}
CUBIC = CubicSpring(linear=300.0, cubic=4e5)


def times(model):
    table = Table('Motor feedforward, 7 joints, order 2, from Python; against inverse_dynamics(model, q)')
    laws = PAIRS | {'cubic': CUBIC}
    q = np.random.default_rng(0).uniform(-0.3, 0.3, (5, model.n))
    prepared = {
        'series elastic, prepared': dict.fromkeys(model.joint_names, ELASTIC),
        'hardening, prepared': dict.fromkeys(model.joint_names, HardeningSpring(stiffness=3000.0, cubic=1e5, motor_inertia=0.2)),
        'adjustable, prepared': dict.fromkeys(model.joint_names, AdjustableStiffness(stiffness=900.0, motor_inertia=0.2)),
        **{f'antagonistic, {law}, prepared': dict.fromkeys(
            model.joint_names, Antagonistic(spring=spring, stiffness=4000.0, motor_inertia=0.2)) for law, spring in laws.items()},
        'series elastic, rotors on moving links, prepared': {
            joint: SeriesElastic(stiffness=3000.0, motor_inertia=2e-5, gear_ratio=100.0, motor_link=f'panda_link{i}')
            for i, joint in enumerate(model.joint_names)},
    }
    drives = {name: PreparedDrives(model, figures) for name, figures in prepared.items()}
    measured = nanoseconds(
        {'inverse dynamics': lambda: inverse_dynamics(model, q)}
        | {name: lambda drive=drive: motor_feedforward(model, drive, q) for name, drive in drives.items()})
    series, *others = drives
    table.add(series, measured[series], measured['inverse dynamics'], 2.0)
    for name in others:
        table.add(f'{name}; against series elastic', measured[name], measured[series], 2.0 if 'rotors' in name else 5.0)
    many = np.random.default_rng(1).uniform(-0.3, 0.3, (10_000, 5, model.n))
    batches = nanoseconds({name: lambda drive=drive: motor_feedforward(model, drive, many) for name, drive in drives.items()}, rounds=10)
    for name in drives:
        table.add(f'{name}, 10,000 samples, each; against one', batches[name] / 10_000, measured[name], 0.35)
    return table.rows


def open_loop():
    from open_loop import largest_errors
    from open_loop import ramp
    from robots import robot
    table = Table('Open loop on MuJoCo, RK4 at 0.2 ms: largest joint error; against the bound [nrad], [1e-9]')
    for name in ('our_panda', 'ur5_robot'):
        arm = robot(name)
        joints = arm.joint_names
        elastic, rotors = dict.fromkeys(joints, ELASTIC), dict.fromkeys(joints, Rigid(motor_inertia=0.2))
        full = largest_errors(arm, elastic)[0]
        table.add(f'{name}: series elastic, full feedforward', full * 1e9, 2e3, 1.0, 'nr')
        rigid = largest_errors(arm, elastic, rotors)[0]
        table.add(f'{name}: 1000 times that, against rigid feedforward', full * 1e12, rigid * 1e9, 1.0, 'nr')
        every_other = dict.fromkeys(joints[::2], ELASTIC)
        table.add(f'{name}: every other joint rigid', largest_errors(arm, rotors | every_other)[0] * 1e9, 1e4, 1.0, 'nr')
        table.add(f'{name}: the same without rotors in rigid joints', largest_errors(arm, every_other)[0] * 1e9, 1e4, None, 'nr')
        hardening = dict.fromkeys(joints, HardeningSpring(stiffness=2000.0, cubic=1e5, motor_inertia=0.2))
        table.add(f'{name}: hardening springs', largest_errors(arm, hardening)[0] * 1e9, 1e4, 1.0, 'nr')
        for kind, spring in PAIRS.items():
            pairs = dict.fromkeys(joints, Antagonistic(spring=spring, motor_inertia=0.2))
            position, stiffness = largest_errors(arm, pairs, stiffness=lambda t, n=arm.n: ramp(t, n, 4000.0, 5.0))
            table.add(f'{name}: pairs, {kind}, stiffness times 5', position * 1e9, 1e4, 1.0, 'nr')
            table.add(f'{name}: their stiffness, relative', stiffness * 1e9, 1e6, 1.0, 'pb')
    return table.rows


def coupled():
    from open_loop import largest_errors
    from robots import robot
    table = Table('Rotors of 0.2 kg m^2 at the joint on the links before their joints, open loop for 0.5 s; against the bound [nrad]')
    arm = robot('our_panda')
    links = [f'panda_link{i}' for i in range(7)]
    for link in links[1:]:
        arm = with_payload(arm, link, mass=0.5, inertia=0.21 * np.eye(3))
    for gear, bounds in ((1.0, (None, 6.6e6, 1e3)), (10.0, (None, 1.4e5, 1e3)), (50.0, (None, 2.4e4, 1e3))):
        spong = {joint: SeriesElastic(stiffness=3000.0, motor_inertia=0.2 / gear**2, gear_ratio=gear) for joint in arm.joint_names}
        drives = {joint: replace(drive, motor_link=link) for (joint, drive), link in zip(spong.items(), links, strict=True)}
        forms = {"Spong's model": spong, 'five rows': drives, 'exact': PreparedDrives(arm, drives, coupling='exact')}
        for (form, feedforward), bound in zip(forms.items(), bounds, strict=True):
            error = largest_errors(arm, drives, feedforward, seconds=0.5)[0]
            table.add(f'gear {gear:g}: {form}', error * 1e9, bound or error * 1e9, None if bound is None else 1.0, 'nr')
    return table.rows


def fast():
    from elastic_time_optimal import NAMES
    from elastic_time_optimal import STEP
    from elastic_time_optimal import compare
    rows = []
    for period, bound in ((STEP, 0.01), (1e-3, 0.1)):
        table = Table(
            f'Motions of equal duration along one path, springs of 3000 N m/rad, controller at {1e-3 / period:g} kHz: largest joint error; '
            "against TOPP-RA's [nrad]")
        error = {name: 1e9 * run.largest for name, run in compare(period)[2].items()}
        for name, at_most in zip(NAMES, (None, None, bound), strict=True):
            table.add(name, error[name], error[NAMES[0]], at_most, 'nr')
        rows += table.rows
    return rows


def run():
    from robots import robot
    return times(robot('our_panda')) + coupled() + open_loop() + fast()
