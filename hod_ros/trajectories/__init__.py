"""Motions over time: interpolated way points, their torques and limits, the speed at which limits are met."""
