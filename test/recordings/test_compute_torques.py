# SPDX-License-Identifier: Apache-2.0
"""Torques of recordings, file to file."""

import numpy as np
import pytest

from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros import compute_torques
from hod_ros import example_robot
from hod_ros import inverse_dynamics
from hod_ros import read_samples

MODEL = RobotModel.from_urdf(example_robot('panda'))
NAMES = MODEL.joint_names
W = np.linspace(0.5, 2, 7)


def motion(t):
    return np.stack([0.5 * W**k * np.sin(np.outer(t, W) + k * np.pi / 2) - (k == 0) for k in range(5)], axis=1)


def save(path, t, q, **more):
    fields = dict(zip(('positions', 'velocities', 'accelerations', 'jerks', 'snaps'), np.swapaxes(q, 0, 1), strict=False))
    np.savez(path, joint_names=NAMES, times=t, **fields, **more)
    return path


def table(path, t, q):
    kinds = ('', '.velocity', '.acceleration', '.jerk', '.snap')
    header = ['time', *(f'{name}{kinds[k]}' for k in range(q.shape[1]) for name in NAMES)]
    np.savetxt(path, np.column_stack([t, q.reshape(len(q), -1)]), delimiter=',', header=','.join(header), comments='', fmt='%.17g')
    return path


@pytest.mark.parametrize('ending', ['npz', 'csv', 'parquet'])
def test_outputs_hold_what_inverse_dynamics_gives(tmp_path, ending):
    if ending == 'parquet':
        parquet = pytest.importorskip('pyarrow.parquet')
    t = np.arange(9000) * 1e-3          # more than one piece
    q = motion(t)
    report = compute_torques(MODEL, save(tmp_path / 'm.npz', t, q), tmp_path / f'Q.{ending}', order=2, threads=1)
    expected = inverse_dynamics(MODEL, q)
    assert report.samples == 9000 and report.noise is None
    if ending == 'npz':
        found = np.load(tmp_path / 'Q.npz')
        np.testing.assert_array_equal(found['Q'], expected)
        assert found['joint_names'].tolist() == list(NAMES) and found['stamps'][1] == 1_000_000 and str(found['model']) == MODEL.hash
        return
    if ending == 'csv':
        lines = (tmp_path / 'Q.csv').read_text().splitlines()
        names, values = lines[0].split(','), np.array([line.split(',') for line in lines[1:]], float)
    else:
        found = parquet.read_table(tmp_path / 'Q.parquet')
        names, values = found.column_names, np.stack([column.to_numpy() for column in found.columns], axis=1)
    assert names[1:3] == ['panda_joint1.effort', 'panda_joint2.effort'] and names[-1] == 'panda_joint7.effort_acceleration'
    np.testing.assert_array_equal(values[:, 1:], expected.reshape(9000, -1))


def test_a_recording_is_not_replaced_by_its_torques(tmp_path):
    t = np.arange(100) * 1e-3
    path = save(tmp_path / 'm.npz', t, motion(t))
    before = path.read_bytes()
    (tmp_path / 'link.npz').symlink_to(path)
    for output in (path, tmp_path / 'link.npz'):
        with pytest.raises(InputError, match='is the recording itself'):
            compute_torques(MODEL, path, output, order=2)
    assert path.read_bytes() == before


def test_csv_and_parquet_are_read_as_npz_is(tmp_path):
    t = np.arange(100) * 1e-3
    q = motion(t)
    wide = read_samples(save(tmp_path / 'm.npz', t, q))
    np.testing.assert_array_equal(read_samples(table(tmp_path / 'm.csv', t, q)).q, wide.q)
    pyarrow = pytest.importorskip('pyarrow')
    import pyarrow.parquet as parquet
    columns = {'stamp': wide.stamps, **{f'{name}.position': q[:, 0, j] for j, name in enumerate(NAMES)}}
    parquet.write_table(pyarrow.table(columns), tmp_path / 'm.parquet')
    again = read_samples(tmp_path / 'm.parquet')
    np.testing.assert_array_equal(again.q[:, 0], q[:, 0])
    np.testing.assert_array_equal(again.stamps, wide.stamps)


def test_missing_derivatives_come_only_when_asked(tmp_path):
    pytest.importorskip('scipy')
    t = np.arange(4000) * 1e-3
    q = motion(t)
    noisy = q[:, 0] + 1e-5 * np.random.default_rng(0).normal(size=(4000, 7))
    path = save(tmp_path / 'm.npz', t, noisy[:, None])
    with pytest.raises(InputError, match='sample 0 .* has no velocity, acceleration, which order 0 needs; .*never taken as zero'):
        compute_torques(MODEL, path, tmp_path / 'Q.npz')
    assert [p.name for p in tmp_path.iterdir()] == ['m.npz']
    report = compute_torques(MODEL, path, tmp_path / 'Q.npz', order=1, missing='differentiate')
    assert 'noise of the positions 1' in report.noise
    expected = inverse_dynamics(MODEL, q)[:, :2]
    error = np.abs(np.load(tmp_path / 'Q.npz')['Q'] - expected)[300:-300].max(axis=(0, 2))
    assert (error < 0.02 * np.abs(expected).max(axis=(0, 2))).all()


def test_a_long_recording_with_a_gap_is_differentiated_stretch_by_stretch(tmp_path, monkeypatch):
    pytest.importorskip('scipy')
    from hod_ros.recordings import derivatives
    monkeypatch.setattr(derivatives, '_WINDOW', 3000)
    monkeypatch.setattr(derivatives, '_MARGIN', 800)
    t = np.arange(14000) * 1e-3
    t[9000:] += 1.0
    q = motion(t)
    compute_torques(MODEL, save(tmp_path / 'm.npz', t, q[:, :1]), tmp_path / 'Q.npz', missing='differentiate')
    found = np.load(tmp_path / 'Q.npz')
    np.testing.assert_array_equal(found['stamps'], np.round(t * 1e9))
    expected = inverse_dynamics(MODEL, q)[:, 0]
    inside = np.r_[200:8800, 9200:13800]
    assert np.abs(found['Q'][inside, 0] - expected[inside]).max() < 1e-3


def test_stamps_that_jitter_do_not_become_torques(tmp_path):
    pytest.importorskip('scipy')
    t = np.arange(6000) * 2e-3
    q = motion(t)
    noisy = q[:, :1] + 2e-6 * np.random.default_rng(1).normal(size=(6000, 1, 7))
    beat = t + 4e-4 * np.sin(2 * np.pi * 18 * t)
    held_up = np.where(t % 1.0 > 0.9, np.floor(t) + 1.0 + 2e-5 * ((t % 1.0 - 1.0) / 2e-3), t)      # up to 0.1 s, then what waits at once
    expected = inverse_dynamics(MODEL, q)[:, :2]
    for stamps, said in ((beat, 'by 0.28 ms (root mean square), by 0.4'), (held_up, 'ms at most')):
        report = compute_torques(MODEL, save(tmp_path / 'm.npz', stamps, noisy), tmp_path / 'Q.npz', order=1, missing='differentiate')
        found = np.load(tmp_path / 'Q.npz')
        error = np.abs(found['Q'] - expected)[300:-300].max(axis=(0, 2))
        assert (error < 0.01 * np.abs(expected).max(axis=(0, 2))).all()
        assert 'stamps jitter' in report.noise and said in report.noise
        np.testing.assert_array_equal(found['stamps'], np.round(stamps * 1e9))


def test_samples_that_were_sent_twice_are_named_where_derivatives_are_made(tmp_path):
    pytest.importorskip('scipy')
    t = np.repeat(np.arange(100) * 1e-3, 2)
    with pytest.raises(InputError, match=r'times\[1\] is 0, not later than 0 before it; times must increase'):
        compute_torques(MODEL, save(tmp_path / 'm.npz', t, motion(t)[:, :1]), tmp_path / 'Q.npz', missing='differentiate')


def test_way_points_are_interpolated(tmp_path):
    pytest.importorskip('scipy')
    t = np.array([0.0, 0.5, 1.2, 2.0])
    compute_torques(MODEL, save(tmp_path / 'm.npz', t, motion(t)[:, :1]), tmp_path / 'Q.npz', order=2, missing='interpolate', rate=100.0)
    found = np.load(tmp_path / 'Q.npz')['Q']
    rest = np.zeros((3, 7))
    rest[0] = motion(t)[0, 0]
    assert found.shape == (201, 3, 7)
    np.testing.assert_allclose(found[0, 0], inverse_dynamics(MODEL, rest)[0], atol=1e-9)


def test_orders_that_need_more_continuous_derivatives_than_interpolation_gives_are_refused(tmp_path):
    pytest.importorskip('scipy')
    t = np.array([0.0, 0.5, 1.2, 2.0])
    path = save(tmp_path / 'm.npz', t, motion(t)[:, :1])
    report = compute_torques(MODEL, path, tmp_path / 'Q.npz', order=3, missing='interpolate', rate=100.0)
    assert report.duration == pytest.approx(2.0)
    with pytest.raises(InputError, match='order is 4, .* 5 continuous derivatives, enough for order 3'):
        compute_torques(MODEL, path, tmp_path / 'Q.npz', order=4, missing='interpolate', rate=100.0)


def test_an_error_in_the_middle_leaves_the_output_that_was_there(tmp_path):
    t = np.arange(20000) * 1e-3
    path = table(tmp_path / 'm.csv', t, motion(t)[:, :3])
    lines = path.read_text().splitlines()
    path.write_text('\n'.join([*lines[:15000], 'no,numbers']))
    (tmp_path / 'Q.csv').write_text('before')
    with pytest.raises(InputError, match="line 15001 of 'm.csv' has 2 cells, but the header 22; is the file cut off"):
        compute_torques(MODEL, path, tmp_path / 'Q.csv')
    assert (tmp_path / 'Q.csv').read_text() == 'before' and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(('content', 'message'), [
    ('', 'is empty'),
    ('a,b\n1,2\n', 'has no column time'),
    ('time,a.velocity\n0,1\n', "no column 'a' with positions"),
    ('time,a,a.acceleration\n0,1,1\n', 'columns of acceleration, but none of velocity'),
    ('time,a,b,a.velocity\n0,1,1,1\n', "no column 'b.velocity'"),
    ('time,a\n0,fast\n', "line 2 of 'm.csv', column 'a' is 'fast'"),
    ('time,a\n0,nan\n', "column 'a' is 'nan'"),
    ('time,a,a\n0,1,1\n', 'two columns of the position'),
])
def test_tables_that_hold_no_motion_are_refused(tmp_path, content, message):
    (tmp_path / 'm.csv').write_text(content)
    with pytest.raises(InputError, match=message):
        read_samples(tmp_path / 'm.csv')


def test_joints_are_matched_by_name_and_others_left_out(tmp_path):
    t = np.arange(10) * 1e-3
    q = motion(t)
    names = ['gripper', *NAMES[::-1]]
    more = np.concatenate([np.zeros((10, 5, 1)), q[:, :, ::-1]], axis=2)
    np.savez(tmp_path / 'm.npz', joint_names=names, times=t, q=more)
    compute_torques(MODEL, tmp_path / 'm.npz', tmp_path / 'Q.npz', order=1)
    np.testing.assert_array_equal(np.load(tmp_path / 'Q.npz')['Q'], inverse_dynamics(MODEL, q)[:, :2])
    np.savez(tmp_path / 'm.npz', joint_names=names[:-1], times=t, q=more[:, :, :-1])
    with pytest.raises(InputError, match="has no joint 'panda_joint1'"):
        compute_torques(MODEL, tmp_path / 'm.npz', tmp_path / 'Q.npz')
