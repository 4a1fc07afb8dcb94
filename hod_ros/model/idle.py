# SPDX-License-Identifier: Apache-2.0
"""Joints whose force is zero in every motion, because nothing that they move has inertia."""

from hod_ros.description.plausibility import grouped
from hod_ros.description.plausibility import on_axis_doubts
from hod_ros.model.wording import PYTHON
from hod_ros.model.wording import names_of


def moved_inertia(parent, screw_body, coordinate, X, M, armature):
    """(n,) whether a coordinate moves any inertia; a translation needs mass, a rotation any.

    For every body its parent (N,) and inertia (N, 6, 6), for every screw its body, coordinate (m,) and itself (m, 6); armature (n,).
    """
    mass, any_inertia = (M[:, 3, 3] != 0).tolist(), (M != 0).any((-1, -2)).tolist()
    for i in range(len(mass) - 1, -1, -1):
        if parent[i] >= 0:
            mass[parent[i]] |= mass[i]
            any_inertia[parent[i]] |= any_inertia[i]
    moved = armature != 0
    turns = (X[:, :3] != 0).any(-1)
    for body, column, turning in zip(screw_body, coordinate, turns, strict=True):
        moved[column] |= any_inertia[body] if turning else mass[body]
    return moved.astype(bool)


def idle_warnings(joint_names, coordinate, screws, screw_body, parent, M, armature, words=PYTHON):
    """Sentences about joints without anything to move, and about those whose masses lie on their axes."""
    moved = moved_inertia(parent, screw_body, coordinate, screws, M, armature)
    idle = [name for name, some in zip(joint_names, moved, strict=True) if not some]
    if idle:
        what = f'nothing that {names_of(idle)} {"move" if len(idle) > 1 else "moves"} has any inertia'
        way_out = f'give links that they move an <inertial>, or the joints a rotor inertia ({words.armature})'
        yield (f'{what}, so that the force there is zero in every motion; {words.lock(idle)}, or {way_out}' if moved.any() else
               f'{what}: dynamics are refused, while kinematics work; {way_out}')
    if object not in (screws.dtype, M.dtype, armature.dtype):
        yield from grouped(on_axis_doubts(joint_names, coordinate, screws, screw_body, parent, M, armature))
