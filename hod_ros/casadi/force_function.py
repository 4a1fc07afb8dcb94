# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of any order as a CasADi callback, whose Jacobian is force_gradients: exact, compiled, block sparse.

CasADi stores by columns: (n, rows) there is (rows, n) here, in the same memory.
"""

import numpy as np

from hod_ros.checks import arguments
from hod_ros.dynamics.force_gradients import force_gradients
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import HodError
from hod_ros.errors import ModelError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

try:
    import casadi
except ModuleNotFoundError as error:
    raise ImportError("this needs casadi, which is not installed: pip install casadi, or hod_ros with its extra 'casadi'") from error


def forces(model: RobotModel, order: int = 1, samples: int = 1, *, name: str = 'forces') -> 'casadi.Callback':
    """A CasADi function from q (n, samples (order + 3)) to Q (n, samples (order + 1)), with exact first derivatives.

    Of every sample the columns of q are q, q', q'', ..., those of Q are Q, Q', ...; samples follow one another. One call of many samples
    costs less than many calls. The Jacobian's pattern is that of force_gradients: dQ^(k) / dq^(j) is zero for j > k + 2, and samples know
    nothing of one another; and bodies that don't carry one another enter no common force. There are no second derivatives: tell IPOPT
    `hessian_approximation='limited-memory'`. Keep the function for as long as it is used in a graph.

    Raises InputError where an argument is wrong; ModelError for a free base, joints of several axes, exact numbers and a model without
    inertia.

        >>> from hod_ros.casadi import forces
        >>> f = forces(model, order=2)
        >>> f.size_in(0), f.size_out(0), np.allclose(np.array(f(q.T)).T, inverse_dynamics(model, q))
        ((7, 5), (7, 3), True)
    """
    motions.massive(model)
    order, samples = arguments.count(order, 'order', 0), arguments.count(samples, 'samples', 1)
    if model.exact or not model.single_axes or model.base == 'free':
        raise ModelError(f'{model.name} has exact numbers, joints of several axes or a free base; forces are for fixed bases and floats')
    return _Forces(model, order, samples, name)


class _Function(casadi.Callback):
    """A callback of one robot for a count of samples; errors name what was wrong."""

    def __init__(self, model, order, samples):
        casadi.Callback.__init__(self)
        self.model, self.order, self.samples = model, order, samples

    def motion(self, argument):
        """(samples, order + 3, n), as the library has it."""
        return np.array(argument).ravel(order='F').reshape(self.samples, self.order + 3, self.model.n)

    def computed(self, function, argument):
        try:
            return function(self.model, self.motion(argument), order=self.order)
        except HodError as error:
            raise RuntimeError(str(error)) from None        # what CasADi takes for a failed evaluation, from which a solver steps back


class _Forces(_Function):

    def __init__(self, model, order, samples, name):
        super().__init__(model, order, samples)
        self._jacobians = []                        # CasADi holds callbacks by no more than a pointer
        pattern = _pattern(model, order)
        columns, rows = np.nonzero(pattern.T)       # by columns, as CasADi stores them
        self.nonzero = rows, columns
        self.jacobian_pattern = casadi.diagcat(*[casadi.Sparsity.triplet(*pattern.shape, rows.tolist(), columns.tolist())] * samples)
        self.construct(name, {})

    def get_n_in(self):
        return 1

    def get_n_out(self):
        return 1

    def get_name_in(self, i):
        return 'q'

    def get_name_out(self, i):
        return 'Q'

    def get_sparsity_in(self, i):
        return casadi.Sparsity.dense(self.model.n, self.samples * (self.order + 3))

    def get_sparsity_out(self, i):
        return casadi.Sparsity.dense(self.model.n, self.samples * (self.order + 1))

    def eval(self, arguments):
        Q = self.computed(inverse_dynamics, arguments[0])
        return [casadi.DM(Q.reshape(-1, self.model.n).T)]

    def has_jac_sparsity(self, oind, iind):
        return True

    def get_jac_sparsity(self, oind, iind, symmetric):
        return self.jacobian_pattern

    def has_jacobian(self):
        return True

    def get_jacobian(self, name, inames, onames, options):
        self._jacobians.append(_Jacobian(self, name, inames, onames, options))
        return self._jacobians[-1]


class _Jacobian(_Function):
    """dQ / dq with the numbers of force_gradients, in CasADi's order of rows and columns."""

    def __init__(self, function, name, inames, onames, options):
        super().__init__(function.model, function.order, function.samples)
        self._names = inames, onames
        self._sizes = function.sparsity_in(0), function.sparsity_out(0)
        self._nonzero, self._pattern = function.nonzero, function.jacobian_pattern
        self.construct(name, options)

    def get_n_in(self):
        return 2

    def get_n_out(self):
        return 1

    def get_name_in(self, i):
        return self._names[0][i]

    def get_name_out(self, i):
        return self._names[1][i]

    def get_sparsity_in(self, i):
        return self._sizes[i]

    def get_sparsity_out(self, i):
        return self._pattern

    def eval(self, arguments):
        G = self.computed(force_gradients, arguments[0])                # [sample, k, j, i, h]
        n, rows, columns = self.model.n, *self._nonzero
        values = G[:, rows // n, columns // n, rows % n, columns % n]
        return [casadi.DM(self._pattern, values.ravel())]


def _pattern(model, order):
    """(rows, columns) of bool, of one sample: which derivatives may differ from zero."""
    joints = _coupled(model)
    orders = np.arange(order + 3)[None] <= np.arange(order + 1)[:, None] + 2
    return np.kron(orders, joints).astype(bool)


def _coupled(model):
    """(n, n) whether a joint's force depends on another's motion: one of them moves a body that the other moves too."""
    moves = np.zeros((len(model.bodies), model.n), bool)
    for body, parent in enumerate(model.parent):
        moves[body] = moves[parent] if parent >= 0 else False
        moves[body, model.coordinate[model.screw_body == body]] = True
    return moves.T.astype(int) @ moves.astype(int) > 0
