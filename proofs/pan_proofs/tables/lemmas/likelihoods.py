"""Likelihoods of networks with given parameters, and trees of the largest weight, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import prod

from pan_proofs.tables.lemmas.information import exponential
from pan_proofs.tables.lemmas.small_tables import Records, against, counts

Structure = Sequence[Sequence[int]]
"""For each attribute its parents."""
Edge = tuple[int, int]


def maximum_likelihood(table: Records, structure: Structure) -> Fraction:
    """The likelihood with the conditional frequencies as parameters: a product over the records."""
    found = Fraction(1)
    for child, parents in enumerate(structure):
        joint, alone = counts(table, (child, *parents)), counts(table, parents)
        for record in table:
            above = tuple(record[one] for one in parents)
            found *= Fraction(joint[(record[child], *above)], alone[above])
    return found


def by_information(table: Records, structure: Structure) -> Fraction:
    """``exp(n sum I - n sum H)``, from the definitions of both."""
    size = len(table)
    found = Fraction(1)
    for child, parents in enumerate(structure):
        found *= exponential(against(table, child, parents))
        found *= prod((Fraction(count, size) ** count for count in counts(table, (child,)).values()), start=Fraction(1))
    return found


def likelihood(table: Records, chances: Sequence[Mapping[int, Fraction]]) -> Fraction:
    """The likelihood of independent attributes with given probabilities."""
    return prod((chances[place][value] for record in table for place, value in enumerate(record)), start=Fraction(1))


def spanning_trees(size: int) -> Iterator[tuple[Edge, ...]]:
    """All spanning trees of the complete graph."""
    edges = list(combinations(range(size), 2))
    for chosen in combinations(edges, size - 1):
        reached = {0}
        for _ in range(size):
            reached |= {one for edge in chosen if reached & set(edge) for one in edge}
        if len(reached) == size:
            yield chosen


def grown(size: int, rank: Mapping[Edge, int]) -> list[Edge]:
    """The tree that grows from the first node, by the best edge to a new node each time."""
    inside, tree = {0}, []
    while len(inside) < size:
        border = [edge for edge in rank if len(inside & set(edge)) == 1]
        best = max(border, key=lambda edge: rank[edge])
        tree.append(best)
        inside |= set(best)
    return tree


def orders(size: int) -> Iterator[dict[Edge, int]]:
    """All strict orders of the edges, as ranks."""
    edges = list(combinations(range(size), 2))
    for order in permutations(range(len(edges))):
        yield dict(zip(edges, order, strict=True))


def dominates(one: Sequence[Edge], other: Sequence[Edge], rank: Mapping[Edge, int]) -> bool:
    """Whether the sorted ranks of one tree are at least those of the other: then its weight is, for all weights."""
    first, second = (sorted(rank[edge] for edge in tree) for tree in (one, other))
    return all(a >= b for a, b in zip(first, second, strict=True))


def network_chance(table: Records, structure: Structure, record: Sequence[int]) -> Fraction:
    """The probability of a record under the network whose parameters are the table's conditional frequencies."""
    found = Fraction(1)
    for child, parents in enumerate(structure):
        above = tuple(record[one] for one in parents)
        alone = counts(table, parents)[above]
        found *= Fraction(counts(table, (child, *parents))[(record[child], *above)], alone) if alone else Fraction(0)
    return found


def best_by_orders(table: Records, degree: int) -> Fraction:
    """The largest ``exp(n sum I)`` over all orders of the attributes, each with at most ``degree`` earlier parents."""
    size, found = len(table[0]), Fraction(0)
    for order in permutations(range(size)):
        whole = Fraction(1)
        for place, child in enumerate(order):
            options = [
                parents for number in range(min(place, degree) + 1) for parents in combinations(order[:place], number)
            ]
            whole *= max(exponential(against(table, child, parents)) for parents in options)
        found = max(found, whole)
    return found
