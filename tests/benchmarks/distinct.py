"""The page of the distinct counter, ``tests/benchmarks/DISTINCT.md``: ``make distinct`` writes it.

For each key, ids with duplicates go through the real hash up to ten million users. For more users the touched cells are
drawn from their exact distribution: the occupancy of the cells by so many independent users. The bits, the noise, the
estimate and its interval are those of the counter in every case. Coverage and unions have sections of their own."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.distinct_coverage import measured_coverage
from tests.benchmarks.distinct_runs import CASES, LARGEST_HASHED, REPEATED, counter_of, measured
from tests.benchmarks.distinct_sections import coverage_section, limit_section, union_section
from tests.benchmarks.distinct_unions import measured_unions

KEYS = 400
COVER_KEYS = 4_000
USERS = tuple(10**power for power in range(3, 10))
UNION_USERS = (10**4, 10**8)
ERRORS, LIMIT, INTERVALS, UNIONS = "Error", "The limit", "Intervals", "Unions"
MEASURED = (ERRORS, INTERVALS, UNIONS)
"""Parts of the page that are measured."""


@dataclass(frozen=True)
class Cell:
    """The measured error of a counter for a number of users."""

    users: int
    error: float
    deviation: float
    expected: float
    bias: float

    @property
    def text(self):
        return f"{100 * self.error:.2f} ± {100 * self.deviation:.2f}"


def cell_of(case, users, rows):
    """Root mean squared relative error with its standard error, and bias."""
    errors = rows / users - 1
    squares = errors**2
    error = float(np.sqrt(squares.mean()))
    deviation = float(squares.std(ddof=1) / np.sqrt(squares.size) / (2 * error))
    expected = counter_of(case).expected_error(users)
    return Cell(users, error, deviation, expected, float(errors.mean()))


def page(found, keys, seconds):
    """The page as Markdown."""
    users = sorted(found)
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
        "- All probabilities and levels are those of the shipped presets, or of the same search.",
        "",
        "## Error",
        "",
        "| loss | KiB | planned for | " + " | ".join(f"{n:.0e}" for n in users) + " | goal | predicted | goal met |",
        "|---:|---:|---|" + "---:|" * len(users) + "---:|---:|---|",
    ]
    table = [[cell_of(case, n, found[n][:, place]) for n in users] for place, case in enumerate(CASES)]
    for case, row in zip(CASES, table, strict=True):
        shown = [f"{cell.text} ({100 * cell.expected:.2f})" if cell.expected < 1 else "" for cell in row]
        judged = [cell for cell in row if case.first <= cell.users <= case.last]
        met = all(cell.error - 2 * cell.deviation <= case.goal for cell in judged)
        grid = np.geomspace(case.first, case.last, 41)
        predicted = max(counter_of(case).expected_error(float(n)) for n in grid)
        lines.append(
            f"| {case.loss:g} | {case.kib} | {case.least:.0e} .. {case.most:.0e} | {' | '.join(shown)} | "
            f"{100 * case.goal:g} from {case.first:.0e} to {case.last:.0e} | {100 * predicted:.2f} | "
            f"{'yes' if met else 'no'} |"
        )
    lines += [
        "",
        "## Bias",
        "",
        "In the planned range: the bias as a part of the error.",
        "",
        "| loss | KiB | planned for | " + " | ".join(f"{n:.0e}" for n in users) + " |",
        "|---:|---:|---|" + "---:|" * len(users),
    ]
    for case, row in zip(CASES, table, strict=True):
        shown = [f"{cell.bias / cell.error:+.2f}" if case.least <= cell.users <= case.most else "" for cell in row]
        lines.append(f"| {case.loss:g} | {case.kib} | {case.least:.0e} .. {case.most:.0e} | {' | '.join(shown)} |")
    return "\n".join([*lines, ""])


def parts_of(text):
    """The parts of a page: from its title or a heading to the next heading of a part."""
    found = {ERRORS: []}
    place = ERRORS
    for line in text.splitlines():
        place = line.removeprefix("## ") if line.removeprefix("## ") in (*MEASURED, LIMIT) else place
        found.setdefault(place, []).append(line)
    return {name: "\n".join(lines).rstrip("\n") + "\n" for name, lines in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keys", type=int, default=KEYS)
    parser.add_argument("--cover-keys", type=int, default=COVER_KEYS, help="keys for the coverage")
    parser.add_argument("--most", type=float, default=1e9, help="largest number of users")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "DISTINCT.md")
    parser.add_argument(
        "--part", action="append", choices=MEASURED, help="measure this part again, and keep the others of the page"
    )
    given = parser.parse_args()
    wanted = given.part or MEASURED
    parts = parts_of(given.out.read_text()) if given.part else {}
    for name in wanted:
        began = time.monotonic()
        if name == ERRORS:
            found = measured(given.jobs, given.keys, [n for n in USERS if n <= given.most])
            parts[name] = page(found, given.keys, time.monotonic() - began)
        elif name == INTERVALS:
            covered = measured_coverage(given.jobs, given.cover_keys)
            parts[name] = coverage_section(covered, time.monotonic() - began)
        else:
            unions = measured_unions(given.jobs, given.keys, UNION_USERS)
            parts[name] = union_section(unions, given.keys, time.monotonic() - began)
    parts[LIMIT] = limit_section()
    given.out.write_text("\n".join(parts[name] for name in (ERRORS, LIMIT, INTERVALS, UNIONS) if name in parts))
    print(given.out)


if __name__ == "__main__":
    main()
