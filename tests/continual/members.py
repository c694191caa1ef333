"""A family of one's own for tests: counters of turnstile streams by name."""

from __future__ import annotations

from pan_promises.families import Family
from tests.continual.counters import TreeCounter
from tests.continual.wrong_counters import (
    CoinCounter,
    FreshNoise,
    KeptNoise,
    LaplaceCounter,
    LooseTruncation,
    NoiseByData,
    NoiseForOne,
    RoundedNoise,
    SilentStep,
)

MEMBERS = {
    "tree-counter": TreeCounter,
    "kept-noise": KeptNoise,
    "fresh-noise": FreshNoise,
    "loose-truncation": LooseTruncation,
    "silent-step": SilentStep,
    "noise-by-data": NoiseByData,
    "noise-for-one": NoiseForOne,
    "rounded-noise": RoundedNoise,
    "coin-counter": CoinCounter,
    "laplace-counter": LaplaceCounter,
}
FAMILY = Family("counters", {"members": "tests.continual.members:MEMBERS"})
