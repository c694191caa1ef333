"""Runs of one estimator on one stream, and what is kept of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_audits.experiments.contenders import contender
from pan_audits.experiments.exact_moments import error_moments
from pan_audits.experiments.setting import GROUP, Setting, fixed_stream
from pan_audits.statistics.squared_errors import groups
from pan_estimators import IntegerUniverse, Target

Floats = NDArray[np.float64]

ASSUMED_FLATNESS = 6.0
"""Assumed of estimators whose sample is not fixed: ``E[error^4] <= 6 E[error^2]^2``; a Laplace law attains it."""

PLOTTED = -1
"""The round of the runs that are plotted, apart from all that decide a verdict."""


@dataclass(frozen=True, order=True)
class Configuration:
    """An estimator with its parameters, on a stream.

    Attributes
    ----------
    contender
        Its label among :data:`~pan_audits.experiments.contenders.CONTENDERS`.
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
        """In words, without the name of the estimator."""
        return f"{self.stream}, m = {self.size:,}, epsilon = {self.epsilon:g}"


@dataclass(frozen=True, eq=False)
class Runs:
    """What is kept of independent runs.

    Attributes
    ----------
    count, group
        How many there are, and how many of them each average is over.
    about_stream, about_sample
        Averages of the squared error about d(S) and about d(S_M), shape ``(count // group,)``. Runs without a
        sampled user have no d(S_M) and make the second averages no numbers.
    exceeding
        In how many the output is at least alpha away from d(S).
    outputs
        The outputs themselves, shape ``(count,)``.
    flatness
        Bounds on the kurtosis of the error about d(S) and about d(S_M).
    assumed
        Whether these are assumed rather than computed from the law of the estimator.
    second
        The exact mean squared errors about d(S) and about d(S_M), where they are known.
    """

    count: int
    group: int
    about_stream: Floats
    about_sample: Floats
    exceeding: int
    outputs: Floats
    flatness: tuple[float, float]
    assumed: bool
    second: tuple[float, float] | None

    @property
    def measured_flatness(self) -> float:
        """The kurtosis of the error about d(S), from its averages: that of a single error if the group is one."""
        relative = self.about_stream / self.about_stream.mean()
        return 1 + self.group * float(relative.var())


def joined(parts: Sequence[Runs]) -> Runs:
    """All runs of several rounds."""
    first = parts[0]
    if len(parts) == 1:
        return first
    return Runs(
        count=sum(part.count for part in parts),
        group=first.group,
        about_stream=np.concatenate([part.about_stream for part in parts]),
        about_sample=np.concatenate([part.about_sample for part in parts]),
        exceeding=sum(part.exceeding for part in parts),
        outputs=np.concatenate([part.outputs for part in parts]),
        flatness=first.flatness,
        assumed=first.assumed,
        second=first.second,
    )


def run(setting: Setting, seed: int, configuration: Configuration, number: int, count: int) -> Runs:
    """Run an estimator ``count`` times.

    Parameters
    ----------
    setting
        Sizes of the experiments.
    seed
        Entropy of the experiments.
    configuration
        What to run.
    number
        Number of the round, which with the configuration determines the randomness; :data:`PLOTTED` for a plot.
    count
        How many runs; of a round that decides, a multiple of :data:`~pan_audits.experiments.setting.GROUP`.
    """
    from pan_audits.experiments.simulation import simulate

    stream = fixed_stream(setting, configuration.stream, seed)
    universe = IntegerUniverse(setting.users)
    estimator = contender(configuration.contender).make(universe, configuration.epsilon, configuration.size)
    found = simulate(estimator, stream, count, np.random.default_rng(entropy(seed, configuration, number)))
    error = found.outputs - stream.density
    moments = tuple(error_moments(estimator, stream, target) for target in (Target.DENSITY, Target.SAMPLED_DENSITY))
    group = 1 if number == PLOTTED else GROUP
    known = [one for one in moments if one is not None]
    return Runs(
        count=count,
        group=group,
        about_stream=groups(error**2, group),
        about_sample=groups((found.outputs - found.sampled_densities) ** 2, group),
        exceeding=int(np.count_nonzero(np.abs(error) >= setting.alpha)),
        outputs=found.outputs,
        flatness=(known[0].flatness, known[1].flatness) if known else (ASSUMED_FLATNESS, ASSUMED_FLATNESS),
        assumed=not known,
        second=(known[0].second, known[1].second) if known else None,
    )


def entropy(seed: int, configuration: Configuration, number: int) -> np.random.SeedSequence:
    """The randomness of one round of one configuration, whatever else is run."""
    text = f"{configuration!r} {number}"
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint32)
    return np.random.SeedSequence([seed, *map(int, words)])
