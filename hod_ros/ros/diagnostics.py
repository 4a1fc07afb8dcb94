"""What the node tells about itself once a second, and the counts behind it."""

from collections import Counter
from time import monotonic

from diagnostic_msgs.msg import DiagnosticArray
from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_msgs.msg import KeyValue

PERIOD = 1.0            # [s]
LOG_PERIOD = 1.0        # [s] between two log lines about dropped setpoints


class Statistics:
    """Counts of setpoints in, feedforwards out and setpoints dropped, by reason."""

    def __init__(self, logger):
        self._logger = logger
        self.received = 0
        self.published = 0
        self.inactive = 0
        self.lost = 0
        self.last_setpoint = None       # [s] monotonic
        self.dropped = Counter()
        self.last_fault = ''
        self.incompatible = Counter()   # publishers found whose QoS can't match, by topic
        self._next_log = 0.0
        self._unlogged = 0

    def drop(self, reason, text):
        """Counts a bad setpoint, and logs it unless another was logged within the last second."""
        self.dropped[reason] += 1
        self.last_fault = text
        now = monotonic()
        if now < self._next_log:
            self._unlogged += 1
            return
        more = f' ({self._unlogged} more were dropped since the last such line)' if self._unlogged else ''
        self._logger.warning(f'dropped a setpoint: {text}{more}')
        self._next_log = now + LOG_PERIOD
        self._unlogged = 0


class Reporter:
    """Publishes the statistics of a node on /diagnostics."""

    def __init__(self, node, statistics):
        self._node = node
        self._statistics = statistics
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._before = (monotonic(), 0, 0, Counter())

    def report(self, state, holder, waiting_for):
        """Publishes one DiagnosticArray; waiting_for: what the node needs before it can start, or None."""
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = [self._model_status(state, holder, waiting_for), self._setpoint_status(state)]
        self._publisher.publish(message)

    def _model_status(self, state, holder, waiting_for):
        model = holder.model
        values = {'state': state}
        level, text = DiagnosticStatus.OK, state
        if model is not None:
            values |= {
                'robot': model.name, 'model hash': model.hash, 'description from': holder.source,
                'joints': ', '.join(model.joint_names), 'gravity': ', '.join(f'{g:g}' for g in model.gravity)}
            for index, warning in enumerate(model.warnings):
                values[f'model warning {index + 1}'] = warning
            if model.warnings:
                level, text = DiagnosticStatus.WARN, f'{state}; implausible model: {model.warnings[0]}'
        if holder.fault:
            level, text = DiagnosticStatus.WARN, f'{state}; new description refused, the last good model runs'
            values['description refused'] = holder.fault
        if waiting_for:
            level, text = DiagnosticStatus.WARN, f'waiting for {waiting_for}'
        if holder.fault and model is None:
            level, text = DiagnosticStatus.ERROR, f'description refused: {holder.fault}'
        return self._status('model', level, text, values, model)

    def _setpoint_status(self, state):
        statistics = self._statistics
        now = monotonic()
        before, received, published, dropped = self._before
        elapsed = max(now - before, 1e-9)
        new_drops = statistics.dropped - dropped
        self._before = (now, statistics.received, statistics.published, statistics.dropped.copy())
        age = None if statistics.last_setpoint is None else now - statistics.last_setpoint
        values = {
            'rate in [Hz]': f'{(statistics.received - received) / elapsed:.1f}',
            'rate out [Hz]': f'{(statistics.published - published) / elapsed:.1f}',
            'age of the last setpoint [s]': 'none came yet' if age is None else f'{age:.3f}',
            'received': statistics.received,
            'published': statistics.published,
            'received while inactive': statistics.inactive,
            'lost before arrival': statistics.lost,
            'dropped': statistics.dropped.total(),
        }
        values |= {f'dropped: {reason}': count for reason, count in sorted(statistics.dropped.items())}
        for topic, count in sorted(statistics.incompatible.items()):
            values[f'incompatible publishers on {topic}'] = count
        if statistics.last_fault:
            values['last fault'] = statistics.last_fault
        level, text = DiagnosticStatus.OK, f'{values["rate in [Hz]"]} Hz in, {values["rate out [Hz]"]} Hz out'
        if new_drops:
            reasons = ', '.join(f'{count} {reason}' for reason, count in new_drops.most_common())
            level, text = DiagnosticStatus.ERROR, f'dropped {reasons}'
        elif statistics.incompatible:
            topics = ', '.join(sorted(statistics.incompatible))
            level, text = DiagnosticStatus.WARN, f'incompatible QoS of a publisher on {topics}'
        return self._status('setpoints', level, text, values, None)

    def _status(self, task, level, text, values, model):
        return DiagnosticStatus(
            level=level, name=f'{self._node.get_name()}: {task}', message=text, hardware_id=model.name if model else '',
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
