# SPDX-License-Identifier: Apache-2.0
"""How errors speak of a place in a description: the link or joint, the line where there is text, the field, its value."""

from typing import Any

from hod_ros.checks import arguments
from hod_ros.description.vocabulary import LONGEST_NAME
from hod_ros.errors import DescriptionError


def raised(error: DescriptionError) -> None:
    """What becomes of an error where nobody collects them."""
    raise error


def shown(text: str) -> str:
    """A value of the text as an error quotes it: short, with its special characters escaped."""
    return repr(text if len(text) <= 60 else text[:57] + '...')


class Place:
    """A link or joint by its name, with its element where it was read from a text."""

    def __init__(self, what: str, name: str, element: Any = None) -> None:
        self._what = what
        self.name = name if isinstance(name, str) else ''
        self._element = element
        if not name:
            raise DescriptionError(f'a {what}{self._line(element)} has no name; every {what} needs its own', self.line)
        self.check_name(name, element)

    def error(self, problem: str, element: Any = None) -> DescriptionError:
        """To be raised: `problem` says what is wrong with an element of this link or joint, and the remedy."""
        element = self._element if element is None else element
        line = None if element is None else element.line
        return DescriptionError(f'{self._what} {shown(self.name)}{self._line(element)}: {problem}', line)

    @property
    def line(self) -> int | None:
        """Where its element begins; None where there is no text."""
        return None if self._element is None else self._element.line

    def check_name(self, name: str, element: Any = None) -> None:
        """Refuses a name that is none, or of endless length."""
        if not isinstance(name, str):
            raise DescriptionError(f'a {self._what}{self._line(element)} has a name {arguments.shown(name)}, which is no text; give texts')
        if len(name) > LONGEST_NAME:
            raise self.error(f'the name {shown(name)} has {len(name)} characters; at most {LONGEST_NAME} are read', element)

    def child(self, path: str) -> Any:
        """The element at a path below this one, or None where there is no text."""
        return None if self._element is None else self._element.find(path)

    @staticmethod
    def _line(element):
        return '' if element is None else f' (line {element.line})'
