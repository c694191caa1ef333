"""The page of the distinct counter, ``tests/benchmarks/DISTINCT.md``: ``make distinct`` writes it.

For each key, ids with duplicates go through the real hash up to ten million users. For more users the touched cells are
drawn from their exact distribution: the occupancy of the cells by so many independent users. The bits, the noise, the
estimate and its interval are those of the counter in every case.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from pan_estimators import CounterUnion, NumpyRandomness, counter_for_union
from pan_estimators.density.distinct.counter import DistinctCounterState
from pan_estimators.density.distinct.geometry import touched_cells
from pan_estimators.density.distinct.presets import UNIVERSE
from pan_estimators.universes.cmac_cells import cmac_cells
from pan_proofs.density.claims.distinct_counter.floor import RANGE_LIMITS
from tests.benchmarks import distinct_coverage
from tests.benchmarks.distinct_coverage import CoverCase, counter_of, measured_coverage

KEYS, COVER_KEYS = 400, 4_000
USERS = tuple(10**power for power in range(3, 10))
UNION_USERS = (10**4, 10**8)
LARGEST_HASHED, PIECE = 10**7, 2**20
REPEATED = 10
"""Of so many users, one appears a second time."""
SHARED = (0.0, 1 / 3, 0.9)
"""Parts of the users of a union whom both counters saw; the others are divided evenly."""
CHUNK = 10
"""Keys that one task takes."""
BITS = 2**16
RANGES = {1: 1e6, 3: 1e5, 5: 1e4}
"""The least number of users of the shipped range with so many decades."""
MOSTLY = 0.9
"""Coverage is judged where so large a part of the outputs is reliable."""


@dataclass(frozen=True)
class Case(CoverCase):
    """A counter, and the goal of its relative error on the numbers of users from ``first`` to ``last``."""

    goal: float
    first: float
    last: float


CASES = (
    Case(1, 2**13, 1e4, 1e9, 0.034, 1e4, 1e9),
    Case(1, 2**13, 1e5, 1e8, 0.027, 1e5, 1e8),
    Case(1, 2**13, 1e6, 1e7, 0.018, 1e6, 1e7),
    Case(1, 2**13, 1e3, 1e9, 0.15, 1e3, 1e3),
    Case(1, 2**16, 1e5, 1e8, 0.011, 1e5, 1e8),
    Case(1, 2**16, 1e5, 1e9, 0.011, 1e5, 1e9),
    Case(2, 2**13, 1e4, 1e9, 0.020, 1e4, 1e9),
    Case(0.5, 2**13, 1e4, 1e9, 0.070, 1e4, 1e9),
)
UNIONS = ((1, 1), (1, 2), (2, 1), (2, 2))
"""Losses, and the numbers of counters whose state is seen."""


def touched_by_hash(users, key):
    """The touched cells of each counter, by the real hash of ids of which some are repeated."""
    geometries = [counter_of(case).geometry for case in CASES]
    marks = [np.zeros(one.cells, dtype=bool) for one in geometries]
    for start in range(0, users, PIECE):
        ids = np.arange(start, min(users, start + PIECE), dtype=np.int64)
        indices = cmac_cells(np.concatenate([ids, ids[::REPEATED]]), UNIVERSE, key)
        for geometry, found in zip(geometries, marks, strict=True):
            found[touched_cells(geometry, indices)] = True
    return [np.flatnonzero(found) for found in marks]


def touched_by_shares(geometry, users, generator):
    """The touched cells of a counter, from the exact distribution: so many users, each in one cell or in none."""
    shares = np.repeat(geometry.rates, geometry.widths.astype(np.int64))
    numbers = generator.multinomial(users, np.append(shares, max(0.0, 1 - shares.sum())))
    return np.flatnonzero(numbers[:-1])


def state_of(counter, touched, randomness):
    bits = counter.cells.draw_initial(randomness, counter.geometry.cells)
    bits[touched] = counter.cells.draw_updated(randomness, touched.size)
    return DistinctCounterState(bits)


def one_key(users, seed):
    """The estimate of each counter under one key."""
    randomness, generator = NumpyRandomness([seed, users]), np.random.default_rng([seed, users, 1])
    counters = [counter_of(case) for case in CASES]
    if users <= LARGEST_HASHED:
        touched = touched_by_hash(users, generator.bytes(16))
    else:
        touched = [touched_by_shares(one.geometry, users, generator) for one in counters]
    return [
        one.estimate(one.release(state_of(one, cells, randomness), randomness)).count
        for one, cells in zip(counters, touched, strict=True)
    ]


@cache
def union_of(loss, looks):
    return CounterUnion(counter_for_union(universe=UNIVERSE, promise_epsilon=loss, looks=looks), looks)


def numbers_of(users, shared):
    """The users of both counters, and those of each alone."""
    both = round(users * shared)
    first = (users - both) // 2
    return both, first, users - both - first


def one_union(loss, looks, users, shared, seed):
    """The union and the intersection of one key, each with the ends of its interval."""
    union = union_of(loss, looks)
    generator = np.random.default_rng([seed, users, round(100 * shared), looks])
    randomness = NumpyRandomness([seed, users, 2])
    both, *alone = (
        touched_by_shares(union.counter.geometry, number, generator) for number in numbers_of(users, shared)
    )
    states = [state_of(union.counter, np.union1d(cells, both), randomness) for cells in alone]
    found = union.estimate(union.release(*states, randomness))
    return [value for one in (found.union, found.intersection) for value in (one.count, one.low, one.high)]


def many(function, places, keys, jobs):
    """The rows of a function for each place, one for each key."""

    def some(place, seeds):
        return [function(*place, seed) for seed in seeds]

    tasks = [(place, range(start, min(keys, start + CHUNK))) for place in places for start in range(0, keys, CHUNK)]
    rows = Parallel(n_jobs=jobs)(delayed(some)(*task) for task in tasks)
    return {
        place: np.array([row for (other, _), some in zip(tasks, rows, strict=True) if other == place for row in some])
        for place in places
    }


def root(deviations):
    """The root mean square and its standard error, in percent."""
    squares = deviations**2
    found = math.sqrt(squares.mean())
    return 100 * found, 100 * squares.std(ddof=1) / math.sqrt(squares.size) / (2 * found)


def errors_section(found, keys, seconds):
    lines = [
        "# The error of the distinct counter",
        "",
        f"Written by `make distinct`, not by hand. Errors: {keys} keys for each number of users, {seconds:.0f} s.",
        "",
        "- *error*: the root mean squared relative error in percent, with its standard error. The distribution of the "
        "counter",
        "  predicts the number in brackets. No error is shown where it predicts more than 100.",
        f"- Up to {LARGEST_HASHED:,} users, ids go through the real hash, and one of {REPEATED} users appears twice.",
        "  Above, the touched cells are drawn from their exact distribution.",
        "- *goal met*: no error is above its goal by more than two standard errors. *predicted*: the greatest error",
        "  that the distribution predicts in the range of the goal.",
        "",
        "## Error",
        "",
        "| loss | bytes | planned for | " + " | ".join(f"{n:.0e}" for n in USERS) + " | goal | predicted | goal met |",
        "|---:|---:|---|" + "---:|" * len(USERS) + "---:|---:|---|",
    ]
    for place, case in enumerate(CASES):
        predicted = counter_of(case).expected_error
        rows = {n: (*root(found[n,][:, place] / n - 1), 100 * predicted(n)) for n in USERS}
        shown = [f"{a:.2f} ± {b:.2f} ({expected:.2f})" if expected < 100 else "" for a, b, expected in rows.values()]
        met = all(a - 2 * b <= 100 * case.goal for n, (a, b, _) in rows.items() if case.first <= n <= case.last)
        worst = max(predicted(float(n)) for n in np.geomspace(case.first, case.last, 41))
        lines.append(
            f"| {case.text} | {' | '.join(shown)} | {100 * case.goal:g} from {case.first:.0e} to {case.last:.0e} | "
            f"{100 * worst:.2f} | {'yes' if met else 'no'} |"
        )
    return lines


def limit_section():
    """The shipped counters beside the limit that the claim distinct.floor certifies."""
    lines = [
        "",
        "## The limit",
        "",
        "The claim `distinct.floor` certifies a limit: with a private bit or any other private cell for each place,",
        "one cell a user and any geometry, the relative standard deviation is at least this at some number of users",
        "of the range. *shipped*: the greatest predicted standard deviation of the shipped counter on the range, with",
        "its noise on the output. Both are for a random (Poisson) number of users: 1/n is part of the variance.",
        "",
        "| loss | KiB | range | limit, % | shipped, % | ratio |",
        "|---:|---:|---|---:|---:|---:|",
    ]
    for limit in RANGE_LIMITS:
        least = RANGES[limit.decades]
        most = least * 10**limit.decades
        distribution = counter_of(CoverCase(float(limit.total), BITS // 8, least, most)).distribution
        users = np.geomspace(least, most, 401)
        worst = math.sqrt((distribution.relative_variance(users) + 1 / users).max())
        floor = float(limit.error) / math.sqrt(BITS)
        lines.append(
            f"| {float(limit.total):g} | {BITS // 2**13} | {least:.0e} .. {most:.0e} | {100 * floor:.2f} | "
            f"{100 * worst:.2f} | {worst / floor:.2f} |"
        )
    return lines


def coverage_section(found, keys, seconds):
    """The coverage of all intervals, and of those of reliable outputs."""
    shown = [n for n in distinct_coverage.USERS if math.log10(n).is_integer()]
    lines = [
        "",
        "## Intervals",
        "",
        f"The coverage of the 95% intervals in percent, under {keys:,} keys with the exact distribution of the "
        "touched cells",
        f"({seconds:.0f} s). Its standard error is {100 * math.sqrt(0.95 * 0.05 / keys):.2f}. In brackets the part of",
        "the outputs that are reliable, where it is below 99.5. Numbers in the planned range are bold.",
        "",
        "| loss | bytes | planned for | " + " | ".join(f"{n:.0e}" for n in shown) + " |",
        "|---:|---:|---|" + "---:|" * len(shown),
    ]
    judged = []
    for case, rows in found.items():
        texts = []
        for n, (inside, reliable) in zip(distinct_coverage.USERS, rows, strict=True):
            planned = case.least <= n <= case.most
            if planned and reliable.mean() >= MOSTLY:
                judged.append((inside.mean(), inside[reliable].mean()))
            text = f"**{100 * inside.mean():.1f}**" if planned else f"{100 * inside.mean():.1f}"
            if n in shown:
                texts.append(text if reliable.mean() >= 0.995 else f"{text} ({100 * reliable.mean():.0f})")
        lines.append(f"| {case.text} | {' | '.join(texts)} |")
    every, told = (100 * np.array(judged).T).round(1)
    return [
        *lines,
        "",
        f"In the {len(judged)} places of the planned ranges with at least {MOSTLY:.0%} reliable outputs, the coverage",
        f"is {every.min()} to {every.max()}, on average {every.mean():.2f}. Of the reliable outputs alone it is",
        f"{told.min()} to {told.max()}. For numbers of users beyond three times the planned range, intervals",
        "cover as shown. The few outputs that are reliable there are those with the largest errors.",
    ]


def union_section(found, keys, seconds):
    """The measured errors of unions, and the coverage of their intervals."""
    lines = [
        "",
        "## Unions",
        "",
        f"Two counters of 8 KiB for unions of 1e4 to 1e9 users, {keys} keys ({seconds:.0f} s). *shared*: the part of",
        "the users of the union whom both counters saw. Errors are root mean squares in percent of the union, with the",
        "predicted ones in brackets. If nobody or nearly everybody is shared, the real errors are smaller, as an",
        f"estimate is a possible one. *covered*: by the 95% intervals, ± {100 * math.sqrt(0.95 * 0.05 / keys):.1f}.",
        "",
        "| loss | states seen | union | shared | error of the union | of the intersection | covered |",
        "|---:|---:|---:|---:|---:|---:|---|",
    ]
    for (loss, looks, users, shared), rows in found.items():
        both, first, second = numbers_of(users, shared)
        expected = union_of(loss, looks).expected_errors(both + first, both + second, users)
        texts, covered = [], []
        for truth, error, place in ((users, expected[0], 0), (both, expected[1], 3)):
            texts.append("{:.2f} ± {:.2f}".format(*root((rows[:, place] - truth) / users)))
            texts[-1] += f" ({100 * error / users:.2f})"
            inside = (rows[:, place + 1] <= truth) & (truth <= rows[:, place + 2])
            covered.append(f"{100 * inside.mean():.1f}")
        shown = f"| {loss:g} | {looks} | {users:.0e} | {shared:.0%} | {' | '.join(texts)} |"
        lines.append(f"{shown} {' and '.join(covered)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keys", type=int, default=KEYS)
    parser.add_argument("--cover-keys", type=int, default=COVER_KEYS, help="keys for the coverage")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "DISTINCT.md")
    given = parser.parse_args()

    def timed(section, keys, measure):
        began = time.monotonic()
        found = measure()
        return section(found, keys, time.monotonic() - began)

    unions = [(*one, users, shared) for one in UNIONS for users in UNION_USERS for shared in SHARED]
    by_users = [(n,) for n in reversed(USERS)]
    lines = [
        *timed(errors_section, given.keys, lambda: many(one_key, by_users, given.keys, given.jobs)),
        *limit_section(),
        *timed(coverage_section, given.cover_keys, lambda: measured_coverage(given.jobs, given.cover_keys)),
        *timed(union_section, given.keys, lambda: many(one_union, unions, given.keys, given.jobs)),
    ]
    given.out.write_text("\n".join([*lines, ""]))
    print(given.out)


if __name__ == "__main__":
    main()
