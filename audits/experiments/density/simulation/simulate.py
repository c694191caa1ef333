"""Simulated runs of an estimator on a fixed stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.density.simulation.distinct_sampling import simulate_distinct_sampling
from experiments.density.simulation.fixed_stream import (
    FixedStream,
    Outputs,
    counts,
    laplace_totals,
    truncated_gaussian_totals,
)
from experiments.density.simulation.truncated_gaussian import TruncatedGaussian, TruncatedGaussianCells
from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_estimators.density.pan_private_distinct_sampling import PanPrivateDistinctSampling
from pan_estimators.density.sampled_cells import CalibratedCells, SampledCells
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError, require_count


def simulate(estimator: Any, stream: FixedStream, runs: int, generator: np.random.Generator) -> Outputs:
    """Independent runs of ``create``, ``update`` by the whole stream, and ``release``, from their exact distribution.

    The quantities that determine an output are drawn instead of the run. Of a fixed sample it is the number of sampled
    users that appear, which is hypergeometric, and the sum of their cells; distinct sampling is followed from one user
    who qualifies to the next. The estimate and the scale of its noise are computed by the estimator's own methods.
    """
    # A derived class may behave differently.
    method = _METHODS.get(type(estimator))
    if method is None:
        names = ", ".join(kind.__name__ for kind in _METHODS)
        raise InputError(f"only {names} can be simulated, got {type(estimator).__name__}")
    if estimator.universe.size != stream.universe:
        raise InputError(
            f"the stream is one of {stream.universe} users, and the estimator counts {estimator.universe.size}"
        )
    require_count("the number of runs", runs)
    return method(estimator, stream, runs, generator)


def _sampled_cells(estimator: SampledCells, stream: FixedStream, runs: int, generator: np.random.Generator) -> Outputs:
    m = estimator.sample_size
    appeared = _appeared(stream, m, runs, generator)
    cells: Any = estimator.cells
    totals: NDArray[Any]
    match cells:
        case BernoulliCells():
            totals = counts(cells, appeared, m, generator)
        case LaplaceCells():
            totals = laplace_totals(cells, appeared, m, generator)
        case TruncatedGaussianCells():
            totals = truncated_gaussian_totals(cells, appeared, m, generator)
        case _:
            raise InputError(f"cells of the kind {type(cells).__name__} cannot be simulated")
    outputs = NumpyRandomness(generator).laplace_at(estimator.estimate(totals), estimator.noise_scale)
    return Outputs(outputs, appeared / m)


def _calibrated_cells(
    estimator: CalibratedCells, stream: FixedStream, runs: int, generator: np.random.Generator
) -> Outputs:
    appeared = _appeared(stream, estimator.sample_size, runs, generator)
    ones = counts(estimator.cells, appeared, estimator.sample_size, generator)
    noise = NumpyRandomness(generator).two_sided_geometric(estimator.up, estimator.down, runs)
    return Outputs(estimator.estimate(ones + noise), appeared / estimator.sample_size)


def _truncated_gaussian(
    estimator: TruncatedGaussian, stream: FixedStream, runs: int, generator: np.random.Generator
) -> Outputs:
    return _sampled_cells(estimator.mechanism, stream, runs, generator)


def _appeared(stream: FixedStream, sample_size: int, runs: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """The number of users of a sample without replacement who appear. A keyed sample is taken for uniform."""
    return generator.hypergeometric(stream.distinct, stream.universe - stream.distinct, sample_size, runs)


_METHODS: Mapping[type, Callable[[Any, FixedStream, int, np.random.Generator], Outputs]] = {
    SampledCells: _sampled_cells,
    CalibratedCells: _calibrated_cells,
    PanPrivateDistinctSampling: simulate_distinct_sampling,
    TruncatedGaussian: _truncated_gaussian,
}
