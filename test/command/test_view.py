# SPDX-License-Identifier: Apache-2.0
"""`hod view` in a real browser: what it shows moves, and has the colours that the joints' loads ask for."""

import shutil
import signal
import subprocess

import browser
import numpy as np
import pytest
from running import HOD
from running import ROOT
from running import hod
from running import refusal

from hod_ros import RobotModel
from hod_ros import example_robot
from hod_ros import forward_kinematics

pytest.importorskip('viser')
SMALL = (640, 480)
in_a_browser = pytest.mark.skipif(browser.CHROMIUM is None, reason='chromium is not installed')


@pytest.fixture(scope='module')
def panda():
    return RobotModel.from_urdf(example_robot('panda'))


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / 'config' / 'motions' / 'panda_pick.csv', tmp_path / 'pick.csv')
    return tmp_path


def is_drawn(picture):
    """Whether there is more than white and the notice that viser shows where no graphics card is."""
    return (picture[150:] < 200).all(axis=-1).mean() > 0.01


def violet(picture):
    """How many pixels have the colour of what is far beyond its limit."""
    r, g, b = np.moveaxis(picture.astype(int), -1, 0)
    return int(((r > g + 30) & (b > g + 30)).sum())


@in_a_browser
@pytest.mark.slow
def test_a_page_without_server_shows_the_loads_as_colours(folder):
    seen = {}
    for effort in (1e-3, 1e6):
        (folder / 'limits.yaml').write_text(f'effort: {effort}')
        hod('view', 'panda', 'pick.csv', '--limits', 'limits.yaml', '--html', 'page.html', cwd=folder)
        with browser.page((folder / 'page.html').as_uri(), SMALL) as page:
            browser.wait_for(lambda page=page: is_drawn(page.picture()), 'the robot')
            seen[effort] = violet(page.picture())
    assert seen[1e-3] > 300 and seen[1e6] < 10


@in_a_browser
@pytest.mark.slow
def test_the_robot_moves_on_the_served_page_beside_a_table_and_plots(folder):
    process = subprocess.Popen(
        [HOD, 'view', 'panda', 'pick.csv', '--port', '0'], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().split()[0]
        with browser.page(url, SMALL) as page:
            browser.wait_for(lambda: is_drawn(page.picture()), 'the robot')
            browser.wait_for(lambda: 'panda_joint7' in (page.value('document.body.innerText') or ''), 'the table')
            first = page.picture().astype(int)
            browser.wait_for(lambda: (np.abs(page.picture() - first).max(axis=-1) > 60).sum() > 100, 'a motion')
            text = page.value('document.body.innerText')
            assert 'Q [N m]' in text and "Q' [N m/s]" in text and 'time [s]' in text
            loaded = page.value("performance.getEntriesByType('resource').map(entry => entry.name)")
            assert [name for name in loaded if name.startswith('http') and not name.startswith(url)] == []
    finally:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=300)
    assert (process.returncode, told) == (0, '')


def test_bodies_stand_where_kinematics_has_them(panda):
    from hod_ros.scene.robot_view import Poses
    q = np.random.default_rng(4).uniform(-2, 2, (20, 7))
    poses = Poses(panda, q)
    w, x, y, z = np.moveaxis(poses.wxyz, -1, 0)
    R = np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
        np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)], -2)
    for i, body in enumerate(panda.bodies):
        expected = forward_kinematics(panda, q[:, None], body).pose
        assert np.abs(R[:, i] - expected[:, :3, :3]).max() < 1e-14
        assert np.array_equal(poses.positions[:, i], expected[:, :3, 3])


def test_shapes_are_the_descriptions_or_capsules(panda, tmp_path):
    from hod_ros.scene.shapes import shapes_of
    text = '''<robot name="r"><link name="base"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
    <link name="a"><visual><origin xyz="0 0 1"/><geometry><sphere radius="0.5"/></geometry></visual>
    <visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual>
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>'''
    model = RobotModel.from_urdf(text)
    shapes, problems = shapes_of(text.encode(), model, tmp_path)
    assert [shape.body for shape in shapes] == [-1, 0]
    assert np.ptp(shapes[0].vertices, axis=0).tolist() == [1, 2, 3]
    assert np.abs(np.linalg.norm(shapes[1].vertices - [0, 0, 1], axis=1) - 0.5).max() < 1e-12
    assert len(problems) == 1 and "link 'a'" in problems[0]
    capsules, problems = shapes_of(example_robot('panda').encode(), panda)
    assert {shape.body for shape in capsules} == set(range(-1, 7)) and not problems


def test_colours_get_darker_as_loads_grow():
    from hod_ros.scene.loads import colours_of
    from hod_ros.scene.loads import scale_of
    lightness = colours_of(np.linspace(0, 1.4, 50)) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) <= 1).all() and lightness[0] - lightness[-1] > 120
    assert scale_of(np.array([[1.0, -4.0]]), np.array([2.0, np.inf])).tolist() == [2.0, 4.0]
    assert scale_of(np.zeros((1, 2)), None).tolist() == [1.0, 1.0]


def test_wrong_combinations_are_one_line(folder):
    assert '--html needs a MOTION' in refusal('view', 'panda', '--html', 'page.html', cwd=folder, code=2)
    assert '--port is 99999' in refusal('view', 'panda', '--port', '99999', cwd=folder, code=2)
    assert 'no server at 192.0.2.1:8080' in refusal('view', 'panda', '--host', '192.0.2.1', '--seconds', '1', cwd=folder, code=5)
    assert '--seconds is nan' in refusal('view', 'panda', '--seconds', 'nan', cwd=folder, code=2)
    assert '--live takes none' in refusal('view', 'panda', 'pick.csv', '--live', cwd=folder, code=2)
    assert 'ends in none of' in refusal('view', 'panda', 'pick.csv', '--html', 'page.txt', cwd=folder, code=2)


def test_a_live_stream_is_taken_by_joint_names(panda):
    from hod_ros.scene.live import Live
    from hod_ros.scene.page import Page
    from hod_ros.scene.shapes import shapes_of
    page = Page(panda, shapes_of(example_robot('panda').encode(), panda)[0])
    try:
        lines = iter([
            '{"time": 1.0, "positions": {"panda_joint2": 0.5, "elsewhere": 9.0}}',
            '{"effort": {"panda_joint7": -3.0}, "effort_rate": {}}'])
        live = Live(page, lines, {'effort': panda.effort_limits, 'effort_rate': None})
        live.run(browser.time.monotonic() + 2.0)
    finally:
        page.close()
    assert live._values['effort'].tolist() == [0.0] * 6 + [-3.0]
