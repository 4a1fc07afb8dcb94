# SPDX-License-Identifier: Apache-2.0
"""A node's parameters: declared, refused with a reason where a value is bad, and read by name."""

import traceback
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rcl_interfaces.msg import SetParametersResult
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.node import Node
from rclpy.parameter import Parameter

from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.parameters.elastic import PREFIX
from hod_ros.ros.parameters.elastic import declare_elastic
from hod_ros.ros.parameters.specifications import Specification
from hod_ros.ros.parameters.table import CHANGING
from hod_ros.ros.parameters.table import PAGES
from hod_ros.ros.parameters.table import TABLE
from hod_ros.ros.rclpy_private import given_parameters

ARRAYS = (Parameter.Type.DOUBLE_ARRAY, Parameter.Type.STRING_ARRAY)


class Parameters(Mapping):
    """{name: value} as it is now, one value for whoever reads it; elastic: {joint: figures} of the drives that parameters describe.

    table: the name of an executable in table.py.
    """

    def __init__(self, node: Node, table: str) -> None:
        self._node = node
        self._page = PAGES[table]
        specifications = [item if table == CHANGING else replace(item, changeable=False) for item in TABLE[table]]
        self._values: dict[str, Any] = {}
        self._specifications: dict[str, Specification] = {}
        self._families = {item.name: item for item in specifications if item.is_family}
        self._members: dict[str, list[str]] = {name: [] for name in self._families}
        self._check_together: Callable[[dict[str, Any]], None] = lambda changes: None
        self._changed: Callable[[set[str]], None] = lambda names: None
        given = given_parameters(node)
        for item in specifications:
            if not item.is_family:
                self._declare(item, item.name)
        for name in sorted(given):
            for family in self._families.values():
                member = family.member(name)
                if member:
                    self._declare(family, name)
                    self._members[family.name].append(member)
        self.elastic = declare_elastic(node)
        for name in sorted(given):
            if not node.has_parameter(name) and not name.startswith('qos_overrides.'):
                node.get_logger().warning(f"parameter {name} is none of this node's and is ignored; {self._page} names all")
        node.add_pre_set_parameters_callback(self._convert)
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._take)

    def listen(self, check: Callable[[dict[str, Any]], None], changed: Callable[[set[str]], None]) -> None:
        """check({name: new value}) is asked before values change, and raises a HodError where it refuses; changed(names) is told after."""
        self._check_together, self._changed = check, changed

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def families(self) -> tuple[str, ...]:
        """Names of those that this node knows."""
        return tuple(self._families)

    def members(self, family: str, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """{joint: value} of the joints, or motors, that have been given a parameter of this family, as they are but for `changes`."""
        names = {member: self._families[family].of(member) for member in self._members[family]}
        return {member: (changes or {}).get(name, self[name]) for member, name in names.items()}

    def with_changes(self, changes: Mapping[str, Any]) -> 'ChangedParameters':
        """As they will be."""
        return ChangedParameters(self, changes)

    def _declare(self, specification, name):
        """Declares a parameter; an InputError where a file or the command line gives it a value it can't have."""
        wanted = specification.parameter_type
        is_given = name in given_parameters(self._node)
        given = _as_double(self._node.declare_parameter(name, None, ParameterDescriptor(dynamic_typing=True)), wanted)
        self._node.undeclare_parameter(name)
        if not is_given:
            value = specification.default
        elif given.type_ == Parameter.Type.NOT_SET:     # rclpy knows no type of an empty list
            if wanted not in ARRAYS:
                raise InputError(f'parameter {name} is an empty list; it takes {wanted.name.lower()}')
            value = []
        elif given.type_ != wanted:
            raise InputError(
                f'parameter {name} is {_plain(given.value)!r}, of type {given.type_.name.lower()}; it takes {wanted.name.lower()}')
        else:
            value = _plain(given.value)
        fault = specification.fault(value, name)
        if fault:
            raise InputError(f'parameter {fault}')
        self._specifications[name] = specification
        self._values[name] = value
        descriptor = specification.descriptor(name)
        if value == []:
            self._declare_empty(name, wanted, descriptor)
        else:
            self._node.declare_parameter(name, value, descriptor, ignore_override=True)

    def _declare_empty(self, name, wanted, descriptor):
        """rclpy takes an empty list for bytes where it declares; it can be set afterwards, unless read-only."""
        self._node.declare_parameter(name, wanted, ParameterDescriptor(), ignore_override=True)
        self._node.set_parameters([Parameter(name, wanted, [])])
        self._node.set_descriptor(name, descriptor)

    def _convert(self, parameters):
        """Integers where floating point numbers are wanted are what people type: they are taken."""
        converted = []
        for parameter in parameters:
            if not self._node.has_parameter(parameter.name):
                raise UnknownParameter(self._why_unknown(parameter.name))
            if parameter.name in self._specifications:
                parameter = _as_double(parameter, self._specifications[parameter.name].parameter_type)
            converted.append(parameter)
        return converted

    def _why_unknown(self, name):
        if name.startswith(PREFIX) or any(family.member(name) for family in self._families.values()):
            return f'parameter {name} was not given at the start, and parameters of single joints are taken at the start only'
        return f'this node has no parameter {name}; {self._page} names all'

    def _check(self, parameters):
        for parameter in parameters:
            specification = self._specifications.get(parameter.name)
            if specification is None:
                continue
            if parameter.type_ != specification.parameter_type:
                fault = (f'parameter {parameter.name} is of type {parameter.type_.name.lower()}; '
                         f'it takes {specification.parameter_type.name.lower()}')
            else:
                fault = specification.fault(_plain(parameter.value), parameter.name)
            if fault:
                return SetParametersResult(successful=False, reason=fault)
        try:
            self._check_together({parameter.name: _plain(parameter.value) for parameter in parameters})
        except HodError as error:
            return SetParametersResult(successful=False, reason=str(error))
        except Exception as error:
            self._node.get_logger().error(f'a check of parameters failed:\n{traceback.format_exc()}')
            return SetParametersResult(successful=False, reason=f'internal error, please report it: {error!r}')
        return SetParametersResult(successful=True)

    def _take(self, parameters):
        """What fails here is told by the log alone: rclpy leaves whoever set the parameters without an answer where a callback raises."""
        self._values |= {parameter.name: _plain(parameter.value) for parameter in parameters if parameter.name in self._specifications}
        names = {parameter.name for parameter in parameters}
        try:
            self._changed(names)
        except Exception:
            self._node.get_logger().error(
                f'internal error, please report it: {", ".join(sorted(names))} could not be taken into use, and what was in use before '
                f'stays:\n{traceback.format_exc()}')


class ChangedParameters(Mapping):
    """Parameters as they are but for `changes`, {name: new value}."""

    def __init__(self, parameters: Parameters, changes: Mapping[str, Any]) -> None:
        self._parameters, self._changes = parameters, changes

    def __getitem__(self, name: str) -> Any:
        return self._changes[name] if name in self._changes else self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def members(self, family: str) -> dict[str, Any]:
        """As those of Parameters."""
        return self._parameters.members(family, self._changes)


class UnknownParameter(ParameterNotDeclaredException):
    """What rclpy's parameter services answer with; its own text leaves out the name."""

    def __init__(self, text: str) -> None:
        Exception.__init__(self, text)


def _as_double(parameter, wanted):
    if wanted == Parameter.Type.DOUBLE and parameter.type_ == Parameter.Type.INTEGER:
        return Parameter(parameter.name, wanted, float(parameter.value))
    if wanted == Parameter.Type.DOUBLE_ARRAY and parameter.type_ == Parameter.Type.INTEGER_ARRAY:
        return Parameter(parameter.name, wanted, [float(value) for value in parameter.value])
    return parameter


def _plain(value):
    return list(value) if hasattr(value, '__len__') and not isinstance(value, str) else value
