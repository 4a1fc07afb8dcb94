"""The compiled kernel and its doorway."""
