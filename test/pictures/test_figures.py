# SPDX-License-Identifier: Apache-2.0
"""What is saved is fit for print: 300 dpi, type of 8 pt and more, lines that differ without colour, colours for eyes without green."""

import re
from collections import defaultdict
from importlib import import_module
from io import BytesIO
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import example_robot
from hod_ros.pictures import panels
from hod_ros.pictures import rows
from hod_ros.pictures import style

pytest.importorskip('matplotlib')

ROOT = Path(__file__).resolve().parents[2]
SVG, LINK = '{http://www.w3.org/2000/svg}', '{http://www.w3.org/1999/xlink}href'
T = np.linspace(0, 3, 50)
NAMES = [f'panda_joint{i}' for i in range(1, 8)]


def waves(*shape):
    return np.random.default_rng(1).uniform(0.5, 2, (len(T), *shape)) * np.sin(T).reshape(-1, *[1] * len(shape))


def rows_of(joints, cases=3):
    titles = ['as published: no gravity, tensors about link frames'] * cases
    return rows.rows_figure(T, [waves(4, joints)] * cases, ['Q [N m]', "Q' [N m/s]", "Q'' [N m/s²]", "Q'''"], titles)


def panels_of(joints):
    values, limits = waves(joints), np.tile([-2.0, 2.0], (joints, 1))
    quantities = [panels.Quantity('q [rad]', values, 20 * limits), panels.Quantity('Q [N m]', values, limits, [(0, 1.1 * values[:, 0])])]
    return panels.panels_figure(T, quantities, [f'j{i}' for i in range(joints)], 'a robot')


def feedforward_errors(names):
    return {name: 1e-4 * (1 + k) * np.abs(waves(7)) + 1e-8 for k, name in enumerate(names)}


def elastic_stiffness(module):
    names = ['full feedforward', 'Q alone', 'rigid', 'PD', *(f'full, stiffness {percent:+d} %' for percent in (10, -10, 30, -30))]
    module.draw({name: (T, error) for name, error in feedforward_errors(names).items()}, 'a.svg')


def sea_demo(module, laboratory):
    robot, errors = SimpleNamespace(period=1e-3), feedforward_errors([case.name for case in module.CASES])
    module.draw(robot, errors, laboratory, Path('a.svg'))


def elastic_time_optimal(module):
    run = SimpleNamespace(times=T, efforts=waves(7), errors=1e-3 * waves(7), largest=2e-3)
    module.draw(SimpleNamespace(joint_names=NAMES), dict.fromkeys(module.NAMES, run), 'a.svg')


def ruckig_motion(module):
    model = RobotModel.from_urdf(example_robot('panda'))
    after = Trajectory.interpolate([0, 1], [model.n * [0.1], model.n * [0.2]])
    module.draw(model, (T, waves(2, 7)), after, 'a.svg')


FIGURES = {
    'one robot': lambda load: rows_of(2, 1),
    'papers': lambda load: rows_of(7),
    'humanoid': lambda load: rows_of(32),
    'panels': lambda load: panels_of(7),
    'panels of one joint': lambda load: panels_of(1),
    'elastic_stiffness': lambda load: elastic_stiffness(load('elastic_stiffness')),
    'sea_demo': lambda load: sea_demo(load('sea_demo'), {'PD': 1e-2, 'full, identified, observer, delay 0': 1e-4}),
    'sea_demo alone': lambda load: sea_demo(load('sea_demo'), {}),
    'elastic_time_optimal': lambda load: elastic_time_optimal(load('elastic_time_optimal')),
    'ruckig_motion': lambda load: ruckig_motion(load('ruckig_motion')),
    'demo': lambda load: load('demo').draw_picture(Path('a.svg'), SimpleNamespace(joint_names=NAMES), T, waves(3, 7)),
}


@pytest.fixture(params=FIGURES)
def drawn(request, monkeypatch, tmp_path):
    """(the figure, its SVG as a tree): of the rooms' own figures, and those that the examples hand to style.save."""
    saved = []

    def load(name):
        if 'demo' in name:
            pytest.importorskip('rclpy')
        monkeypatch.syspath_prepend(str(ROOT / 'examples'))
        return import_module(name)

    monkeypatch.chdir(tmp_path)
    write = style.save
    monkeypatch.setattr(style, 'save', lambda figure, file, kind=None: (saved.append(figure), write(figure, file, kind)))
    figure = FIGURES[request.param](load) or saved[0]
    file = BytesIO()
    write(figure, file, '.svg')
    return figure, ElementTree.fromstring(file.getvalue())


def test_figures_are_no_wider_than_a_page_and_their_type_is_at_least_8_pt_there(drawn):
    figure, tree = drawn
    assert float(tree.get('width').removesuffix('pt')) <= 72 * style.WIDTH + 0.1
    assert tree.get('viewBox').split()[2] == tree.get('width').removesuffix('pt')       # so that its px are points
    texts = [element for element in tree.iter() if element.tag in (f'{SVG}text', f'{SVG}tspan') and ''.join(element.itertext()).strip()]
    sizes = [float(size) for element in texts for size in re.findall(r'font(?:-size)?: [^;]*?([\d.]+)px', element.get('style', ''))]
    assert len(sizes) >= 5 and min(sizes) >= 8


def test_lines_of_one_plot_differ_by_dashes_or_markers_and_not_by_colour_alone(drawn):
    _, tree = drawn
    shapes = {path.get('id'): path.get('d') for path in tree.iter(f'{SVG}path') if path.get('id')}
    plots = [group for group in tree.iter(f'{SVG}g') if re.fullmatch(r'axes_\d+', group.get('id', ''))]
    assert plots
    for plot in plots:
        colours = defaultdict(set)
        for line in (group for group in plot if group.get('id', '').startswith('line2d')):
            look = dict(part.split(': ', 1) for part in line.find(f'{SVG}path').get('style').split('; '))
            marker = {shapes[use.get(LINK)[1:]] for use in line.iter(f'{SVG}use')}
            colours[(look.get('stroke-dasharray'), *marker)].add(look.get('stroke', '#000000'))
        assert all(len(found) == 1 for found in colours.values()), dict(colours)


@pytest.mark.parametrize('joints', [2, 7])
def test_a_png_has_300_dpi_and_is_the_same_each_time(joints, tmp_path):
    image = pytest.importorskip('PIL.Image')
    for name in 'ab':
        rows.save_rows(tmp_path / f'{name}.png', T, [waves(4, joints)], ['a', 'b', 'c', 'd'], ['title'])
    with image.open(tmp_path / 'a.png') as picture:
        assert picture.info['dpi'] == pytest.approx((300, 300), abs=0.1)
        assert picture.width == pytest.approx(300 * 4.6, abs=1)
    assert (tmp_path / 'a.png').read_bytes() == (tmp_path / 'b.png').read_bytes()


def test_a_figure_that_is_too_tall_for_300_dpi_is_drawn_with_fewer(monkeypatch):
    image = pytest.importorskip('PIL.Image')
    monkeypatch.setattr(style, 'MOST_PIXELS', 1000)
    file = BytesIO()
    style.save(rows_of(2, 1), file, '.png')
    with image.open(file) as picture:
        assert 900 < max(picture.size) <= 1000


def test_the_places_of_an_svgs_curves_are_rounded_and_its_texts_are_not():
    file = BytesIO()
    figure = rows.rows_figure(T, [waves(1, 1)], ['q'], ['1.23456'])
    style.save(figure, file, '.svg')
    assert b'>1.23456<' in file.getvalue() and not re.search(rb' d="[^"]*\.\d{3}', file.getvalue())


# Machado, Oliveira, Fernandes: A physiologically-based model for simulation of color vision deficiency, IEEE TVCG 15(6), 2009:
# deuteranomaly of severity 1.0, of linear RGB.
DEUTERANOPE = np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]])
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])   # of sRGB


def lab(colour, seen_by):
    """CIELAB (L, a, b) of '#RRGGBB', as seen by whoever has this matrix."""
    value = np.array([int(colour[i:i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.clip(seen_by @ np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4), 0, 1)
    x, y, z = (116 * np.cbrt(share) if share > 216 / 24389 else 24389 / 27 * share + 16 for share in TO_XYZ @ linear / TO_XYZ.sum(axis=1))
    return np.array([y - 16, 500 / 116 * (x - y), 200 / 116 * (y - z)])


@pytest.mark.parametrize('eyes', [np.eye(3), DEUTERANOPE], ids=['usual', 'deuteranope'])
def test_colours_of_lines_stay_apart_for_everyone(eyes):
    assert np.allclose(eyes.sum(axis=1), 1, atol=1e-5)
    for one, other in combinations(style.COLOURS, 2):
        assert np.linalg.norm(lab(one, eyes) - lab(other, eyes)) > 15, (one, other)      # 2.3 can just be noticed
    assert all(lab(colour, eyes)[0] < 80 for colour in style.COLOURS)       # on white


def test_red_and_green_would_not_stay_apart():
    assert np.linalg.norm(lab('#C00000', DEUTERANOPE) - lab('#606000', DEUTERANOPE)) < 15


def test_make_pictures_draws_every_picture_that_pages_show():
    pages = [ROOT / 'README.md', *(ROOT / 'docs').glob('*.md')]
    shown = {name for page in pages for name in re.findall(r'images/([\w.]+)\)', page.read_text())}
    recipe = (ROOT / 'Makefile').read_text().partition('\npictures:')[2].partition('\n\n')[0]
    drawn = set(re.findall(r'images/([\w.]+)', recipe + (ROOT / 'tools' / 'draw_pictures.py').read_text().replace("images / '", 'images/')))
    drawn |= {f'{script}.{kind}' for script, kind in re.findall(r'examples/(\w+)\.py --output docs/images --kind (\w+)', recipe)}
    assert shown == drawn
    assert {path.name for path in (ROOT / 'docs' / 'images').iterdir()} == shown
