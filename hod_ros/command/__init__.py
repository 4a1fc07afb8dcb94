# SPDX-License-Identifier: Apache-2.0
"""The command `hod`: a face for terminals and scripts. One file a subcommand, listed in table.py; numpy is imported only when one runs."""
