# SPDX-License-Identifier: Apache-2.0
"""The subcommands of `hod`, in the order in which its help shows them.

Each is a module with DESCRIPTION and EXAMPLES (texts of its help), arguments(parser), which declares what it takes, and run(options), which
returns an exit code. A module is imported when its own help or work is asked for; what needs numpy it imports in run().
"""

# name: (module, its line in the help)
TABLE = {
    'info': ('hod_ros.command.info', 'what a robot is made of: joints, limits, masses, warnings'),
    'check': ('hod_ros.command.check', 'whether a robot description is sound, for CI'),
    'plot': ('hod_ros.command.plot', 'figures of a motion and of the torques that it needs: PNG, SVG, PDF'),
    'evaluate': ('hod_ros.command.evaluate', 'what a trajectory asks of a robot, and whether it keeps limits'),
    'retime': ('hod_ros.command.retime', 'the fastest timing of a path within limits, or a slow-down; effort filled in'),
    'compute': ('hod_ros.command.compute', 'torques and their time derivatives of recordings, bags included'),
    'identify': ('hod_ros.command.identify', 'masses, friction, rotors and stiffness from recordings; a better URDF'),
    'view': ('hod_ros.command.view', 'the robot in a browser, coloured by what its joints bear'),
    'export': ('hod_ros.command.export', 'a C++ project that computes the same at 1 kHz, alone'),
    'bench': ('hod_ros.command.bench', 'how fast this machine computes, beside the peers that are installed'),
    'completion': ('hod_ros.command.completion', 'completion of this command for bash, zsh or tcsh'),
}
