# SPDX-License-Identifier: Apache-2.0
"""Elastic joints: motor feedforward, control laws."""
