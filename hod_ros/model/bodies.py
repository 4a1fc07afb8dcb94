# SPDX-License-Identifier: Apache-2.0
"""The robot as arrays: an immutable tree of bodies, each moved by one joint.

Units are SI. Twists and screws are (angular, linear), wrenches (torque, force), as in paper 000; both are body-fixed: resolved in
the frame of their body, at its origin. A body is a link with all links that are fixed to it; its frame is that of the link which the
joint moves, so at the joint's origin. The pose of body i is

    C_i = C_parent(i) B_i exp(X_i q_i),    q_i = multiplier_i q[coordinate_i] + offset_i

A joint of several axes (001, VI) owns several of the m screws: its pose is B_i exp(sum_k X_k q_k), and its rates are quasi-velocities:
row 0 of q holds the joint's canonical coordinates, row 1 the components of its body-fixed relative twist along its screws, row 2 their
time derivatives, and so on.

The arrays are float64. Arrays of objects (sympy's symbols, mpmath's numbers) are kept as they are; such a model is `exact`, and computes
with the numpy reference in these numbers.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import fields
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

from hod_ros.checks import arguments
from hod_ros.checks import geometry
from hod_ros.checks.types import Array
from hod_ros.checks.types import Indices
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.kernel import compiled
from hod_ros.model import field_checks

if TYPE_CHECKING:
    from typing_extensions import Self  # typing's own from Python 3.11

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bodies:
    """A tree of N bodies moved along m screws by n coordinates (m > n where joints mimic others, m > N where joints have several axes)."""

    name: str
    joint_names: tuple[str, ...]        # the n columns of q, Q, M, ...
    bodies: tuple[str, ...]             # link that gives each body its frame; parents before children
    joints: tuple[str, ...]             # joint that moves each body, mimic joints among them
    parent: Indices                  # (N,) index of the parent body, -1: the base
    coordinate: Indices              # (m,) column of q that moves along the screw
    multiplier: Array              # (m,) 1 but for mimic joints
    offset: Array                  # (m,) [rad] or [m], 0 but for mimic joints
    B: Array                       # (N, 4, 4) reference configuration relative to the parent body, at q_i = 0
    X: Array                       # (m, 6) joint screws in the body's frame: revolute (e, 0), prismatic (0, e), helical (e, h e)
    M: Array                       # (N, 6, 6) inertia about the body frame's origin, 000 (12)
    links: Mapping[str, tuple[int, Array]]    # (body, 4x4 pose of the link in the body's frame); body -1: the base
    screw_body: Indices = None    # (m,) the body that each screw moves, ascending; None: one screw a body
    base_link: str = 'base'
    base: str = 'fixed'                 # 'fixed' or 'free'
    M_base: Array = field(default_factory=lambda: np.zeros((6, 6)))
    gravity: Array = STANDARD_GRAVITY              # (3,) [m/s^2] in the base's (world) frame
    armature: Array = None                  # (n,) rotor inertia seen at the joint [kg m^2] or [kg]; None: 0
    damping: Array = None                   # (n,) viscous friction of <dynamics>, mimic joints' included [N m s/rad]; None: 0
    friction: Array = None                  # (n,) Coulomb friction of <dynamics>, mimic joints' included [N m]; None: 0
    position_limits: Array = None           # (n, 2) [rad] or [m]; -inf, inf where there are none
    velocity_limits: Array = None           # (n,) inf where there are none
    effort_limits: Array = None             # (n,) inf where there are none
    warnings: tuple[str, ...] = ()      # what is implausible but not impossible

    def __post_init__(self) -> None:
        for name in ('joint_names', 'bodies', 'joints', 'warnings'):
            object.__setattr__(self, name, field_checks.names(getattr(self, name), name, distinct=name != 'warnings'))
        for name in ('name', 'base_link'):
            field_checks.text(getattr(self, name), name)
        n = len(self.joint_names)
        unlimited = np.full(n, np.inf)
        defaults = {
            'armature': np.zeros(n),
            'damping': np.zeros(n),
            'friction': np.zeros(n),
            'position_limits': np.stack([-unlimited, unlimited], axis=-1),
            'velocity_limits': unlimited,
            'effort_limits': unlimited,
        }
        if self.screw_body is None:
            object.__setattr__(self, 'screw_body', np.arange(len(self.bodies)))
        for name, value in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        for name in ('parent', 'coordinate', 'screw_body'):
            object.__setattr__(self, name, field_checks.indices(getattr(self, name), name))
        for name in _FLOAT_ARRAYS:
            object.__setattr__(self, name, field_checks.numbers(getattr(self, name), name))
        object.__setattr__(self, 'links', MappingProxyType(field_checks.links(self.links, len(self.bodies))))
        self._check()
        B, X = field_checks.geometry_of(self.B, self.X, self.joints, self.screw_body)
        for name, value in (('B', B), ('X', X)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, '_compiled', None if self.exact or self.massless else compiled.compile_tree(self))

    def _check(self) -> None:
        N, n, m = len(self.bodies), self.n, len(self.X) if self.X.ndim else 0
        if len(self.joints) != N:
            raise ModelError(f'joints has {len(self.joints)} names for {N} bodies; give the joint that moves each body')
        shapes = {
            'parent': (N,), 'coordinate': (m,), 'multiplier': (m,), 'offset': (m,), 'screw_body': (m,),
            'B': (N, 4, 4), 'X': (m, 6), 'M': (N, 6, 6), 'M_base': (6, 6), 'gravity': (3,),
            'armature': (n,), 'damping': (n,), 'friction': (n,),
            'position_limits': (n, 2), 'velocity_limits': (n,), 'effort_limits': (n,),
        }
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise ModelError(f'{name} has the shape {array.shape}, but {N} bodies, {m} screws and {n} joints need {shape}')
            if not name.endswith('_limits') and array.dtype != object and not np.isfinite(array).all():
                raise ModelError(f'{name} holds a value that is not finite: {array[~np.isfinite(array)][0]}; give finite numbers')
            if name.endswith('_limits') and array.dtype != object and np.isnan(array).any():
                joint = self.joint_names[np.argwhere(np.isnan(array))[0][0]]
                raise ModelError(f'{name} of joint {joint!r} holds nan, which is no number; give inf where there is no limit')
        if self.links.get(self.base_link, (-1,))[0] != -1:
            raise ModelError(f'link {self.base_link!r} is both the base and part of a body that moves; give every link a name of its own')
        if np.any(self.parent >= np.arange(N)) or np.any(self.parent < -1):
            raise ModelError(f'parent must name an earlier body or -1 for the base, but is {self.parent.tolist()}')
        if np.any(self.coordinate < 0) or np.any(self.coordinate >= n):
            raise ModelError(f'coordinate must lie in 0..{n - 1}, but is {self.coordinate.tolist()}')
        if set(self.screw_body.tolist()) != set(range(N)) or np.any(np.diff(self.screw_body) < 0):
            raise ModelError(f'screw_body must name every body, in ascending order, but is {self.screw_body.tolist()}')
        if self.armature.dtype != object and np.any(self.armature < 0):
            worst = int(np.argmin(self.armature))
            raise ModelError(f'armature of joint {self.joint_names[worst]!r} is {self.armature[worst]}; a rotor inertia is 0 or more')
        geometry.check_inertias(self.M, lambda i: f'body {self.bodies[i]!r}', ModelError, negative=True)
        geometry.check_inertias(self.M_base[None], lambda _: f'the base {self.base_link!r}', ModelError, negative=True)
        field_checks.base(self.base, ModelError)

    def replace(self, **changes: Any) -> 'Self':
        """This model with some fields changed, for example gravity=(0, 0, -1.62)."""
        return replace(self, **changes)

    def body_of(self, link: str) -> tuple[int, Array]:
        """(body, pose): the body that carries this link, -1 for the base, and the link's 4x4 pose in that body's frame."""
        try:
            return self.links[link]
        except (KeyError, TypeError):
            raise InputError(f'{self.name} has no link {arguments.shown(link)}; its links are {arguments.listed(self.links, 12)}') from None

    @property
    def n(self) -> int:
        """The number of coordinates."""
        return len(self.joint_names)

    @property
    def exact(self) -> bool:
        """Whether some arrays hold symbols or multiprecision numbers in place of floats."""
        return any(getattr(self, name).dtype == object for name in _FLOAT_ARRAYS)

    @property
    def massless(self) -> bool:
        """Whether there are joints, or a free base, but nothing that moves has any inertia: only kinematics make sense."""
        still = self.n > 0 if self.base == 'fixed' else not (self.M_base != 0).any()
        return bool(still and not (self.M != 0).any() and not (self.armature != 0).any())

    @property
    def single_axes(self) -> bool:
        """Whether every joint has one screw."""
        return len(self.X) == len(self.bodies)

    @property
    def masses(self) -> Array:
        """(N,) [kg]"""
        return self.M[:, 3, 3]

    @property
    def first_moments(self) -> Array:
        """(N, 3) mass times centre of mass, in the body's frame [kg m]"""
        return np.stack([self.M[:, 2, 4], self.M[:, 0, 5], self.M[:, 1, 3]], axis=-1)

    @property
    def tensors(self) -> Array:
        """(N, 3, 3) rotational inertia about the body frame's origin [kg m^2]"""
        return self.M[:, :3, :3]

    @property
    def hash(self) -> str:
        """Twelve hexadecimal digits that change with any name or number of the dynamics."""
        digest = hashlib.sha256()
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name == 'warnings':
                continue
            if item.name == 'links':
                value = [(link, body, _of_one_zero(pose).tolist()) for link, (body, pose) in value.items()]
            if isinstance(value, np.ndarray):
                value = value.tolist() if value.dtype == object else _of_one_zero(value).tobytes()
            digest.update(value if isinstance(value, bytes) else repr(value).encode())
        return digest.hexdigest()[:12]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.hash == self.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return _rebuilt, (type(self), values | {'links': dict(self.links)},)

_FLOAT_ARRAYS = (
    'multiplier', 'offset', 'B', 'X', 'M', 'M_base', 'gravity', 'armature', 'damping', 'friction', 'position_limits',
    'velocity_limits', 'effort_limits',
)


def _of_one_zero(array):
    """The array with 0 for -0, which is the same number in other bits."""
    return array + 0.0 if array.dtype.kind == 'f' else array


def _rebuilt(kind: type[Bodies], values: dict[str, Any]) -> Bodies:
    return kind(**values)
