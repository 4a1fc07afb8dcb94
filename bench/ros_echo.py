# SPDX-License-Identifier: Apache-2.0
"""The yardstick: a node of the same types, executor, QoS and priority as hod_node that copies instead of computing."""

import gc
import sys
from array import array

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from bench.ros_peers import PRIORITY
from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_interfaces.srv import ComputeInverseDynamics
from hod_ros.ros.process import POLL
from hod_ros.ros.process import make_executor
from hod_ros.ros.scheduling import run_in_real_time


class Echo(Node):

    def __init__(self):
        super().__init__('hod')
        priority = self.declare_parameter('realtime_priority', PRIORITY).value
        if priority:
            run_in_real_time(priority)
        self._message = TorqueFeedforward()
        self._publisher = self.create_publisher(TorqueFeedforward, '~/feedforward', 10)
        self.create_subscription(JointSetpoint, '~/setpoint', self._copy, 10)
        self.create_service(ComputeInverseDynamics, '~/compute_inverse_dynamics', self._answer)

    def _copy(self, setpoint):
        message = self._message
        message.header = setpoint.header
        message.joint_names = setpoint.joint_names
        message.efforts = setpoint.positions
        message.effort_rates = setpoint.velocities
        message.effort_accelerations = setpoint.accelerations
        self._publisher.publish(message)

    def _answer(self, request, response):
        response.success = True
        response.joint_names = request.joint_names
        samples = len(request.derivatives) // ((request.order + 3) * len(request.joint_names))
        size = samples * (request.order + 1) * len(request.joint_names)
        response.efforts = array('d', request.derivatives[:size])
        return response


def main():
    rclpy.init()
    executor = make_executor()
    node = Echo()
    executor.add_node(node)
    gc.collect()
    gc.freeze()
    try:
        while rclpy.ok():
            executor.spin_once(timeout_sec=POLL)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
