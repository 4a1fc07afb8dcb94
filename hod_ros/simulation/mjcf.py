# SPDX-License-Identifier: Apache-2.0
"""The robot of a RobotModel, with motors behind springs, as a MuJoCo model: the same tree, without contacts and without limits.

Every motor of an elastic joint is a body of its own, a rotor on a hinge at the base: so it turns as if about a fixed axis (Spong's
assumption); or, where its drive says so, on a hinge of the link that carries it, whose mass and inertia are less by the rotor's. Its
coordinate is theta_motor [rad], on the motor's own side of the gear. The rotor of a rigid drive is armature of the link's joint.

The text holds the true inertias. Those that no real body has, massless bodies among them, MuJoCo refuses to read: these are written into
the compiled model, in place of ones with which MuJoCo takes none of its shortcuts.
"""

from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from hod_ros.actuators.drives import AdjustableStiffness
from hod_ros.actuators.drives import SeriesElastic
from hod_ros.errors import InputError

INTEGRATORS = ('Euler', 'RK4', 'implicit', 'implicitfast')
UNREAL = {'pos': '0.1 0.2 0.3', 'quat': '0.8 0.1 0.5 0.3', 'mass': '1', 'diaginertia': '1 1.1 1.2'}     # off every axis, of unequal moments
LEAST = 1e-14           # MuJoCo reads masses and moments of inertia above 1e-15
Z = np.array([0.0, 0.0, 1.0])
ROTOR_MASS = 1e-3       # [kg] on the axis at the base, where it has no effect


def mjcf(prepared, *, step, integrator):
    """MJCF text. Joints have the model's names, motors those of prepared.motor_names behind 'motor '."""
    model = prepared.model
    _check(prepared)
    root = ElementTree.Element('mujoco', model=model.name)
    ElementTree.SubElement(root, 'compiler', angle='radian', autolimits='false', inertiafromgeom='false', fusestatic='false')
    option = ElementTree.SubElement(
        root, 'option', timestep=repr(float(step)), integrator=integrator, gravity=_numbers(model.gravity))
    ElementTree.SubElement(option, 'flag', contact='disable', limit='disable', constraint='disable', autoreset='disable')
    world = ElementTree.SubElement(root, 'worldbody')
    elements = {-1: world}
    for i, inertial in enumerate(inertials(prepared)):
        j = model.coordinate[i]
        body = _body(elements[model.parent[i]], f'body {i}', model.B[i], inertial)
        kind, axis, point = _axis(model.X[i])
        inertia, friction = (0.0, 0.0) if prepared.drives[j].elastic else _reflected(prepared, prepared.motors_of(j)[0])
        ElementTree.SubElement(
            body, 'joint', name=model.joint_names[j], type=kind, axis=_numbers(axis), pos=_numbers(point), limited='false',
            armature=repr(float(model.armature[j] + inertia)), damping=repr(float(friction)))
        elements[i] = body
    rotors = rotors_on_links(prepared)
    tendons = ElementTree.SubElement(root, 'tendon')
    for m, (name, j) in enumerate(zip(prepared.motor_names, prepared.motor_joints, strict=True)):
        drive = prepared.drives[j]
        if not drive.elastic:
            continue
        carrier, axis, inertial = rotors[m] if m in rotors else (-1, Z, Inertial(
            ROTOR_MASS, np.zeros(3), np.full(3, prepared.motor_inertia[m]), np.eye(3)))
        body = _body(elements[carrier], f'rotor {name}', np.eye(4), inertial)
        ElementTree.SubElement(
            body, 'joint', name=f'motor {name}', type='hinge', axis=_numbers(axis), pos=_numbers(inertial.centre), limited='false',
            damping=repr(float(prepared.motor_friction[m])))
        if isinstance(drive, (SeriesElastic, AdjustableStiffness)):
            tendon = ElementTree.SubElement(
                tendons, 'fixed', name=f'spring {name}', stiffness=repr(float(drive.stiffness or 0.0)), damping=repr(float(drive.damping)),
                springlength='0 0', limited='false')
            ElementTree.SubElement(tendon, 'joint', joint=f'motor {name}', coef=repr(float(1 / prepared.gear_ratio[m])))
            ElementTree.SubElement(tendon, 'joint', joint=model.joint_names[j], coef='-1')
    return ElementTree.tostring(root, encoding='unicode')


def compiled(mujoco, prepared, *, step, integrator):
    """The MuJoCo model."""
    physics = mujoco.MjModel.from_xml_string(mjcf(prepared, step=step, integrator=integrator))
    unreal = [(i, inertial) for i, inertial in enumerate(inertials(prepared)) if not inertial.real]
    for i, inertial in unreal:
        b = physics.body(f'body {i}').id
        physics.body_mass[b] = inertial.mass
        physics.body_ipos[b] = inertial.centre
        physics.body_inertia[b] = inertial.moments
        physics.body_iquat[b] = quaternion(inertial.axes)
    if unreal:
        mujoco.mj_setConst(physics, mujoco.MjData(physics))
    return physics


@dataclass(frozen=True)
class Inertial:
    """Inertia of a body: its mass [kg], its centre, and moments about that along principal axes, columns [kg m^2]."""

    mass: float
    centre: np.ndarray
    moments: np.ndarray
    axes: np.ndarray

    @property
    def real(self):
        """Whether MuJoCo takes it for that of a body."""
        a, b, c = np.sort(self.moments)
        return self.mass > LEAST and a > LEAST and a + b >= c

    @property
    def attributes(self):
        """Those of <inertial>."""
        if not self.real:
            return UNREAL
        return {'pos': _numbers(self.centre), 'quat': _numbers(quaternion(self.axes)), 'mass': repr(float(self.mass)),
                'diaginertia': _numbers(self.moments)}


def inertials(prepared):
    """The Inertial of every body of the model, without the rotors that are bodies of their own."""
    model, found = prepared.model, []
    spinning = rotors_on_links(prepared)
    for i, (M, moment) in enumerate(zip(model.M, model.first_moments, strict=True)):
        mass = M[3, 3]
        centre = moment / mass if mass else np.zeros(3)
        tensor = M[:3, :3] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        for carrier, _, rotor in spinning.values():
            if carrier == i:
                mass, tensor = mass - rotor.mass, tensor - rotor.axes @ np.diag(rotor.moments) @ rotor.axes.T
        found.append(Inertial(mass, centre, *_principal(tensor)))
    return found


def rotors_on_links(prepared):
    """{motor: (body, axis, Inertial)} of the rotors that spin on moving bodies, each at the centre of mass of its body."""
    model, found = prepared.model, {}
    for rotor in prepared.rotors.rotors:
        share = model.masses[rotor.body] / (2 * len(prepared.rotors.rotors))
        tensor = rotor.inertia / 2 * (np.eye(3) + np.outer(rotor.axis, rotor.axis))       # of a thin ring
        centre = model.first_moments[rotor.body] / model.masses[rotor.body]
        found[rotor.motor] = rotor.body, rotor.axis, Inertial(share, centre, *_principal(tensor))
    return found


def _principal(tensor):
    moments, axes = np.linalg.eigh(tensor)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    return moments, axes


def quaternion(R):
    """(w, x, y, z) of a rotation matrix, to rounding: the eigenvector of its largest eigenvalue, after Bar-Itzhack."""
    K = np.array([
        [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
        [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1]],
    ])
    return np.linalg.eigh(K)[1][:, -1]


def _reflected(prepared, motor):
    """Inertia and viscous friction of a motor on the joint's side of its gear."""
    square = prepared.gear_ratio[motor] ** 2
    return prepared.motor_inertia[motor] * square, prepared.motor_friction[motor] * square


def _body(parent, name, pose, inertial):
    body = ElementTree.SubElement(
        parent, 'body', name=name, pos=_numbers(pose[:3, 3]), quat=_numbers(quaternion(pose[:3, :3])))
    ElementTree.SubElement(body, 'inertial', inertial.attributes)
    return body


def _axis(X):
    """('hinge' or 'slide', axis, a point on it) of a joint screw."""
    e, v = X[:3], X[3:]
    if np.any(e):
        return 'hinge', e, np.cross(e, v)
    return 'slide', v / np.linalg.norm(v), np.zeros(3)


def _check(prepared):
    model = prepared.model
    for rotor in prepared.rotors.rotors:
        if not rotor.elastic:
            raise InputError(
                f'joint {model.joint_names[rotor.joint]!r} is rigid and its motor spins on a moving link, for which the plant has no body; '
                'give it a stiff spring, or leave motor_link out')
    if not model.single_axes:
        raise InputError(f'{model.name} has joints of several axes; the plant knows revolute and prismatic joints')
    for i, X in enumerate(model.X):
        if np.any(X[:3]) and abs(X[:3] @ X[3:]) > 1e-12:
            raise InputError(f'joint {model.joints[i]!r} is a screw; the plant knows revolute and prismatic joints')
        if model.joints[i] != model.joint_names[model.coordinate[i]] or model.multiplier[i] != 1 or model.offset[i] != 0:
            raise InputError(
                f'joint {model.joints[i]!r} mimics another, which MuJoCo only does softly; lock the joint that it mimics: '
                f"RobotModel.from_urdf(text, locked={{{model.joint_names[model.coordinate[i]]!r}: 0.0}})")


def _numbers(values):
    return ' '.join(repr(float(value)) for value in values)
