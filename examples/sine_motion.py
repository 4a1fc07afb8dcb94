# SPDX-License-Identifier: Apache-2.0
"""A motion of sines, with its time derivatives of any order: what the examples stream."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import ArrayLike
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
PANDA = ROOT / 'config' / 'robots' / 'panda.urdf'
PANDA_MOTION = ROOT / 'config' / 'motions' / 'panda_gaz2019.yaml'


@dataclass(frozen=True)
class SineMotion:
    """q' = v sin(w t), q = -(v / w) cos(w t) for each joint."""

    joint_names: tuple[str, ...]
    v: NDArray[np.float64]      # (n,) amplitude of the velocity [rad/s]
    w: NDArray[np.float64]      # (n,) angular frequency [rad/s]

    @classmethod
    def from_yaml(cls, path: Path = PANDA_MOTION) -> 'SineMotion':
        data = yaml.safe_load(path.read_text())
        return cls(tuple(data['joint_names']), np.array(data['v'], float), np.array(data['w'], float))

    def derivatives(self, t: ArrayLike, rows: int) -> NDArray[np.float64]:
        """(rows, n) for a time t, or (samples, rows, n) for times (samples,); row k is the k-th derivative of q."""
        k = np.arange(rows)[:, None]
        phase = np.asarray(t, float)[..., None, None] * self.w + k * np.pi / 2
        rows_of_q: NDArray[np.float64] = -self.v / self.w * self.w ** k * np.cos(phase)
        return rows_of_q
