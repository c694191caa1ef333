"""Mechanisms with finitely many outputs: distributions by all coins, and the largest ratio for a pair.

A dataset is a tuple of records. Where only its histogram counts, tuples are sorted.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

Distribution = dict[Hashable, Fraction]
"""For each output its probability."""

Dataset = tuple[Any, ...]
"""Records in order."""

FAIR: Distribution = {0: Fraction(1, 2), 1: Fraction(1, 2)}
"""A fair coin."""


def distribution_of_coins(output: Callable[..., Hashable], *coins: Mapping[Hashable, Fraction]) -> Distribution:
    """Distribution of a function of independent coins.

    Parameters
    ----------
    output
        The function; it gets one outcome of each coin.
    *coins
        For each coin the probabilities of its outcomes.
    """
    distribution: Distribution = {}
    for outcomes in itertools.product(*(coin.items() for coin in coins)):
        value = output(*(side for side, _ in outcomes))
        distribution[value] = distribution.get(value, Fraction(0)) + math.prod(
            (chance for _, chance in outcomes), start=Fraction(1)
        )
    return distribution


def biased(factor: Fraction) -> Distribution:
    """A coin that shows 0 ``factor`` times as often as 1: the coin of randomized response with loss ``log(factor)``."""
    return {0: factor / (1 + factor), 1: 1 / (1 + factor)}


def largest_ratio(one: Mapping[Hashable, Fraction], other: Mapping[Hashable, Fraction]) -> Fraction | float:
    """The largest ratio of two probabilities of one output, in either direction; infinite if only one can happen.

    No set of outputs has a larger ratio than each of its elements.
    """
    largest = Fraction(0)
    for value in set(one) | set(other):
        first, second = one.get(value, Fraction(0)), other.get(value, Fraction(0))
        if (first == 0) != (second == 0):
            return math.inf
        if first:
            largest = max(largest, first / second, second / first)
    return largest


def privacy_factor(
    mechanism: Callable[[Dataset], Mapping[Hashable, Fraction]], pairs: Iterable[tuple[Dataset, Dataset]]
) -> Fraction | float:
    """The largest ratio over pairs of datasets: ``exp`` of the privacy loss on them."""
    return max(largest_ratio(mechanism(one), mechanism(other)) for one, other in pairs)


def probability(distribution: Mapping[Hashable, Fraction], event: Callable[[Any], bool]) -> Fraction:
    """Probability of the outputs that satisfy a condition."""
    return sum((chance for value, chance in distribution.items() if event(value)), Fraction(0))


def datasets(values: Sequence[Any], most: int, least: int = 0) -> Iterator[Dataset]:
    """All sorted datasets of ``least`` to ``most`` records: one for each histogram."""
    for size in range(least, most + 1):
        yield from itertools.combinations_with_replacement(values, size)


def distance(one: Dataset, other: Dataset) -> int:
    """The l1 distance of the histograms."""
    first, second = Counter(one), Counter(other)
    return sum(abs(first[value] - second[value]) for value in set(first) | set(second))


def unbounded_pairs(values: Sequence[Any], most: int) -> Iterator[tuple[Dataset, Dataset]]:
    """Pairs of which the second dataset has one record more."""
    for one in datasets(values, most - 1):
        for value in values:
            yield one, tuple(sorted((*one, value)))


def bounded_pairs(values: Sequence[Any], most: int) -> Iterator[tuple[Dataset, Dataset]]:
    """Pairs of equal size that differ in the value of one record."""
    for rest in datasets(values, most - 1):
        for old, new in itertools.permutations(values, 2):
            yield tuple(sorted((*rest, old))), tuple(sorted((*rest, new)))


def links(one: Dataset, other: Dataset) -> list[Dataset]:
    """A chain from one dataset to another: each link removes a record that is too many, or adds one that is missing."""
    chain, current = [one], list(one)
    while distance(tuple(current), other):
        surplus = [value for value in current if current.count(value) > other.count(value)]
        if surplus:
            current.remove(surplus[0])
        else:
            current.append(next(value for value in other if current.count(value) < other.count(value)))
        chain.append(tuple(sorted(current)))
    return chain


def changes(one: Dataset, other: Dataset) -> list[Dataset]:
    """A chain between datasets of equal size: each link changes the value of one record."""
    chain, current = [one], list(one)
    while distance(tuple(current), other):
        surplus = next(value for value in current if current.count(value) > other.count(value))
        missing = next(value for value in other if current.count(value) < other.count(value))
        current[current.index(surplus)] = missing
        chain.append(tuple(sorted(current)))
    return chain


def joins(made: Sequence[Dataset], ends: tuple[Dataset, Dataset], count: int, apart: int = 1) -> bool:
    """Whether a chain has the given ends and number of links, each of which is of the given length."""
    return (
        (made[0], made[-1]) == ends
        and len(made) == count + 1
        and all(distance(*link) == apart for link in pairwise(made))
    )
