# SPDX-License-Identifier: Apache-2.0
"""From a robot description and parameters to the model that a node computes with."""
