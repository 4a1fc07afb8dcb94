# SPDX-License-Identifier: Apache-2.0
"""Asks the node's service for efforts and four of their time derivatives at three instants of a motion."""

import sys
from array import array

import numpy as np
import rclpy
from rclpy.utilities import try_shutdown
from sine_motion import SineMotion

from hod_interfaces.srv import ComputeInverseDynamics

ORDER = 4


def main() -> None:
    motion = SineMotion.from_yaml()
    q = motion.derivatives([0.0, 0.5, 1.0], ORDER + 3)          # (samples, order + 3, joints)
    request = ComputeInverseDynamics.Request(
        joint_names=motion.joint_names, order=ORDER, samples=len(q), derivatives=array('d', q.ravel()))

    rclpy.init()
    node = rclpy.create_node('ask_inverse_dynamics')
    client = node.create_client(ComputeInverseDynamics, 'hod/compute_inverse_dynamics')
    try:
        if not client.wait_for_service(timeout_sec=10.0):
            sys.exit(f'{client.srv_name} is not there; is the node running, and has it a robot description?')
        response, tries = None, 0
        while response is None and tries < 3:           # an answer may be lost where the two have only just found each other
            future = client.call_async(request)
            rclpy.spin_until_future_complete(node, future, timeout_sec=5.0)
            response, tries = future.result(), tries + 1
    except KeyboardInterrupt:
        return
    finally:
        try_shutdown()
    if response is None:
        sys.exit('no answer came within 15 s')
    if not response.success:
        sys.exit(response.message)
    efforts = np.reshape(response.efforts, (len(q), ORDER + 1, len(response.joint_names)))
    for t, Q in zip((0.0, 0.5, 1.0), efforts, strict=True):
        print(f't = {t} s')
        for name, column in zip(response.joint_names, Q.T, strict=True):
            print(f'  {name}: ' + '  '.join(f'Q{chr(39) * k} {value:12.3f}' for k, value in enumerate(column)))


if __name__ == '__main__':
    main()
