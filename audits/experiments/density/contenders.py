"""The estimators of the figures, under their names in the sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pan_estimators.density.calibrated import calibrated_bernoulli
from pan_estimators.density.dwork import dwork
from pan_estimators.density.laplace import laplace, quantized_laplace
from pan_estimators.density.optimal_bernoulli import optimal_bernoulli
from pan_estimators.density.pan_private_distinct_sampling import pan_private_distinct_sampling
from pan_estimators.universes.universe import IntegerUniverse
from pan_promises.errors import InputError, shown, suggestion

SquaredError = Callable[[float, int], float]

DWORK, OPTBERN, PPDS = "Dwork", "OptBern", "PPDS"
QLAP, LAPLACE, GAUSS = "qLap", "Laplace", "Gauss"
SAME_PROMISE, SAME_MEMORY = "calibrated", "calibrated, OptBern's memory"


@dataclass(frozen=True)
class Contender:
    """An estimator as it takes part in the experiments.

    Attributes
    ----------
    label
        Its name in the legends.
    make
        The estimator for a universe of integers, epsilon and sample size.
    published
        The theoretical mean squared error of the source, as a function of epsilon and m: an equality or an upper
        bound, about d(S_M). ``None`` if none is printed.
    where
        The place of that formula.
    bits
        The estimator whose published bound on the probability of error holds for it, as the ledger names it:
        ``"dwork"`` or ``"optimal"``; ``None`` if no bound is printed.
    """

    label: str
    make: Callable[[IntegerUniverse, float, int], Any]
    published: SquaredError | None = None
    where: str = ""
    bits: str | None = None


def _dwork(universe: IntegerUniverse, epsilon: float, size: int) -> Any:
    return dwork(universe=universe, epsilon=epsilon, sample_size=size)


def _optbern(universe: IntegerUniverse, epsilon: float, size: int) -> Any:
    return optimal_bernoulli(universe=universe, epsilon=epsilon, sample_size=size)


def _distinct_sampling(universe: IntegerUniverse, epsilon: float, size: int) -> Any:
    return pan_private_distinct_sampling(universe=universe, epsilon=epsilon, sample_size=size)


def _quantized(universe: IntegerUniverse, epsilon: float, size: int) -> Any:
    return quantized_laplace(universe=universe, epsilon=epsilon, sample_size=size)


def _laplace(universe: IntegerUniverse, epsilon: float, size: int) -> Any:
    return laplace(universe=universe, epsilon=epsilon, sample_size=size)


def _gauss(universe: IntegerUniverse, epsilon: float, size: int) -> Any:
    from experiments.density.simulation import TruncatedGaussian

    return TruncatedGaussian(universe=universe, epsilon=epsilon, sample_size=size)


def _calibrated(universe: IntegerUniverse, epsilon: float, size: int) -> Any:
    return calibrated_bernoulli(universe=universe, epsilon=epsilon, sample_size=size)


def _calibrated_in_memory(universe: IntegerUniverse, epsilon: float, size: int) -> Any:
    from experiments.density.comparison import largest_fitting

    bits = _optbern(universe, epsilon, size).state_bits
    return largest_fitting("calibrated-bernoulli", universe=universe, epsilon=epsilon, bits=bits)


def _published_dwork(epsilon: float, size: int) -> float:
    return 2 * (2 * size + 1) / (size * epsilon) ** 2


def _published_optbern(epsilon: float, size: int) -> float:
    return _published_bits(math.tanh(epsilon / 2), epsilon, size)


def _published_quantized(epsilon: float, size: int) -> float:
    return _published_bits(-math.expm1(-epsilon / 2), epsilon, size)


def _published_bits(gap: float, epsilon: float, size: int) -> float:
    return 1 / (4 * size * gap**2) + 2 / (size * epsilon) ** 2


def _published_laplace(epsilon: float, size: int) -> float:
    return 2 * (size + 1) / (size * epsilon) ** 2


CONTENDERS: Mapping[str, Contender] = {
    one.label: one
    for one in (
        Contender(DWORK, _dwork, _published_dwork, "Theorem 3.2", "dwork"),
        Contender(OPTBERN, _optbern, _published_optbern, "Theorem 4.2", "optimal"),
        Contender(PPDS, _distinct_sampling),
        Contender(
            QLAP,
            _quantized,
            _published_quantized,
            "OptBern's bound with the gap of the quantised pair: thesis, Section 4.4.3, calls it such an estimator",
        ),
        Contender(LAPLACE, _laplace, _published_laplace, "thesis, Theorem 4.8", "dwork"),
        Contender(GAUSS, _gauss),
        Contender(SAME_PROMISE, _calibrated),
        Contender(SAME_MEMORY, _calibrated_in_memory),
    )
}
"""All of them, by label. The calibrated estimator keeps the promise of 2 epsilon that the published ones make:
once with as many sampled users, once with as many bits as OptBern takes with the ids of its sample."""

STYLES: Mapping[str, tuple[str, str]] = {
    DWORK: ("s", "#000000"),
    OPTBERN: ("o", "#0072B2"),
    PPDS: ("^", "#D55E00"),
    QLAP: ("D", "#009E73"),
    LAPLACE: ("v", "#CC79A7"),
    GAUSS: ("P", "#7A5C00"),
    SAME_PROMISE: ("x", "#555555"),
    SAME_MEMORY: ("+", "#56B4E9"),
}
"""Marker and colour of each estimator; the colours are those of Okabe and Ito, and differ in lightness."""

OURS = (SAME_PROMISE, SAME_MEMORY)
"""The calibrated estimator is not in the sources."""


def contender(label: str) -> Contender:
    """The estimator of that name; :class:`InputError` for any other."""
    if label not in CONTENDERS:
        raise InputError(f"unknown estimator {shown(label)}; {suggestion(label, CONTENDERS)}")
    return CONTENDERS[label]
