"""The kernel's tests find nothing to complain of where memory and undefined behaviour are watched (AddressSanitizer, UBSan)."""

import shutil
import subprocess
import sys

import checkout
import pytest

WATCHED = '-DHOD_PORTABLE -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined'


@pytest.mark.skipif(not shutil.which('gcc') or sys.platform != 'linux', reason='gcc on Linux is needed')
def test_the_kernels_tests_pass_under_the_sanitizers(tmp_path):
    runtime = subprocess.run(['gcc', '-print-file-name=libasan.so'], capture_output=True, text=True, check=True).stdout.strip()
    clone = checkout.copy_to(tmp_path / 'hod_ros')
    build = checkout.bare_environment(
        CFLAGS=WATCHED, LDFLAGS='-fsanitize=address,undefined', HOD_ROS_BUILD_KERNEL='required', HOD_ROS_KERNEL_LENGTHS='1')
    checkout.run([checkout.PYTHON, 'setup.py', 'build_ext', '--inplace'], clone, build)
    run = checkout.bare_environment(
        LD_PRELOAD=runtime, ASAN_OPTIONS='detect_leaks=0', PYTHONPATH=str(clone), PYTHONMALLOC='malloc', HYPOTHESIS_MAX_EXAMPLES='5')
    checkout.run(
        [checkout.PYTHON, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', 'test/kernel/test_doorway.py',
         '-k', 'not ctrl_c and not change'],
        clone, run)
