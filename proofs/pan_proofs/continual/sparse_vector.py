"""Algorithm 2, the sparse vector technique, with two-sided geometric noise: exact probabilities of all answers.

The ratios of the two noises play the parts of ``exp(-1/scale)`` of Laplace noise. A shift of the noise by a whole
number costs what it costs for Laplace noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

Answers = tuple[int, ...]
"""1 for "above" and 0 for "below", one for each query."""


@dataclass(frozen=True)
class SparseVector:
    """The algorithm with threshold 0.

    Attributes
    ----------
    cutoff
        The number of answers "above" after which each answer is "below".
    threshold
        The ratio of the noise of the threshold: it is ``z`` with a probability proportional to ``threshold**abs(z)``.
    query
        The ratio of the noise of each query.
    """

    cutoff: int
    threshold: Fraction
    query: Fraction

    def distribution(self, queries: tuple[int, ...]) -> dict[Answers, Fraction]:
        """The probability of all answers to queries with these values."""
        return {answers: self.chance(queries, answers) for answers in product((0, 1), repeat=len(queries))}

    def chance(self, queries: tuple[int, ...], answers: Answers) -> Fraction:
        """The probability of some answers."""
        asked = self._asked(queries, answers)
        if asked is None:
            return Fraction(0)
        low, high = min((0, *queries)), max((0, *queries))
        weight = (1 - self.threshold) / (1 + self.threshold)
        total = sum(
            (self.threshold ** abs(z) * self._given(asked, z) for z in range(low, high + 1)),
            Fraction(0),
        )
        return weight * (total + self._beyond(asked, high, 1) + self._beyond(asked, low, -1))

    def _asked(self, queries: tuple[int, ...], answers: Answers) -> tuple[tuple[int, int], ...] | None:
        """The queries that are compared with the threshold; ``None`` if there are more answers "above" than allowed."""
        asked, count = [], 0
        for query, answer in zip(queries, answers, strict=True):
            if count == self.cutoff:
                if answer:
                    return None
                continue
            asked.append((query, answer))
            count += answer
        return tuple(asked)

    def _given(self, asked: tuple[tuple[int, int], ...], z: int) -> Fraction:
        """The probability of the answers for one value of the noisy threshold."""
        chance = Fraction(1)
        for query, answer in asked:
            reached = tail(self.query, z - query)
            chance *= reached if answer else 1 - reached
        return chance

    def _beyond(self, asked: tuple[tuple[int, int], ...], end: int, side: int) -> Fraction:
        """The sum over the thresholds beyond an end: each factor is linear in ``query**abs(z)``."""
        polynomial = [Fraction(1)]
        for query, answer in asked:
            # Above all queries: P(noise >= z - query) is a multiple of query**z; below all: 1 minus such a multiple.
            factor = self.query ** (-query if side > 0 else 1 + query) / (1 + self.query)
            small = answer if side > 0 else 1 - answer
            linear = (Fraction(0), factor) if small else (Fraction(1), -factor)
            shifted = [Fraction(0), *(linear[1] * one for one in polynomial)]
            kept = [*(linear[0] * one for one in polynomial), Fraction(0)]
            polynomial = [one + other for one, other in zip(kept, shifted, strict=True)]
        total, first = Fraction(0), abs(end) + 1
        for power, coefficient in enumerate(polynomial):
            ratio = self.threshold * self.query**power
            total += coefficient * ratio**first / (1 - ratio)
        return total


@cache
def tail(ratio: Fraction, least: int) -> Fraction:
    """The probability that two-sided geometric noise is at least a whole number."""
    if least > 0:
        return ratio**least / (1 + ratio)
    return 1 - ratio ** (1 - least) / (1 + ratio)


def printed(cutoff: int, root: Fraction) -> SparseVector:
    """The noise of Algorithm 2 for the budget ``eps``, with ``root = exp(-eps / (4 cutoff))``."""
    return SparseVector(cutoff, root ** (2 * cutoff), root)


def largest_ratio(algorithm: SparseVector, values: tuple[int, ...], number: int) -> Fraction:
    """The largest ratio of the probabilities of answers, over queries of some values that change by at most 1."""
    distributions = {queries: algorithm.distribution(queries) for queries in product(values, repeat=number)}
    largest = Fraction(0)
    for one, distribution in distributions.items():
        for steps in product((-1, 0, 1), repeat=number):
            other = distributions.get(tuple(value + step for value, step in zip(one, steps, strict=True)))
            if other is not None:
                largest = max(largest, *(chance / other[answers] for answers, chance in distribution.items() if chance))
    return largest
