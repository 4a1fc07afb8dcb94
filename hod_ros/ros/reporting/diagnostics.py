"""What the node tells about itself once a second on /diagnostics, one status for each concern."""

from collections import Counter
from time import monotonic

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_msgs.msg import KeyValue

from hod_ros.ros.reporting.quality import Partners
from hod_ros.ros.setpoints.commands import MEANING

PERIOD = 1.0            # [s]

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


class Reporter:
    """Publishes what the parts of a node know. Each status is (task, level, short message, values)."""

    def __init__(self, node, statistics, freshness, wrenches):
        self._node = node
        self._statistics = statistics
        self._freshness = freshness
        self._wrenches = wrenches
        self._partners = Partners(node)
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._name = node.get_fully_qualified_name().lstrip('/')
        self._before = (monotonic(), 0, 0, Counter())
        self._timeouts_before = self._refused_before = self._wrench_timeouts_before = self._deaths_before = 0

    def report(self, state, holder, waiting_for, services, commands, on_timeout, has_limits, motors):
        """Publishes one DiagnosticArray; waiting_for: what the node needs before it can start, or None."""
        statuses = [
            self._model(state, holder, waiting_for), self._setpoints(commands, on_timeout), self._limits(has_limits),
            self._external_wrenches(), self._services(services)]
        if commands is not None:
            statuses.append(self._commands(state, commands, on_timeout))
        if motors is not None:
            statuses.append(motors.status())
        robot = holder.model.name if holder.model is not None else ''
        message = DiagnosticArray(status=[self._status(robot, *status) for status in statuses])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def _model(self, state, holder, waiting_for):
        model = holder.model
        values = {'state': state}
        level, text = OK, state
        if model is not None:
            values |= {
                'robot': model.name, 'model hash': holder.hash, 'description from': holder.source,
                'joints': ', '.join(model.joint_names), 'gravity': ', '.join(f'{g:g}' for g in model.gravity)}
            for index, warning in enumerate((*model.warnings, *holder.unused)):
                values[f'model warning {index + 1}'] = warning
            if model.warnings:
                level, text = WARN, f'{state}; implausible model: {model.warnings[0]}'
            elif holder.unused:
                level, text = WARN, f'{state}; not used: {holder.unused[0]}'
        if holder.fault:
            level, text = WARN, f'{state}; new description refused, the last good model runs'
            values['description refused'] = holder.fault
        if waiting_for:
            level, text = WARN, f'waiting for {waiting_for}'
        if holder.fault and model is None:
            level, text = ERROR, f'description refused: {holder.fault}'
        return 'model', level, text, values

    def _setpoints(self, commands, on_timeout):
        statistics, freshness = self._statistics, self._freshness
        now = monotonic()
        before, received, published, dropped = self._before
        elapsed = max(now - before, 1e-9)
        new_drops = statistics.dropped - dropped
        self._before = (now, statistics.received, statistics.published, statistics.dropped.copy())
        age = None if freshness.last is None else now - freshness.last
        values = {
            'rate in [Hz]': f'{(statistics.received - received) / elapsed:.1f}',
            'rate out [Hz]': f'{(statistics.published - published) / elapsed:.1f}',
            'age of the last setpoint [s]': 'none came yet' if age is None else f'{age:.3f}',
            'timeouts': freshness.timeouts,
            'received': statistics.received,
            'published': statistics.published,
            'received while inactive': statistics.inactive,
            'lost before arrival': statistics.lost,
            'dropped': sum(statistics.dropped.values()),
        }
        durations = statistics.take_durations()
        if durations:
            for name, value in zip(('p50', 'p99', 'max'), np.percentile(durations, (50, 99, 100)), strict=True):
                values[f'computation {name} [us]'] = f'{1e6 * value:.0f}'
        values |= {f'dropped: {reason}': count for reason, count in sorted(statistics.dropped.items())}
        incompatible = self._partners.look()
        for topic, partners in incompatible.items():
            values[f'incompatible QoS on {topic}'] = ', '.join(partners) or f'none now, {self._partners.found[topic]} since the start'
        if statistics.last_fault:
            values['last fault'] = statistics.last_fault
        level, text = OK, ''
        if new_drops:
            reasons = ', '.join(f'{count} {reason}' for reason, count in new_drops.most_common())
            level, text = ERROR, f'dropped {reasons}'
        elif freshness.stale:
            carried = f'; ~/commands carries {MEANING[on_timeout]}' if commands is not None else ''
            level, text = WARN, f'no good setpoint for {age:.1f} s: ~/feedforward stopped{carried}'
        elif freshness.timeouts != self._timeouts_before:
            level, text = WARN, f'{freshness.timeouts - self._timeouts_before} gaps longer than {freshness.timeout:g} s in the last second'
        unmatched = [topic for topic, partners in incompatible.items() if partners]
        if unmatched:
            level, text = max(level, WARN), f'{text}{"; " if text else ""}incompatible QoS on {", ".join(unmatched)}'
        self._timeouts_before = freshness.timeouts
        return 'setpoints', level, text or f'{values["rate in [Hz]"]} Hz in, {values["rate out [Hz]"]} Hz out', values

    def _limits(self, has_limits):
        statistics = self._statistics
        if not has_limits:
            return 'limits', OK, 'none configured', {}
        excesses = statistics.take_excesses()
        values = {'clipped': statistics.clipped}
        values |= {f'{joint}: {kind}, times exceeded': count for (joint, kind), count in sorted(statistics.exceeded.items())}
        for (joint, kind), excess in sorted(excesses.items()):
            values[f'{joint}: {kind}'] = f'{excess.worst:.6g}, limit {excess.limit:.6g}, {excess.count} times in the last second'
        if not excesses:
            return 'limits', OK, 'kept', values
        worst = max(excesses, key=lambda key: abs(excesses[key].worst) / max(excesses[key].limit, 1e-300))
        more = f', and {len(excesses) - 1} more' if len(excesses) > 1 else ''
        text = f'{worst[0]}: {worst[1]} {excesses[worst].worst:.4g} exceeds {excesses[worst].limit:.4g}{more}'
        return 'limits', WARN, text, values

    def _external_wrenches(self):
        wrenches = self._wrenches
        ages = wrenches.ages(monotonic())
        values = {'received': wrenches.received, 'refused': wrenches.refused, 'timeouts': wrenches.timeouts}
        values |= {f'age on {link} [s]': f'{age:.3f}' for link, age in sorted(ages.items())}
        if wrenches.order is not None:
            values['highest order they allow'] = wrenches.order
        if wrenches.last_fault:
            values['last fault'] = wrenches.last_fault
        refused, ended = wrenches.refused - self._refused_before, wrenches.timeouts - self._wrench_timeouts_before
        self._refused_before, self._wrench_timeouts_before = wrenches.refused, wrenches.timeouts
        level, text = OK, f'on {", ".join(sorted(ages))}' if ages else 'none'
        if refused:
            level, text = ERROR, f'refused {refused}: {wrenches.last_fault}'
        elif ended:
            level, text = WARN, f'{ended} timed out'
        return 'external wrenches', level, text, values

    def _services(self, process):
        values = {'process': process.pid or 'none', 'started again': process.deaths}
        died, self._deaths_before = process.deaths - self._deaths_before, process.deaths
        if died:
            return 'services', WARN, 'their process ended by itself and was started again', values
        return 'services', OK, 'not started' if process.pid is None else 'answering', values

    def _commands(self, state, commands, on_timeout):
        values = {'published': commands.published, 'published while stale': commands.fallbacks, 'on_timeout': on_timeout}
        if state != 'active':
            return 'commands', OK, f'none: the node is {state}', values
        if self._freshness.stale:
            return 'commands', WARN, f'stale setpoints: {MEANING[on_timeout]}', values
        return 'commands', OK, 'efforts of setpoints', values

    def _status(self, robot, task, level, text, values):
        return DiagnosticStatus(
            level=level, name=f'{self._name}: {task}', message=text, hardware_id=robot,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
