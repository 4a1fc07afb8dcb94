# SPDX-License-Identifier: Apache-2.0
"""Callbacks that are told about a message what the middleware knows: its number, when it was sent, when it came."""

from collections.abc import Callable
from inspect import Parameter
from inspect import Signature

WITH_INFORMATION = Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in ('message', 'information')])


def with_information(callback: Callable) -> Callable:
    """A subscription's callback(message, information), whichever way the executor hands these over.

    rclpy's EventsExecutor gives both as one tuple, other executors as two arguments.
    """
    def call(*given):
        message, information = given if len(given) == 2 else given[0]
        return callback(message, information)
    call.__signature__ = WITH_INFORMATION
    return call
