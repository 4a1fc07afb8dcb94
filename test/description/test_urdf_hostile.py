# SPDX-License-Identifier: Apache-2.0
"""Texts made to hurt: refused by one error, before they cost time or memory."""

import time

import numpy as np
import pytest
import robots

from hod_ros import DescriptionError
from hod_ros import HodError
from hod_ros import RobotModel

ENTITIES = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + ''.join(
    f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(15)) + ']>'
BOMB = f'<?xml version="1.0"?>{ENTITIES}<robot name="&p;"/>'
MEGABYTE = 2**20

HOSTILE = {
    'entity bomb': BOMB,
    'entity bomb in UTF-16': BOMB.encode('utf-16'),
    'entity bomb in UTF-16 without mark': BOMB.encode('utf-16-be'),
    'entity bomb after comments': '<!-- a --><?p?>' * 1000 + ENTITIES + '<robot name="&p;"/>',
    'external entity': '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
    'external DTD': '<!DOCTYPE robot SYSTEM "http://localhost/robot.dtd"><robot name="r"/>',
    'undefined entity': '<robot name="&x;"/>',
    '50 MB of space': '<robot name="r">' + ' ' * 50 * MEGABYTE + '</robot>',
    '50 MB of bytes': b'<robot name="r">' + b' ' * 50 * MEGABYTE + b'</robot>',
    'many elements': '<robot name="r">' + '<a/>' * 900_000 + '</robot>',
    'deep nesting': '<robot name="r">' + '<a>' * 500_000 + '</a>' * 500_000,
    'deep nesting in gazebo': '<robot name="r"><gazebo>' + '<a>' * 2000 + '</a>' * 2000 + '</gazebo></robot>',
    'open comment': '<!--' + ' ' * 3 * MEGABYTE,
    'many comments': '<!---->' * 500_000,
    'many comments as bytes': b'<!-- a -->\n' * 300_000,
    'comments and then no declaration': '<!-- a -->\n' * 100 + '<?xm?><robot/>',
    'comments and then no declaration, as bytes': b'<!-- a -->\n' * 100 + b'<robot/>',
    'long number': '<robot name="r"><link name="a"><inertial><inertia/><mass value="' + '1' * 3 * MEGABYTE
                   + '"/></inertial></link></robot>',
    'long name': '<robot name="r">' + f'<link name="{"a" * MEGABYTE}"/>' * 3 + '</robot>',
    'many roots': '<robot name="r">' + ''.join(f'<link name="a{k}"/>' for k in range(90_000)) + '</robot>',
}


@pytest.mark.parametrize('name', HOSTILE)
def test_hostile_text_is_refused_quickly_and_in_few_words(name):
    begin = time.process_time()
    with pytest.raises(DescriptionError) as caught:
        RobotModel.from_urdf(HOSTILE[name])
    assert time.process_time() - begin < 2.0
    assert len(str(caught.value)) < 500


def test_a_doctype_is_named_as_the_reason():
    with pytest.raises(DescriptionError, match='DOCTYPE'):
        RobotModel.from_urdf(BOMB)


def test_the_word_doctype_in_a_comment_does_no_harm():
    assert RobotModel.from_urdf('<!-- <!DOCTYPE x> --><robot name="r"><link name="base"/></robot>').n == 0


def test_every_beginning_of_a_robot_is_refused_cleanly():
    text = robots.PANDA.read_text().rstrip()
    for end in range(0, len(text), 7):
        with pytest.raises(DescriptionError):
            RobotModel.from_urdf(text[:end])


@pytest.mark.parametrize('seed', range(20))
def test_damaged_text_gives_a_model_or_an_error_of_ours(seed):
    rng = np.random.default_rng(seed)
    data = np.frombuffer(robots.PANDA.read_bytes(), np.uint8)
    for _ in range(10):
        damaged = data.copy()
        damaged[rng.integers(1800, len(data), 3)] = rng.choice(np.frombuffer(b'<>"/-.19ex \0\xff', np.uint8), 3)
        try:
            RobotModel.from_urdf(damaged.tobytes())
        except HodError:
            pass
