# SPDX-License-Identifier: Apache-2.0
"""Whether the rotors that were found are such as a robot can have."""

import numpy as np

from hod_ros.dynamics.matrices import dynamics_matrices
from hod_ros.model.rotors import MOST


def rotor_text(described, armature):
    """A sentence about rotors (n,) that exceed by far what the joints of the described model move; '' where there are none."""
    moved = np.diag(dynamics_matrices(described, np.zeros((2, described.n))).M[0]) - described.armature
    turning = np.zeros(described.n, bool)
    turning[described.coordinate] = (np.asarray(described.X)[:, :3] != 0).any(axis=1)
    largest = np.array([moved[turning == kind].max() for kind in turning])
    far = np.flatnonzero(armature > MOST * np.maximum(largest, described.armature))
    if not far.size:
        return ''
    each = ', '.join(f'{described.joint_names[j]!r} ({armature[j]:.3g})' for j in far)
    return (f'the rotors found for {each} have more than {MOST:g} times the inertia that any joint moves as described '
            f'({largest[far].max():.3g} kg m^2 or kg); are efforts and times of these joints in other units?')
