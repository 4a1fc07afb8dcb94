# SPDX-License-Identifier: Apache-2.0
"""The compiled kernel and its doorway."""
