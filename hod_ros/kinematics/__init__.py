"""Poses, twists and Jacobians of links, with time derivatives, and their inverses."""
