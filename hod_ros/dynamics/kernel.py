"""The compiled kernel: its presence, and a model's constants in the form it takes."""

import os
import warnings

try:
    if os.environ.get('HOD_ROS_KERNEL', '1') == '0':
        raise ImportError('switched off by HOD_ROS_KERNEL=0')
    from hod_ros.dynamics import _kernel
except ImportError as reason:
    _kernel = None
    warnings.warn(
        f'hod_ros runs on its numpy reference, some hundred times slower than its compiled kernel ({reason})',
        RuntimeWarning, stacklevel=2)

available = _kernel is not None


def compile_tree(model):
    """The model's constants packed for the kernel; None where there is no kernel."""
    return None
