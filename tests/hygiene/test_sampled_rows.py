"""A note tells that the intruder saw few sampled rows."""

from __future__ import annotations

import pytest

from pan_audits.hygiene.sampled_rows import findings_of_sampled_rows
from pan_promises.problem import STREAM, Problem
from pan_promises.promise import Promise

OF_ROWS = "epsilon=1,adjacency=replace-row,observed="


@pytest.mark.parametrize(
    ("observed", "problem", "told"),
    [
        ("sample", Problem.of_table({"a": [0, 1]}, 8), ["(8)"]),
        ("sample", Problem.of_table({"a": [0, 1]}, 8, sampled=8), []),
        ("model", Problem.of_table({"a": [0, 1]}, 8), []),
        ("sample", STREAM, []),
    ],
)
def test_it_is_told_where_nobody_said_their_number(observed, problem, told):
    found = findings_of_sampled_rows(Promise.parse(OF_ROWS + observed), problem)
    assert len(found) == len(told)
    assert all(words in finding.sentence for finding, words in zip(found, told, strict=True))
    assert all(finding.severity == "note" for finding in found)
