# SPDX-License-Identifier: Apache-2.0
"""`pip install .` gives the library without ROS, with its kernel or, where there is no compiler, without."""

import json
import tarfile

import checkout
import pytest

USE = '''
import json
import pathlib
import sys

import hod_ros
from hod_ros.kernel import compiled

text = (pathlib.Path(sys.prefix) / 'share/hod_ros/config/robots/panda.urdf').read_text()
model = hod_ros.RobotModel.from_urdf(text)
q = [[0.1 * (row + 1) * (-1) ** joint for joint in range(model.n)] for row in range(5)]
first = hod_ros.inverse_dynamics(model, q)
again = hod_ros.inverse_dynamics(model, q)
assert (first == again).all()
print(json.dumps({
    'from': hod_ros.__file__, 'compiled': compiled.available, 'ros': 'rclpy' in sys.modules, 'Q': first.tolist()}))
'''


@pytest.fixture(scope='module')
def expected():
    """What this environment's hod_ros answers, by its compiled kernel."""
    done = checkout.run([checkout.PYTHON, '-c', USE], checkout.ROOT, None)
    answer = json.loads(done.stdout)
    assert answer['compiled']
    return pytest.approx(sum(answer['Q'], []), rel=1e-12)


def install(folder, **variables):
    """pip install a copy of the repository below `folder`; return the interpreter it went to."""
    python = checkout.virtual_environment(folder / 'env')
    clone = checkout.copy_to(folder / 'hod_ros')
    checkout.run([python, '-m', 'pip', 'install', '.'], clone, checkout.bare_environment(**variables))
    return python


def use(python, folder, **variables):
    done = checkout.run([python, '-c', USE], folder, checkout.bare_environment(**variables))
    return json.loads(done.stdout), done.stderr


def test_pip_install_gives_the_library_with_its_kernel_and_without_ros(tmp_path, expected):
    python = install(tmp_path)
    answer, told = use(python, tmp_path)
    assert str(tmp_path) in answer['from']
    assert answer['compiled']
    assert not answer['ros']
    assert sum(answer['Q'], []) == expected
    assert told == ''
    node = checkout.run([python.parent / 'hod_node'], tmp_path, checkout.bare_environment(), code=1)
    assert len(node.stderr.strip().splitlines()) == 1
    assert 'setup.bash' in node.stderr


def test_pip_install_without_a_compiler_uses_the_numpy_reference_and_says_so_once(tmp_path, expected):
    python = install(tmp_path, CC='/bin/false', CXX='/bin/false')
    answer, told = use(python, tmp_path)
    assert not answer['compiled']
    assert sum(answer['Q'], []) == expected
    assert told.count('numpy reference') == 1


def test_building_where_no_compiler_is_on_the_path_says_what_is_used_instead(tmp_path):
    clone = checkout.copy_to(tmp_path / 'hod_ros')
    environment = checkout.bare_environment(PATH='/nonexistent')
    environment.pop('CC', None)
    done = checkout.run([checkout.PYTHON, 'setup.py', 'build'], clone, environment)
    assert done.stdout.count('the slower numpy reference is used instead') == 1
    assert not list(clone.rglob('*.so'))


def test_a_source_distribution_has_every_file_of_a_clone(tmp_path):
    clone = checkout.copy_to(tmp_path / 'hod_ros')
    files = {str(path.relative_to(clone)) for path in clone.rglob('*') if not path.is_dir()}
    checkout.run([checkout.PYTHON, 'setup.py', 'sdist'], clone, checkout.bare_environment())
    archive, = (clone / 'dist').glob('*.tar.gz')
    with tarfile.open(archive) as opened:
        packed = {name.partition('/')[2] for name in opened.getnames()}
    assert {name for name in files - packed if not name.startswith(('.', 'docs/_build', 'docs/python'))} == set()
