# SPDX-License-Identifier: Apache-2.0
"""`hod export` and `hod bench`: the command's part; what is exported is tested with the library."""

import shutil

import numpy as np
import pytest
from robots import robot_path
from robots import robot_text
from running import hod
from running import refusal
from running import report

from hod_ros import RobotModel
from hod_ros import example_robot
from hod_ros import inverse_dynamics
from hod_ros.command import bench


@pytest.mark.slow
@pytest.mark.skipif(shutil.which('c++') is None, reason='there is no C++ compiler')
def test_export_writes_a_project_whose_error_it_measured(tmp_path):
    (tmp_path / 'drives.yaml').write_text('panda_joint1: {type: series_elastic, stiffness: 3000, motor_inertia: 0.2}')
    told = report('export', 'panda', '--name', 'arm', '--drives', 'drives.yaml', '--out', 'arm_cpp', cwd=tmp_path)
    assert told['hash'] == RobotModel.from_urdf(example_robot('panda')).hash
    assert told['error'] < 1e-13 and told['bytes'] < 100_000
    header = (tmp_path / 'arm_cpp' / 'include' / 'arm.h').read_text()
    assert told['hash'] in header and 'arm_' in header


@pytest.mark.slow
@pytest.mark.skipif(shutil.which('c++') is None, reason='there is no C++ compiler')
@pytest.mark.parametrize('driven', [False, True])
def test_the_largest_public_robot_is_exported_in_100_kB(tmp_path, driven):
    joints = RobotModel.from_urdf(robot_text('tiago_dual')).joint_names
    (tmp_path / 'drives.yaml').write_text(''.join(
        f'{joint}: {{type: series_elastic, stiffness: {3000 + 7 * i}, '
        f'motor_inertia: {0.2 + i / 1000:.3f}, motor_friction: {3 + i / 10:.1f}}}\n'
        for i, joint in enumerate(joints)))
    drives = ('--drives', 'drives.yaml') if driven else ()
    told = report('export', str(robot_path('tiago_dual')), *drives, '--out', 'tiago', cwd=tmp_path)
    files = [path for path in (tmp_path / 'tiago').rglob('*') if path.is_file() and path.name != 'vectors.txt']
    assert told['bytes'] == sum(path.stat().st_size for path in files) < 100_000
    assert told['error'] < 1e-13


def test_export_leaves_a_folder_of_others_alone(tmp_path):
    (tmp_path / 'mine').mkdir()
    (tmp_path / 'mine' / 'thesis.tex').write_text('years of work')
    assert 'mine' in refusal('export', 'panda', '--out', 'mine', cwd=tmp_path, code=3)
    assert [path.name for path in (tmp_path / 'mine').iterdir()] == ['thesis.tex']
    assert "'int'" in refusal('export', 'panda', '--name', 'int', '--out', 'new', cwd=tmp_path, code=3)
    assert not (tmp_path / 'new').exists()


def test_peers_are_measured_at_the_same_torques():
    for text in (example_robot('panda'), bench.chain(30)):
        model = RobotModel.from_urdf(text)
        q = np.random.default_rng(2).uniform(-1, 1, (11, model.n))
        Q = inverse_dynamics(model, q[:3])[0]
        for peer in bench.peers(text, q):
            assert peer.joints == model.n
            assert np.abs(peer.call() - Q).max() < 1e-9 * np.abs(Q).max(), peer.what


def test_bench_tells_times_and_their_ratios(tmp_path):
    told = report('bench', '--seconds', '0.2')
    for joints in (7, 30):
        figures = [figure for figure in told['figures'] if figure['joints'] == joints]
        assert figures[0]['ratio'] == 1.0 and len(figures) >= 4
        assert all(figure['ratio'] == pytest.approx(figure['microseconds'] / figures[0]['microseconds']) for figure in figures)


def test_bench_draws_a_picture(tmp_path):
    pytest.importorskip('matplotlib')
    hod('bench', '--seconds', '0.1', '--out', 'bench.svg', cwd=tmp_path)
    assert "hod_ros Q, Q', Q''" in (tmp_path / 'bench.svg').read_text().replace('&apos;', "'")
