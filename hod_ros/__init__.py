"""Higher-order inverse dynamics: joint torques and their time derivatives of any order, from a URDF."""

from importlib import import_module
from importlib.util import find_spec

from hod_ros.errors import DescriptionError
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.errors import SingularityError

# Public names whose modules, and numpy, are imported when first used: the node has its signal handlers in place before that.
_LAZY = {
    'RobotModel': 'hod_ros.dynamics.model',
    'inverse_dynamics': 'hod_ros.dynamics.inverse_dynamics',
    'LinkWrench': 'hod_ros.dynamics.loads',
    'body_wrenches': 'hod_ros.dynamics.loads',
    'with_payload': 'hod_ros.dynamics.payload',
    'payload_inertias': 'hod_ros.dynamics.payload',
    'payload_wrench': 'hod_ros.dynamics.payload',
    'forward_dynamics': 'hod_ros.dynamics.forward_dynamics',
    'friction_forces': 'hod_ros.dynamics.friction',
    'link_inertia': 'hod_ros.dynamics.screws',
    'multiprecision': 'hod_ros.dynamics.precision',
    'SymbolicDynamics': 'hod_ros.dynamics.symbolic',
    'symbolic': 'hod_ros.dynamics.symbolic',
    'dynamics_matrices': 'hod_ros.dynamics.matrices',
    'DynamicMatrices': 'hod_ros.dynamics.matrices',
    'system_kinematics': 'hod_ros.dynamics.closed_form',
    'equations_of_motion': 'hod_ros.dynamics.closed_form',
    'derivative_coefficients': 'hod_ros.dynamics.closed_form',
    'centre_of_mass': 'hod_ros.dynamics.momentum',
    'centre_of_mass_jacobian': 'hod_ros.dynamics.momentum',
    'momentum_matrix': 'hod_ros.dynamics.momentum',
    'total_momentum': 'hod_ros.dynamics.momentum',
    'total_mass': 'hod_ros.dynamics.momentum',
    'matrix_derivatives': 'hod_ros.dynamics.state_derivatives',
    'inverse_dynamics_derivatives': 'hod_ros.dynamics.state_derivatives',
    'forward_dynamics_derivatives': 'hod_ros.dynamics.state_derivatives',
    'force_gradients': 'hod_ros.dynamics.force_gradients',
    'regressor': 'hod_ros.dynamics.regressor',
    'slotine_li_regressor': 'hod_ros.dynamics.regressor',
    'inertial_parameters': 'hod_ros.dynamics.regressor',
    'parameter_names': 'hod_ros.dynamics.regressor',
    'with_inertial_parameters': 'hod_ros.dynamics.regressor',
    'minimal_parameters': 'hod_ros.dynamics.minimal_parameters',
    'LinkMotion': 'hod_ros.dynamics.kinematics',
    'forward_kinematics': 'hod_ros.dynamics.kinematics',
    'jacobian': 'hod_ros.dynamics.kinematics',
    'inverse_kinematics': 'hod_ros.dynamics.inverse_kinematics',
    'PoseSolution': 'hod_ros.dynamics.pose_solver',
    'solve_pose': 'hod_ros.dynamics.pose_solver',
    'Rigid': 'hod_ros.actuators.drives',
    'SeriesElastic': 'hod_ros.actuators.drives',
    'HardeningSpring': 'hod_ros.actuators.drives',
    'AdjustableStiffness': 'hod_ros.actuators.drives',
    'Antagonistic': 'hod_ros.actuators.drives',
    'ExponentialSpring': 'hod_ros.actuators.springs',
    'QuadraticSpring': 'hod_ros.actuators.springs',
    'HyperbolicSineSpring': 'hod_ros.actuators.springs',
    'motor_feedforward': 'hod_ros.actuators.feedforward',
    'MotorFeedforward': 'hod_ros.actuators.feedforward',
    'PreparedDrives': 'hod_ros.actuators.feedforward',
    'DampingFilter': 'hod_ros.actuators.damping_filter',
    'drive_from_figures': 'hod_ros.actuators.configuration',
    'drives_from_figures': 'hod_ros.actuators.configuration',
    'drives_from_urdf': 'hod_ros.actuators.description',
    'FeedbackLinearisation': 'hod_ros.actuators.feedback_linearisation',
    'pole_gains': 'hod_ros.actuators.pole_placement',
    'ElasticPlant': 'hod_ros.simulation.elastic_plant',
    'BodyFixedMotion': 'hod_ros.dynamics.body_fixed',
    'body_fixed_motion': 'hod_ros.dynamics.body_fixed',
    'joint_screws': 'hod_ros.dynamics.body_fixed',
    'HybridMotion': 'hod_ros.dynamics.hybrid',
    'hybrid_motion': 'hod_ros.dynamics.hybrid',
    'SpatialMotion': 'hod_ros.dynamics.spatial',
    'spatial_motion': 'hod_ros.dynamics.spatial',
    'momentum_screws': 'hod_ros.dynamics.spatial',
    'gravity_wrenches': 'hod_ros.dynamics.spatial',
    'inter_body_wrenches': 'hod_ros.dynamics.spatial',
    'zero_reference': 'hod_ros.dynamics.spatial',
    'Trajectory': 'hod_ros.trajectories.trajectory',
    'Limits': 'hod_ros.trajectories.limits',
}

__all__ = [
    'DescriptionError',
    'HodError',
    'InputError',
    'ModelError',
    'SingularityError',
    *_LAZY,
]

if find_spec('hod_ros.dynamics._kernel') is None:
    import_module('hod_ros.dynamics.kernel')        # which says what is missing


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
