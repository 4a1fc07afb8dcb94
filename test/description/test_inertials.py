# SPDX-License-Identifier: Apache-2.0
"""Other masses in the text of a description, of which every other character stays."""

import numpy as np
import pytest
from small_urdfs import arm

from hod_ros import RobotModel
from hod_ros.description.inertials import with_inertials


@pytest.mark.parametrize('before, after', [
    ('', ''), ('', '\0'), ('', '\n\0\n'), ('<!-- é --><?xml version="1.0"?>\n', ''), ('<?xml verison="1.0"?>', ''),
    ('<?xml version="1.0" encoding="gb2312"?>', '<!-- é -->')])
def test_masses_are_replaced_in_every_text_that_is_read(before, after):
    text = before + arm() + after
    changed = with_inertials(text, {'arm': (2.0, np.array([0.1, 0.2, 0.3]), np.eye(3))})
    model = RobotModel.from_urdf(changed)
    assert model.masses.tolist() == [2.0]
    assert changed.startswith(before) and changed.endswith(after) and arm()[:arm().index('name="arm"')] in changed
