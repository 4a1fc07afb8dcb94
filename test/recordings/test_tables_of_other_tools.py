# SPDX-License-Identifier: Apache-2.0
"""Tables as spreadsheets, pandas, loggers and clocks write them: read for what they are, or refused in a sentence."""

import re

import numpy as np
import pytest

from hod_ros import InputError
from hod_ros import read_samples
from hod_ros import read_waypoints

NANOSECONDS = np.int64(1_700_000_000_123_456_789) + np.arange(4) * 2_000_003
Q = np.array([[0.0, 0.1], [0.2, 0.3], [0.4, 0.5], [0.6, 0.7]])


def table(header, columns):
    return '\n'.join([header, *(','.join(map(str, row)) for row in zip(*columns, strict=True))]) + '\n'


@pytest.mark.parametrize('header', ['stamp,a,b', 'time,a,b'])
def test_times_of_a_clock_keep_their_nanoseconds(tmp_path, header):
    times = NANOSECONDS.tolist()
    if header.startswith('time'):
        times = [f'{stamp // 10**9}.{stamp % 10**9:09d}' for stamp in times]
    (tmp_path / 'm.csv').write_text(table(header, [times, *Q.T]))
    np.testing.assert_array_equal(read_samples(tmp_path / 'm.csv').stamps, NANOSECONDS)
    np.testing.assert_allclose(read_waypoints(tmp_path / 'm.csv').times, (NANOSECONDS - NANOSECONDS[0]) * 1e-9, rtol=1e-15)


@pytest.mark.parametrize(('header', 'times', 'message'), [
    ('time,a,b', NANOSECONDS.tolist(), r'time of .* 1.7e\+18; it holds finite numbers of seconds: call it stamp'),
    ('time,a,b', (NANOSECONDS // 10**6).tolist(), r'time of .* 1.7e\+12; it holds finite numbers of seconds'),
    ('stamp,a,b', [0.0, 0.5, 1.0, 1.5], 'stamp of .* 0.5; it holds whole nanoseconds: call it time'),
    ('stamp,a,b', ['1e-3'] * 4, 'stamp of .* 0.001; it holds whole nanoseconds'),
])
def test_times_in_the_unit_of_the_other_column_are_refused(tmp_path, header, times, message):
    (tmp_path / 'm.csv').write_text(table(header, [times, *Q.T]))
    for read in (read_samples, read_waypoints):
        with pytest.raises(InputError, match=message):
            read(tmp_path / 'm.csv')


@pytest.mark.parametrize(('key', 'times', 'message'), [
    ('times', NANOSECONDS, 'call it stamps'), ('stamps', [0.0, 0.5, 1.0, 1.5], 'call it times'),
    ('times', [0.0, 1.0, np.nan, 3.0], 'finite')])
def test_arrays_of_times_in_another_unit_are_refused(tmp_path, key, times, message):
    np.savez(tmp_path / 'm.npz', joint_names=['a', 'b'], positions=Q, **{key: times})
    with pytest.raises(InputError, match=message):
        read_samples(tmp_path / 'm.npz')


def test_dates_are_taken_in_their_own_unit(tmp_path):
    np.savez(tmp_path / 'm.npz', joint_names=['a', 'b'], positions=Q, times=(NANOSECONDS // 1000).astype('datetime64[us]'))
    np.testing.assert_array_equal(read_samples(tmp_path / 'm.npz').stamps, NANOSECONDS // 1000 * 1000)
    pyarrow = pytest.importorskip('pyarrow')
    import pyarrow.parquet as parquet
    for label, times in (('time', pyarrow.array(NANOSECONDS, pyarrow.timestamp('ns'))),
                         ('stamp', pyarrow.array(NANOSECONDS // 10**6, pyarrow.timestamp('ms'))),
                         ('time', pyarrow.array(NANOSECONDS, pyarrow.duration('ns')))):
        parquet.write_table(pyarrow.table({label: times, 'a': Q[:, 0], 'b': Q[:, 1]}), tmp_path / 'm.parquet')
        unit = 10**6 if label == 'stamp' else 1
        np.testing.assert_array_equal(read_samples(tmp_path / 'm.parquet').stamps, NANOSECONDS // unit * unit)


@pytest.mark.parametrize(('content', 'message'), [
    ('time;a;b\n0,5;1,5;2,5\n', "separated by semicolons; .*sep=';'"),
    ('time\ta\tb\n0\t1\t2\n', 'separated by tabs'),
    ('time,a,b\n0,1,2\n'.encode('utf-16'), 'no text in UTF-8|no CSV'),
])
def test_other_separators_and_encodings_are_named(tmp_path, content, message):
    (tmp_path / 'm.csv').write_bytes(content if isinstance(content, bytes) else content.encode())
    for read in (read_samples, read_waypoints):
        with pytest.raises(InputError, match=message):
            read(tmp_path / 'm.csv')


def test_the_comment_sign_of_savetxt_and_empty_labels_are_no_names(tmp_path):
    np.savetxt(tmp_path / 'm.csv', np.column_stack([np.arange(4) * 0.5, Q, np.arange(4)]), delimiter=',', header='time,a,b,')
    for found in (read_samples(tmp_path / 'm.csv'), read_waypoints(tmp_path / 'm.csv')):
        assert found.joint_names == ('a', 'b') and found.times.tolist() == [0, 0.5, 1.0, 1.5]


def test_columns_that_are_not_asked_for_may_hold_anything(tmp_path):
    (tmp_path / 'm.csv').write_text('note,time,grip,a,b,a.velocity,b.velocity,\nfirst,0,nan,1,2,3,4,\nlater,0.5,,5,6,7,8,\n')
    found = read_samples(tmp_path / 'm.csv', joint_names=['b', 'a'])
    np.testing.assert_array_equal(found.q, [[[2, 1], [4, 3]], [[6, 5], [8, 7]]])
    with pytest.raises(InputError, match="no column 'c' with positions; its columns are note, time, grip"):
        read_samples(tmp_path / 'm.csv', joint_names=['a', 'c'])
    (tmp_path / 'm.csv').write_text('note,time,a\nfirst,0,1\nlater,0,5,1,5\n')
    with pytest.raises(InputError, match='line 3 of .* has 5 cells, but the header 3'):
        read_samples(tmp_path / 'm.csv', joint_names=['a'])


@pytest.mark.parametrize(('names', 'message'), [
    (np.array(['a', 'b'], object), 'array joint_names of .* is not readable'), ([['a', 'b']], r'joint_names of .* is <U1 \(1, 2\)'),
    ([1, 2], 'joint_names of .* is int64')])
def test_joint_names_that_are_no_texts_are_refused(tmp_path, names, message):
    np.savez(tmp_path / 'm.npz', joint_names=names, positions=Q, times=np.arange(4))
    with pytest.raises(InputError, match=message):
        read_samples(tmp_path / 'm.npz')


def test_one_joint_may_be_named_by_a_text_alone_and_names_may_be_bytes(tmp_path):
    for names, joints in (('a', 1), (np.array(['a', 'b'], 'S1'), 2)):
        np.savez(tmp_path / 'm.npz', joint_names=names, positions=Q[:, :joints], times=np.arange(4))
        assert read_samples(tmp_path / 'm.npz').joint_names == ('a', 'b')[:joints] == read_waypoints(tmp_path / 'm.npz').joint_names


def test_cells_in_quotes_are_numbers_as_headers_in_quotes_are_names(tmp_path):
    plain = table('time,a,b,told', [NANOSECONDS * 1e-9 - NANOSECONDS[0] * 1e-9, *Q.T, [1, 2, 3, 4]])
    (tmp_path / 'm.csv').write_text('\n'.join(','.join(f'"{cell}"' for cell in line.split(',')) for line in plain.splitlines()))
    expected = tmp_path / 'plain.csv'
    expected.write_text(plain)
    for names in (None, ('a', 'b')):
        for field in ('stamps', 'q'):
            one, other = (getattr(read_samples(path, joint_names=names), field) for path in (tmp_path / 'm.csv', expected))
            np.testing.assert_array_equal(one, other)
    (tmp_path / 'm.csv').write_text('time,a,b,told\n0,0.0,0.1,"one, two"\n1,0.2,"0.3",""\n')
    np.testing.assert_array_equal(read_samples(tmp_path / 'm.csv', joint_names=('a', 'b')).q[:, 0], Q[:2])


@pytest.mark.parametrize('label', ['Time', 't', 'timestamp', 'TIME', 'time [s]'])
def test_a_clock_by_another_name_is_told_its_name(tmp_path, label):
    (tmp_path / 'm.csv').write_text(table(f'{label},a,b', [range(4), *Q.T]))
    with pytest.raises(InputError, match=f"no column time .*; rename '{re.escape(label)}' to time, where it holds seconds"):
        read_samples(tmp_path / 'm.csv')


@pytest.mark.parametrize('encoding', ['utf-16', 'utf-16-be', 'utf-16-le'])
def test_a_table_in_utf_16_is_called_so(tmp_path, encoding):
    (tmp_path / 'm.csv').write_bytes(table('time,a,b', [range(4), *Q.T]).encode(encoding))
    for read in (read_samples, read_waypoints):
        with pytest.raises(InputError, match='but in UTF-16; convert it: iconv'):
            read(tmp_path / 'm.csv')
