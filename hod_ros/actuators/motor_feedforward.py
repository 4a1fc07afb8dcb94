# SPDX-License-Identifier: Apache-2.0
"""Motor feedforward: the motion and the torques of the motors that make a robot with elastic joints follow q(t) exactly.

The robot's own equations of motion see the motors only through Q, what the springs pass to the joints (003 (2)): each motor's rotor turns
as if about a fixed axis, which is Spong's assumption, unless its drive says on which link it spins (rotor_coupling.py). So Q, Q', Q'' from
inverse dynamics fix the springs' deflections and their derivatives, these the motors' motion, and (003 (3)) that their torques.
"""

from numpy.typing import ArrayLike

from hod_ros.actuators.motor_motion import MotorFeedforward
from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.dynamics.loads import Wrenches
from hod_ros.model.robot_model import RobotModel


def motor_feedforward(
        model: RobotModel, drives: Drives, q: ArrayLike, *, stiffness: ArrayLike | None = None, wrenches: Wrenches | None = None,
        coupling: str | None = None, threads: int | None = None) -> MotorFeedforward:
    """What the motors must do for the joint motion q: (rows, n) or (samples, rows, n), rows q, q', q'', q''', q'''', ...

    drives: {joint: drive}, all other joints being rigid; or PreparedDrives, which is quicker.
    stiffness: (3, v) or (samples, 3, v), rows k, k', k'' [N m/rad] of the variable-stiffness joints in the model's order; None: as
    configured, constant. Every row of q beyond 5 needs one more. wrenches: as in inverse_dynamics.
    coupling: of rotors that spin on moving links (motor_link), 'five_rows', or 'exact', which takes PreparedDrives.rows rows of q.
    threads: for samples, as in inverse_dynamics.
    Where a spring has no damper, theta = q + Q / k and tau = B theta'' + Q on the joint's side of the gear, 003 (2), (3).

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large; SingularityError where springs
    cannot do it.

        >>> drives = {'panda_joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
        >>> m = motor_feedforward(model, drives, q)
        >>> bool(np.isclose(m.positions[0], q[0, 0] + m.Q[0, 0] / 3000.0)), m.efforts.shape
        (True, (7,))
    """
    return prepared(model, drives, coupling).motor_feedforward(q, stiffness, wrenches, threads=threads)
