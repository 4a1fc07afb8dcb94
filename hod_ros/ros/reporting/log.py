# SPDX-License-Identifier: Apache-2.0
"""How often a log line about the same may come."""

from rclpy.clock import Clock
from rclpy.clock import ClockType

STEADY = Clock(clock_type=ClockType.STEADY_TIME)
ONCE_A_SECOND = {'throttle_duration_sec': 1.0, 'throttle_time_source_type': STEADY}      # options of a logger's call; each call by itself
