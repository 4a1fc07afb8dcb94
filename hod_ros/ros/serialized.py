# SPDX-License-Identifier: Apache-2.0
"""Messages that we take as bytes: where the middleware would drop what is cut off, we have to."""

from typing import Any
from typing import NoReturn

from rclpy.serialization import deserialize_message

from hod_ros.errors import InputError


def message_of(data: bytes, message_type: type) -> Any:
    """InputError where these bytes make none."""
    try:
        return deserialize_message(data, message_type)
    except Exception:
        refuse(data, message_type)


def refuse(data: bytes, message_type: type) -> NoReturn:
    raise InputError(
        f'{len(data)} bytes are no whole {message_type.__name__}: the message is cut off, or its publisher has another version of the '
        'type') from None
