# SPDX-License-Identifier: Apache-2.0
"""The process that answers the node's services: started, told the model and ended by host_process.py.

It gives way to the setpoint path (scheduling.py), and gives a sign of life several times a second.
"""

import os
import signal
import sys
import threading
import time
from dataclasses import dataclass

from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.process import leave
from hod_ros.ros.process import make_executor
from hod_ros.ros.scheduling import give_way
from hod_ros.ros.scheduling import start_behind

POLL = 0.1              # [s]
SIGN = 0.25             # [s] between two signs of life
LONGEST_NAME = 255      # of a node
PARTING = 1.6           # [s] longest wait for what is open when the node stops answering; less than the node waits for this process
DELIVERY = 0.1          # [s] in which the middleware delivers the last answers
SWITCH_INTERVAL = 1e-3  # [s] for so long a short request waits, a few times, for threads that compute long ones


@dataclass(frozen=True)
class HostState:
    """What the node writes on the blackboard."""

    model: RobotModel
    limits: object              # requests.RequestLimits
    node_name: str
    namespace: str
    service_names: dict         # name in table.COMPUTED -> full name of the service
    log_level: int


class Stop:
    """Set when the node closes our input or ends."""

    def __init__(self):
        self.made = False
        for name in ('SIGINT', 'SIGHUP'):               # the node's affair
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._on_signal)
        threading.Thread(target=self._wait_for_end_of_input, daemon=True).start()

    def _wait_for_end_of_input(self):
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    def _on_signal(self, number, frame):
        self.made = True


def main():
    leave(run())


def run():
    start_behind()
    import numpy as np
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from hod_ros.ros.services.blackboard import Blackboard
    from hod_ros.ros.services.blackboard import SignsOfLife

    np.seterr(all='ignore')     # what is not finite is refused by rule, not by a warning on stderr
    sys.setswitchinterval(SWITCH_INTERVAL)
    blackboard, signs = Blackboard(int(sys.argv[1])), SignsOfLife(int(sys.argv[2]))
    stop = Stop()
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    executor = make_executor()
    node = None
    try:
        node, desk = make_host(blackboard, signs, stop)
        executor.add_node(node)
        give_way()
        while not stop.made:
            executor.spin_once(timeout_sec=POLL)
        end = time.monotonic() + PARTING
        while not desk.stop() and time.monotonic() < end:
            time.sleep(POLL / 10)
        if desk.has_sent_away:
            time.sleep(DELIVERY)
    finally:
        executor.shutdown()     # else the participant outlives the process in shared memory
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def make_host(blackboard, signs, stop):
    """The ROS node of this process, and its desk."""
    from rclpy.node import Node

    from hod_ros.ros.reporting.log import STEADY
    from hod_ros.ros.reporting.quality import WithoutEvents
    from hod_ros.ros.services.desk import Desk
    from hod_ros.ros.services.table import COMPUTED
    from hod_ros.ros.services.table import fault_text

    class Host(WithoutEvents, Node):
        pass

    state = blackboard.read()
    name = f'{state.node_name[:LONGEST_NAME - 9]}_services'
    node = Host(name, namespace=state.namespace, use_global_arguments=False, start_parameter_services=False)
    node.get_logger().set_level(state.log_level)

    def up_to_date():
        nonlocal state
        if blackboard.changed():
            state = blackboard.read()
        return state

    def respond(job):
        job.response.success = job.error is None
        if job.error is not None:
            job.response.message = fault_text(job.error, node.get_logger())
        return job.response

    def meanwhile():
        signs.give()
        if stop.made:
            desk.stop()

    desk = Desk(node, respond, lambda: state.limits.max_seconds, meanwhile)
    for name, service in COMPUTED.items():
        def computed(request, response, compute=service.compute):
            now = up_to_date()
            compute(now.model, request, response, now.limits)
        desk.offer(service.type, state.service_names[name], computed, service.is_short)

    node.create_timer(SIGN, signs.give, clock=STEADY)
    signs.give()
    return node, desk


if __name__ == '__main__':
    main()
