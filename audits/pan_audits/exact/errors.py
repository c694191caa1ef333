"""What an exact check cannot do, in one sentence each."""

from __future__ import annotations


class UnfollowableError(Exception):
    """The estimator uses a random choice in a way whose probabilities cannot be followed exactly."""


class BypassError(UnfollowableError):
    """The estimator draws from somewhere else than the randomness that it is given."""


class TooLargeError(Exception):
    """The scope would take too long; the message has the estimate."""
