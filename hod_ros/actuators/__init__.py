# SPDX-License-Identifier: Apache-2.0
"""Elastic joints: from joint torques and their derivatives to what the motors must do, and back."""
