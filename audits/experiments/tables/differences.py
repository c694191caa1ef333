"""Sentences about curves that are decided by differences of cross entropies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isinf

from experiments.tables.counted import Array
from experiments.tables.study import interval
from experiments.toolkit.effects import Effect
from experiments.toolkit.sentence import Judgement, Sentence


@dataclass(frozen=True, eq=False)
class Difference:
    """A difference of cross entropies, in bits, that lies between two limits if a statement holds."""

    where: str
    what: str
    values: Array
    low: float = -inf
    high: float = inf

    @property
    def mean(self) -> float:
        """The mean of the repetitions."""
        return float(self.values.mean())

    @property
    def margin(self) -> float:
        """The distance from the nearest limit, negative if the mean is outside."""
        return min(self.mean - self.low, self.high - self.mean)

    @property
    def limits(self) -> str:
        """The limits in words."""
        if isinf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if isinf(self.high) else f"from {self.low:g} to {self.high:g}"

    def holds(self, error: float) -> bool | None:
        """The decision by an interval of this probability of error; ``None`` if a limit lies within the interval."""
        _, low, high = interval(self.values, error)
        if self.low <= low and high <= self.high:
            return True
        return False if high < self.low or low > self.high else None


Stated = tuple[str, str, str, list[Difference]]
"""The name of a sentence, the sentence, what it means as a test, and the differences that decide it."""


def decided(figure: str, section: str, stated: Iterable[Stated], error: float, sentences: int) -> tuple[Judgement, ...]:
    """The verdicts on the sentences about a figure."""
    found = []
    for name, states, meaning, parts in stated:
        answers = [(one, one.holds(error / sentences / len(parts))) for one in parts]
        source = "thesis, section 3.8" if name.startswith("discussion") else f"thesis, section {section}"
        found.append(_judgement(f"{figure}.{name}", source, states, meaning, answers, error / sentences))
    return tuple(found)


def _judgement(
    name: str,
    source: str,
    states: str,
    meaning: str,
    decided: Sequence[tuple[Difference, bool | None]],
    error: float,
) -> Judgement:
    return Judgement.of(
        # The judge of measured ratios is not asked: these verdicts are about differences, which may be negative.
        Sentence(name, source, states, meaning),
        [answer for _, answer in decided],
        _effect(decided),
        runs=sum(one.values.size for one, _ in decided),
        error=error,
        assumes="the means of the repetitions are nearly normal; as measured",
    )


def _effect(decided: Sequence[tuple[Difference, bool | None]]) -> Effect:
    """The range of each difference, and the point with the least margin."""
    texts = []
    for what in dict.fromkeys(one.what for one, _ in decided):
        those = [(one.mean, answer) for one, answer in decided if one.what == what]
        means = [mean for mean, _ in those]
        holding = sum(answer is True for _, answer in those)
        texts.append(f"{what}: {min(means):.3f} to {max(means):.3f}, holds at {holding} of {len(those)} points")
    worst = min((one for one, _ in decided), key=lambda one: one.margin)
    return Effect("; ".join(texts), f"{worst.what}: {worst.mean:.3f} at {worst.where}; must be {worst.limits}")
