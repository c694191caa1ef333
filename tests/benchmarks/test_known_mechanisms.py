"""The bounds of known mechanisms beside an oracle. ``python -m tests.benchmarks.learned_bounds`` writes the page."""

from __future__ import annotations

import math

import pytest

from tests.benchmarks.known_mechanisms import KNOWN
from tests.benchmarks.learned_bounds import row_of


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_bounds_of_known_mechanisms(benchmark, figure, known):
    row = benchmark.pedantic(lambda: row_of(known, 1), rounds=1)
    truth = "infinite" if math.isinf(row.truth) else f"{row.truth:.3f}"
    figure(
        f"95% bound for {known.name}, truth {truth}",
        row.median,
        f"peer {known.peer:g} (recorded)",
        f"oracle {row.joint:.3f}",
    )
    assert row.median <= row.truth
