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
    'RobotModel': 'hod_ros.model.robot_model',
    'inverse_dynamics': 'hod_ros.dynamics.inverse_dynamics',
    'LinkWrench': 'hod_ros.dynamics.loads',
    'body_wrenches': 'hod_ros.dynamics.loads',
    'with_payload': 'hod_ros.model.payload',
    'payload_inertias': 'hod_ros.model.payload',
    'payload_wrench': 'hod_ros.dynamics.payload_wrench',
    'forward_dynamics': 'hod_ros.dynamics.forward_dynamics',
    'friction_forces': 'hod_ros.dynamics.friction',
    'link_inertia': 'hod_ros.model.screws',
    'multiprecision': 'hod_ros.symbols.precision',
    'SymbolicDynamics': 'hod_ros.symbols.expressions',
    'symbolic': 'hod_ros.symbols.expressions',
    'dynamics_matrices': 'hod_ros.dynamics.matrices',
    'DynamicMatrices': 'hod_ros.dynamics.matrices',
    'system_kinematics': 'hod_ros.dynamics.formulations.closed_form',
    'equations_of_motion': 'hod_ros.dynamics.formulations.closed_form',
    'derivative_coefficients': 'hod_ros.dynamics.formulations.closed_form',
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
    'LinkMotion': 'hod_ros.kinematics.forward',
    'forward_kinematics': 'hod_ros.kinematics.forward',
    'jacobian': 'hod_ros.kinematics.forward',
    'inverse_kinematics': 'hod_ros.kinematics.inverse',
    'PoseSolution': 'hod_ros.kinematics.pose',
    'solve_pose': 'hod_ros.kinematics.pose',
    'Rigid': 'hod_ros.actuators.drives',
    'SeriesElastic': 'hod_ros.actuators.drives',
    'HardeningSpring': 'hod_ros.actuators.drives',
    'AdjustableStiffness': 'hod_ros.actuators.drives',
    'Antagonistic': 'hod_ros.actuators.drives',
    'ExponentialSpring': 'hod_ros.actuators.springs',
    'QuadraticSpring': 'hod_ros.actuators.springs',
    'HyperbolicSineSpring': 'hod_ros.actuators.springs',
    'motor_feedforward': 'hod_ros.actuators.motor_feedforward',
    'MotorFeedforward': 'hod_ros.actuators.motor_feedforward',
    'PreparedDrives': 'hod_ros.actuators.motor_feedforward',
    'DampingFilter': 'hod_ros.actuators.damping_filter',
    'drive_from_figures': 'hod_ros.actuators.figures',
    'drives_from_figures': 'hod_ros.actuators.figures',
    'drives_from_urdf': 'hod_ros.actuators.description_tag',
    'FeedbackLinearisation': 'hod_ros.actuators.feedback_linearisation',
    'pole_gains': 'hod_ros.actuators.pole_placement',
    'ElasticPlant': 'hod_ros.simulation.elastic_plant',
    'BodyFixedMotion': 'hod_ros.dynamics.formulations.body_fixed',
    'body_fixed_motion': 'hod_ros.dynamics.formulations.body_fixed',
    'joint_screws': 'hod_ros.dynamics.formulations.body_fixed',
    'HybridMotion': 'hod_ros.dynamics.formulations.hybrid',
    'hybrid_motion': 'hod_ros.dynamics.formulations.hybrid',
    'SpatialMotion': 'hod_ros.dynamics.formulations.spatial',
    'spatial_motion': 'hod_ros.dynamics.formulations.spatial',
    'momentum_screws': 'hod_ros.dynamics.formulations.spatial',
    'gravity_wrenches': 'hod_ros.dynamics.formulations.spatial',
    'inter_body_wrenches': 'hod_ros.dynamics.formulations.spatial',
    'zero_reference': 'hod_ros.dynamics.formulations.spatial',
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

if find_spec('hod_ros.kernel._kernel') is None:
    import_module('hod_ros.kernel.compiled')        # which says what is missing


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
