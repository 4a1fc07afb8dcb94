# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `hod`: setpoints in, feedforwards and commands out, services beside them. Its parts are wired here."""

import gc
from collections.abc import Callable
from time import monotonic

from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import LinkWrench
from hod_interfaces.msg import MotorFeedforward
from hod_interfaces.msg import TorqueFeedforward
from hod_ros.errors import HodError
from hod_ros.ros.autostart import Autostart
from hod_ros.ros.entities import Entities
from hod_ros.ros.guards.rate_limiter import LONGEST_STEP
from hod_ros.ros.lifecycle import ManagedNode
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.reporting import diagnostics
from hod_ros.ros.reporting.guards_status import guards_status
from hod_ros.ros.reporting.log import STEADY
from hod_ros.ros.reporting.quality import CALLS
from hod_ros.ros.reporting.quality import DEPTH
from hod_ros.ros.reporting.quality import LATCHED
from hod_ros.ros.reporting.quality import Partners
from hod_ros.ros.robot.keeper import RobotKeeper
from hod_ros.ros.robot.source import DESCRIPTION
from hod_ros.ros.scheduling import take_priority
from hod_ros.ros.services.host_process import ServiceProcess
from hod_ros.ros.services.set_payload import PayloadService
from hod_ros.ros.services.table import ANSWERED
from hod_ros.ros.services.table import COMPUTED
from hod_ros.ros.services.table import answered
from hod_ros.ros.setpoints.commands import Commands
from hod_ros.ros.setpoints.fault_topic import FaultTopic
from hod_ros.ros.setpoints.information import with_information
from hod_ros.ros.setpoints.joint_states import QOS
from hod_ros.ros.setpoints.joint_states import TOPIC as JOINT_STATES
from hod_ros.ros.setpoints.joint_states import JointStates
from hod_ros.ros.setpoints.path import SetpointPath
from hod_ros.ros.streaming.actions import MISSING
from hod_ros.ros.streaming.actions import TrajectoryAction
from hod_ros.ros.streaming.actions import installed
from hod_ros.ros.streaming.forwarding import Forwarding
from hod_ros.ros.streaming.goals import GoalServer
from hod_ros.ros.streaming.planner import Planner
from hod_ros.ros.streaming.robot import planning_robot
from hod_ros.ros.streaming.streamer import Streamer
from hod_ros.ros.streaming.tolerances import Tolerances
from hod_ros.ros.streaming.trajectory_topic import TOPIC as TRAJECTORIES
from hod_ros.ros.streaming.trajectory_topic import TrajectoryTopic

FORWARDING_PERIOD = 0.005       # [s] between two looks whether effort has been filled in


class HodNode(ManagedNode):

    trajectory_action: Callable[[], TrajectoryAction | None] = staticmethod(installed)

    # So that a node that a bad parameter stopped half made can be destroyed.
    _path = _keeper = _service_process = _planner = _streamer = None

    def __init__(self, **kwargs):
        super().__init__('hod', **kwargs)
        self._settings = Parameters(self, 'hod')
        self._entities = Entities(self)
        self._path = SetpointPath(self._settings, Partners(self), self.get_logger())
        self._keeper = RobotKeeper(self, self._settings, self._use, self._check, self._path.hindrance)
        self._fault = FaultTopic(self, lambda: self._path.reset(self._fault.fault))
        self._service_process = ServiceProcess(self, COMPUTED, self._settings['threads'])
        self._planner, self._forwarding_planner = Planner(), Planner()
        self._forwarding = None
        self._controllers = {}          # name of an action -> its client
        self._streamer = Streamer(
            self._path, self._planner, self._refresh, self._stream_time, lambda: self.get_clock().now().to_msg(), self.get_logger())
        self._answers = {'set_payload': PayloadService(self, self._settings, self._keeper, self._path).answer}
        self._reporter = diagnostics.Reporter(self)
        self._settings.listen(self._keeper.check, self._on_parameters_changed)
        self._autostart = Autostart(self, self._settings, self._keeper)
        self.create_subscription(String, DESCRIPTION, self._on_description, LATCHED)
        self.create_timer(diagnostics.PERIOD, self._on_second, clock=STEADY)
        take_priority(self.get_logger(), self._settings['realtime_priority'])
        self._autostart.start()

    # Lifecycle

    def _configure(self, state):
        self._keeper.load()
        try:
            self._make_interface()
        except HodError as error:
            self._release()
            self._keeper.refuse('parameters', error)
            raise
        self.get_logger().info(f'configured: {self._keeper.robot}')
        self._keeper.warn()
        self._warn_of_payload_without_link()

    def _make_interface(self):
        """Topics and services other than those that are there from the start."""
        make, path = self._entities, self._path
        self._joint_states = joint_states = JointStates()
        joint_states.subscription = make.raw_subscription(JointState, JOINT_STATES, joint_states.keep, QOS)
        path.open(
            make.publisher(TorqueFeedforward, '~/feedforward'),
            self._make_commands(joint_states) if self._settings['publish_commands'] else None)
        self._use(self._keeper.robot)
        self._make_trajectories()

        def on_setpoint(setpoint, information):
            path.take(setpoint, information, setpoints.get_publisher_count)

        setpoints = make.subscription(JointSetpoint, '~/setpoint', with_information(on_setpoint))
        make.subscription(LinkWrench, '~/external_wrench', path.take_wrench)
        for name, service in ANSWERED.items():
            make.service(service.type, f'~/{name}', answered(self.get_logger(), self._answers[name]))
        self._service_process.start()

    def _make_trajectories(self):
        make, streamer = self._entities, self._streamer
        streamer.open(make.publisher(JointSetpoint, '~/setpoint_stream'), make.timer(1 / self._settings['rate'], streamer.tick))
        topic = TrajectoryTopic(streamer, self._start_of, self.get_logger())
        self._trajectories = make.raw_subscription(JointTrajectory, TRAJECTORIES, topic.take, DEPTH)
        action = self.trajectory_action()
        if action is None:
            self.get_logger().info(MISSING)
            return
        follower = streamer
        if self._settings['forward_to']:
            name = self._settings['forward_to']
            follower = self._forwarding = make.own(Forwarding(
                self._controller(action, name), action, name, self._path, self._refresh, self._forwarding_planner))
            make.timer(FORWARDING_PERIOD, follower.poll)
        make.own(GoalServer(
            self, action, follower, lambda: Tolerances.of(self._path.joint_names, self._settings), self._start_of))

    def _controller(self, action, name):
        """A client is kept for the next time: rclpy's EventsExecutor crashes where one is destroyed while something comes to it."""
        if name not in self._controllers:
            self._controllers[name] = ActionClient(
                self, action.type, name, goal_service_qos_profile=CALLS, result_service_qos_profile=CALLS, cancel_service_qos_profile=CALLS)
        return self._controllers[name]

    def _make_commands(self, joint_states):
        make = self._entities
        make.timer(LONGEST_STEP, self._path.on_command_period)
        return Commands(
            make.publisher(Float64MultiArray, '~/commands'), self._settings, self._fault, joint_states, self.get_clock(), self.get_logger())

    def _activate(self, state):
        self._autostart.claim()
        self._keeper.take_kept()
        self._path.activate()
        self._activate_publishers(state)
        self._autostart.note_activation()
        gc.collect()
        gc.freeze()     # what was made until now is not searched for garbage in the middle of a stream
        self.get_logger().info('active')

    def _deactivate(self, state):
        self._end_trajectories('the node was deactivated')
        self._path.deactivate()
        self._deactivate_publishers(state)

    def _free(self, state):
        self._end_trajectories('the node is being cleaned up')
        self._path.deactivate()
        self._keeper.awaited = False
        self._release()

    def _release(self):
        """Gives back all that configuring made."""
        self._streamer.close()
        self._entities.destroy()
        self._forwarding = None
        self._path.close()
        self._service_process.stop()
        self._planner.close()
        self._forwarding_planner.close()
        self._keeper.clear()
        gc.unfreeze()

    @property
    def commanding(self):
        return self._path.commanding

    def send_last_command(self):
        """What an effort controller then holds, sent by a thread that is not the executor's."""
        self._path.send_last_command(listen=False)

    def destroy_node(self):
        if self._service_process is not None:
            self._service_process.ask_to_end()
        if self._planner is not None:
            self._planner.kill()
            self._forwarding_planner.kill()
        if self._path is not None:
            self._path.send_last_command()
        if self._keeper is not None:
            self._keeper.close()
        if self._streamer is not None:
            self._entities.destroy()        # rclpy leaves actions alone, which would keep the node in others' graphs
            for controller in self._controllers.values():
                controller.destroy()
        super().destroy_node()
        if self._planner is not None:
            self._planner.close()
            self._forwarding_planner.close()
        if self._service_process is not None:
            self._service_process.close()

    # Robot and parameters

    def _check(self, robot, changes):
        """HodError where `_use` could not take this robot, with the parameters as they are but for `changes`."""
        self._path.check(robot, changes)
        planning_robot(robot, self._settings.with_changes(changes))

    def _use(self, robot):
        """Another robot, or the same with other parameters; where it raises, all goes on as before."""
        path, planning = self._path, planning_robot(robot, self._settings)
        if robot.drives and not path.has_motor_output:
            publisher = self._entities.publisher(MotorFeedforward, '~/motor_feedforward')
            path.open_motors(publisher)
            if path.active:
                publisher.on_activate(None)
        path.use(robot)
        self._streamer.use(planning)
        self._forwarding_planner.use(planning)
        self._service_process.use(robot, self._settings)

    def _on_description(self, message):
        if self._keeper.receive(message.data) and self.state == 'unconfigured':
            if not self._keeper.awaited:
                self.get_logger().info('a robot description is there: ready to be configured')
            self._autostart.start()

    def _on_parameters_changed(self, names):
        if any(name.startswith('payload.') for name in names):
            self._warn_of_payload_without_link()
        self._keeper.adopt()
        if self._keeper.robot is None and (DESCRIPTION in names or self._keeper.fault):
            self._autostart.start()       # what was wrong may be right now

    def _warn_of_payload_without_link(self):
        mass = self._settings['payload.mass']
        if mass and not self._settings['payload.link']:
            self.get_logger().warning(f'payload.mass is {mass:g} kg, but payload.link is empty: nothing is carried')

    # Trajectories

    def _end_trajectories(self, reason):
        self._streamer.end(reason)
        if self._forwarding is not None:
            self._forwarding.end(reason)

    def _stream_time(self):
        """[s] of trajectories: the steady clock, or a simulation's."""
        clock = self.get_clock()
        return 1e-9 * clock.now().nanoseconds if clock.ros_time_is_active else monotonic()

    def _start_of(self, stamp):
        """[s] of a stamp [ns] on the clock of trajectories."""
        return self._stream_time() + 1e-9 * (stamp - self.get_clock().now().nanoseconds)

    def _refresh(self, measured):
        measured.expected = self._joint_states.published
        self._joint_states.refresh(measured)

    # Once a second

    def _on_second(self):
        keeper = self._keeper
        if keeper.waiting_for:
            self.get_logger().info(f'waiting for {keeper.waiting_for}')
        self._service_process.watch()
        self._path.watch()
        if self.state == 'active' and self._trajectories.get_publisher_count():
            self._planner.start()       # so that the first trajectory doesn't wait for it
        self._reporter.report(
            keeper.robot.model.name if keeper.robot else '',
            [keeper.status(), *self._path.statuses(), self._streamer.status(), guards_status([self._autostart.record, *self._path.guards]),
             self._service_process.status()])
