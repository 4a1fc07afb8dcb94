# SPDX-License-Identifier: Apache-2.0
"""The installed `hod` as a process."""

import json
import os
import subprocess
import sys
from pathlib import Path

HOD = Path(sys.prefix) / 'bin' / 'hod'
ROOT = Path(__file__).parents[2]


def hod(*words, code=0, cwd=None, stdin='', **options):
    """Runs `hod` and returns what it printed; fails where its exit code is not `code`, if that is given."""
    done = subprocess.run(
        [str(HOD), *map(str, words)], cwd=cwd or ROOT, input=stdin, capture_output=True, text=True, timeout=900, **options)
    assert code is None or done.returncode == code, f'hod {words} gave {done.returncode}:\n{done.stdout}\n{done.stderr}'
    return done


def report(*words, **options):
    """The JSON document that a command prints."""
    return json.loads(hod(*words, '--json', **options).stdout)


def refusal(*words, code, **options):
    """The one line with which a command ends, which prints nothing else."""
    done = hod(*words, code=code, **options)
    assert done.stdout == ''
    line, = done.stderr.splitlines()
    return line


STARTED = """
import sys
def say(event, arguments):
    if event == 'import' and arguments[0] == 'hod_ros.command.command_line':
        sys.stderr.write('started\\n')
        sys.stderr.flush()
sys.addaudithook(say)
"""


def started(*words, folder, **options):
    """A process of `hod` in a folder, begun so far that what comes next is its own: before, Python itself starts."""
    (folder / 'sitecustomize.py').write_text(STARTED)
    process = subprocess.Popen(
        [str(HOD), *map(str, words)], cwd=folder, env={**os.environ, 'PYTHONPATH': str(folder)}, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, **options)
    assert process.stderr.readline() == 'started\n'
    return process
