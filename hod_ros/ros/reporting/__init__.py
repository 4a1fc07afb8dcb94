"""Counts, diagnostics and events of quality of service."""
