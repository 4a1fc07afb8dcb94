# SPDX-License-Identifier: Apache-2.0
"""`hod plot`, `hod evaluate` and `hod retime` against the library, and what they do with wrong input and a full disk."""

import json
import os
import re
import resource
import shutil
import warnings

import numpy as np
import pytest
import yaml
from running import ROOT
from running import hod
from running import refusal
from running import report

from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import example_robot
from hod_ros import inverse_dynamics
from hod_ros import read_waypoints
from hod_ros import time_scale
from hod_ros.command.plot import sample_times
from hod_ros.command.plot import values_over
from hod_ros.pictures.rows import save_rows

pytest.importorskip('scipy')

LIMITS = {'effort_rate': 50, 'acceleration': {'panda_joint1': 20.0}}
DRIVES = {'panda_joint1': {'type': 'series_elastic', 'stiffness': 300.0, 'motor_inertia': 2e-4, 'gear_ratio': 100.0}}
JOINTS = [f'panda_joint{i}' for i in range(1, 8)]


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / 'config' / 'motions' / 'panda_pick.csv', tmp_path / 'pick.csv')
    (tmp_path / 'limits.yaml').write_text(yaml.safe_dump(LIMITS))
    (tmp_path / 'drives.yaml').write_text(yaml.safe_dump(DRIVES))
    return tmp_path


@pytest.fixture(scope='module')
def panda():
    return RobotModel.from_urdf(example_robot('panda'))


def limits_of(model):
    acceleration = np.where(np.arange(7) == 0, 20.0, np.inf)
    return Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=50.0, acceleration=acceleration)


def motion_of(folder):
    return read_waypoints(folder / 'pick.csv').trajectory(max_deviation=1e-3)


@pytest.mark.parametrize('margin', [0.8, 1.0])
def test_evaluate_is_the_librarys_judgement(margin, folder, panda):
    told = report('evaluate', 'panda', 'pick.csv', '--limits', 'limits.yaml', '--margin', margin, cwd=folder, code=1)
    expected = evaluate_trajectory(panda, motion_of(folder), limits_of(panda), margin=margin)
    assert told['message'] == expected.message
    assert told['margins'] == {name: pytest.approx(values) for name, values in expected.margins.items()}
    assert told['fastest_speed'] == pytest.approx(time_scale(panda, motion_of(folder), limits_of(panda), margin=margin).fastest)


def test_evaluate_without_a_file_of_limits_takes_the_descriptions(folder):
    told = report('evaluate', 'panda', 'pick.csv', cwd=folder)
    assert told['feasible'] and set(told['limits']) == {'velocity', 'effort'}


def test_a_motion_beyond_the_position_limits_is_feasible_at_no_speed(folder, panda):
    w = read_waypoints(folder / 'pick.csv')
    column = w.joint_names.index('panda_joint4')
    rows = [','.join(['time', *w.joint_names])]
    for time, row in zip(w.times, w.positions, strict=True):
        rows.append(','.join(map(str, [time, *np.where(np.arange(7) == column, row - w.positions[:, column].max() + 0.02, row)])))
    (folder / 'far.csv').write_text('\n'.join(rows))
    told = report('evaluate', 'panda', 'far.csv', cwd=folder, code=1)
    assert not told['feasible'] and told['message'].startswith('not feasible for panda') and told['fastest_speed'] is None
    sentence = r"joint 'panda_joint4' leaves its position limits from -3\.0718 to -0\.0698 by 0\.089\d* at "
    assert re.search(sentence, told['message'])
    done = hod('retime', 'panda', 'far.csv', '--out', 'goal.csv', cwd=folder, code=1)
    assert re.search('no timing is feasible for panda .*: ' + sentence, done.stdout) and not (folder / 'goal.csv').exists()


def test_a_csv_with_derivatives_up_to_the_snap_is_the_motion_that_it_holds(folder, panda):
    motion = motion_of(folder)
    times = np.round(np.linspace(0, motion.end, 50), 9)
    rows = motion.evaluate(times, 4)
    header = ['time', *(joint + kind for kind in ('', '.velocity', '.acceleration', '.jerk', '.snap') for joint in JOINTS)]
    np.savetxt(folder / 'all.csv', np.column_stack([times, rows.reshape(50, -1)]), '%.17g', ',', header=','.join(header), comments='')
    told = report('evaluate', 'panda', 'all.csv', cwd=folder)
    expected = evaluate_trajectory(panda, Trajectory.from_derivatives(times, rows, JOINTS)).peaks['effort_rate'].value
    np.testing.assert_allclose(np.abs(told['peaks']['effort_rate']['value']), expected, rtol=1e-8)
    assert read_waypoints(folder / 'all.csv').joint_names == tuple(JOINTS)


def test_points_that_are_cut_out_of_a_motion_are_told(folder):
    w = read_waypoints(folder / 'pick.csv')
    motion = w.trajectory()
    for begin, said in ((0.0, ''), (0.6, 'its points begin at .* yet the motion begins at rest')):
        times = np.arange(begin, motion.end + 1e-9, 0.01)
        table = np.column_stack([times - begin, motion.evaluate(np.minimum(times, motion.end), 0)[:, 0]])
        np.savetxt(folder / 'cut.csv', table, '%.17g', ',', header=','.join(['time', *w.joint_names]), comments='')
        told = json.loads(hod('evaluate', 'panda', 'cut.csv', '--json', cwd=folder, code=1 if begin else 0).stdout)
        assert re.fullmatch(said + '.*' * bool(said), told['note'])


def test_velocities_without_times_are_no_path(folder):
    (folder / 'path.csv').write_text('t,' + ','.join(JOINTS) + ',panda_joint1.velocity\n' + 2 * '0,0,0,0,-1,0,1,0,1\n')
    assert 'has no times' in refusal('retime', 'panda', 'path.csv', cwd=folder, code=3)


def test_drives_bring_motors_into_the_judgement(folder):
    told = report('evaluate', 'panda', 'pick.csv', '--drives', 'drives.yaml', cwd=folder)
    assert told['peaks']['motor_effort']['joint'] == JOINTS


def test_moveits_limits_are_read_and_the_descriptions_hold_for_the_other_joints(folder, panda):
    limits = {'joint_limits': {
        'panda_joint1': {'has_velocity_limits': True, 'max_velocity': 0.5, 'has_jerk_limits': False, 'max_jerk': 1.0},
        'panda_joint2': {'has_velocity_limits': False},
        'panda_finger_joint1': {'max_velocity': 0.1}}, 'default_velocity_scaling_factor': 0.1}
    (folder / 'joint_limits.yaml').write_text(yaml.safe_dump(limits))
    told = report('evaluate', 'panda', 'pick.csv', '--limits', 'joint_limits.yaml', cwd=folder, code=1)
    assert told['limits']['velocity'] == [0.5, None, *panda.velocity_limits[2:]] and 'jerk' not in told['limits']
    assert told['margins']['velocity'][0] < 0


@pytest.mark.parametrize(
    'words, kind', [(['--effort'], 'yaml'), ([], 'csv'), (['--slow-down'], 'npz'), (['--slow-down', '--effort'], 'json')])
def test_retime_writes_points_that_keep_the_limits(words, kind, folder, panda):
    out = folder / f'out.{kind}'
    told = report('retime', 'panda', 'pick.csv', '--limits', 'limits.yaml', *words, '--out', out, cwd=folder)
    points = read_waypoints(out)
    assert points.joint_names == panda.joint_names and len(points) == told['points']
    assert points.times[-1] - points.times[0] == pytest.approx(told['duration'], abs=1e-8)
    assert (points.efforts is not None) == ('--effort' in words)
    Q = inverse_dynamics(panda, np.stack([points.positions, points.velocities, points.accelerations], axis=1))[:, 0]
    assert points.efforts is None or np.abs(points.efforts - Q).max() < 1e-9
    rate = np.abs(np.diff(Q, axis=0) / np.diff(points.times)[:, None])
    assert 0.95 * 50 < rate.max() < 1.001 * 50      # as fast as the limit allows, and no faster
    assert (np.abs(Q) <= panda.effort_limits).all() and (np.abs(points.velocities) <= panda.velocity_limits).all()


def test_retime_says_when_no_speed_serves_and_writes_nothing(folder):
    (folder / 'limits.yaml').write_text('effort: 5.0')
    told = hod('retime', 'panda', 'pick.csv', '--limits', 'limits.yaml', '--slow-down', '--out', 'out.csv', cwd=folder, code=1).stdout
    assert 'gravity alone' in told
    assert not (folder / 'out.csv').exists()


def test_retime_takes_a_path_without_times(folder):
    text = (folder / 'pick.csv').read_text()
    (folder / 'path.csv').write_text('\n'.join(line.partition(',')[2] for line in text.splitlines()))
    timed, untimed = (report('retime', 'panda', name, cwd=folder)['duration'] for name in ('pick.csv', 'path.csv'))
    assert untimed == pytest.approx(timed, rel=0.05)
    assert 'has no times' in refusal('evaluate', 'panda', 'path.csv', cwd=folder, code=3)


@pytest.mark.parametrize('kind, magic', [('png', b'\x89PNG'), ('pdf', b'%PDF')])
def test_plot_draws_the_same_file_each_time(kind, magic, folder):
    pytest.importorskip('matplotlib')
    words = ['plot', 'panda', 'pick.csv', '--show', 'effort', '--together', '--out']
    hod(*words, f'a.{kind}', cwd=folder)
    hod(*words, f'b.{kind}', cwd=folder)
    first = (folder / f'a.{kind}').read_bytes()
    assert first.startswith(magic) and first == (folder / f'b.{kind}').read_bytes()


def test_plots_say_what_they_show_and_are_told_apart_without_colour(folder):
    pytest.importorskip('matplotlib')
    hod('plot', 'panda', 'pick.csv', '--limits', 'limits.yaml', '--drives', 'drives.yaml', '--out', 'a.svg', cwd=folder)
    panels = (folder / 'a.svg').read_text()
    for text in (*JOINTS, 'q [rad]', 'Q [N m]', "Q' [N m/s]", "Q'' [N m/s²]", 'motor, as seen at the joint', 'beyond a limit', 'limit ±87'):
        assert f'>{text}<' in panels
    hod('plot', 'panda', 'pick.csv', '--together', '--show', 'effort', '--out', 'b.svg', cwd=folder)
    together = (folder / 'b.svg').read_text()
    styles = set(re.findall(r'stroke-dasharray: ([\d., ]+)', together))
    assert len(styles) >= 5 and all(f'>{joint}<' in together for joint in JOINTS)


def test_curves_show_the_peaks_of_short_bends_in_a_long_motion(panda):
    corners = np.array([0, -0.5, 0, -2, 0, 1.5, 0.5]) + 0.2 * np.random.default_rng(0).uniform(-1, 1, (400, 7))
    motion = Trajectory.interpolate(np.arange(400.0), corners, max_deviation=1e-3)
    drawn = np.abs(values_over(panda, motion, sample_times(motion))['effort_rate']).max(axis=0)
    assert (drawn > 0.95 * evaluate_trajectory(panda, motion).peaks['effort_rate'].value).all()


def test_a_legend_of_many_joints_leaves_the_curves_their_place(tmp_path):
    pytest.importorskip('matplotlib')
    t = np.linspace(0, 1, 5)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        save_rows(tmp_path / 'a.png', t, [np.zeros((5, 1, 40))], ['q'], ['many'], [f'a_joint_with_a_long_name_{j}' for j in range(40)])


@pytest.mark.parametrize('change, said', [
    (lambda text: text.replace('panda_joint3', 'elbow'), "no column of joint 'panda_joint3'"),
    (lambda text: text.replace('0.8,0.3', '0.8,abc'), "row 2, column 'panda_joint1'"),
    (lambda text: text.replace('0.8,0.3', '0.8,nan'), "row 2, column 'panda_joint1'"),
    (lambda text: text.replace('1.6,0.6', '0.5,0.6'), 'times must increase'),
    (lambda text: text.replace('1.6,0.6,', '1.6,'), 'row 3'),
    (lambda text: '', 'is empty'),
], ids=['joint', 'cell', 'nan', 'times', 'cells', 'empty'])
def test_wrong_files_are_one_line(change, said, folder):
    (folder / 'pick.csv').write_text(change((folder / 'pick.csv').read_text()))
    assert said in refusal('evaluate', 'panda', 'pick.csv', cwd=folder, code=3)


def test_degrees_are_told_from_radians(folder):
    points = read_waypoints(folder / 'pick.csv')
    rows = [','.join(['time', *JOINTS])]
    rows += [','.join(map(str, [time, *row])) for time, row in zip(points.times, np.rad2deg(points.positions), strict=True)]
    (folder / 'degrees.csv').write_text('\n'.join(rows))
    assert 'look like degrees' in refusal('evaluate', 'panda', 'degrees.csv', cwd=folder, code=3)


@pytest.mark.parametrize('text, said', [
    ('torque: 3', "limits 'torque'"), ('effort: {hip: 3}', "'hip'"), ('effort: -3', 'above 0'), ('[1, 2', 'no YAML'),
    ('velocity: {panda_joint1: -1}', 'velocity.0. is -1.0; give a number above 0'),
    ('velocity: 0', 'velocity is 0.0; give a number above 0'),
    ('motor_effort: 3', 'drives'), ('velocity: .nan', 'velocity is nan'), ('velocity: true', 'velocity of .* is True; give a number'),
    ('velocity: 120 deg/s', "is '120 deg/s'"), ('velocity: {panda_joint1: 120}', "'panda_joint1', but .* 2.175 .* degrees a second"),
    ('velocity: [1, 2]', 'holds 2 numbers'), ('velocity: [150, 150, 150, 150, 180, 180, 180]', 'these look like degrees a second'),
    ('effort: {panda_joint1: }', 'effort of .*, panda_joint1 is None'), ('velocity: 1\nvelocity: 2', "has 'velocity' twice"),
    ('velocity: 1\n---\nvelocity: 2', 'holds 2 documents'), ('joint_limits: {panda_joint1: {max_velosity: 1}}', "has 'max_velosity'"),
    ('joint_limits: {panda_joint1: {has_jerk_limits: true}}', 'give true and max_jerk, or false'),
    ('joint_limits: {panda_joint1: {has_velocity_limits: "false", max_velocity: 1}}', "has_velocity_limits: 'false'")])
def test_wrong_limits_are_one_line(text, said, folder):
    (folder / 'limits.yaml').write_text(text)
    assert re.search(said, refusal('evaluate', 'panda', 'pick.csv', '--limits', 'limits.yaml', cwd=folder, code=3))


def test_limits_of_some_joints_leave_the_descriptions_to_the_others(folder, panda):
    (folder / 'limits.yaml').write_text('velocity: {panda_joint2: 1.5e0, panda_joint4: .inf}\neffort_rate: {panda_joint1: 1e3}\n')
    told = report('evaluate', 'panda', 'pick.csv', '--limits', 'limits.yaml', cwd=folder)
    expected = panda.velocity_limits.tolist()
    expected[1], expected[3] = 1.5, None
    assert told['limits']['velocity'] == expected and told['limits']['effort'] == panda.effort_limits.tolist()
    assert told['limits']['effort_rate'] == [1000, *[None] * 6]


def test_a_drive_of_a_joint_that_is_not_there_is_named(folder):
    (folder / 'drives.yaml').write_text('elbow: {type: series_elastic, stiffness: 1}')
    assert "has a drive of 'elbow'; the joints are" in refusal(
        'evaluate', 'panda', 'pick.csv', '--drives', 'drives.yaml', cwd=folder, code=3)


def test_what_is_not_there_is_named(folder):
    assert 'nothing.csv' in refusal('evaluate', 'panda', 'nothing.csv', cwd=folder, code=3)
    assert 'nothing.yaml' in refusal('evaluate', 'panda', 'pick.csv', '--limits', 'nothing.yaml', cwd=folder, code=3)
    assert 'no folder' in refusal('retime', 'panda', 'pick.csv', '--out', 'no/folder.csv', cwd=folder, code=5)
    assert 'ends in none of' in refusal('plot', 'panda', 'pick.csv', '--out', 'a.bmp', cwd=folder, code=2)


def test_a_disk_that_fills_up_leaves_what_was_there(folder):
    """Files of this process may have 1000 bytes: writing on gives an error, as a full disk does."""
    (folder / 'out.csv').write_text('what was there')
    line = refusal(
        'retime', 'panda', 'pick.csv', '--out', 'out.csv', cwd=folder, code=5,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)), env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'})
    assert "'out.csv' could not be written" in line
    assert (folder / 'out.csv').read_text() == 'what was there'
    assert sorted(path.name for path in folder.iterdir()) == ['drives.yaml', 'limits.yaml', 'out.csv', 'pick.csv']


def test_the_report_in_json_is_json_where_nothing_bounds_a_joint(folder):
    json.loads(hod('retime', 'panda', 'pick.csv', '--slow-down', '--json', cwd=folder).stdout)


def recorded(folder, name, times, rows, digits='%.17g'):
    """A CSV with q and derivatives (samples, rows, 7)."""
    kinds = ('', '.velocity', '.acceleration', '.jerk', '.snap')[:rows.shape[1]]
    header = ['time', *(joint + kind for kind in kinds for joint in JOINTS)]
    np.savetxt(folder / name, np.column_stack([times, rows.reshape(len(times), -1)]), digits, ',', header=','.join(header), comments='')


def waves(times):
    rows = np.stack([0.2 * 2.0**k * np.sin(2 * times[:, None] + np.arange(7) + k * np.pi / 2) for k in range(5)], axis=1)
    rows[:, 0] += [0, 0.2, 0, -1.5, 0, 1.5, 0.3]
    return rows


@pytest.mark.parametrize('late, digits', [(0.0, '%.6f'), (1e-4, '%.17g')], ids=['digits', 'stamps'])
def test_a_recording_whose_stamps_or_digits_are_coarse_is_refused_or_smoothed(late, digits, folder, panda):
    t = np.arange(2001) * 1e-3
    stamps = np.sort(t + late * np.random.default_rng(0).uniform(0, 1, 2001))
    recorded(folder, 'coarse.csv', stamps, waves(t), digits)
    for command in (['evaluate'], ['retime'], ['plot', '-o', 'a.svg']):
        if command[0] == 'plot':
            pytest.importorskip('matplotlib')
        line = refusal(command[0], 'panda', 'coarse.csv', *command[1:], cwd=folder, code=3)
        assert "stamps or digits of 'coarse.csv' are too coarse" in line and '--differentiate' in line
    told = report('evaluate', 'panda', 'coarse.csv', '--differentiate', cwd=folder)
    expected = evaluate_trajectory(panda, Trajectory.from_derivatives(t, waves(t)))
    for name in ('effort', 'effort_rate'):
        found = max(np.abs(told['peaks'][name]['value']))
        assert found == pytest.approx(expected.peaks[name].value.max(), rel=0.02)
    assert 'noise of the positions' in told['note'] and 'at either end are left out' in told['note']


def test_gaps_of_recordings_with_derivatives_are_refused_or_named(folder):
    t = np.arange(2001) * 2e-3
    kept = (t < 0.5) | (t > 3.5)
    recorded(folder, 'gap.csv', t[kept], (waves(3 * t) * 3.0 ** np.arange(5)[:, None])[kept])
    line = refusal('evaluate', 'panda', 'gap.csv', cwd=folder, code=3)
    assert "'gap.csv' has a gap of 3.004 s behind 0.498 s" in line and 'where samples have' in line
    kept = (t < 0.5) | (t > 0.53)
    recorded(folder, 'small.csv', t[kept], waves(t)[kept])
    told = report('evaluate', 'panda', 'small.csv', cwd=folder)
    assert "'small.csv' has a gap of 0.034 s behind 0.498 s, which is filled" in told['note']


def test_stamps_that_jitter_are_no_motion(folder, panda):
    t = np.arange(2001) * 2e-3
    recorded(folder, 'jitter.csv', t + 4e-4 * np.sin(2 * np.pi * 18 * t), waves(t)[:, :1])
    told = report('evaluate', 'panda', 'jitter.csv', '--differentiate', cwd=folder)
    expected = evaluate_trajectory(panda, Trajectory.from_derivatives(t, waves(t)))
    assert max(np.abs(told['peaks']['effort_rate']['value'])) == pytest.approx(expected.peaks['effort_rate'].value.max(), rel=0.02)
    assert 'stamps jitter' in told['note']


def test_positions_alone_are_moved_along_smoothly_where_that_is_asked(folder):
    t = np.arange(401) * 5e-3
    noise = 1e-4 * np.random.default_rng(0).normal(size=(401, 7))
    recorded(folder, 'noisy.csv', t, waves(t)[:, :1] + noise[:, None])
    assert 'look measured' in hod('retime', 'panda', 'noisy.csv', cwd=folder, code=None).stdout
    told = report('evaluate', 'panda', 'noisy.csv', '--differentiate', cwd=folder)
    assert max(np.abs(told['peaks']['effort_rate']['value'])) == pytest.approx(16.52, rel=0.05)
    assert '--max-deviation' in refusal(
        'evaluate', 'panda', 'noisy.csv', '--differentiate', '--max-deviation', '1e-2', cwd=folder, code=2)
    t[200:] += 1.0
    recorded(folder, 'gap.csv', t, waves(t)[:, :1])
    assert 'has a gap of 1.005 s behind 0.995 s' in refusal('evaluate', 'panda', 'gap.csv', '--differentiate', cwd=folder, code=3)
    recorded(folder, 'ms.csv', np.arange(401) * 5.0, waves(np.arange(401) * 5e-3)[:, :2])
    assert 'multiply the times by 1e-3' in refusal('evaluate', 'panda', 'ms.csv', '--differentiate', cwd=folder, code=3)


def test_options_that_do_nothing_are_refused(folder):
    t = np.arange(401) * 5e-3
    recorded(folder, 'full.csv', t, waves(t))
    assert '--max-deviation' in refusal('evaluate', 'panda', 'full.csv', '--max-deviation', '-1', cwd=folder, code=2)
    assert '--effort-error' in refusal('retime', 'panda', 'pick.csv', '--effort-error', '-1', cwd=folder, code=2)
    assert '--step' in refusal('retime', 'panda', 'pick.csv', '--effort', '--step', '0.1', cwd=folder, code=2)


@pytest.mark.parametrize('kind', ['csv', 'npz'])
@pytest.mark.parametrize('words', [[], ['--effort'], ['--slow-down']], ids=' '.join)
def test_what_retime_writes_is_judged_as_it_was(kind, words, folder):
    options = ['--limits', 'limits.yaml', '--margin', '0.9']
    written = report('retime', 'panda', 'pick.csv', *options, *words, '--out', f'f.{kind}', cwd=folder)
    told = report('evaluate', 'panda', f'f.{kind}', *options, cwd=folder)
    assert told['feasible'] and told['duration'] == pytest.approx(written['duration'], abs=1e-8)
    assert max(max(values) for name, values in used(told).items() if name == 'effort_rate') == pytest.approx(1, abs=1e-3)


def used(told):
    return {name: [1 - value for value in values if value is not None] for name, values in told['margins'].items()}


def test_what_controllers_make_of_points_without_jerks_is_said(folder, panda):
    options = ['--limits', 'limits.yaml', '--margin', '0.9']
    told = report('retime', 'panda', 'pick.csv', *options, '--step', '0.05', '--out', 'f.yaml', cwd=folder)['interpolated']
    w = read_waypoints(folder / 'f.yaml')
    motion = Trajectory.from_derivatives(w.times, np.stack([w.positions, w.velocities, w.accelerations], axis=1))
    margins = evaluate_trajectory(panda, motion, limits_of(panda), margin=0.9).margins
    assert told['usage'] > 1 and told['usage'] == pytest.approx(max((1 - values).max() for values in margins.values()), rel=1e-6)
    said = hod('retime', 'panda', 'pick.csv', *options, '--step', '0.05', '--out', 'f.json', cwd=folder).stdout
    assert "of q, q' and q'' alone: where a controller" in said and 'a smaller --step' in said


def test_limits_that_all_joints_share_are_drawn_together_and_others_are_told(folder):
    pytest.importorskip('matplotlib')
    words = ['plot', 'panda', 'pick.csv', '--together', '--show', 'effort_rate', '--out', 'a.svg']
    plain = hod(*words, cwd=folder)
    without = (folder / 'a.svg').read_text()
    assert hod(*words, '--limits', 'limits.yaml', cwd=folder).stdout == plain.stdout
    assert (folder / 'a.svg').read_text().count('stroke: #666666') > without.count('stroke: #666666')
    said = hod(*words, '--limits', 'limits.yaml', '--show', 'effort,effort_rate', cwd=folder).stdout
    assert 'no limits of effort are drawn, which joints do not share' in said


@pytest.mark.parametrize('topic', ['states', 'trajectory'])
def test_bags_of_states_and_of_one_trajectory_are_motions(topic, folder, panda):
    pytest.importorskip('rosbags')
    from rosbags.rosbag2 import StoragePlugin
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores
    from rosbags.typesys import get_typestore
    store = get_typestore(Stores.ROS2_JAZZY)
    kinds, names = store.types, list(panda.joint_names)
    none, t = np.zeros(0), np.linspace(0, 2, 401)
    header = kinds['std_msgs/msg/Header']
    motion = read_waypoints(folder / 'pick.csv').of_joints(panda.joint_names)
    with Writer(folder / 'bag', version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        kind = 'sensor_msgs/msg/JointState' if topic == 'states' else 'trajectory_msgs/msg/JointTrajectory'
        connection = writer.add_connection('/topic', kind, typestore=store)
        if topic == 'states':
            for time, q in zip(t, waves(t), strict=True):
                stamp = kinds['builtin_interfaces/msg/Time'](int(time), round(time % 1 * 1e9))
                message = kinds[kind](header(stamp, ''), names, q[0].copy(), q[1].copy(), none)
                writer.write(connection, round(time * 1e9), store.serialize_cdr(message, kind))
        else:
            duration, point = kinds['builtin_interfaces/msg/Duration'], kinds['trajectory_msgs/msg/JointTrajectoryPoint']
            points = [point(q.copy(), none, none, none, duration(int(time), round(time % 1 * 1e9)))
                      for time, q in zip(motion.times, motion.positions, strict=True)]
            message = kinds[kind](header(kinds['builtin_interfaces/msg/Time'](7, 0), ''), names, points)
            writer.write(connection, 0, store.serialize_cdr(message, kind))
    if topic == 'states':
        assert '--differentiate makes a smooth motion' in refusal('evaluate', 'panda', 'bag', cwd=folder, code=3)
        found = report('evaluate', 'panda', 'bag', '--differentiate', cwd=folder)['peaks']['effort_rate']['value']
        assert max(np.abs(found)) == pytest.approx(16.52, rel=0.01)
    else:
        told = report('evaluate', 'panda', 'bag', cwd=folder)
        expected = report('evaluate', 'panda', 'pick.csv', cwd=folder)
        assert told['peaks']['effort']['value'] == pytest.approx(expected['peaks']['effort']['value'], rel=1e-6)


@pytest.mark.parametrize('rows', [5, 3])
def test_a_bag_of_setpoints_is_the_motion_that_it_holds(rows, folder, panda):
    pytest.importorskip('rosbags')
    from rosbags.rosbag2 import StoragePlugin
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores
    from rosbags.typesys import get_types_from_msg
    from rosbags.typesys import get_typestore
    store = get_typestore(Stores.ROS2_JAZZY)
    kind = 'hod_interfaces/msg/JointSetpoint'
    store.register(get_types_from_msg((ROOT / 'hod_interfaces' / 'msg' / 'JointSetpoint.msg').read_text(), kind))
    motion = motion_of(folder)
    with Writer(folder / 'bag', version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection('/hod/setpoint', kind, typestore=store)
        for t in np.linspace(0, motion.end, 261):
            stamp = round(t * 1e9)
            q = motion.evaluate([t], 4)[0]
            header = store.types['std_msgs/msg/Header'](store.types['builtin_interfaces/msg/Time'](stamp // 10**9, stamp % 10**9), '')
            given = [q[k] if k < rows else np.zeros(0) for k in range(5)]
            message = store.types[kind](header, list(panda.joint_names), *given, *[np.zeros(0)] * 4)
            writer.write(connection, stamp, store.serialize_cdr(message, kind))
    if rows == 3:
        assert 'holds position, velocity, acceleration alone' in refusal('evaluate', 'panda', 'bag', cwd=folder, code=3)
        return
    told = report('evaluate', 'panda', 'bag', cwd=folder)
    expected = evaluate_trajectory(panda, motion)
    assert np.abs(told['peaks']['effort_rate']['value']) == pytest.approx(expected.peaks['effort_rate'].value, rel=1e-3)
