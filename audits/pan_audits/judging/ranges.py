"""Ranges and defaults of numbers that a person sets, on the command line and in Python."""

MOST_JOBS = 256
"""Most worker processes."""
MOST_SECONDS = 1e8
"""The longest time, in seconds: three years."""
MOST_APPEARANCES = 64
"""Most appearances of one user in the measurement of growth."""
CONFIRMATION_RUNS = 20_000
"""Default of the most runs on each stream that bound the loss."""
