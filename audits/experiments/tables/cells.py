"""Tables of few attributes as counts of all cells, for several sites at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from experiments.tables.counted import Array, Law, conditionals, distribution, entropy, shaped
from pan_estimators.tables.structure import Choice


@dataclass(eq=False)
class Cells:
    """The tables of the sites.

    Parameters
    ----------
    counts
        The number of rows of each site in each cell of the joint domain: shape ``(sites, *sizes)``.
    """

    counts: Array
    _entropies: dict[tuple[int, ...], Array] = field(default_factory=dict, repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return tuple(int(size) for size in self.counts.shape[1:])

    @property
    def rows(self) -> Array:
        """The number of rows of each site."""
        return np.asarray(self.counts.reshape(len(self.counts), -1).sum(axis=1))

    def together(self) -> Cells:
        """One table with the rows of all sites."""
        return Cells(self.counts.sum(axis=0, keepdims=True))

    def site(self, number: int) -> Cells:
        """The table of one site."""
        return Cells(self.counts[number : number + 1])

    def marginal(self, places: Sequence[int]) -> Array:
        """The counts of some attributes, in the order of the schema: shape ``(sites, ...)``."""
        return np.asarray(self.counts.sum(axis=tuple(1 + one for one in range(len(self.sizes)) if one not in places)))

    def joint(self, choice: Choice) -> Array:
        """The counts of an attribute and its parents: shape ``(sites, values, combinations)``."""
        return shaped(self.marginal((choice[0], *choice[1])), choice)

    def information(self, choices: Sequence[Choice]) -> Array:
        """The mutual information of each attribute and its parents at each site, in nats: ``(sites, choices)``."""
        found = [
            self._entropy((place,)) + self._entropy(parents) - self._entropy(tuple(sorted((place, *parents))))
            for place, parents in choices
        ]
        return np.maximum(0.0, np.stack(found, axis=1))

    def drawn(self, models: Sequence[Law], random: np.random.Generator) -> Cells:
        """One table with rows of the model of each site, as many as the site has."""
        sampled = np.zeros(self.sizes)
        for model, rows in zip(models, self.rows, strict=True):
            cells = distribution(self.sizes, model.structure, conditionals(model.joints, 0.0)).ravel()
            sampled += random.multinomial(int(rows), cells / cells.sum()).reshape(self.sizes)
        return Cells(sampled[None])

    def _entropy(self, places: tuple[int, ...]) -> Array:
        if places not in self._entropies:
            self._entropies[places] = entropy(self.marginal(places).reshape(len(self.counts), -1))
        return self._entropies[places]


def candidates(width: int, degree: int, known: Sequence[int]) -> list[Choice]:
    """The attributes that are left, each with all of its possible parents, in the order of the estimators."""
    return [
        (place, parents)
        for place in range(width)
        if place not in known
        for size in range(min(degree, len(known)) + 1)
        for parents in combinations(sorted(known), size)
    ]
