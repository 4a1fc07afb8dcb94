# SPDX-License-Identifier: Apache-2.0
"""Forces from motions and back, with time derivatives of any order, and what is derived from them."""
