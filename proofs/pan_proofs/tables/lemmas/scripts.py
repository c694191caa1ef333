"""The algorithms of chapter 3 as their listings are printed, without noise, to see whether text and listing agree."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pan_proofs.tables.lemmas.information import exponential
from pan_proofs.tables.lemmas.small_tables import Candidate, Records, against, candidates, counts


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
