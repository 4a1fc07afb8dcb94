# SPDX-License-Identifier: Apache-2.0
"""A robot under the node's commands: a Panda on MuJoCo behind an effort controller that holds its last command for ever, and a planner.

All of it lives in the loop of one process, which judges every command that it receives; the node is a process of its own.
"""

import time
from array import array

import numpy as np

from bench.ros_peers import robot

PERIOD = 0.002              # [s] of planner, joint_states and controller
STEP = 0.0005               # [s] of the simulation
HOME = np.array([0.0, -0.4, 0.0, -1.9, 0.0, 1.6, 0.7])
AMPLITUDE = np.array([0.5, 0.25, 0.4, 0.3, 0.5, 0.4, 0.6])
NEAR = 0.1                  # [rad] to HOME, that is there
SPEED = 2.0                 # [1/s] angular frequency of the motion
FRICTION = (2.0, 2.0, 2.0, 2.0, 0.1, 0.1, 0.1)          # [N m s/rad] of the joints, which the node knows and makes up for
DRY = (1.0, 1.0, 1.0, 1.0, 0.2, 0.2, 0.2)               # [N m] of the joints, likewise
WIDTH = 0.02                # [rad/s] within which dry friction turns
RATES = np.array([400.0, 400.0, 400.0, 400.0, 60.0, 60.0, 60.0])        # [N m/s]
LONGEST_STEP = 0.01         # [s] what a command may change by at once, at its rate
STANDSTILL = 0.02           # [s] between two turns of the arm's loop, beyond which its clock is no judge
JITTER = 0.01               # [s] by which commands may arrive closer together than they were sent
FEEDBACK = 8.0              # [1/s] of the planner's


_BLEND = np.polynomial.Polynomial([1, 0, 0, 0, -35, 84, -70, 20])
BLEND = [_BLEND, *(_BLEND.deriv(k) for k in range(1, 5))]      # from 1 to 0 in a unit of time, at rest at both ends


def motion(t, start):
    """q (5, n) at t [s] of a motion that begins at rest at `start`, comes home within seconds and swings there, to the side away from
    `start`: it stays within the limits of joints wherever it begins within them.
    """
    w, a, s, c = SPEED, np.where(start > HOME + NEAR, -AMPLITUDE, AMPLITUDE), np.sin(SPEED * t), np.cos(SPEED * t)
    q = np.array([1.0 - c, w * s, w * w * c, -w ** 3 * s, -w ** 4 * c])[:, None] * 0.5 * a
    q[0] += HOME
    away = start - HOME
    seconds = max(1.0, 3.0 * np.abs(away).max())
    if t < seconds:
        q += np.array([blend(t / seconds) / seconds ** k for k, blend in enumerate(BLEND)])[:, None] * away
    return q


def with_friction(text):
    """The description of a Panda with FRICTION and DRY friction."""
    for joint, (viscous, dry) in enumerate(zip(FRICTION, DRY, strict=True), 1):
        before, opening, after = text.partition(f'<joint name="panda_joint{joint}"')
        text = before + opening + after.replace('</joint>', f'<dynamics damping="{viscous}" friction="{dry}"/></joint>', 1)
    return text


class GuardedArm:
    """node: rclpy's, in which planner, controller and judge live; commands: the topic that the controller hears."""

    def __init__(self, node, executor, commands='/hod/commands'):
        from rclpy.qos import QoSDurabilityPolicy
        from rclpy.qos import QoSProfile
        from sensor_msgs.msg import JointState
        from std_msgs.msg import Float64MultiArray
        from std_msgs.msg import String

        from hod_interfaces.msg import JointSetpoint
        from hod_ros import ElasticPlant
        from hod_ros import Rigid
        from hod_ros import RobotModel
        from hod_ros import inverse_dynamics

        self.node, self.executor = node, executor
        self.stood_still = False        # whether this process was held up, so that what it measures in time says nothing
        self.text = with_friction(robot(7))
        self.model = RobotModel.from_urdf(self.text)
        self.names = list(self.model.joint_names)
        motors = {
            name: Rigid(motor_friction=viscous, motor_coulomb=dry, motor_friction_width=WIDTH)
            for name, viscous, dry in zip(self.names, FRICTION, DRY, strict=True)}
        self.plant = ElasticPlant(self.model, motors, step=STEP, integrator='implicitfast', torque_limits=np.full(7, 1e6))
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self.descriptions = node.create_publisher(String, '/robot_description', latched)
        self.setpoints = node.create_publisher(JointSetpoint, '/hod/setpoint', 100)
        self.states = node.create_publisher(JointState, '/joint_states', 10)
        node.create_subscription(Float64MultiArray, commands, self._on_command, 1000)
        node.create_subscription(String, '/hod/fault', self._on_fault, latched)
        self._setpoint = JointSetpoint(joint_names=self.names)
        self._state = JointState(name=self.names)
        self._inverse_dynamics = inverse_dynamics
        self.fault = ''
        self.commands = []              # (arrival, command) since the last judgement
        self.measuring = True           # whether joint_states are published
        self.corrupt = None             # function of a JointState message before it goes out
        self.place(HOME)

    def place(self, positions):
        """The robot at rest there, held."""
        self.plant.set_state(positions, np.zeros(7))
        self.held = self.weight(positions)
        self.start, self.displaced = np.array(positions), 0.0
        self.planning_since = None
        self.planner = self._plan
        self.simulated = time.monotonic()

    def weight(self, positions):
        return self._inverse_dynamics(self.model, np.stack([positions, np.zeros(7), np.zeros(7)]))[0]

    def describe(self, text=None):
        from std_msgs.msg import String
        self.descriptions.publish(String(data=text or self.text))

    def plan(self):
        """The planner begins, at rest where the robot is."""
        self.start, self.displaced = np.array(self.plant.positions), 0.0
        self.planning_since = time.monotonic()
        self.planner = self._plan

    @property
    def desired(self):
        """q (5, n) of this moment."""
        q = motion(time.monotonic() - self.planning_since, self.start)
        q[0] += self.displaced
        return q

    def _plan(self):
        self.publish(self.with_feedback(self.desired))

    def with_feedback(self, q):
        """The setpoint (3, n) by which a robot comes back to the motion: its acceleration answers to what is measured."""
        tracked = q[:3].copy()
        tracked[2] += FEEDBACK ** 2 * (q[0] - self.plant.positions) + 2 * FEEDBACK * (q[1] - self.plant.velocities)
        return tracked

    def publish(self, q, publisher=None, stamp=None):
        """A setpoint; stamp [ns], None: now."""
        message = self._setpoint
        for field, row in zip(('positions', 'velocities', 'accelerations', 'jerks', 'snaps'), q, strict=False):
            setattr(message, field, array('d', row))
        sec, nanosec = divmod(time.time_ns() if stamp is None else stamp, 1_000_000_000)
        message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
        (publisher or self.setpoints).publish(message)

    def _on_command(self, message):
        self.held = np.array(message.data)
        self.commands.append((time.monotonic(), self.held))

    def _on_fault(self, message):
        self.fault = message.data

    def run(self, seconds=0.0, until=None):
        """Real time goes on for so long, or until a condition holds; whether it does."""
        end = time.monotonic() + seconds
        due = turn = time.monotonic()
        while True:
            now = time.monotonic()
            self.stood_still |= now - turn > STANDSTILL
            if until is not None and until():
                return True
            if now > end:
                return until is None
            while self.simulated + STEP <= now:
                self.simulated = max(self.simulated, now - 0.1) + STEP
                self.plant.step(self.held)
            turn = time.monotonic()             # what the simulation makes up for is no standstill
            if now >= due:
                due = max(due + PERIOD, now)
                self._measure()
                if self.planning_since is not None and self.planner is not None:
                    self.planner()
            self.executor.spin_once(timeout_sec=max(min(due - time.monotonic(), PERIOD), 0.0))

    def _measure(self):
        if not self.measuring:
            return
        message = self._state
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.position, message.velocity = array('d', self.plant.positions), array('d', self.plant.velocities)
        if self.corrupt is not None:
            self.corrupt(message)
        self.states.publish(message)

    # Judgement

    def judge(self):
        """(worst step in what the rate allows, worst command in its limits) of the commands since the last judgement.

        Two commands in succession may differ by what LONGEST_STEP allows, any two by what the time between them and JITTER do.
        """
        commands, self.commands = self.commands, []
        if len(commands) < 2:
            return 0.0, 0.0
        times, values = np.array([now for now, _ in commands]), np.array([command for _, command in commands])
        if not np.isfinite(values).all():
            return np.inf, np.inf
        step = float(np.max(np.abs(np.diff(values, axis=0)) / (RATES * LONGEST_STEP)))
        for apart in (2, 5, 10, 20, 50):
            elapsed = times[apart:] - times[:-apart] + LONGEST_STEP + JITTER
            if len(elapsed):
                step = max(step, float(np.max(np.abs(values[apart:] - values[:-apart]) / (RATES * elapsed[:, None]))))
        return step, float(np.max(np.abs(values) / self.model.effort_limits))

    def slower_than(self, speed):
        return bool(np.abs(self.plant.velocities).max() < speed)

    @property
    def error(self):
        """[rad] between robot and planner."""
        return float(np.abs(self.plant.positions - self.desired[0]).max())

    @property
    def within_limits(self):
        low, high = self.model.position_limits.T
        q, v = self.plant.positions, self.plant.velocities
        return bool((q > low).all() and (q < high).all() and (np.abs(v) < 1.25 * self.model.velocity_limits).all())


PARAMETERS = {
    'publish_commands': True, 'joint_friction': True, 'joint_friction_width': WIDTH,
    'setpoint_timeout': 0.15, 'joint_states_timeout': 0.15,
    **{f'limits.panda_joint{k + 1}.effort_rate': float(rate) for k, rate in enumerate(RATES)}}
