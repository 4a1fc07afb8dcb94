"""From a robot description to the model that the node computes with; a bad one leaves the last good model in place."""

from concurrent.futures import ThreadPoolExecutor

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
        description = self.as_if(self._parameters[DESCRIPTION])
        if description is None:
            raise DescriptionError(f'there is no robot description yet; configure again once there is {self.wanted(None)}')
        return description

    def as_if(self, parameter):
        """(text, source) to use if the parameter had this value; None where there is none."""
        if parameter:
            return parameter, f'parameter {DESCRIPTION}'
        return None if self._received is None else (self._received, f'topic {self._topic}')

    def wanted(self, fault):
        """What is still to come before the node can start, given what was wrong with the latest description."""
        if fault:
            return f'a valid robot description on {self._topic} or in the parameter {DESCRIPTION}; refused: {fault}'
        return f'a robot description on {self._topic} (transient local) or in the parameter {DESCRIPTION}'


class ModelHolder:
    """The current model, where it came from, and what was wrong with the latest description."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.plain = None       # without payload
        self.model = None
        self.drives = {}        # of elastic joints
        self.unused = ()        # what the description says and nothing here takes, as sentences
        self.hash = ''
        self.source = None
        self.fault = None

    def load(self, text, source, settings):
        """Replaces the model by that of this text; HodError, with the last good model kept, where it has none."""
        try:
            self.take(Candidate(text, source, settings))
        except ValueError as error:
            self.refuse(source, error)
            raise

    def refuse(self, source, error):
        """Notes that a description is bad; the last good model stays."""
        self.fault = f'{source}: {error}'

    def take(self, candidate):
        self.plain, self.source, self.fault = candidate.plain, candidate.source, None
        self.drives, self.unused = candidate.drives, candidate.unused
        self._use(candidate.model)

    def adjust(self, settings):
        """Gravity and payload of the current model."""
        self._use(settings.load(self.plain))

    def _use(self, model):
        self.model = model
        self.hash = model.hash

    def __str__(self):
        model = self.model
        joints = ', '.join(model.joint_names)
        return f'robot {model.name!r} ({self.hash}) from {self.source}, {model.n} joints: {joints}'


class Candidate:
    """A description made into a model with some settings; HodError where it is bad."""

    def __init__(self, text, source, settings):
        self.text = text
        self.source = source
        self.settings = settings
        self.plain = settings.build(text)
        self.model = settings.load(self.plain)
        self.drives, self.unused = settings.drives(text, self.plain)


class BackgroundLoader:
    """Makes candidates in a thread, so that parsing a large description holds up no setpoint. The latest request wins."""

    def __init__(self):
        self._pool = ThreadPoolExecutor(1, thread_name_prefix='description')
        self._future = None
        self._next = None

    def request(self, text, source, settings):
        self._next = text, source, settings
        if self._future is None:
            self._begin()

    def _begin(self):
        self._arguments, self._next = self._next, None
        self._future = self._pool.submit(Candidate, *self._arguments)

    def poll(self):
        """(source, candidate or None, error or None) once the running request is done, else None. Begins the next request."""
        if self._future is None or not self._future.done():
            return None
        future, source = self._future, self._arguments[1]
        self._future = None
        if self._next is not None:
            self._begin()
        error = future.exception()
        return source, None if error else future.result(), error

    @property
    def busy(self):
        return self._future is not None

    def cancel(self):
        """Forgets what was requested; a running request ends unseen."""
        self._future = self._next = None

    def close(self):
        self._pool.shutdown(wait=False, cancel_futures=True)
