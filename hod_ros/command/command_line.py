# SPDX-License-Identifier: Apache-2.0
"""A command line, run: every way to end has one line and an exit code."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.exits import HungUp
from hod_ros.command.exits import Terminated
from hod_ros.command.parser import parser_of
from hod_ros.command.reports import print_json
from hod_ros.command.signals import leave_at_a_signal
from hod_ros.command.signals import raise_at_a_signal
from hod_ros.command.table import TABLE
from hod_ros.errors import HodError


def run(words: Sequence[str]) -> int:
    """The exit code."""
    first = next((word for word in words if not word.startswith('-')), '')
    command = first if first in TABLE else ''
    for stream in ('stdout', 'stderr'):
        if getattr(sys, stream) is None:            # closed, as `>&-` does
            setattr(sys, stream, open(os.devnull, 'w'))
        if hasattr(getattr(sys, stream), 'reconfigure'):        # names of files need not fit a terminal's encoding
            getattr(sys, stream).reconfigure(errors='backslashreplace')
    json = '--json' in words
    try:
        raise_at_a_signal()
        try:
            return _done(words, command, json)
        finally:
            leave_at_a_signal()         # within what catches, so that there is no moment between the two
    except KeyboardInterrupt:
        return _ended('interrupted; nothing was left half written', command, exits.INTERRUPTED, json)
    except HungUp:
        return _ended('ended by SIGHUP; nothing was left half written', command, exits.HUNG_UP, json)
    except Terminated:
        return _ended('ended by SIGTERM; nothing was left half written', command, exits.TERMINATED, json)


def _done(words, command, json):
    try:
        parser = parser_of(command)
        options = parser.parse_args(words)
        if options.version:
            from hod_ros import __version__
            print(f'hod_ros {__version__}')
            code = exits.DONE
        elif options.command is None:
            parser.print_help()
            code = exits.USAGE
        else:
            _refuse_standard_input(options)
            with _warnings_in_a_line(command):
                code = options.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:         # `hod ... | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.DONE
    except Failure as failure:
        return _ended(failure, command, failure.code, json)
    except HodError as error:
        return _ended(error, command, exits.INPUT, json)
    except ImportError as error:
        return _ended(error, command, exits.MISSING, json)
    except OSError as error:
        if error.errno is None:         # a worker's, which says it all
            return _ended(error, command, exits.OUTPUT, json)
        name = f' {error.filename!r}' if error.filename else ''
        return _ended(f'the output{name} could not be written: {error.strerror or error}', command, exits.OUTPUT, json)
    except Exception:
        import traceback
        traceback.print_exc()
        return _ended('this is an error of hod_ros itself; please report it with the lines above', command, exits.BUG, json)


def _refuse_standard_input(options: argparse.Namespace) -> None:
    for value in vars(options).values():
        if Path('-') in (value if isinstance(value, list) else [value]):
            raise Failure("'-' stands where a file belongs; name a file: only ROBOT is read from standard input", exits.USAGE)


class _warnings_in_a_line:
    """What the library warns of is told once, without a place in its code."""

    def __init__(self, command):
        self._command, self._told = command, set()

    def __enter__(self):
        import warnings
        self._kept = warnings.showwarning
        warnings.showwarning = self._show

    def __exit__(self, *_):
        import warnings
        warnings.showwarning = self._kept

    def _show(self, message, *_):
        text = ' '.join(str(message).split())
        if text not in self._told:
            self._told.add(text)
            print(f'hod {self._command}: warning: {text}', file=sys.stderr, flush=True)


def _ended(reason, command, code, json):
    leave_at_a_signal()            # this line is the only one
    try:
        text = ' '.join(str(reason).split())
        print(f'{f"hod {command}".strip()}: {text}', file=sys.stderr, flush=True)
        if json:
            print_json({'error': text})
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())      # else the interpreter complains again at its end
    return code
