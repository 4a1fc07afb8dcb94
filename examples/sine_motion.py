"""A motion of sines, with its time derivatives of any order: what the examples stream."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

ROOT = Path(__file__).resolve().parent.parent
PANDA = ROOT / 'config' / 'robots' / 'panda.urdf'
PANDA_MOTION = ROOT / 'config' / 'motions' / 'panda_gaz2019.yaml'


@dataclass(frozen=True)
class SineMotion:
    """q' = v sin(w t), q = -(v / w) cos(w t) for each joint."""

    joint_names: tuple
    v: np.ndarray           # (n,) amplitude of the velocity [rad/s]
    w: np.ndarray           # (n,) angular frequency [rad/s]

    @classmethod
    def from_yaml(cls, path=PANDA_MOTION):
        data = yaml.safe_load(Path(path).read_text())
        return cls(tuple(data['joint_names']), np.array(data['v']), np.array(data['w']))

    def derivatives(self, t, rows):
        """(rows, n) for a time t, or (samples, rows, n) for times (samples,); row k is the k-th derivative of q."""
        k = np.arange(rows)[:, None]
        phase = np.asarray(t, float)[..., None, None] * self.w + k * np.pi / 2
        return -self.v / self.w * self.w ** k * np.cos(phase)
