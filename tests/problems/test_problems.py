"""Each kind of input: its pairs, its labels, and the words for it."""

from __future__ import annotations

import pytest

from pan_audits.problems import judged
from pan_promises.problem import STREAM, Kind, Problem
from pan_promises.promise import Promise

TABLE = Problem.of_table({"a": [0, 1]}, 8)
PROBLEMS = {
    Kind.STREAM: (STREAM, "epsilon=1,adjacency=user-level", range(4)),
    Kind.TABLE: (TABLE, "epsilon=1,adjacency=replace-row,observed=output", ()),
    Kind.TURNSTILE: (
        Problem.of_turnstile(2, 4, "general"),
        "epsilon=1,adjacency=item-level,observed=output,outputs=every",
        (),
    ),
    Kind.GIVEN: (Problem.of_inputs(["a", "b"], [(0, 1)]), "epsilon=1,adjacency=add-row,observed=output", ()),
}


@pytest.mark.parametrize("kind", Kind)
def test_a_promise_of_a_kind_has_pairs_whose_inputs_can_be_read(kind):
    stated, text, population = PROBLEMS[kind]
    problem, promise = judged(stated), Promise.parse(text)
    assert problem.kind is kind
    assert problem.why_not_judged(promise) == problem.why_not_judged(promise, exactly=True) == ""
    catalogue = problem.catalogue(promise, population)
    assert sum(catalogue.weights) == pytest.approx(1)
    if problem.whole:
        given = {label: [label] for label in stated.labels}
        for pair in catalogue.pairs:
            left, right = (pair.family.labels[place] for place in (pair.left, pair.right))
            assert problem.read(left, given) != problem.read(right, given)
            problem.require_adjacent(left, right, promise)


@pytest.mark.parametrize("kind", Kind)
def test_the_inputs_of_each_size_of_a_check_are_adjacent_and_have_words(kind):
    stated, text, _ = PROBLEMS[kind]
    problem, promise = judged(stated), Promise.parse(text)
    assert problem.covered(3, 2) != problem.covered(1, 1) or problem.given
    assert {"pairs", "seconds", "loss"} <= set(problem.columns)
    for size, length in problem.sizes(3, 2) if problem.whole else ():
        found, listed = problem.small(promise, size, length), problem.listed_small(promise, size, length)
        assert found.labels == listed.labels
        pairs = [(int(left), int(right)) for block in listed.blocks() for left, right in block]
        assert sorted(map(sorted, pairs)) == sorted(map(sorted, found.adjacent))
        assert found.adjacent


@pytest.mark.parametrize(
    ("observed", "problem", "told"),
    [
        ("sample", TABLE, "(8)"),
        ("sample", Problem.of_table({"a": [0, 1]}, 8, sampled=8), ""),
        ("model", TABLE, ""),
        ("sample", STREAM, ""),
    ],
)
def test_a_note_tells_where_nobody_said_the_number_of_sampled_rows(observed, problem, told):
    left = judged(problem).left_open(Promise.parse(f"epsilon=1,adjacency=replace-row,observed={observed}"))
    assert told in left
    assert bool(told) == bool(left)
