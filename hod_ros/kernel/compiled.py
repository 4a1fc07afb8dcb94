# SPDX-License-Identifier: Apache-2.0
"""The compiled kernel: its presence, and a model's constants in the form it takes."""

import os
import warnings
from importlib.util import find_spec

import numpy as np

from hod_ros.algebra import lie
from hod_ros.kernel import sources

REMEDY = 'run make and use .venv/bin/python, or pip install . with a C++ compiler and start elsewhere than in the clone'

try:
    if os.environ.get('HOD_ROS_KERNEL', '1') == '0':
        raise ImportError('switched off by HOD_ROS_KERNEL=0')
    if find_spec('hod_ros.kernel._doorway') is None:
        raise ImportError(f'which is not compiled in {os.path.dirname(__file__)}: {REMEDY}')
    from hod_ros.kernel import _doorway
    if sources.digest(os.path.dirname(__file__)) not in ('', getattr(_doorway, 'SOURCES', None)):
        raise ImportError(f'which was compiled from other sources than these: {REMEDY}')
except ImportError as reason:
    _doorway = None
    warnings.warn(
        f'hod_ros runs on its numpy reference, a thousand times slower than its compiled kernel ({reason})',
        RuntimeWarning, stacklevel=2)

available = _doorway is not None
most_rows = _doorway.MOST_ROWS if available else 128
_threads = os.environ.get('HOD_ROS_THREADS', '')
if _threads and not (_threads.isdecimal() and int(_threads) > 0):
    warnings.warn(
        f'HOD_ROS_THREADS is {_threads!r}, which is no number of 1 or more: batches run on as many threads as there are cores',
        RuntimeWarning, stacklevel=2)


def instruction_sets():
    """Names of the codes that this machine can run, widest first."""
    return _doorway.instruction_sets() if available else []


def instruction_set():
    """Name of the code that runs."""
    return _doorway.instruction_set()


def use_instruction_set(name):
    """Chooses the code that runs from now on; batches that run go on as they began."""
    _doorway.use_instruction_set(name)


# Axes and origin: the link's own; the world's axes at the link; the world's axes and origin.
FRAMES = {'link': 0, 'body': 0, 'world_aligned': 1, 'world': 2, 'spatial': 2}


class NormalForm:
    """The model with every joint along z of its own frame: T (N, 4, 4) is that frame's pose in the frame of its body."""

    def __init__(self, model):
        self.turns = (model.X[:, :3] != 0).any(-1)
        self.h = np.empty(len(model.X))
        self.T = np.empty((len(model.X), 4, 4))
        for i, (turns, X) in enumerate(zip(self.turns, model.X, strict=True)):
            e, v = X[:3], X[3:]
            if turns:
                self.h[i] = e @ v
                self.T[i] = lie.pose(rotation_to(e), np.cross(e, v))
            else:
                self.h[i] = np.linalg.norm(v)
                self.T[i] = lie.pose(rotation_to(v / self.h[i]), np.zeros(3))

    def place(self, body, pose):
        """The kernel's number of a body and, in its joint's frame, R and p (12,) of a pose (4, 4) in its own."""
        T = np.eye(4) if body < 0 else self.T[body]
        own = lie.inverse(T) @ pose
        return body % (len(self.T) + 1), np.concatenate([own[:3, :3].ravel(), own[:3, 3]])

    def packed(self, model):
        """Numbers (N + 1, 37): constants and T as R, p; and (N + 1, 3): whether a body turns, its parent, its coordinate."""
        links = np.zeros((len(self.h) + 1, 3), np.intc)
        links[:-1] = np.stack([self.turns, model.parent, model.coordinate], axis=-1)
        frames = np.concatenate([self.T, np.eye(4)[None]])[:, :3]
        return np.concatenate([self.constants(model), frames[:, :, :3].reshape(-1, 9), frames[:, :, 3]], axis=-1), links

    def constants(self, model):
        """(N + 1, 25): R, p of the joint frame in its parent's joint frame; m, c, pseudo-inertia; h, multiplier, offset."""
        N = len(self.h)
        T = np.concatenate([self.T, np.eye(4)[None]])
        out = np.zeros((N + 1, 25))
        for i in range(N + 1):
            pose = lie.inverse(T[model.parent[i]]) @ model.B[i] @ T[i] if i < N else np.eye(4)
            M = lie.Ad(T[i]).T @ (model.M[i] if i < N else model.M_base) @ lie.Ad(T[i])
            S = np.trace(M[:3, :3]) / 2 * np.eye(3) - M[:3, :3]
            out[i, :12] = *pose[:3, :3].flat, *pose[:3, 3]
            out[i, 12:16] = M[3, 3], M[2, 4], M[0, 5], M[1, 3]
            out[i, 16:22] = S[0, 0], S[1, 1], S[2, 2], S[0, 1], S[0, 2], S[1, 2]
        out[:N, 22] = self.h
        out[:N, 23] = model.multiplier
        out[:N, 24] = model.offset
        return out


def rotation_to(e):
    """A rotation that takes z to the unit vector e, the identity where e is z."""
    x, y, z = e
    if z < -0.5:
        return np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]]) @ rotation_to(np.array([x, -y, -z]))
    return np.array([
        [1 - x * x / (1 + z), -x * y / (1 + z), x],
        [-x * y / (1 + z), 1 - y * y / (1 + z), y],
        [-x, -y, z],
    ])


class Compiled:
    """A model's constants packed for the kernel, and all algorithms by their names: each call answers None to anything unusual."""

    def __init__(self, model):
        form = NormalForm(model)
        self._place = form.place
        self.kept = {axes: {} for axes in FRAMES}       # what calls ask for again and again: places of links, and other constants
        self.robot = _doorway.Robot(*form.packed(model), np.array(model.armature), np.array(model.gravity), model.base == 'free')
        for name in _doorway.algorithms():
            setattr(self, name, self.robot.algorithm(name))

    def link(self, model, link, axes):
        """A link's place and the axes that are meant, as FRAMES names them: (14,)."""
        places = self.kept[axes]
        if link not in places:
            body, pose = self._place(*model.body_of(link))
            places[link] = np.array([body, FRAMES[axes], *pose])
        return places[link]


def compile_tree(model):
    """The model for the kernel; None where there is no kernel, or where joints have several axes, which it does not know."""
    return Compiled(model) if available and model.single_axes else None
