"""From a robot description and parameters to the model that a node computes with."""
