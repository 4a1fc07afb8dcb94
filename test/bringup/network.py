# SPDX-License-Identifier: Apache-2.0
"""Two hosts on one machine: network namespaces with an address each, joined by a virtual cable."""

import itertools
import os
import shutil
import subprocess
from contextlib import contextmanager

NETWORK = '192.0.2'         # set aside for documentation and tests: it is routed nowhere
DOMAIN = 42                 # a namespace is a network of its own: nobody else is in it


def missing():
    """Why there can be no network namespaces here, or None."""
    if shutil.which('ip') is None:
        return 'the command ip is not installed (package iproute2)'
    if os.geteuid():
        return 'network namespaces need root'
    probe = f'hodprobe{os.getpid()}'
    done = subprocess.run(['ip', 'netns', 'add', probe], capture_output=True, text=True)
    if done.returncode:
        return f'network namespaces are not allowed here: {done.stderr.strip()}'
    subprocess.run(['ip', 'netns', 'delete', probe], check=True)
    return None


_count = itertools.count(1)


class Host:
    """A network namespace. Its processes have a /dev/shm of their own, as on another machine; it ends with them."""

    def __init__(self, name, number):
        self.name = name
        self.address = f'{NETWORK}.{number}'
        self.link = f'{name}v'

    def start(self, command, *, discovery, peers='', **options):
        environment = {
            **os.environ, 'ROS_DOMAIN_ID': str(DOMAIN), 'ROS_AUTOMATIC_DISCOVERY_RANGE': discovery,
            'ROS_STATIC_PEERS': peers, 'ROS_LOG_DIR': '/dev/shm/log'}
        own_memory = 'mount -t tmpfs tmpfs /dev/shm && exec "$@"'
        return subprocess.Popen(
            ['ip', 'netns', 'exec', self.name, 'sh', '-c', own_memory, 'sh', *map(str, command)],
            env=environment, stdin=subprocess.DEVNULL, text=True, **options)

    def plug(self, up):
        """Plugs the cable in, or pulls it out."""
        ip('-n', self.name, 'link', 'set', self.link, 'up' if up else 'down')
        if up:      # without a default route there is no multicast
            ip('-n', self.name, 'route', 'replace', 'default', 'dev', self.link)


@contextmanager
def two_hosts():
    """Two hosts that reach each other and nothing else."""
    name = f'hod{os.getpid() % 10 ** 6}n{next(_count)}'         # at most 15 characters with what follows
    hosts = [Host(f'{name}{letter}', number) for number, letter in enumerate('ab', 1)]
    try:
        for host in hosts:
            ip('netns', 'add', host.name)
            ip('-n', host.name, 'link', 'set', 'lo', 'up')
        left, right = hosts
        ip('-n', left.name, 'link', 'add', left.link, 'type', 'veth', 'peer', 'name', right.link, 'netns', right.name)
        for host in hosts:
            ip('-n', host.name, 'address', 'add', f'{host.address}/24', 'dev', host.link)
            host.plug(True)
        yield hosts
    finally:
        for host in hosts:      # its end of the cable goes with it, and so does the other end
            subprocess.run(['ip', 'netns', 'delete', host.name], capture_output=True)


def ip(*arguments):
    done = subprocess.run(['ip', *arguments], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f'ip {" ".join(arguments)}: {done.stderr}'
