# SPDX-License-Identifier: Apache-2.0
"""A plant to prove feedforwards on: robots with elastic joints on the MuJoCo physics engine (the extra `sim`)."""
