# SPDX-License-Identifier: Apache-2.0
"""Every public name that takes arguments is tried with arrays of every wrong shape and with stray values, in the test of its room."""

import importlib.util
import inspect
import sys
from pathlib import Path

import pytest

import hod_ros

TEST = Path(__file__).resolve().parents[1]
TRIED_IN = (
    'dynamics/test_bad_arguments.py', 'actuators/test_bad_drive_arguments.py', 'trajectories/test_bad_trajectory_arguments.py',
    'recordings/test_bad_recording_arguments.py')
BY_THEIR_FIELDS = {'LinkWrench', 'RobotModel'}      # test_bad_fields_are_answered_with_an_error_of_ours
PROTOCOLS = {'SpringLaw'}                           # which nobody makes
RESULTS = {                                         # which callers read; what they compute themselves is tried with their makers
    'BodyFixedMotion', 'CartesianPath', 'ControllerPoints', 'DynamicMatrices', 'Energy', 'Export', 'HybridMotion', 'Identification',
    'IdentifiedDrives', 'IdentifiedFigure', 'LinkMotion', 'MotorFeedforward', 'ParameterDerivatives', 'Peak', 'PoseSolution',
    'SmoothedMotion', 'SpatialMotion', 'SymbolicDynamics', 'TimedPath', 'TimeScale', 'TorqueReport', 'TrajectoryEvaluation'}


def tried(file):
    """The names of a test's CALLS."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, TEST / file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module         # dataclasses look for it
    spec.loader.exec_module(module)
    return {name if isinstance(name, str) else name[0] for name in module.CALLS}


def test_every_public_name_is_tried_or_takes_nothing():
    for package in ('mujoco', 'sympy', 'mpmath', 'scipy', 'rosbags'):
        pytest.importorskip(package)
    errors = {name for name in hod_ros._LAZY if inspect.isclass(getattr(hod_ros, name)) and issubclass(getattr(hod_ros, name), Exception)}
    left = set(hod_ros._LAZY) - errors - BY_THEIR_FIELDS - PROTOCOLS - RESULTS
    names = set().union(*map(tried, TRIED_IN))
    assert left <= names, f'not tried: {sorted(left - names)}'
    assert not RESULTS & names
