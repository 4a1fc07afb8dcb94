# SPDX-License-Identifier: Apache-2.0
"""Motions over time: interpolated way points, their torques and limits, the speed at which limits are met."""
