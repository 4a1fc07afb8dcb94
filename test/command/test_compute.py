# SPDX-License-Identifier: Apache-2.0
"""`hod compute` and `hod identify` as processes: files and folders of recordings, workers that are killed, full disks, Ctrl-C."""

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import yaml
from running import HOD
from running import ROOT
from running import hod
from running import refusal
from running import report
from running import started

from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import example_robot
from hod_ros import inertial_parameters
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros import with_inertial_parameters

MODEL = RobotModel.from_urdf(example_robot('panda'))
W = np.linspace(0.5, 2, 7)


def motion(t, seed=0):
    shift = np.random.default_rng(seed).uniform(0, 6, 7)
    return np.stack([0.5 * W**k * np.sin(np.outer(t, W) + shift + k * np.pi / 2) - (k == 0) for k in range(5)], axis=1)


def save(path, seed=0, samples=200, **more):
    t = np.arange(samples) * 1e-3
    np.savez(path, joint_names=MODEL.joint_names, times=t, q=motion(t, seed), **more)
    return path


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'logs' / 'monday').mkdir(parents=True)
    for i in range(4):
        save(tmp_path / 'logs' / f'{i}.npz', i)
    save(tmp_path / 'logs' / 'monday' / '0.npz', 9)
    return tmp_path


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob('*') if path.is_file()}


def test_a_file_gives_torques_and_says_so(tmp_path):
    found = report('compute', 'panda', save(tmp_path / 'm.npz'), '--order', 2, '-o', tmp_path / 'Q.npz')
    assert found['samples'] == 200 and found['noise'] is None
    np.testing.assert_array_equal(np.load(tmp_path / 'Q.npz')['Q'], inverse_dynamics(MODEL, motion(np.arange(200) * 1e-3)))
    done = hod('compute', 'panda', tmp_path / 'm.npz', '-o', tmp_path / 'Q.csv')
    assert 'Q of 200 samples, 0.' in done.stdout and done.stderr == ''


def test_noise_of_what_is_differentiated_is_reported(tmp_path):
    pytest.importorskip('scipy')
    save(tmp_path / 'm.npz', samples=2000)
    done = hod('compute', 'panda', tmp_path / 'm.npz', '--differentiate', '--order', 1, '-o', tmp_path / 'Q.npz')
    assert 'noise of the positions' in done.stdout


def test_what_interpolation_makes_of_measured_positions_is_told(tmp_path):
    pytest.importorskip('scipy')
    t = np.arange(400) * 5e-3
    q = motion(t)[:, 0]
    noise = 1e-4 * np.random.default_rng(0).normal(size=q.shape)
    slowly = q[0] + np.where(t < 1, t**2 / 2 * (1 - t / 3), t / 2 - 1 / 6)[:, None]
    eased = q[0] + 0.1 * (1 - np.cos(np.pi * t / t[-1]))[:, None]
    for positions, said in ((q, 'its points begin at .*--differentiate'), (eased + noise, 'look measured or rounded: .*--differentiate'),
                            (eased, ''), (slowly, 'its points end at')):
        np.savez(tmp_path / 'm.npz', joint_names=MODEL.joint_names, times=t, positions=positions)
        found = report('compute', 'panda', tmp_path / 'm.npz', '--interpolate', '-o', tmp_path / 'Q.npz')
        assert re.search(said, found['note']) and bool(found['note']) == bool(said)
    assert 'its points end at' in hod('compute', 'panda', tmp_path / 'm.npz', '--interpolate', '-o', tmp_path / 'Q.npz').stdout


@pytest.mark.parametrize(('words', 'code', 'message'), [
    (('{}/none.csv', '-o', '{}/Q.csv'), 3, 'there is no file'),
    (('{}/none.mcap', '-o', '{}/Q.csv'), 3, 'there is no file'),
    (('{}/m.npz', '-o', '{}/Q.txt'), 2, 'ends in none of'),
    (('{}/m.npz', '-o', '{}/none/Q.csv'), 5, 'no folder'),
    (('{}/m.npz', '-o', '{}/Q.csv', '--order', '5'), 3, 'has no d5, d6, d7, which order 5 needs'),
    (('{}/m.npz', '-o', '{}/Q.csv', '--cutoff', '5'), 2, 'give that too'),
    (('{}/cut.npz', '-o', '{}/Q.csv'), 3, 'not readable as NPZ'),
    (('{}/cut.mcap', '-o', '{}/Q.csv'), 3, 'damaged or cut off'),
    (('{}/secret.npz', '-o', '{}/Q.csv', '--joints', 'nobody'), 3, 'nobody'),
])
def test_what_is_wrong_is_one_line(tmp_path, words, code, message):
    if 'mcap' in words[0]:
        pytest.importorskip('rosbags')
    data = save(tmp_path / 'm.npz').read_bytes()
    (tmp_path / 'cut.npz').write_bytes(data[:len(data) // 2])
    (tmp_path / 'cut.mcap').write_bytes(b'\x89MCAP0\r\n' + bytes(100))
    shutil.copy(tmp_path / 'm.npz', tmp_path / 'secret.npz')
    before = set(tmp_path.iterdir())
    assert message in refusal('compute', 'panda', *(word.format(tmp_path) for word in words), code=code)
    assert set(tmp_path.iterdir()) == before


def test_a_recording_in_degrees_is_refused(tmp_path):
    head, *rows = (ROOT / 'config' / 'motions' / 'panda_pick.csv').read_text().splitlines()
    degrees = [[float(cell) * (57.3 if i else 1) for i, cell in enumerate(row.split(','))] for row in rows]
    (tmp_path / 'm.csv').write_text('\n'.join([head, *(','.join(map(str, row)) for row in degrees)]))
    said = refusal('compute', 'panda', tmp_path / 'm.csv', '--interpolate', '-o', tmp_path / 'Q.csv', code=3)
    assert "joint 'panda_joint1' at 40.11" in said and 'these look like degrees' in said and not (tmp_path / 'Q.csv').exists()


def test_joints_that_are_locked_elsewhere_than_recorded_are_told(tmp_path):
    path = save(tmp_path / 'm.npz')
    start = motion(np.zeros(1))[0, 0]
    some = ','.join(MODEL.joint_names[:6])
    done = hod('compute', 'panda', path, '--joints', some, '-o', tmp_path / 'Q.npz')
    assert re.search("warning: .*m.npz' has joint 'panda_joint7' .*, but it is locked at 0: .* --lock panda_joint7=", done.stderr)
    (tmp_path / 'm.csv').write_text('time,' + ','.join(MODEL.joint_names) + '\n' + ''.join(
        f'{t},' + ','.join(map(str, start)) + '\n' for t in range(3)))
    for command in (('evaluate',), ('compute', '--interpolate', '-o', 'Q.csv')):
        told = [
            hod(command[0], 'panda', 'm.csv', *command[1:], '--lock', f'panda_joint7={angle}', cwd=tmp_path, code=None).stderr
            for angle in (start[6] + 0.01, start[6] + 0.1)]
        assert 'locked' not in told[0] and "has joint 'panda_joint7' at " in told[1]


def test_a_lift_in_millimetres_is_refused_and_a_warning_is_one_line(tmp_path):
    inertial = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    (tmp_path / 'lift.urdf').write_text(
        f'<robot name="lift"><link name="base"/><link name="cabin">{inertial}</link><joint name="lift" type="prismatic">'
        '<parent link="base"/><child link="cabin"/><limit lower="0" upper="0.25" effort="100" velocity="1"/></joint></robot>')
    t = np.linspace(0, 2, 50)
    for height, command, code, said in (
            (150, ('compute', '--differentiate', '-o', 'Q.csv'), 3, "'lift' at 2.*, but its limits are 0 and 0.25 m: these look like"),
            (150, ('evaluate',), 3, 'these look like millimetres; give metres'),
            (-30, ('evaluate',), 1, "hod evaluate: warning: joint 'lift' at -4.* lies far beyond its limits")):
        (tmp_path / 'm.csv').write_text('time,lift\n' + ''.join(f'{x},{height * (1 + 0.5 * np.sin(x))}\n' for x in t))
        line, *_ = hod(command[0], 'lift.urdf', 'm.csv', *command[1:], cwd=tmp_path, code=code).stderr.splitlines()
        assert re.search(said, line)


@pytest.mark.parametrize('ending', ['csv', 'npz', 'mcap'])
def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path, ending):
    save(tmp_path / 'm.npz', samples=2000)

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    line = refusal('compute', 'panda', tmp_path / 'm.npz', '-o', tmp_path / f'Q.{ending}', code=5, preexec_fn=small)
    assert 'could not be written' in line
    assert [path.name for path in tmp_path.iterdir()] == ['m.npz']


@pytest.mark.parametrize('ending', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_leaves_nothing(tmp_path, ending):
    save(tmp_path / 'm.npz', samples=200_000)
    process = subprocess.Popen(
        [str(HOD), 'compute', 'panda', tmp_path / 'm.npz', '-o', tmp_path / 'Q.csv'], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob('.*.part')) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(ending)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 128 + ending and len(errors.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ['m.npz']


def test_a_folder_gives_the_same_by_any_number_of_workers_and_goes_on_where_it_stopped(folder):
    found = report('compute', 'panda', folder / 'logs', '--order', 1, '-o', folder / 'one', '--format', 'npz')
    assert (found['recordings'], found['done'], found['done_before']) == (5, 5, 0)
    hod('compute', 'panda', folder / 'logs', '--order', 1, '-o', folder / 'two', '--format', 'npz', '--jobs', 2)
    assert contents(folder / 'one') == contents(folder / 'two')
    assert sorted(contents(folder / 'one')) == ['0.npz', '1.npz', '2.npz', '3.npz', '_made_by_hod.json', 'monday/0.npz']
    (folder / 'two' / '2.npz').unlink()
    (folder / 'two' / '.2.npz.999999999.part').write_bytes(b'of a process that was killed')
    again = report('compute', 'panda', folder / 'logs', '--order', 1, '-o', folder / 'two', '--format', 'npz', '--jobs', 2)
    assert (again['done'], again['done_before']) == (1, 4)
    assert contents(folder / 'one') == contents(folder / 'two')
    line = refusal('compute', 'panda', folder / 'logs', '--order', 0, '-o', folder / 'two', '--format', 'npz', code=3)
    assert 'other options' in line and '--again' in line


@pytest.mark.slow
def test_ctrl_c_of_a_terminal_while_workers_start_ends_all_of_them_with_one_line(folder):
    for wait in np.random.default_rng(5).uniform(0.0, 2.0, 10):
        process = started(
            'compute', 'panda', 'logs', '-o', 'out', '--format', 'npz', '--jobs', 2, '--again', folder=folder, start_new_session=True)
        time.sleep(wait)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)           # a terminal's goes to workers too
        _, errors = process.communicate(timeout=300)        # until the last of them has closed it
        assert process.returncode in (130, -signal.SIGINT, 0)
        assert len(errors.splitlines()) <= 1 and 'Traceback' not in errors
        assert not list((folder / 'out').rglob('.*.part'))


def test_a_recording_that_is_wrong_does_not_stop_the_others(folder):
    (folder / 'logs' / '1.npz').write_bytes(b'nonsense')
    done = hod('compute', 'panda', folder / 'logs', '-o', folder / 'out', '--format', 'npz', '--jobs', 2, code=3)
    assert '4 of 5 recordings, 1 failed' in done.stdout and '1.npz' in done.stderr and 'not readable as NPZ' in done.stderr
    assert 'monday/0.npz' in contents(folder / 'out')


def test_a_worker_that_is_killed_loses_nothing(folder):
    for i in range(2):
        save(folder / 'logs' / f'big{i}.npz', i, samples=25_000)
    words = ('compute', 'panda', str(folder / 'logs'), '-o', str(folder / 'out'), '--format', 'csv', '--jobs', '2')
    process = subprocess.Popen([str(HOD), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline, killed = time.monotonic() + 60, None
    while killed is None and process.poll() is None and time.monotonic() < deadline:
        for part in (folder / 'out').glob('.big*.part') if (folder / 'out').exists() else ():
            killed = int(part.name.split('.')[-2])
            os.kill(killed, signal.SIGKILL)
            break
    out, errors = process.communicate(timeout=900)
    assert killed is not None and process.returncode == 0, errors
    hod(*words[:4], str(folder / 'single'), '--format', 'csv')
    assert contents(folder / 'out') == contents(folder / 'single')


def test_workers_that_are_killed_as_they_start_are_told_of_among_many_jobs_too(tmp_path):
    (tmp_path / 'sitecustomize.py').write_text("import os, sys\n'spawn_main' in ' '.join(sys.orig_argv) and os.kill(os.getpid(), 9)\n")
    (tmp_path / 'many.py').write_text("""if __name__ == '__main__':
    from hod_ros.command.folders import _in_processes
    job, outcome = next(_in_processes(2, list(range(20_000))))
    print((job, outcome.error))""")
    done = subprocess.run(
        [sys.executable, 'many.py'], cwd=tmp_path, env={**os.environ, 'PYTHONPATH': str(tmp_path)}, capture_output=True, text=True,
        timeout=300)
    assert (done.stdout, done.stderr) == ("(0, 'its worker was killed 3 times; is there too little memory for 2 jobs?')\n", '')


def test_a_dask_cluster_gives_the_same(folder):
    distributed = pytest.importorskip('distributed')
    hod('compute', 'panda', folder / 'logs', '-o', folder / 'one', '--format', 'npz')
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        found = report(
            'compute', 'panda', folder / 'logs', '-o', folder / 'two', '--format', 'npz', '--scheduler', cluster.scheduler_address)
    assert found['done'] == 5 and contents(folder / 'one') == contents(folder / 'two')


def test_identify_writes_a_description_and_what_it_has_no_place_for(tmp_path):
    pytest.importorskip('scipy')
    t = np.arange(2500) * 6e-3
    q = motion(0.8 * t) * (0.8 ** np.arange(5))[:, None]
    heavier = with_inertial_parameters(MODEL, 1.2 * inertial_parameters(MODEL))
    efforts = inverse_dynamics(heavier, q[:, :3])[:, 0] + 0.5 * q[:, 1] + 0.02 * np.random.default_rng(0).normal(size=(2500, 7))
    np.savez(tmp_path / 'm.npz', joint_names=MODEL.joint_names, times=t, positions=q[:, 0], efforts=efforts)
    found = report('identify', 'panda', tmp_path / 'm.npz', '-o', tmp_path / 'out.urdf', '--friction-width', 0.02)
    assert (np.array(found['errors']['held_out']) < 0.2 * np.array(found['errors']['described'])).all()
    saved = np.load(tmp_path / 'out.npz')
    assert saved['damping'] == pytest.approx(np.full(7, 0.5), rel=0.2)
    assert saved['covariance'].shape == (77, 77) and json.loads((tmp_path / 'out.json').read_text())['figures'] == found['figures']
    back = RobotModel.from_urdf((tmp_path / 'out.urdf').read_text())
    error = np.abs(inverse_dynamics(back, q[:, :3])[:, 0] - inverse_dynamics(heavier, q[:, :3])[:, 0])
    assert error.max() < 0.1 * np.abs(inverse_dynamics(heavier, q[:, :3])[:, 0] - inverse_dynamics(MODEL, q[:, :3])[:, 0]).max()
    np.savez(tmp_path / 'none.npz', joint_names=MODEL.joint_names, times=t, positions=q[:, 0])
    assert 'has no torques' in refusal('identify', 'panda', tmp_path / 'none.npz', code=3)


@pytest.mark.parametrize(('factor', 'velocities', 'said'), [
    (1e3, True, 'multiply the times by 1e-3'), (1e-3, False, 'times its velocity limit of'), (1e3, False, 'never moves at more than 0.0')])
def test_times_in_another_unit_are_refused_where_a_robot_is_identified(factor, velocities, said, tmp_path):
    t = np.arange(2500) * 6e-3
    q = motion(t)
    given = {'velocities': q[:, 1]} if velocities else {}
    np.savez(tmp_path / 'm.npz', joint_names=MODEL.joint_names, times=factor * t, positions=q[:, 0], efforts=q[:, 2], **given)
    assert said in refusal('identify', 'panda', 'm.npz', cwd=tmp_path, code=3)


def test_times_in_another_unit_are_refused_or_noted_where_positions_are_differentiated(tmp_path):
    t = np.arange(2500) * 6e-3
    for factor, name in ((1e-3, 'fast'), (1e3, 'slow')):
        np.savez(tmp_path / f'{name}.npz', joint_names=MODEL.joint_names, times=factor * t, positions=motion(t)[:, 0])
    for command in (['compute', '-o', 'Q.npz'], ['evaluate']):
        given = command[0], 'panda', *command[1:], '--differentiate'
        assert 'times its velocity limit of' in refusal(*given, 'fast.npz', cwd=tmp_path, code=3)
        assert 'never moves at more than 0.000' in report(*given, 'slow.npz', cwd=tmp_path, code=None)['note']


def stiffness_of(found, joint='panda_joint2'):
    return next(figure['value'] for figure in found['figures'] if figure['name'] == f'{joint}/stiffness')


def test_motors_beside_links_give_the_stiffness_of_joints(tmp_path):
    pytest.importorskip('scipy')
    two = RobotModel.from_urdf(example_robot('panda'), joints=MODEL.joint_names[:2])
    t = np.arange(3000) * 4e-3
    q = motion(t)[:, :4, :2]
    Q = inverse_dynamics(two, q)
    theta = [q[:, k] + Q[:, k] / 2000 for k in range(2)]
    efforts = Q[:, 0] + 0.5 * theta[1]
    np.savez(tmp_path / 'links.npz', joint_names=two.joint_names, times=t, positions=q[:, 0], efforts=efforts)
    np.savez(tmp_path / 'motors.npz', joint_names=two.joint_names, times=t + 2e-3, positions=theta[0] + 2e-3 * theta[1])
    given = ('identify', 'panda', tmp_path / 'links.npz', '--motors', tmp_path / 'motors.npz', '--joints', ','.join(two.joint_names),
             '--friction-width', 0.02)
    found = report(*given)
    assert stiffness_of(found) == pytest.approx(2000, rel=0.02)
    kept = (t < 0.3 * t[-1]) | (t > 0.45 * t[-1])
    np.savez(tmp_path / 'motors.npz', joint_names=two.joint_names, times=t[kept], positions=theta[0][kept])
    found = report(*given)
    assert stiffness_of(found) == pytest.approx(2000, rel=0.02)
    assert any('samples of' in note and 'fall into gaps of' in note for note in found['notes'])
    np.savez(tmp_path / 'motors.npz', joint_names=two.joint_names, times=np.where(t > 0.5 * t[-1], t - 1.0, t), positions=theta[0])
    assert 'not later than' in refusal(*given, code=3)


@pytest.fixture(scope='module')
def elastic_recording(tmp_path_factory):
    """(links, motors, believed drives) of two joints of a Panda, in files; the drives are stiffer and rub more than is believed."""
    folder, names = tmp_path_factory.mktemp('elastic'), MODEL.joint_names[:2]
    two, t = RobotModel.from_urdf(example_robot('panda'), joints=names), np.arange(4000) * 1e-3
    real = SeriesElastic(stiffness=2500.0, motor_inertia=2e-5, gear_ratio=100.0, motor_friction=1e-3)
    q = motion(1.5 * t)[:, :, :2] * (1.5 ** np.arange(5))[:, None]
    m = motor_feedforward(two, dict.fromkeys(names, real), q)
    np.savez(folder / 'links.npz', joint_names=names, times=t, positions=q[:, 0])
    noise = 1e-4 * np.random.default_rng(3).normal(size=m.positions.shape)
    table = np.column_stack([t, m.positions + noise, m.efforts])
    header = ','.join(['time', *names, *(f'{name}.effort' for name in names)])
    np.savetxt(folder / 'motors.csv', table, delimiter=',', comments='', header=header)
    np.savetxt(folder / 'gap.csv', table[(t < 2.0005) | (t > 2.9995)], delimiter=',', comments='', header=header)
    table[:, 0] = np.where(t > 3, t - 1.0, t)
    np.savetxt(folder / 'back.csv', table, delimiter=',', comments='', header=header)
    figures = '{type: series_elastic, stiffness: 3000, motor_inertia: 2.0e-5, gear_ratio: 100}'
    (folder / 'believed.yaml').write_text(''.join(f'{name}: {figures}\n' for name in names))
    return folder


def test_recordings_of_links_and_motors_give_drives_that_the_nodes_and_hod_take(elastic_recording, tmp_path):
    pytest.importorskip('scipy')
    folder, two = elastic_recording, ('--joints', ','.join(MODEL.joint_names[:2]))
    given = 'identify', 'panda', folder / 'links.npz', '--motor-states', folder / 'motors.csv', *two
    out = tmp_path / 'drives.yaml'
    found = report(*given, '--drives', folder / 'believed.yaml', '-o', out)
    for joint in MODEL.joint_names[:2]:
        assert found['drives'][joint]['stiffness'] == pytest.approx(2500, rel=5e-3)
        assert found['drives'][joint]['motor_friction'] == pytest.approx(1e-3, rel=0.05)
        assert abs(found['delays'][joint]) < 1e-5 and found['unexplained'][joint] < 0.05
    assert found['notes'] == []
    again = report(*given, '--drives', out)
    assert again['figures'][0]['believed'] == pytest.approx(found['drives']['panda_joint1']['stiffness'], rel=1e-6)
    document = next(iter(yaml.safe_load(out.read_text()).values()))
    assert document['ros__parameters']['elastic'].keys() == found['drives'].keys()
    assert 'panda_joint2  stiffness' in hod(*given, '--drives', out).stdout


def test_motors_that_are_stamped_late_have_the_same_drives_and_a_note(elastic_recording, tmp_path):
    pytest.importorskip('scipy')
    table = np.loadtxt(elastic_recording / 'motors.csv', delimiter=',', skiprows=1)
    header = (elastic_recording / 'motors.csv').read_text().splitlines()[0]
    table[:, 0] += 2e-3
    np.savetxt(tmp_path / 'late.csv', table, delimiter=',', comments='', header=header)
    given = ['identify', 'panda', 'links.npz', '--motor-states', tmp_path / 'late.csv', '--drives', 'believed.yaml']
    found = report(*given, '--joints', ','.join(MODEL.joint_names[:2]), cwd=elastic_recording)
    for joint in MODEL.joint_names[:2]:
        assert found['drives'][joint]['stiffness'] == pytest.approx(2500, rel=5e-3)
        assert found['drives'][joint]['motor_friction'] == pytest.approx(1e-3, rel=0.05)
        assert found['delays'][joint] == pytest.approx(2e-3, rel=0.01)
    assert "motors' stamps are late against the links' by 2 ms (panda_joint1), 2 ms (panda_joint2)" in found['notes'][0]


@pytest.mark.parametrize(('words', 'code', 'fault'), [
    (['--drives', 'believed.yaml', '-o', 'drives.urdf'], 2, "'drives.urdf' ends in none of .yaml, .yml; name an output that does"),
    ([], 3, 'no joint has a drive of the type series_elastic'),
    (['--drives', 'believed.yaml', '--motors', 'motors.csv'], 2, '--motor-states goes with one recording of the links, and'),
    (['--drives', 'believed.yaml', '--motor-states', 'links.npz'], 3, "'links.npz' has no torques of the motors; record motor_states with"),
    (['--drives', 'believed.yaml', '--motor-states', 'back.csv'], 3, "sort the samples of 'back.csv' by time and drop the repeated ones"),
    (['--drives', 'believed.yaml', '--motor-states', 'gap.csv'], 3, "'gap.csv' has a gap of 1 s after 2 s; give a recording without one"),
])
def test_motor_states_that_tell_no_drives_are_refused_by_what_is_missing(elastic_recording, words, code, fault):
    pytest.importorskip('scipy')
    given = ['identify', 'panda', 'links.npz', '--motor-states', 'motors.csv', '--joints', ','.join(MODEL.joint_names[:2])]
    assert fault in refusal(*given, *words, code=code, cwd=elastic_recording)


def test_a_folder_of_trajectories_is_evaluated_one_report_each(tmp_path):
    pytest.importorskip('scipy')
    (tmp_path / 'plans').mkdir()
    for name, duration in (('slow', 4.0), ('fast', 0.2)):
        (tmp_path / 'plans' / f'{name}.csv').write_text(
            f'time,{",".join(MODEL.joint_names)}\n0,0,0,0,-1,0,1,0\n{duration},0.5,0.5,0.5,-1,0.5,1,0.5\n')
    done = hod('evaluate', 'panda', tmp_path / 'plans', '-o', tmp_path / 'out', '--jobs', 2, code=1)
    assert '2 of 2 recordings' in done.stdout and '1 do not keep their limits' in done.stdout
    verdicts = {name: json.loads((tmp_path / 'out' / f'{name}.json').read_text())['feasible'] for name in ('slow', 'fast')}
    assert verdicts == {'slow': True, 'fast': False}
    assert 'name another for what it gives' in refusal('evaluate', 'panda', tmp_path / 'plans', code=2)
