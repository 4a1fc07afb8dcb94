# SPDX-License-Identifier: Apache-2.0
"""Folders of recordings: one output a file, by processes or on a Dask cluster; what was done before is not done again.

Every output is written whole or not at all, so that those which are there are done. A file `_made_by_hod.json` beside them says by which
robot and options they were made; others are refused there. A job is a pure function of a file, the robot and the options, with one kernel
thread: its output does not depend on who computes it.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from typing import NamedTuple

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.exits import require
from hod_ros.command.progress import Progress
from hod_ros.command.reports import print_json

if TYPE_CHECKING:
    from hod_ros.command.robots import Source
    from hod_ros.model.robot_model import RobotModel

RECORDINGS = ('.csv', '.npz', '.parquet', '.mcap', '.db3')
_TRIES = 3                      # of a job whose worker was killed
MANIFEST = '_made_by_hod.json'
# Options of a run, which change nothing of its results.
_OWN = ('robot', 'motion', 'output', 'jobs', 'scheduler', 'json', 'run', 'command', 'version', 'again', 'format')
_THREADS = ('HOD_ROS_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS')


class Job(NamedTuple):
    module: str                 # whose one(options, source, model, motion, output) does it
    source: 'Source'            # of the robot
    options: argparse.Namespace
    motion: Path
    output: Path


def add_folders(parser: argparse.ArgumentParser, formats: list[str]) -> None:
    """The arguments of work on folders."""
    group = parser.add_argument_group('folders of recordings')
    group.add_argument('--jobs', metavar='N', type=int, default=1, help='processes, each with one thread of the kernel; 1 by default')
    group.add_argument('--scheduler', metavar='ADDRESS', help='of a Dask cluster whose workers have hod_ros and see the same folders')
    group.add_argument('--again', action='store_true', help='compute what is there already anew')
    group.add_argument(
        '--format', choices=formats, default=formats[0],
        help=f'of the outputs; {formats[0]} by default' if len(formats) > 1 else argparse.SUPPRESS)


def work_through(options: argparse.Namespace, source: 'Source', model: 'RobotModel', module: str, kinds: tuple[str, ...]) -> int:
    """Does all recordings of a folder that are not done; exit code INPUT where some could not be."""
    from hod_ros.recordings.whole_files import remove_parts
    if options.jobs < 1:
        raise Failure(f'--jobs is {options.jobs}; give 1 or more', exits.USAGE)
    if options.output is None:
        raise Failure(f'{str(options.motion)!r} is a folder; name another for what it gives: -o FOLDER', exits.USAGE)
    motions = sorted(recordings(options.motion, kinds))
    if not motions:
        raise Failure(f'{str(options.motion)!r} holds no files {", ".join(kinds)}')
    outputs = [(options.output / motion.relative_to(options.motion)).with_suffix(f'.{options.format}') for motion in motions]
    twice = {output for output in outputs if outputs.count(output) > 1} if len(set(outputs)) < len(outputs) else set()
    if twice:
        raise Failure(f'several recordings of {str(options.motion)!r} would become {str(min(twice))!r}; give them names of their own')
    _check_manifest(options, model, module)
    for folder in {output.parent for output in outputs}:
        folder.mkdir(parents=True, exist_ok=True)
        remove_parts(folder)
    left = [
        Job(module, source, options, motion.resolve(), output.resolve())
        for motion, output in zip(motions, outputs, strict=True) if options.again or not output.exists()]
    failures = {}
    with Progress(len(motions), 'recordings') as progress:
        done = len(motions) - len(left)
        for job, error in _results(options, left):
            done += 1
            progress(done)
            if error is not None:
                failures[str(job.motion)] = error
    for folder in {output.parent for output in outputs}:
        remove_parts(folder)
    for name, error in sorted(failures.items()):
        print(f'hod {options.command}: {name}: {error}', file=sys.stderr)
    counted = {'recordings': len(motions), 'done': len(left) - len(failures), 'done_before': len(motions) - len(left), 'failed': failures}
    if options.json:
        print_json(counted)
    else:
        before = f', {counted["done_before"]} done before' if counted['done_before'] else ''
        failed = f', {len(failures)} failed' if failures else ''
        print(f'{options.output}: {counted["done"]} of {len(motions)} recordings{before}{failed}')
    return exits.INPUT if failures else exits.DONE


def recordings(folder: Path, kinds: tuple[str, ...] = RECORDINGS) -> Iterator[Path]:
    """The recordings below a folder: files of some kinds, and bags that are folders."""
    for path in folder.iterdir():
        if path.name.startswith('.'):
            continue
        if path.is_dir():
            if '.mcap' in kinds and (path / 'metadata.yaml').is_file():
                yield path
            else:
                yield from recordings(path, kinds)
        elif path.suffix in kinds:
            yield path


def do(job: Job) -> str | None:
    """Does a job wherever it is called; returns why it could not be done, or None."""
    from hod_ros.errors import HodError
    try:
        import_module(job.module).one(job.options, job.source, _model(job), job.motion, job.output)
    except Failure as failure:
        if failure.code == exits.OUTPUT:
            raise OSError(str(failure)) from None
        return str(failure)
    except (HodError, ImportError) as error:
        return ' '.join(str(error).split())
    return None


_models: dict[tuple, 'RobotModel'] = {}


def _model(job):
    """The robot of a job, made once in a process."""
    from hod_ros.command.robots import robot_options
    from hod_ros.model.robot_model import RobotModel
    own = job.options
    key = (job.source.text, own.joints, tuple(own.lock), own.gravity, own.free_base)
    if key not in _models:
        _models[key] = RobotModel.from_urdf(job.source.text, **robot_options(own))
    return _models[key]


def _check_manifest(options, model, module):
    """What is in the output's folder must have been made alike."""
    told = {name: str(value) for name, value in sorted(vars(options).items()) if name not in _OWN and not callable(value)}
    made = {'made by': module.rpartition('.')[2], 'robot': model.name, 'hash': model.hash, 'options': told}
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / MANIFEST
    try:
        before = json.loads(path.read_text())
    except (OSError, ValueError):
        before = None
    if before not in (None, made) and not options.again:
        raise Failure(f'{str(options.output)!r} holds what another robot or other options gave (see {MANIFEST}); name another folder, or '
                      'give --again')
    if before != made:
        from hod_ros.command.whole_files import whole_file
        with whole_file(path) as file:
            file.write((json.dumps(made, indent=1) + '\n').encode())


def _results(options, jobs):
    """(job, why it failed or None) of each job, as they end."""
    if options.scheduler:
        return _on_cluster(options, jobs)
    if options.jobs == 1 or len(jobs) < 2:
        return ((job, do(job)) for job in jobs)
    return _in_processes(options.jobs, jobs)


def _in_processes(count, jobs):
    """A killed worker breaks its pool: what was not done yet goes to a new one."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children
    from multiprocessing import get_context
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, '1'))         # of the workers, which are new interpreters
    left, tries = list(jobs), 0
    try:
        while left:
            with ProcessPoolExecutor(min(count, len(left)), get_context('spawn'), _start_worker) as pool:
                done = 0
                try:
                    futures = {}
                    with _signals_held_back(), suppress(BrokenProcessPool):         # which may be before the last job is in
                        for job in left:
                            futures[pool.submit(_do_in_worker, job)] = job
                    for future in as_completed(futures):
                        try:
                            error = future.result()
                        except BrokenProcessPool:
                            continue
                        done += 1
                        left.remove(futures[future])
                        yield futures[future], error
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    for worker in active_children():
                        worker.terminate()
                    raise
            tries = 0 if done else tries + 1
            if tries == _TRIES:
                for job in left[:1]:
                    yield job, f'its worker was killed {_TRIES} times; is there too little memory for {count} jobs?'
                left, tries = left[1:], 0
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _signals_held_back():
    """They come behind the block: processes that start in it get what they wait for, and never see Ctrl-C, not even while they import."""
    from multiprocessing import resource_tracker
    resource_tracker.ensure_running()               # which lets Ctrl-C through as it starts
    came = []
    before = {number: signal.signal(number, lambda number, _: came.append(number))      # another thread takes one in spite of the mask
              for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _start_worker():
    signal.signal(signal.SIGINT, signal.SIG_IGN)            # the parent ends its workers itself
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(exits.TERMINATED))       # by way of what removes half-written files


def _do_in_worker(job):
    try:
        return do(job)
    except SystemExit:          # the pool would take it for the job's result, and the worker would wait for another job for ever
        os._exit(exits.TERMINATED)


def _on_cluster(options, jobs):
    require('distributed', 'cluster')
    from distributed import Client
    from distributed import as_completed
    try:
        client = Client(options.scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise Failure(f'no Dask scheduler answers at {options.scheduler!r}: {error}') from None
    with client:
        futures = {client.submit(do, job, key=f'hod-{job.output}', pure=False, retries=_TRIES): job for job in jobs}
        try:
            for future, result in as_completed(futures, with_results=True, raise_errors=False):
                failed = future.status != 'finished'
                if failed and isinstance(result[1], OSError):
                    raise Failure(str(result[1]), exits.OUTPUT)
                yield futures[future], f'its worker failed: {result[1]}' if failed else result
        finally:
            client.cancel(list(futures))
