"""An event that never occurs on the other stream: the report tells how the bound grows with the runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from pan_audits.auditing.witness import Counts, Witness
from tests.auditing.witnesses import audited_witness


def counted(left, right, runs):
    return replace(Witness.from_dict(audited_witness()), counts=Counts(left, right, runs))


def test_the_bound_of_an_event_without_counterpart_grows_with_the_runs():
    witness = Witness.from_dict(audited_witness())
    assert witness.counts.right == 0
    bounds = [bound for _, bound in witness.growth]
    assert bounds == sorted(set(bounds))
    assert bounds[-1] == pytest.approx(witness.loss)
    assert witness.growth[-1][0] == witness.counts.runs
    assert "the bound grows with the number of runs" in witness.describe()


def test_ten_times_the_runs_add_nearly_the_logarithm_of_ten():
    bounds = [bound for _, bound in counted(70_000, 0, 100_000).growth]
    steps = [later - earlier for earlier, later in pairwise(bounds)]
    assert steps == pytest.approx([2.3026, 2.3026], abs=0.1)


@pytest.mark.parametrize("counts", [(70_000, 1, 100_000), (3, 0, 100_000)])
def test_no_growth_is_told_of_an_event_that_occurred_or_is_too_rare(counts):
    assert "grows" not in counted(*counts).describe()
