# SPDX-License-Identifier: Apache-2.0
"""A robot's inertias, friction, rotors and springs from recordings of its positions and torques.

    tau = Y(q, q', q'') pi + J_r theta'' + d theta' + f tanh(theta' / w) + tau_0        and the time derivatives of that

with theta = q, or the motors' positions where they were recorded too. See observations.py for the filter, regression.py for the weights,
and consistency.py for the convex program whose minimum is the estimate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import replace

import numpy as np

from hod_ros.actuators.drive_identification import spring_notes
from hod_ros.actuators.gear_checks import refuse_other_gear
from hod_ros.checks import arguments
from hod_ros.checks.types import Array
from hod_ros.dynamics.minimal_parameters import minimal_parameters
from hod_ros.dynamics.regressor import BODY_PARAMETERS
from hod_ros.dynamics.regressor import inertial_parameters
from hod_ros.dynamics.regressor import parameter_bodies
from hod_ros.dynamics.regressor import parameter_names
from hod_ros.dynamics.regressor import with_inertial_parameters
from hod_ros.errors import InputError
from hod_ros.errors import SingularityError
from hod_ros.identification import observations
from hod_ros.identification.consistency import Program
from hod_ros.identification.consistency import possible
from hod_ros.identification.description import described_with
from hod_ros.identification.joint_stiffness import springs
from hod_ros.identification.observations import Filtering
from hod_ros.identification.recording import Recording
from hod_ros.identification.recording import refuse_unmeasured
from hod_ros.identification.regression import Unknowns
from hod_ros.identification.regression import fit
from hod_ros.identification.regression import rms
from hod_ros.identification.rotors import rotor_text
from hod_ros.identification.torque_delay import delay_text
from hod_ros.identification.torque_delay import torque_delay
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories.sample_times import off_text

HELD_OUT = 0.25                 # the last part of each piece, for the cross-validation
_FEWEST_EQUATIONS = 50
_ROUNDING = 1e-16               # of an eigenvalue, so that the condition of what cannot be told apart is 1e8
_EXCITED = 0.01                 # of some parameter of a body, for it to be changed at all
_UNEXPLAINED = 0.7             # the part of a joint's torques whose remaining is worth a note
_TELLING = 1e3                  # the condition beyond which figures are hardly told apart
_POSITIVE_WEIGHT = 1e-2         # of what is believed of friction and rotors: next to nothing
_UNITS = {'m': 'kg', 'I': 'kg m^2', 'a': 'kg m^2'}
_JOINT_FIGURES = (('armature', 'kg m^2'), ('damping', 'N m s/rad'), ('friction', 'N m'), ('torque offset', 'N m'))


@dataclass(frozen=True)
class IdentifiedFigure:
    """One number that was identified, with what is known of it.

    Those that identify returns are listed in the figures of its result.

        >>> figure = IdentifiedFigure('joint1/m', 2.5, 0.1, 2.0, 0.8, 'kg')
        >>> figure.value, figure.excitation
        (2.5, 0.8)
    """

    name: str
    value: float
    deviation: float            # standard deviation
    described: float            # before
    excitation: float           # 0: the recordings say nothing of it, 1: they say all; 1 - deviation / deviation without recordings
    unit: str


@dataclass(frozen=True, eq=False)
class Identification:
    """What identify found.

    See there for an example.

        >>> Identification.__dataclass_fields__['covariance'].name
        'covariance'
    """

    model: RobotModel           # with the identified inertias, armature, damping, friction
    covariance: Array           # (p, p) of inertial_parameters(model), as evaluate_trajectory takes it
    offsets: Array              # (n,) of the torque sensors [N m]
    friction_width: float       # [rad/s] within which dry friction turns
    figures: tuple[IdentifiedFigure, ...]           # parameter by parameter, then by joint
    base_figures: tuple[IdentifiedFigure, ...]      # of the minimal parameters, which are all that torques can tell
    condition: float            # of the equations for these, columns scaled to one length: above some hundred, excite the robot better
    errors_described: Array     # (n,) root mean square of torque errors [N m] on the held-out part: of the model before, friction and all
    errors_held_out: Array      # (n,) there, identified from the rest alone
    errors: Array               # (n,) on all, identified from all
    rates_used: tuple[str, ...]     # joints whose torque rates bore a comparison
    filtering: Filtering
    changed: tuple[str, ...]    # joints whose bodies' inertias were identified
    notes: tuple[str, ...]      # what to know before the result is used

    def urdf(self, text: str) -> str:
        """The text of the URDF that the model was made of, with the identified inertias and nothing else changed."""
        return described_with(self.model, text, self.changed)

    def covariance_for(self, model: RobotModel) -> Array:
        """The covariance in the order of another model of this robot, such as one read from the URDF, without rotor inertias."""
        names, own = parameter_names(model), {name: i for i, name in enumerate(parameter_names(self.model))}
        missing = [name for name in names if name not in own]
        if missing:
            raise InputError(f'the identified robot has no parameter {missing[0]!r}; give a model of the same joints')
        places = [own[name] for name in names]
        return self.covariance[np.ix_(places, places)]


def identify(
        model: RobotModel, recordings: Recording | Iterable[Recording], *, description_deviation: float = 0.5, cutoff: float | None = None,
        friction_width: float | None = None, rates: bool = True) -> Identification:
    """Inertias, friction, rotor inertias and springs from recordings of positions and torques.

    model: as described; its inertias are believed to be right to the part `description_deviation` of themselves, and kept where the
    recordings say nothing. Stamps of recordings that jitter are replaced by even times where the motion is smoother at these; a note says
    so. cutoff: [Hz] of the motion that is followed; None: as the positions' noise says. friction_width: [rad/s] of dry
    friction; None: that of six which fits best. rates: whether torque rates are compared too, where that helps to predict torques.

    Raises InputError where an argument has the wrong shape, name or value, or the recordings are too short; SingularityError where the
    estimate does not converge.

        >>> t = np.linspace(0, 8, 4000)
        >>> turn = 0.8 * np.sin(2 * t + 0.5 * np.sin(3 * t))
        >>> link = link_inertia(2.0, [0.2, 0, 0], 0.05 * np.eye(3))
        >>> one = RobotModel.from_dh([0], [np.pi / 2], [0], [0], [link], joint_names=['joint1'])
        >>> s = smoothed_motion(t, turn[:, None], order=2).derivatives
        >>> heavier = with_inertial_parameters(one, 1.3 * inertial_parameters(one))
        >>> r = Recording(['joint1'], t, turn[:, None], inverse_dynamics(heavier, s)[:, 0])
        >>> found = identify(one, r)
        >>> bool(found.errors_held_out[0] < 0.01 * found.errors_described[0])
        True
    """
    model = motions.massive(model)
    if model.exact or model.base != 'fixed':
        raise InputError(f'{model.name} has symbols or a free base; recordings of joints are for floats and a fixed base')
    deviation = arguments.number_above_0(description_deviation, 'description_deviation')
    arguments.flag(rates, 'rates')
    try:
        recordings = [recordings] if isinstance(recordings, Recording) else list(recordings)
    except TypeError:
        raise InputError(f'recordings is {arguments.shown(recordings)}; give a Recording, or several') from None
    for i, recording in enumerate(recordings):
        if not isinstance(recording, Recording):
            raise InputError(f'recordings[{i}] is {arguments.shown(recording)}; give Recordings')
        own = recording.of_model(model)
        if len(own.times):
            refuse_unmeasured(own.joint_names, own.positions, own.torques, f'recordings[{i}]')
        if recording.motor_positions is not None:
            for joint, q, theta in zip(recording.joint_names, recording.positions.T, recording.motor_positions.T, strict=True):
                refuse_other_gear(joint, q, theta)
    widths = observations.WIDTHS if friction_width is None else (arguments.number_above_0(friction_width, 'friction_width', '[rad/s]'),)
    pieces, filtering = observations.equations(
        model, observations.unit_models(model), recordings, 2 if rates else 1, cutoff, widths)
    if filtering.equations < _FEWEST_EQUATIONS:
        raise InputError(
            f'the recordings give {filtering.equations} equations a joint, at a cut-off of {filtering.cutoff[0]:.3g} Hz; give '
            f'{_FEWEST_EQUATIONS} or more: half a minute of motion of all joints')
    unknowns, notes = _unknowns(model, pieces, deviation)
    notes = [*filter(None, [off_text(filtering.taken)]), *notes]
    fits = {width: fit(unknowns, pieces, width, 1) for width in widths}
    width = min(fits, key=lambda width: fits[width].misfit)
    best = fits[width]
    training, held_out = _split(pieces)
    errors_held_out = fit(unknowns, training, width, 1).errors(unknowns, held_out, width)
    if rates:       # they bear it where they help to predict torques that were not seen
        with_rates = fit(unknowns, training, width, 2).errors(unknowns, held_out, width)
        if np.log(with_rates / errors_held_out).sum() < 0:
            best, errors_held_out = fit(unknowns, pieces, width, 2), with_rates
    return _result(model, unknowns, pieces, held_out, best, width, errors_held_out, filtering, notes)


def _unknowns(model, pieces, deviation):
    """The Unknowns, and notes on what the description has of no real body."""
    given = inertial_parameters(model)
    names = parameter_names(model)
    bodies = [10 * i + np.arange(10) for i in range(len(model.bodies)) if given[10 * i:10 * i + 10].any()]
    columns = np.concatenate(bodies)
    descriptions, notes = [], []
    for entries in bodies:
        parameters, widened = possible(given[entries])
        descriptions.append(parameters)
        if widened:
            joint = names[entries[0]].rpartition('/')[0]
            notes.append(f'the body that joint {joint!r} moves has an inertia of no real body in the description; it was widened to 1 cm')
    size = rms([piece.torques[:, 0] for piece in pieces]) + 1e-9
    speed = rms([piece.viscous[:, 0] for piece in pieces]) + 1e-9
    force = rms([piece.rotor[:, 0] for piece in pieces]) + 1e-9
    guesses = [(model.armature, 0.1 * size / force), (model.damping, 0.1 * size / speed), (model.friction, 0.1 * size)]
    scales = np.concatenate([np.where(believed > 0, believed, guess) for believed, guess in guesses])
    first, n = len(columns), model.n
    program = Program(
        tuple(10 * i + np.arange(10) for i in range(len(bodies))), tuple(descriptions), first + np.arange(3 * n), scales,
        1 / deviation**2, _POSITIVE_WEIGHT)
    start = np.concatenate([*descriptions, scales, np.zeros(n)])
    loose = np.zeros((len(start), len(start)))
    offsets = first + 3 * n + np.arange(n)
    loose[offsets, offsets] = 1 / size**2
    return Unknowns(columns, n, program, start, loose), notes


def _split(pieces):
    """(pieces without their last parts, these parts)"""
    def part(piece, begin, end):
        springs = None if piece.springs is None else tuple(values[begin:end] for values in piece.springs)
        return replace(
            piece, Y=piece.Y[begin:end], torques=piece.torques[begin:end], rotor=piece.rotor[begin:end],
            viscous=piece.viscous[begin:end], dry={width: values[begin:end] for width, values in piece.dry.items()}, springs=springs)
    cuts = [int(round((1 - HELD_OUT) * len(piece.torques))) for piece in pieces]
    gap = 6         # equations whose bumps overlap
    return ([part(piece, 0, cut) for piece, cut in zip(pieces, cuts, strict=True)],
            [part(piece, min(cut + gap, len(piece.torques) - 1), None) for piece, cut in zip(pieces, cuts, strict=True)])


def _result(model, unknowns, pieces, held_out, best, width, errors_held_out, filtering, notes):
    n, bodies = model.n, len(unknowns.columns)
    armature, damping, friction, offsets = (best.x[unknowns.part(k)] for k in range(4))
    names, given = parameter_names(model), inertial_parameters(model)
    described = model
    without, covariance = _covariances(unknowns.program.curvature(best.x) + unknowns.loose, best.from_data)
    told = 1 - np.sqrt(np.diag(covariance) / np.diag(without))[:bodies].reshape(-1, 10)
    excited = told.max(axis=1) > _EXCITED
    columns = unknowns.columns.reshape(-1, 10)[excited]
    pi = np.array(given)
    pi[columns] = best.x[:bodies].reshape(-1, 10)[excited]
    base = model.replace(armature=np.ones(n))       # so that every joint's rotor is among the parameters
    found = with_inertial_parameters(base, np.concatenate([pi[:10 * len(model.bodies)], armature]))
    found = found.replace(damping=damping, friction=friction)
    places = np.concatenate([unknowns.columns, 10 * len(model.bodies) + np.arange(n)])
    full = np.zeros((10 * len(model.bodies) + n,) * 2)
    full[np.ix_(places, places)] = covariance[:bodies + n, :bodies + n]
    figures = [
        _figure(names[column], best.x[i], covariance[i, i], given[column], without[i, i], _unit(names[column]))
        for i, column in enumerate(unknowns.columns)]
    before = (described.armature, described.damping, described.friction, np.zeros(n))
    for j, joint in enumerate(model.joint_names):
        for k, (what, unit) in enumerate(_JOINT_FIGURES):
            i = unknowns.part(k)[j]
            figures.append(_figure(f'{joint}/{what}', best.x[i], covariance[i, i], before[k][j], without[i, i], unit))
    of_springs = springs(unknowns, pieces, best.x)
    for j, spring in of_springs.items():
        joint = model.joint_names[j]
        for what, pair, unit in (('stiffness', spring.stiffness, 'N m/rad'), ('spring damping', spring.damping, 'N m s/rad'),
                                 ('motor delay', spring.delay, 's')):
            figures.append(IdentifiedFigure(f'{joint}/{what}', *pair, float('nan'), 1.0, unit))
    notes = [*notes, *spring_notes(
        {model.joint_names[j]: spring.delay[0] for j, spring in of_springs.items()},
        {model.joint_names[j]: spring.unexplained for j, spring in of_springs.items()})]
    base_figures, condition = _base_figures(model, unknowns, best, covariance, without, places)
    slots = parameter_bodies(model)
    changed = tuple(model.joints[slots[column // 10]] for column in columns[:, 0])
    rates_used = tuple(name for j, name in enumerate(model.joint_names) if best.used[1:, j].any())
    was = _described_errors(model, unknowns, held_out, width)
    worse = [name for name, a, b in zip(model.joint_names, errors_held_out, was, strict=True) if a > b]
    if worse:
        notes = [*notes, f'on the held-out part the described model is nearer for {arguments.listed(worse)}; record richer motions']
    size = rms([piece.torques[:, 0] for piece in pieces])
    unexplained = [name for name, a, b in zip(model.joint_names, best.noise[0], size, strict=True) if a > _UNEXPLAINED * b]
    if unexplained:
        notes = [*notes, f'most of the torques of {arguments.listed(unexplained)} is not explained; check units, signs and gear ratios']
    notes = [*notes, *filter(None, [rotor_text(described, armature), delay_text(*torque_delay(unknowns, pieces, width, best))])]
    if condition > _TELLING:
        notes = [*notes, f'the condition of the equations is {condition:.2g}, and beyond {_TELLING:g} the recordings hardly tell figures '
                 'apart: believe them together only, for motions like those recorded; move all joints together, through most of their '
                 'range, at several speeds']
    return Identification(
        found, full, offsets, float(width), tuple(figures), base_figures, condition, was, errors_held_out,
        best.errors(unknowns, pieces, width), rates_used, filtering, changed, tuple(notes))


def _covariances(believed, from_data):
    """Inverses of what is believed, and of believed + from_data, both of which stay positive however far their figures are apart."""
    try:
        spread = np.linalg.inv(np.linalg.cholesky(believed))        # L^-1, where L L^T = believed
    except np.linalg.LinAlgError:
        raise SingularityError(
            'the estimate leaves bodies without extent; is the recording in the units of the description, its times in seconds?') from None
    gains, directions = np.linalg.eigh(spread @ from_data @ spread.T)
    told = spread.T @ directions / np.sqrt(1 + np.maximum(gains, 0))
    return spread.T @ spread, told @ told.T


def _figure(name, value, variance, described, variance_without, unit):
    excitation = 1 - np.sqrt(variance / variance_without)
    return IdentifiedFigure(name, float(value), float(np.sqrt(variance)), float(described), float(np.clip(excitation, 0, 1)), unit)


def _unit(name):
    kind = name.rpartition('/')[2]
    return 'kg m' if kind in BODY_PARAMETERS[1:4] else _UNITS[kind[0]]


def _base_figures(model, unknowns, best, covariance, without, places):
    """Figures of the minimal parameters, rotors among them, and the condition of the equations for these and friction."""
    rotors = np.ones(model.n)
    least = minimal_parameters(model.replace(armature=rotors))
    count = len(places)
    G = least.grouping[:, places]
    x = best.x[:count]
    described = np.concatenate([inertial_parameters(model.replace(armature=rotors))[places[:-model.n]], model.armature])
    variances, variances_without = (np.einsum('ij,jk,ik->i', G, C[:count, :count], G) for C in (covariance, without))
    figures = tuple(
        _figure(name, *numbers, _unit(name))
        for name, *numbers in zip(
            least.names, G @ x, np.maximum(variances, 0), G @ described, np.maximum(variances_without, 1e-300), strict=True))
    kept = np.concatenate([np.flatnonzero(np.isin(places, least.columns)), np.arange(count, unknowns.size)])
    gram = best.from_data[np.ix_(kept, kept)]
    lengths = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    eigenvalues = np.linalg.eigvalsh(gram / np.outer(lengths, lengths))
    return figures, float(np.sqrt(eigenvalues[-1] / max(eigenvalues[0], _ROUNDING * eigenvalues[-1])))


def _described_errors(model, unknowns, pieces, width):
    """(n,) of the model as described, with its own friction and rotors and no offsets."""
    given = inertial_parameters(model)
    x = np.concatenate([given[unknowns.columns], model.armature, model.damping, model.friction, np.zeros(model.n)])
    return rms([piece.torques[:, 0] - unknowns.rows(piece, width, 0) @ x for piece in pieces])
