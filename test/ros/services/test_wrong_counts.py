# SPDX-License-Identifier: Apache-2.0
"""Every array of every request, generated from its type, in every wrong count: refused with its name, or answered as it was meant.

What is refused is refused in words of the request.
"""

import re
import sys
from copy import deepcopy
from itertools import product
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
ODD = {
    'double': (-1.0, 0.0, 1e-300, 1e-12, 1e300, np.inf, np.nan), 'string': ('', 'nobody'), 'boolean': (True, False), 'uint32': (0, 1, 20)}
OF_PYTHON = re.compile(r'\w=|\{|\w\(|\((samples|rows|points)|None|True|False|limits\.|\bq (with|has|too)')


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
            yield path, _with(request, path, wrong)
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
    keeper = SimpleNamespace(robot=SimpleNamespace(model=MODEL, payload_warnings=()), kept=None)

    def take(parameters):
        values = {parameter.name.partition('.')[2]: parameter.value for parameter in parameters}
        xx, xy, xz, yy, yz, zz = values['inertia']
        model = with_payload(MODEL, values['link'], values['mass'], values['center'], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        keeper.robot = SimpleNamespace(model=model, payload_warnings=())
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


def odd(request):
    """Requests with something in them that may be refused for another reason than its count."""
    yield from (changed for _, changed in spoilt(request))
    for path, values in _arrays(request):
        if isinstance(values[0], float):
            for wrong in ([], [0.0] * len(values), [1e200 * value for value in values], values * 7):
                yield _with(request, path, wrong)
    flags = [field for field, kind in request.get_fields_and_field_types().items() if kind == 'boolean']
    for field, kind in request.get_fields_and_field_types().items():
        for value in ODD.get(kind, ()):
            yield _with(request, (field,), value)
        if kind.startswith('sequence') and flags:
            for values in product((False, True), repeat=len(flags)):
                changed = _with(request, (field,), [])
                for flag, value in zip(flags, values, strict=True):
                    setattr(changed, flag, value)
                yield changed


def _with(request, path, value):
    """The request with another value at this place."""
    changed = deepcopy(request)
    *outer, last = path
    owner = changed
    for step in outer:
        owner = owner[step] if isinstance(step, int) else getattr(owner, step)
    setattr(owner, last, value)
    return changed


def without_times(request):
    changed = deepcopy(request)
    for point in changed.trajectory.points:
        point.time_from_start.sec = 0
    return changed


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('limits', [LIMITS, RequestLimits()], ids=['limited', 'bare'])
@pytest.mark.parametrize('name', SERVICES)
def test_errors_speak_of_the_request_and_never_of_arguments_of_the_library(name, limits, monkeypatch):
    model = MODEL if limits is LIMITS else MODEL.replace(effort_limits=np.full(3, np.inf))
    monkeypatch.setattr(sys.modules[__name__], 'MODEL', model)
    monkeypatch.setattr(sys.modules[__name__], 'LIMITS', limits)
    service, messages = SERVICES[name], set()
    for fields in good()[name]:
        request = service.type.Request(**fields)
        for wrong in (*odd(request), *([without_times(request)] if hasattr(request, 'trajectory') else ())):
            try:
                messages.add(answer(service, wrong).message)
            except HodError as error:
                messages.add(str(error))
    assert len(messages) > 10 or name == 'compute_motor_feedforward' and not limits.drives
    assert not [message for message in messages if OF_PYTHON.search(message)]


def test_the_effort_may_err_by_a_thousandth_of_the_requests_limits():
    bare = MODEL.replace(effort_limits=np.full(3, np.inf))
    service = SERVICES['evaluate_trajectory']
    response, order = service.type.Response(), [2, 0, 1]
    trajectory = _trajectory()
    trajectory.joint_names = [NAMES[j] for j in order]
    asked = dict(trajectory=trajectory, max_deviation=0.5, effort=True)
    service.compute(bare, service.type.Request(**asked, effort_limits=[90.0, 10.0, 30.0]), response, RequestLimits())
    assert (np.array(response.effort_errors) <= [0.09, 0.01, 0.03]).all() and len(response.trajectory_with_effort.points) > 3
    with pytest.raises(HodError, match="joint 'joint1' has no effort limit.*give effort_limits, or effort_tolerance"):
        service.compute(bare, service.type.Request(**asked), response, RequestLimits())


def test_limits_of_motors_are_refused_where_the_drives_are_left_out():
    service = SERVICES['evaluate_trajectory']
    request = service.type.Request(trajectory=_trajectory(), max_deviation=0.5, rigid=True, motor_effort_limits=[90.0])
    with pytest.raises(HodError, match='motor_effort_limits is given, but rigid leaves the drives out'):
        answer(service, request)


@pytest.mark.parametrize(('rows', 'words'), [(2, '2 rows; order 2 takes order + 1 = 3 rows'), (13, 'are these samples? Then set samples')])
def test_rows_of_a_wrench_are_counted_in_words_of_the_request(rows, words):
    service = SERVICES['compute_inverse_dynamics']
    wrench = LinkWrench(link='link3', values=numbers(rows, 6))
    with pytest.raises(HodError) as error:
        answer(service, service.type.Request(order=2, derivatives=numbers(5, 3), wrenches=[wrench]))
    assert words in str(error.value)


def test_a_trajectory_without_times_is_told_by_its_field():
    service = SERVICES['evaluate_trajectory']
    with pytest.raises(HodError, match='time_from_start is 0 at all 3 points'):
        answer(service, service.type.Request(trajectory=without_times(service.type.Request(trajectory=_trajectory())).trajectory))


def test_every_service_is_tried_and_every_array_of_its_request_is_filled():
    requests = good()
    assert set(requests) == set(SERVICES)
    for name, service in SERVICES.items():
        arrays = {field for field, kind in service.type.Request.get_fields_and_field_types().items() if kind.startswith('sequence')}
        assert arrays <= {field for fields in requests[name] for field in fields}, name
