# SPDX-License-Identifier: Apache-2.0
"""The parameters: what there is, what each may be, and how a node declares them."""
