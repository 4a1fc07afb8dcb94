# SPDX-License-Identifier: Apache-2.0
"""The compiled quantities of a motion and of a free base's: each is compared with its reference, and tried with bad arguments."""

# public name -> the fewest rows of q
OF_ROBOT = {
    'dynamics_matrices': 2,
    'matrix_derivatives': 2,
    'regressor': 3,
    'centre_of_mass': 1,
    'centre_of_mass_jacobian': 1,
    'momentum_matrix': 1,
    'total_momentum': 2,
    'energy': 2,
}
OF_LINK = {'forward_kinematics': 1, 'jacobian': 1}
