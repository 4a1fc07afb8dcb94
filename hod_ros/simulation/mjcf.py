"""The robot of a RobotModel, with motors behind springs, as a MuJoCo model: the same tree, without contacts and without limits.

Every motor of an elastic joint is a body of its own without mass, on a hinge of its own at the base, whose armature is the rotor's
inertia seen on the joint's side of the gear; so it turns as if about a fixed axis (Spong's assumption). Its coordinate is
theta = theta_motor / gear_ratio [rad], or [m] at a prismatic joint. The rotor of a rigid drive is armature of the link's joint.
"""

from xml.etree import ElementTree

import numpy as np

from hod_ros.actuators.drives import AdjustableStiffness
from hod_ros.actuators.drives import SeriesElastic
from hod_ros.errors import InputError

INTEGRATORS = ('Euler', 'RK4', 'implicit', 'implicitfast')
PLACEHOLDER = {'pos': '0 0 0', 'mass': '1', 'diaginertia': '1 1 1'}     # the true figures go into the compiled model


def mjcf(prepared, *, step, integrator):
    """MJCF text. Joints have the model's names, motors those of prepared.motor_names behind 'motor '."""
    model = prepared.model
    _check(model)
    root = ElementTree.Element('mujoco', model=model.name)
    ElementTree.SubElement(root, 'compiler', angle='radian', autolimits='false', inertiafromgeom='false', fusestatic='false')
    option = ElementTree.SubElement(
        root, 'option', timestep=repr(float(step)), integrator=integrator, gravity=_numbers(model.gravity))
    ElementTree.SubElement(option, 'flag', contact='disable', limit='disable', constraint='disable', autoreset='disable')
    world = ElementTree.SubElement(root, 'worldbody')
    elements = {-1: world}
    for i in range(len(model.bodies)):
        j = model.coordinate[i]
        body = _body(elements[model.parent[i]], f'body {i}', model.B[i])
        kind, axis, point = _axis(model.X[i])
        inertia, friction = (0.0, 0.0) if prepared.drives[j].elastic else _reflected(prepared, prepared.motors_of(j)[0])
        ElementTree.SubElement(
            body, 'joint', name=model.joint_names[j], type=kind, axis=_numbers(axis), pos=_numbers(point), limited='false',
            armature=repr(float(model.armature[j] + inertia)), damping=repr(float(friction)))
        elements[i] = body
    tendons = ElementTree.SubElement(root, 'tendon')
    for m, (name, j) in enumerate(zip(prepared.motor_names, prepared.motor_joints, strict=True)):
        drive = prepared.drives[j]
        if not drive.elastic:
            continue
        body = _body(world, f'rotor {name}', np.eye(4))
        inertia, friction = _reflected(prepared, m)
        ElementTree.SubElement(
            body, 'joint', name=f'motor {name}', type='hinge', axis='0 0 1', limited='false', armature=repr(float(inertia)),
            damping=repr(float(friction)))
        if isinstance(drive, (SeriesElastic, AdjustableStiffness)):
            tendon = ElementTree.SubElement(
                tendons, 'fixed', name=f'spring {name}', stiffness=repr(float(drive.stiffness or 0.0)), damping=repr(float(drive.damping)),
                springlength='0 0', limited='false')
            ElementTree.SubElement(tendon, 'joint', joint=f'motor {name}', coef='1')
            ElementTree.SubElement(tendon, 'joint', joint=model.joint_names[j], coef='-1')
    return ElementTree.tostring(root, encoding='unicode')


def compiled(mujoco, prepared, *, step, integrator):
    """The MuJoCo model, its inertias those of the RobotModel to the last digit."""
    model = prepared.model
    physics = mujoco.MjModel.from_xml_string(mjcf(prepared, step=step, integrator=integrator))
    physics.body_mass[:] = 0
    physics.body_inertia[:] = 0
    physics.body_ipos[:] = 0
    physics.body_iquat[:] = [1, 0, 0, 0]
    for i, M in enumerate(model.M):
        b = physics.body(f'body {i}').id
        mass = M[3, 3]
        centre = model.first_moments[i] / mass if mass else np.zeros(3)
        about_centre = M[:3, :3] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        moments, axes = np.linalg.eigh(about_centre)
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        physics.body_mass[b] = mass
        physics.body_ipos[b] = centre
        physics.body_inertia[b] = moments
        physics.body_iquat[b] = quaternion(axes)
    mujoco.mj_setConst(physics, mujoco.MjData(physics))
    return physics


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


def _body(parent, name, pose):
    body = ElementTree.SubElement(
        parent, 'body', name=name, pos=_numbers(pose[:3, 3]), quat=_numbers(quaternion(pose[:3, :3])))
    ElementTree.SubElement(body, 'inertial', PLACEHOLDER)
    return body


def _axis(X):
    """('hinge' or 'slide', axis, a point on it) of a joint screw."""
    e, v = X[:3], X[3:]
    if np.any(e):
        return 'hinge', e, np.cross(e, v)
    return 'slide', v / np.linalg.norm(v), np.zeros(3)


def _check(model):
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
