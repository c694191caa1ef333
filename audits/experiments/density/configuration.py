"""One estimator on one stream, as the experiments run it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from experiments.density.contenders import contender
from experiments.density.exact_moments import ErrorMoments, error_moments
from experiments.density.setting import Setting, fixed_stream
from experiments.toolkit.runs import ASSUMED_FLATNESS, GROUP, PLOTTED, Runs, Task
from experiments.toolkit.squared_errors import groups
from pan_estimators.density.target import Target
from pan_estimators.universes.universe import IntegerUniverse

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
