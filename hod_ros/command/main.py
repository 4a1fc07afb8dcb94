# SPDX-License-Identifier: Apache-2.0
"""The entry of `hod`: every way to end has one line and an exit code."""

import os
import signal
import sys

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.exits import Terminated
from hod_ros.command.parser import parser_of
from hod_ros.command.table import TABLE
from hod_ros.errors import HodError


def main() -> int:
    words = sys.argv[1:]
    first = next((word for word in words if not word.startswith('-')), '')
    options = None
    try:
        signal.signal(signal.SIGTERM, _terminate)
        parser = parser_of(first if first in TABLE else '')
        options = parser.parse_args(words)
        if options.version:
            from hod_ros import __version__
            print(f'hod_ros {__version__}')
            code = exits.DONE
        elif options.command is None:
            parser.print_help()
            code = exits.USAGE
        else:
            code = options.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:         # `hod ... | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.DONE
    except KeyboardInterrupt:
        return _ended('interrupted; nothing was left half written', options, exits.INTERRUPTED)
    except Terminated:
        return _ended('ended by SIGTERM; nothing was left half written', options, exits.TERMINATED)
    except Failure as failure:
        return _ended(failure, options, failure.code)
    except HodError as error:
        return _ended(error, options, exits.INPUT)
    except ImportError as error:
        return _ended(error, options, exits.MISSING)
    except OSError as error:
        if error.errno is None:         # a worker's, which says it all
            return _ended(error, options, exits.OUTPUT)
        name = f' {error.filename!r}' if error.filename else ''
        return _ended(f'the output{name} could not be written: {error.strerror or error}', options, exits.OUTPUT)
    except Exception:
        import traceback
        traceback.print_exc()
        return _ended('this is an error of hod_ros itself; please report it with the lines above', options, exits.BUG)


def _ended(reason, options, code):
    command = f' {options.command}' if options is not None and options.command else ''
    try:
        print(f'hod{command}: {" ".join(str(reason).split())}', file=sys.stderr, flush=True)
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())      # else the interpreter complains again at its end
    return code


def _terminate(*_):
    raise Terminated


if __name__ == '__main__':
    sys.exit(main())
