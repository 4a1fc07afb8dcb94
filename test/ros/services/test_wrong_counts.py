# SPDX-License-Identifier: Apache-2.0
"""Every array of every request, generated from its type, in every wrong count: refused with its name, or answered as it was meant."""

from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
from ros_harness import arm_urdf

from hod_interfaces.msg import LinkWrench
from hod_ros import AdjustableStiffness
from hod_ros import HodError
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import with_payload
from hod_ros.ros.services.requests import RequestLimits
from hod_ros.ros.services.set_payload import PayloadService
from hod_ros.ros.services.table import ANSWERED
from hod_ros.ros.services.table import COMPUTED
from hod_ros.trajectories.limits import Limits

MODEL = RobotModel.from_urdf(arm_urdf(3))
NAMES = list(MODEL.joint_names)
DRIVES = {'joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.1), 'joint2': AdjustableStiffness(stiffness=900.0, motor_inertia=0.1)}
SERVICES = COMPUTED | ANSWERED       # all but `reset`, whose request is empty
LIMITS = RequestLimits(drives=DRIVES, motion=Limits(velocity=3.0, effort=100.0))
RNG = np.random.default_rng(6)


def numbers(*shape):
    return RNG.uniform(-1, 1, shape).ravel().tolist()


def _trajectory():
    from trajectory_msgs.msg import JointTrajectory
    from trajectory_msgs.msg import JointTrajectoryPoint
    points = [JointTrajectoryPoint(positions=numbers(3), velocities=[0.0] * 3, accelerations=[0.0] * 3) for _ in range(3)]
    for k, point in enumerate(points):
        point.time_from_start.sec = 2 * k
    return JointTrajectory(joint_names=NAMES, points=points)


def good():
    """Name of a service -> requests that are answered, every array of which is filled in one of them."""
    wrench = LinkWrench(link='link3', values=numbers(3, 6))
    stiffness = np.tile([[900.0], [10.0], [1.0]], (2, 1, 1)).ravel().tolist()
    return {
        'compute_inverse_dynamics': [
            dict(joint_names=NAMES, order=2, derivatives=numbers(5, 3), wrenches=[wrench]),
            dict(joint_names=NAMES, order=1, samples=2, derivatives=numbers(2, 4, 3),
                 wrenches=[LinkWrench(link='link2', values=numbers(2, 2, 6))], formulation='recursive',
                 base_pose=2 * [0.1, 0.2, 0.3, 0.0, 0.6, 0.0, 0.8], base_twists=numbers(2, 3, 6))],
        'compute_dynamics_matrices': [dict(
            joint_names=NAMES, order=1, samples=2, derivatives=numbers(2, 3, 3), base_pose=2 * [0.1, 0.2, 0.3, 0.0, 0.6, 0.0, 0.8],
            base_twists=numbers(2, 2, 6))],
        'compute_motor_feedforward': [dict(joint_names=NAMES, samples=2, derivatives=numbers(2, 5, 3), stiffness=stiffness)],
        'compute_inverse_kinematics': [dict(
            joint_names=NAMES, link='link3', pose=[0.3, 0.1, 0.6, 0.0, 0.0, 0.0, 1.0], twists=numbers(2, 6), components=[3, 4],
            start=numbers(3), weights=[1.0, 2.0, 3.0], null_motion=numbers(2, 3), damping=0.1)],
        'evaluate_trajectory': [dict(
            trajectory=_trajectory(), max_deviation=0.5, velocity_limits=[2.0] * 3, acceleration_limits=[30.0] * 3, jerk_limits=[900.0] * 3,
            effort_limits=[90.0] * 3, effort_rate_limits=[900.0] * 3, motor_effort_limits=[90.0] * 3, motor_velocity_limits=[9.0] * 3,
            parameter_covariance=(1e-6 * np.eye(30)).ravel().tolist())],
        'set_payload': [dict(
            link='link3', mass=2.0, center=[0.01, 0.02, 0.1], inertia=[0.02, 0.0, 0.0, 0.02, 0.0, 0.02], joint_names=NAMES,
            positions=numbers(3))],
    }


def spoilt(request):
    """(field, request) with one array of one message in it wrong in its count or its numbers."""
    for path, values in _arrays(request):
        for wrong in _wrong(values, path[-1]):
            changed = deepcopy(request)
            *outer, last = path
            owner = changed
            for step in outer:
                owner = owner[step] if isinstance(step, int) else getattr(owner, step)
            setattr(owner, last, wrong)
            yield path, changed
    for field in ('samples', 'order'):
        if hasattr(request, field):
            changed = deepcopy(request)
            setattr(changed, field, (getattr(request, field) or 1) + 1)
            yield (field,), changed


def _arrays(message, path=()):
    for field in message.get_fields_and_field_types():
        value = getattr(message, field)
        if hasattr(value, 'get_fields_and_field_types'):
            yield from _arrays(value, (*path, field))
        elif isinstance(value, (str, bytes, float, int)) or not len(value) or field == 'components':      # of any number
            continue
        elif hasattr(value[0], 'get_fields_and_field_types'):
            for index, one in enumerate(value):
                yield from _arrays(one, (*path, field, index))
        else:
            yield (*path, field), list(value)


def _wrong(values, field):
    yield values[:-1]
    yield [*values, values[-1]]
    yield values * 2
    yield values + values[:6] if isinstance(values[0], float) else values[::-1] + ['other']
    if isinstance(values[0], str):
        yield [*values[:-1], 'other']
        yield [values[0], *values[:-1]]
    if isinstance(values[0], float):
        if field not in ('velocities', 'accelerations'):        # where NaN is what is not given
            yield [*values[:-1], float('nan')]
        if not field.endswith('limits'):
            yield [*values[:-1], float('inf')]


def answer(service, request):
    response = service.type.Response()
    if service is ANSWERED['set_payload']:
        _payload_service().answer(request, response)
    else:
        service.compute(MODEL, request, response, LIMITS)
    return response


def _payload_service():
    """As in a node that takes all parameters."""
    keeper = SimpleNamespace(robot=SimpleNamespace(model=MODEL), kept=None)

    def take(parameters):
        values = {parameter.name.partition('.')[2]: parameter.value for parameter in parameters}
        xx, xy, xz, yy, yz, zz = values['inertia']
        model = with_payload(MODEL, values['link'], values['mass'], values['center'], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        keeper.robot = SimpleNamespace(model=model)
        return SimpleNamespace(successful=True)

    settings = {'payload.link': '', 'payload.mass': 0.0}
    return PayloadService(SimpleNamespace(set_parameters_atomically=take), settings, keeper, SimpleNamespace(last=None))


def results(response):
    return [list(value) for field in response.get_fields_and_field_types()
            if isinstance(value := getattr(response, field), (list, np.ndarray)) or hasattr(value, 'typecode')]


def meant(expected, found):
    """Whether answers agree where both have numbers: more rows are derivatives of higher order, which come behind."""
    for a, b in zip(results(expected), results(found), strict=True):
        if a and isinstance(a[0], float) and not np.allclose(a[:len(b)], b[:len(a)], rtol=1e-9, atol=1e-9):
            return False
    return True


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', SERVICES)
def test_every_array_of_a_wrong_count_is_refused_with_its_name_and_none_is_misread(name):
    service, tried = SERVICES[name], 0
    for fields in good()[name]:
        request = service.type.Request(**fields)
        expected = answer(service, request)
        assert len(results(expected)) > 1
        for path, wrong in spoilt(request):
            tried += 1
            try:
                found = answer(service, wrong)
            except HodError as error:
                words = [word for step in path if isinstance(step, str) for word in (step, step.removesuffix('es'))]
                named = any(word in str(error) for word in (*words, 'derivatives'))
                assert named, f'{path}: {error}'
            else:
                assert meant(expected, found), f'{path} was misread'
    assert tried > 10


def test_every_service_is_tried_and_every_array_of_its_request_is_filled():
    requests = good()
    assert set(requests) == set(SERVICES)
    for name, service in SERVICES.items():
        arrays = {field for field, kind in service.type.Request.get_fields_and_field_types().items() if kind.startswith('sequence')}
        assert arrays <= {field for fields in requests[name] for field in fields}, name
