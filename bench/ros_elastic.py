# SPDX-License-Identifier: Apache-2.0
"""The closed loop of elastic joints over DDS, free-running, plant, node, controller and planner under SCHED_FIFO, against lock-step; and
how much of the difference is jitter's.

A free-running plant lets a torque act from the state on that it answers, if it comes within the period, and the last one where none does.
The same loop in one process, in which all come, has no jitter: what it lacks of the free-running error is that of what came late.
"""

import os
from dataclasses import replace

import numpy as np

from bench.timing import Table

BOUND = 20.0            # times the lock-step error
SECONDS, PAIRS, PRIORITY = 2.0, 3, 20
WITHOUT_START = 200     # periods that are not counted


def over_dds(case):
    """(rms [rad] of the joints, share of periods that were not seen, p50 and p99 [ms] from a state to the torques that answer it)."""
    import rclpy
    import sea_demo
    from rclpy.signals import SignalHandlerOptions

    from hod_ros.ros.process import StopRequest
    from hod_ros.ros.scheduling import run_as_others
    from hod_ros.ros.scheduling import run_in_real_time
    os.environ |= {'ROS_DOMAIN_ID': str(sea_demo.claim_domain()), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    sea_demo.LOGS.mkdir(parents=True, exist_ok=True)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    refused = run_in_real_time(PRIORITY)
    try:
        errors, delays = sea_demo.track(sea_demo.Robot(), case, SECONDS, StopRequest(()))
    finally:
        if refused is None:
            run_as_others()
        rclpy.try_shutdown()
    errors = errors[WITHOUT_START:]
    seen = np.isfinite(errors[:, 0])
    late = np.percentile(delays, (50, 99)) * 1e3 if len(delays) else (np.nan, np.nan)
    return float(np.sqrt(np.mean(errors[seen] ** 2))), 1.0 - seen.mean(), *late


def without_jitter():
    """rms [rad] of the joints where every torque comes in time."""
    import sea_demo

    from bench.motor_loop import MotorLoop
    robot = sea_demo.Robot()
    wide = {name: dict.fromkeys(robot.model.joint_names, value) for name, value in (('lower', -9.0), ('upper', 9.0))}
    loop = MotorLoop(robot.model, robot.drives, limits=wide)

    def motion(t):
        return sea_demo.motion(np.array([t]), robot.model.n)[0]

    loop.place(motion(0.0))
    times, positions, *_ = loop.run(SECONDS, motion).trace.arrays()
    errors = [q - motion(t)[0] for t, q in zip(times, positions, strict=True)]
    return float(np.sqrt(np.mean(np.square(errors[WITHOUT_START:]))))


def run():
    import sea_demo
    full = sea_demo.CASES[0]
    runs = [(over_dds(full), over_dds(replace(full, name='free-running', lock_step=False))) for _ in range(PAIRS)]
    lock = float(np.median([one[0] for one, _ in runs]))
    free, unseen, p50, p99 = (float(np.median([other[k] for _, other in runs])) for k in range(4))
    steady = without_jitter()
    table = Table('The closed loop of elastic joints over DDS at 1 kHz, rms of the joints; against lock-step [nrad]')
    table.add('free-running', free * 1e9, lock * 1e9, BOUND, 'nr')
    table.add('all torques in time', steady * 1e9, lock * 1e9, None, 'nr')
    table.add("jitter's share of the squared error", 100 * max(0.0, 1 - (steady / free) ** 2), 100.0, None, '% ')
    table.add('states that the planner did not see [%]', 100 * unseen, 100.0, None, '% ')
    table.add('from a state to its torques, p50 and p99 [us]', p50 * 1e3, p99 * 1e3, None, 'us')
    return table.rows
