"""Errors for the limits of an exact check. Each message is one sentence."""

from __future__ import annotations

import sys
from typing import TypeVar

from pan_estimators.randomness.arguments import calling_line

_ROOMS = (
    "pan_audits.choices",
    "pan_audits.subject.isolation.calls",
    "pan_audits.subject.isolation.child",
    "pan_audits.subject.isolation.noise",
    "pan_audits.subject.isolation.data",
    "pan_audits.subject.isolation.sources",
    "random",
)
"""Modules between an estimator's code and an error that is raised from within it."""

NOT_JUDGED = {
    "pan_audits",
    "pan_estimators",
    "pan_promises",
    "panproof",
    "numpy",
    "copy",
    "cloudpickle",
    "dataclasses",
}


class UnfollowableError(Exception):
    """The estimator uses a random choice in a way whose probabilities cannot be followed exactly."""


class BypassError(UnfollowableError):
    """The estimator draws from another source than the randomness that it is given."""


class TooLargeError(Exception):
    """The scope would take too long; the message has the estimate."""


class UnfinishedError(TooLargeError):
    """A path goes on for long, and is so unlikely that it is left there."""


class TimeIsUpError(TooLargeError):
    """The seconds that were asked for are over."""


class TooManyOutcomesError(TooLargeError):
    """The random choices of one step have too many outcomes together."""


_Kind = TypeVar("_Kind")

REMEMBERED: list[Exception] = []
"""Errors raised while an estimator's code was run; it may have caught them."""


def asked_by_judged_code() -> bool:
    """Whether the code that asks for a type or an attribute is no library and no part of this project."""
    frame = sys._getframe(2)
    # Abstract base classes ask for the code that uses them.
    while frame.f_back is not None and frame.f_globals.get("__name__") == "abc":
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] not in NOT_JUDGED


def refusing_the_rest(kind: type[_Kind]) -> type[_Kind]:
    """A class of numbers that are not drawn, which refuses whatever else a number of a run can do."""
    others = {"__index__", "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__"}
    for name in {*vars(float), *vars(complex), *others} - {"__new__", "__doc__", "__getattribute__"}:
        known = getattr(kind, name, None)
        if name.startswith("__") and (known is None or known is getattr(object, name, None)):
            setattr(kind, name, vars(kind)["refuse"])
    return kind


def bypass(sentence: str) -> BypassError:
    """An error to raise from within an estimator's code, which counts even if it is caught there."""
    error = BypassError(sentence)
    REMEMBERED.append(error)
    return error


def unfollowable(sentence: str) -> UnfollowableError:
    """An error to raise from within an estimator's code, which counts even if it is caught there.

    The message begins with the line of that code; it has no line if the judge draws for another process.
    """
    module, line = calling_line(*_ROOMS)
    foreign = line and not module.startswith("pan_audits.")
    error = UnfollowableError(f"{line}: {sentence}" if foreign else sentence)
    REMEMBERED.append(error)
    return error
