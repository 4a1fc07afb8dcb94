"""Inverse dynamics by several ways that agree; articulated bodies for forward dynamics."""
