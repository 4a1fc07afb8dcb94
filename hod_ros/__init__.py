"""Higher-order inverse dynamics: joint torques and their time derivatives of any order, from a URDF."""

from importlib import import_module

from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.model import RobotModel
from hod_ros.errors import DescriptionError
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.errors import SingularityError

# Public names whose modules are imported when first used, so that `import hod_ros` stays quick.
_LAZY = {
    'LinkWrench': 'hod_ros.dynamics.loads',
    'body_wrenches': 'hod_ros.dynamics.loads',
    'with_payload': 'hod_ros.dynamics.payload',
    'payload_inertias': 'hod_ros.dynamics.payload',
    'payload_wrench': 'hod_ros.dynamics.payload',
}

__all__ = [
    'DescriptionError',
    'HodError',
    'InputError',
    'ModelError',
    'RobotModel',
    'SingularityError',
    'inverse_dynamics',
    *_LAZY,
]


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
