# SPDX-License-Identifier: Apache-2.0
"""What the tests of guards share: an arm, its bounds, a gate with a clock of its own, and the arm itself as a simulation."""

import numpy as np

from hod_ros import RobotModel
from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics
from hod_ros.ros.guards.bounds import command_bounds
from hod_ros.ros.guards.faults import Fault
from hod_ros.ros.guards.gate import Arrival
from hod_ros.ros.guards.gate import Gate
from hod_ros.ros.guards.gate import Settings
from hod_ros.ros.guards.sources import Source

NAMES = ('a', 'b', 'c')
NONE = dict.fromkeys(('effort', 'effort_rate', 'velocity', 'lower', 'upper'), {})


def arm(*, mass=2.0, effort=100.0, velocity=3.0, lower=-2.5, upper=2.5):
    links = '<link name="base"/>'
    for i, (name, axis) in enumerate(zip(NAMES, ('0 0 1', '0 1 0', '0 1 0'), strict=True)):
        links += f'''
        <joint name="{name}" type="revolute"><parent link="{f'l{i - 1}' if i else 'base'}"/><child link="l{i}"/><axis xyz="{axis}"/>
          <origin xyz="0 0 0.3"/><limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/></joint>
        <link name="l{i}"><inertial><origin xyz="0.02 0 0.15"/><mass value="{mass}"/>
          <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'''
    return RobotModel.from_urdf(f'<robot name="arm">{links}</robot>')


MODEL = arm()


class Bench:
    """A gate, its clock, and the commands that it has let through: `commands` is a list of (time, command, limited by what rate)."""

    def __init__(self, *, model=MODEL, bounds=None, robot=None, **settings):
        self.model = model
        self.now = 100.0
        self.gate = Gate(model, bounds or command_bounds(model, **NONE), Settings(**settings), Fault())
        self.commands = []
        self.robot = robot
        self.planner = self.source()
        self.fault = self.gate.fault

    def source(self, kind='setpoint'):
        return Source(kind, None, 1, 0)

    def send(self, q, *, source=None, stamp=0, efforts=None, clock=None):
        """clock: [s] a simulation's. Whether the setpoint q (rows, n) is commanded."""
        q = np.asarray(q, float)
        if q.ndim == 1:
            q = np.stack([q, np.zeros_like(q), np.zeros_like(q)])
        efforts = inverse_dynamics(self.model, q[:3])[0] if efforts is None else np.asarray(efforts, float)
        system = round(1e9 * self.now)
        arrival = Arrival(source or self.planner, self.now, stamp, system if clock is None else round(1e9 * clock), received=system)
        command = self.gate.take(q, efforts, arrival, self.gate.limits.flags(q) is not None)
        return self._note(command)

    def measure(self, positions, velocities=(0.0, 0.0, 0.0), names=NAMES):
        self.gate.measured.take(names, positions, velocities, self.now)

    def tick(self):
        return self._note(self.gate.tick(self.now))

    def wait(self, seconds, every=0.01):
        """Time goes on with ticks, and with a robot that measures itself where there is one."""
        for _ in range(round(seconds / every)):
            self.now += every
            if self.robot:
                self.robot.advance(every, self.gate.limiter.last)
                self.measure(self.robot.q, self.robot.dq)
            self.tick()

    def stream(self, motion, seconds, every=0.002):
        """Whether all setpoints of motion(t) were commanded."""
        began, good = self.now, True
        for _ in range(round(seconds / every)):
            self.now += every
            if self.robot:
                self.robot.advance(every, self.gate.limiter.last)
                self.measure(self.robot.q, self.robot.dq)
            good &= self.send(motion(self.now - began))
            self.tick()
        return good

    def _note(self, command):
        if command is None:
            return False
        self.commands.append((self.now, np.array(command)))
        return True


class Robot:
    """An arm that moves as its commands make it, by forward dynamics and small steps."""

    def __init__(self, q, dq=(0.0, 0.0, 0.0), model=MODEL):
        self.model, self.q, self.dq = model, np.array(q, float), np.array(dq, float)

    def advance(self, seconds, efforts, step=1e-3):
        for _ in range(round(seconds / step)):
            acceleration = forward_dynamics(self.model, np.stack([self.q, self.dq]), np.asarray(efforts)[None])[0]
            self.dq = self.dq + step * acceleration
            self.q = self.q + step * self.dq


def assert_no_jump(commands, bounds, last=None):
    """No step beyond what the rate allows for the time since the last command, nor beyond the longest step; nothing beyond its limit."""
    last = np.zeros(len(bounds.effort)) if last is None else last
    then = -np.inf
    for now, command in commands:
        step = np.abs(command - last)
        assert (step <= bounds.effort_rate * min(now - then, 0.01) * (1 + 1e-9) + 1e-9).all(), (now, step)
        assert (np.abs(command) <= bounds.effort).all()
        assert np.isfinite(command).all()
        last, then = command, now
