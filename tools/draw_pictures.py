# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of README and of the pages about the command `hod`: python tools/draw_pictures.py FOLDER

The moving one needs Chromium and the meshes of the package example-robot-data; where they are not there, it stays as it is.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'test' / 'helpers'))
HOD = Path(sys.prefix) / 'bin' / 'hod'
MOTION = ROOT / 'config' / 'motions' / 'panda_pick.csv'
ELASTIC = '{type: series_elastic, stiffness: 300, motor_inertia: 2.0e-4, gear_ratio: 100}'
JOINTS = [f'panda_joint{i}' for i in range(1, 8)]
POINTS = np.array([[0, -0.6, 0, -2.2, 0, 1.8, 0.8], [0.6, -0.2, 0.3, -1.6, 0.2, 1.9, 0.4], [1.2, 0.3, 0, -1.9, 0, 2.3, 1.2]])
TORQUE_RATE = 150.0     # [N m/s] that the moving picture's arm may use
FRAMES = 15             # a second


def main():
    images = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        limits, drives = Path(folder) / 'limits.yaml', Path(folder) / 'drives.yaml'
        limits.write_text('effort_rate: 50\n')
        drives.write_text(f'panda_joint1: {ELASTIC}\npanda_joint2: {ELASTIC}\n')
        hod('plot', 'panda', MOTION, '--limits', limits, '--drives', drives, '--title', '', '--out', images / 'plot.png')
    hod('bench', '--out', images / 'bench.png')
    draw_view(images)


def hod(*words):
    subprocess.run([HOD, *map(str, words)], check=True)


def draw_view(images):
    """The fastest motion within a limit of torque rates, there and back, as `hod view` shows it."""
    import browser
    from PIL import Image
    robots = 'lib/python3*/site-packages/cmeel.prefix/share/example-robot-data/robots'
    urdf = next(Path(sys.prefix).glob(f'{robots}/panda_description/urdf/panda.urdf'), None)
    if browser.CHROMIUM is None or urdf is None:
        print('the moving picture is left as it is: it needs Chromium and example-robot-data', file=sys.stderr)
        return
    page, player, duration = scene(urdf)
    try:
        with browser.page(page.url, (1280, 960)) as opened:
            browser.wait_for(lambda: (opened.picture()[200:, :800] < 200).all(axis=-1).mean() > 0.01, 'the robot')
            opened.value("document.querySelectorAll('.mantine-Notification-closeButton').forEach(button => button.click())")
            time.sleep(1)
            frames = [picture_at(page, player, opened, t) for t in np.arange(0, duration, 1 / FRAMES)]
    finally:
        page.close()
    Image.fromarray(frames[len(frames) // 3]).save(images / 'view.png', optimize=True)
    scenes = [Image.fromarray(frame[160:760, 40:860]).resize((547, 400), Image.LANCZOS) for frame in frames]
    there_and_back = [*scenes[1:], *scenes[-2:0:-1]]
    scenes[0].save(
        images / 'view.webp', save_all=True, append_images=there_and_back, duration=1000 // FRAMES, loop=0, quality=60, method=6)
    print(images / 'view.png', images / 'view.webp')


def scene(urdf):
    from hod_ros import Limits
    from hod_ros import RobotModel
    from hod_ros import Trajectory
    from hod_ros import inverse_dynamics
    from hod_ros import time_optimal
    from hod_ros.scene.page import Page
    from hod_ros.scene.player import Motion
    from hod_ros.scene.player import Player
    from hod_ros.scene.shapes import shapes_of
    model = RobotModel.from_urdf(urdf, joints=JOINTS)
    path = Trajectory.interpolate([0, 1, 2], POINTS, max_deviation=None)
    motion = time_optimal(model, path, Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=TORQUE_RATE))
    times = np.linspace(0, motion.end, 400)
    q = motion.evaluate(times, 3)
    Q = inverse_dynamics(model, q)
    shapes, _ = shapes_of(urdf.read_bytes(), model, urdf.parent)
    page = Page(model, shapes)
    limits = {'effort': model.effort_limits, 'effort_rate': np.full(model.n, TORQUE_RATE)}
    return page, Player(page, Motion(times, q[:, 0], {'effort': Q[:, 0], 'effort_rate': Q[:, 1]}, limits), 'effort_rate'), motion.end


def picture_at(page, player, opened, t):
    """The page at a time of the motion, once it has been drawn: two pictures in a row are alike."""
    player._slider.value = t
    player.show(t)
    player.tell(t)
    time.sleep(0.5)
    before = opened.picture()
    while True:
        now = opened.picture()
        if np.array_equal(before, now):
            return now
        before = now


if __name__ == '__main__':
    main()
