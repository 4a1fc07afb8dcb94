# SPDX-License-Identifier: Apache-2.0
"""Controllers in C++: a robot's constants and whole projects for them."""
