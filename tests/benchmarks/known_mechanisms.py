"""Mechanisms of the papers on black-box audits, written anew as functions of an input and a random generator.

Each has a pair of neighbours and its loss on this pair, which is computed here from the densities. The events of an
oracle are those above a threshold of the likelihood ratio. The sources are DP-Sniper (Bichsel, Steffen, Bogunovic and
Vechev 2021), StatDP (Ding, Wang, Wang, Zhang and Kifer 2018), and the mechanisms of the sparse vector technique by
Lyu, Su and Li (2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

BITS, HASHES, FLIPPED = 20, 2, 0.95
NOISY_MAX_SCALE = 20.0
USERS = 8


@dataclass(frozen=True)
class Oracle:
    """The best events: their probabilities on both sides, and the largest loss of all events."""

    loss: float
    events: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Known:
    """A mechanism with its pair.

    Attributes
    ----------
    name
        What it is.
    run
        The mechanism, ``f(data, rng, size=None)``.
    left, right
        The two inputs.
    oracle
        Its loss on this pair and its best events, computed on demand.
    before, peer
        Recorded 95% bounds at 100,000 runs a side: of panproof before the learned score of trees, and of the best
        peer (Delta-Siege or DP-Sniper); ``None`` if nothing was refuted.
    """

    name: str
    run: Callable[..., Any]
    left: Any
    right: Any
    oracle: Callable[[], Oracle]
    before: float | None
    peer: float


def shape_of(size: int | None, length: int | None = None) -> Any:
    """The shape of an array for so many runs of a vector or, without a length, of a number."""
    return tuple(part for part in (size, length) if part is not None)


def noisy_number(data, rng, size=None, scale=1.0):
    """A number with Laplace noise."""
    return data + rng.laplace(scale=scale, size=shape_of(size) or None)


def half_noise(data, rng, size=None):
    """A number with half of the noise."""
    return noisy_number(data, rng, size, 0.5)


def one_time_rappor(data, rng, size=None):
    """A Bloom filter of 20 bits with two hashes, of which each bit is replaced by a fair one with probability 0.95."""
    bits = np.zeros(shape_of(size, BITS))
    bits[..., filter_places(data)] = 1
    kind = rng.random(bits.shape)
    return np.where(kind < FLIPPED / 2, 0.0, np.where(kind < FLIPPED, 1.0, bits))


def filter_places(value: int) -> list[int]:
    """The bits of a value."""
    return [(value * 7 + number * 3 + 1) % BITS for number in range(HASHES)]


def noisy_max_place(data, rng, size=None):
    """The place of the largest of some noisy numbers."""
    place = np.argmax(np.asarray(data) + rng.laplace(scale=NOISY_MAX_SCALE, size=shape_of(size, len(data))), axis=-1)
    return int(place) if size is None else place


def noisy_max_value(data, rng, size=None):
    """The largest of some noisy numbers."""
    return np.max(np.asarray(data) + rng.laplace(scale=NOISY_MAX_SCALE, size=shape_of(size, len(data))), axis=-1)


def noisy_histogram(data, rng, size=None):
    """Five counts with noise of scale 0.1, the inverse of the right one."""
    return np.asarray(data) + rng.laplace(scale=0.1, size=shape_of(size, len(data)))


def above(data, rng, size, threshold_scale, query_scale):
    """For each query, whether it is above the threshold 1: one noise for the threshold, one for each query."""
    threshold = 1 + rng.laplace(scale=threshold_scale, size=shape_of(size, 1))
    noise = rng.laplace(scale=query_scale, size=shape_of(size, len(data))) if query_scale else 0.0
    return (np.asarray(data) + noise >= threshold).astype(np.int64)


def sparse_vector_4(data, rng, size=None):
    """Lyu, Su and Li's mechanism 4: the noise of the queries does not grow with the number of answers; one answer."""
    answers = above(data, rng, size, 40.0, 40 / 3)
    after = np.cumsum(answers, axis=-1) - answers
    return np.where(after > 0, -1, answers)


def sparse_vector_5(data, rng, size=None):
    """Lyu, Su and Li's mechanism 5: no noise of the queries and no cutoff."""
    return above(data, rng, size, 20.0, 0.0)


def sparse_vector_6(data, rng, size=None):
    """Lyu, Su and Li's mechanism 6: no cutoff."""
    return above(data, rng, size, 20.0, 20.0)


def split_intrusion(data, rng, size=None):
    """Eight fair bits are seen; user 0's is redrawn with 3/4 if it appears; then the noisy sum is seen."""
    bits = (rng.random(shape_of(size, USERS)) < 0.5).astype(np.float64)
    redrawn = (rng.random(shape_of(size)) < 0.75) if data else bits[..., 0]
    total = bits[..., 1:].sum(axis=-1) + redrawn + rng.laplace(scale=1.0, size=shape_of(size) or None)
    return np.concatenate([bits, np.asarray(total)[..., None]], axis=-1)


def thresholds(p: Sequence[float], q: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """The unions of disjoint atoms in the order of their likelihood ratio."""
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    with np.errstate(divide="ignore"):
        order = np.argsort(-np.where(q > 0, np.log(p) - np.log(q), np.inf), kind="stable")
    return tuple(zip(np.cumsum(p[order]).tolist(), np.cumsum(q[order]).tolist(), strict=True))


def of_atoms(p: Sequence[float], q: Sequence[float]) -> Oracle:
    """The oracle of a mechanism with few outcomes."""
    losses = [math.inf if b == 0 else math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0]
    return Oracle(max(losses), thresholds(p, q))


def laplace_above(points, scale):
    """The probability that Laplace noise is above each point."""
    from scipy.stats import laplace

    return laplace.sf(points, scale=scale)


def shifted_laplace(scale: float) -> Oracle:
    points = np.linspace(-1, 1 + 12 * scale, 200)
    return Oracle(1 / scale, tuple(zip(laplace_above(points - 1, scale), laplace_above(points, scale), strict=True)))


def rappor() -> Oracle:
    from scipy.stats import binom

    bits = len(set(filter_places(0)) ^ set(filter_places(1)))
    agreeing = np.arange(bits + 1)
    return of_atoms(binom.pmf(agreeing, bits, 1 - FLIPPED / 2), binom.pmf(agreeing, bits, FLIPPED / 2))


def integrated(density_of: Callable[[np.ndarray], np.ndarray], kinks: Sequence[float], scale: float) -> float:
    """The integral of a density that is smooth between its kinks, by Gauss and Legendre."""
    from scipy.special import roots_legendre

    nodes, weights = roots_legendre(60)
    ends = [min(kinks) - 40 * scale, *(min(kinks) - scale * 8,), *sorted(set(kinks)), max(kinks) + scale * 8]
    ends.append(max(kinks) + 40 * scale)
    total = 0.0
    for low, high in pairwise(ends):
        points = (low + high) / 2 + (high - low) / 2 * nodes
        total += float((high - low) / 2 * (weights * density_of(points)).sum())
    return total


def place_of_maximum(data: Sequence[float], place: int) -> float:
    from scipy.stats import laplace

    def density(points):
        others = [laplace.cdf(points - value, scale=NOISY_MAX_SCALE) for i, value in enumerate(data) if i != place]
        return laplace.pdf(points - data[place], scale=NOISY_MAX_SCALE) * np.prod(others, axis=0)

    return integrated(density, list(data), NOISY_MAX_SCALE)


def maximum_place() -> Oracle:
    left, right = MAX_PLACE
    return of_atoms(*([place_of_maximum(data, place) for place in range(5)] for data in (left, right)))


def maximum_value() -> Oracle:
    from scipy.stats import laplace

    points = np.linspace(-40, 60, 400)
    left, right = (laplace.cdf(points - shift, scale=NOISY_MAX_SCALE) ** 5 for shift in (0, 1))
    # Far to the left, each of five factors is smaller by exp(1/20).
    return Oracle(5 / NOISY_MAX_SCALE, tuple(zip(left, right, strict=True)))


def answers(data: Sequence[float], pattern: Sequence[int], threshold_scale: float, query_scale: float) -> float:
    """The probability of a sequence of answers."""
    from scipy.stats import laplace

    def density(noise):
        result = laplace.pdf(noise, scale=threshold_scale)
        for value, answer in zip(data, pattern, strict=False):
            above_ = laplace.sf(1 + noise - value, scale=query_scale)
            result = result * (above_ if answer else 1 - above_)
        return result

    return integrated(density, [0.0, *(value - 1 for value in data)], threshold_scale)


def mechanism_4() -> Oracle:
    patterns = [[0] * place + [1] for place in range(10)] + [[0] * 10]
    return of_atoms(*([answers(data, one, 40.0, 40 / 3) for one in patterns] for data in HALVES))


def mechanism_5() -> Oracle:
    # All of the first five below the threshold and all of the others above: 1 + noise in (0, 2].
    return Oracle(math.inf, ((1 - math.exp(-1 / 20), 0.0),))


def mechanism_6() -> Oracle:
    found = []
    for data in HALVES:
        counts = [(i, j) for i in range(6) for j in range(6)]
        found.append(
            [
                math.comb(5, i)
                * math.comb(5, j)
                * answers(data, [1] * i + [0] * (5 - i) + [1] * j + [0] * (5 - j), 20.0, 20.0)
                for i, j in counts
            ]
        )
    return of_atoms(*found)


def split() -> Oracle:
    """Where the bit was 0, the residual r has the likelihood ratio 1/4 + 3/4 exp(|r| - |r - 1|); else its mirror."""
    points = np.linspace(-12, 12, 4001)
    masses = {shift: -np.diff(laplace_above(points - shift, 1.0)) for shift in (-1, 0, 1)}
    p = np.concatenate([0.25 * masses[0] + 0.75 * masses[1], 0.75 * masses[0] + 0.25 * masses[-1]]) / 2
    q = np.concatenate([masses[0], masses[0]]) / 2
    return Oracle(math.log(0.25 + 0.75 * math.e), thresholds(p, q))


MAX_PLACE = ((0, 0, 0, 0, 0), (-1, 1, 1, 1, 1))
HALVES = ((0,) * 5 + (1,) * 5, (1,) * 5 + (0,) * 5)
WIDE_HALVES = ((0,) * 5 + (2,) * 5, (1,) * 10)

KNOWN = (
    Known("Laplace", noisy_number, 1.0, 0.0, lambda: shifted_laplace(1.0), 0.977, 0.987),
    Known("half-noise Laplace", half_noise, 1.0, 0.0, lambda: shifted_laplace(0.5), 1.951, 1.976),
    Known("one-time RAPPOR with hashing", one_time_rappor, 0, 1, rappor, 0.236, 0.359),
    Known("report noisy max, argument", noisy_max_place, *MAX_PLACE, maximum_place, None, 0.074),
    Known("report noisy max, value", noisy_max_value, (0,) * 5, (1,) * 5, maximum_value, None, 0.157),
    Known("sparse vector without cutoff", sparse_vector_5, *WIDE_HALVES, mechanism_5, 6.45, 7.18),
    Known("sparse vector, mechanism 4", sparse_vector_4, *HALVES, mechanism_4, None, 0.091),
    Known("sparse vector, mechanism 6", sparse_vector_6, *HALVES, mechanism_6, None, 0.191),
    Known("noisy histogram of 5", noisy_histogram, (1, 0, 0, 0, 0), (0,) * 5, lambda: shifted_laplace(0.1), 8.1, 8.84),
    Known("split intrusion", split_intrusion, 1, 0, split, 0.74, 0.745),
)
"""The rows of the table."""
