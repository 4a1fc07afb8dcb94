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
    """Base of all errors that hod_ros raises about its input.

    A ValueError; its text names the argument, joint or row, the value, the rule and the remedy.

        >>> issubclass(InputError, HodError), issubclass(HodError, ValueError)
        (True, True)
    """

    def __init__(self, text: str = '') -> None:
        super().__init__(shortened(text))


class DescriptionError(HodError):
    """A robot description that cannot become a model.

    Raised where a URDF is read; the text names the element, the rule and the remedy.

        >>> RobotModel.from_urdf('<robot name="nothing"/>')
        Traceback (most recent call last):
        hod_ros.errors.DescriptionError: ...
    """

    def __init__(self, text: str = '', line: int | None = None) -> None:
        super().__init__(text)
        self.line = line        # of the description's text, where it is known


class ModelError(HodError):
    """Model data that contradict each other or physics.

    Raised where a model is built, or asked for what it has no data for.

        >>> link_inertia(1.0, [0.0, 0.0])
        Traceback (most recent call last):
        hod_ros.errors.ModelError: com has the shape (2,); give three numbers
    """


class InputError(HodError):
    """An argument of the wrong shape, name or value.

    Raised by every function that checks its arguments.

        >>> inverse_dynamics(model, np.zeros((3, 2)))
        Traceback (most recent call last):
        hod_ros.errors.InputError: q has the shape (3, 2), ...
    """


class SingularityError(HodError):
    """A problem whose solution does not exist or is not unique at this configuration.

    Raised by what inverts a map: inverse kinematics, forward dynamics, springs, paths.

        >>> inverse_kinematics(model, q[0], 'panda_link8', [[0, 0, 0, 0, 0, 1.0]], max_condition=2.0)
        Traceback (most recent call last):
        hod_ros.errors.SingularityError: the Jacobian of link 'panda_link8' has the condition number ...
    """
