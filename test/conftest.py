# SPDX-License-Identifier: Apache-2.0
import signal
import sys
from pathlib import Path

import pytest

from hod_ros.kernel import compiled

sys.path.insert(0, str(Path(__file__).parent / 'helpers'))

# A shell that starts the tests in the background has them, and all that they start, ignore Ctrl-C, and nohup a terminal that closes.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(params=compiled.instruction_sets())
def instruction_set(request):
    """Each instruction set of this machine's processor, the kernel's for a test."""
    before = compiled.instruction_set()
    compiled.use_instruction_set(request.param)
    yield request.param
    compiled.use_instruction_set(before)
