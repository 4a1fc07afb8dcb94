# SPDX-License-Identifier: Apache-2.0
"""Closed expressions by sympy, and any precision by mpmath."""
