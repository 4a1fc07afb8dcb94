# SPDX-License-Identifier: Apache-2.0
"""Outputs of `hod` beside its inputs: nothing that is read is overwritten, nothing stale is done, nothing is half written."""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from running import HOD
from running import ROOT
from running import hod
from running import refusal
from running import report

from hod_ros import RobotModel
from hod_ros import example_robot
from hod_ros import inertial_parameters
from hod_ros import inverse_dynamics
from hod_ros import with_inertial_parameters

pytest.importorskip('scipy')

MODEL = RobotModel.from_urdf(example_robot('panda'))
W = np.linspace(0.5, 2, 7)
PICK = ROOT / 'config' / 'motions' / 'panda_pick.csv'


def motion(t):
    return np.stack([0.5 * W**k * np.sin(np.outer(t, W) + k * np.pi / 2) - (k == 0) for k in range(5)], axis=1)


def save(path, samples=100):
    t = np.arange(samples) * 1e-3
    np.savez(path, joint_names=MODEL.joint_names, times=t, q=motion(t))
    return path


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob('*') if path.is_file()}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'arm.urdf').write_text(example_robot('panda'))
    (tmp_path / 'out.html').write_text(example_robot('panda'))
    (tmp_path / 'limits.yaml').write_text('effort_rate: 50\n')
    (tmp_path / 'drives.yaml').write_text('panda_joint1: {type: series_elastic, stiffness: 300, motor_inertia: 2.0e-4, gear_ratio: 100}\n')
    shutil.copy(PICK, tmp_path / 'pick.csv')
    shutil.copy(PICK, tmp_path / 'pick.svg')
    save(tmp_path / 'm.npz')
    (tmp_path / 'link.npz').symlink_to('m.npz')
    (tmp_path / 'logs').mkdir()
    for i in range(3):
        save(tmp_path / 'logs' / f'{i}.npz')
    return tmp_path


@pytest.fixture
def plans(tmp_path):
    (tmp_path / 'plans').mkdir()
    for name, duration in (('slow', 4.0), ('slower', 8.0)):
        (tmp_path / 'plans' / f'{name}.csv').write_text(
            f'time,{",".join(MODEL.joint_names)}\n0,0,0,0,-1,0,1,0\n{duration},0.5,0.5,0.5,-1,0.5,1,0.5\n')
    return tmp_path


@pytest.mark.parametrize('words', [
    'compute panda m.npz -o m.npz', 'compute panda m.npz -o logs/../m.npz', 'compute panda m.npz -o link.npz',
    'compute panda link.npz -o m.npz',
    'retime panda pick.csv -o pick.csv', 'retime panda pick.csv --limits limits.yaml -o limits.yaml',
    'retime panda pick.csv --drives drives.yaml -o drives.yaml', 'plot panda pick.svg -o pick.svg', 'identify arm.urdf m.npz -o arm.urdf',
    'identify arm.urdf m.npz -o m.urdf', 'identify arm.urdf logs -o logs/1.urdf', 'identify arm.urdf logs/1.npz --motors m.npz -o m.urdf',
    'identify panda m.npz --motor-states m.npz --drives drives.yaml -o drives.yaml', 'view out.html pick.csv --html out.html',
    'compute panda logs -o logs --order 2', 'compute panda logs -o logs --again', 'compute panda logs -o logs/../logs --format npz'])
def test_an_output_that_is_an_input_is_refused_and_left_as_it_was(folder, words):
    if words.startswith('view'):
        pytest.importorskip('viser')
    if words.startswith('plot'):
        pytest.importorskip('matplotlib')
    before = contents(folder)
    assert 'the output is the input; name another' in refusal(*words.split(), cwd=folder, code=2)
    assert contents(folder) == before


def test_a_bags_files_are_not_overwritten_by_what_is_made_of_its_folder(folder):
    bag = folder / 'bag'
    bag.mkdir()
    (bag / 'metadata.yaml').write_text('')
    (bag / 'bag_0.mcap').write_bytes(b'messages')
    assert 'the output is the input' in refusal('compute', 'panda', 'bag', '-o', 'bag/bag_0.mcap', cwd=folder, code=2)
    assert (bag / 'bag_0.mcap').read_bytes() == b'messages'


def test_what_hod_did_not_make_is_neither_done_nor_overwritten(folder):
    (folder / 'out').mkdir()
    (folder / 'out' / '1.npz').write_bytes(b'of somebody')
    for more in ((), ('--again',)):
        assert "'out/1.npz' is there, and no _made_by_hod.json" in refusal(
            'compute', 'panda', 'logs', '-o', 'out', '--format', 'npz', *more, cwd=folder, code=2)
    assert contents(folder / 'out') == {'1.npz': b'of somebody'}


@pytest.mark.parametrize(('option', 'before', 'after'), [
    ('--limits', 'effort_rate: 1000\n', 'effort_rate: 0.001\n'),
    ('--drives', *(f'panda_joint1: {{type: series_elastic, stiffness: 3e2, motor_inertia: 2.0e-4, gear_ratio: {n}}}' for n in (90, 50)))])
def test_a_file_that_was_edited_makes_reports_of_before_others(plans, option, before, after):
    file = plans / 'file.yaml'
    file.write_text(before)
    words = 'evaluate', 'panda', 'plans', '-o', 'reports', option, 'file.yaml'
    hod(*words, cwd=plans, code=None)
    reports = contents(plans / 'reports')
    file.write_text(after)
    assert 'other files gave' in refusal(*words, cwd=plans, code=3)
    assert '2 of 2 recordings\n' in hod(*words, '--again', cwd=plans, code=None).stdout
    assert contents(plans / 'reports')['slow.json'] != reports['slow.json']
    shutil.copy(file, plans / 'same.yaml')
    assert '2 done before' in hod(*words[:-1], 'same.yaml', cwd=plans, code=None).stdout


def test_a_description_that_was_edited_makes_reports_of_before_others(plans):
    tag = '<hod_elastic joint="panda_joint1" type="series_elastic" stiffness="300" motor_inertia="2e-4" gear_ratio="100"/>'
    (plans / 'arm.urdf').write_text(example_robot('panda'))
    words = 'compute', 'arm.urdf', 'plans', '--interpolate', '-o', 'out'
    hod(*words, cwd=plans)
    (plans / 'arm.urdf').write_text(example_robot('panda').replace('</robot>', f'{tag}</robot>'))
    assert 'other files gave' in refusal(*words, cwd=plans, code=3)


def test_what_other_options_gave_is_not_left_where_doing_it_again_was_broken_off(folder):
    words = 'compute', 'panda', 'logs', '-o', 'out', '--format', 'npz'
    hod(*words, '--order', 1, cwd=folder)
    (folder / 'logs' / '1.npz').write_bytes(b'nonsense')
    assert '2 of 3 recordings, 1 failed' in hod(*words, '--again', cwd=folder, code=3).stdout
    assert sorted(contents(folder / 'out')) == ['0.npz', '2.npz', '_made_by_hod.json']
    assert '0 of 3 recordings, 2 done before, 1 failed' in hod(*words, cwd=folder, code=3).stdout


def test_a_recording_that_changed_after_its_output_is_done_again(folder):
    words = 'compute', 'panda', 'logs', '-o', 'out', '--format', 'npz'
    hod(*words, cwd=folder)
    save(folder / 'logs' / '1.npz', samples=50)
    found = report(*words, cwd=folder)
    assert (found['done'], found['done_before']) == (1, 2) and len(np.load(folder / 'out' / '1.npz')['stamps']) == 50
    (folder / 'logs' / '1.npz').write_bytes(b'nonsense')
    hod(*words, cwd=folder, code=3)
    assert not (folder / 'out' / '1.npz').exists()


def test_outputs_below_the_recordings_are_no_recordings(folder):
    words = 'compute', 'panda', 'logs', '-o', 'logs/out', '--format', 'npz'
    assert report(*words, cwd=folder)['done'] == 3
    again = report(*words, cwd=folder)
    assert (again['recordings'], again['done_before']) == (3, 3)
    assert report('compute', 'panda', 'logs', '-o', 'logs/other', cwd=folder)['recordings'] == 3
    (folder / 'logs' / 'monday').mkdir()
    save(folder / 'logs' / 'monday' / '9.npz')
    assert "'logs/monday/9.npz' is there, and no" in refusal('compute', 'panda', 'logs', '-o', 'logs/monday', cwd=folder, code=2)


def test_documents_beside_reports_are_no_reports(plans):
    (plans / 'plans' / 'p.json').write_text(json.dumps({'nothing': 'of ours'}))
    assert 'the output is the input' in refusal('evaluate', 'panda', 'plans', '-o', 'plans', cwd=plans, code=2)
    (plans / 'plans' / 'p.json').unlink()
    (plans / 'out').mkdir()
    (plans / 'out' / 'p.json').write_text(json.dumps({'nothing': 'of ours'}))
    assert '2 of 2 recordings' in hod('evaluate', 'panda', 'plans', '-o', 'out', cwd=plans).stdout


def test_a_folder_gives_a_folder_and_what_was_a_bag_is_told(folder):
    assert "'Q.npz' ends as a file does, but 'logs' is a folder of recordings" in (
        said := refusal('compute', 'panda', 'logs', '-o', 'Q.npz', cwd=folder, code=2)) and 'metadata' not in said
    (folder / 'bag').mkdir()
    (folder / 'bag' / 'bag_0.mcap').write_bytes(b'')
    said = refusal('compute', 'panda', 'bag', '-o', 'Q.npz', cwd=folder, code=2)
    assert 'lost its metadata.yaml: ros2 bag reindex bag' in said and not (folder / 'Q.npz').exists()


@pytest.mark.parametrize(('words', 'said'), [
    ('compute panda m.npz -o Q.npz --jobs 0', '--jobs goes with a folder'),
    ('compute panda m.npz -o Q.npz --jobs 3 --again', '--jobs goes with a folder'),
    ('compute panda m.npz -o Q.npz --again', '--again goes with a folder'),
    ('compute panda m.npz -o Q.npz --format csv', '--format goes with a folder'),
    ('compute panda m.npz -o Q.npz --scheduler tcp://nobody', '--scheduler goes with a folder'),
    ('evaluate panda pick.csv --jobs 2', '--jobs goes with a folder'),
    ('compute panda m.npz -o Q.npz --topic /x', "--topic says what to read of a bag, but 'm.npz' is none"),
    ('identify panda m.npz --topic /x', "--topic says what to read of a bag, but 'm.npz' is none"),
    ('identify panda m.npz --motor-states m.npz --motor-topic /x', "--motor-topic says what to read of a bag, but 'm.npz' is none")])
def test_options_that_one_file_has_no_use_for_are_refused(folder, words, said):
    assert said in refusal(*words.split(), cwd=folder, code=2)
    assert not (folder / 'Q.npz').exists()


def test_a_link_stays_a_link_to_what_is_written(folder):
    (folder / 'far').mkdir()
    (folder / 'Q.npz').symlink_to('far/Q.npz')
    for _ in range(2):
        hod('compute', 'panda', 'm.npz', '-o', 'Q.npz', cwd=folder)
        assert (folder / 'Q.npz').is_symlink() and [path.name for path in (folder / 'far').iterdir()] == ['Q.npz']


def test_identify_on_a_full_disk_leaves_all_its_files_as_they_were(tmp_path):
    t = np.arange(2500) * 6e-3
    q = motion(0.8 * t) * (0.8 ** np.arange(5))[:, None]
    efforts = inverse_dynamics(with_inertial_parameters(MODEL, 1.2 * inertial_parameters(MODEL)), q[:, :3])[:, 0] + 0.5 * q[:, 1]
    np.savez(tmp_path / 'm.npz', joint_names=MODEL.joint_names, times=t, positions=q[:, 0], efforts=efforts)
    for ending in ('urdf', 'npz', 'json'):
        (tmp_path / f'out.{ending}').write_text('before')
    before = contents(tmp_path)

    def small():        # enough for the description, not for the covariance
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    words = 'identify', 'panda', 'm.npz', '-o', 'out.urdf', '--friction-width', 0.02
    line = refusal(*words, cwd=tmp_path, code=5, preexec_fn=small, env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'})
    assert "'out.urdf', 'out.npz', 'out.json' could not be written" in line and contents(tmp_path) == before
    hod(*words, cwd=tmp_path)
    assert all(contents(tmp_path)[f'out.{ending}'] != b'before' for ending in ('urdf', 'npz', 'json'))


def half_written(folder, process):
    end = time.monotonic() + 120
    while not list(folder.rglob('.*.part')):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.005)


def test_a_terminal_that_closes_leaves_nothing_half_written(tmp_path):
    save(tmp_path / 'm.npz', samples=200_000)
    process = subprocess.Popen([HOD, 'compute', 'panda', 'm.npz', '-o', 'Q.csv'], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    half_written(tmp_path, process)
    process.send_signal(signal.SIGHUP)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 129 and 'ended by SIGHUP' in told and len(told.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ['m.npz']


def test_nohup_is_heeded(tmp_path):
    save(tmp_path / 'm.npz', samples=20_000)
    process = subprocess.Popen(
        [HOD, 'compute', 'panda', 'm.npz', '-o', 'Q.csv'], cwd=tmp_path, stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    half_written(tmp_path, process)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=300) == 0 and (tmp_path / 'Q.csv').exists()


@pytest.mark.parametrize('ending', [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_workers_have_removed_what_they_wrote_when_the_command_says_so(tmp_path, ending):
    (tmp_path / 'logs').mkdir()
    for i in range(4):
        save(tmp_path / 'logs' / f'{i}.npz', samples=60_000)
    process = subprocess.Popen(
        [HOD, 'compute', 'panda', 'logs', '-o', 'out', '--jobs', '2'], cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        start_new_session=True)
    half_written(tmp_path, process)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, ending) if ending != signal.SIGTERM else process.send_signal(ending)
    told = process.stderr.readline()
    left = list((tmp_path / 'out').rglob('.*.part'))
    process.communicate(timeout=300)
    assert process.returncode == 128 + ending and 'nothing was left half written' in told and not left


@pytest.mark.parametrize('jobs', ['1', '2'])
def test_notes_on_the_recordings_of_a_folder_are_told(folder, jobs):
    for name in ('a', 'b'):
        (folder / 'cut').mkdir(exist_ok=True)
        t = np.linspace(0, 1, 30)
        positions = 0.3 * np.sin(3 * t)[:, None] + np.zeros(7)
        np.savez(folder / 'cut' / f'{name}.npz', joint_names=MODEL.joint_names, times=t, positions=positions)     # begins in motion
    found = report('compute', 'panda', 'cut', '--interpolate', '-o', 'torques', '--jobs', jobs, cwd=folder)
    assert found['done'] == 2 and sorted(Path(name).name for name in found['notes']) == ['a.npz', 'b.npz']
    assert all('rad/s' in note for note in found['notes'].values())
