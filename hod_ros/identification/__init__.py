# SPDX-License-Identifier: Apache-2.0
"""Masses, friction, rotors and springs of a robot from recordings of its motion."""
