"""From a robot description to the model that the node computes with; a bad one leaves the last good model in place."""

from hod_ros.dynamics.model import RobotModel
from hod_ros.errors import DescriptionError

DESCRIPTION = 'robot_description'       # the parameter and the topic


class DescriptionSource:
    """Where the text comes from: the parameter where it is set, else the latest message on the topic."""

    def __init__(self, parameters, topic, logger):
        self._parameters = parameters
        self._topic = topic
        self._logger = logger
        self._received = None

    def receive(self, text):
        """Takes note of a message; returns its text, or None where it changes nothing."""
        if text == self._received:
            return None
        self._received = text
        if self._parameters[DESCRIPTION]:
            self._logger.info(
                f'the description on {self._topic} is not used, because the parameter {DESCRIPTION} is set; '
                'set it to an empty string to follow the topic')
            return None
        return text

    @property
    def available(self):
        return bool(self._parameters[DESCRIPTION]) or self._received is not None

    def current(self):
        """(text, source) of the description to use; DescriptionError where there is none yet."""
        text = self._parameters[DESCRIPTION]
        if text:
            return text, f'parameter {DESCRIPTION}'
        if self._received is None:
            raise DescriptionError(f'there is no robot description yet: {self.wanted(None)}')
        return self._received, f'topic {self._topic}'

    def wanted(self, fault):
        """What is still to come before the node can start, given what was wrong with the latest description."""
        if fault:
            return f'a valid robot description on {self._topic} or in the parameter {DESCRIPTION}; refused: {fault}'
        return f'a robot description on {self._topic} (transient local) or in the parameter {DESCRIPTION}'


class ModelHolder:
    """The current model, the text and the source it came from, and what was wrong with the latest text."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.model = None
        self.text = None
        self.source = None
        self.fault = None

    def load(self, text, source, settings):
        """Replaces the model by that of this text; HodError, with the last good model kept, where it has none."""
        try:
            model = build_model(text, settings)
        except ValueError as error:
            self.fault = f'{source}: {error}'
            raise
        self.model, self.text, self.source, self.fault = model, text, source, None
        return model

    def __str__(self):
        model = self.model
        joints = ', '.join(model.joint_names)
        return f'robot {model.name!r} ({model.hash}) from {self.source}, {model.n} joints: {joints}'

    def replace(self, **changes):
        self.model = self.model.replace(**changes)
        return self.model


def build_model(text, settings):
    """The model of a description with the node's settings; HodError where there is none."""
    if not text.strip():
        raise DescriptionError('the robot description is empty; publish the URDF of the robot')
    model = RobotModel.from_urdf(text, **settings)
    if not model.n:
        raise DescriptionError(f'robot {model.name!r} has no moving joint; there is nothing to compute')
    return model
