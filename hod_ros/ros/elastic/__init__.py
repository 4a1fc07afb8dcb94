"""Elastic joints: motor feedforward, control laws."""
