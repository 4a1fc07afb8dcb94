# SPDX-License-Identifier: Apache-2.0
"""Paths of a link in space, and the joint motions that follow them."""
