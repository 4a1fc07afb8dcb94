# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings of all public names: they are there, and they run."""

import doctest
import inspect
from importlib.util import find_spec

import numpy as np
import pytest

import hod_ros

POSTURE = (0.1, -0.4, 0.2, -2.0, 0.3, 1.8, 0.5)
PARSER = doctest.DocTestParser()
# What an example needs beyond numpy, by the module that its name stands in.
EXTRAS = {
    'hod_ros.actuators.drive_identification': 'scipy',
    'hod_ros.simulation': 'mujoco',
    'hod_ros.symbols.expressions': 'sympy',
    'hod_ros.symbols.precision': 'mpmath',
    'hod_ros.trajectories': 'scipy',
    'hod_ros.recordings': 'scipy',
}


def docstrings():
    """{name: its docstring} of all public functions and classes, and of the methods of classes that have examples."""
    found = {}
    for name in hod_ros.__all__:
        value = getattr(hod_ros, name)
        found[name] = inspect.cleandoc(value.__doc__ or '')
        if inspect.isclass(value):
            own = {method: getattr(value, method).__doc__ or '' for method in vars(value) if not method.startswith('_')}
            found |= {f'{name}.{method}': inspect.cleandoc(text) for method, text in own.items() if '>>>' in text}
    return found


DOCSTRINGS = docstrings()


@pytest.fixture(scope='module')
def names():
    """What the examples may use: numpy, all public names, a model and a motion of it."""
    public = {name: getattr(hod_ros, name) for name in hod_ros.__all__}
    model = hod_ros.RobotModel.from_urdf(hod_ros.example_robot('panda'))
    q = np.random.default_rng(7).uniform(-1, 1, (5, model.n))
    q[0] = POSTURE
    return {'np': np, **public, 'model': model, 'q': q}


def test_every_public_function_and_class_has_an_example():
    assert len(hod_ros.__all__) > 90
    assert [name for name in hod_ros.__all__ if not PARSER.get_examples(DOCSTRINGS[name])] == []


def test_examples_are_indented_as_the_pages_tell_code():
    assert [name for name, text in DOCSTRINGS.items() if any(line.startswith('>>>') for line in text.splitlines())] == []


def test_every_public_function_says_what_it_raises():
    functions = [name for name in hod_ros.__all__ if inspect.isfunction(getattr(hod_ros, name))]
    assert [name for name in functions if 'Error' not in DOCSTRINGS[name]] == []


@pytest.mark.parametrize('name', DOCSTRINGS)
def test_example_runs(name, names):
    module = inspect.unwrap(getattr(hod_ros, name.split('.')[0])).__module__
    needed = [extra for room, extra in EXTRAS.items() if f'{module}.'.startswith(f'{room}.')]
    missing = [extra for extra in needed if find_spec(extra) is None]
    if missing:
        pytest.skip(f'{missing[0]} is not installed')
    examples = PARSER.get_doctest(DOCSTRINGS[name], dict(names), name, None, 0)
    told = []
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False).run(examples, out=told.append)
    assert not results.failed, ''.join(told)
