# SPDX-License-Identifier: Apache-2.0
"""The library where only what it requires is installed: every public name can be looked at, and says what it needs when it is used."""

import subprocess
import sys

WITHOUT = '''
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in ('sympy', 'mpmath', 'mujoco', 'scipy', 'matplotlib', 'rosbags', 'pyarrow', 'distributed'):
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)

sys.meta_path.insert(0, Absent())
'''


def run(program):
    return subprocess.run([sys.executable, '-c', WITHOUT + program], capture_output=True, text=True, timeout=900)


def test_help_star_import_and_inspection_work_without_the_extras():
    done = run('''
import inspect, pydoc
import hod_ros
from hod_ros import *
assert len(inspect.getmembers(hod_ros)) > 70
assert 'inverse_dynamics' in pydoc.render_doc(hod_ros)
''')
    assert done.returncode == 0, done.stderr


def test_what_needs_an_extra_says_so_when_it_is_used():
    done = run('''
import hod_ros
model = hod_ros.RobotModel.from_dh([0], [0], [0], [0], [hod_ros.link_inertia(1.0, (1.0, 0, 0))])
for call in (lambda: hod_ros.multiprecision(model), lambda: hod_ros.symbolic(model, 0)):
    try:
        call()
    except ImportError as error:
        print(error)
''')
    assert done.returncode == 0, done.stderr
    assert 'needs mpmath, which is not installed: pip install mpmath' in done.stdout
    assert 'needs sympy, which is not installed: pip install sympy' in done.stdout
