"""The lifecycle node `hod`: setpoints in, feedforwards and commands out, services beside them."""

import gc
from time import monotonic

from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.lifecycle import TransitionCallbackReturn
from std_msgs.msg import Float64MultiArray
from std_msgs.msg import String

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import LinkWrench
from hod_interfaces.msg import MotorFeedforward
from hod_interfaces.msg import TorqueFeedforward
from hod_interfaces.srv import SetPayload
from hod_ros.errors import HodError
from hod_ros.ros.elastic.motors import MotorFeedforwards
from hod_ros.ros.lifecycle import ManagedNode
from hod_ros.ros.parameters.declaration import warn_of_unknown_parameters
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.parameters.elastic import declare_elastic
from hod_ros.ros.reporting import diagnostics
from hod_ros.ros.reporting.quality import DEPTH
from hod_ros.ros.reporting.quality import LATCHED
from hod_ros.ros.reporting.quality import with_overridable_qos
from hod_ros.ros.reporting.statistics import Statistics
from hod_ros.ros.robot.settings import CHANGEABLE
from hod_ros.ros.robot.settings import model_settings
from hod_ros.ros.robot.source import DESCRIPTION
from hod_ros.ros.robot.source import BackgroundLoader
from hod_ros.ros.robot.source import Candidate
from hod_ros.ros.robot.source import DescriptionSource
from hod_ros.ros.robot.source import ModelHolder
from hod_ros.ros.scheduling import take_priority
from hod_ros.ros.services.payload import set_payload
from hod_ros.ros.services.process import ServiceProcess
from hod_ros.ros.services.requests import Limits
from hod_ros.ros.services.table import SERVICES
from hod_ros.ros.services.table import answered
from hod_ros.ros.setpoints import commands
from hod_ros.ros.setpoints.computation import Computation
from hod_ros.ros.setpoints.conversions import INTERNAL
from hod_ros.ros.setpoints.conversions import REFUSED
from hod_ros.ros.setpoints.conversions import BadSetpoint
from hod_ros.ros.setpoints.conversions import FeedforwardWriter
from hod_ros.ros.setpoints.freshness import Freshness
from hod_ros.ros.setpoints.limits import limits_of
from hod_ros.ros.setpoints.losses import Losses
from hod_ros.ros.setpoints.losses import with_information
from hod_ros.ros.setpoints.wrenches import HeldWrenches

LOADING_POLL = 0.002    # [s] between two looks at a description that is being loaded


class HodNode(ManagedNode):

    _active = False
    _commands = _loader = _service_process = None       # so that a node that a bad parameter stopped half made can be destroyed

    def __init__(self, **kwargs):
        super().__init__('hod', **kwargs)
        self._elastic = tuple((joint, tuple(figures.items())) for joint, figures in declare_elastic(self).items())
        self._settings = Parameters(self, self._check_parameters, self._on_parameters_changed)
        warn_of_unknown_parameters(self, 'config/hod.yaml')
        self._order = self._settings['order']
        self._holder = ModelHolder()
        self._loader = BackgroundLoader()
        self._candidate = None          # of a description that is about to be set as a parameter
        self._computation = None
        self._writer = FeedforwardWriter(TorqueFeedforward())
        self._feedforward = None
        self._motors = self._motor_feedforward = None       # where there are elastic joints
        self._wrenches = HeldWrenches()
        self._wrench_timeout = self._settings['wrench_timeout']
        self._freshness = Freshness(self._settings['setpoint_timeout'])
        self._service_process = ServiceProcess(self, SERVICES)
        self._last_motion = None
        self._subscriptions_made, self._services_made, self._publishers_made, self._timers_made = [], [], [], []
        self._starting = self._settings['autostart']
        self._statistics = Statistics(self.get_logger())
        self._reporter = diagnostics.Reporter(self, self._statistics, self._freshness, self._wrenches)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        topic = self.resolve_topic_name(DESCRIPTION)
        self._source = DescriptionSource(self._settings, topic, self.get_logger())
        self._loading_timer = self.create_timer(LOADING_POLL, self._on_loading, clock=self._steady)
        self._loading_timer.cancel()
        self.create_subscription(String, DESCRIPTION, self._on_description, LATCHED)
        self.create_timer(diagnostics.PERIOD, self._on_second, clock=self._steady)
        take_priority(self.get_logger(), self._settings['realtime_priority'])
        if not self._starting:
            self.get_logger().info('autostart is false: waiting for a lifecycle manager to configure and activate')
        self._start()

    # Lifecycle

    def _configure(self, state):
        self._holder.load(*self._source.current(), self._model_settings())
        try:
            self._make_interface()
        except HodError as error:
            self._release()
            self._holder.refuse('parameters', error)
            raise
        self.get_logger().info(f'configured: {self._holder}')
        self._warn_of_description()
        self._warn_of_payload_without_link()

    def _make_interface(self):
        """Topics and services other than those that are there from the start."""
        self._feedforward = self._publisher(TorqueFeedforward, '~/feedforward')
        if self._settings['publish_commands']:
            self._commands = commands.Commands(
                self._publisher(Float64MultiArray, '~/commands'), list(self._settings['command_joints']))
            self._timers_made = [self.create_timer(commands.PERIOD, self._on_command_period, clock=self._steady)]
        self._use_model()
        self._losses = Losses(self._statistics)
        self._setpoint_subscription = self._subscribe(JointSetpoint, '~/setpoint', with_information(self._on_setpoint))
        self._subscribe(LinkWrench, '~/external_wrench', self._on_external_wrench)
        self._services_made = [
            self.create_service(SetPayload, '~/set_payload', answered(self.get_logger(), self._set_payload)),
        ]
        self._service_process.start()

    def _activate(self, state):
        self._freshness.reset()
        for part in filter(None, (self._commands, self._motors)):
            part.forget()
        self._activate_publishers(state)
        self._active = True
        self._starting = False
        gc.collect()
        gc.freeze()     # what was made until now is not searched for garbage in the middle of a stream
        self.get_logger().info('active')

    def _deactivate(self, state):
        self.send_last_command()
        self._active = False
        self._freshness.reset()
        self._wrenches.clear()
        self._deactivate_publishers(state)

    def _free(self, state):
        self.send_last_command()
        self._active = False
        self._starting = False
        self._release()

    def _release(self):
        """Gives back all that configuring made."""
        for timer in self._timers_made:
            self.destroy_timer(timer)
        for subscription in self._subscriptions_made:
            self.destroy_subscription(subscription)
        for service in self._services_made:
            self.destroy_service(service)
        for publisher in self._publishers_made:
            self.destroy_lifecycle_publisher(publisher)
        self._subscriptions_made, self._services_made, self._publishers_made, self._timers_made = [], [], [], []
        self._motors = self._motor_feedforward = None
        self._feedforward = self._commands = self._computation = self._last_motion = None
        self._wrenches.clear()
        self._loader.cancel()
        self._service_process.stop()
        self._holder.clear()
        gc.unfreeze()

    def _start(self):
        """Autostart: configure and activate as soon as there is a description that can be used."""
        if not self._starting or not self._source.available:
            return
        if self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def destroy_node(self):
        self.send_last_command()
        for part in (self._loader, self._service_process):
            if part is not None:
                part.close()
        super().destroy_node()

    def _publisher(self, message_type, topic):
        publisher = with_overridable_qos(self.create_lifecycle_publisher, message_type, topic, DEPTH)
        self._publishers_made.append(publisher)
        return publisher

    def _subscribe(self, message_type, topic, callback):
        subscription = with_overridable_qos(self.create_subscription, message_type, topic, callback, DEPTH)
        self._subscriptions_made.append(subscription)
        return subscription

    # Robot description and parameters

    def _warn_of_payload_without_link(self):
        mass = self._settings['payload.mass']
        if mass and not self._settings['payload.link']:
            self.get_logger().warning(f'payload.mass is {mass:g} kg, but payload.link is empty: nothing is carried')

    def _model_settings(self, changes=()):
        return model_settings(self._settings, dict(changes), self._elastic)

    def _use_model(self):
        """Computes with the holder's model from the next setpoint on."""
        model = self._holder.model
        if self._computation is not None and self._computation.model.joint_names != model.joint_names:
            self._last_motion = None
        self._use_parameters()
        self._use_drives()
        for link in self._wrenches.keep_links_of(model):
            self.get_logger().warning(f'the external wrench on {link!r} ends, because robot {model.name!r} has no such link')
        self._inform_services()

    def _use_parameters(self):
        """Takes limits and friction as the parameters say now."""
        model, settings = self._holder.model, self._settings
        width = settings['joint_friction_width'] if settings['joint_friction'] else None
        self._computation = Computation(model, limits_of(model, settings, self._statistics.exceed), width)
        if self._commands is not None:
            self._commands.use(self._computation)

    def _use_drives(self):
        drives = self._holder.drives
        before, self._motors = self._motors, MotorFeedforwards(self._holder.model, drives, self.get_logger()) if drives else None
        if before is not None and self._motors is not None:
            self._motors.continue_from(before)
        if drives and self._motor_feedforward is None:
            self._motor_feedforward = self._publisher(MotorFeedforward, '~/motor_feedforward')
            if self._active:
                self._motor_feedforward.on_activate(None)

    def _inform_services(self):
        settings = self._settings
        self._service_process.use(self._holder.model, Limits(settings['max_order'], settings['max_samples'], self._holder.drives))

    def _on_description(self, message):
        if self._source.receive(message.data) is None:
            return
        if self._holder.model is not None:
            self._request_swap()
        elif self._state == 'unconfigured':
            if not self._starting:
                self.get_logger().info('a robot description is there: ready to be configured')
            self._start()

    def _request_swap(self):
        """Loads the latest description in the background; _on_loading takes it into use."""
        self._loader.request(*self._source.current(), self._model_settings())
        self._loading_timer.reset()

    def _on_loading(self):
        done = self._loader.poll()
        if not self._loader.busy:
            self._loading_timer.cancel()
        if done is None:
            return
        source, candidate, error = done
        if isinstance(error, HodError):
            self._holder.refuse(source, error)
            self.get_logger().error(f'robot description refused, the last good model stays in use: {error}')
        elif error is not None:
            self._holder.refuse(source, f'internal error, please report it: {error!r}')
            self.get_logger().error(f'robot description refused, the last good model stays in use: internal error: {error!r}')
        elif candidate.settings != self._model_settings():
            self._request_swap()        # a parameter was changed in the meantime
        else:
            self._swap(candidate)

    def _swap(self, candidate):
        self._holder.take(candidate)
        self._use_model()
        self.get_logger().info(f'new robot description: {self._holder}')
        self._warn_of_description()

    def _warn_of_description(self):
        for warning in self._holder.model.warnings:
            self.get_logger().warning(f'implausible: {warning}')
        for warning in self._holder.unused:
            self.get_logger().warning(warning)

    def _check_parameters(self, changes):
        """Why these parameters can't have these values together, or None."""
        self._candidate = None
        try:
            settings = self._model_settings(changes)
            description = self._source.as_if(changes[DESCRIPTION]) if DESCRIPTION in changes else None
            if description is not None:
                self._candidate = Candidate(*description, settings)
            elif self._holder.plain is not None and not CHANGEABLE.isdisjoint(changes):
                settings.load(self._holder.plain)
        except HodError as error:
            return str(error)
        return None

    def _on_parameters_changed(self, names):
        settings = self._settings
        if any(name.startswith('payload.') for name in names):
            self._warn_of_payload_without_link()
        self._order = settings['order']
        self._wrench_timeout = settings['wrench_timeout']
        self._freshness.timeout = settings['setpoint_timeout']
        candidate, self._candidate = self._candidate, None
        if self._holder.model is None:
            if DESCRIPTION in names:
                self._start()
        elif candidate is not None:
            self._loader.cancel()
            self._swap(candidate)
        elif not CHANGEABLE.isdisjoint(names):
            self._holder.adjust(self._model_settings())
            self._use_model()
        else:
            self._use_parameters()
            self._inform_services()

    # Setpoints, wrenches, commands and services

    def _on_setpoint(self, setpoint, information):
        began = monotonic()
        statistics = self._statistics
        statistics.received += 1
        self._losses.take(information, self._setpoint_subscription.get_publisher_count)
        if not self._active:
            statistics.inactive += 1
            return
        drives, wrenches = self._motors, self._wrenches
        order, motor_order = self._order, 0 if drives is None else drives.order
        if wrenches.order is not None:
            self._end_old_wrenches(began)
            if wrenches.order is not None:
                order, motor_order = min(order, wrenches.order), min(motor_order, wrenches.order)
        try:
            q, Q, shown, columns, flags, clipped = self._computation.run(setpoint, order, motor_order, wrenches.by_link)
            if drives is None and setpoint.stiffnesses:
                self._warn_of_stiffness()
            motors = None if drives is None or clipped else drives.answer(setpoint, q, Q, columns)
            self._feedforward.publish(self._writer.write(setpoint, shown, columns, flags, clipped))
            if motors is not None:
                self._motor_feedforward.publish(motors)
            if self._commands is not None:
                self._commands.send(q[0], shown[0])
        except BadSetpoint as error:
            statistics.drop(error.reason, str(error))
        except HodError as error:
            statistics.drop(REFUSED, str(error))
        except Exception as error:
            statistics.drop(INTERNAL, f'internal error, please report it: {error!r}')
        else:
            self._last_motion = q
            if self._freshness.arrived(began):
                self.get_logger().info('setpoints come again', throttle_duration_sec=1.0, throttle_time_source_type=self._steady)
            statistics.answered(monotonic() - began, clipped)

    def _warn_of_stiffness(self):
        self.get_logger().warning(
            'setpoints carry stiffnesses, but no elastic joint is configured: they are not used', throttle_duration_sec=1.0,
            throttle_time_source_type=self._steady)

    def _on_external_wrench(self, message):
        if self._holder.model is None:      # it came before a cleanup and is handled after it
            return
        try:
            self._wrenches.receive(message, self._holder.model)
        except HodError as error:
            self.get_logger().warning(
                f'refused an external wrench: {error}', throttle_duration_sec=1.0, throttle_time_source_type=self._steady)

    def _end_old_wrenches(self, now):
        for link in self._wrenches.expire(now, self._wrench_timeout):
            self.get_logger().warning(f'the external wrench on {link!r} ends: no other came within {self._wrench_timeout:g} s')

    def _on_command_period(self):
        if not self._active:
            return
        self._watch_freshness()
        if self._freshness.stale:
            self._fall_back()

    def _watch_freshness(self):
        if self._active and self._freshness.check(monotonic()):
            self.get_logger().warning(f'setpoints are stale: no good one came within {self._freshness.timeout:g} s')

    @property
    def commanding(self):
        return self._active and self._commands is not None

    def send_last_command(self):
        """What an effort controller then holds."""
        if self.commanding:
            self._fall_back()

    def _fall_back(self):
        try:
            self._commands.fall_back(self._settings['on_timeout'])
        except HodError as error:
            self.get_logger().error(
                f'~/commands carries zero: {error}', throttle_duration_sec=1.0, throttle_time_source_type=self._steady)
            self._commands.fall_back('zero')

    def _set_payload(self, request, response):
        set_payload(self, self._settings, lambda: self._holder.model, request, response, self._last_motion)

    # Once a second

    def _on_second(self):
        waiting_for = self._source.wanted(self._holder.fault) if self._starting else None
        if waiting_for:
            self.get_logger().info(f'waiting for {waiting_for}')
        self._service_process.watch()
        self._watch_freshness()
        self._end_old_wrenches(monotonic())
        has_limits = self._computation is not None and self._computation.has_limits
        self._reporter.report(
            self._state, self._holder, waiting_for, self._service_process, self._commands, self._settings['on_timeout'], has_limits,
            self._motors)
