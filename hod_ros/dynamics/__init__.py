"""The mathematics: numpy in, numpy out. Nothing here imports ROS."""
