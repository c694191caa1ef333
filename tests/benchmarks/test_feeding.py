"""Nanoseconds an id beside DataSketches HLL, which promises nothing: the table of what users meet."""

from __future__ import annotations

import pytest

from tests.benchmarks.feeding import CASES, measure, measure_calls

LIMIT = 3000
"""Nanoseconds a call that an :class:`~pan_estimators.Adder` may take."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_batches_of_a_million_beside_a_sketch(benchmark, figure, case):
    row = benchmark.pedantic(lambda: measure(case), rounds=1)
    absolute = f"{row.ours:.1f} ns an id, first batch {row.first:.1f}; HLL {row.sketch:.1f}"
    figure(f"{case.name}: times as fast as HLL", row.ratio, f">= {case.goal}", absolute)
    assert row.case is case


@pytest.mark.parametrize("case", CASES[:7], ids=lambda case: case.name)
def test_one_id_a_call(benchmark, figure, case):
    calls = benchmark.pedantic(lambda: measure_calls(case), rounds=1)
    beside = f"update {calls.update:,.0f} ns; HLL {calls.sketch:.0f} ns"
    figure(f"{case.name}: ns a call of Adder.add", calls.adder, f"< {LIMIT}", beside)
    assert calls.case is case
