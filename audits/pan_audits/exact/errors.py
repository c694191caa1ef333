"""What an exact check cannot do, in one sentence each."""

from __future__ import annotations


class UnfollowableError(Exception):
    """The estimator uses a random choice in a way whose probabilities cannot be followed exactly."""


class BypassError(UnfollowableError):
    """The estimator draws from somewhere else than the randomness that it is given."""


class TooLargeError(Exception):
    """The scope would take too long; the message has the estimate."""


REMEMBERED: list[Exception] = []
"""Errors raised while an estimator's code was run; it may have caught them."""


def bypass(sentence: str) -> BypassError:
    """An error to raise from within an estimator's code, which counts even if it is caught there."""
    error = BypassError(sentence)
    REMEMBERED.append(error)
    return error


def unfollowable(sentence: str) -> UnfollowableError:
    """An error to raise from within an estimator's code, which counts even if it is caught there."""
    error = UnfollowableError(sentence)
    REMEMBERED.append(error)
    return error
