# SPDX-License-Identifier: Apache-2.0
"""`hod` as a whole: help, exit codes, completion, what it prints where, and its page."""

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from running import HOD
from running import ROOT
from running import hod
from running import refusal
from running import started

from hod_ros.command.table import TABLE

pytestmark = pytest.mark.telling

IMPORTED = """
import sys
from hod_ros.command.main import main
sys.argv = ['hod', *{words}]
try:
    main()
finally:
    print(*sys.modules)
"""


@pytest.mark.parametrize('words', [['--help'], *([name, '--help'] for name in TABLE)], ids=' '.join)
def test_help_imports_no_numpy_and_teaches_by_example(words):
    done = subprocess.run([sys.executable, '-c', IMPORTED.format(words=words)], capture_output=True, text=True, timeout=900)
    loaded = done.stdout.splitlines()[-1].split()
    assert 'hod_ros.command.main' in loaded
    assert not {'numpy', 'scipy', 'lxml', 'yaml', 'rclpy'} & set(loaded)
    assert '  hod ' in done.stdout


def test_every_command_stands_in_the_help_and_on_the_page():
    told, page = hod('--help').stdout, (ROOT / 'docs' / 'command.md').read_text()
    for name, (_, summary) in TABLE.items():
        assert summary.split()[0] in told and re.search(rf'^ +{name}\b', told, re.MULTILINE)
        assert f'hod {name}' in page


def test_no_command_and_an_unknown_one_are_wrong_command_lines():
    assert 'commands:' in hod(code=2).stdout
    assert 'no_such' in hod('no_such', code=2).stderr


def test_an_option_that_a_command_does_not_have_is_refused_with_that_commands_usage():
    told = hod('info', 'panda', '--no-such', code=2).stderr
    assert told.startswith('usage: hod info') and told.splitlines()[-1] == 'hod info: error: unrecognized arguments: --no-such'


def test_the_version_is_the_packages():
    from hod_ros import __version__
    assert hod('--version').stdout == f'hod_ros {__version__}\n'


@pytest.mark.parametrize('robot, said', [
    ('/no/such.urdf', "no file '/no/such.urdf'"), ('pandas', "no file 'pandas'"), ('/', 'is a folder'), ('-', 'standard input')])
def test_a_robot_that_is_none_is_one_line(robot, said):
    assert said in refusal('info', robot, code=3)


@pytest.mark.parametrize('words, code, said', [
    (['--lock', 'panda_joint1'], 2, '--lock JOINT=VALUE'), (['--gravity', '1,2'], 2, '3 numbers'),
    (['--joints', 'panda_joint1,hip'], 3, "'hip'")])
def test_a_wrong_option_is_one_line(words, code, said):
    assert said in refusal('info', 'panda', *words, code=code)


@pytest.mark.parametrize('command', [
    'plot panda m.csv -o m.svg', 'retime panda m.csv -o t.csv', 'compute panda m.csv --interpolate -o Q.csv'])
def test_every_command_names_its_output_by_the_same_letter(tmp_path, command):
    joints = [f'panda_joint{j}' for j in range(1, 8)]
    rows = [[time, *[0.1 * time] * 3, 0.1 * time - 2, *[0.1 * time] * 3] for time in (0.0, 1.0, 2.0)]
    (tmp_path / 'm.csv').write_text('\n'.join(','.join(map(str, row)) for row in [['time', *joints], *rows]))
    hod(*command.split(), cwd=tmp_path)
    assert (tmp_path / command.split()[-1]).stat().st_size > 0


@pytest.mark.parametrize(('robot', 'code', 'told'), [('panda', 0, 0), ('nowhere', 3, 1)])
@pytest.mark.parametrize('closed', ['>&-', '2>&-', '>&- 2>&-'])
def test_closed_outputs_change_no_exit_code(robot, code, told, closed):
    done = subprocess.run(f'exec "{HOD}" info {robot} {closed}', shell=True, capture_output=True, text=True, timeout=900)
    assert (done.returncode, len(done.stderr.splitlines())) == (code, 0 if '2>' in closed else told)
    assert bool(done.stdout) == (closed == '2>&-' and code == 0)


def test_a_full_disk_is_one_line():
    with open('/dev/full', 'w') as full:
        done = subprocess.run([HOD, 'info', 'panda'], stdout=full, stderr=subprocess.PIPE, text=True, timeout=900)
    assert done.returncode == 5
    assert done.stderr == 'hod info: the output could not be written: No space left on device\n'


def test_a_reader_that_has_seen_enough_is_no_error():
    done = subprocess.run(
        ['bash', '-c', f'set -o pipefail; {shlex.quote(str(HOD))} info panda | head -c 1'], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, '')


@pytest.mark.parametrize('number, code, said', [(signal.SIGINT, 130, 'interrupted'), (signal.SIGTERM, 143, 'SIGTERM')])
def test_a_signal_ends_it_with_one_line(number, code, said):
    process = subprocess.Popen([HOD, 'info', '-'], stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    while not Path(f'/proc/{process.pid}/syscall').read_text().startswith('0 0x0 '):        # read(0, ...): it waits for standard input
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(number)
    out, told = process.communicate(timeout=300)
    assert process.returncode == code
    assert (out, len(told.splitlines())) == ('', 1) and said in told


@pytest.mark.slow
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('words', ['info panda', 'evaluate panda missing.csv', '--help', 'compute --help'])
def test_a_signal_at_any_moment_of_a_start_ends_it_with_one_line_or_none(tmp_path, number, words):
    rng = np.random.default_rng(len(words) + number)
    for wait in rng.uniform(0, 0.3, 12):
        process = started(*words.split(), folder=tmp_path)
        time.sleep(wait)
        process.send_signal(number)
        _, told = process.communicate(timeout=300)
        assert process.returncode in (128 + number, -number, 0, 3)      # of Python's own end; done before
        assert len(told.splitlines()) <= 1 and 'Traceback' not in told


# hod, to which SIGTERM comes as it is about to leave.
AT_THE_END = """
import os, signal, sys
from hod_ros.command import signals
leave, calls = signals.leave_at_a_signal, []
def late():
    calls.append(None)
    if len(calls) == 2:
        os.kill(os.getpid(), signal.SIGTERM)
    leave()
signals.leave_at_a_signal = late
from hod_ros.command.main import main
sys.exit(main())
"""


def test_a_signal_in_the_moment_of_leaving_is_one_line():
    done = subprocess.run([sys.executable, '-c', AT_THE_END, '--help'], capture_output=True, text=True, timeout=300)
    assert (done.returncode, len(done.stderr.splitlines())) == (143, 1), done.stderr


def test_colours_are_for_terminals_only():
    assert '\033' not in hod('info', 'panda').stdout
    assert b'\033[1m' in on_a_terminal()
    assert b'\033' not in on_a_terminal(NO_COLOR='1')


def on_a_terminal(**variables):
    """What `hod info panda` writes to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([HOD, 'info', 'panda'], stdout=theirs, env={**os.environ, 'TERM': 'xterm', **variables})
    os.close(theirs)
    seen = b''
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:         # Linux: the other end is closed
        pass
    finally:
        os.close(ours)
    assert process.wait(60) == 0
    return seen


def test_bash_completes_commands_and_options(tmp_path):
    pytest.importorskip('shtab')
    script = tmp_path / 'hod.bash'
    script.write_text(hod('completion', 'bash').stdout)
    ask = (f'source {script}; complete_hod() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_hod; echo "${{COMPREPLY[@]}}"; }}; '
           'complete_hod hod ch; complete_hod hod info --js')
    done = subprocess.run(['bash', '-c', ask], capture_output=True, text=True, timeout=900)
    assert done.stdout.split() == ['check', '--json'], done.stdout + done.stderr
