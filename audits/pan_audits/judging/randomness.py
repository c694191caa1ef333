"""How far the randomness of judged code is in the judge's hands."""

from __future__ import annotations

from enum import StrEnum


class RandomnessLevel(StrEnum):
    """How far the judge owns the random choices of the code."""

    FOLLOWED = "followed"
    SEEDED = "seeded"
    SYSTEM = "system"

    def describe(self) -> str:
        """The level in a sentence."""
        return f"{self}: {_SENTENCES[self]}"


_SENTENCES = {
    RandomnessLevel.FOLLOWED: "each random choice has its exact probability",
    RandomnessLevel.SEEDED: "the runs repeat under their seed",
    RandomnessLevel.SYSTEM: "no seed reaches the random numbers, so that a replay draws new ones",
}
