# SPDX-License-Identifier: Apache-2.0
"""What callers hand in: numbers, names, tables and arrays, each rule once."""
