# SPDX-License-Identifier: Apache-2.0
"""Every parameter of every node: name, default, meaning, range, and whether it may change. All else about parameters follows from here.

The node `hod` declares EVERY_NODE and HOD, `hod_elastic_controller` EVERY_NODE and CONTROLLER, `hod_elastic_plant` EVERY_NODE and PLANT.
The last two take all parameters at their start only. Drives, elastic.<joint>.<figure>, are registered with hod_ros.actuators.
`tools/write_reference.py` writes config/hod.yaml and the table in docs/reference.md.
"""

from dataclasses import replace
from math import inf

from hod_ros.ros.parameters.specifications import DOUBLES
from hod_ros.ros.parameters.specifications import STRINGS
from hod_ros.ros.parameters.specifications import Specification

HIGHEST_ORDER = 100
GOAL, STOPPED, GOAL_TIME = 0.05, 0.05, 2.0      # tolerances of a goal's end, [rad] or [m], [rad/s] or [m/s], [s]
LONGEST_TIMEOUT = 3600.0    # [s]

EVERY_NODE = (
    Specification(
        'robot_description', '', 'URDF of the robot. Where it is empty, the topic robot_description gives it. A new one on the topic is '
        'loaded beside a running stream; one set here is checked first, and holds up the stream while it is.', changeable=True),
    Specification(
        'joints', [], 'Joints to compute, in this order; empty: all moving joints that mimic no other and are not in locked_positions. '
        'The others are locked.', type=STRINGS, unique=True),
    Specification(
        'locked_positions.<joint>', 0.0, 'Position at which a joint is locked [rad] or [m], also where `joints` is empty; one that is in '
        '`joints` may not be named. Joints that are locked because `joints` leaves them out are so at 0 where nothing is said.',
        example=0.04),
    Specification(
        'gravity', [0.0, 0.0, -9.81], "Gravity in the frame of the robot's root link: x, y, z [m/s^2]. To be changed on tilted and mobile "
        'bases.', elements='x, y, z in the base frame [m/s^2]', bounds=(-1000.0, 1000.0), changeable=True),
    Specification(
        'armature.<joint>', 0.0, "Inertia of a joint's rotor, reflected to the joint (rotor inertia x gear ratio^2) [kg m^2] or [kg].",
        bounds=(0.0, 1e6), example=0.2),
    Specification(
        'payload.link', '', 'Link that carries a load; empty: none. The service ~/set_payload sets these four together.', changeable=True),
    Specification('payload.mass', 0.0, "The load's mass [kg].", bounds=(0.0, 1e6), changeable=True),
    Specification(
        'payload.center', [0.0, 0.0, 0.0], "The load's centre of mass in the link's frame: x, y, z [m].",
        elements="x, y, z in the link's frame [m]", changeable=True),
    Specification(
        'payload.inertia', [0.0] * 6, "The load's inertia about its centre of mass along the link's axes: ixx, ixy, ixz, iyy, iyz, izz "
        '[kg m^2].', elements='ixx, ixy, ixz, iyy, iyz, izz [kg m^2]', changeable=True),
)

REALTIME_PRIORITY = Specification(
    'realtime_priority', 20, 'SCHED_FIFO priority of all that a setpoint passes through, where the system permits it (root, or an rtprio '
    "limit); below ros2_control's 50, above everything ordinary. 0: left as the node was started. Services are never raised.",
    bounds=(0, 99))

LIMITS_OF_COMMANDS = (
    Specification(
        'limits.<joint>.effort', inf, 'Largest effort [N m] or [N]; what exceeds a limit is flagged in ~/feedforward and named in the '
        'diagnostics.', bounds=(0.0, inf), changeable=True, example=87.0),
    Specification(
        'limits.<joint>.effort_rate', inf, 'Largest effort rate [N m/s] or [N/s]; of commands, where it is not given: ten effort limits a '
        'second.', bounds=(0.0, inf), changeable=True, example=1000.0),
    Specification(
        'limits.<joint>.velocity', inf, 'Largest velocity [rad/s] or [m/s].', bounds=(0.0, inf), changeable=True, example=2.1),
    Specification(
        'limits.<joint>.lower', -inf, 'Lowest position [rad] or [m].', bounds=(-inf, inf), changeable=True, example=-2.9),
    Specification(
        'limits.<joint>.upper', inf, 'Highest position [rad] or [m].', bounds=(-inf, inf), changeable=True, example=2.9),
)

HOD = (
    Specification(
        'autostart', True, 'Configure and activate as soon as there is a valid robot_description; false for a lifecycle manager.'),
    REALTIME_PRIORITY,
    Specification(
        'joint_friction', False, "Add the friction of the description's <dynamics damping friction> to the efforts on topics (services "
        "leave it out): damping q' + friction tanh(q' / joint_friction_width). The first part is exact; the second is a smooth law in "
        "place of Coulomb's.", changeable=True),
    Specification(
        'joint_friction_width', 0.05, 'At this velocity the dry friction has 76 % of its value, at three times this 99.5 % [rad/s] or '
        "[m/s]. Narrower is closer to Coulomb's law and makes larger rates where a joint turns round.", bounds=(1e-9, 1e9),
        changeable=True),
    Specification(
        'order', 2, 'Highest time derivative of the efforts to publish: 0 efforts, 1 rates, 2 accelerations.', bounds=(0, HIGHEST_ORDER),
        changeable=True),
    *LIMITS_OF_COMMANDS,
    Specification(
        'limits.<joint>.effort_acceleration', inf, 'Largest effort acceleration [N m/s^2] or [N/s^2].', bounds=(0.0, inf), changeable=True,
        example=1e5),
    Specification(
        'limits.<joint>.jerk', inf, 'Largest jerk [rad/s^3] or [m/s^3] of trajectories that this node interpolates: what exceeds it is '
        'refused, and cancels, timeouts and late chunks stop no more abruptly.', bounds=(1e-9, inf), changeable=True, example=1000.0),
    Specification(
        'limits.clip', False, 'Clip efforts to their limits instead of flagging them only; their rates and higher derivatives are then '
        'left empty.', changeable=True),
    Specification(
        'limits.use_description', False, 'Take the limits of the robot description (those above 0) for joints without one here; with '
        'publish_commands they always are.', changeable=True),
    Specification(
        'damping_filter', False, 'Let a filter that remembers earlier setpoints, and goes by their stamps, follow the dampers beside '
        'springs (elastic.<joint>.damping without damping_terms); false: such drives are refused.'),
    Specification(
        'setpoint_timeout', 0.1, 'Setpoints are stale when no good one has arrived for so long [s]; 0: never. ~/feedforward has stopped by '
        'itself then, for it answers setpoints; ~/commands does what on_timeout says.', bounds=(0.0, LONGEST_TIMEOUT), changeable=True),
    Specification(
        'on_timeout', 'gravity', 'What ~/commands carries a hundred times a second while setpoints are stale and after a fault, and when '
        "the node is deactivated or ends: 'gravity' (with fresh joint_states, torque that brakes the robot and holds it where it is "
        "measured; where they have just stopped, torque that brakes the motion as it was planned; without, the torque that holds the last "
        "position, with payload, without external wrenches), 'zero', or 'stop' (nothing: "
        'an effort controller then holds its last command for ever). Commands never jump to it.', one_of=('gravity', 'zero', 'stop'),
        changeable=True),
    Specification(
        'wrench_timeout', 0.0, 'An external wrench ceases when the next one on its link has not arrived for so long [s]; 0: it holds until '
        'the next.', bounds=(0.0, LONGEST_TIMEOUT), changeable=True),
    Specification(
        'publish_commands', False, 'Publish the efforts on ~/commands for an effort controller, behind guards: docs/bringup.md says what '
        'stops the robot. Every joint needs an effort limit, from the description or from limits.<joint>.effort.'),
    Specification(
        'command_joints', [], "Joints of ~/commands, in the controller's order; empty: all, in the order of the model.", type=STRINGS,
        unique=True),
    Specification(
        'max_age', 0.1, 'A setpoint that is older by its stamp is answered but not commanded, once stamps and clock have agreed [s]; 0: '
        'never.', bounds=(0.0, LONGEST_TIMEOUT), changeable=True),
    Specification(
        'source_timeout', 0.5, 'Another source of setpoints may command, or have the answers of ~/motor_feedforward, only when the one '
        'that does has been silent for so long [s].',
        bounds=(1e-3, LONGEST_TIMEOUT), changeable=True),
    Specification(
        'joint_states_timeout', 0.1, 'Measured positions and velocities are fresh for so long [s].', bounds=(1e-3, LONGEST_TIMEOUT),
        changeable=True),
    Specification(
        'on_joint_states_loss', 'fault', 'joint_states that have come and stop for joint_states_timeout while setpoints are commanded: '
        "'fault' (the stream ends and the robot is braked as it was planned to move; only ~/reset lets another begin), or 'continue' (it "
        'goes on without limits of what is measured; no other stream begins before they come again).', one_of=('fault', 'continue'),
        changeable=True),
    Specification(
        'start_tolerance', 0.1, 'A stream that is commanded starts at most so far from where the robot is measured, and a robot may be '
        'measured so far outside its limits [rad] or [m].', bounds=(0.0, 1e3), changeable=True),
    Specification(
        'hold_bandwidth', 10.0, "With which the robot is braked and held at measured positions [1/s]: q'' = w^2 (hold - q) - 2 w q'; at "
        'most 0.4 over the time between two joint_states.',
        bounds=(0.1, 100.0), changeable=True),
    Specification(
        'model_changes', 'auto', "Another description, with its drives, payload, gravity or friction while active: 'keep' (it waits for "
        "the next activation), 'small' (it is taken where at the last setpoint no torque of a joint or motor steps by more than "
        "largest_model_step, and no motor by more than what changes its spring's torque by so much), or 'auto': keep where commands are "
        'published, else taken at once.', one_of=('auto', 'keep', 'small'), changeable=True),
    Specification(
        'largest_model_step', 0.05, 'Largest torque step of a change of the model that is small, in effort limits.', bounds=(0.0, 1.0),
        changeable=True),
    Specification(
        'rate', 500.0, 'Setpoints that the node streams of trajectories (~/joint_trajectory, ~/follow_joint_trajectory) [1/s].',
        bounds=(1.0, 2000.0)),
    Specification(
        'trajectory.max_deviation', 1e-3, 'How far the path of a trajectory may leave the straight line between two of its points, '
        "Euclidean over the joints [rad] or [m]; .inf: any. MoveIt's points on blended corners want some 5e-3.", bounds=(1e-9, inf),
        changeable=True),
    Specification(
        'trajectory.margin', 0.8, 'The part of the limits of efforts and their rates that a trajectory may use; else it is refused.',
        bounds=(0.01, 1.0), changeable=True),
    Specification(
        'trajectory.chunk_rate', 0.0, 'Points a second of trajectories without times, as policies emit them: the first is due after one '
        'period [1/s]; 0: such are refused.', bounds=(0.0, 1e4), changeable=True),
    Specification(
        'allow_partial_joints_goal', False, 'Whether a trajectory may leave joints out, which then stay where they are.', changeable=True),
    Specification(
        'forward_to', '', "A joint_trajectory_controller's action, such as /arm_controller/follow_joint_trajectory: goals are checked, "
        'smoothed, filled with effort and passed on to it; empty: they are streamed by this node.'),
    Specification(
        'constraints.<joint>.trajectory', 0.0, 'Path tolerance of goals: how far the robot may be measured from the trajectory on the way '
        '[rad] or [m]; 0: any.', bounds=(0.0, inf), changeable=True, example=0.2),
    Specification(
        'constraints.<joint>.goal', GOAL, 'Goal tolerance: how far from the last point the robot may be measured at the end [rad] or [m]; '
        '0: any.', bounds=(0.0, inf), changeable=True, example=0.02),
    Specification(
        'constraints.stopped_velocity_tolerance', STOPPED, 'Measured velocity that counts as standing at the end of a goal [rad/s] or '
        '[m/s]; 0: any.', bounds=(0.0, inf), changeable=True),
    Specification(
        'constraints.goal_time', GOAL_TIME, 'How long after the end of its trajectory a goal may take to be reached [s]; 0: as long as it '
        'takes.', bounds=(0.0, LONGEST_TIMEOUT), changeable=True),
    Specification(
        'max_order', 20, 'Highest order that a service request may ask for.', bounds=(0, HIGHEST_ORDER), changeable=True),
    Specification('max_samples', 10000, 'Most samples that a service request may carry.', bounds=(1, 1_000_000), changeable=True),
    Specification(
        'max_seconds', 10.0, 'Most time of a processor that a service request may take [s].', bounds=(0.1, LONGEST_TIMEOUT),
        changeable=True),
    Specification(
        'threads', 0, 'On how many threads the samples of one service request are computed at most; 0: what the environment variable '
        'HOD_ROS_THREADS says, else as many as there are cores and pay.', bounds=(0, 256)),
)

CONTROLLER = (
    Specification(
        'bandwidth', 3.0, 'Of each joint under the PD control of its motors [Hz]: with links, payload and springs, at every posture.',
        bounds=(1e-3, 1e4)),
    Specification('damping', 0.7, 'Damping ratio of the PD control, at every joint.', bounds=(1e-3, 0.999)),
    Specification(
        'gains.<motor>.position', 0.0, 'Gain of a motor, in place of that by bandwidth and damping [N m/rad].', bounds=(0.0, 1e12)),
    Specification(
        'gains.<motor>.velocity', 0.0, 'Gain of a motor, in place of that by bandwidth and damping [N m s/rad].', bounds=(0.0, 1e12)),
    Specification(
        'delay', 1e-3, 'From the time of a state until torques that answer it act [s]. Gains under which the loop would not bear it, and '
        'half a `period`, are refused.', bounds=(0.0, 1.0)),
    Specification(
        'measure_delay', True, 'Measure how old states are when torques answer them, by stamps that agree with the clock: more than the '
        'loop bears is warned of, more than twice that is a fault. False: where the clocks of two hosts differ by milliseconds.'),
    Specification(
        'source_timeout', 0.5, 'Another source of references is listened to only when the one that is has been silent for so long [s].',
        bounds=(1e-3, LONGEST_TIMEOUT)),
    Specification('timeout', 0.05, 'States and references are stale when none came for so long [s].', bounds=(1e-3, LONGEST_TIMEOUT)),
    Specification(
        'on_timeout', 'hold', "While references are stale and after a fault: 'hold' brings the motors to rest and holds them there, "
        "'damping' brakes the motors, 'zero' gives them no torque. While states are stale: 'hold' carries the arm by the model alone, the "
        'others give no torque.', one_of=('hold', 'damping', 'zero')),
    Specification(
        'stop_service', '', 'Service (std_srvs/Trigger) that brakes or deactivates the motors: every fault calls it until it has '
        'succeeded, and the end of the node does. Empty: none.'),
    Specification(
        'start_tolerance', 1.0, 'References are followed from so far from where the motors are, at most, at the start, after a stop and '
        'where they jump: the motors go there within a third of the velocity limits, half of those of torque and torque rate [rad] or [m].',
        bounds=(0.0, 1e3)),
    Specification(
        'largest_error', 0.2, "Of the motors, on the joints' side; beyond it is a fault. A robot may be measured so far outside its limits "
        '[rad] or [m].', bounds=(1e-6, 1e3)),
    *LIMITS_OF_COMMANDS,
    Specification(
        'limits.<joint>.deflection', inf, "Largest deflection of a joint's spring [rad] or [m]; where it is not given: 1.5 times that at "
        'the effort limit, and 0.01 for the time between two encoders; none for springs whose stiffness varies.', bounds=(0.0, inf),
        example=0.05),
    Specification(
        'limits.<joint>.motor_velocity', inf, "Largest velocity of a joint's motors, on their own side of the gear [rad/s]; where it is "
        "not given: the joint's velocity limit times the gear ratio; none for pairs of motors.", bounds=(0.0, inf), example=210.0),
    Specification(
        'disturbance_bandwidth', 0.0, 'Of the observer whose disturbances are taken off the torques [rad/s]; 0: none. It needs '
        'joint_states of the time of motor_states, every `period`, and is stable up to 0.48 / period, above which it is refused.',
        bounds=(0.0, 1e5)),
    Specification(
        'largest_disturbance', 0.3, "Most that is made up for, in the motors' torque limits.", bounds=(0.0, 1.0)),
    Specification(
        'longest_extrapolation', 0.05, 'References are carried to the time of the state over so long at most [s], where synchronous over '
        '`period` at least; those that are further from it are taken as they stand.', bounds=(0.0, 1.0)),
    Specification(
        'synchronous', False, 'Answer each state once, with a reference stamped at most one `period` later, as a lock-step plant needs; '
        'false: answer each state at once with the latest reference.'),
    Specification('period', 1e-3, 'Between two states [s].', bounds=(1e-6, 1.0)),
    REALTIME_PRIORITY,
    Specification('publish_commands', False, 'Publish the torques on ~/commands too, in the order of the motors.'),
)

PLANT = (
    replace(REALTIME_PRIORITY, default=0),
    Specification('lock_step', False, 'Simulate one period for each command; false: keep pace with the wall clock.'),
    Specification('period', 1e-3, 'Time between two states, in which the torques are held [s].', bounds=(1e-6, 1.0)),
    Specification('step', 2e-4, 'Time of an integration step, a whole fraction of the period [s].', bounds=(1e-7, 1.0)),
    Specification('start_at_first_command', True, 'Time stands still until the first command comes.'),
    Specification('integrator', 'RK4', "MuJoCo's.", one_of=('Euler', 'RK4', 'implicit', 'implicitfast')),
    Specification(
        'torque_timeout', 0.1, 'Free-running: the motors have no torque when no command has arrived for so long [s].',
        bounds=(0.0, LONGEST_TIMEOUT)),
    Specification(
        'initial_positions', [0.0], 'Joint positions at the start [rad] or [m]; one number: of all joints; empty: 0.'),
    Specification(
        'initial_velocities', [0.0], 'Joint velocities at the start [rad/s] or [m/s]; one number: of all joints; empty: 0.'),
    Specification('initial_motor_positions', [], "On the motors' side [rad]; empty: springs relaxed.", type=DOUBLES),
    Specification('initial_motor_velocities', [], "On the motors' side [rad/s]; empty: as their joints.", type=DOUBLES),
    Specification('initial_motor_torques', [], "That act until the first command [N m]; empty: none.", type=DOUBLES),
)

TABLE = {
    'hod': (*EVERY_NODE, *HOD),
    'hod_elastic_controller': (*EVERY_NODE, *CONTROLLER),
    'hod_elastic_plant': (*EVERY_NODE, *PLANT),
}
PAGES = {'hod': 'config/hod.yaml', 'hod_elastic_controller': 'docs/elastic-joints.md', 'hod_elastic_plant': 'docs/elastic-joints.md'}
CHANGING = 'hod'        # the node whose parameters may change
