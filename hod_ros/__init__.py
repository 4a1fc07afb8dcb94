# SPDX-License-Identifier: Apache-2.0
"""Higher-order inverse dynamics: joint torques and their time derivatives of any order, from a URDF."""

import os
from importlib import import_module
from importlib.util import find_spec

# The public names stand in __init__.pyi, one import a line, where static tools see them too. Their modules, and numpy, are imported
# when a name is first used: the node has its signal handlers in place before that.
with open(os.path.join(os.path.dirname(__file__), '__init__.pyi'), encoding='utf-8') as stub:
    _LAZY = {words[3]: words[1] for words in map(str.split, stub) if words[:1] == ['from']}

__version__ = '0.1.0'
__all__ = sorted(_LAZY)

if find_spec('hod_ros.kernel._doorway') is None:
    import_module('hod_ros.kernel.compiled')        # which says what is missing


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*__all__, '__version__'])
