"""The sizes at which the experiments are made: the published ones, and any smaller ones for a quick look."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from experiments.toolkit.runs import GROUP
from pan_estimators.streams.generators import uniform_stream, zipf_stream
from pan_promises.errors import InputError, require_count, require_probability

if TYPE_CHECKING:
    from experiments.density.simulation import FixedStream

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
    from experiments.density.simulation import FixedStream

    draw = {UNIFORM: uniform_stream, ZIPF: zipf_stream}[name]
    entropy = np.random.SeedSequence([seed, STREAMS.index(name)]).generate_state(1)
    ids = draw(universe=setting.users, length=setting.length, seed=int(entropy[0]))
    return FixedStream.of(ids, setting.users)
