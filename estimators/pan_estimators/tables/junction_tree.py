"""Junction trees: the cliques in which a model with given edges is computed, from an order of elimination."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from pan_estimators.tables.structure import Choice

Pair = tuple[int, int]
"""Two attributes by their places in the schema, the smaller place first."""


@dataclass(frozen=True)
class JunctionTree:
    """A triangulated graph of attributes.

    The attributes are eliminated one after the other. The neighbours that an attribute has at that moment become its
    parents, and are joined. An attribute and its parents are a clique. The clique that follows it is that of its parent
    that is eliminated first, and holds all of its parents.

    Attributes
    ----------
    sizes
        The number of values of each attribute.
    structure
        The attributes in the order of a network, which is the reverse order of elimination, each with its parents.
    """

    sizes: tuple[int, ...]
    structure: tuple[Choice, ...]

    @classmethod
    def of(cls, edges: Iterable[Pair], sizes: tuple[int, ...]) -> JunctionTree:
        """Eliminate the attribute whose clique has the fewest cells, again and again."""
        beside: dict[int, set[int]] = {place: set() for place in range(len(sizes))}
        for one, two in edges:
            beside[one].add(two)
            beside[two].add(one)
        cells = {place: _cells(place, others, sizes) for place, others in beside.items()}
        eliminated: list[Choice] = []
        while beside:
            least = min(cells, key=lambda place: (cells[place], place))
            others = beside.pop(least)
            del cells[least]
            eliminated.append((least, tuple(sorted(others))))
            for other in others:
                beside[other] |= others
                beside[other] -= {other, least}
            for other in others:
                cells[other] = _cells(other, beside[other], sizes)
        return cls(sizes, tuple(reversed(eliminated)))

    @property
    def cells(self) -> int:
        """The number of cells of all cliques together."""
        return sum(_cells(place, parents, self.sizes) for place, parents in self.structure)

    @cached_property
    def cliques(self) -> dict[int, tuple[int, ...]]:
        """The clique of each attribute, in the order of the schema."""
        return {place: tuple(sorted((place, *parents))) for place, parents in self.structure}

    @cached_property
    def next_clique(self) -> dict[int, int]:
        """For each attribute with parents the attribute whose clique holds them all."""
        order = {place: number for number, (place, _) in enumerate(self.structure)}
        return {place: max(parents, key=order.__getitem__) for place, parents in self.structure if parents}

    def holder(self, places: Sequence[int]) -> int | None:
        """The attribute whose clique holds some attributes and has the fewest cells; ``None`` if no clique does."""
        wanted = set(places)
        found = [place for place, clique in self.cliques.items() if wanted <= set(clique)]
        return min(found, key=lambda place: _cells(-1, self.cliques[place], self.sizes), default=None)


def _cells(place: int, others: Iterable[int], sizes: tuple[int, ...]) -> int:
    own = sizes[place] if place >= 0 else 1
    return own * prod(sizes[other] for other in others)
