# SPDX-License-Identifier: Apache-2.0
"""Folders of recordings: one output a file, by processes or on a Dask cluster; what was done before is not done again.

Every output is written whole or not at all, so that those which are there, and no older than their recording, are done. A file
`_made_by_hod.json` beside them says by which robot, options and files they were made; others are refused there. A job
is a pure function of a file, the robot and the options, with one kernel thread: its output does not depend on who computes it.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from contextlib import contextmanager
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from itertools import islice
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
_NOTES = 5                      # that are shown
_LOOK = 1.0                     # [s] after which it is looked whether workers that are silent were killed
_LONGEST_END = 5.0              # [s] of workers that were told to end
MANIFEST = '_made_by_hod.json'
# Options of a run, which change nothing of its results.
_OWN = ('robot', 'motion', 'output', 'jobs', 'scheduler', 'json', 'run', 'command', 'version', 'again', 'format')
_PARENTS = (signal.SIGINT, signal.SIGHUP)                # a terminal's, which reach all: the parent ends its workers itself
_THREADS = ('HOD_ROS_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS')


class Job(NamedTuple):
    module: str                 # whose one(options, source, model, motion, output) does it
    source: 'Source'            # of the robot
    options: argparse.Namespace
    motion: Path
    output: Path


class Outcome(NamedTuple):
    """Of a job: why it failed or None, and what is to be said of its output."""

    error: str | None
    note: str = ''


def add_folders(parser: argparse.ArgumentParser, formats: list[str]) -> None:
    """The arguments of work on folders."""
    group = parser.add_argument_group('folders of recordings')
    group.add_argument('--jobs', metavar='N', type=int, help='processes, each with one thread of the kernel; 1 by default')
    group.add_argument('--scheduler', metavar='ADDRESS', help='of a Dask cluster whose workers have hod_ros and see the same folders')
    group.add_argument('--again', action='store_true', help='compute what is there already anew')
    group.add_argument(
        '--format', choices=formats,
        help=f'of the outputs; {formats[0]} by default' if len(formats) > 1 else argparse.SUPPRESS)


def refuse_folder_options(options: argparse.Namespace) -> None:
    """Ends the command where options of work on folders are given with one recording."""
    for option in ('jobs', 'scheduler', 'again', 'format'):
        if getattr(options, option) is not None and getattr(options, option) is not False:
            raise Failure(f'--{option} goes with a folder of recordings, but {str(options.motion)!r} is none; leave it out', exits.USAGE)


def refuse_topic(topic: str | None, option: str, paths: list[Path]) -> None:
    """Ends the command where a topic is given of recordings that are all tables."""
    from hod_ros.recordings.bags import is_bag
    if topic is not None and all(path.is_file() and not is_bag(path) for path in paths):
        raise Failure(f'{option} says what to read of a bag, but {str(paths[0])!r} is none; leave it out', exits.USAGE)


def motions_and_outputs(options: argparse.Namespace, kinds: tuple[str, ...], ending: str) -> list[tuple[Path, Path]]:
    """(recording, its output) of each below a folder."""
    motions = sorted(recordings(options.motion, kinds))
    if not motions:
        raise Failure(f'{str(options.motion)!r} holds no files {", ".join(kinds)}')
    outputs = [(options.output / motion.relative_to(options.motion)).with_suffix(ending) for motion in motions]
    twice = {output for output in outputs if outputs.count(output) > 1} if len(set(outputs)) < len(outputs) else set()
    if twice:
        raise Failure(f'several recordings of {str(options.motion)!r} would become {str(min(twice))!r}; give them names of their own')
    return list(zip(motions, outputs, strict=True))


def work_through(
        options: argparse.Namespace, source: 'Source', model: 'RobotModel', module: str, kinds: tuple[str, ...], ending: str) -> int:
    """Does all recordings of a folder that are not done; exit code INPUT where some could not be. ending: of outputs without --format."""
    from hod_ros.recordings.whole_files import remove_parts
    if options.jobs is not None and options.jobs < 1:
        raise Failure(f'--jobs is {options.jobs}; give 1 or more', exits.USAGE)
    _check_output(options, kinds)
    pairs = motions_and_outputs(options, kinds, ending if options.format is None else f'.{options.format}')
    _refuse_overwriting(options, pairs, kinds)
    _check_manifest(options, source, model, module, [output for _, output in pairs])
    folders = {output.parent for _, output in pairs}
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        remove_parts(folder)
    left = [
        Job(module, source, options, motion.resolve(), output.resolve()) for motion, output in pairs
        if options.again or not output.exists() or output.stat().st_mtime_ns < _changed(motion)]
    failures, notes = {}, {}
    try:
        with Progress(len(pairs), 'recordings') as progress, closing(_results(options, left)) as results:
            done = len(pairs) - len(left)
            for job, outcome in results:
                done += 1
                progress(done)
                if outcome.note:
                    notes[str(job.motion)] = outcome.note
                if outcome.error is not None:
                    failures[str(job.motion)] = outcome.error
                    job.output.unlink(missing_ok=True)      # of an earlier run, on what the recording was then
    finally:
        for folder in folders:
            remove_parts(folder)
    for name, error in sorted(failures.items()):
        print(f'hod {options.command}: {name}: {error}', file=sys.stderr)
    counted = {
        'recordings': len(pairs), 'done': len(left) - len(failures), 'done_before': len(pairs) - len(left), 'failed': failures,
        'notes': notes}
    if options.json:
        print_json(counted)
    else:
        before = f', {counted["done_before"]} done before' if counted['done_before'] else ''
        failed = f', {len(failures)} failed' if failures else ''
        print(f'{options.output}: {counted["done"]} of {len(pairs)} recordings{before}{failed}')
        for name, note in sorted(notes.items())[:_NOTES]:
            print(f'{name}: {note}')
        if len(notes) > _NOTES:
            print(f'and {len(notes) - _NOTES} more recordings have notes: --json tells all')
    return exits.INPUT if failures else exits.DONE


def recordings(folder: Path, kinds: tuple[str, ...] = RECORDINGS) -> Iterator[Path]:
    """The recordings below a folder: files of some kinds, and bags that are folders; folders of outputs are left out."""
    for path in folder.iterdir():
        if path.name.startswith('.') or path.name == MANIFEST:
            continue
        if path.is_dir():
            if (path / MANIFEST).is_file():
                continue
            if '.mcap' in kinds and (path / 'metadata.yaml').is_file():
                yield path
            else:
                yield from recordings(path, kinds)
        elif path.suffix in kinds:
            yield path


def do(job: Job) -> Outcome:
    """Does a job wherever it is called."""
    from hod_ros.errors import HodError
    try:
        return Outcome(None, import_module(job.module).one(job.options, job.source, _model(job), job.motion, job.output)['note'])
    except Failure as failure:
        if failure.code == exits.OUTPUT:
            raise OSError(str(failure)) from None
        return Outcome(str(failure))
    except (HodError, ImportError) as error:
        return Outcome(' '.join(str(error).split()))


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


def _check_output(options, kinds):
    """The output of a folder is another folder."""
    if options.output is None:
        raise Failure(f'{str(options.motion)!r} is a folder; name another for what it gives: -o FOLDER', exits.USAGE)
    if options.output.suffix in {*RECORDINGS, *kinds}:
        bag = any(path.suffix in ('.mcap', '.db3') for path in options.motion.iterdir())
        remedy = f'; if it is a bag that lost its metadata.yaml: ros2 bag reindex {options.motion} writes that, or name the file in it'
        raise Failure(f'{str(options.output)!r} ends as a file does, but {str(options.motion)!r} is a folder of recordings, each of which '
                      f'gives a file of its own; name a folder{remedy if bag else ""}', exits.USAGE)
    if options.output.resolve() == options.motion.resolve():
        raise Failure(f'{str(options.output)!r} is the folder of the recordings: the output is the input; name another', exits.USAGE)


def _refuse_overwriting(options, pairs, kinds):
    """What is there already was made by us, and is no recording."""
    there = [output for _, output in pairs if output.exists()]
    read = {_identity(motion) for motion, _ in pairs} if there else set()
    for output in there:
        if _identity(output) in read:
            raise Failure(f'{str(output)!r} is one of the recordings: the output is the input; name another folder', exits.USAGE)
    if _manifest(options) is None:
        if not there and options.output.is_dir() and options.motion.resolve() in options.output.resolve().parents:
            there = sorted(recordings(options.output, kinds))
        if there:
            raise Failure(f'{str(there[0])!r} is there, and no {MANIFEST} in {str(options.output)!r} says that hod made it; name another '
                          'folder', exits.USAGE)


def _identity(path):
    found = path.stat()
    return found.st_dev, found.st_ino


def _changed(motion):
    """When a recording last changed [ns]."""
    return max(path.stat().st_mtime_ns for path in (motion.iterdir() if motion.is_dir() else [motion]))


def _manifest(options):
    """What says how the outputs were made, or None."""
    try:
        return json.loads((options.output / MANIFEST).read_text())
    except (OSError, ValueError):
        return None


def _told(value):
    """An option as a manifest has it: files by what they hold."""
    if not isinstance(value, Path):
        return str(value)
    try:
        return _digest(value.read_bytes())
    except OSError as error:
        raise Failure(f'{str(value)!r} cannot be read: {error.strerror}') from None


def _digest(data):
    return f'sha256 {sha256(data).hexdigest()}'


def _check_manifest(options, source, model, module, outputs):
    """What is in the output's folder must have been made alike; what was not is removed where --again asks for another."""
    told = {name: _told(value) for name, value in sorted(vars(options).items()) if name not in _OWN and not callable(value)}
    made = {
        'made by': module.rpartition('.')[2], 'robot': model.name, 'hash': model.hash, 'description': _digest(source.text), 'options': told}
    before = _manifest(options)
    if before not in (None, made) and not options.again:
        raise Failure(f'{str(options.output)!r} holds what another robot, other options or other files gave (see {MANIFEST}); name another '
                      'folder, or give --again')
    if before != made:
        from hod_ros.command.whole_files import whole_file
        for output in outputs:
            output.unlink(missing_ok=True)
        options.output.mkdir(parents=True, exist_ok=True)
        with whole_file(options.output / MANIFEST) as file:
            file.write((json.dumps(made, indent=1) + '\n').encode())


def _results(options, jobs):
    """(job, its Outcome) of each job, as they end."""
    if options.scheduler:
        return _on_cluster(options, jobs)
    if options.jobs in (None, 1) or len(jobs) < 2:
        return ((job, do(job)) for job in jobs)
    return _in_processes(options.jobs, jobs)


def _in_processes(count, jobs):
    """A killed worker breaks its pool: what was not done yet goes to a new one."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children
    from multiprocessing import get_context
    _start_tracker()
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, '1'))         # of the workers, which are new interpreters
    left, tries = dict(enumerate(jobs)), 0
    try:
        while left:
            tries += 1
            with ProcessPoolExecutor(min(count, len(left)), get_context('spawn'), _start_worker) as pool:
                try:
                    for number, outcome in _until_broken(pool, list(left.items()), 4 * count):
                        tries = 0
                        yield left.pop(number), outcome
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    _end(active_children())
                    raise
            if left:
                _end(active_children())
            if tries == _TRIES:
                told = f'its worker was killed {_TRIES} times; is there too little memory for {count} jobs?'
                yield left.pop(next(iter(left))), Outcome(told)
                tries = 0
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _until_broken(pool, jobs, most):
    """(number, Outcome) of (number, job) as they end, `most` at a time, until a worker is killed."""
    from concurrent.futures import FIRST_COMPLETED
    from concurrent.futures import wait
    from concurrent.futures.process import BrokenProcessPool
    waiting, running = iter(jobs), {}
    with suppress(BrokenProcessPool):
        while True:
            with _signals_held_back():
                for number, job in islice(waiting, most - len(running)):
                    running[pool.submit(_do_in_worker, job)] = number
            if not running:
                return
            ended, _ = wait(running, _LOOK, FIRST_COMPLETED)
            if not ended:
                pool.submit(_do_nothing).cancel()       # a broken pool refuses; what came as it broke may wait for ever
            for future in ended:
                number = running.pop(future)
                with suppress(BrokenProcessPool):
                    yield number, future.result()


def _do_nothing():
    pass


def _end(workers):
    """Ends processes, which remove what they have half written; back when they are gone."""
    for worker in workers:
        worker.terminate()
    latest = time.monotonic() + _LONGEST_END
    for worker in workers:
        worker.join(max(0.0, latest - time.monotonic()))
        if worker.is_alive():
            worker.kill()
            worker.join(_LONGEST_END)


def _start_tracker():
    """The process that watches over semaphores: before the pool starts one that SIGHUP would end, which would be told."""
    from multiprocessing import resource_tracker
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
    try:
        resource_tracker.ensure_running()           # which lets Ctrl-C through as it starts
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])


@contextmanager
def _signals_held_back():
    """They come behind the block: processes that start in it get what they wait for, and never see Ctrl-C, not even while they import."""
    came = []
    before = {number: signal.signal(number, lambda number, _: came.append(number))      # another thread takes one in spite of the mask
              for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)}
    signal.pthread_sigmask(signal.SIG_BLOCK, _PARENTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _PARENTS)
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _start_worker():
    for number in _PARENTS:
        signal.signal(number, signal.SIG_IGN)
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
                yield futures[future], Outcome(f'its worker failed: {result[1]}') if failed else result
        finally:
            client.cancel(list(futures))
