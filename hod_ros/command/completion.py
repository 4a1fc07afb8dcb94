# SPDX-License-Identifier: Apache-2.0
"""`hod completion`: scripts that complete this command in a shell."""

import argparse

from hod_ros.command import exits
from hod_ros.command.exits import require

DESCRIPTION = 'Prints a script that completes this command in a shell: subcommands, options, files.'
EXAMPLES = """\
examples:
  hod completion bash > ~/.local/share/bash-completion/completions/hod
  hod completion zsh > "${fpath[1]}/_hod"
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('shell', choices=('bash', 'zsh', 'tcsh'))


def run(options: argparse.Namespace) -> int:
    require('shtab', 'completion')
    import shtab

    from hod_ros.command.parser import parser_of
    print(shtab.complete(parser_of(), options.shell))
    return exits.DONE
