# SPDX-License-Identifier: Apache-2.0
"""The installed `hod` as a process."""

import json
import subprocess
import sys
from pathlib import Path

HOD = Path(sys.prefix) / 'bin' / 'hod'
ROOT = Path(__file__).parents[2]


def hod(*words, code=0, cwd=None, stdin='', **options):
    """Runs `hod` and returns what it printed; fails where its exit code is not `code`."""
    done = subprocess.run(
        [str(HOD), *map(str, words)], cwd=cwd or ROOT, input=stdin, capture_output=True, text=True, timeout=900, **options)
    assert done.returncode == code, f'hod {words} gave {done.returncode}:\n{done.stdout}\n{done.stderr}'
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
