# SPDX-License-Identifier: Apache-2.0
"""From a setpoint to feedforward and commands."""
