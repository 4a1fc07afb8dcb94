"""The robot as immutable arrays, RobotModel, and the ways to make one."""
