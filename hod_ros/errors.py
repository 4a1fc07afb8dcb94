# SPDX-License-Identifier: Apache-2.0
"""Errors that a caller may expect; every text names the culprit, its value, the rule and the remedy."""

LONGEST_TEXT = 1000


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text that would be longer, without its middle: input of any size may be quoted in it."""
    if len(text) <= longest:
        return text
    end = longest // 4
    begin = longest - end
    return f'{text[:begin]} ... ({len(text) - longest} more characters) ... {text[-end:]}'


class HodError(ValueError):
    """Base of all errors that hod_ros raises about its input."""

    def __init__(self, text: str = '') -> None:
        super().__init__(shortened(text))


class DescriptionError(HodError):
    """A robot description that cannot become a model."""


class ModelError(HodError):
    """Model data that contradict each other or physics."""


class InputError(HodError):
    """An argument of the wrong shape, name or value."""


class SingularityError(HodError):
    """A problem whose solution does not exist or is not unique at this configuration."""
