# SPDX-License-Identifier: Apache-2.0
"""The robot in use; what is wrong with a newer one leaves the last good one in place."""

import traceback
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from hod_ros.errors import HodError
from hod_ros.ros.lifecycle import ManagedNode
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.reporting.log import STEADY
from hod_ros.ros.reporting.status import ERROR
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.robot.loader import BackgroundLoader
from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.robot.settings import robot_settings
from hod_ros.ros.robot.source import DESCRIPTION
from hod_ros.ros.robot.source import DescriptionSource

POLL = 0.002        # [s] between two looks at a description that is being loaded


class RobotKeeper:
    """`load` takes the first robot. use(robot) is told of each later one, which comes by a description or by a change of parameters, and
    of the same robot where other parameters have changed.

    fits(robot, changes) raises a HodError where it can't be used, with the parameters as they are but for `changes`; hindrance(robot)
    tells why it has to wait for the next activation, as a robot in motion keeps its model: then it is `kept`.
    """

    def __init__(
            self, node: ManagedNode, parameters: Parameters, use: Callable[[Robot], None],
            fits: Callable[[Robot, Mapping[str, Any]], None] = lambda robot, changes: None,
            hindrance: Callable[[Robot], str] = lambda robot: '') -> None:
        self._node = node
        self._logger = node.get_logger()
        self._parameters = parameters
        self._use = use
        self._fits = fits
        self._hindrance = hindrance
        self._source = DescriptionSource(parameters, node.resolve_topic_name(DESCRIPTION), self._logger)
        self._loader = BackgroundLoader()
        self._checked: Robot | None = None      # of parameters that are about to be set
        self._timer = node.create_timer(POLL, self._on_loading, clock=STEADY)
        self._timer.cancel()
        self.robot: Robot | None = None
        self.kept: Robot | None = None          # for the next activation
        self.kept_because = ''
        self.fault = ''                         # what was wrong with the latest description
        self.awaited = False                    # whether the node starts as soon as it has a robot
        self.hindered = ''                      # why it does not although it has one

    @property
    def available(self) -> bool:
        """Whether there is a description that could be loaded."""
        return self._source.available

    @property
    def waiting_for(self) -> str:
        """What the node needs before it can start; empty where it does not wait."""
        if not self.awaited:
            return ''
        return self.hindered or ('' if self.robot else self._source.wanted(self.fault))

    def load(self) -> None:
        """Takes the robot of the current description; HodError where it is bad or there is none."""
        text, source = self._source.current()
        try:
            robot = Robot.build(text, source, robot_settings(self._parameters))
            self._fits(robot, {})
        except HodError as error:
            self.refuse(source, error)
            raise
        self.robot, self.fault = robot, ''

    def take_kept(self) -> None:
        """The robot is at rest: it may become the one that was kept."""
        kept = self.kept
        if kept is not None:
            self._use(kept)
            self.robot, self.kept = kept, None
            self._logger.info(f'what was kept for this activation is in use: {kept}')
            self.warn()

    def refuse(self, source: str, error: object) -> None:
        self.fault = f'{source}: {error}'

    def clear(self) -> None:
        self._loader.cancel()
        self.robot, self.kept, self.fault = None, None, ''

    def close(self) -> None:
        self._loader.close()

    def receive(self, text: str) -> bool:
        """A description on the topic; whether it is one to start with."""
        if not self._source.receive(text):
            return False
        if self.robot is None:
            return True
        self._request()
        return False

    def check(self, changes: dict[str, Any]) -> None:
        """HodError where the robot can't be with these parameters ({name: new value}); what is made here is taken by `adopt`."""
        self._checked = None
        settings = robot_settings(self._parameters, changes)
        description = self._source.as_if(changes[DESCRIPTION]) if DESCRIPTION in changes else None
        if description is not None:
            self._checked = Robot.build(*description, settings)
        elif self.robot is not None:
            latest = self.kept or self.robot
            if settings != latest.settings:
                self._checked = latest.with_settings(settings)
        for robot in (self.robot, self._checked or self.kept):
            if robot is not None:
                self._fits(robot, changes)

    def adopt(self) -> None:
        """The parameters that were checked last are set."""
        checked, self._checked = self._checked, None
        if self.robot is None:
            return
        if checked is None:
            self._use(self.robot)
        elif checked.empty_handed is (self.kept or self.robot).empty_handed:
            known = (self.kept or self.robot).payload_warnings
            if self._offer(checked):
                self._log(warning for warning in checked.payload_warnings if warning not in known)
        else:
            self._loader.cancel()
            self._take(checked)

    def _request(self):
        """Loads the latest description in the background."""
        text, source = self._source.current()
        self._loader.request(text, source, robot_settings(self._parameters))
        self._timer.reset()

    def _on_loading(self):
        done = self._loader.poll()
        if not self._loader.busy:
            self._timer.cancel()
        if done is None:
            return
        if done.robot is None:
            self._refuse_description(done.source, done.error)
        elif done.robot.settings != robot_settings(self._parameters):
            self._request()         # a parameter was changed in the meantime
        else:
            self._take(done.robot)

    def _take(self, robot):
        try:
            self._fits(robot, {})
            taken = self._offer(robot)
        except Exception as error:
            self._refuse_description(robot.source, error)
            return
        self.fault = ''
        if taken:
            self._logger.info(f'new robot description: {robot}')
            self.warn()

    def _refuse_description(self, source, error):
        text = str(error)
        if not isinstance(error, HodError):
            text = f'internal error, please report it: {error!r}'
            self._logger.error(''.join(traceback.format_exception(error)))
        self.refuse(source, text)
        self._logger.error(f'robot description refused, the last good model stays in use: {text}')

    def _offer(self, robot):
        """Whether the robot is in use now; else it is kept."""
        because = self._hindrance(robot)
        used, kept = (self.robot, robot) if because else (robot, None)
        self._use(used)
        self.robot, self.kept, self.kept_because = used, kept, because
        if because:
            self._logger.warning(f'kept for the next activation: {robot}; {because}')
        return not because

    def warn(self) -> None:
        """Logs what is doubtful about the robot in use."""
        self._log(self.robot.warnings if self.robot else ())

    def _log(self, warnings):
        for warning in warnings:
            self._logger.warning(warning)

    def status(self) -> Status:
        state, robot = self._node.state, self.robot
        values = {'state': state}
        level, text = OK, state
        if robot is not None:
            model = robot.model
            values |= {
                'robot': model.name, 'model hash': model.hash, 'description from': robot.source,
                'joints': ', '.join(model.joint_names), 'gravity': ', '.join(f'{g:g}' for g in model.gravity)}
            for index, warning in enumerate((*model.warnings, *robot.unused)):
                values[f'model warning {index + 1}'] = warning
            if model.warnings:
                level, text = WARN, f'{state}; implausible model: {model.warnings[0]}'
            elif robot.unused:
                level, text = WARN, f'{state}; not used: {robot.unused[0]}'
        if self.kept is not None:
            level, text = WARN, f'{state}; another model is kept for the next activation'
            values['kept for the next activation'] = f'{self.kept}; {self.kept_because}'
        if self.fault:
            level, text = WARN, f'{state}; new description refused, the last good model runs'
            values['description refused'] = self.fault
        if self.waiting_for:
            level, text = WARN, f'waiting for {self.waiting_for}'
        if self.fault and robot is None:
            level, text = ERROR, f'description refused: {self.fault}'
        return Status('model', level, text, values)
