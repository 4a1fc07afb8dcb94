"""Paths of a link in space, and the joint motions that follow them."""
