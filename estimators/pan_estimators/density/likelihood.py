"""The exact density of an observation of sampled cells: the state at an intrusion, then the output.

Given the sample, the cells at the intrusion are independent. Given those, the output is a Laplace or a
two-sided geometric variable. Its location depends on the cells that were drawn afresh after the
intrusion: a sum of independent bits, or a sum of Laplace variables of the same scale as the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_estimators.density.many_cells import ManyCells
from pan_estimators.density.redrawing import SortedMembers
from pan_estimators.density.sampled_cells import CalibratedCells, CalibratedCellsState, SampledCells, SampledCellsState
from pan_estimators.streams.generators import LastUpdates
from pan_estimators.universes.universe import Indices

_MOST_REDRAWN = 256

Floats = NDArray[np.float64]


def log_likelihood(
    estimator: SampledCells | CalibratedCells,
    states: Sequence[SampledCellsState | CalibratedCellsState],
    outputs: Floats | None,
    streams: Sequence[tuple[LastUpdates, LastUpdates]],
) -> Floats | None:
    """The log-density of each observation under each of several streams with one intrusion.

    Parameters
    ----------
    estimator
        The estimator.
    states
        The seen states, one for each run.
    outputs
        The outputs of the same runs, shape ``(runs,)``, or ``None`` if only states are seen.
    streams
        Each stream before and after the intrusion, in the form of :func:`last_update_of_each`.

    Returns
    -------
    Shape ``(runs, streams)``, in nats, up to a number for each run that is the same for all streams. It is
    ``None`` if more than 256 users have a different history between streams or appear after the intrusion, or
    if a state was seen after an announced intrusion.
    """
    if any(state.announced for state in states):
        return None
    values = np.stack([state.cells for state in states])
    return _log_likelihood(
        estimator, values, lambda users: np.stack([_places(state, users) for state in states]), outputs, streams
    )


def log_likelihood_of_many(
    estimator: SampledCells | CalibratedCells,
    states: ManyCells,
    outputs: Floats | None,
    streams: Sequence[tuple[LastUpdates, LastUpdates]],
) -> Floats | None:
    """The log-densities of :func:`log_likelihood`, for runs that were made at once.

    Parameters
    ----------
    estimator
        The estimator.
    states
        The seen states of all runs.
    outputs, streams
        As for :func:`log_likelihood`.

    Returns
    -------
    As for :func:`log_likelihood`.
    """
    if states.announced:
        return None
    return _log_likelihood(estimator, states.cells, states.sample.places, outputs, streams)


def _log_likelihood(
    estimator: SampledCells | CalibratedCells,
    values: NDArray[Any],
    places_of: Callable[[Indices], Indices],
    outputs: Floats | None,
    streams: Sequence[tuple[LastUpdates, LastUpdates]],
) -> Floats | None:
    """The log-densities, given the cells of each run and the places of users in them."""
    before = np.array([stream[0] for stream in streams])
    after = np.array([stream[1] for stream in streams])
    # The cells of all other users have the same factor under all streams.
    special = np.flatnonzero((before > 0).any(axis=0) & ~(before > 0).all(axis=0) | (after != 0).any(axis=0))
    if special.size > _MOST_REDRAWN:
        return None
    places = places_of(special)
    inside = places >= 0
    cells = np.take_along_axis(values, np.maximum(places, 0), axis=1).astype(np.float64)
    totals = values.sum(axis=1) if values.dtype != np.bool_ else np.add.reduce(values.view(np.uint8), 1, np.int64)
    result = np.empty((len(values), len(streams)))
    # Several streams share their updates before the intrusion, or after it.
    seen_before: dict[bytes, Floats] = {}
    drawn_after: dict[bytes, Floats] = {}
    for number, (seen, redrawn) in enumerate(zip(before[:, special] > 0, after[:, special], strict=True)):
        key = seen.tobytes()
        if key not in seen_before:
            seen_before[key] = np.where(inside, _log_cells(estimator.cells, cells, seen), 0.0).sum(axis=1)
        result[:, number] = seen_before[key]
        if outputs is None:
            continue
        key = redrawn.tobytes()
        if key not in drawn_after:
            lost = np.where(inside & (redrawn != 0), cells, 0.0).sum(axis=1)
            drawn_after[key] = _log_output(estimator, totals - lost, np.where(inside, redrawn, 0), outputs)
        result[:, number] += drawn_after[key]
    return result


def _places(state: SampledCellsState | CalibratedCellsState, users: Indices) -> Indices:
    """The place of each user's cell, or -1 for a user who is not sampled."""
    if isinstance(state, CalibratedCellsState):
        return state.sample.positions(users)
    return SortedMembers(state.sample).positions(users)


def _log_cells(cells: BernoulliCells | LaplaceCells, values: Floats, seen: NDArray[np.bool_]) -> Floats:
    if isinstance(cells, LaplaceCells):
        return -np.abs(values - np.where(seen, cells.mu_upd, cells.mu_init)) / cells.scale
    ones = values > 0
    upd = np.where(ones, log(cells.p_upd), log(1 - cells.p_upd))
    init = np.where(ones, log(cells.p_init), log(1 - cells.p_init))
    return np.where(seen, upd, init)


def _log_output(
    estimator: SampledCells | CalibratedCells, kept: Floats, drawn: NDArray[np.int8], outputs: Floats
) -> Floats:
    """The log-density of the outputs, given the sum of the unchanged cells and the draws of the others."""
    cells, m = estimator.cells, estimator.sample_size
    gap = cells.updated_mean - cells.initial_mean
    inserted, deleted = (drawn > 0).sum(axis=1), (drawn < 0).sum(axis=1)
    result = np.empty(outputs.size)
    for up, down in sorted(set(zip(inserted.tolist(), deleted.tolist(), strict=True))):
        rows = (inserted == up) & (deleted == down)
        if isinstance(cells, LaplaceCells) and isinstance(estimator, SampledCells):
            total = kept[rows] + up * cells.mu_upd + down * cells.mu_init
            location = (total / m - cells.mu_init) / gap
            result[rows] = _log_laplace_sum(outputs[rows] - location, estimator.noise_scale, up + down + 1)
        else:
            assert isinstance(cells, BernoulliCells)
            weights = np.convolve(_binomial(up, cells.p_upd), _binomial(down, cells.p_init))
            totals = kept[rows][:, None] + np.arange(weights.size)
            exponents = _log_noise(estimator, outputs[rows][:, None], totals)
            top = exponents.max(axis=1)
            result[rows] = top + np.log((weights * np.exp(exponents - top[:, None])).sum(axis=1))
    return result


def _log_noise(estimator: SampledCells | CalibratedCells, outputs: Floats, counts: Floats) -> Floats:
    """The log-density of the noise between outputs and counts of ones."""
    cells, m = estimator.cells, estimator.sample_size
    gap = cells.updated_mean - cells.initial_mean
    if isinstance(estimator, SampledCells):
        return -np.abs(outputs - (counts / m - cells.initial_mean) / gap) / estimator.noise_scale
    noise = np.rint(outputs * m * gap + estimator.centre()) - counts
    return np.where(noise >= 0, noise * log(estimator.up), -noise * log(estimator.down))


def _binomial(trials: int, probability: float) -> Floats:
    weights = np.ones(1)
    for _ in range(trials):
        weights = np.convolve(weights, [1 - probability, probability])
    return weights


def _log_laplace_sum(deviation: Floats, scale: float, terms: int) -> Floats:
    """Log-density of a sum of Laplace variables, the difference of two Gamma(terms) variables.

    ``f(x) = exp(-y) / (scale (n-1)!) * sum_j (n-1+j)! / (j! (n-1-j)! 2^(n+j)) y^(n-1-j)`` with
    ``y = abs(x)/scale``, from the convolution of the two gamma densities.
    """
    n = terms
    y = np.abs(deviation) / scale
    log_y = np.log(np.maximum(y, 1e-300))
    powers = np.arange(n)
    coefficients = np.array([lgamma(n + j) - lgamma(j + 1) - lgamma(n - j) - (n + j) * log(2) for j in range(n)])
    exponents = coefficients + (n - 1 - powers) * log_y[:, None]
    top = exponents.max(axis=1)
    total = top + np.log(np.exp(exponents - top[:, None]).sum(axis=1))
    return np.asarray(total - y - lgamma(n) - log(scale), dtype=np.float64)
