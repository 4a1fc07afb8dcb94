"""A plant to prove feedforwards on: robots with elastic joints on the MuJoCo physics engine (the extra `sim`)."""
