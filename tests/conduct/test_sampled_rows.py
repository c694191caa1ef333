"""A note tells that the intruder saw few sampled rows."""

from __future__ import annotations

import pytest

from pan_audits.problems import judged
from pan_promises.problem import STREAM, Problem
from pan_promises.promise import Promise

OF_ROWS = "epsilon=1,adjacency=replace-row,observed="


@pytest.mark.parametrize(
    ("observed", "problem", "told"),
    [
        ("sample", Problem.of_table({"a": [0, 1]}, 8), "(8)"),
        ("sample", Problem.of_table({"a": [0, 1]}, 8, sampled=8), ""),
        ("model", Problem.of_table({"a": [0, 1]}, 8), ""),
        ("sample", STREAM, ""),
    ],
)
def test_it_is_told_where_nobody_said_their_number(observed, problem, told):
    assert told in judged(problem).left_open(Promise.parse(OF_ROWS + observed))
    assert bool(told) == bool(judged(problem).left_open(Promise.parse(OF_ROWS + observed)))
