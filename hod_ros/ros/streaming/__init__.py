# SPDX-License-Identifier: Apache-2.0
"""Trajectories that the node interpolates itself and streams as setpoints: topic, action, and a controller's action behind it."""
