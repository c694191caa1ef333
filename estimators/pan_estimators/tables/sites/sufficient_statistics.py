"""Sharing the noisy sufficient statistics: all marginals of k + 1 attributes from each site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.mechanism import MOST_CELLS, require_degree
from pan_estimators.tables.network import Network
from pan_estimators.tables.sites.messages import AT_ANALYST, Channel, Counts, Message, Replayed, require_clip
from pan_estimators.tables.sites.protocol import OverSites, total_of
from pan_estimators.tables.structure import Choice, GreedyStructure, structure_by
from pan_estimators.tables.tree_fit import nearest_possible
from pan_promises.errors import InputError

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
_SHARES = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class NoisyEntropy:
    """The entropy of a distribution from counts that carry the noise of several sites, in nats.

    The counts of ``n`` independent rows have a multinomial distribution. Each site adds Laplace noise of one scale to
    each of its counts, and the analyst divides the sums by ``n``. Negative sums become 0. Nothing here spends budget:
    it reads noisy counts.
    """

    rows: int
    sites: int
    scale: float

    def corrected(self, counts: Sequence[float] | NDArray[np.float64]) -> float:
        """The entropy of counts that are moved to the public sum, less the bias at the nearest distribution.

        It can be below 0 or above the logarithm of the number of counts: limits would bring a bias of their own.
        If most of the counts are less than the noise, its bias can be larger than that of the noisy frequencies, which
        Algorithm 3.5 uses.
        """
        noisy = np.asarray(counts, dtype=np.float64).ravel()
        moved = noisy + (self.rows - noisy.sum()) / len(noisy)
        nearest = nearest_possible(moved[None] / self.rows, np.ones(1))[0]
        plain = float(_terms(moved / self.rows).sum())
        return plain - self._bias(nearest, 2 * self.sites * (self.scale / self.rows) ** 2 * (1 - 1 / len(noisy)))

    def _bias(self, exact: NDArray[np.float64], noise: float) -> float:
        """The bias of the noisy frequencies, with normal deviations of each. Negative sums are accounted for."""
        deviations = np.sqrt(np.maximum(exact * (1 - exact), 0.0) / self.rows + noise)
        expected = _terms(exact[:, None] + deviations[:, None] * _NODES) @ _SHARES
        return float((expected - _terms(exact)).sum())


def _terms(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The terms of the entropy; 0 for shares that are not positive."""
    positive = np.maximum(shares, 0.0)
    return np.asarray(-positive * np.log(np.where(positive > 0, positive, 1.0)))


Marginals = dict[tuple[int, ...], NDArray[np.float64]]


@dataclass(frozen=True)
class NoisySufficientStatistics(OverSites):
    """A network of noisy marginals over sites, with pure epsilon for one replaced row of any one site.

    Each site adds Laplace noise of scale ``2 C(N, k + 1) / epsilon`` to all marginals of ``k + 1`` attributes
    (bayesnet.sufficient_statistics_privacy). The analyst adds them, takes the attribute and the parents with the
    largest mutual information in each step, and uses the same marginals for the parameters.
    """

    degree: int = 1
    clip: str = AT_ANALYST

    def __post_init__(self) -> None:
        super().__post_init__()
        require_degree(self.degree, self.schema)
        require_clip(self.clip)
        count = comb(len(self.schema.attributes), self.degree + 1)
        if count > MOST_CELLS:
            raise InputError(f"each site would share {count:,} marginals, more than {MOST_CELLS:,}")
        cells = sum(int(np.prod([self.schema.sizes[place] for place in places])) for places in self.subsets())
        if cells > MOST_CELLS:
            raise InputError(f"each site would share {cells:,} counts, more than {MOST_CELLS:,}")

    def subsets(self) -> list[tuple[int, ...]]:
        """The attributes of each marginal, by place."""
        return list(combinations(range(len(self.schema.attributes)), self.degree + 1))

    def ask(self, channel: Channel) -> dict[tuple[int, ...], list[Any]]:
        """The sums of the marginals of all sites."""
        subsets, found = self.subsets(), {}
        for places in subsets:
            cells = prod(self.schema.sizes[place] for place in places)
            question = Counts(places, self.epsilon / len(subsets), self.clip, cells)
            found[places] = total_of(channel.every(question))
        return found

    def post_process(self, observation: list[Message]) -> Network:
        """The network of a transcript."""
        sizes = self.schema.sizes
        marginals = {
            places: np.maximum(np.array(cells, dtype=np.float64), 0.0).reshape([sizes[place] for place in places])
            for places, cells in self.ask(Replayed(observation)).items()
        }
        structure = self._structure(marginals)
        return Network.from_counts(
            self.schema, structure, [_joint(marginals, choice).ravel().tolist() for choice in structure]
        )

    def entropies(self, observation: list[Message], rows: int) -> dict[tuple[int, ...], float]:
        """The joint entropy of the attributes of each marginal, in nats, without most of the bias of the noise."""
        if self.clip != AT_ANALYST:
            raise InputError("the entropies need counts that the sites do not clip: clip='analyst'")
        replayed = Replayed(observation)
        estimator = NoisyEntropy(rows, replayed.sites, 2 * len(self.subsets()) / self.epsilon)
        return {places: estimator.corrected(cells) for places, cells in self.ask(replayed).items()}

    def _structure(self, marginals: Marginals) -> tuple[Choice, ...]:
        greedy = GreedyStructure(self.schema, self.epsilon, self.degree)

        def best(known: list[int]) -> Choice:
            return max(greedy.candidates(known), key=lambda choice: _information(_joint(marginals, choice)))

        return structure_by(self.schema, best)


def _joint(marginals: Marginals, choice: Choice) -> NDArray[np.float64]:
    """The counts of an attribute and its parents, from the first marginal that has them all."""
    place, parents = choice
    wanted = (place, *parents)
    places = next(one for one in marginals if set(wanted) <= set(one))
    kept = marginals[places].sum(axis=tuple(axis for axis, one in enumerate(places) if one not in wanted))
    order = [one for one in places if one in wanted]
    found = np.transpose(kept, [order.index(one) for one in wanted])
    return found.reshape(found.shape[0], -1)


def _information(joint: NDArray[np.float64]) -> float:
    """The mutual information of the rows and the columns of a table of counts, in nats."""
    total = joint.sum()
    if total <= 0:
        return 0.0
    shares = joint / total
    independent = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    positive = shares > 0
    return float((shares[positive] * np.log(shares[positive] / independent[positive])).sum())
