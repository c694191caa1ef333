"""Small tables of records, counts of sets of attributes, and candidates for networks, in exact arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

import sympy as sp

from pan_proofs.foundations.finite_mechanisms import bounded_pairs
from pan_proofs.tables.lemmas.information import Table, exponential

Record = tuple[int, ...]
"""A value for each attribute."""
Records = tuple[Record, ...]
"""A table by its records."""
Candidate = tuple[int, tuple[int, ...]]
"""An attribute, and its parents."""


def all_records(sizes: Sequence[int]) -> list[Record]:
    """All records over attributes with the given numbers of values."""
    return list(product(*map(range, sizes)))


def counts(table: Records, attributes: Sequence[int]) -> Counter[Record]:
    """The joint counts of some attributes."""
    return Counter(tuple(record[one] for one in attributes) for record in table)


def change(one: Records, other: Records, sets: Iterable[Sequence[int]], power: int = 1) -> int:
    """The sum over sets of attributes of the powers of the changes of their joint counts between two tables."""
    total = 0
    for attributes in sets:
        first, second = counts(one, attributes), counts(other, attributes)
        total += sum(abs(first[value] - second[value]) ** power for value in set(first) | set(second))
    return total


def largest_change(sizes: Sequence[int], records: int, sets: Sequence[Sequence[int]]) -> int:
    """The largest such sum over all pairs of tables of which one record differs."""
    return max(change(one, other, sets) for one, other in adjacent(sizes, records))


def adjacent(sizes: Sequence[int], records: int) -> Iterator[tuple[Records, Records]]:
    """All pairs of tables of the same number of records, of which one record differs."""
    return bounded_pairs(all_records(sizes), records)


def against(table: Records, attribute: int, parents: Sequence[int]) -> Table:
    """The counts of an attribute against those of its parents together."""
    found = counts(table, (attribute, *parents))
    rows = sorted({record[attribute] for record in table})
    columns = sorted({tuple(record[one] for one in parents) for record in table})
    return tuple(tuple(found[(row, *column)] for column in columns) for row in rows)


def score(table: Records, candidate: Candidate) -> sp.Expr:
    """The empirical mutual information of a candidate times the number of records, in nats."""
    ratio = exponential(against(table, *candidate))
    return sp.log(sp.Rational(ratio.numerator, ratio.denominator))


def candidates(chosen: Sequence[int], attributes: int, degree: int) -> list[Candidate]:
    """The candidates of a round: an attribute that is left, with at most ``degree`` chosen ones as its parents."""
    return [
        (one, parents)
        for one in range(attributes)
        if one not in chosen
        for size in range(min(degree, len(chosen)) + 1)
        for parents in combinations(chosen, size)
    ]


def printed_chance(table: Records, chosen: Sequence[int], degree: int, wanted: Candidate) -> sp.Expr:
    """The probability of a candidate with the printed weights, which are proportional to the scores.

    Raises
    ------
    ZeroDivisionError
        If all scores are 0: there is no such distribution.
    """
    weights = {one: score(table, one) for one in candidates(chosen, len(table[0]), degree)}
    total = sp.Add(*weights.values())
    if total == 0:
        raise ZeroDivisionError("all weights are 0")
    return sp.simplify(weights[wanted] / total)


def exponential_chance(
    table: Records, chosen: Sequence[int], degree: int, wanted: Candidate, factor: sp.Expr
) -> sp.Expr:
    """The probability of a candidate with weights that are exponential in the scores.

    Parameters
    ----------
    factor
        The factor of the empirical mutual information in the exponent.
    """
    weights = {
        one: sp.exp(factor * score(table, one) / len(table)) for one in candidates(chosen, len(table[0]), degree)
    }
    return weights[wanted] / sp.Add(*weights.values())


def structures(attributes: int, degree: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All acyclic structures of attributes in a fixed order, each attribute with at most ``degree`` earlier parents."""
    options = [
        [parents for size in range(degree + 1) for parents in combinations(range(one), size)]
        for one in range(attributes)
    ]
    yield from product(*options)


def families(structure: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """The sets of attributes of which a structure needs the joint counts: each attribute with its parents."""
    return [(one, *parents) for one, parents in enumerate(structure)]
