# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics by several ways that agree; articulated bodies for forward dynamics."""
