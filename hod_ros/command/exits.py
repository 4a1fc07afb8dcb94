# SPDX-License-Identifier: Apache-2.0
"""Exit codes, and the exception that ends a command with one clear line."""

from importlib.util import find_spec

DONE = 0
NO = 1              # it ran, and the answer is no: a description with errors, a motion beyond its limits
USAGE = 2           # the command line itself is wrong
INPUT = 3           # a file, column, joint or value that was given is wrong
MISSING = 4         # a package that this needs is not installed
OUTPUT = 5          # the result could not be written
BUG = 70            # an error of hod_ros itself
HUNG_UP = 129       # by SIGHUP: its terminal closed
INTERRUPTED = 130   # by Ctrl-C
TERMINATED = 143    # by SIGTERM

MEANINGS = {
    DONE: 'done', NO: 'the answer is no', USAGE: 'wrong command line', INPUT: 'wrong input', MISSING: 'a package is missing',
    OUTPUT: 'the output could not be written', BUG: 'an error of hod_ros', HUNG_UP: 'SIGHUP',
    INTERRUPTED: 'Ctrl-C', TERMINATED: 'SIGTERM'}


class Failure(Exception):
    """Ends the command: one line on stderr, and an exit code."""

    def __init__(self, text: str, code: int = INPUT) -> None:
        super().__init__(text)
        self.code = code


class Terminated(BaseException):
    """SIGTERM came; an exception, so that what is half written is removed on the way out."""


class HungUp(BaseException):
    """SIGHUP came: likewise."""


def require(package: str, extra: str) -> None:
    """Ends the command where a package is not installed, before any work is done."""
    if find_spec(package) is None:
        raise Failure(f"this needs {package}, which is not installed: pip install {package}, or hod_ros with its extra '{extra}'", MISSING)
