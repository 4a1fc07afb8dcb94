"""Write requirements/<distribution>.txt: every wheel with its exact version, from requirements/<distribution>.in.

Usage: python tools/pin_requirements.py python3.10 python3.11 ...

Each interpreter resolves for itself. A version that differs between them gets a marker; interpreters newer than the
newest one given take that one's versions.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / 'requirements'


def resolve(interpreter, source):
    """Return (python version, {name: version}) as pip resolves `source` on `interpreter`."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([interpreter, '-m', 'venv', scratch], check=True)
        python = f'{scratch}/bin/python'
        subprocess.run([python, '-m', 'pip', 'install', '--quiet', '--upgrade', 'pip'], check=True)
        report = f'{scratch}/report.json'
        subprocess.run(
            [python, '-m', 'pip', 'install', '--quiet', '--dry-run', '--ignore-installed', '--report', report,
             '-r', source], check=True)
        version = subprocess.check_output(
            [python, '-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], text=True
        ).strip()
        metadata = [item['metadata'] for item in json.loads(Path(report).read_text())['install']]
        return version, {re.sub('[-_.]+', '-', m['name']).lower(): m['version'] for m in metadata}


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
    for source in sorted(REQUIREMENTS.glob('*.in')):
        if source.stem == 'tools':
            continue
        resolved = sorted(
            (resolve(interpreter, source) for interpreter in sys.argv[1:]),
            key=lambda item: tuple(map(int, item[0].split('.'))),
        )
        header = f'# Made from {source.name} by tools/pin_requirements.py: change that file and run it again.'
        source.with_suffix('.txt').write_text('\n'.join([header, *pin_lines(resolved)]) + '\n')


if __name__ == '__main__':
    main()
