# SPDX-License-Identifier: Apache-2.0
"""Links and joints as a robot description states them, before they become the bodies of a RobotModel. SI units."""

from dataclasses import dataclass
from dataclasses import field

import numpy as np

MOVING = ('revolute', 'continuous', 'prismatic')
MULTIPLE = ('floating', 'planar')           # more than one coordinate: no joint of a RobotModel


@dataclass(frozen=True, eq=False)
class Link:
    name: str
    mass: float = 0.0                                                       # [kg]
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))            # centre of mass in the link's frame [m]
    tensor: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))    # about it, in the link's axes [kg m^2]
    line: int | None = None                                                 # of the text that it was read from

    @property
    def massless(self):
        return self.mass == 0.0 and not self.tensor.any()


@dataclass(frozen=True)
class Mimic:
    """q = multiplier * q_master + offset"""

    master: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint:
    name: str
    kind: str                       # one of MOVING, MULTIPLE or 'fixed'
    parent: str
    child: str
    origin: np.ndarray = field(default_factory=lambda: np.eye(4))       # the child's frame in the parent's, at q = 0
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))     # of length 1, in the child's frame
    mimic: Mimic | None = None
    position_limits: tuple[float, float] = (-np.inf, np.inf)
    velocity_limit: float = np.inf
    effort_limit: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    line: int | None = None         # of the text that it was read from

    @property
    def moves(self):
        return self.kind in MOVING

    @property
    def screw(self):
        """(6,) (angular, linear) in the child's frame"""
        zero = np.zeros(3)
        return np.concatenate([zero, self.axis] if self.kind == 'prismatic' else [self.axis, zero])
