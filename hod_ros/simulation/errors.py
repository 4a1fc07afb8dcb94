# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a plant."""

from hod_ros.errors import HodError


class PlantError(HodError):
    """A plant that cannot be built or simulated."""
