# SPDX-License-Identifier: Apache-2.0
"""Elastic joints: motor feedforward, the controller's law and what it knows of the arm."""
