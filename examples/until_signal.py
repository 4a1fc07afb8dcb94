# SPDX-License-Identifier: Apache-2.0
"""Runs a node until Ctrl-C, SIGTERM or SIGHUP, which end the loop between two callbacks: rclpy itself raises in the middle of one."""

import signal
import time
from collections.abc import Callable

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import try_shutdown


def run_until_signal(make_node: Callable[[], Node], parting: float = 0.0) -> None:
    """And for `parting` seconds more."""
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: signals.append(number))
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = make_node()
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    while not signals:
        executor.spin_once(timeout_sec=0.1)
    end = time.monotonic() + parting
    while (left := end - time.monotonic()) > 0:
        executor.spin_once(timeout_sec=left)
    executor.shutdown()
    node.destroy_node()
    try_shutdown()
