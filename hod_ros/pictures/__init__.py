# SPDX-License-Identifier: Apache-2.0
"""Figures for paper and screen, by matplotlib (extra `plot`): lines are told apart by dashes or place, never by colour alone."""
