"""External wrenches of the topic: each holds until the next on its link, or until it is too old."""

from time import monotonic

import numpy as np

from hod_ros.checks.arguments import LARGEST
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.errors import HodError
from hod_ros.errors import InputError


class HeldWrenches:
    """The latest wrench on each link, with its arrival on the steady clock."""

    def __init__(self):
        self.received = 0
        self.refused = 0
        self.timeouts = 0
        self.last_fault = ''
        self.clear()

    def clear(self):
        self._held = {}             # link -> (LinkWrench, arrival)
        self._refresh()

    def _refresh(self):
        self.by_link = {link: wrench for link, (wrench, _) in self._held.items()} or None
        self.order = min((len(wrench.values) - 1 for wrench, _ in self._held.values()), default=None)
        self._oldest = min((arrival for _, arrival in self._held.values()), default=None)

    def receive(self, message, model):
        """Takes a LinkWrench message; one without values ends the wrench on its link. HodError, and nothing changed, where it is bad."""
        self.received += 1
        try:
            model.body_of(message.link)
            if message.values:
                self._held[message.link] = wrench_of(message), monotonic()
            else:
                self._held.pop(message.link, None)
        except HodError as error:
            self.refused += 1
            self.last_fault = str(error)
            raise
        self._refresh()

    def keep_links_of(self, model):
        """Drops the wrenches on links that a new model does not have; returns these links."""
        gone = [link for link in self._held if link not in model.links]
        for link in gone:
            del self._held[link]
        self._refresh()
        return gone

    def expire(self, now, timeout):
        """Ends wrenches that arrived more than `timeout` [s] before now (0: none); returns their links."""
        if not timeout or self._oldest is None or now - self._oldest <= timeout:
            return ()
        old = [link for link, (_, arrival) in self._held.items() if now - arrival > timeout]
        for link in old:
            del self._held[link]
        self.timeouts += len(old)
        self._refresh()
        return old

    def ages(self, now):
        """{link: seconds since its wrench arrived}"""
        return {link: now - arrival for link, (_, arrival) in self._held.items()}


def wrench_of(message):
    """The LinkWrench of a message of one sample; HodError where it is none."""
    return checked_wrench(message, wrench_rows(message))


def wrench_rows(message):
    """The values of a message as (rows, 6)."""
    rows, rest = divmod(len(message.values), 6)
    if rest or not rows:
        raise InputError(
            f'wrench on link {message.link!r}: {len(message.values)} values; give rows of 6, torque x y z and force x y z')
    return np.frombuffer(message.values).reshape(rows, 6)


def checked_wrench(message, values):
    """The LinkWrench of these values in a message's frame; HodError, naming the link, where they make none."""
    if np.abs(values).max() > LARGEST and np.isfinite(values).all():
        raise InputError(f'wrench on link {message.link!r}: it holds {np.abs(values).max():g}; give at most {LARGEST:g} [N m], [N], [s]')
    try:
        return LinkWrench(values, message.frame or 'link')
    except InputError as error:
        raise InputError(f'link {message.link!r}: {error}') from None
