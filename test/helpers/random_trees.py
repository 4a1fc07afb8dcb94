# SPDX-License-Identifier: Apache-2.0
"""Random robots with physical inertias: as models, as URDF text, and as a hypothesis strategy of models."""

import numpy as np

from hod_ros import RobotModel

KINDS = ('revolute', 'prismatic')


def random_tree(rng, joints, *, shape='tree', kinds=KINDS, axes='random', mimics=0, base='fixed', armature=False,
                gravity=(0.0, 0.0, -9.81)):
    """A model with `joints` independent joints and `mimics` more that follow some of them.

    shape: 'tree', 'chain' or 'star'. kinds: any of 'revolute', 'prismatic', 'helical'. axes: 'random' or 'z'.
    """
    bodies = joints + mimics
    followers = set(rng.choice(np.arange(1, bodies), size=mimics, replace=False).tolist()) if mimics else set()
    names, coordinate = [], []
    for i in range(bodies):
        if i in followers:
            coordinate.append(int(rng.integers(len(names))))
        else:
            coordinate.append(len(names))
            names.append(f'joint{i + 1}')
    following = np.array([i in followers for i in range(bodies)], dtype=bool)
    parent = {
        'tree': [int(rng.integers(-1, i)) if i else -1 for i in range(bodies)],
        'chain': list(range(-1, bodies - 1)),
        'star': [-1] * bodies,
    }[shape]
    links = {'base': (-1, np.eye(4))} | {f'link{i + 1}': (i, np.eye(4)) for i in range(bodies)}
    return RobotModel(
        name=f'random_{shape}',
        joint_names=tuple(names),
        bodies=tuple(f'link{i + 1}' for i in range(bodies)),
        joints=tuple(f'joint{i + 1}' for i in range(bodies)),
        parent=parent,
        coordinate=coordinate,
        multiplier=np.where(following, rng.uniform(-2.0, 2.0, bodies), 1.0),
        offset=np.where(following, rng.uniform(-1.0, 1.0, bodies), 0.0),
        B=np.reshape([random_pose(rng) for _ in range(bodies)], (bodies, 4, 4)),
        X=np.reshape([_random_screw(rng, str(rng.choice(kinds)), axes) for _ in range(bodies)], (bodies, 6)),
        M=np.reshape([random_inertia(rng) for _ in range(bodies)], (bodies, 6, 6)),
        M_base=random_inertia(rng),
        links=links,
        base=base,
        gravity=gravity,
        armature=rng.uniform(0.01, 0.5, joints) if armature else None,
    )


def random_motion(rng, model, order, samples=None, *, scale=1.0):
    """q and its derivatives up to order + 2: (order+3, n), or (samples, order+3, n)."""
    shape = (order + 3, model.n) if samples is None else (samples, order + 3, model.n)
    return scale * rng.uniform(-1.0, 1.0, shape)


def random_rotation(rng):
    R, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return R * np.sign(np.linalg.det(R))


def random_pose(rng, *, reach=0.5):
    C = np.eye(4)
    C[:3, :3] = random_rotation(rng)
    C[:3, 3] = rng.uniform(-reach, reach, 3)
    return C


def random_inertia(rng, *, mass=None):
    """(6, 6) inertia of a real body about its frame, by positive second moments of mass along its principal axes."""
    mass = rng.uniform(0.1, 5.0) if mass is None else mass
    com = rng.uniform(-0.2, 0.2, 3)
    R = random_rotation(rng)
    moments = mass * rng.uniform(1e-3, 2e-2, 3)
    about_com = R @ np.diag(moments.sum() - moments) @ R.T
    return spatial_inertia(mass, com, about_com)


def spatial_inertia(mass, com, about_com):
    """(6, 6) inertia about the frame's origin from mass, centre of mass and the tensor about the centre of mass."""
    c = skew(com)
    return np.block([[about_com - mass * c @ c, mass * c], [-mass * c, mass * np.eye(3)]])


def skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def rpy_of(R):
    """Roll, pitch, yaw with R = Rz(yaw) Ry(pitch) Rx(roll)."""
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) < 1e-12:
        return np.array([np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0])
    return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])


def urdf_of(model):
    """A model's URDF text (revolute and prismatic joints; every link at its body's frame)."""
    lines = [f'<robot name="{model.name}">', _link_xml(model.base_link, model.M_base)]
    for i, link in enumerate(model.bodies):
        kind, axis = ('revolute', model.X[i, :3]) if model.X[i, :3].any() else ('prismatic', model.X[i, 3:])
        master = model.joint_names[model.coordinate[i]]
        mimic = ''
        if model.joints[i] != master:
            multiplier, offset = float(model.multiplier[i]), float(model.offset[i])
            mimic = f'<mimic joint="{master}" multiplier="{multiplier!r}" offset="{offset!r}"/>'
        upstream = model.base_link if model.parent[i] < 0 else model.bodies[model.parent[i]]
        lines += [
            _link_xml(link, model.M[i]),
            f'<joint name="{model.joints[i]}" type="{kind}"><parent link="{upstream}"/><child link="{link}"/>'
            f'{_origin_xml(model.B[i])}<axis xyz="{_text(axis)}"/>{mimic}'
            '<limit lower="-3" upper="3" effort="100" velocity="10"/></joint>',
        ]
    return '\n'.join([*lines, '</robot>'])


def random_urdf(rng, joints, *, shape='tree', mimics=0):
    """URDF text of a random tree of revolute and prismatic joints whose bodies carry further links by fixed joints."""
    model = random_tree(rng, joints, shape=shape, mimics=mimics)
    extras = []
    for link in rng.choice([model.base_link, *model.bodies], size=joints):
        name = f'{link}_extra{len(extras)}'
        extras.append(_link_xml(name, random_inertia(rng)))
        extras.append(f'<joint name="{name}_fix" type="fixed"><parent link="{link}"/><child link="{name}"/>'
                      f'{_origin_xml(random_pose(rng))}</joint>')
    return urdf_of(model).replace('</robot>', '\n'.join([*extras, '</robot>']))


def trees(min_joints=1, max_joints=10, **options):
    """Hypothesis strategy of models; options as random_tree's, shapes drawn where none is given."""
    from hypothesis import strategies as st

    def build(seed, joints, shape):
        return random_tree(np.random.default_rng(seed), joints, **({'shape': shape} | options))

    return st.builds(build, st.integers(0, 2**32 - 1), st.integers(min_joints, max_joints),
                     st.sampled_from(['tree', 'chain', 'star']))


def _random_screw(rng, kind, axes):
    e = np.array([0.0, 0.0, 1.0])
    if axes == 'random':
        e = rng.standard_normal(3)
        e /= np.linalg.norm(e)
    pitch = rng.uniform(-0.5, 0.5)
    return {
        'revolute': np.concatenate([e, np.zeros(3)]),
        'prismatic': np.concatenate([np.zeros(3), e]),
        'helical': np.concatenate([e, pitch * e]),
    }[kind]


def _link_xml(name, M):
    m = M[3, 3]
    com = np.array([M[2, 4], M[0, 5], M[1, 3]]) / m
    about_com = M[:3, :3] + m * skew(com) @ skew(com)
    entries = {'ixx': (0, 0), 'ixy': (0, 1), 'ixz': (0, 2), 'iyy': (1, 1), 'iyz': (1, 2), 'izz': (2, 2)}
    tensor = ' '.join(f'{key}="{float(about_com[at])!r}"' for key, at in entries.items())
    return (f'<link name="{name}"><inertial><origin xyz="{_text(com)}"/><mass value="{float(m)!r}"/>'
            f'<inertia {tensor}/></inertial></link>')


def _origin_xml(C):
    return f'<origin xyz="{_text(C[:3, 3])}" rpy="{_text(rpy_of(C[:3, :3]))}"/>'


def _text(vector):
    return ' '.join(repr(float(value)) for value in vector)
