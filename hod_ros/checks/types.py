# SPDX-License-Identifier: Apache-2.0
"""Types of the public signatures. Shapes and units stand in the docstrings."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
FreeBase: TypeAlias = tuple[ArrayLike, ArrayLike]       # (pose (4, 4), twists (rows, 6) body-fixed) of a free base
