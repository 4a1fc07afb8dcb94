# SPDX-License-Identifier: Apache-2.0
"""Where requests are computed: short ones at once, long ones in threads, so that a short one never waits for a long one.

rclpy's EventsExecutor wants the response when the callback returns. The callback of a long request therefore goes on taking requests
itself until its own response is there; those that it took are answered when they are done.

A long request ends early where it has used up its seconds, its caller has left or the node stops: by an exception in its thread.
"""

import ctypes
import threading
import time

from hod_ros.errors import HodError
from hod_ros.ros.rclpy_private import take_request
from hod_ros.ros.reporting.log import STEADY
from hod_ros.ros.reporting.quality import CALLS

WORKERS = 2             # long requests that are computed at a time
MOST_LONG = 16          # that are open at a time
POLL = 0.002            # [s] between two looks at requests and responses while a callback waits for its own response
PERIOD = 0.01           # [s] the same while none does
LOOK = 0.25             # [s] between two looks at who has left, and at who has taken too long
STOPPED = 'the node has stopped answering services before this request was computed; ask again once it is back'


class Interrupted(BaseException):
    """Raised in the middle of a computation."""


class Job:
    """One request and its response; header: where to send it, None where the callback returns it."""

    def __init__(self, service, request, header, compute):
        self.service, self.request, self.header = service, request, header
        self.response = service.srv_type.Response()
        self.error = None               # why there is no response
        self.done = threading.Event()
        self.started = False
        self.callers = frozenset()      # those who might have sent it
        self._compute = compute         # function of request and response, which fills the response or raises
        self._lock = threading.Lock()
        self._thread = None             # that computes it now
        self._reason = ''

    def start(self):
        self.started = True
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            self._run()
        except Interrupted:
            self._refuse()
        except Exception as error:
            self.error = error
        finally:
            self.done.set()

    def _run(self):
        try:
            with self._lock:
                if self.done.is_set():
                    return
                self._thread = threading.get_ident()
            self._compute(self.request, self.response)
        finally:
            with self._lock:
                self._thread = None

    def end(self, reason):
        """Ends it with this reason, wherever it stands."""
        with self._lock:
            if self.done.is_set():
                return
            self._reason = reason
            if self._thread is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(Interrupted))
            else:
                self._refuse()
                self.done.set()

    def _refuse(self):
        self.error, self.response = HodError(self._reason), self.service.srv_type.Response()

    def seconds(self):
        """[s] of a processor that it has used until now."""
        with self._lock:
            return 0.0 if self._thread is None else time.clock_gettime(time.pthread_getcpuclockid(self._thread))


class Desk:
    """respond(job): its response; longest(): seconds that a request may use; meanwhile(): called again and again while a callback waits."""

    def __init__(self, node, respond, longest, meanwhile):
        self._node = node
        self._respond = respond
        self._longest = longest
        self._meanwhile = meanwhile
        self._services = {}             # service -> (compute, is_short)
        self._jobs = []                 # long ones, and whatever else is to be answered by its header
        self._next_look = 0.0
        self._stopped = False
        self.has_sent_away = False      # whether somebody waited as the services stopped
        self._timer = node.create_timer(PERIOD, self.serve, clock=STEADY)
        self._timer.cancel()

    def offer(self, service_type, name, compute, is_short):
        """compute(request, response); is_short(request): whether it takes a fraction of a second at most."""
        service = self._node.create_service(
            service_type, name, lambda request, _: self._on_request(service, request), qos_profile=CALLS)
        self._services[service] = compute, is_short

    def _on_request(self, service, request):
        job = self._take(service, request, None)
        while not job.done.wait(POLL):
            self._meanwhile()
            self.serve()
        return self._respond(job)

    def _take(self, service, request, header):
        compute, is_short = self._services[service]
        job = Job(service, request, header, compute)
        if self._stopped:
            job.end(STOPPED)
        elif is_short(request):
            job.run()
        elif len(self._jobs) >= MOST_LONG:
            job.end(f'{MOST_LONG} long requests are open already; ask again later')
        else:
            job.callers = self._callers_of(service)
        self._jobs.append(job)
        self.serve_open_jobs()
        return job

    def serve(self):
        """Takes what has come, and answers what is done."""
        for service in self._services:
            while True:
                request, header = take_request(service)
                if header is None:
                    break
                self._take(service, request, header)
        self.serve_open_jobs()

    def serve_open_jobs(self):
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LOOK
            self._look_at_jobs()
        for job in [job for job in self._jobs if job.done.is_set()]:
            self._jobs.remove(job)
            if job.header is not None:
                job.service.send_response(self._respond(job), job.header)
        waiting = [job for job in self._jobs if not job.started]
        for job in waiting[:max(WORKERS - (len(self._jobs) - len(waiting)), 0)]:
            job.start()
        if self._jobs and not self._stopped:
            self._timer.reset()
        else:
            self._timer.cancel()

    def _look_at_jobs(self):
        """Ends those that have used up their time, or that nobody waits for any more."""
        longest = self._longest()
        for job in self._jobs:
            if job.seconds() > longest:
                job.end(
                    f'this request takes more than the {longest:g} s that max_seconds allows; send fewer samples at a time, a lower order '
                    "or fewer attempts, take the formulation 'recursive', or raise max_seconds")
            elif job.callers and not job.callers & self._callers_of(job.service):
                job.end('its caller has left')

    def _callers_of(self, service):
        """Whoever could ask for this service now."""
        ends = self._node.get_publishers_info_by_topic(f'rq{service.service_name}Request', no_mangle=True)
        return frozenset(bytes(end.endpoint_gid) for end in ends)

    def stop(self):
        """Ends what is open and refuses what still comes; true where all have been answered."""
        self._stopped = True
        self.has_sent_away |= bool(self._jobs)
        for job in self._jobs:
            job.end(STOPPED)
        self.serve()
        return not self._jobs
