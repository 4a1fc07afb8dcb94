# SPDX-License-Identifier: Apache-2.0
"""What stands between a setpoint and a motor: each guard in a file of its own, none of which knows ROS; times are handed in."""
