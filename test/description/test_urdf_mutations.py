# SPDX-License-Identifier: Apache-2.0
"""Mutations of robots: each gives a model, or an error of ours that names the place; nothing else, and nothing that is not finite."""

import random
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import robots

from hod_ros import HodError
from hod_ros import RobotModel
from hod_ros import example_robot

ODD = (
    'nan', 'inf', '-1', '0', '', '1e400', '1e200', '1_0', '0x1', '--1', '1 2', '1 2 3', 'panda_link1', 'base',
    '${x}', '\u0661', 'revolute', 'planar')
PARTS = (
    '<axis xyz="0 1 0"/>', '<origin rpy="1 2 3"/>', '<origin quat_xyzw="0 0 0 1"/>', '<mimic joint="panda_joint2"/>', '<limit/>',
    '<inertial/>', '<mass value="1"/>', '<visual><origin xyz="a"/></visual>', '<link/>', '<unknown/>')
NAMES_A_PLACE = re.compile(r"'[^']*'|robot description|root|link|joint")


def mutated(root, rng):
    """Changes one thing below the root."""
    parents = {child: parent for parent in root.iter() for child in parent}
    element = rng.choice(list(parents))
    parent = parents[element]
    change = rng.randrange(7)
    if change == 0:
        parent.remove(element)
    elif change == 1:
        parent.insert(list(parent).index(element), element)
    elif change == 2:
        element.append(ElementTree.fromstring(rng.choice(PARTS)))
    elif change == 3:
        element.tag = misspelt(element.tag, rng)
    elif not element.attrib:
        element.set('xyz', rng.choice(ODD))
    else:
        name = rng.choice(list(element.attrib))
        value = element.attrib[name]
        if change == 4:
            del element.attrib[name]
        elif change == 5:
            element.attrib = {misspelt(key, rng) if key == name else key: text for key, text in element.attrib.items()}
        else:
            words = value.split() or ['']
            words[rng.randrange(len(words))] = rng.choice(ODD)
            element.set(name, ' '.join(words))


def misspelt(word, rng):
    k = rng.randrange(len(word))
    return rng.choice((word[:k] + word[k + 1:], word[:k] + 'x' + word[k:], word.upper(), word[::-1])) or 'x'


@pytest.mark.parametrize('name', ['our_panda', 'kuka_iiwa', 'ur5_gripper'])
def test_a_mutated_robot_gives_a_model_or_an_error_that_names_the_place(name):
    text = example_robot('kuka_iiwa') if name == 'kuka_iiwa' else robots.robot_text(name).decode()
    rng = random.Random(name)
    loaded = 0
    for _ in range(120):
        root = ElementTree.fromstring(text)
        for _ in range(rng.randrange(1, 3)):
            mutated(root, rng)
        try:
            model = RobotModel.from_urdf(ElementTree.tostring(root))
        except HodError as error:
            assert NAMES_A_PLACE.search(str(error)) and len(str(error)) < 900, error
        else:
            loaded += 1
            for array in (model.B, model.X, model.M, model.M_base, model.damping, model.friction):
                assert np.isfinite(array).all()
    assert 0 < loaded < 120
