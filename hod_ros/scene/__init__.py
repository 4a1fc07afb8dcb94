# SPDX-License-Identifier: Apache-2.0
"""The robot in a browser, by viser (extra `view`), offline: its shapes, moved by our own kinematics, coloured by what its joints bear."""
