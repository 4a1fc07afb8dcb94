"""From a setpoint to feedforward and commands."""
