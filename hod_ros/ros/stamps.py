# SPDX-License-Identifier: Apache-2.0
"""Times of messages."""

from builtin_interfaces.msg import Time


def nanoseconds(stamp: Time) -> int:
    return stamp.sec * 1_000_000_000 + stamp.nanosec
