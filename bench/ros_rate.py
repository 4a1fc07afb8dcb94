# SPDX-License-Identifier: Apache-2.0
"""The highest rate of setpoints at which none is lost: hod_node against a node that only copies.

Usage: python -m bench.ros_rate [--seconds 3] [--tries 3] [--joints 7]
"""

import argparse

from bench.ros_peers import SIDES
from bench.ros_peers import both_nodes
from bench.timing import Table

RATES = (1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000)       # [Hz]
ENOUGH = 4000           # [Hz] or half of the echo's rate, where that is lower


def measure(joints=7, seconds=3.0, tries=3):
    """{side: highest rate [Hz] of which most tries lost nothing}, and what each try lost."""
    result = {'joints': joints, 'seconds': seconds, 'tries': tries, 'runs': []}
    with both_nodes(joints) as (client, _):
        for side in SIDES:
            result[side] = 0
            for rate in RATES:
                runs = [client.stream(side, rate, seconds) for _ in range(tries)]
                lost = [missing for _, missing in runs]
                result['runs'].append({'side': side, 'rate': rate, 'lost': lost})
                if sum(missing == 0 for missing in lost) <= tries / 2:
                    break
                result[side] = rate
    return result


def run(**options):
    result = measure(**options)
    table = Table(
        f'Highest rate without loss, {result["joints"]} joints, in most of {result["tries"]} tries of {result["seconds"]:g} s; '
        'against an echo')
    table.add('rate (at least)', result['hod'], result['echo'], min(ENOUGH / result['echo'], 0.5), 'Hz', at_least=True)
    for entry in result['runs']:
        print(f'{entry["side"]} at {entry["rate"]} Hz: lost {entry["lost"]}')
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--joints', type=int, default=7)
    parser.add_argument('--seconds', type=float, default=3.0, help='of each try')
    parser.add_argument('--tries', type=int, default=3)
    run(**vars(parser.parse_args()))


if __name__ == '__main__':
    main()
