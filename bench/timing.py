# SPDX-License-Identifier: Apache-2.0
"""Times of several functions, taken in turns so that all see the same machine; and the table that shows them."""

from time import perf_counter


def nanoseconds(functions, *, rounds=30, seconds=0.004, clock=perf_counter):
    """{name: ns a call}: the best of `rounds` turns, each of some `seconds`, of every function in {name: function}."""
    loops = {name: _loops(function, seconds, clock) for name, function in functions.items()}
    best = dict.fromkeys(functions, float('inf'))
    for _ in range(rounds):
        for name, function in functions.items():
            best[name] = min(best[name], _run(function, loops[name], clock))
    return best


def _loops(function, seconds, clock):
    function()
    return max(1, int(seconds * 1e9 / max(_run(function, 3, clock), 1)))


def _run(function, loops, clock):
    repeat = range(loops)
    start = clock()
    for _ in repeat:
        function()
    return (clock() - start) * 1e9 / loops


class Table:
    """Rows of what, measured, against, ratio, bound; printed as they come."""

    def __init__(self, title):
        print(f'\n{title}\n{"what":58} {"measured":>12} {"against":>12} {"ratio":>8} {"bound":>8}', flush=True)
        self.rows = []

    def add(self, what, measured, against, bound=None, unit='ns', ratio=None, at_least=False):
        ratio = measured / against if ratio is None else ratio
        limit = f'{bound:8.2f}' if bound is not None else ' ' * 8
        met = bound is None or (ratio >= bound if at_least else ratio <= bound)
        verdict = '' if met else '  below' if at_least else '  above'
        print(f'{what:58} {measured:9.1f} {unit:2} {against:9.1f} {unit:2} {ratio:8.2f} {limit}{verdict}', flush=True)
        self.rows.append({'what': what, 'measured': measured, 'against': against, 'unit': unit, 'ratio': ratio, 'bound': bound})
