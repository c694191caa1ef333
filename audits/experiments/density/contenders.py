"""The estimators of the figures, under their names in the sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from experiments.density.exact_moments import ErrorMoments, error_moments
from experiments.density.setting import Setting, fixed_stream
from experiments.toolkit.quantities import groups
from experiments.toolkit.runs import ASSUMED_FLATNESS, GROUP, PLOTTED, Runs, Task
from pan_estimators.density.calibrated import calibrated_bernoulli
from pan_estimators.density.pan_private_distinct_sampling import pan_private_distinct_sampling
from pan_estimators.density.printed import (
    dwork,
    laplace,
    optimal_bernoulli,
    quantized_laplace,
)
from pan_estimators.density.target import Target
from pan_estimators.universes.universe import IntegerUniverse
from pan_promises.errors import InputError, shown, suggestion

_TARGETS = (Target.DENSITY, Target.SAMPLED_DENSITY)


@dataclass(frozen=True, order=True)
class Configuration:
    """An estimator with its parameters, on a stream.

    Attributes
    ----------
    contender
        Its label among :data:`~experiments.density.contenders.CONTENDERS`.
    stream
        ``"uniform"`` or ``"zipf"``.
    epsilon, size
        Budget, and nominal sample size m.
    """

    contender: str
    stream: str
    epsilon: float
    size: int

    def describe(self) -> str:
        """The configuration in words, without the name of the estimator."""
        return f"{self.stream}, m = {self.size:,}, epsilon = {self.epsilon:g}"

    def run(self, task: Task) -> Runs:
        """Make the runs of a task."""
        from experiments.density.simulation import simulate

        setting = task.setting
        stream = fixed_stream(setting, self.stream, task.seed)
        estimator, moments = _prepared(setting, self, task.seed)
        found = simulate(estimator, stream, task.count, np.random.default_rng(task.entropy))
        error = found.outputs - stream.density
        group = 1 if task.number == PLOTTED else GROUP
        return Runs(
            count=task.count,
            group=group,
            squares={
                Target.DENSITY: groups(error**2, group),
                Target.SAMPLED_DENSITY: groups((found.outputs - found.sampled_densities) ** 2, group),
            },
            fourth_power=float((error**4).mean()),
            exceeding=int(np.count_nonzero(np.abs(error) >= setting.alpha)),
            outputs=found.outputs if task.outputs else None,
            flatness={target: moments[target].flatness if moments else ASSUMED_FLATNESS for target in _TARGETS},
            assumed=not moments,
            second={target: moments[target].second for target in _TARGETS} if moments else None,
        )


@lru_cache(maxsize=1024)
def _prepared(setting: Setting, configuration: Configuration, seed: int) -> tuple[Any, dict[Target, ErrorMoments]]:
    """The estimator, and the exact moments of its error about d(S) and about d(S_M) if they are known."""
    estimator = contender(configuration.contender).make(
        IntegerUniverse(setting.users), configuration.epsilon, configuration.size
    )
    stream = fixed_stream(setting, configuration.stream, seed)
    moments = {target: error_moments(estimator, stream, target) for target in _TARGETS}
    return estimator, {target: one for target, one in moments.items() if one is not None}


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
    return calibrated_bernoulli(universe=universe, promise_epsilon=2 * epsilon, sample_size=size)


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
