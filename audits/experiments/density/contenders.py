"""The sizes at which the experiments are made, their streams, and the estimators under their names in the sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from experiments.density.compare import largest_fitting
from experiments.density.exact_moments import ErrorMoments, error_moments
from experiments.density.simulation import FixedStream, simulate, truncated_gaussian
from experiments.toolkit.quantities import groups
from experiments.toolkit.runs import ASSUMED_FLATNESS, GROUP, PLOTTED, Runs, Task
from pan_estimators.density.calibrated import calibrated_bernoulli
from pan_estimators.density.pan_private_distinct_sampling import pan_private_distinct_sampling
from pan_estimators.density.printed import dwork, laplace, optimal_bernoulli, quantized_laplace
from pan_estimators.density.target import Target
from pan_estimators.streams.generators import uniform_stream, zipf_stream
from pan_estimators.universes.universe import IntegerUniverse
from pan_promises.errors import InputError, require_count, require_probability, shown, suggestion

UNIFORM, ZIPF = "uniform", "zipf"
"""The two streams of the sources; Zipf's distribution has the parameter 1."""

STREAMS = (UNIFORM, ZIPF)


@dataclass(frozen=True)
class Setting:
    """The parameters that the sources fix, and those that they leave open.

    Attributes
    ----------
    users, length
        Size of the universe U and length of the streams T.
    epsilons
        Budgets of the horizontal axes. The sources do not print them; 0.05 to 0.5 in steps of 0.05 is the
        range of their theorems.
    alpha
        Deviation whose probability is the probability of error (Figure 4; assumed for the thesis' figures).
    beta
        Probability of error for which sample sizes are planned. Not printed; 0.05.
    probability_size
        Sample size of the probabilities of error: 0.05 U (Figure 4; assumed for the thesis' figures).
    error_sizes
        Sample sizes of the mean squared errors: 0.001 U and 0.01 U (Figures 5 and 6; assumed for the thesis').
    sweep_epsilon
        Budget of the experiment on sample sizes (Figure 7).
    sweep_sizes
        Its sample sizes, from U/1000 to U; the grid between these ends is not printed.
    probability_repetitions, error_repetitions
        Plotted runs of each point: 1000 and 300.
    first_runs, rounds
        Fresh runs of each point for the verdicts in the first round; every further round doubles them.
    """

    users: int = 10**5
    length: int = 10**5
    epsilons: tuple[float, ...] = tuple(step / 20 for step in range(1, 11))
    alpha: float = 0.1
    beta: float = 0.05
    probability_size: int = 5_000
    error_sizes: tuple[int, ...] = (100, 1_000)
    sweep_epsilon: float = 0.2
    sweep_sizes: tuple[int, ...] = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
    probability_repetitions: int = 1000
    error_repetitions: int = 300
    first_runs: int = 1024
    rounds: int = 13

    def __post_init__(self) -> None:
        require_count("the number of users", self.users, least=2)
        require_count("the length of a stream", self.length)
        require_probability("alpha", self.alpha)
        require_probability("beta", self.beta)
        for size in (self.probability_size, *self.error_sizes, *self.sweep_sizes):
            require_count("a sample size", size, most=self.users, source="the size of the universe")
        if self.first_runs % GROUP or self.first_runs < GROUP:
            raise InputError(f"the runs of the first round must be a multiple of {GROUP}, got {self.first_runs}")
        require_count("the number of rounds", self.rounds)

    def runs_after(self, rounds: int) -> int:
        """The number of fresh runs of a point after a number of rounds, at least one."""
        return int(self.first_runs * 2 ** (rounds - 1))

    @property
    def left_open(self) -> str:
        """Parameters that the sources leave open, in sentences."""
        return (
            f"The sources leave open: budgets of {self.epsilons[0]} to {self.epsilons[-1]}, "
            "the range of the theorems; "
            f"one fixed stream of each kind; accuracy {self.alpha} and failure probability {self.beta} for sample "
            "sizes; for the figures of the thesis the sizes of the paper."
        )


PUBLISHED = Setting()
"""The sizes of the paper, Section 6, and of the thesis, Section 4.5."""


@lru_cache(maxsize=8)
def fixed_stream(setting: Setting, name: str, seed: int) -> FixedStream:
    """One of :data:`STREAMS`, drawn once for all experiments of a seed."""
    draw = {UNIFORM: uniform_stream, ZIPF: zipf_stream}[name]
    entropy = np.random.SeedSequence([seed, STREAMS.index(name)]).generate_state(1)
    ids = draw(universe=setting.users, length=setting.length, seed=int(entropy[0]))
    return FixedStream.of(ids, setting.users)


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
    estimator
        The estimator for ``universe``, ``epsilon`` and ``sample_size``.
    published
        The theoretical mean squared error of the source, as a function of epsilon and m: an equality or an upper
        bound, about d(S_M). ``None`` if none is printed.
    bits
        The estimator whose published bound on the probability of error holds for it, as the ledger names it:
        ``"dwork"`` or ``"optimal"``; ``None`` if no bound is printed.
    """

    label: str
    estimator: Callable[..., Any]
    published: SquaredError | None = None
    bits: str | None = None

    def make(self, universe: IntegerUniverse, epsilon: float, size: int) -> Any:
        """The estimator at one sample size."""
        return self.estimator(universe=universe, epsilon=epsilon, sample_size=size)


def _calibrated_in_memory(**sizes: Any) -> Any:
    bits = optimal_bernoulli(**sizes).state_bits
    del sizes["sample_size"]
    return largest_fitting("calibrated-bernoulli", bits=bits, **sizes)


def _calibrated(*, epsilon: float, **sizes: Any) -> Any:
    """The calibrated estimator with the promise of the published ones, twice their parameter."""
    return calibrated_bernoulli(promise_epsilon=2 * epsilon, **sizes)


def _published_dwork(epsilon: float, size: int) -> float:
    """Theorem 3.2."""
    return 2 * (2 * size + 1) / (size * epsilon) ** 2


def _published_optbern(epsilon: float, size: int) -> float:
    """Theorem 4.2."""
    return _published_bits(math.tanh(epsilon / 2), epsilon, size)


def _published_quantized(epsilon: float, size: int) -> float:
    """The bound of OptBern with the gap of the quantised pair: thesis, section 4.4.3, calls it such an estimator."""
    return _published_bits(-math.expm1(-epsilon / 2), epsilon, size)


def _published_bits(gap: float, epsilon: float, size: int) -> float:
    return 1 / (4 * size * gap**2) + 2 / (size * epsilon) ** 2


def _published_laplace(epsilon: float, size: int) -> float:
    """Thesis, Theorem 4.8."""
    return 2 * (size + 1) / (size * epsilon) ** 2


CONTENDERS: Mapping[str, Contender] = {
    one.label: one
    for one in (
        Contender(DWORK, dwork, _published_dwork, "dwork"),
        Contender(OPTBERN, optimal_bernoulli, _published_optbern, "optimal"),
        Contender(PPDS, pan_private_distinct_sampling),
        Contender(QLAP, quantized_laplace, _published_quantized),
        Contender(LAPLACE, laplace, _published_laplace, "dwork"),
        Contender(GAUSS, truncated_gaussian),
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
