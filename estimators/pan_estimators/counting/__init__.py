"""Counting runs: signals, checkpoints, state files, and outputs that are put out once."""
