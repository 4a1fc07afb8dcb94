# SPDX-License-Identifier: Apache-2.0
"""What is said of a parameter, and checked of its values. The parameters themselves stand in table.py."""

import re
from dataclasses import dataclass
from math import inf
from math import isfinite
from typing import Any

from rcl_interfaces.msg import FloatingPointRange
from rcl_interfaces.msg import IntegerRange
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.parameter import Parameter

PLACE = re.compile('<joint>|<motor>')
DOUBLES, STRINGS = Parameter.Type.DOUBLE_ARRAY, Parameter.Type.STRING_ARRAY     # types of lists that are empty by default


@dataclass(frozen=True)
class Specification:
    """One parameter; its type is that of its default. A name that holds <joint> or <motor> is a family: one parameter for each."""

    name: str
    default: Any
    description: str
    bounds: tuple[float, float] | None = None       # of each number; None: any finite one
    one_of: tuple[str, ...] | None = None
    elements: str = ''                              # what the numbers of a list are, which fixes their count: 'x, y, z [m]', '4 [1/s]'
    unique: bool = False                            # no entry of a list twice
    changeable: bool = False                        # while the node runs, with effect from the next setpoint; else taken at the start only
    type: Parameter.Type | None = None
    example: Any = None                             # of a family

    @property
    def parameter_type(self) -> Parameter.Type:
        return self.type or Parameter.Type.from_parameter_value(self.default)

    @property
    def is_family(self) -> bool:
        return '<' in self.name

    def member(self, name: str) -> str | None:
        """The joint, or motor, whose parameter of this family has this name; None where none has."""
        prefix, suffix = PLACE.split(self.name)
        member = name.removeprefix(prefix).removesuffix(suffix)
        return member if member and name == prefix + member + suffix else None

    def of(self, member: str) -> str:
        """The name of the parameter of a joint, or motor."""
        return PLACE.sub(lambda _: member, self.name)

    @property
    def count(self) -> int | None:
        """Of the numbers in a list; None where any is right."""
        if not self.elements:
            return None
        return int(self.elements.split()[0]) if self.elements[0].isdigit() else self.elements.partition(' [')[0].count(',') + 1

    def descriptor(self, name: str) -> ParameterDescriptor:
        descriptor = ParameterDescriptor(
            name=name, description=self.description, read_only=not self.changeable, type=self.parameter_type.value)
        if self.bounds is not None and self.parameter_type == Parameter.Type.INTEGER:
            descriptor.integer_range = [IntegerRange(from_value=self.bounds[0], to_value=self.bounds[1], step=1)]
        elif self.bounds is not None and self.parameter_type == Parameter.Type.DOUBLE:
            descriptor.floating_point_range = [FloatingPointRange(from_value=self.bounds[0], to_value=self.bounds[1], step=0.0)]
        return descriptor

    def fault(self, value: Any, name: str) -> str | None:
        """What is wrong with a value of the right type of the parameter of this name, or None."""
        if self.one_of is not None and value not in self.one_of:
            return f'{name} is {value!r}; it is one of {", ".join(map(repr, self.one_of))}'
        if self.count is not None and len(value) != self.count:
            return f'{name} has {len(value)} values; give {self.elements}'
        if self.unique:
            double = sorted({entry for entry in value if value.count(entry) > 1})
            return f'{name} names {", ".join(double)} more than once; name each once' if double else None
        return self._fault_of_number(value, name) or self._fault_of_numbers(value, name)

    def _fault_of_number(self, value, name):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        lowest, highest = self.bounds or (-inf, inf)
        if value != value or not (isfinite(value) or self.bounds and lowest <= value <= highest):
            return f'{name} is {value}; give a finite number'
        return None if lowest <= value <= highest else f'{name} is {value}; it takes {bound_text(lowest)} to {bound_text(highest)}'

    def _fault_of_numbers(self, value, name):
        if self.parameter_type != DOUBLES:
            return None
        lowest, highest = self.bounds or (-inf, inf)
        if not all(map(isfinite, value)):
            return f'{name} is {list(value)}; give finite numbers'
        if not all(lowest <= number <= highest for number in value):
            return f'{name} is {list(value)}; each takes {bound_text(lowest)} to {bound_text(highest)}'
        return None


def bound_text(number: float) -> str:
    """A bound as text."""
    return str(number) if isinstance(number, int) else f'{number:.10g}'
