"""Likelihoods of networks with given parameters, and trees of the largest weight, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import prod

from pan_proofs.tables.lemmas.information import exponential
from pan_proofs.tables.lemmas.small_tables import Candidate, Records, against, candidates, counts

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


def best_candidate(table: Records, chosen: Sequence[int], degree: int) -> Candidate:
    """A candidate of the largest score, the first one in order among equals."""
    options = candidates(chosen, len(table[0]), degree)
    return max(options, key=lambda one: exponential(against(table, *one)))


def printed_vote(table: Records, chosen: Sequence[int], degree: int) -> Candidate:
    """The vote of line 6 of Algorithm 3.6: among all subsets of the chosen attributes, whatever the degree is."""
    del degree
    return best_candidate(table, chosen, len(chosen))


def greedy(table: Records, degree: int) -> list[Candidate]:
    """Algorithm 3.2 without the exponential mechanism, from the first attribute on."""
    chosen: list[int] = [0]
    found: list[Candidate] = [(0, ())]
    while len(chosen) < len(table[0]):
        one = best_candidate(table, chosen, degree)
        found.append(one)
        chosen.append(one[0])
    return found


def degree_after_the_loop(degree: int, holders: int) -> int:
    """The value of ``k`` in line 6 of Algorithm 3.7, whose loop over the holders is over ``k``."""
    k = degree
    for k in range(1, holders + 1):  # noqa: B007 - the listing's own loop variable
        pass
    return k


def marginal(noisy: dict[tuple[int, ...], Fraction], place: int) -> dict[int, Fraction]:
    """One attribute's counts from noisy joint counts of two."""
    found: dict[int, Fraction] = {}
    for value, count in noisy.items():
        found[value[place]] = found.get(value[place], Fraction(0)) + count
    return found


def noisy_counts(
    table: Records, attributes: Sequence[int], noise: Sequence[Fraction]
) -> dict[tuple[int, ...], Fraction]:
    """The joint counts of two binary attributes with given noise on the four cells."""
    exact = counts(table, attributes)
    cells = [(one, other) for one in (0, 1) for other in (0, 1)]
    return {cell: exact[cell] + extra for cell, extra in zip(cells, noise, strict=True)}


def directed(edges: Sequence[tuple[int, int]], turned: Sequence[bool]) -> list[tuple[int, int]]:
    """Edges from parents to children, some of them turned."""
    return [(two, one) if turn else (one, two) for (one, two), turn in zip(edges, turned, strict=True)]


def from_root(edges: Sequence[tuple[int, int]], root: int) -> list[tuple[int, int]]:
    """The edges of a tree, directed away from a root."""
    found: list[tuple[int, int]] = []
    reached = [root]
    for parent in reached:
        for one, two in edges:
            child = two if one == parent else one
            if parent in (one, two) and child not in reached:
                found.append((parent, child))
                reached.append(child)
    return found


def most_parents(edges: Sequence[tuple[int, int]]) -> int:
    """The degree of a network with these edges."""
    return max(sum(child == one for _, child in edges) for _, one in edges)
