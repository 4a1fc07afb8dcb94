# SPDX-License-Identifier: Apache-2.0
"""make says in one sentence what keeps it from setting up and how to put that right; interrupted, it goes on later."""

import os
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
from http.server import HTTPServer
from http.server import SimpleHTTPRequestHandler

import checkout
import pytest

NO_INDEX = {
    'PIP_CONFIG_FILE': '/dev/null', 'PIP_INDEX_URL': 'http://127.0.0.1:9/simple', 'PIP_EXTRA_INDEX_URL': '',
    'PIP_FIND_LINKS': '', 'PIP_RETRIES': '0', 'PIP_NO_CACHE_DIR': '1'}


@pytest.fixture
def clone(tmp_path):
    return checkout.copy_to(tmp_path / 'clone')


def stand_in(path, script):
    """An interpreter that behaves as `script` says before or instead of handing over to the real one, $REAL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nREAL="{checkout.BASE_PYTHON}"\n{script}\n')
    path.chmod(0o755)
    return path


def make(clone, *arguments, **variables):
    """Run make with the base interpreter; return its exit code, its lines, and those of its errors that are ours."""
    environment = checkout.bare_environment(**variables)
    arguments = [argument for argument in arguments if argument]
    if not any(argument.startswith('PYTHON=') for argument in arguments):
        arguments.append(f'PYTHON={checkout.BASE_PYTHON}')
    done = subprocess.run(
        ['make', 'setup', *arguments], cwd=clone, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=900)
    ours = [line for line in done.stderr.splitlines() if line and '***' not in line]
    return done.returncode, done.stdout, ours


def distribution():
    return 'kilted' if os.path.basename(sys.prefix).endswith('kilted') else 'jazzy'


def path_with(folder, *tools):
    folder.mkdir()
    for tool in tools:
        (folder / tool).symlink_to(shutil.which(tool))
    return folder


def heed_interruptions():
    # A process started in the background of a script inherits SIGINT as ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def refusal(clone, *arguments, **variables):
    """The one sentence with which make refuses to begin."""
    code, told, errors = make(clone, *arguments, **variables)
    assert code != 0
    assert len(errors) == 1, errors
    assert not (clone / '.venv').exists()
    return errors[0]


def test_a_missing_compiler(clone, tmp_path):
    sentence = refusal(clone, PATH=path_with(tmp_path / 'bin', 'make', 'sh', 'env'), CC='', CXX='')
    assert 'No C compiler' in sentence
    assert 'sudo apt install build-essential' in sentence


def test_a_missing_cpp_compiler(clone, tmp_path):
    sentence = refusal(clone, PATH=path_with(tmp_path / 'bin', 'make', 'sh', 'env', 'gcc', 'as'), CC='gcc', CXX='')
    assert 'No C++ compiler' in sentence
    assert 'sudo apt install build-essential' in sentence


def test_a_compiler_that_does_not_work(clone):
    assert '/bin/false fails on an empty program' in refusal(clone, CC='/bin/false')


def test_pythons_missing_header(clone, tmp_path):
    (tmp_path / 'sitecustomize.py').write_text(
        'import sysconfig\nsysconfig.get_path = lambda *arguments, **options: "/nonexistent"\n')
    python = stand_in(tmp_path / 'python', f'PYTHONPATH="{tmp_path}" exec "$REAL" "$@"')
    assert 'sudo apt install python3-dev' in refusal(clone, f'PYTHON={python}')


def test_a_python_without_its_venv_module(clone, tmp_path):
    (tmp_path / 'ensurepip.py').write_text('raise ImportError("No module named ensurepip")\n')
    python = stand_in(tmp_path / 'python', f'PYTHONPATH="{tmp_path}" exec "$REAL" "$@"')
    assert 'sudo apt install python3-venv' in refusal(clone, f'PYTHON={python}')


def test_a_python_that_is_too_old(clone, tmp_path):
    python = stand_in(
        tmp_path / 'python',
        'if [ "$1" = -V ]; then echo Python 3.8.10; exit; fi\n'
        'if [ "$1" = -c ]; then exec "$REAL" -c "import sys; sys.version_info = (3, 8, 10, \'final\', 0); $2"; fi\n'
        'echo "nothing else may be run" >&2; exit 3')
    assert 'Python 3.8.10 is too old: install Python 3.10 or later' in refusal(clone, f'PYTHON={python}')


def test_a_python_that_is_not_there(clone):
    assert 'python9.9 was not found: install Python 3.10 or later' in refusal(clone, 'PYTHON=python9.9')


def test_an_unknown_distribution(clone):
    environment = checkout.bare_environment()
    done = subprocess.run(
        ['make', 'DISTRO=foxy'], cwd=clone, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode != 0
    assert "DISTRO is 'foxy', but must be jazzy, kilted or system" in done.stderr


def test_a_system_without_ros_is_told_to_source_one(clone):
    environment = {name: value for name, value in checkout.bare_environment().items() if name != 'AMENT_PREFIX_PATH'}
    done = subprocess.run(
        ['make', 'setup', 'DISTRO=system', f'PYTHON={checkout.BASE_PYTHON}'], cwd=clone, env=environment, capture_output=True, text=True,
        timeout=900)
    assert done.returncode and 'No ROS 2 is sourced: source it' in done.stderr and 'DISTRO=system again' in done.stderr


def test_a_path_with_a_space(tmp_path):
    sentence = refusal(checkout.copy_to(tmp_path / 'my robots'))
    assert 'my robots' in sentence
    assert 'move the repository' in sentence


def test_an_index_that_cannot_be_reached_and_the_next_run_that_goes_on_from_there(clone):
    code, told, errors = make(clone, **NO_INDEX)
    assert code != 0
    assert '-- virtual environment' in told
    assert len(errors) == 1
    assert 'could not be reached: check the network' in errors[0]
    code, told, errors = make(clone, **NO_INDEX)
    assert code != 0
    assert '-- virtual environment' not in told
    assert '-- pinned wheels' in told


@pytest.mark.skipif(not shutil.which('openssl'), reason='no openssl here')
def test_an_index_whose_certificate_is_not_trusted(clone, tmp_path):
    key, certificate = tmp_path / 'key.pem', tmp_path / 'certificate.pem'
    checkout.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext',
         'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate], tmp_path, None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with HTTPServer(('127.0.0.1', 0), SimpleHTTPRequestHandler) as index:
        index.socket = context.wrap_socket(index.socket, server_side=True)
        answers = threading.Thread(target=index.serve_forever)
        answers.start()
        try:
            code, _, errors = make(clone, **{**NO_INDEX, 'PIP_INDEX_URL': f'https://127.0.0.1:{index.server_port}/simple'})
        finally:
            index.shutdown()
            answers.join()
    assert code != 0
    sentence, = errors
    assert 'its certificate is not trusted here' in sentence
    assert 'PIP_CERT=' in sentence


def test_an_interruption_and_the_next_run_that_goes_on_from_there(clone):
    with socket.create_server(('127.0.0.1', 0)) as silent:
        silent.settimeout(300)
        address = f'http://127.0.0.1:{silent.getsockname()[1]}/simple'
        variables = {**NO_INDEX, 'PIP_INDEX_URL': address}
        with subprocess.Popen(
                ['make', 'setup', f'PYTHON={checkout.BASE_PYTHON}'], cwd=clone, stdin=subprocess.DEVNULL,
                env=checkout.bare_environment(**variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                start_new_session=True, preexec_fn=heed_interruptions) as process:
            try:
                connection, _ = silent.accept()
                os.killpg(process.pid, signal.SIGINT)
                told, errors = process.communicate(timeout=120)
                connection.close()
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode != 0
    assert 'interrupted; run make again to go on' in errors
    assert 'Traceback' not in errors
    code, told, errors = make(clone, **NO_INDEX)
    assert '-- virtual environment' not in told
    assert '-- pinned wheels' in told


def test_an_environment_that_was_moved_with_its_repository_is_made_anew(clone, tmp_path):
    (clone / '.venv' / '.setup').mkdir(parents=True)
    (clone / '.venv' / '.setup' / 'venv').write_text('made for another path')
    code, told, errors = make(clone, **NO_INDEX)
    assert '-- virtual environment' in told


def test_a_finished_set_up_is_checked_in_less_than_two_seconds_of_a_processor():
    command = ['make', 'setup', f'PYTHON={checkout.BASE_PYTHON}', f'DISTRO={distribution()}']
    checkout.run(command, checkout.ROOT, checkout.bare_environment())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    checkout.run(command, checkout.ROOT, checkout.bare_environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2


def test_a_sourced_ros_and_another_environment_do_not_leak_in(tmp_path):
    (tmp_path / 'pytest.py').write_text('raise SystemExit("this is the pytest of another environment")\n')
    foreign = {'PYTHONPATH': tmp_path, 'AMENT_PREFIX_PATH': '/opt/ros/other', 'RMW_IMPLEMENTATION': 'rmw_other_cpp'}
    (tmp_path / 'test_inside.py').write_text(
        'import os\n\n\ndef test_inside():\n'
        '    assert os.environ["AMENT_PREFIX_PATH"].endswith((".venv", ".venv-kilted"))\n'
        '    assert not {"PYTHONPATH", "RMW_IMPLEMENTATION"} & set(os.environ)\n')
    checkout.run(
        ['make', 'test', f'PYTHON={checkout.BASE_PYTHON}', f'DISTRO={distribution()}', f'ARGS={tmp_path}'],
        checkout.ROOT, checkout.bare_environment(**foreign))


def test_clean_removes_what_make_has_made_and_nothing_else(tmp_path):
    clone = checkout.copy_to(tmp_path / 'hod_ros')
    before = {path for path in clone.rglob('*')}
    for made in ('.venv/bin/python', '.venv-kilted/bin/python', 'build/x', 'hod_ros/kernel/_doorway.so',
                 'hod_ros/__pycache__/x.pyc'):
        (clone / made).parent.mkdir(parents=True, exist_ok=True)
        (clone / made).touch()
    checkout.run(['make', 'clean'], clone, checkout.bare_environment())
    assert {path for path in clone.rglob('*')} == before
