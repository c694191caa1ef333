"""Mechanisms of public reports, in small, each with the space of its data. Nothing names the pair that matters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

P = math.exp(0.25) / (math.exp(0.25) + 1)
SCALE = math.sqrt(2 * math.log(1.25 / 1e-5)) / 10


class Space(NamedTuple):
    """A space of data, and the promise."""

    data: st.SearchStrategy[Any]
    neighbours: Any
    promise: Mapping[str, float]


def clamp(value: float) -> float:
    return 0.0 if value < 0.0 else 1.0 if value > 1.0 else value


def int8_sum(data: Any, rng: Any) -> float:
    total = np.array(data, dtype=np.int8).sum(dtype=np.int8)
    return float(total) + float(rng.laplace(scale=100.0))


def int32_tree(leaves: Any, rng: Any) -> list[int]:
    level = np.array(leaves, dtype=np.int32)
    nodes = [int(n) for n in level]
    while len(level) > 1:
        level = level[0::2] + level[1::2]
        nodes = [int(n) for n in level] + nodes
    return [n + int(rng.discrete_laplace(2.0)) for n in nodes]


def half_sum(data: Any, rng: Any) -> float:
    large, small = data
    total = np.float16(0.0)
    for value in [256.0] * large + [0.26] * small:
        total = np.float16(total + np.float16(value))
    return float(total) + float(rng.laplace(scale=256.0))


def one_large_value(data: tuple[int, int]) -> Any:
    """Of two kinds of rows: one row of either kind goes."""
    large, small = data
    if large:
        yield large - 1, small
    if small:
        yield large, small - 1


def raises(data: Any, rng: Any) -> float:
    if sum(data) > 2:
        raise ValueError("too large")
    return float(sum(data) + rng.laplace(scale=1.0))


def noise_over_squares(rows: Any, rng: Any) -> float:
    squares = sum(x * x for x, _ in rows)
    return float((sum(x * y for x, y in rows) + rng.laplace(scale=1.0)) / (squares + 1e-100))


def restarted_tree(stream: Any, rng: Any) -> list[float]:
    noises = [float(rng.normal(0.0, 2.0)) for _ in stream[: len(stream) // 2 or 1]]
    half = len(noises)
    return [sum(stream[: n + 1]) + noises[n % half] for n in range(len(stream))]


def distinct_counts(rows: Any, rng: Any) -> list[float]:
    first = {(part, value): user for user, part, value in reversed(rows)}
    counts = [0] * 4
    for user in sorted(set(first.values())):
        mine = sorted({part for (part, _), owner in first.items() if owner == user})
        counts[mine[int(rng.integers(len(mine)))]] += 1
    return [count + float(rng.laplace(scale=1.0)) for count in counts]


def bounded_first(rows: Any, rng: Any) -> list[float]:
    counts = [0] * 4
    for user in sorted({user for user, _, _ in rows}):
        mine = sorted({part for owner, part, _ in rows if owner == user})
        counts[mine[int(rng.integers(len(mine)))]] += 1
    return [count + float(rng.laplace(scale=2.0)) for count in counts]


def one_key(data: Any, rng: Any) -> list[float]:
    noise = float(rng.normal(0.0, 4.0))
    return [value + noise for value in data]


MODEL, PUBLIC = ((0.0, 3.0), (3.0, 0.0)), ((3.0, 0.0), (0.0, 3.0))


def jam(table: Any, rng: Any) -> int:
    scores = []
    for column in (0, 1):
        counts = np.zeros(2)
        for row in table:
            counts[row[column]] += 1
        scores.append(abs(counts - np.array(MODEL[column])).sum() - abs(counts - np.array(PUBLIC[column])).sum())
    weights = np.exp((np.array(scores) - max(scores)) / 4)
    return int(rng.choice(2, p=weights / weights.sum()))


def inverse_in_doubles(value: float, rng: Any) -> float:
    draw = rng.random() - 0.5
    return float(value - math.copysign(1.0, draw) * math.log(1.0 - 2.0 * abs(draw)))


def nan_sum(data: Any, rng: Any) -> float:
    return float(sum(clamp(value) for value in data) + rng.laplace(scale=1.0))


def nan_sum_fixed(data: Any, rng: Any) -> float:
    return float(sum(clamp(value) for value in data if not math.isnan(value)) + rng.laplace(scale=1.0))


def unclipped(data: Any, rng: Any) -> float:
    [clamp(value) for value in data]
    return float(sum(data) + rng.laplace(scale=1.0))


def private_norm(rows: Any, rng: Any) -> Any:
    total = np.zeros(50)
    for row in rows:
        total[row] += 1.0
    return (total + rng.normal(0.0, 3.8, 50)) / max(1, len(rows))


def permute_and_flip(scores: Any, rng: Any) -> int:
    noisy = [score + rng.exponential(scale=2.0) for score in scores]
    return noisy.index(max(noisy))


def pairs_of_rows(table: Any, rng: Any) -> list[float]:
    rows = list(table)[: len(table) // 2 * 2]
    order = rng.permutation(len(rows)).tolist()
    bins = [0, 0, 0]
    for i in range(0, len(rows), 2):
        (x, y), (u, v) = rows[order[i]], rows[order[i + 1]]
        product = (u - x) * (v - y)
        bins[1 + (product > 0) - (product < 0)] += 1
    return [count + float(rng.laplace(scale=1.0)) for count in bins]


def unary_encoding(value: int, rng: Any) -> Any:
    bits = rng.choice([1, 0], size=4, p=[1 - P, P])
    if rng.random() < P:
        bits[value] = 1
    return bits


def classical_gaussian(value: float, rng: Any) -> float:
    return float(value + rng.normal(0.0, SCALE))


def two_queries(rows: Any, rng: Any) -> list[float]:
    return [len(rows) + float(rng.laplace(scale=1.0)), sum(rows) + float(rng.laplace(scale=1.0))]


def keys_from_five(data: Any, rng: Any) -> dict[str, int]:
    out = {}
    for key in sorted(set(data)):
        noisy = data.count(key) + int(rng.discrete_laplace(1.0))
        if noisy >= 5:
            out[key] = noisy
    return out


def mean_or_nothing(data: Any, rng: Any) -> Any:
    return sum(data) / len(data) + float(rng.laplace(scale=1.0)) if data else 0.0


def median_by_intervals(data: Any, rng: Any) -> float:
    points = [0.0, *sorted(data), 10.0]
    utility = [-abs(place - len(data) / 2) for place in range(len(points) - 1)]
    weights = [(b - a) * math.exp(u / 2) for a, b, u in zip(points, points[1:], utility, strict=False)]
    draw = rng.random() * sum(weights[:-1])
    for place, weight in enumerate(weights):
        if draw <= weight:
            return float(points[place] + draw / max(weight, 1e-300) * (points[place + 1] - points[place]))
        draw -= weight
    return 10.0


BITS = st.integers(0, 1)
RHO = {"rho": 0.125}

REPORTED: Mapping[str, tuple[Any, Space]] = {
    "Casacuberta 2022, int8": (
        int8_sum,
        Space(st.lists(st.integers(0, 100), max_size=4), "add-row", {"epsilon": 1}),
    ),
    "opendp 2925, int32": (
        int32_tree,
        Space(st.lists(st.integers(0, 2**31 - 1), min_size=2, max_size=2), "coordinate:1", {"epsilon": 1}),
    ),
    "Casacuberta 2022, rounding": (
        half_sum,
        Space(st.tuples(st.integers(0, 3), st.integers(0, 1024)), one_large_value, {"epsilon": 1}),
    ),
    "diffprivlib 107": (raises, Space(st.lists(BITS, max_size=6), "add-row", {"epsilon": 1})),
    "diffprivlib 105": (
        noise_over_squares,
        Space(st.lists(st.tuples(BITS, BITS), min_size=1, max_size=8), "replace-row", {"epsilon": 1}),
    ),
    "DP-FTRL 2": (restarted_tree, Space(st.lists(BITS, min_size=4, max_size=4), "replace-row", {"rho": 0.5})),
    "google 84": (
        distinct_counts,
        Space(
            st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.just(7)), max_size=10),
            "user-level:0",
            {"epsilon": 1},
        ),
    ),
    "jax 3646": (
        one_key,
        Space(st.lists(st.floats(0, 1), min_size=2, max_size=2), "replace-row", {"epsilon": 1, "delta": 1e-2}),
    ),
    "mbi 65": (jam, Space(st.lists(st.tuples(BITS, BITS), min_size=3, max_size=3), "replace-row", {"epsilon": 1})),
    "Mironov 2012": (inverse_in_doubles, Space(st.floats(0, 1), "local", {"epsilon": 1})),
    "google 405": (nan_sum, Space(st.lists(st.floats(), max_size=4), "replace-row", {"epsilon": 1})),
    "smartnoise 622": (
        unclipped,
        Space(st.lists(st.floats(-1e3, 1e3), max_size=4), "replace-row", {"epsilon": 1}),
    ),
    "opacus 571": (
        private_norm,
        Space(st.lists(st.integers(0, 49), max_size=6), "add-row", {"epsilon": 1, "delta": 1e-5}),
    ),
    "opendp 2911": (permute_and_flip, Space(st.tuples(*2 * [st.integers(-1, 1)]), "local", RHO)),
    "opendp 2950": (
        pairs_of_rows,
        Space(st.lists(st.tuples(BITS, BITS), max_size=5), "add-row", {"epsilon": 1}),
    ),
    "pure-LDP 11": (unary_encoding, Space(st.integers(0, 3), "local", {"epsilon": 0.5})),
    "smartnoise 462": (
        classical_gaussian,
        Space(st.floats(0, 1), "local", {"epsilon": 10, "delta": 1e-5}),
    ),
    "smartnoise 200": (two_queries, Space(st.lists(BITS, max_size=4), "add-row", {"epsilon": 1})),
    "opendp 2922": (
        keys_from_five,
        Space(
            st.lists(st.sampled_from(["a", "b"]), max_size=6),
            "add-row",
            {"epsilon": 1, "delta": math.exp(-5) / (1 + math.exp(-1))},
        ),
    ),
}
"""The reports: the mechanism with its mistake, and the space of its data."""

KINDS: Mapping[str, tuple[Any, Space]] = {
    "empty against one row": (
        mean_or_nothing,
        Space(st.lists(st.floats(0, 1), max_size=8), "add-row", {"epsilon": 1}),
    ),
    "duplicates in a quantile": (
        median_by_intervals,
        Space(st.lists(st.integers(0, 10), max_size=6), "replace-row", {"epsilon": 1}),
    ),
}
"""Other kinds of pairs on which published code failed."""

CONTROLS: Mapping[str, tuple[Any, Space]] = {
    "google 405": (nan_sum_fixed, REPORTED["google 405"][1]),
    "google 84": (bounded_first, REPORTED["google 84"][1]),
}
"""The same mechanisms without the mistake."""
