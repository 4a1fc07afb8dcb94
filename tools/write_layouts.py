#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layouts of the node's topics for PlotJuggler and Foxglove: config/plotjuggler.xml and config/foxglove.json, or of other joints and names.

Run: python tools/write_layouts.py [--joints 6] [--node /arm/hod] [--output FOLDER]
"""

import argparse
import json
from pathlib import Path
from xml.etree import ElementTree

CONFIG = Path(__file__).resolve().parent.parent / 'config'
# Told apart by deuteranopes too, from Okabe and Ito.
COLOURS = ('#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#000000')
# Tab -> its plots: (title, topic, field, type).
TABS = {
    'torques': [
        ('Q [N m]', 'feedforward', 'efforts', 'TorqueFeedforward'), ("Q' [N m/s]", 'feedforward', 'effort_rates', 'TorqueFeedforward'),
        ("Q'' [N m/s^2]", 'feedforward', 'effort_accelerations', 'TorqueFeedforward'),
        ('limits exceeded', 'feedforward', 'limit_flags', 'TorqueFeedforward')],
    'setpoints': [
        ('q [rad]', 'setpoint', 'positions', 'JointSetpoint'), ("q' [rad/s]", 'setpoint', 'velocities', 'JointSetpoint'),
        ("q'' [rad/s^2]", 'setpoint', 'accelerations', 'JointSetpoint'), ("q''' [rad/s^3]", 'setpoint', 'jerks', 'JointSetpoint')],
    'motors': [
        ('theta [rad]', 'motor_feedforward', 'positions', 'MotorFeedforward'),
        ("theta' [rad/s]", 'motor_feedforward', 'velocities', 'MotorFeedforward'),
        ('tau [N m]', 'motor_feedforward', 'efforts', 'MotorFeedforward')],
}


def plotjuggler(node, joints):
    """The layout as text: a tab each, its plots below one another."""
    root = ElementTree.Element('root')
    window = ElementTree.SubElement(root, 'tabbed_widget', parent='main_window', name='Main Window')
    for name, plots in TABS.items():
        tab = ElementTree.SubElement(window, 'Tab', tab_name=name, containers='1')
        splitter = ElementTree.SubElement(
            ElementTree.SubElement(tab, 'Container'), 'DockSplitter', orientation='-', count=str(len(plots)),
            sizes=';'.join([f'{1 / len(plots):.6f}'] * len(plots)))
        for title, topic, field, _ in plots:
            area = ElementTree.SubElement(splitter, 'DockArea', name=title)
            plot = ElementTree.SubElement(area, 'plot', mode='TimeSeries', style='Lines', flip_x='false', flip_y='false')
            ElementTree.SubElement(plot, 'limitY')
            for j in range(joints):
                ElementTree.SubElement(plot, 'curve', name=f'{node}/{topic}/{field}[{j}]', color=COLOURS[j % len(COLOURS)])
    ElementTree.SubElement(window, 'currentTabIndex', index='0')
    ElementTree.SubElement(root, 'use_relative_time_offset', enabled='1')
    ElementTree.indent(root, ' ')
    return "<?xml version='1.0' encoding='UTF-8'?>\n" + ElementTree.tostring(root, encoding='unicode') + '\n'


def foxglove(node, joints):
    """The layout as text: tabs of plots, and the diagnostics below."""
    panels, tabs = {}, []
    for name, plots in TABS.items():
        names = []
        for title, topic, field, _ in plots:
            names.append(f'Plot!{topic}_{field}')
            panels[names[-1]] = {
                'title': title, 'foxglovePanelTitle': title, 'isSynced': True, 'showLegend': True, 'legendDisplay': 'floating',
                'showXAxisLabels': True, 'showYAxisLabels': True, 'showPlotValuesInLegend': False, 'xAxisVal': 'timestamp',
                'sidebarDimension': 240, 'followingViewWidth': 10,
                'paths': [{
                    'value': f'{node}/{topic}.{field}[{j}]', 'enabled': True, 'timestampMethod': 'headerStamp', 'label': f'joint {j + 1}',
                    'color': COLOURS[j % len(COLOURS)]} for j in range(joints)]}
        tabs.append({'title': name, 'layout': _below(names)})
    panels['Tab!hod'] = {'activeTabIdx': 0, 'tabs': tabs}
    panels['DiagnosticSummary!hod'] = {
        'minLevel': 0, 'pinnedIds': [], 'hardwareIdFilter': '', 'topicToRender': '/diagnostics', 'sortByLevel': True}
    panels['RawMessages!fault'] = {'topicPath': f'{node}/fault', 'diffEnabled': False, 'expansion': 'all', 'fontSize': 12}
    bottom = {'first': 'DiagnosticSummary!hod', 'second': 'RawMessages!fault', 'direction': 'row', 'splitPercentage': 70}
    return json.dumps({
        'configById': panels, 'globalVariables': {}, 'userNodes': {}, 'playbackConfig': {'speed': 1},
        'layout': {'first': 'Tab!hod', 'second': bottom, 'direction': 'column', 'splitPercentage': 80}}, indent=1) + '\n'


def _below(names):
    if len(names) == 1:
        return names[0]
    return {'first': names[0], 'second': _below(names[1:]), 'direction': 'column', 'splitPercentage': 100 / len(names)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--joints', type=int, default=7)
    parser.add_argument('--node', default='/hod', help='the full name of the node')
    parser.add_argument('--output', type=Path, default=CONFIG)
    options = parser.parse_args()
    for name, write in (('plotjuggler.xml', plotjuggler), ('foxglove.json', foxglove)):
        (options.output / name).write_text(write(options.node.rstrip('/'), options.joints))


if __name__ == '__main__':
    main()
