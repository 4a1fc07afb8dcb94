# SPDX-License-Identifier: Apache-2.0
"""The shapes of a description's links: meshes and solids where it has them, capsules along the joints where it has none."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hod_ros.checks import geometry
from hod_ros.checks.types import Array
from hod_ros.description.xml_text import read_xml
from hod_ros.model.robot_model import RobotModel

SOURCES = ('visual', 'collision', 'capsules')
_THICKNESS = 0.045          # radius of capsules, as a part of the robot's reach
_LEAST, _MOST = 0.004, 0.06     # [m]
_JOINED = 1e-4              # [m] points as near as this are one


@dataclass(frozen=True, eq=False)
class Shape:
    """A triangle mesh that moves with a body."""

    body: int           # -1: the base
    vertices: Array     # (vertices, 3) in the body's frame [m]
    faces: Any          # (triangles, 3) indices
    flat: bool          # whether its triangles are to be seen as such


def shapes_of(text: bytes, model: RobotModel, folder: Path | None = None, source: str = 'visual') -> tuple[list[Shape], list[str]]:
    """(shapes, sentences on what could not be read). source: which of SOURCES comes first; the next takes the place of what is not there.

    folder: where relative paths begin.
    """
    elements = {link.get('name'): link for link in read_xml(text).iter('link')}
    found, problems, bare = [], [], []
    for link, (body, pose) in model.links.items():
        for kind in SOURCES[SOURCES.index(source):-1]:
            shapes = list(_described(elements[link], kind, body, pose, folder, problems)) if link in elements else []
            if shapes:
                found += shapes
                break
        else:
            bare.append(link)
    if not found or source == 'capsules':
        return _capsules(model), problems
    return found, problems


def _described(link, kind, body, pose, folder, problems) -> Iterator[Shape]:
    for element in link.findall(kind):
        solid = element.find('geometry')
        if solid is None or not len(solid):
            continue
        try:
            mesh = _mesh(solid[0], folder)
        except Exception as error:      # trimesh's readers raise whatever a file makes them raise
            problems.append(f'link {link.get("name")!r}: its {kind} shape cannot be read: {error}')
            continue
        C = pose @ _origin(element.find('origin'))
        vertices = np.asarray(mesh.vertices) @ C[:3, :3].T + C[:3, 3]
        yield Shape(body, vertices, np.asarray(mesh.faces), flat=solid[0].tag != 'sphere')


def _origin(element):
    C = np.eye(4)
    if element is not None:
        C[:3, :3] = geometry.rotation_of_rpy(*_numbers(element.get('rpy', '0 0 0')))
        C[:3, 3] = _numbers(element.get('xyz', '0 0 0'))
    return C


def _numbers(text):
    return [float(word) for word in text.split()]


def _mesh(solid, folder):
    import trimesh
    if solid.tag == 'box':
        return trimesh.creation.box(_numbers(solid.get('size')))
    if solid.tag == 'cylinder':
        return trimesh.creation.cylinder(float(solid.get('radius')), float(solid.get('length')))
    if solid.tag == 'sphere':
        return trimesh.creation.icosphere(3, float(solid.get('radius')))
    mesh = trimesh.load(str(_file(solid.get('filename'), folder)), force='mesh')
    if not len(mesh.faces):
        raise ValueError('the file holds no triangles')
    mesh.vertices = mesh.vertices * _numbers(solid.get('scale', '1 1 1'))
    return mesh


def _file(name, folder):
    """The path of a mesh: package://, file://, or relative to the description."""
    folder = Path() if folder is None else folder
    if not name.startswith('package://'):
        return folder / name.removeprefix('file://')
    package, _, rest = name.removeprefix('package://').partition('/')
    for place in _places(package, folder.resolve()):
        if (place / rest).exists():
            return place / rest
    raise FileNotFoundError(f'{name} is not found; name the folder that holds {package!r} in ROS_PACKAGE_PATH')


def _places(package, folder):
    """Where a package's files may be."""
    yield from (above for above in (folder, *folder.parents) if above.name == package)
    yield from (above / package for above in (folder, *folder.parents))
    for prefix in filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)):
        yield Path(prefix) / 'share' / package
    for path in filter(None, os.environ.get('ROS_PACKAGE_PATH', '').split(os.pathsep)):
        yield Path(path) / package
        yield Path(path)


def _capsules(model) -> list[Shape]:
    """From each body's frame to its children's, and to its own centre of mass where it has no child."""
    import trimesh
    origins = [C[:3, 3] for C in _rest_poses(model)]
    reach = max((np.linalg.norm(p) for p in origins), default=1.0) or 1.0
    radius = float(np.clip(_THICKNESS * reach, _LEAST, _MOST))
    shapes = []
    for body in range(-1, len(model.bodies)):
        below = np.flatnonzero(model.parent == body)
        ends = [model.B[i][:3, 3] for i in below] if len(below) else [_centre(model, body)]
        parts = [_capsule(end, radius) for end in ends]
        mesh = trimesh.util.concatenate(parts)
        shapes.append(Shape(body, np.asarray(mesh.vertices), np.asarray(mesh.faces), flat=False))
    return shapes


def _rest_poses(model):
    poses = []
    for parent, B in zip(model.parent, model.B, strict=True):
        poses.append(B if parent < 0 else poses[parent] @ B)
    return poses


def _centre(model, body):
    mass = model.masses[body] if body >= 0 else 0.0
    return model.first_moments[body] / mass if mass > 0 else np.zeros(3)


def _capsule(end, radius):
    """From the origin to a point."""
    import trimesh
    length = float(np.linalg.norm(end))
    if length < _JOINED:
        return trimesh.creation.icosphere(2, radius)
    mesh = trimesh.creation.capsule(length, radius, count=(16, 16))
    mesh.apply_transform(trimesh.geometry.align_vectors([0, 0, 1], end / length))
    return mesh
