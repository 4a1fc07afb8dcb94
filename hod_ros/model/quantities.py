# SPDX-License-Identifier: Apache-2.0
"""Quantities of a motion: the kernel's where that has an answer, else by numpy's reference, after the checks that say what is wrong."""

import numpy as np

from hod_ros.checks import arguments
from hod_ros.model import motions

FEW = motions.MOST_ROWS_UNASKED - 3         # rows of a result that are not mistaken for samples, whatever the quantity


class Quantity:
    """An array or several of a motion q of a model, and of its base where that is free."""

    def __init__(self, name, reference, what, fewest, *, of_base=True, in_batches=False, asked=motions.robot_model, remedy=None):
        """reference(model, q, base, *more) computes one sample, or all of them at once where `in_batches`, of checked arrays.

        name: the kernel's; what: how errors call it, of `more`; fewest: rows of q; of_base: whether a free base's motion counts; asked: a
        check of the model; remedy: of rows that may be samples, see motions.check_order.
        """
        self.name, self.reference, self.what, self.fewest = name, reference, what, fewest
        self.of_base, self.in_batches, self.asked, self.remedy = of_base, in_batches, asked, remedy

    def __call__(self, model, q, base=None, order=None, threads=None, given=(), more=()):
        """given: what the kernel takes between q and the base's motion; more: what the reference takes after it."""
        kernel = getattr(model, '_compiled', None)
        if kernel is not None and order is None and threads is None and base is None:
            result = getattr(kernel, self.name)(q, *given)
            if result is not None:
                if len(result[-1] if type(result) is tuple else result) > FEW:
                    motions.check_order(np.asarray(q), self.fewest, 'q', None, remedy=self.remedy)
                return result
        arguments.threads(threads)
        q = motions.motions(self.asked(model), q, self.fewest, order, remedy=self.remedy)
        if self.of_base or base is not None:
            base = motions.bases_of(model, base, q.shape[:-2], q.shape[-2] - 1)
        base = base if self.of_base else None
        result = None if kernel is None else getattr(kernel, self.name)(q, *given, *(base or ()), threads=threads)
        if result is None:
            with np.errstate(over='ignore', invalid='ignore'):
                result = self.reference(model, q, base, *more) if self.in_batches else self._by_sample(model, q, base, more)
            motions.finite_result(model, result, self.what.format(*more), q)
        return result

    def _by_sample(self, model, q, base, more):
        if q.ndim == 2:
            return self.reference(model, q, base, *more)
        each = [self.reference(model, one, None if base is None else (base[0][i], base[1][i]), *more) for i, one in enumerate(q)]
        if not each:
            at_rest = None if base is None else (np.eye(4), np.zeros(base[1].shape[1:]))
            shapes = self.reference(model, np.zeros(q.shape[1:]), at_rest, *more)
            return tuple(one[None][:0] for one in shapes) if isinstance(shapes, tuple) else shapes[None][:0]
        return tuple(np.stack(part) for part in zip(*each, strict=True)) if isinstance(each[0], tuple) else np.stack(each)


def compiled(model, name, fewest, q, *given, order=None, threads=None):
    """What the kernel answers to q with `fewest` rows or more and what else its signature has; None where it has no answer."""
    kernel = getattr(model, '_compiled', None)
    if kernel is None:
        return None
    result = getattr(kernel, name)(q, *given) if threads is None else getattr(kernel, name)(q, *given, threads=threads)
    if result is not None and (order is not None or len(result[-1] if type(result) is tuple else result) > FEW):
        motions.check_order(np.asarray(q), fewest, 'q', order)
    return result
