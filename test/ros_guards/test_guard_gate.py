# SPDX-License-Identifier: Apache-2.0
"""From setpoints to commands: what is commanded, what is not, what ends a stream and what begins one again."""

import numpy as np
import pytest
from guard_robot import MODEL
from guard_robot import NAMES
from guard_robot import NONE
from guard_robot import Bench
from guard_robot import assert_no_jump
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from hod_ros import inverse_dynamics
from hod_ros.ros.guards.bounds import command_bounds
from hod_ros.ros.guards.holding import at_rest

HOME = np.array([0.3, 0.5, -0.4])
RAMP = 0.2              # [s] after which the first command has reached any effort at the default rate
THE_END = 1e-9
ACTS = 'near near near far other old measure measure tick tick reset bounds efforts open'.split()


def still(t):
    return HOME


def swinging(t):
    """q (3, n) of a gentle motion that starts at HOME at rest."""
    w = 3.0
    amplitude = np.array([0.3, 0.2, 0.25])
    return np.stack([HOME + amplitude * (1 - np.cos(w * t)), amplitude * w * np.sin(w * t), amplitude * w * w * np.cos(w * t)])


def streaming(motion=still, **options):
    bench = Bench(**options)
    assert bench.stream(motion, RAMP)
    bench.commands.clear()
    return bench


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_comes_in_whatever_order_no_command_jumps_or_exceeds_its_limit(data):
    bench = Bench(**data.draw(st.sampled_from([{}, {'on_timeout': 'zero'}, {'on_timeout': 'stop'}, {'setpoint_timeout': 0.0}])))
    gate, others = bench.gate, [bench.source(), bench.source('trajectory')]
    numbers = st.floats(-4.0, 4.0)
    q = HOME
    for _ in range(data.draw(st.integers(5, 60))):
        bench.now += data.draw(st.sampled_from([0.0, 0.001, 0.002, 0.005, 0.02, 0.3, 2.0]))
        act = data.draw(st.sampled_from(ACTS))
        if act == 'near':
            q = np.clip(q + 0.002 * np.array([data.draw(numbers) for _ in NAMES]), -2.4, 2.4)
            bench.send(q)
        elif act == 'far':
            bench.send([data.draw(numbers) for _ in NAMES])
        elif act == 'other':
            bench.send(q, source=data.draw(st.sampled_from(others)))
        elif act == 'old':
            bench.send(q, stamp=round(1e9 * (bench.now - data.draw(st.sampled_from([0.0, 0.05, 0.5])))))
        elif act == 'measure':
            near = data.draw(st.booleans())
            bench.measure(q if near else [data.draw(numbers) for _ in NAMES], [data.draw(numbers) for _ in NAMES])
        elif act == 'tick':
            bench.tick()
        elif act == 'reset':
            gate.reset(bench.now)
        elif act == 'bounds':
            gate.use(MODEL, gate.bounds, gate.settings)
        elif act == 'efforts':
            bench.send(q, efforts=[data.draw(st.floats(-1e4, 1e4)) for _ in NAMES])
        elif act == 'open':
            gate.open()
    assert_no_jump(bench.commands, gate.bounds)


def test_a_stream_is_commanded_as_it_is_once_the_start_has_been_ramped_up_to():
    bench = streaming(swinging)
    bench.stream(lambda t: swinging(RAMP + t), 0.5)
    assert len(bench.commands) == 250 and not bench.fault.reason
    began = 100.0
    for now, command in bench.commands:
        np.testing.assert_allclose(command, inverse_dynamics(MODEL, swinging(now - began))[0], rtol=1e-9, atol=1e-9)


def test_a_jump_is_a_fault_and_the_fallback_goes_on_without_one():
    bench = streaming(swinging)
    bench.now += 0.002
    assert not bench.send(HOME + [0.0, 0.8, 0.0])
    assert "setpoint jumps with joint 'b'" in bench.fault.reason
    bench.wait(0.5)
    assert_no_jump(bench.commands, bench.gate.bounds, bench.commands[0][1])
    np.testing.assert_allclose(bench.commands[-1][1], at_rest(MODEL, swinging(RAMP)[0]), rtol=1e-9)


@pytest.mark.parametrize('every', [0.001, 0.002, 0.005])
@pytest.mark.parametrize('told', [0.0, 1.0, 100.0])
@pytest.mark.parametrize('slow', [0.0, 1.0])
def test_a_stream_faster_than_a_velocity_limit_ends_however_small_its_steps_and_whatever_its_stamps_tell(every, told, slow):
    bench = Bench(bounds=command_bounds(MODEL, **NONE | {'lower': dict.fromkeys(NAMES, -9.0), 'upper': dict.fromkeys(NAMES, 9.0)}))
    bench.send(HOME, stamp=1)
    velocity = bench.gate.bounds.velocity[0]
    place, sent = HOME.copy(), 0.0
    for k in range(round((slow + 1.0) / every)):
        bench.now += every
        place[0] += every * velocity * (3.0 if k * every >= slow else 0.9)
        if not bench.send(place, stamp=1 + round(1e9 * told * (bench.now - 100.0))):
            break
        sent += place[0] > HOME[0] + 0.9 * velocity * slow
    assert bench.fault.guard == 'reach' and "'a'" in bench.fault.reason
    ahead = 2.0 * every * sent              # [s] at full speed, beyond what the limit allows
    assert ahead <= 0.06 + 2.0 * every + (0.1 if told > 1.0 else 0.0) + 1e-9


@pytest.mark.parametrize('stamped', [True, False])
def test_a_stream_at_full_speed_may_jitter_pause_and_catch_up(stamped):
    random = np.random.default_rng(5)
    bench = Bench(bounds=command_bounds(MODEL, **NONE | {'lower': dict.fromkeys(NAMES, -90.0), 'upper': dict.fromkeys(NAMES, 90.0)}))
    bench.send(HOME, stamp=1)
    arrived = 100.0
    for k in range(1, 5000):
        late = random.uniform(0.0, 0.003) + (0.04 if k % 700 < 30 else 0.0)     # some come in bursts
        arrived = max(arrived, 100.0 + 0.001 * k + late)
        bench.now = arrived
        q = np.stack([HOME + 0.001 * k * bench.gate.bounds.velocity * [1.0, -1.0, 1.0], np.zeros(3), np.zeros(3)])
        assert bench.send(q, stamp=1 + 1_000_000 * k if stamped else 0), (k, bench.fault.reason)


@pytest.mark.parametrize('pace', [0.2, 1.5, 20.0])
def test_a_simulation_may_go_faster_than_time_at_full_speed(pace):
    bench = Bench(bounds=command_bounds(MODEL, **NONE | {'lower': dict.fromkeys(NAMES, -90.0), 'upper': dict.fromkeys(NAMES, 90.0)}))
    for k in range(2000):
        bench.now += 0.001 / pace
        q = np.stack([HOME + 0.001 * k * bench.gate.bounds.velocity, np.zeros(3), np.zeros(3)])
        assert bench.send(q, stamp=1 + 1_000_000 * k, clock=5.0 + 0.001 * k), (k, bench.fault.reason)


def test_a_simulations_clock_that_jumps_ahead_lets_no_stream_jump():
    bench = Bench()
    assert bench.send(HOME, clock=5.0)
    bench.now += 0.002
    assert not bench.send(HOME + [0.5, 0.0, 0.0], clock=5000.0)
    assert 'a stream would start' in bench.fault.reason


@pytest.mark.parametrize('timeout', [0.0, 5.0])
@pytest.mark.parametrize('measured', [True, False])
@pytest.mark.parametrize('another', [True, False])
def test_whoever_goes_on_with_a_stream_after_a_pause_begins_where_the_robot_is_however_long_the_timeout(timeout, measured, another):
    bench = streaming(setpoint_timeout=timeout)
    bench.now += 2.0
    if measured:
        bench.measure(HOME)
    source = bench.source() if another else None
    assert not bench.send(HOME + [0.5, 0.0, 0.0], source=source)
    assert 'a stream would start' in bench.fault.reason
    assert bench.gate.reset(bench.now)[0] and bench.send(HOME, source=source)


def test_after_a_fault_nothing_is_commanded_until_a_reset():
    bench = streaming()
    bench.send(HOME + 1.0)
    assert not bench.stream(still, 2.0)
    assert bench.gate.reset(bench.now) == (True, f'ended: {bench.gate.continuity.reach.reason}')
    assert bench.send(HOME) and not bench.fault.reason


@pytest.mark.parametrize('row, word', [(0, 'may be from'), (1, 'velocity')])
def test_a_setpoint_beyond_a_limit_ends_the_stream_and_a_reset_is_refused_while_it_goes_on(row, word):
    bench = streaming()
    q = np.stack([HOME, np.zeros(3), np.zeros(3)])
    q[row, 1] = 3.2
    assert not bench.send(q)
    assert word in bench.fault.reason and "'b'" in bench.fault.reason
    assert not bench.send(q)
    ended, text = bench.gate.reset(bench.now)
    assert not ended and text.startswith('the cause is still there')
    bench.now += 1.1
    assert bench.gate.reset(bench.now)[0] and bench.send(HOME)


def test_a_second_source_is_refused_until_the_first_has_been_silent():
    bench = streaming()
    other = bench.source()
    bench.now += 0.002
    assert not bench.send(HOME, source=other) and bench.send(HOME)
    assert bench.gate.ownership.record.count == 1 and not bench.fault.reason
    bench.now += 0.4
    assert not bench.send(HOME, source=other)
    bench.now += 0.2
    assert bench.send(HOME, source=other)
    assert not bench.send(HOME)


def test_two_kinds_of_input_are_two_sources():
    bench = streaming()
    assert not bench.send(HOME, source=bench.source('trajectory'))
    assert 'another source sends trajectory messages' in bench.gate.ownership.record.reason


def test_old_setpoints_are_not_commanded_once_stamps_and_clock_have_agreed():
    bench = Bench()
    assert bench.send(HOME, stamp=round(1e9 * (bench.now - 5.0)))               # they do not agree: not judged
    assert bench.gate.age.record.state == 'off'
    bench.now += 0.01
    assert bench.send(HOME, stamp=round(1e9 * bench.now))
    assert not bench.send(HOME, stamp=round(1e9 * (bench.now - 0.2)))
    assert bench.gate.age.record.count == 1 and not bench.fault.reason
    assert bench.send(HOME, stamp=round(1e9 * (bench.now - 0.05)))
    bench.gate.reset(bench.now)                                                  # a clock that was set: agreed anew
    assert bench.send(HOME, stamp=round(1e9 * (bench.now - 5.0)))


def test_a_stream_starts_only_where_the_robot_is():
    bench = Bench()
    bench.measure(HOME)
    assert not bench.send(HOME + [0.0, 0.0, 0.2])
    assert not bench.commands and "joint 'c'" in bench.fault.reason and 'by joint_states' in bench.fault.reason
    assert not bench.send(HOME)
    bench.measure(HOME)
    assert bench.gate.reset(bench.now + 1.1)[0]
    assert bench.send(HOME + 0.05)


def test_a_stream_that_was_silent_starts_anew():
    bench = streaming()
    bench.wait(0.3)
    assert bench.gate.timeout.count == 1 and bench.gate.timeout.reason.startswith('no setpoint')
    assert bench.send(HOME + 0.05) and not bench.fault.reason
    bench.wait(0.3)
    assert not bench.send(HOME + 0.5) and 'where the last stream ended' in bench.fault.reason


def test_nothing_starts_while_joint_states_have_stopped_and_it_is_no_fault():
    bench = Bench()
    bench.measure(HOME)
    bench.now += 0.5
    assert not bench.send(HOME) and not bench.fault.reason
    assert 'joint_states are 0.500 s old' in bench.gate.continuity.start.reason
    bench.measure(HOME)
    assert bench.send(HOME)


def test_joint_states_that_stop_while_setpoints_come_are_a_fault():
    bench = Bench()
    bench.measure(HOME)
    assert bench.stream(still, 0.09) and not bench.fault.reason
    assert not bench.stream(still, 0.1)
    assert 'setpoints come, but the oldest joint_states are 0.1' in bench.fault.reason
    assert not bench.gate.reset(bench.now)[0]
    bench.now += 1.1
    bench.measure(HOME)
    assert not bench.send(HOME)
    assert bench.gate.reset(bench.now)[0] and bench.send(HOME)


def test_where_it_is_wanted_a_stream_goes_on_without_joint_states():
    bench = Bench(on_joint_states_loss='continue')
    bench.measure(HOME)
    assert bench.stream(still, 1.0) and not bench.fault.reason


def test_where_setpoints_and_joint_states_stop_together_a_stream_that_fits_begins_again_without_a_reset():
    bench = Bench()
    for _ in range(100):
        bench.now += 0.002
        bench.measure(HOME)
        assert bench.send(HOME)
        bench.tick()
    bench.wait(1.0)
    assert not bench.fault.reason and bench.gate.timeout.count == 1
    assert not bench.send(HOME)
    bench.measure(HOME)
    assert bench.send(HOME)


def test_without_joint_states_the_start_is_not_judged_and_that_is_said():
    bench = Bench()
    assert bench.send(HOME)
    assert bench.gate.continuity.start.report() == ('off', 'off: joint_states have not come for a, b, c')


def test_nothing_starts_before_joint_states_that_somebody_publishes():
    bench = Bench()
    bench.gate.measured.expected = True
    assert not bench.send(HOME) and not bench.fault.reason
    assert bench.gate.continuity.start.reason == 'no stream starts, because joint_states have not come for a, b, c'
    bench.measure(HOME)
    assert bench.send(HOME)


def test_a_robot_beyond_its_limits_ends_the_stream():
    bench = streaming()
    bench.measure(HOME, [0.0, 4.0, 0.0])
    bench.tick()
    assert "'b' moves with 4" in bench.fault.reason
    assert not bench.gate.reset(bench.now)[0]
    bench.measure(HOME)
    assert bench.gate.reset(bench.now)[0]


@pytest.mark.parametrize('how', ['gravity', 'zero', 'stop'])
def test_silence_ends_in_what_on_timeout_says(how):
    bench = streaming(swinging, on_timeout=how)
    before = bench.gate.limiter.last
    bench.wait(0.5)
    if how == 'stop':
        assert not bench.commands
        return
    assert_no_jump(bench.commands, bench.gate.bounds, before)
    expected = np.zeros(3) if how == 'zero' else at_rest(MODEL, swinging(RAMP)[0])
    np.testing.assert_allclose(bench.commands[-1][1], expected, atol=THE_END)


def test_nothing_is_commanded_before_the_first_setpoint():
    bench = Bench()
    bench.measure(HOME)
    bench.wait(1.0)
    assert not bench.commands
    assert bench.gate.settle(bench.now) is None and bench.gate.fall_back(bench.now) is None


def test_a_new_activation_knows_no_stream_but_goes_on_from_the_command_that_is_held():
    bench = streaming()
    held = bench.gate.limiter.last
    bench.gate.open()
    bench.now += 5.0
    assert bench.tick() is False
    assert bench.send(HOME + 0.3)
    assert_no_jump(bench.commands, bench.gate.bounds, held)


def test_between_slow_setpoints_a_command_that_is_behind_goes_on():
    bench = Bench()
    bench.send(HOME, efforts=[45.0, 0.0, 0.0])
    for _ in range(4):
        bench.now += 0.01
        bench.tick()
    np.testing.assert_allclose([command[0] for _, command in bench.commands], [10.0, 20.0, 30.0, 40.0, 45.0])
    assert bench.gate.effort_rate.count == 4 and not bench.gate.limiter.behind


def test_efforts_beyond_the_limit_are_clipped_and_named():
    bench = streaming()
    for _ in range(200):
        bench.now += 0.002
        bench.send(HOME, efforts=[0.0, 150.0, 0.0])
    np.testing.assert_allclose(bench.commands[-1][1], [0.0, 100.0, 0.0])
    assert "'b': 150 is clipped to 100" in bench.gate.effort.reason


def test_burst_after_a_pause_of_the_network_is_no_jump():
    bench = streaming(swinging)
    sent = bench.now
    bench.now += 0.08
    for k in range(1, 41):
        stamp = round(1e9 * (sent + 0.002 * k))
        bench.now += 1e-5
        bench.send(swinging(RAMP + 0.002 * k), stamp=stamp)
    assert not bench.fault.reason, bench.fault.reason
