# SPDX-License-Identifier: Apache-2.0
"""A robot in viser's scene: a mesh handle for each shape, posed by our kinematics, its colour its joint's."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hod_ros.checks.types import Array
from hod_ros.kinematics.forward import forward_kinematics
from hod_ros.model.robot_model import RobotModel
from hod_ros.scene.loads import UNMOVED
from hod_ros.scene.shapes import Shape


class RobotView:
    """The handles of one robot."""

    def __init__(self, server: Any, model: RobotModel, shapes: Sequence[Shape]) -> None:
        self.model = model
        self._column = first_columns(model)
        self._frames = [server.scene.add_frame(f'/robot/{i}_{name}', show_axes=False) for i, name in enumerate(model.bodies)]
        self._meshes: list[list[Any]] = [[] for _ in model.bodies]
        for k, shape in enumerate(shapes):
            above = '/robot/base' if shape.body < 0 else self._frames[shape.body].name
            mesh = server.scene.add_mesh_simple(
                f'{above}/{k}', shape.vertices.astype(np.float32), shape.faces.astype(np.uint32), color=UNMOVED, flat_shading=shape.flat,
                side='double')
            if shape.body >= 0:
                self._meshes[shape.body].append(mesh)

    def show(self, poses: 'Poses', sample: int, colours: Array) -> None:
        """One sample of some poses; colours: (n, 3) of 0 to 255, one a joint."""
        for i, frame in enumerate(self._frames):
            frame.wxyz, frame.position = poses.wxyz[sample, i], poses.positions[sample, i]
            colour = tuple(int(c) for c in colours[self._column[i]])
            for mesh in self._meshes[i]:
                if mesh.color != colour:
                    mesh.color = colour


class Poses:
    """Where the bodies of a model are: quaternions (samples, bodies, 4) and positions (samples, bodies, 3), for q (samples, n)."""

    def __init__(self, model: RobotModel, q: Array) -> None:
        C = np.stack([forward_kinematics(model, q[:, None], name).pose for name in model.bodies], axis=1)
        self.wxyz, self.positions = quaternions(C[..., :3, :3]), C[..., :3, 3]


def first_columns(model: RobotModel) -> Array:
    """(bodies,) the column of q that moves each body, the first where its joint has several axes."""
    first = np.searchsorted(model.screw_body, np.arange(len(model.bodies)))
    return model.coordinate[first]


def quaternions(R: Array) -> Array:
    """(..., 4) w, x, y, z of rotations (..., 3, 3): the eigenvector that belongs to the largest eigenvalue of Bar-Itzhack's matrix."""
    K = np.empty((*R.shape[:-2], 4, 4))
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    K[..., 0, 0] = xx + yy + zz
    K[..., 1, 1], K[..., 2, 2], K[..., 3, 3] = xx - yy - zz, yy - xx - zz, zz - xx - yy
    K[..., 0, 1] = R[..., 2, 1] - R[..., 1, 2]
    K[..., 0, 2] = R[..., 0, 2] - R[..., 2, 0]
    K[..., 0, 3] = R[..., 1, 0] - R[..., 0, 1]
    K[..., 1, 2] = R[..., 0, 1] + R[..., 1, 0]
    K[..., 1, 3] = R[..., 0, 2] + R[..., 2, 0]
    K[..., 2, 3] = R[..., 1, 2] + R[..., 2, 1]
    vectors = np.linalg.eigh(K, UPLO='U')[1][..., -1]
    return vectors * np.where(vectors[..., :1] < 0, -1.0, 1.0)
