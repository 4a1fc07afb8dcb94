# SPDX-License-Identifier: Apache-2.0
"""Readers of what others made: planners' results, messages and files, recognised by what they hold; nothing here needs ROS."""
