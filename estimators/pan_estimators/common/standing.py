"""The standing of an estimator's promise: proved, refuted, or published and neither of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class Standing(StrEnum):
    """A promise holds by proof, or is exceeded by the loss, or neither is proved; or there is no promise."""

    PROVED = "proved"
    REFUTED = "refuted"
    PUBLISHED = "published"
    NONE = "none"


def standing_of(estimator: Any) -> Standing:
    """The standing of the promise of a shipped estimator."""
    if estimator.promise is None:
        return Standing.NONE
    if getattr(estimator, "promise_is_proved", False):
        return Standing.PROVED
    return Standing.REFUTED if getattr(estimator, "promise_is_refuted", False) else Standing.PUBLISHED
