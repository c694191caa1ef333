"""The fast algorithms of the experiments have the distribution of the estimators, on a small table over two sites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from experiments.tables.algorithms import (
    LearnedNetwork,
    majority_vote,
    noisy_model,
    privbayes,
    sufficient_statistics,
)
from experiments.tables.counted import Cells, distribution
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.tables.network import Network
from pan_estimators.tables.privbayes import PrivBayes
from pan_estimators.tables.schema import binary
from pan_estimators.tables.sites.majority_vote import NoisyMajorityVote
from pan_estimators.tables.sites.shared_model import NoisySharedModel
from pan_estimators.tables.sites.sufficient_statistics import NoisySufficientStatistics
from pan_estimators.tables.table import Table

_RUNS, _EPSILON, _LEAST = 200, 8.0, 1e-4
_SCHEMA = binary(3)
_ROWS = [(0, 0, 0)] * 11 + [(1, 1, 0)] * 9 + [(1, 0, 1)] * 6 + [(0, 1, 1)] * 4 + [(1, 1, 1)] * 10

Simulation = Callable[[Cells, float, int, np.random.Generator], LearnedNetwork]


def _sites() -> Cells:
    counts = np.zeros((2, 2, 2, 2))
    for number, row in enumerate(_ROWS):
        counts[(number % 2, *row)] += 1
    return Cells(counts)


def _by_simulation(algorithm: Simulation, epsilon: float, degree: int) -> list[tuple[object, float]]:
    random, found = np.random.default_rng(5), []
    for _ in range(_RUNS):
        model = algorithm(_sites(), epsilon, degree, random)
        found.append((model.structure, float(model.probabilities(0.0)[1, 1, 1])))
    return found


def _by_estimator(estimator: object, degree: int) -> list[tuple[object, float]]:
    randomness, found = NumpyRandomness(7), []
    table = Table.of(_ROWS, _SCHEMA)
    for _ in range(_RUNS):
        network: Network = estimator.post_process(estimator.release(table, randomness))  # type: ignore[attr-defined]
        cells = distribution((2, 2, 2), network.structure, [one.T for one in network.conditionals])
        found.append((network.structure, float(cells[1, 1, 1])))
    return found


def _p_values(one: list[tuple[object, float]], two: list[tuple[object, float]]) -> tuple[float, float]:
    """Of the distribution of the structure, and of the distribution of the probability of a cell."""
    counts = [Counter(structure for structure, _ in found) for found in (one, two)]
    often = [name for name in counts[0] | counts[1] if counts[0][name] + counts[1][name] >= 10]
    table = np.array([[count[name] for name in often] for count in counts])
    structure = chi2_contingency(table).pvalue if len(often) > 1 else 1.0
    return float(structure), float(ks_2samp([value for _, value in one], [value for _, value in two]).pvalue)


def _pair(name: str, degree: int) -> tuple[Simulation, object]:
    given = {"schema": _SCHEMA, "epsilon": _EPSILON, "degree": degree, "rows": len(_ROWS)}
    over = {**given, "sites": 2, "clip": "site"}
    return {
        "privbayes": (privbayes, PrivBayes(**given)),
        "sufficient statistics": (sufficient_statistics, NoisySufficientStatistics(**over)),
        "majority vote": (majority_vote, NoisyMajorityVote(**over)),
        "noisy model": (noisy_model, NoisySharedModel(**given, sites=2)),
    }[name]


_NAMES = (
    "privbayes",
    "sufficient statistics",
    "majority vote",
    pytest.param("noisy model", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("degree", [1, 2])
def test_the_fast_algorithms_have_the_distribution_of_the_estimators(name: str, degree: int) -> None:
    simulation, estimator = _pair(name, degree)
    found = _p_values(_by_simulation(simulation, _EPSILON, degree), _by_estimator(estimator, degree))
    assert min(found) > _LEAST, found


@pytest.mark.parametrize("name", _NAMES)
def test_another_budget_is_another_distribution(name: str) -> None:
    simulation, estimator = _pair(name, 1)
    found = _p_values(_by_simulation(simulation, _EPSILON / 4, 1), _by_estimator(estimator, 1))
    assert min(found) < _LEAST, found
