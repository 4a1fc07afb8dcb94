# SPDX-License-Identifier: Apache-2.0
"""The executables: signals, start, loop, end. The nodes themselves are in hod_ros/ros/nodes/."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING
from typing import NoReturn

from hod_ros.ros.watchdog import Watchdog

if TYPE_CHECKING:
    from rclpy.executors import Executor
    from rclpy.node import Node

POLL = 0.1                  # [s] a signal is noticed at the latest after this time
SWITCH_INTERVAL = 5e-5      # [s] for so long a setpoint waits, a few times, while a description is being loaded in another thread


HELP = '''usage: {name} [--ros-args [-p NAME:=VALUE] [--params-file FILE] [-r FROM:=TO] ...]

A node of hod_ros: higher-order inverse dynamics. It runs until Ctrl-C, SIGTERM or SIGHUP.

  -p NAME:=VALUE      a parameter; docs/reference.md and config/hod.yaml explain all of them
  --params-file FILE  parameters from a file
  -r FROM:=TO         another name for a topic or service; -r __ns:=/left for a namespace

The robot comes from the topic robot_description (robot_state_publisher, or examples/publish_description.py) or from the parameter of that
name, which a parameter file can hold; it is too long for -p. In a clone: make run ROBOT=my.urdf'''
SIGNALS = tuple(getattr(signal, name) for name in ('SIGINT', 'SIGTERM', 'SIGHUP') if hasattr(signal, name))


class StopRequest:
    """Set by SIGINT, SIGTERM or SIGHUP, whenever they come: no handler ever raises in the middle of something."""

    def __init__(self, signals: Iterable[int] = SIGNALS) -> None:
        self.made = False
        self._signals = [number for number in signals if signal.getsignal(number) != signal.SIG_IGN]        # nohup
        for number in self._signals:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number, frame):
        self.made = True

    def ignore_more(self) -> None:
        """The end is near: Python would give these signals their default back, which kills."""
        for number in self._signals:
            signal.signal(number, signal.SIG_IGN)


def main(args: list[str] | None = None) -> NoReturn:
    leave(node_main(args))


def plant_main(args: list[str] | None = None) -> NoReturn:
    leave(run_process('hod_elastic_plant', 'hod_ros.ros.nodes.hod_elastic_plant', 'PlantNode', args))


def controller_main(args: list[str] | None = None) -> NoReturn:
    leave(run_process('hod_elastic_controller', 'hod_ros.ros.nodes.hod_elastic_controller', 'ControllerNode', args))


def node_main(args: list[str] | None = None) -> int:
    """hod_node for a program that goes on afterwards. Returns the exit code."""
    return run_process('hod_node', 'hod_ros.ros.nodes.hod', 'HodNode', args)


def leave(code: int) -> NoReturn:
    """The end of this process: nothing is left to be put in order, which takes an interpreter a second on busy processors."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def run_process(name: str, module: str, node_class: str, args: list[str] | None = None) -> int:
    """A process with one node, whose class is imported when signals are in hand. Returns the exit code."""
    open_standard_streams()
    given = sys.argv[1:] if args is None else args
    if '--ros-args' not in given and {'-h', '--help'} & set(given):
        print(HELP.format(name=name))
        return 0
    stop = StopRequest()
    try:
        fault = missing_packages()
        if fault:
            print(f'{name}: {fault}', file=sys.stderr)
            return 1
        return 0 if stop.made else run(name, module, node_class, args, stop)
    finally:
        stop.ignore_more()


def open_standard_streams() -> None:
    """The number of a standard stream that is closed would go to the next file or socket, which would then get our log."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)      # takes the lowest number that is free
    sys.stdout, sys.stderr = sys.stdout or open(1, 'w', closefd=False), sys.stderr or open(2, 'w', closefd=False)


def missing_packages() -> str | None:
    """A sentence about what must be installed before this node can run, or None."""
    try:
        import rclpy  # noqa: F401
    except ImportError as error:
        return f'ROS 2 is not to be found ({error}); source its setup.bash, or run `make setup` and use .venv'
    try:
        from hod_interfaces.msg import JointSetpoint  # noqa: F401
        from hod_interfaces.srv import ComputeInverseDynamics  # noqa: F401
    except ImportError as error:
        return (
            f'the interface package hod_interfaces is not built or not sourced ({error}); build both with '
            '`colcon build --base-paths src src/hod_ros/hod_interfaces`, then source install/setup.bash')
    return None


def run(name: str, module: str, node_class: str, args: list[str] | None, stop: StopRequest) -> int:
    import gc
    from importlib import import_module

    import numpy as np
    import rclpy
    from rclpy.exceptions import NameValidationException
    from rclpy.signals import SignalHandlerOptions

    from hod_ros.errors import HodError
    from hod_ros.errors import shortened
    make_node = getattr(import_module(module), node_class)

    sys.setswitchinterval(SWITCH_INTERVAL)
    np.seterr(all='ignore')     # what is not finite is refused by rule, not by a warning on stderr
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:
        print(f'{name}: {error}', file=sys.stderr)
        return 1
    node = None
    executor = make_executor()
    watchdog = Watchdog(name)
    try:
        node = make_node()
        executor.add_node(node)
        gc.collect()
        gc.freeze()
        watchdog.watch(node)
        spin(node, executor, stop, watchdog)
    except HodError as error:
        print(f'{name}: {error}', file=sys.stderr)
        return 1
    except (RuntimeError, NameValidationException) as error:
        print(f'{name}: rclpy could not make this node ({shortened(str(error))}); look at its name, namespace and remappings',
              file=sys.stderr)
        return 1
    finally:
        watchdog.end()
        executor.shutdown()     # else the participant outlives the process in shared memory
        if node is not None:
            node.destroy_node()
        else:
            gc.collect()        # one that stopped half made takes leave as well
        rclpy.try_shutdown()
        watchdog.close()
    return 0


def make_executor() -> Executor:
    """The quickest: 0.4 x the CPU time and 0.7 x the latency of SingleThreadedExecutor.

    MultiThreadedExecutor loses messages of a fast subscription (rclpy 1452).
    """
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        from rclpy.executors import SingleThreadedExecutor
        return SingleThreadedExecutor()
    return EventsExecutor()


def spin(node: Node, executor: Executor, stop: StopRequest, watchdog: Watchdog) -> None:
    """Runs callbacks until a signal comes. A callback that fails is reported and does not end the node."""
    while not stop.made and node.context.ok():
        watchdog.beat()
        try:
            executor.spin_once(timeout_sec=POLL)
        except Exception:
            if not node.context.ok():
                return
            node.get_logger().error(f'a callback failed:\n{traceback.format_exc()}')


if __name__ == '__main__':
    sys.exit(main())
