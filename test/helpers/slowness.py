# SPDX-License-Identifier: Apache-2.0
"""How much longer things take on this machine now than on an idle one, by which bounds on times are stretched."""

import time

WORK = 0.1      # [s] of a processor


def slowness():
    """Times by which the clock outruns the processor time of a process that only computes; 1 on an idle machine."""
    began, end = time.monotonic(), time.process_time() + WORK
    while time.process_time() < end:
        pass
    return max((time.monotonic() - began) / WORK, 1.0)
