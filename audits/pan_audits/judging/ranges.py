"""Ranges and defaults of numbers that a person sets, on the command line and in Python."""

from pan_promises.errors import InputError

MOST_JOBS = 256
"""Most worker processes."""
MOST_SECONDS = 1e8
"""The longest time, in seconds: three years."""
MOST_APPEARANCES = 64
"""Most appearances of one user in the measurement of growth."""
CONFIRMATION_RUNS = 20_000
"""Default of the most runs on each stream that bound the loss."""


def require_seconds(name: str, value: float) -> None:
    """Raise :class:`InputError` unless ``value`` is a positive time of at most :data:`MOST_SECONDS` seconds."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= MOST_SECONDS:
        raise InputError(f"{name} must be positive and at most {MOST_SECONDS:,.0f} s, got {value!r} s")
