# SPDX-License-Identifier: Apache-2.0
"""The robot that Pinocchio reads from the same URDF: joints depth first, as its matrix algorithms need them."""

import numpy as np
import pytest
from random_trees import urdf_of

pin = pytest.importorskip('pinocchio')


class UrdfPeer:
    """Pinocchio's model and data of a random tree without mimics or helical joints."""

    def __init__(self, model):
        self.model = pin.buildModelFromXML(urdf_of(model))
        self.model.armature = np.zeros(self.model.nv)
        self.data = self.model.createData()
        names = list(self.model.names)[1:]
        self.ours = np.array([model.joint_names.index(name) for name in names])         # our columns in its order
        self.its = np.argsort(self.ours)                                                # its columns in our order

    def vectors(self, *rows):
        return [np.ascontiguousarray(row[self.ours]) for row in rows]

    def vector(self, values):
        """Its vector in our order."""
        return values[self.its]

    def matrix(self, values):
        """Its (n, n) in our order."""
        return values[np.ix_(self.its, self.its)]


def mirrored(upper):
    """The symmetric matrix whose upper triangle Pinocchio fills."""
    return np.triu(upper) + np.triu(upper, 1).T
