"""Counters without privacy, on which an attack can be tried, and the shipped counters by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from experiments.continual.attack_streams import Entry
from pan_promises.errors import InputError, shown, suggestion

OWN = ("exact", "noisy")
"""The counters of this file."""


class ContinualCounter(Protocol):
    """A counter that puts out an estimate of the distinct count after each entry."""

    def release(self, stream: Sequence[Entry], randomness: Any) -> Sequence[float]:
        """The outputs."""


@dataclass(frozen=True)
class ExactCounter:
    """The distinct counts themselves."""

    def release(self, stream: Sequence[Entry], randomness: Any) -> list[float]:
        """The distinct count after each entry."""
        counts: Counter[int] = Counter()
        found, present = [], 0
        for entry in stream:
            if entry is not None:
                element, sign = entry
                present -= counts[element] > 0
                counts[element] += sign
                present += counts[element] > 0
            found.append(float(present))
        return found


@dataclass(frozen=True)
class NoisyCounter:
    """The distinct counts, each with normal noise of its own.

    Attributes
    ----------
    noise
        The standard deviation of the noise.
    """

    noise: float

    def release(self, stream: Sequence[Entry], randomness: Any) -> list[float]:
        """The distinct count after each entry, with noise."""
        counts = ExactCounter().release(stream, randomness)
        drawn = randomness.normal(0.0, self.noise, len(counts))
        return [count + float(added) for count, added in zip(counts, drawn, strict=True)]


def counter_named(name: str, *, steps: int, elements: int, noise: float, settings: Mapping[str, Any]) -> Any:
    """A counter by its name."""
    if name in OWN:
        if settings:
            raise InputError(f"--set is for shipped estimators; the counter {name} has no such parameter")
        return ExactCounter() if name == "exact" else NoisyCounter(noise)
    from pan_estimators.common.registry import ships
    from pan_estimators.continual.members import MEMBERS, create_counter, parameters_of

    if ships(name) and name not in MEMBERS:
        raise InputError(f"{name} takes no streams of insertions and deletions, and cannot be attacked in this way")
    if name not in MEMBERS:
        raise InputError(f"unknown counter {shown(name)}; {suggestion(name, [*OWN, *MEMBERS])}")
    known = parameters_of(name)
    sizes = {key: value for key, value in (("steps", steps), ("elements", elements)) if key in known}
    return create_counter(name, {**sizes, **settings})
