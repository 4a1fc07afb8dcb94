# SPDX-License-Identifier: Apache-2.0
"""Rotors that spin on moving links: the terms that Spong's model leaves out, with time derivatives of any order.

A rotor of inertia B about its axis s, which is fixed in the frame of body i, turns by theta_motor relative to that body. The body's inertia
holds that of its rotors as if they stood still; what their spin adds is the angular momentum B theta_motor' s in the body's frame, so

    on body i                the couple  B (theta_motor'' s + w_i x s theta_motor'), which the joints towards the base must add to Q,
    on the rotor             tau = B (theta_motor'' + s . w_i') + F(theta_motor') + Q / gear_ratio,

where Spong's model has tau = B theta_motor'' + F + Q / gear_ratio and nothing on the body. w_i: the body's angular velocity, in its frame.

theta_motor'' takes Q'' of the motor's own joint, and Q'' of a joint nearer to the base takes two derivatives more of that one. `exact` goes
this chain from the tips to the base, by two rows of q more a step. `five_rows` puts the couple's theta_motor = gear_ratio q, so that Q, Q',
Q'' take q to the snap as ever; theta_motor itself and the rotor's own equation are then exact for that Q.
`couples` asks the kernel (rotor_coupling.hpp), or what stands here. Series are Taylor coefficients; arrays may have an axis of samples
in front.
"""

from collections.abc import Callable
from collections.abc import Sequence

import numpy as np

from hod_ros.actuators.drives import Drive
from hod_ros.actuators.figure_checks import each_of
from hod_ros.algebra import lie
from hod_ros.algebra import taylor
from hod_ros.checks.arguments import listed
from hod_ros.checks.types import Array
from hod_ros.errors import InputError
from hod_ros.kernel.compiled import NormalForm
from hod_ros.model.robot_model import RobotModel

FORMS = ('five_rows', 'exact')


class Rotor:
    """The rotor of one motor that spins on a moving body."""

    def __init__(self, motor: int, joint: int, body: int, axis: Array, inertia: float, elastic: bool) -> None:
        self.motor: int = motor
        self.joint: int = joint
        self.body: int = body
        self.axis: Array = axis
        self.inertia: float = inertia
        self.elastic: bool = elastic


class RotorCoupling:
    """The rotors of a model's drives; false where none spins on a moving body."""

    def __init__(self, model: RobotModel, drives: Sequence[Drive]) -> None:
        self.model: RobotModel = model
        self.rotors: list[Rotor]
        self.rotors, motors = _rotors(model, drives)
        if not self.rotors:
            return
        if not model.single_axes:
            raise InputError(f'{model.name} has joints of several axes; motor_link is for joints of one axis')
        for body in {rotor.body for rotor in self.rotors}:
            self._check_inertia(body)
        self._above: list[list[int]] = [_bodies_to_the_base(model, body) for body in range(len(model.bodies))]
        self.levels: list[int] | None = self._levels()
        self.figures: Array = self._figures(motors)         # (motors, 5), for the kernel
        compiled = model._compiled
        self._compiled: Callable[..., tuple[Array, Array] | None] | None = None if compiled is None else compiled.rotor_coupling

    def __bool__(self) -> bool:
        return bool(self.rotors)

    def couples(self, q: Array, theta: Array) -> tuple[Array, Array]:
        """(Q (.., rows - 2, n), torques (.., rows - 2, motors)): what rotors that turn by theta (.., rows, motors), on the motors' side,
        take from the joints, and ask of their motors beyond Spong's model, for q (.., rows, n)."""
        answer = None if self._compiled is None else self._compiled(q, theta, self.figures)
        return self._in_numpy(q, theta) if answer is None else answer

    def _in_numpy(self, q, theta):
        turning = self._turning(q)
        rows, loads = q.shape[-2] - 2, {}
        torques = np.zeros((*q.shape[:-2], rows, theta.shape[-1]))
        for rotor in self.rotors:
            w = turning[rotor.body][1]
            rate = taylor.rate(taylor.from_derivatives(np.moveaxis(theta[..., rotor.motor], -1, 0)))
            acceleration = taylor.rate(rate)
            tilting = taylor.product([np.cross(term, rotor.axis) for term in w], [term[..., None] for term in rate])
            couple = [rotor.inertia * (a[..., None] * rotor.axis + b) for a, b in zip(acceleration, tilting, strict=False)][:rows]
            loads[rotor.body] = [a + b for a, b in zip(loads[rotor.body], couple, strict=True)] if rotor.body in loads else couple
            along = taylor.to_derivatives([term @ rotor.axis for term in taylor.rate(w)])
            torques[..., rotor.motor] = rotor.inertia * np.stack(along, axis=-1)
        return self._on_joints(loads, turning, q), torques

    def _turning(self, q):
        """{body: (series of the rotation that takes vectors from its parent's axes to its own, series of w)}."""
        model = self.model
        q = taylor.from_derivatives(np.moveaxis(q, -2, 0))
        needed = sorted({body for rotor in self.rotors for body in self._above[rotor.body]})
        found = {}
        for i in needed:
            axis, j = model.X[i, :3], model.coordinate[i]
            rate = [model.multiplier[i] * term[..., j] for term in taylor.rate(q)]
            angle = model.multiplier[i] * q[0][..., j] + model.offset[i]
            rotation = [np.swapaxes(_rotation(axis, angle), -1, -2) @ model.B[i, :3, :3].T]
            for k in range(len(rate) - 1):
                turned = sum(rate[m][..., None, None] * rotation[k - m] for m in range(k + 1))
                rotation.append(-lie.skew(axis) @ turned / (k + 1))
            w = [axis * term[..., None] for term in rate]
            if model.parent[i] >= 0:
                before = found[model.parent[i]][1]
                carried = [sum(_times(rotation[m], before[k - m]) for m in range(k + 1)) for k in range(len(rate))]
                w = [a + b for a, b in zip(w, carried, strict=True)]
            found[i] = rotation, w
        return found

    def _on_joints(self, loads, turning, q):
        """Couples on bodies, in their own axes, as forces of the joints (.., rows - 2, n)."""
        model, rows = self.model, q.shape[-2] - 2
        Q = np.zeros((*q.shape[:-2], rows, model.n))
        loads = dict(loads)
        for i in sorted(turning, reverse=True):
            if i not in loads:
                continue
            rotation = turning[i][0]
            Q[..., model.coordinate[i]] += model.multiplier[i] * np.stack(taylor.to_derivatives([c @ model.X[i, :3] for c in loads[i]]), -1)
            parent = model.parent[i]
            if parent >= 0:
                passed = [sum(_times(np.swapaxes(rotation[m], -1, -2), loads[i][k - m]) for m in range(k + 1)) for k in range(rows)]
                loads[parent] = [a + b for a, b in zip(loads[parent], passed, strict=True)] if parent in loads else passed
        return Q

    def _levels(self):
        """For each joint how many elastic joints further out must be known one after another; None where one needs itself."""
        elastic = [rotor for rotor in self.rotors if rotor.elastic]
        needs = [{rotor.joint for rotor in elastic if j in self.model.coordinate[self._above[rotor.body]]} for j in range(self.model.n)]
        levels = [0] * self.model.n
        for _ in range(self.model.n + 1):
            after = [max((levels[other] + 1 for other in needs[j]), default=0) for j in range(self.model.n)]
            if after == levels:
                return levels
            levels = after
        return None

    def _figures(self, motors):
        """A hod::Rotor a row."""
        frames, bodies = NormalForm(self.model).T, len(self.model.bodies)
        figures = np.zeros((motors, 5))
        figures[:, 0] = bodies
        for rotor in self.rotors:
            figures[rotor.motor] = rotor.body, *(frames[rotor.body, :3, :3].T @ rotor.axis), rotor.inertia
        return figures

    def _check_inertia(self, body):
        model, mass = self.model, self.model.masses[body]
        centre = model.first_moments[body] / mass if mass else np.zeros(3)
        rest = model.tensors[body] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        for rotor in self.rotors:
            if rotor.body == body:
                rest = rest - rotor.inertia * np.outer(rotor.axis, rotor.axis)
        least = float(np.linalg.eigvalsh(rest)[0])
        if least < -1e-9 * np.abs(model.tensors[body]).max():
            spinning = [model.joint_names[rotor.joint] for rotor in self.rotors if rotor.body == body]
            raise InputError(
                f'the body of link {model.bodies[body]!r} has less inertia than the rotors that spin on it (of the motors of '
                f'{listed(spinning)}): {least:g} [kg m^2] would be left about an axis. A link holds its rotors, as if they '
                'stood still: add theirs to it, with_payload(model, link, mass, center, inertia), or correct motor_inertia, which '
                "is on the motor's side")


def _rotors(model, drives):
    """The rotors that spin on moving bodies, and the number of all motors."""
    found, motor = [], 0
    for j, (joint, drive) in enumerate(zip(model.joint_names, drives, strict=True)):
        for inertia in each_of(drive.motor_inertia):
            if drive.motor_link is not None:
                try:
                    body, pose = model.body_of(drive.motor_link)
                except InputError as error:
                    raise InputError(f'motor_link of joint {joint!r}: {error}') from None
                axis = _default_axis(model, joint, body) if drive.motor_axis is None else pose[:3, :3] @ drive.motor_axis
                if body >= 0 and inertia > 0:
                    found.append(Rotor(motor, j, body, axis, inertia, drive.elastic))
            motor += 1
    return found, motor


def _default_axis(model, joint, body):
    """The joint's axis in the axes of the body that carries the joint."""
    moved = model.joints.index(joint)
    if body == -1:
        return np.array([0.0, 0.0, 1.0])            # of no effect
    if body == moved:
        own = model.X[moved]
    elif body == model.parent[moved]:
        own = lie.Ad(model.B[moved]) @ model.X[moved]
    else:
        raise InputError(f'motor_axis of joint {joint!r} is missing; its motor_link neither carries the joint nor is moved by it, so the '
                         "axis of the joint is none of the link: give the rotor's axis in the link's frame, three numbers")
    axis = own[:3] if own[:3].any() else own[3:]
    return axis / np.linalg.norm(axis)


def _bodies_to_the_base(model, body):
    above = []
    while body >= 0:
        above.append(body)
        body = int(model.parent[body])
    return above


def _rotation(axis, angle):
    """exp of an axis (a unit vector, or 0 of a prismatic joint) times an angle (..,)."""
    K = lie.skew(axis)
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def _times(rotations, vectors):
    return (rotations @ vectors[..., None])[..., 0]
