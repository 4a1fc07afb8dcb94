"""The nodes, one file each: wiring only."""
