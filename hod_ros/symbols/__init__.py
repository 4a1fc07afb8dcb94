"""Closed expressions by sympy, and any precision by mpmath."""
