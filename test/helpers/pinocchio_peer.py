# SPDX-License-Identifier: Apache-2.0
"""A model rebuilt in Pinocchio joint by joint, with all its links as frames (revolute, prismatic; no mimics)."""

import numpy as np
import pinocchio as pin


class Peer:
    """Pinocchio's model and data, and the columns of our joints in its vectors; its twists are (linear, angular)."""

    def __init__(self, model):
        assert model.single_axes and model.n == len(model.bodies)
        self.model = pin.Model()
        ids = []
        for i, name in enumerate(model.joints):
            e, v = model.X[i, :3], model.X[i, 3:]
            joint = pin.JointModelRevoluteUnaligned(e) if e.any() else pin.JointModelPrismaticUnaligned(v)
            upstream = ids[model.parent[i]] if model.parent[i] >= 0 else 0
            ids.append(self.model.addJoint(upstream, joint, pin.SE3(model.B[i]), name))
            self.model.appendBodyToJoint(ids[i], self._inertia(model.M[i]), pin.SE3.Identity())
        for link, (body, placement) in model.links.items():
            joint = ids[body] if body >= 0 else 0
            self.model.addFrame(pin.Frame(link, joint, 0, pin.SE3(placement), pin.FrameType.OP_FRAME))
        self.model.gravity.linear = model.gravity
        self.data = self.model.createData()
        by_name = {name: self.model.joints[ids[i]].idx_v for i, name in enumerate(model.joints)}
        self.columns = np.array([by_name[name] for name in model.joint_names])

    def frame(self, link):
        return self.model.getFrameId(link)

    def vector(self, values):
        """Our (n,) as Pinocchio's."""
        out = np.zeros(self.model.nv)
        out[self.columns] = values
        return out

    @staticmethod
    def _inertia(M):
        mass = M[3, 3]
        center = np.array([M[2, 4], M[0, 5], M[1, 3]]) / mass
        return pin.Inertia(mass, center, M[:3, :3] + mass * pin.skew(center) @ pin.skew(center))

    @staticmethod
    def angular_first(array):
        """A Motion, Force or (6, ...) array in our order."""
        return np.roll(np.asarray(getattr(array, 'vector', array)), 3, axis=0)
