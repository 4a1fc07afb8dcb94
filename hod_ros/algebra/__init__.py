# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of screws, time derivatives, Taylor series and moving frames; it knows no robot."""
