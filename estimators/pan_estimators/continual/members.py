"""The names of the continual counters, and the classes that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pan_estimators.continual.calibrated_turnstile import CalibratedTurnstile
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.presence import Presence
from pan_estimators.continual.recompute import TurnstileRecompute

MEMBERS: Mapping[str, Callable[..., Any]] = {
    "turnstile-given-flippancy": TurnstileGivenFlippancy,
    "turnstile-recompute": TurnstileRecompute,
    "calibrated-turnstile": CalibratedTurnstile,
    "presence": Presence,
}
"""The counters by name. They take turnstile streams, not ids, and stand apart from the other estimators."""
