# SPDX-License-Identifier: Apache-2.0
"""The node's end of the process that answers its services: starts it, tells it the model, starts it again where it died."""

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from rclpy.node import Node

import hod_ros
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.reporting.status import ERROR
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.scheduling import at_ordinary_priority
from hod_ros.ros.scheduling import no_longer_give_way
from hod_ros.ros.services.blackboard import Blackboard
from hod_ros.ros.services.blackboard import SignsOfLife
from hod_ros.ros.services.host import HostState
from hod_ros.ros.services.requests import RequestLimits
from hod_ros.ros.setpoints.setpoint_limits import motion_limits

PATIENCE = 2.0          # [s] for an end in good order
PARTING = 0.9           # [s] the same where the node itself ends, which does other things meanwhile
DYING = 0.1             # [s] for one that is killed: it needs a processor even for this
SILENCE = 3.0           # [s] without a sign of life that is worth a warning
LONGEST_SILENCE = 20.0  # [s] without a sign of life, after which it is killed
LONGEST_START = 120.0   # [s] until its first one: busy processors make it wait
LONG_LIFE = 10.0        # [s] one that dies earlier is started again after a pause
LONGEST_PAUSE = 30.0    # [s]
# A terminal's Ctrl-C is the node's affair. In a session of its own, Linux would weigh it as a group: its niceness meant nothing there.
APART = {'process_group': 0} if sys.version_info >= (3, 11) else {'start_new_session': True}

# Isolated: else a numpy.py or queue.py in the directory that the node was started in would be executed.
PROGRAM = 'import sys; sys.path[:] = sys.argv[3:]; from hod_ros.ros.services.host import main; main()'


def search_path() -> list[str]:
    """Where this process finds modules, but for the current directory; at the end that of this package, which may be below it."""
    current, package = os.getcwd(), str(Path(hod_ros.__file__).parents[1])
    return [*(entry for entry in sys.path if os.path.isabs(entry) and entry not in (current, package)), package]


class ServiceProcess:

    def __init__(self, node: Node, names: Iterable[str], threads: int = 0) -> None:
        """names: of the services, private to the node. threads: for the samples of a request; 0: as the environment says."""
        self._node = node
        self._environment = {**os.environ, 'HOD_ROS_THREADS': str(threads)} if threads else None
        self._names = {name: node.resolve_service_name(f'~/{name}') for name in names}
        self._blackboard = Blackboard()
        self._signs = SignsOfLife()
        self._process = None
        self._began = self._again = self._asked = self._pause = 0.0
        self._deaths = self._deaths_before = 0
        self._fault = ''

    def use(self, robot: Robot, parameters: Parameters) -> None:
        """Every request that is sent from now on is computed with this robot, and with the parameters as they are now."""
        try:
            self._tell(robot, parameters)
        except OSError as error:
            self._fault = f'they compute with the robot before, for the new one could not be written: {error}'
            self._node.get_logger().error(f'services: {self._fault}')
        else:
            self._fault = ''

    def _tell(self, robot, parameters):
        node = self._node
        limits = RequestLimits(
            parameters['max_order'], parameters['max_samples'], parameters['max_seconds'], robot.drives,
            motion_limits(robot.model, parameters))
        self._blackboard.write(HostState(
            robot.model, limits, node.get_name(), node.get_namespace(), self._names, int(node.get_logger().get_effective_level())))

    def start(self) -> None:
        """After the first `use`."""
        descriptors = self._blackboard.descriptor, self._signs.descriptor
        self._signs.forget()
        self._began = monotonic()
        self._process = at_ordinary_priority(lambda: subprocess.Popen(
            [sys.executable, '-I', '-c', PROGRAM, *map(str, descriptors), *search_path()],
            stdin=subprocess.PIPE, pass_fds=descriptors, env=self._environment, **APART))

    def watch(self) -> None:
        """Starts the process again where it has died; one that stands still is killed."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            age = self._silence()
            if age > (LONGEST_START if self._signs.age() is None else LONGEST_SILENCE):
                self._node.get_logger().error(f'the process that answers the services has given no sign of life for {age:.0f} s: killed')
                process.kill()
        elif not process.stdin.closed:
            process.stdin.close()
            self._note_death(process.returncode)
        if process.stdin.closed and monotonic() >= self._again:
            self.start()

    def _note_death(self, code):
        now = monotonic()
        self._deaths += 1
        self._pause = 0.0 if now - self._began > LONG_LIFE else min(max(2 * self._pause, 1.0), LONGEST_PAUSE)
        self._again = now + self._pause
        pause = f' in {self._pause:g} s' if self._pause else ''
        self._node.get_logger().error(
            f'the process that answers the services ended by itself (exit code {code}) and is started again{pause}; '
            'requests that it had in hand stay unanswered')

    def _silence(self):
        """[s] since its last sign of life, or since its start."""
        age = self._signs.age()
        return monotonic() - self._began if age is None else age

    def status(self) -> Status:
        values = {'process': 'none' if self._process is None else self._process.pid, 'started again': self._deaths}
        died, self._deaths_before = self._deaths - self._deaths_before, self._deaths
        if self._process is None:
            return Status('services', OK, 'not started', values)
        silence, speaks = self._silence(), self._signs.age() is not None
        values['last sign of life [s]'] = f'{silence:.1f}' if speaks else 'none yet'
        if self._fault:
            return Status('services', ERROR, self._fault, values)
        if died or self._process.stdin.closed:
            return Status('services', WARN, 'their process ended by itself and was started again', values)
        if silence > SILENCE:
            return Status('services', WARN, f'their process has given no sign of life for {silence:.1f} s', values)
        return Status('services', OK, 'answering' if speaks else 'starting', values)

    def ask_to_end(self) -> None:
        """Answers whoever waits, and ends; `stop` or `close` wait for it."""
        process = self._process
        if process is None or process.stdin.closed:
            return
        self._asked = monotonic()
        process.stdin.close()
        process.terminate()
        no_longer_give_way(process.pid)

    def stop(self, patience: float = PATIENCE) -> None:
        """[s] patience from the time it was asked to end."""
        self.ask_to_end()
        process, self._process, self._pause = self._process, None, 0.0
        if process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(self._asked + patience - monotonic(), 0.0))
            return
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(DYING)

    def close(self) -> None:
        self.stop(PARTING)
        self._blackboard.close()
        self._signs.close()
