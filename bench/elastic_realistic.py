# SPDX-License-Identifier: Apache-2.0
"""Elastic joints with the faults of a laboratory (examples/laboratory.py): what feedforward is worth where the model is wrong, and what
identification and an observer of disturbances make of it.
"""

from bench import ROOT
from bench.timing import Table
from hod_ros import RobotModel


def run():
    from laboratory import Arm
    from laboratory import errors
    arm = Arm(RobotModel.from_urdf((ROOT / 'config' / 'robots' / 'panda.urdf').read_bytes()))
    results = dict(errors(arm))
    table = Table('Elastic joints with the faults of a laboratory, rms of the joints; against full feedforward of what is believed [nrad]')
    for kind, error in results.items():
        table.add(kind, error * 1e9, results['full'] * 1e9, 0.4 if 'observer' in kind else None, 'nr')
    return table.rows
