# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around the node of a soak: a process that does one fault after another until SIGTERM, and counts them."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from array import array
from contextlib import suppress
from pathlib import Path

import numpy as np

from bench.ros_peers import robot
from bench.ros_peers import wait_for_line

PAUSE = 0.2         # [s] between two faults
_PANDA = robot(7)
# The descriptions that are swapped: the robot, and one of its links made heavier.
MASSES = {'as it is': _PANDA, 'heavier': _PANDA.replace('<mass value="', '<mass value="1')}

LISTENER = '''
import time

import rclpy

from hod_interfaces.msg import TorqueFeedforward

rclpy.init()
node = rclpy.create_node('slow')
node.create_subscription(TorqueFeedforward, '/hod/feedforward', lambda message: time.sleep(0.2), 10)
print('ready', flush=True)
rclpy.spin(node)
'''


class Faults:

    def __init__(self):
        import rclpy
        from rcl_interfaces.srv import SetParameters
        from rclpy.qos import QoSDurabilityPolicy
        from rclpy.qos import QoSProfile
        from rclpy.qos import QoSReliabilityPolicy
        from std_msgs.msg import String

        from hod_interfaces.msg import JointSetpoint
        from hod_interfaces.srv import ComputeInverseDynamics
        from hod_interfaces.srv import ComputeInverseKinematics
        from hod_interfaces.srv import SetPayload
        from hod_ros import RobotModel
        from hod_ros.ros.process import StopRequest
        from hod_ros.ros.process import make_executor

        self.stop = StopRequest()
        self.names = list(RobotModel.from_urdf(_PANDA).joint_names)
        self.node = rclpy.create_node('faults')
        self.executor = make_executor()
        self.executor.add_node(self.node)
        self.setpoint_type, self.description_type = JointSetpoint, String
        self.setpoints = self.node.create_publisher(JointSetpoint, '/hod/setpoint', 100)
        self.best_effort = self.node.create_publisher(
            JointSetpoint, '/hod/setpoint', QoSProfile(depth=10, reliability=QoSReliabilityPolicy.BEST_EFFORT))
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self.descriptions = self.node.create_publisher(String, '/robot_description', latched)
        self.services = self.node.create_client(ComputeInverseDynamics, '/hod/compute_inverse_dynamics')
        self.kinematics = self.node.create_client(ComputeInverseKinematics, '/hod/compute_inverse_kinematics')
        self.payload = self.node.create_client(SetPayload, '/hod/set_payload')
        self.parameters = self.node.create_client(SetParameters, '/hod/set_parameters')
        self.q = np.random.default_rng(1).uniform(-1.0, 1.0, (5, len(self.names)))

    def spin(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.stop.made:
            self.executor.spin_once(timeout_sec=min(left, 0.05))

    def good(self):
        message = self.setpoint_type(joint_names=self.names)
        for field, row in zip(('positions', 'velocities', 'accelerations', 'jerks', 'snaps'), self.q, strict=True):
            setattr(message, field, array('d', row))
        return message

    def malformed(self):
        """A flood of every kind of bad setpoint."""
        for _ in range(5):
            for field, value in itertools.product(('positions', 'accelerations', 'snaps'), (np.nan, np.inf)):
                message = self.good()
                getattr(message, field)[2] = value
                self.setpoints.publish(message)
            for names in (self.names[:-1], [*self.names[:-1], self.names[0]], [*self.names[:-1], 'elbow'], []):
                message = self.good()
                message.joint_names = names
                self.setpoints.publish(message)
            gap = self.good()
            gap.jerks = array('d')
            self.setpoints.publish(gap)
            self.spin(0.005)

    def jumbled(self):
        """Good setpoints in another joint order, with stamps that jump back."""
        for sec in range(20, 0, -1):
            message = self.good()
            message.joint_names = self.names[::-1]
            message.header.stamp.sec = sec
            self.setpoints.publish(message)
            self.spin(0.002)

    def undecipherable(self):
        """Messages that end too early or name ten thousand joints."""
        from rclpy.serialization import serialize_message
        data = serialize_message(self.good())
        for length in (4, 30, len(data) // 2):
            self.setpoints.publish(bytes(data[:length]))
            self.spin(0.01)
        message = self.good()
        message.joint_names = [f'joint_{k}' for k in range(10_000)]
        self.setpoints.publish(message)

    def not_reliable(self):
        for _ in range(20):
            self.best_effort.publish(self.good())
            self.spin(0.002)

    def swapped(self):
        """Descriptions in quick succession, a bad one among them."""
        for text in (*MASSES.values(), '<robot name="broken">', *MASSES.values()):
            self.descriptions.publish(self.description_type(data=text))
            self.spin(0.05)

    def absurd(self):
        """Orders, names, tolerances, payloads and parameters that are refused."""
        for order in (21, 4_294_967_295):
            self.ask(order, self.q)
        self.call(self.services, joint_names=[f'joint_{k}' for k in range(100_000)], derivatives=array('d', [0.0]))
        self.call(self.kinematics, pose=[0.4, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0], tolerance=2.5)
        self.call(self.payload, link='nope', mass=1.0)
        self.call(self.payload, link='panda_link7', mass=1.0, center=[1e300, 0.0, 0.0])
        for name, value in (('payload.link', 'nope'), ('order', []), ('gravity', [0.0]), ('max_seconds', float('nan'))):
            self.call(self.parameters, parameters=[parameter(name, value)])

    def unreachable(self):
        """Inverse kinematics that would search for minutes, for a caller that leaves."""
        self.call(self.kinematics, pose=[30.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], attempts=1000, patience=0.5)

    def busy_processors(self):
        burners = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(4)]
        try:
            self.spin(1.5)
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()

    def heavy(self):
        self.ask(8, np.ones((5000, 11, len(self.names))))

    def longest(self):
        """A request that takes more than its seconds, and that nobody waits for; a short one beside it."""
        self.ask(20, np.ones((10_000, 23, len(self.names))), 'closed_form', patience=0.5)
        self.ask(0, self.q[:3])

    def ask(self, order, q, formulation='', patience=5.0):
        self.call(
            self.services, order=order, samples=len(q) if np.ndim(q) == 3 else 0, derivatives=array('d', np.ravel(q)),
            formulation=formulation, patience=patience)

    def call(self, client, patience=5.0, **fields):
        """Waits so long for the answer, then forgets it."""
        if not client.service_is_ready():
            return
        future = client.call_async(client.srv_type.Request(**fields))
        end = time.monotonic() + patience
        while not future.done() and time.monotonic() < end and not self.stop.made:
            self.executor.spin_once(timeout_sec=0.05)
        client.remove_pending_request(future)

    def killed_client(self):
        """A client that dies in the middle of a call."""
        process = subprocess.Popen(
            [sys.executable, '-m', 'bench.ros_beside', '--ask', '--may-end', '--service', '/hod/compute_inverse_dynamics'],
            stdout=subprocess.PIPE, text=True)
        wait_for_line(process, 'asking')
        process.kill()
        process.wait()
        process.stdout.close()

    def slow_subscriber(self):
        """One that sleeps, then stands still, then dies."""
        process = subprocess.Popen([sys.executable, '-c', LISTENER], stdout=subprocess.PIPE, text=True)
        wait_for_line(process, 'ready')
        self.spin(1.0)
        process.send_signal(signal.SIGSTOP)
        self.spin(1.0)
        process.kill()
        process.wait()
        process.stdout.close()

    def killed_service_process(self):
        self.send_to_services(signal.SIGKILL)

    def stopped_service_process(self):
        self.send_to_services(signal.SIGSTOP)
        self.spin(1.0)
        self.send_to_services(signal.SIGCONT)

    def send_to_services(self, number):
        """To the services of the node which the process that started us has started too."""
        for command in Path('/proc').glob('[0-9]*/cmdline'):
            with suppress(OSError):
                if b'hod_ros.ros.services.host' in command.read_bytes() and parent(parent(command.parent.name)) == os.getppid():
                    os.kill(int(command.parent.name), number)

    def run(self):
        """{name of a fault: how often}"""
        counts = {}
        kinds = (
            self.malformed, self.jumbled, self.undecipherable, self.not_reliable, self.swapped, self.absurd, self.heavy, self.longest,
            self.unreachable, self.killed_client, self.slow_subscriber, self.busy_processors, self.stopped_service_process,
            self.killed_service_process)
        for kind in itertools.cycle(kinds):
            if self.stop.made:
                return counts
            kind()
            counts[kind.__name__] = counts.get(kind.__name__, 0) + 1
            self.spin(PAUSE)


def parameter(name, value):
    from rclpy.parameter import Parameter
    kind = Parameter.Type.DOUBLE_ARRAY if isinstance(value, list) else None
    return Parameter(name, kind, value).to_parameter_msg()


def parent(process):
    status = Path(f'/proc/{process}/status').read_text()
    return int(status.split('PPid:')[1].split()[0])


def main():
    import rclpy
    rclpy.init()
    faults = Faults()
    print(json.dumps(faults.run()), flush=True)
    faults.executor.shutdown()
    faults.node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
