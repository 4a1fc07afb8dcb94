"""Elastic joints: motor feedforward, control laws, and a robot with its drives."""
