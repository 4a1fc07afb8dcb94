# SPDX-License-Identifier: Apache-2.0
"""The robot as immutable arrays, RobotModel, and the ways to make one."""
