"""Errors that a caller may expect; every text names the culprit, its value, the rule and the remedy."""


class HodError(ValueError):
    """Base of all errors that hod_ros raises about its input."""


class DescriptionError(HodError):
    """A robot description that cannot become a model."""


class ModelError(HodError):
    """Model data that contradict each other or physics."""


class InputError(HodError):
    """An argument of the wrong shape, name or value."""


class SingularityError(HodError):
    """A problem whose solution does not exist or is not unique at this configuration."""
