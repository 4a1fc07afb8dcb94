# SPDX-License-Identifier: Apache-2.0
"""The nodes, one file each: wiring only."""
