# SPDX-License-Identifier: Apache-2.0
"""The entry of `hod`: a signal ends it without a traceback, also while it starts and while it ends."""

import sys

from hod_ros.command.signals import leave_at_a_signal


def main() -> int:
    leave_at_a_signal()
    from hod_ros.command.command_line import run
    return run(sys.argv[1:])


if __name__ == '__main__':
    sys.exit(main())
