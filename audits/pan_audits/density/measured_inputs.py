"""The streams on which errors about a density are measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pan_audits.accuracy.result import InputLabel, MeasuredInput
from pan_audits.inputs.streams.family import Id, materialise
from pan_audits.problems.stream import each_appears_once, users_of
from pan_estimators.common.estimand import Estimand
from pan_estimators.density.target import Target

_SHARES = (0.5, 1.0)


def measured_inputs(estimator: Any, estimands: Sequence[Estimand]) -> list[MeasuredInput] | None:
    """Streams in which half and all of the population appear; ``None`` without an estimand of the family."""
    if not any(isinstance(estimand, Target) for estimand in estimands):
        return None
    population = users_of(estimator)
    return [stream_of_density(estimator, population, share) for share in _SHARES]


def stream_of_density(estimator: Any, population: Sequence[Id], share: float) -> MeasuredInput:
    """A stream in which a share of the population appears. It is labelled with its density."""
    stream = each_appears_once(population, round(share * len(population)))
    universe, (ids, _) = estimator.universe, materialise(stream.others[0])
    present = np.unique(universe.encode(ids)).size if len(ids) else 0
    return MeasuredInput(InputLabel("density", present / universe.size), stream)
