# SPDX-License-Identifier: Apache-2.0
"""Write requirements/<distribution>.txt: every wheel with its exact version, from requirements/<distribution>.in.

Usage: python tools/pin_requirements.py [--upgrade]

`uv` (on PyPI) resolves for every Python that is supported, without having it. A version that differs between them gets
a marker; newer interpreters take the newest one's versions. What is pinned already stays unless --upgrade is given.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / 'requirements'
PYTHONS = ('3.10', '3.11', '3.12', '3.13', '3.14')


def resolve(python, source, kept):
    """{name: version} as uv resolves `source` for a Python; kept: a file of versions that stay, or None."""
    keep = [] if kept is None else ['--constraints', kept]
    told = subprocess.check_output(
        ['uv', 'pip', 'compile', '--quiet', '--no-header', '--no-annotate', '--no-strip-extras', '--python-version', python,
         '--python-platform', 'x86_64-manylinux_2_28', *keep, source], text=True)
    pins = re.findall(r'^([\w.-]+)(?:\[[^]]*\])?==(\S+)', told, re.MULTILINE)
    return {re.sub('[-_.]+', '-', name).lower(): version for name, version in pins}


def marker(versions, wanted):
    """Return the environment marker that selects the neighbouring `wanted` out of all sorted `versions`."""
    first, last = versions.index(wanted[0]), versions.index(wanted[-1])
    bounds = []
    if first > 0:
        bounds.append(f"python_version >= '{wanted[0]}'")
    if last < len(versions) - 1:
        bounds.append(f"python_version < '{versions[last + 1]}'")
    return ' and '.join(bounds)


def pin_lines(resolved):
    """Return the lines of a requirements file from [(python version, {name: version})], oldest Python first."""
    versions = [version for version, _ in resolved]
    for name in sorted({name for _, pins in resolved for name in pins}):
        runs = []
        for version, pins in resolved:
            pin = pins.get(name)
            if runs and runs[-1][0] == pin:
                runs[-1][1].append(version)
            else:
                runs.append((pin, [version]))
        for pin, wanted in runs:
            if pin is not None:
                condition = marker(versions, wanted)
                yield f'{name}=={pin}' + (f' ; {condition}' if condition else '')


def main():
    upgrade = '--upgrade' in sys.argv
    for source in sorted(REQUIREMENTS.glob('*.in')):
        if source.stem == 'tools':
            continue
        target = source.with_suffix('.txt')
        with tempfile.TemporaryDirectory() as scratch:
            kept = None
            if target.exists() and not upgrade:
                kept = Path(scratch) / 'kept.txt'
                kept.write_text(target.read_text())
            resolved = [(python, resolve(python, source, kept)) for python in PYTHONS]
        header = f'# Made from {source.name} by tools/pin_requirements.py: change that file and run it again.'
        target.write_text('\n'.join([header, *pin_lines(resolved)]) + '\n')


if __name__ == '__main__':
    main()
