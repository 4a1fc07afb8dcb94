# SPDX-License-Identifier: Apache-2.0
"""Counts, diagnostics and events of quality of service."""
