# SPDX-License-Identifier: Apache-2.0
"""Dampers beside the springs: the truncated series, and the filter against scipy's stiff integrator."""

from dataclasses import replace

import numpy as np
import pytest
from robots import robot
from scipy.integrate import solve_ivp

from hod_ros import AdjustableStiffness
from hod_ros import DampingFilter
from hod_ros import HardeningSpring
from hod_ros import HodError
from hod_ros import SeriesElastic
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros import with_payload
from hod_ros.actuators.relaxation import relaxed


@pytest.fixture(scope='module')
def arm():
    return robot('our_panda', joints=['panda_joint2', 'panda_joint4'])


def motion(t, rows):
    phase = 2 * np.asarray(t, float)[:, None] + 0.7 * np.arange(2)
    return np.stack([0.4 * 2.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(rows)], axis=1)


def solved_deflection(law, damping, arm, until, e0):
    """e at `until` of D e' + f(e) = Q(t), for the second joint."""
    def slope(t, e):
        return (inverse_dynamics(arm, motion([t], 3)[0])[0, 1] - law(e, t)) / damping
    return solve_ivp(slope, (0, until), [e0], method='Radau', rtol=1e-11, atol=1e-13).y[0, -1]


def test_every_term_of_the_series_is_closer_to_the_damped_spring(arm):
    K, D = 3000.0, 12.0
    exact = solved_deflection(lambda e, t: K * e, D, arm, 0.5, 0.0)
    errors = []
    for terms in range(4):
        drive = SeriesElastic(stiffness=K, motor_inertia=0.2, damping=D if terms else 0.0, damping_terms=terms or None)
        q = motion([0.5], 5 + terms)[0]
        m = motor_feedforward(arm, {'panda_joint4': drive}, q)
        errors.append(abs(m.positions[1] - q[0, 1] - exact))
    assert all(after < 0.1 * before for before, after in zip(errors, errors[1:], strict=False)), errors


def test_series_asks_for_the_rows_that_it_needs(arm):
    drives = {'panda_joint4': SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=12.0, damping_terms=2)}
    with pytest.raises(HodError, match=r"'panda_joint4' needs 7"):
        motor_feedforward(arm, drives, motion([0.5], 6)[0])


def test_damping_without_terms_is_refused_where_no_state_is_kept(arm):
    drives = {'panda_joint4': SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=12.0)}
    with pytest.raises(HodError, match="'panda_joint4'.*DampingFilter"):
        motor_feedforward(arm, drives, motion([0.5], 5)[0])


@pytest.mark.parametrize('damping', [0.3, 12.0, 500.0])
@pytest.mark.parametrize('drive, law', [
    (SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=1.0), lambda e, t: 3000 * e),
    (HardeningSpring(stiffness=800.0, cubic=3e5, motor_inertia=0.2, damping=1.0), lambda e, t: 800 * e + 3e5 * e ** 3),
])
def test_filter_follows_the_damped_spring_at_any_ratio_of_damping_to_step(arm, drive, law, damping):
    drive = type(drive)(**{name: getattr(drive, name) for name in drive.__dataclass_fields__} | {'damping': damping})
    step = 1e-3
    advance = DampingFilter(arm, {'panda_joint4': drive}, step=step)
    advance.reset({'panda_joint4': 0.002})
    for q in motion(step * np.arange(201), 5):
        m = advance(q)
    exact = solved_deflection(law, damping, arm, 0.2, 0.002)
    e = advance.deflections['panda_joint4']
    assert e == pytest.approx(exact, abs=2e-9)
    Q = inverse_dynamics(arm, q)
    rate = (Q[0, 1] - law(e, 0.2)) / damping
    assert m.positions[1] == pytest.approx(q[0, 1] + e, rel=1e-12)
    assert m.velocities[1] == pytest.approx(q[1, 1] + rate, rel=1e-9)
    assert m.efforts[1] == pytest.approx(0.2 * m.accelerations[1] + Q[0, 1], rel=1e-12)


def stiffness(t):
    """k, k', k'' of the adjustable joint."""
    return np.array([1000 + 600 * np.sin(6 * t), 3600 * np.cos(6 * t), -21600 * np.sin(6 * t)])


LAWS = {            # a drive, and f, its rate and acceleration without e'', and df/de for e, e' and k, k', k''
    'adjustable': (
        AdjustableStiffness(motor_inertia=0.2, damping=1.0),
        lambda e, v, k: (k[0] * e, k[0] * v + k[1] * e, 2 * k[1] * v + k[2] * e, k[0])),
    'hardening': (
        HardeningSpring(stiffness=800.0, cubic=3e5, motor_inertia=0.2, damping=1.0),
        lambda e, v, k: (800 * e + 3e5 * e**3, (800 + 9e5 * e * e) * v, 18e5 * e * v * v, 800 + 9e5 * e * e)),
}


def solved_torques(law, damping, forces, until, e0, since=0.0):
    """Function of time: tau - 0.2 q'' of the second joint, D e' + f(e) = Q with its first and second derivatives solved side by side, so
    that a fast damper magnifies no errors. forces: function of time -> Q, Q', Q''; its time begins at `since`."""
    def slope(t, state):
        e, v, w = state
        f, rate, acceleration, k = law(e, v, stiffness(since + t))
        return (forces(t) - [f, rate, acceleration + k * w]) / damping
    v0 = (forces(0.0)[0] - law(e0, 0.0, stiffness(since))[0]) / damping
    w0 = (forces(0.0)[1] - law(e0, v0, stiffness(since))[1]) / damping
    solution = solve_ivp(slope, (0, until), [e0, v0, w0], method='Radau', rtol=1e-9, atol=[1e-13, 1e-11, 1e-9], dense_output=True).sol
    return lambda t: 0.2 * solution(t)[2] + forces(t)[0]


@pytest.mark.parametrize('damping', [0.03, 0.5, 12.0])
@pytest.mark.parametrize('kind', LAWS)
def test_torques_of_the_filter_are_those_of_the_damped_spring(arm, kind, damping):
    drive, law = LAWS[kind]
    drive, step = replace(drive, damping=damping), 1e-3
    advance = DampingFilter(arm, {'panda_joint4': drive}, step=step)
    error, torque, until = 0.0, None, 0.1
    for t in step * np.arange(round(until / step) + 1):
        q = motion([t], 5)[0]
        m = advance(q, stiffness=stiffness(t)[:, None] if drive.variable else None)
        if torque is None:
            e0 = advance.deflections['panda_joint4']
            torque = solved_torques(law, damping, lambda t: inverse_dynamics(arm, motion([t], 5)[0])[:, 1], until, e0)
        error = max(error, abs(m.efforts[1] - 0.2 * q[2, 1] - torque(t)))
    assert error <= 1e-6            # of 30 N m


def test_the_error_of_the_filter_falls_with_a_high_power_of_the_step(arm):
    drive, law = LAWS['adjustable']
    errors = []
    for steps in (5, 10):
        advance = DampingFilter(arm, {'panda_joint4': replace(drive, damping=30.0)}, step=0.5 / steps)
        advance.reset({'panda_joint4': 0.0})
        for t in 0.5 / steps * np.arange(steps + 1):
            advance(motion([t], 5)[0], stiffness=stiffness(t)[:, None])
        exact = solved_deflection(lambda e, t: stiffness(t)[0] * e, 30.0, arm, 0.5, 0.0)
        errors.append(abs(advance.deflections['panda_joint4'] - exact))
    assert errors[0] < 1e-4
    assert errors[1] < errors[0] / 8


@pytest.mark.parametrize('kind', LAWS)
def test_a_load_that_comes_at_once_turns_the_torque_as_it_does_in_the_damped_spring_and_no_further(arm, kind):
    drive, law = LAWS[kind]
    drive, step = replace(drive, damping=0.3), 1e-3
    loaded = with_payload(arm, 'panda_link7', mass=0.5, center=(0.0, 0.0, 0.1))
    before = DampingFilter(arm, {'panda_joint4': drive}, step=step)
    for t in (0.0, step):
        before(motion([t], 5)[0], stiffness=stiffness(t)[:, None] if drive.variable else None)
    after = DampingFilter(loaded, {'panda_joint4': drive}, step=step)
    after.continue_from(before)
    start = before.deflections['panda_joint4']

    def forces(t):
        return inverse_dynamics(loaded, motion([step + t], 5)[0])[:, 1]

    torque = solved_torques(law, 0.3, forces, 0.005, start, since=step)
    for i in range(1, 6):
        q = motion([step + i * step], 5)[0]
        m = after(q, stiffness=stiffness(step + i * step)[:, None] if drive.variable else None)
        assert m.efforts[1] - 0.2 * q[2, 1] == pytest.approx(torque(i * step), abs=2e-3)


def test_a_filter_that_goes_on_from_another_one_is_not_interrupted(arm):
    drive = SeriesElastic(stiffness=300.0, motor_inertia=0.2, damping=60.0)
    whole = DampingFilter(arm, dict.fromkeys(arm.joint_names, drive), step=1e-2)
    part = DampingFilter(arm, {'panda_joint4': drive}, step=1e-2)
    samples = motion(1e-2 * np.arange(20), 5)
    for q in samples[:10]:
        whole(q)
    part.continue_from(whole)
    for q in samples[10:]:
        assert part(q).positions[1] == whole(q).positions[1]
    with pytest.raises(HodError, match='before is None; give the DampingFilter'):
        part.continue_from(None)


@pytest.mark.parametrize('stiffness, damping', [(100.0, 100.0), (1.0, 1000.0), (3000.0, 12.0)])
def test_the_first_deflection_stays_of_the_order_of_the_static_one(arm, stiffness, damping):
    drives = {'panda_joint4': SeriesElastic(stiffness=stiffness, motor_inertia=0.2, damping=damping)}
    for q in motion(np.linspace(0.0, 3.0, 40), 5):
        advance = DampingFilter(arm, drives)
        advance(q)
        static = inverse_dynamics(arm, q)[0, arm.joint_names.index('panda_joint4')] / stiffness
        assert abs(advance.deflections['panda_joint4']) <= 3 * abs(static)


def test_filter_starts_as_a_slow_motion_would(arm):
    drives = {'panda_joint4': SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=12.0)}
    advance = DampingFilter(arm, drives, step=1e-3)
    first = advance(motion([0.5], 5)[0])
    assert first.positions[1] - motion([0.5], 5)[0, 0, 1] == pytest.approx(
        solved_deflection(lambda e, t: 3000 * e, 12.0, arm, 0.5, 0.0), abs=1e-7)
    with pytest.raises(HodError, match='panda_joint4'):
        advance.reset({})
    with pytest.raises(HodError, match='above 0'):
        DampingFilter(arm, drives, step=0.0)


@pytest.mark.parametrize('e0, stiffness, cubic, damping, step', [
    (0.16, 2e4, 5.5e8, 0.01, 0.6), (6.6, 765.0, 1.4e4, 0.095, 0.067), (0.011, 0.4, 6e8, 0.003, 0.004), (-2.6, 19.0, 6.6e5, 5e-6, 0.15),
    (2.0, 5.0, 1e4, 2.0, 1e-3)])
def test_a_deflection_far_off_its_rest_comes_back_without_overshoot(e0, stiffness, cubic, damping, step):
    drive = HardeningSpring(stiffness=stiffness, cubic=cubic, motor_inertia=0.2, damping=damping)
    Q0, Q1 = np.array([3.0, 20.0, 50.0]), np.array([3.0 + 20 * step + 25 * step**2, 20 + 50 * step, 50.0])

    def slope(t, e):
        return (3 + 20 * t + 25 * t**2 - stiffness * e - cubic * e**3) / damping
    exact = solve_ivp(slope, (0, step), [e0], method='Radau', rtol=1e-10, atol=1e-14).y[0, -1]
    assert relaxed(drive, e0, Q0, Q1, None, None, step) == pytest.approx(exact, rel=1e-2)
