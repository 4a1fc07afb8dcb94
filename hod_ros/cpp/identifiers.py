# SPDX-License-Identifier: Apache-2.0
"""Names that C and C++ leave free for a robot."""

import re

TAKEN = frozenset('''
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch char
    char16_t char32_t char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit
    continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
    int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reflexpr register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch synchronized
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq
    hod main std
'''.split())


def is_free(name: object) -> bool:
    """Whether a name, and what begins with it and an underscore, is neither a keyword nor reserved."""
    return (isinstance(name, str) and re.fullmatch('[A-Za-z][A-Za-z0-9_]*', name) is not None
            and name not in TAKEN and '__' not in f'{name}_')
