# SPDX-License-Identifier: Apache-2.0
"""Poses, twists and Jacobians of links, with time derivatives, and their inverses."""
