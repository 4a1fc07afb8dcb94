"""~/motor_feedforward: what the motors of elastic joints must do for a setpoint; and the service that computes the same.

A setpoint's stiffness fields hold one value for each variable-stiffness joint, in the order of its joint_names.
"""

from array import array
from time import monotonic

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus

from hod_interfaces.msg import MotorFeedforward
from hod_ros.actuators.motor_feedforward import PreparedDrives
from hod_ros.errors import InputError
from hod_ros.ros.elastic.stamped_filter import LONGEST_STEP
from hod_ros.ros.elastic.stamped_filter import StampedFilter
from hod_ros.ros.services.requests import motion_samples
from hod_ros.ros.setpoints.conversions import GAP
from hod_ros.ros.setpoints.conversions import NOT_FINITE
from hod_ros.ros.setpoints.conversions import WRONG_LENGTH
from hod_ros.ros.setpoints.conversions import BadSetpoint

LOG_PERIOD = 1.0        # [s] between two log lines about the same
STIFFNESS_FIELDS = ('stiffnesses', 'stiffness_rates', 'stiffness_accelerations')


def damped_joint(prepared):
    """The first joint whose drive has a state that only a DampingFilter keeps, or None."""
    return next((joint for joint, drive in zip(prepared.model.joint_names, prepared.drives, strict=True) if drive.keeps_state), None)


def check_drives(prepared, damping_filter):
    """InputError where a drive needs a filter and there is none."""
    joint = damped_joint(prepared)
    if joint is not None and not damping_filter:
        raise InputError(
            f'joint {joint!r} has damping without damping_terms, which takes a filter that remembers earlier setpoints; '
            'set the parameter damping_filter to true, or give damping_terms, 1 or more')


def stiffness_motion(setpoint, names, variable):
    """(3, v), rows k, k', k'', of the variable-stiffness joints in the model's order; None where the setpoint has none."""
    if not (setpoint.stiffnesses or setpoint.stiffness_rates or setpoint.stiffness_accelerations):
        return None
    given = [name for name in names if name in variable]
    rows = []
    for field in STIFFNESS_FIELDS:
        values = getattr(setpoint, field)
        if not values:
            raise BadSetpoint(GAP, f"{field} not given; a stiffness motion needs k, k' and k'': {', '.join(STIFFNESS_FIELDS)}")
        if len(values) != len(given):
            raise BadSetpoint(
                WRONG_LENGTH, f'{field} has {len(values)} values; give one for each of the {len(given)} variable-stiffness joints'
                + (f', in this order: {", ".join(given)}' if given else ', that is none'))
        rows.append(values)
    k = np.array(rows)
    if not np.isfinite(k).all():
        row, column = (int(index) for index in np.argwhere(~np.isfinite(k))[0])
        raise BadSetpoint(NOT_FINITE, f'{STIFFNESS_FIELDS[row]} of joint {given[column]!r} is {k[row, column]}; give finite numbers')
    return k[:, [given.index(name) for name in variable]]


class MotorFeedforwards:
    """Answers setpoints for one model and its drives."""

    def __init__(self, model, drives, logger):
        self.prepared = PreparedDrives(model, drives)
        self._filter = StampedFilter(self.prepared) if damped_joint(self.prepared) else None
        self._rows = self.prepared.rows
        self.order = self._rows - 3         # of the efforts that drives need
        self._logger = logger
        self._message = MotorFeedforward(
            motor_names=list(self.prepared.motor_names), joint_names=list(self.prepared.elastic_joints))
        self._next_log = {}
        self.published = self.too_short = 0
        self.saturated = {}                 # motor -> setpoints that need more than its torque_limit
        self._before = 0, 0, 0

    def answer(self, setpoint, q, Q, columns):
        """The message for a setpoint with the motion q (rows, n) and the efforts Q, unclipped; None where it has too few rows."""
        needed = self._rows
        if len(q) < needed or len(Q) < needed - 2:
            self.too_short += 1
            self._warn(
                'rows', f'no motor feedforward for setpoints of which {min(len(q), len(Q) + 2)} rows can be used: drives need {needed}, '
                "q to its snap or higher; give them, with the wrenches' rows to match")
            return None
        stiffness = stiffness_motion(setpoint, columns.names, self.prepared.variable_joints)
        result = self._compute(setpoint, q[:needed], Q[:needed - 2], stiffness)
        saturated = result.saturated
        if saturated.any():
            self._note_saturation(result, saturated)
        message = self._message
        message.header = setpoint.header
        message.positions = array('d', result.positions.tobytes())
        message.velocities = array('d', result.velocities.tobytes())
        message.accelerations = array('d', result.accelerations.tobytes())
        message.efforts = array('d', result.efforts.tobytes())
        message.stiffnesses = array('d', result.stiffnesses.tobytes())
        self.published += 1
        return message

    def _compute(self, setpoint, q, Q, stiffness):
        if self._filter is None:
            return self.prepared.motor_feedforward_of(q, Q, stiffness)
        result, step = self._filter.answer(setpoint.header.stamp, q, Q, stiffness)
        if step is not None:
            self._warn(
                'filter', f'the damping filter began anew: the stamps of two setpoints are {step:g} s apart; it follows steps above 0 s, '
                f'up to {LONGEST_STEP:g} s')
        return result

    def forget(self):
        """The next setpoint is the first of a motion."""
        if self._filter is not None:
            self._filter.forget()

    def continue_from(self, before):
        """Goes on where the one of another model or other drives stands."""
        self.published, self.too_short, self.saturated = before.published, before.too_short, before.saturated
        self._before, self._next_log = before._before, before._next_log
        if self._filter is not None and before._filter is not None:
            self._filter.continue_from(before._filter)

    def status(self):
        """(task, level, short message, values) for diagnostics."""
        counts = sum(self.saturated.values()), self.too_short, 0 if self._filter is None else self._filter.restarts
        saturated, too_short, restarts = (now - before for now, before in zip(counts, self._before, strict=True))
        self._before = counts
        values = {
            'motors': ', '.join(self.prepared.motor_names), 'elastic joints': ', '.join(self.prepared.elastic_joints),
            'published': self.published, 'setpoints with too few rows': self.too_short}
        if self._filter is not None:
            values['damping filter began anew'] = self._filter.restarts
        values |= {f'{motor}: torque limit, times exceeded': count for motor, count in sorted(self.saturated.items())}
        if too_short:
            return 'motors', DiagnosticStatus.WARN, f'{too_short} setpoints with too few rows', values
        if restarts:
            return 'motors', DiagnosticStatus.WARN, f'the damping filter began anew {restarts} times', values
        if saturated:
            return 'motors', DiagnosticStatus.WARN, 'a motor needs more than its torque limit', values
        return 'motors', DiagnosticStatus.OK, f'{len(self.prepared.motor_names)} motors', values

    def _note_saturation(self, result, flags):
        for motor in np.flatnonzero(flags):
            name = self.prepared.motor_names[motor]
            self.saturated[name] = self.saturated.get(name, 0) + 1
            self._warn(name, f'motor {name!r} needs {result.efforts[motor]:.4g} [N m] but is limited to '
                             f'{self.prepared.torque_limit[motor]:.4g}; it is published as needed, not clipped')

    def _warn(self, key, text):
        now = monotonic()
        if now >= self._next_log.get(key, 0.0):
            self._next_log[key] = now + LOG_PERIOD
            self._logger.warning(text)


def compute_motor_feedforward(model, request, response, limits):
    """Fills the response of a ComputeMotorFeedforward request; HodError where it can't."""
    if not limits.drives:
        raise InputError(
            'no elastic joints are configured; set the parameters elastic.<joint>.*, or <hod_elastic> tags in the robot description')
    prepared = PreparedDrives(model, limits.drives)
    q, columns = motion_samples(request, model, limits, prepared.rows, 'drives of these joints need')
    samples, rows, v = len(q), prepared.rows - 2, len(prepared.variable_joints)
    stiffness = None
    if request.stiffness:
        given = [name for name in columns.names if name in prepared.variable_joints]
        if len(request.stiffness) != samples * rows * v:
            raise InputError(
                f'stiffness has {len(request.stiffness)} values; give {samples} x {rows} x {v} = {samples * rows * v}: samples x rows x '
                f'variable-stiffness joints ({", ".join(given) or "there are none"})')
        stiffness = np.array(request.stiffness).reshape(samples, rows, v)[..., [given.index(name) for name in prepared.variable_joints]]
    result = prepared.motor_feedforward(q, stiffness)
    response.motor_names = list(result.names)
    for field in ('positions', 'velocities', 'accelerations', 'efforts'):
        setattr(response, field, array('d', getattr(result, field).tobytes()))
