# SPDX-License-Identifier: Apache-2.0
"""The fastest motion along a fixed path within limits of torques, their rates, motors and motion."""
