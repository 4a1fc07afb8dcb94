"""The lifecycle node `hod`: setpoints in, feedforwards out, services beside them."""

import traceback
from time import monotonic

from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.lifecycle import LifecycleNode
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from std_msgs.msg import String

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_interfaces.srv import ComputeInverseDynamics
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import HodError
from hod_ros.ros.conversions import INTERNAL
from hod_ros.ros.conversions import REFUSED
from hod_ros.ros.conversions import BadSetpoint
from hod_ros.ros.conversions import FeedforwardWriter
from hod_ros.ros.conversions import SetpointReader
from hod_ros.ros.description import DESCRIPTION
from hod_ros.ros.description import DescriptionSource
from hod_ros.ros.description import ModelHolder
from hod_ros.ros.description import build_model
from hod_ros.ros.diagnostics import PERIOD
from hod_ros.ros.diagnostics import Reporter
from hod_ros.ros.diagnostics import Statistics
from hod_ros.ros.parameters import Parameters
from hod_ros.ros.services import answered
from hod_ros.ros.services import compute_inverse_dynamics

LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


class HodNode(LifecycleNode):

    def __init__(self, **kwargs):
        super().__init__('hod', **kwargs)
        self._answer_wrong_transitions()
        self._settings = Parameters(self, self._on_parameters_changed)
        self._settings.add_check(DESCRIPTION, self._check_description)
        self._order = self._settings['order']
        self._holder = ModelHolder()
        self._model = None
        self._reader = None
        self._writer = FeedforwardWriter(TorqueFeedforward())
        self._feedforward = None
        self._entities = []
        self._active = False
        self._starting = self._settings['autostart']
        self._statistics = Statistics(self.get_logger())
        self._reporter = Reporter(self, self._statistics)
        topic = self.resolve_topic_name(DESCRIPTION)
        self._source = DescriptionSource(self._settings, topic, self.get_logger())
        self.create_subscription(
            String, DESCRIPTION, self._on_description, LATCHED, event_callbacks=self._events(topic))
        self.create_timer(PERIOD, self._on_second, clock=Clock(clock_type=ClockType.STEADY_TIME))
        if not self._starting:
            self.get_logger().info('autostart is false: waiting for a lifecycle manager to configure and activate')
        self._start()

    # Lifecycle

    def on_configure(self, state):
        return self._transition(self._configure, state)

    def on_activate(self, state):
        return self._transition(self._activate, state)

    def on_deactivate(self, state):
        return self._transition(self._deactivate, state)

    def on_cleanup(self, state):
        return self._transition(self._free, state)

    def on_shutdown(self, state):
        return self._transition(self._free, state)

    def on_error(self, state):
        return self._transition(self._free, state)

    def _transition(self, step, state):
        """rclpy turns an exception in a transition into a silent failure: here it is logged."""
        try:
            step(state)
        except HodError as error:
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        except Exception:
            self.get_logger().error(f'a transition failed:\n{traceback.format_exc()}')
            return TransitionCallbackReturn.ERROR
        return TransitionCallbackReturn.SUCCESS

    def _configure(self, state):
        model = self._holder.load(*self._source.current(), self._settings.model_settings)
        self._use(model)
        depth = 10
        overridable = QoSOverridingOptions.with_default_policies()
        self._feedforward = self.create_lifecycle_publisher(
            TorqueFeedforward, '~/feedforward', depth, qos_overriding_options=overridable)
        self._entities = [
            self.create_subscription(
                JointSetpoint, '~/setpoint', self._on_setpoint, depth, qos_overriding_options=overridable,
                event_callbacks=self._events(self.resolve_topic_name('~/setpoint'), count_lost=True)),
            self.create_service(
                ComputeInverseDynamics, '~/compute_inverse_dynamics', answered(self, self._compute_inverse_dynamics)),
        ]
        self.get_logger().info(f'configured: {self._holder}')
        for warning in model.warnings:
            self.get_logger().warning(f'implausible: {warning}')

    def _activate(self, state):
        super().on_activate(state)
        self._active = True
        self._starting = False
        self.get_logger().info('active')

    def _deactivate(self, state):
        self._active = False
        super().on_deactivate(state)

    def _free(self, state):
        self._active = False
        self._starting = False
        subscription, *services = self._entities or [None]
        if subscription is not None:
            self.destroy_subscription(subscription)
            for service in services:
                self.destroy_service(service)
            self.destroy_lifecycle_publisher(self._feedforward)
        self._entities = []
        self._feedforward = None
        self._reader = None
        self._model = None
        self._holder.clear()

    def _start(self):
        """Autostart: configure and activate as soon as there is a description that can be used."""
        if not self._starting or not self._source.available:
            return
        if self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def _answer_wrong_transitions(self):
        """rclpy raises on a request for a transition that the state doesn't have: answer it with success false."""
        service = self._service_change_state
        change_state = service.callback

        def callback(request, response):
            try:
                return change_state(request, response)
            except RuntimeError as error:
                self.get_logger().warning(f'a requested transition is not possible in the state {self._state}: {error}')
                response.success = False
                return response
        service.callback = callback

    @property
    def _state(self):
        return self._state_machine.current_state[1]

    # Robot description

    def _use(self, model):
        """Computes with this model from the next setpoint on."""
        self._reader = SetpointReader(model)
        self._model = model

    def _on_description(self, message):
        if self._source.receive(message.data) is None:
            return
        if self._state == 'unconfigured':
            self._start()
        else:
            self._swap()

    def _swap(self):
        """Takes the latest description, or says why the last good one stays."""
        try:
            model = self._holder.load(*self._source.current(), self._settings.model_settings)
        except HodError as error:
            self.get_logger().error(f'robot description refused, the last good model stays in use: {error}')
            return
        self._use(model)
        self.get_logger().info(f'new robot description: {self._holder}')

    def _check_description(self, text):
        """What is wrong with a value for the parameter robot_description, or None."""
        if not text:
            return None
        try:
            build_model(text, self._settings.model_settings)
        except HodError as error:
            return str(error)
        return None

    def _on_parameters_changed(self, names):
        self._order = self._settings['order']
        configured = self._holder.model is not None
        if DESCRIPTION in names and configured and self._source.available:
            self._swap()
        elif DESCRIPTION in names:
            self._start()
        if 'gravity' in names and configured:
            self._use(self._holder.replace(gravity=self._settings['gravity']))

    # Setpoints and services

    def _on_setpoint(self, setpoint):
        statistics = self._statistics
        statistics.received += 1
        statistics.last_setpoint = monotonic()
        if not self._active:
            statistics.inactive += 1
            return
        try:
            q, columns = self._reader.read(setpoint, self._order)
            Q = inverse_dynamics(self._model, q)
            self._feedforward.publish(self._writer.write(setpoint, Q, columns))
        except BadSetpoint as error:
            statistics.drop(error.reason, str(error))
        except HodError as error:
            statistics.drop(REFUSED, str(error))
        except Exception as error:
            statistics.drop(INTERNAL, f'internal error, please report it: {error!r}')
        else:
            statistics.published += 1

    def _compute_inverse_dynamics(self, request, response):
        settings = self._settings
        compute_inverse_dynamics(self._model, request, response, settings['max_order'], settings['max_samples'])

    # Once a second

    def _on_second(self):
        waiting_for = self._source.wanted(self._holder.fault) if self._starting else None
        if waiting_for:
            self.get_logger().info(f'waiting for {waiting_for}')
        self._reporter.report(self._state, self._holder, waiting_for)

    def _events(self, topic, count_lost=False):
        """Event callbacks of a subscription: publishers whose QoS can't match, and messages lost, are counted."""
        def incompatible(event):
            self._statistics.incompatible[topic] = event.total_count
            self.get_logger().warning(
                f'a publisher on {topic} offers a QoS that this node can\'t receive ({event.last_policy_kind}); '
                'see the qos_overrides parameters, or make it reliable (and transient local for a description)')

        def lost(event):
            self._statistics.lost = event.total_count

        return SubscriptionEventCallbacks(incompatible_qos=incompatible, message_lost=lost if count_lost else None)
