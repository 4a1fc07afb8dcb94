"""The process that answers the node's services: started, told the model and ended by process.py.

It gives way to the setpoint path (scheduling.py).
"""

import os
import signal
import sys
import threading
from dataclasses import dataclass

from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.scheduling import give_way

POLL = 0.1              # [s]


@dataclass(frozen=True)
class HostState:
    """What the node writes on the blackboard."""

    model: RobotModel
    limits: object              # requests.RequestLimits
    node_name: str
    namespace: str
    service_names: dict         # name in services.SERVICES -> full name of the service
    log_level: int


class Interrupted(BaseException):
    """Raised in the middle of a computation when the node ends."""


class Stop:
    """Set when the node closes our input or ends; interrupts a request that is being computed."""

    def __init__(self):
        self.made = False
        self.computing = False
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, signal.SIG_IGN)        # the node's affair
        threading.Thread(target=self._wait_for_end_of_input, daemon=True).start()

    def _wait_for_end_of_input(self):
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    def _on_signal(self, number, frame):
        self.made = True
        if self.computing:
            self.computing = False
            raise Interrupted


def main():
    give_way()
    import numpy as np
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from hod_ros.ros.process import make_executor
    from hod_ros.ros.services.blackboard import Blackboard

    np.seterr(all='ignore')     # what is not finite is refused by rule, not by a warning on stderr
    blackboard = Blackboard(int(sys.argv[1]))
    stop = Stop()
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    executor = make_executor()
    host = None
    try:
        host = make_host(blackboard, stop)
        executor.add_node(host)
        while not stop.made:
            executor.spin_once(timeout_sec=POLL)
    finally:
        stop.computing = False
        executor.shutdown()     # else the participant outlives the process in shared memory
        if host is not None:
            host.destroy_node()
        rclpy.try_shutdown()
    return 0


def make_host(blackboard, stop):
    """The ROS node of this process."""
    import rclpy

    from hod_ros.errors import HodError
    from hod_ros.ros.services.table import SERVICES
    from hod_ros.ros.services.table import answered

    state = blackboard.read()
    node = rclpy.create_node(
        f'{state.node_name}_services', namespace=state.namespace, use_global_arguments=False, start_parameter_services=False)
    node.get_logger().set_level(state.log_level)

    def handle(compute, request, response):
        nonlocal state
        stop.computing = True
        try:
            if blackboard.changed():
                state = blackboard.read()
            compute(state.model, request, response, state.limits)
        except Interrupted:
            raise HodError('the node has stopped answering services before this request was computed; ask again once it is back') from None
        finally:
            stop.computing = False

    for name, (service_type, compute) in SERVICES.items():
        node.create_service(
            service_type, state.service_names[name],
            answered(node.get_logger(), lambda request, response, compute=compute: handle(compute, request, response)))
    return node


if __name__ == '__main__':
    sys.exit(main())
