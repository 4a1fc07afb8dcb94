"""What in a description is possible to compute with, but hardly true of a real robot."""

import numpy as np

_RELATIVE_SLACK = 1e-6
_SMALL_RADIUS = 1e-6        # [m] moments below mass * radius^2 are rounding


def inertia_warnings(link):
    """Sentences about a link whose mass and tensor no real body has."""
    if link.mass == 0.0:
        if link.tensor.any():
            yield (f'link {link.name!r} has no mass but the inertia {_figures(np.diag(link.tensor))} kg m^2 on its '
                   'diagonal; one of them is wrong')
        return
    moments = np.linalg.eigvalsh(link.tensor)
    slack = _RELATIVE_SLACK * np.abs(moments).max() + link.mass * _SMALL_RADIUS**2
    a, b, c = moments = np.where(np.abs(moments) < slack, 0.0, moments)
    if a < -slack:
        yield (f'link {link.name!r} has the principal moments of inertia {_figures(moments)} kg m^2; a real body has '
               'none below zero')
    elif a + b < c - slack:
        yield (f'link {link.name!r} has the principal moments of inertia {_figures(moments)} kg m^2, of which the '
               'largest exceeds the sum of the others, as in no real body (triangle inequality); was the tensor meant '
               'about another point?')


def limit_warnings(joint):
    """Sentences about limits that contradict themselves."""
    lower, upper = joint.position_limits
    if lower > upper:
        yield f'joint {joint.name!r} has a lower limit of {lower:g} above its upper limit of {upper:g}'
    for what, value in (('velocity', joint.velocity_limit), ('effort', joint.effort_limit)):
        if value < 0:
            yield f'joint {joint.name!r} has a {what} limit of {value:g}; a limit is 0 or more'
    for what, value in (('damping', joint.damping), ('friction', joint.friction)):
        if value < 0:
            yield f'joint {joint.name!r} has a {what} of {value:g}; real joints have 0 or more'


def _figures(values):
    return ', '.join(f'{value:.6g}' for value in values)
