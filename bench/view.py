# SPDX-License-Identifier: Apache-2.0
"""`hod view --live` in a browser while the node answers 1 kHz: its updates, its share of a processor, and whether setpoints are lost.

Usage: python -m bench.view [--seconds 10]
"""

import argparse
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import browser

from bench.ros_peers import both_nodes
from bench.ros_peers import cpu_seconds
from bench.timing import Table

HOD = Path(sys.prefix) / 'bin' / 'hod'
UPDATES = 30.0          # [Hz]
SHARE = 0.10            # of a processor
RATE = 1000.0           # [Hz] of setpoints
WARM_UP = 3.0           # [s] of streaming before anything counts


def measure(seconds=10.0):
    """Updates a second, the view's share of a processor (its own and its feed's), setpoints lost alone and with it."""
    with both_nodes(7) as (client, _):
        _, alone = client.stream('hod', RATE, seconds)
        view = subprocess.Popen([HOD, 'view', 'panda', '--live', '/hod/hod', '--port', '0'], stdout=subprocess.PIPE, text=True)
        try:
            url = view.stdout.readline().split()[0]
            with browser.page(url, (640, 480)):
                client.stream('hod', RATE, WARM_UP)
                begin, before = time.perf_counter(), _processor(view.pid)
                _, lost = client.stream('hod', RATE, seconds)
                share = (_processor(view.pid) - before) / (time.perf_counter() - begin)
        finally:
            view.send_signal(signal.SIGINT)
            told, _ = view.communicate(timeout=60)
    updates, watched = map(float, re.search(r'(\d+) updates in ([\d.]+) s', told).groups())
    return {'seconds': seconds, 'updates_per_s': updates / watched, 'share': share, 'lost': lost, 'lost_alone': alone}


def _processor(pid):
    """[s] of a process and of those that it started."""
    children = Path(f'/proc/{pid}/task/{pid}/children').read_text().split()
    return sum(map(cpu_seconds, [pid, *children]))


def run(**options):
    if browser.CHROMIUM is None:
        print('\nhod view --live is not measured: it needs Chromium')
        return {}
    result = measure(**options)
    table = Table(f'hod view --live in a browser, the node at {RATE:g} Hz for {result["seconds"]:g} s, 7 joints')
    table.add('updates a second; against what is promised', result['updates_per_s'], UPDATES, 0.95, 'Hz', at_least=True)
    table.add('share of a processor; against what is promised', 100 * result['share'], 100 * SHARE, 1.0, '%')
    lost, alone = result['lost'], result['lost_alone']      # counts only where the stream alone loses none: on a machine with time to spare
    table.add('lost setpoints; against those of the stream alone', lost, alone, None if alone else 0.0, '', ratio=lost / max(alone, 1))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=10.0)
    run(**vars(parser.parse_args()))


if __name__ == '__main__':
    main()
