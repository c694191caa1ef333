"""Junction trees of networks, and their marginals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Schema
from pan_estimators.tables.structure import Choice
from pan_promises.errors import InputError

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


Array = NDArray[np.float64]

Potentials = Mapping[int, Array]
"""Of the clique of each attribute: logarithms of its factor, with an axis for each attribute of the clique."""


@dataclass(frozen=True, eq=False)
class JunctionMarginals:
    """A distribution that is the normalised product of factors of cliques.

    Attributes
    ----------
    tree
        The cliques.
    conditionals
        Of each attribute the distribution given its parents: the axes are those of its clique.
    cliques
        Of each attribute the marginal of its clique. The sum is 1.
    """

    tree: JunctionTree
    conditionals: Mapping[int, Array]
    cliques: Mapping[int, Array]

    @classmethod
    def of(cls, tree: JunctionTree, potentials: Potentials) -> JunctionMarginals:
        """Eliminate the attributes from the last to the first, then follow the conditionals."""
        messages: dict[int, list[Array]] = {place: [] for place in tree.cliques}
        conditionals: dict[int, Array] = {}
        for place, parents in reversed(tree.structure):
            clique = tree.cliques[place]
            axis = clique.index(place)
            belief = potentials[place]
            for message in messages[place]:
                belief = belief + message
            top = belief.max(axis=axis, keepdims=True)
            weights = np.exp(belief - top)
            total = weights.sum(axis=axis, keepdims=True)
            conditionals[place] = weights / total
            if parents:
                follower = tree.next_clique[place]
                message = np.squeeze(np.log(total) + top, axis=axis)
                messages[follower].append(_spread(message, parents, tree.cliques[follower]))
        return cls.following(tree, conditionals)

    @classmethod
    def following(cls, tree: JunctionTree, conditionals: Mapping[int, Array]) -> JunctionMarginals:
        """The distribution of given conditionals, from the first attribute to the last."""
        cliques: dict[int, Array] = {}
        for place, parents in tree.structure:
            if parents:
                follower = tree.next_clique[place]
                given = _summed(cliques[follower], tree.cliques[follower], parents)
                cliques[place] = _spread(given, parents, tree.cliques[place]) * conditionals[place]
            else:
                cliques[place] = conditionals[place]
        return cls(tree, conditionals, cliques)

    @classmethod
    def of_network(cls, model: Network) -> JunctionMarginals:
        """The distribution of a network whose parents are always in one clique: of degree 1, or of a junction tree."""
        structure = tuple((place, tuple(parents)) for place, parents in model.structure)
        tree = JunctionTree(model.schema.sizes, structure)
        conditionals = {}
        for (place, parents), given in zip(structure, model.conditionals, strict=True):
            if not set(parents) <= set(tree.cliques[tree.next_clique[place]] if parents else ()):
                raise InputError("the parents of an attribute must stand in one clique of the junction tree")
            whole = given.reshape([model.schema.sizes[one] for one in (*parents, place)])
            order = [(*parents, place).index(one) for one in tree.cliques[place]]
            conditionals[place] = np.transpose(whole, order)
        return cls.following(tree, conditionals)

    def network(self, schema: Schema) -> Network:
        """The same distribution as a network: the attributes in the order of the junction tree."""
        conditionals = [
            np.moveaxis(self.conditionals[place], self.tree.cliques[place].index(place), -1)
            for place, _ in self.tree.structure
        ]
        return Network(schema, self.tree.structure, tuple(one.reshape(-1, one.shape[-1]) for one in conditionals))

    def marginal(self, places: Sequence[int]) -> Array:
        """The marginal of some attributes of one clique, in the order of the schema."""
        holder = self.tree.holder(places)
        assert holder is not None
        return _summed(self.cliques[holder], self.tree.cliques[holder], places)

    def pairs(self) -> dict[Pair, Array]:
        """The joint distribution of each pair of attributes."""
        width, found = len(self.tree.sizes), {}
        for one in range(width):
            for two, joint in self._beside(one).items():
                if one < two:
                    found[one, two] = joint
        return found

    @cached_property
    def _steps(self) -> dict[int, list[tuple[int, tuple[int, ...], Array]]]:
        """From each clique to those beside it: the attributes in both, and the distribution of the other given them."""
        steps: dict[int, list[tuple[int, tuple[int, ...], Array]]] = {place: [] for place in self.tree.cliques}
        for place, parents in self.tree.structure:
            if not parents:
                continue
            follower = self.tree.next_clique[place]
            shared = _summed(self.cliques[follower], self.tree.cliques[follower], parents)
            whole = _spread(shared, parents, self.tree.cliques[follower])
            # A part without any probability stays so, whatever it is divided by.
            given = self.cliques[follower] / np.where(whole > 0, whole, 1.0)
            steps[place].append((follower, parents, given))
            steps[follower].append((place, parents, self.conditionals[place]))
        return steps

    def _beside(self, one: int) -> dict[int, Array]:
        """The joint distribution of an attribute and each other one, from its clique outwards."""
        size, tree = self.tree.sizes[one], self.tree
        own = np.moveaxis(self.cliques[one], tree.cliques[one].index(one), 0)
        start = np.zeros((size, *own.shape))
        start[np.arange(size), np.arange(size)] = own
        joints = {one: np.moveaxis(start, 1, 1 + tree.cliques[one].index(one))}
        waiting = [one]
        while waiting:
            place = waiting.pop()
            for other, shared, given in self._steps[place]:
                if other in joints:
                    continue
                kept = _summed(joints[place], (-1, *tree.cliques[place]), (-1, *shared))
                joints[other] = _spread(kept, (-1, *shared), (-1, *tree.cliques[other])) * given
                waiting.append(other)
        margin = self.cliques[one].sum(axis=tuple(a for a, b in enumerate(tree.cliques[one]) if b != one))
        found = {}
        for two in range(len(tree.sizes)):
            if two in joints:
                found[two] = _summed(joints[two], (-1, *tree.cliques[two]), (-1, two))
            else:
                single = _summed(self.cliques[two], tree.cliques[two], (two,))
                found[two] = np.outer(margin, single)
        return found


def _summed(values: Array, axes: Sequence[int], kept: Sequence[int]) -> Array:
    """The sum over all axes but some. Both lists are in rising order."""
    return np.asarray(values.sum(axis=tuple(place for place, one in enumerate(axes) if one not in kept)))


def _spread(values: Array, axes: Sequence[int], wanted: Sequence[int]) -> Array:
    """The same values with axes of length 1 for the attributes that are new."""
    sizes = iter(values.shape)
    return values.reshape([next(sizes) if one in axes else 1 for one in wanted])
