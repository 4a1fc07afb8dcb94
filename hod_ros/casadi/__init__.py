# SPDX-License-Identifier: Apache-2.0
"""Q and its time derivatives as CasADi functions with exact Jacobians. Needs casadi, the extra of the same name.

    from hod_ros.casadi import forces
"""

from hod_ros.casadi.force_function import forces

__all__ = ['forces']
