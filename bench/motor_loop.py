# SPDX-License-Identifier: Apache-2.0
"""A Panda with elastic joints on MuJoCo under the controller's own gate and law, in one process; references and states may be lost."""

from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

import numpy as np

from hod_ros import ElasticPlant
from hod_ros import PreparedDrives
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import example_robot
from hod_ros.ros.elastic.disturbances import Disturbances
from hod_ros.ros.elastic.laws import MotorPd
from hod_ros.ros.elastic.laws import State
from hod_ros.ros.elastic.motor_model import MotorModel
from hod_ros.ros.guards.faults import Fault
from hod_ros.ros.guards.motor_bounds import motor_bounds
from hod_ros.ros.guards.motor_gate import MotorGate
from hod_ros.ros.guards.motor_gate import Settings

PERIOD, STEP = 1e-3, 2e-4           # [s] of the controller, of the plant
CENTRE = np.array([0.0, -0.4, 0.0, -1.6, 0.0, 1.6, 0.7])
AMPLITUDE, FREQUENCY, SHIFT = 0.4, 4.0, 0.7
DAMPING = 0.5           # [N m s/rad] beside the springs, which the controller does not know: no spring swings for ever
# The Panda's own ranges of these two do not hold the motion.
WIDER = {'lower': {'panda_joint4': -3.0, 'panda_joint6': -0.5}, 'upper': {'panda_joint4': 0.1}}
NO_LIMITS = dict.fromkeys(('effort', 'effort_rate', 'velocity', 'lower', 'upper', 'deflection', 'motor_velocity'), {})


def motion(t, n=7):
    """q (5, n) at t [s]: that of the demo, about a posture within the Panda's ranges."""
    phase = FREQUENCY * t + SHIFT * np.arange(n)
    q = np.stack([AMPLITUDE * FREQUENCY**k * np.sin(phase + k * np.pi / 2) for k in range(5)])
    q[0] += CENTRE
    return q


@dataclass
class Trace:
    """Of each period."""

    times: list = field(default_factory=list)           # [s]
    positions: list = field(default_factory=list)       # (n,) of the joints
    wanted: list = field(default_factory=list)          # (n,) of the joints, as the gate wants them, by springs as they are believed
    torques: list = field(default_factory=list)

    def arrays(self):
        return tuple(np.array(column) for column in (self.times, self.positions, self.wanted, self.torques))


class MotorLoop:
    """drives: those that the controller believes; real: (model, drives) of the plant, as believed where it is None."""

    def __init__(self, model, drives, *, settings=None, bandwidth=3.0, damping=0.7, gains=None, limits=None, real=None,
                 disturbance_bandwidth=0.0):
        self.prepared = PreparedDrives(model, drives)
        self.fault = Fault()
        self.bounds = motor_bounds(self.prepared, **NO_LIMITS | (WIDER if limits is None else limits))
        self.model = MotorModel(self.prepared)
        self.law = MotorPd(self.prepared, bandwidth=bandwidth, damping=damping, gains=gains)
        self.gate = MotorGate(self.model, self.law, self.bounds, settings or Settings(), self.fault)
        self.plant = ElasticPlant(*(real or (model, self.prepared)), step=STEP)
        self.disturbances = Disturbances(
            self.prepared, self.bounds.effort, bandwidth=disturbance_bandwidth, period=PERIOD, delay=0.0, share=0.5)
        self.last = np.zeros(len(self.prepared.motor_names))
        self.time = 0.0
        self.trace = Trace()

    @classmethod
    def of_panda(cls, **options):
        model = RobotModel.from_urdf(example_robot('panda'))
        drive = SeriesElastic(stiffness=3000.0, motor_inertia=2e-5, gear_ratio=100.0)
        real = dict.fromkeys(model.joint_names, replace(drive, damping=DAMPING))
        return cls(model, dict.fromkeys(model.joint_names, drive), **{'real': (model, real)} | options)

    def place(self, q):
        """The arm moves as q (5, n) says, under the torques that this takes."""
        m = self.prepared.motor_feedforward(q)
        self.plant.set_state(q[0], q[1], m.positions, m.velocities)
        self.last = np.array(m.efforts)

    def reference(self, q):
        """Rows of the motors for q (5, n)."""
        m = self.prepared.motor_feedforward(q)
        return np.stack([m.positions, m.velocities, m.accelerations, m.efforts, self.prepared.effort_rates(q, m)])

    def state(self):
        plant = self.plant
        return State(plant.motor_positions, plant.motor_velocities, self.last, plant.positions, plant.velocities)

    def run(self, seconds, reference=None, *, states=True, disturbed=None):
        """Goes on for so long; reference: function of the time -> q (5, n), None: none come. states: whether they come.
        disturbed: (n,) torques that the world exerts on the joints."""
        for _ in range(round(seconds / PERIOD)):
            t, gate = self.time, self.gate
            # A torque that is held over the period suits its middle.
            rows = None if reference is None else self.reference(reference(t + PERIOD / 2))
            if rows is not None:
                back = -PERIOD / 2
                rows[0] += back * (rows[1] + 0.5 * back * rows[2])
                rows[1] += back * rows[2]
            state = self.state()
            if states:
                seen = self.disturbances.take(t, self.last, state) if gate.wanted is not None else None
                torques = gate.command(t, state, rows, disturbances=seen)
            else:
                torques = gate.blind(t, 'no motor_states came', disturbances=self.disturbances.torques)
            self.last = np.zeros(len(self.last)) if torques is None else np.array(torques)
            self._note(t)
            for _ in range(round(PERIOD / STEP)):
                self.plant.step(self.last, joint_torques=disturbed)
            self.time = t + PERIOD
        return self

    def _note(self, t):
        trace, wanted = self.trace, self.gate.wanted
        trace.times.append(t)
        trace.positions.append(self.plant.positions.copy())
        trace.torques.append(self.last.copy())
        place = np.full(len(self.plant.positions), np.nan)
        if wanted is not None:
            p = self.prepared
            torque = (wanted[3] - p.motor_inertia * wanted[2]) * p.gear_ratio
            place = self.model.of_joints(wanted[0]) - torque[:len(place)] / np.array([drive.stiffness for drive in p.drives])
        trace.wanted.append(place)
