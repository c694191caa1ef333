"""Each kind of input; and turnstile streams: texts, models, and adjacent pairs, each once."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.problems.inputs.turnstile.small import SmallStreams
from pan_audits.problems.inputs.turnstile.streams import (
    adjacent,
    all_streams,
    audited_streams,
    from_text,
    intrusion_in,
    is_legal,
    look_in,
    some_neighbours,
    to_text,
)
from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError
from pan_promises.problem import STREAM, Kind, Problem
from pan_promises.promise import OF_STATES, Observed, Promise
from pan_promises.turnstile import Model
from pan_proofs.continual.streams import MODELS

TABLE, GENERAL = Problem.of_table({"a": [0, 1]}, 8), Problem.of_turnstile(2, 4, "general")
ENTRIES = st.lists(st.one_of(st.none(), st.tuples(st.integers(0, 2**31), st.sampled_from((1, -1)))), max_size=8)
CASES = [(adjacency, model) for adjacency in OF_TURNSTILE_STREAMS for model in Model]
PROBLEMS = {
    Kind.STREAM: (STREAM, "adjacency=user-level", range(4)),
    Kind.TABLE: (TABLE, "adjacency=replace-row,observed=output", ()),
    Kind.TURNSTILE: (GENERAL, "adjacency=item-level,observed=output,outputs=every", ()),
    Kind.GIVEN: (Problem.of_inputs(["a", "b"], [(0, 1)]), "adjacency=add-row,observed=output", ()),
    Kind.SPACE: (Problem.of_space(["[]", "[1]"], [(0, 1)]), "adjacency=add-row,observed=output", ()),
}


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_of_input_has_pairs_that_can_be_read_and_inputs_of_each_size(kind):
    stated, text, population = PROBLEMS[kind]
    problem, promise = judged(stated), Promise.parse(f"epsilon=1,{text}")
    assert problem.kind is kind
    assert problem.why_not_judged(promise) == problem.why_not_judged(promise, exactly=True) == ""
    catalogue = problem.catalogue(promise, population)
    assert sum(catalogue.weights) == pytest.approx(1)
    if not problem.whole:
        return
    given = {label: [label] for label in stated.labels}
    for pair in catalogue.pairs:
        left, right = (pair.family.labels[place] for place in (pair.left, pair.right))
        assert problem.read(left, given) != problem.read(right, given)
        problem.require_adjacent(left, right, promise)
    for size, length in problem.sizes(3, 2):
        found, listed = problem.small(promise, size, length), problem.listed_small(promise, size, length)
        assert found.labels == listed.labels
        pairs = [(int(left), int(right)) for block in listed.blocks() for left, right in block]
        assert sorted(map(sorted, pairs)) == sorted(map(sorted, found.adjacent))
        assert found.adjacent


@pytest.mark.parametrize(
    ("observed", "sampled", "told"), [("sample", None, True), ("sample", 8, False), ("model", None, False)]
)
def test_a_note_tells_where_nobody_said_the_number_of_sampled_rows(observed, sampled, told):
    problem = judged(Problem.of_table({"a": [0, 1]}, 8, **({"sampled": sampled} if sampled else {})))
    left = problem.left_open(Promise.parse(f"epsilon=1,adjacency=replace-row,observed={observed}"))
    assert ("(8)" in left) == bool(left) == told


@given(ENTRIES, st.sampled_from((*OF_STATES, Observed.OUTPUT)), st.integers(0, 8))
def test_a_text_holds_the_stream_the_observation_and_the_time_of_the_intrusion(entries, observed, after):
    both = observed is Observed.STATE_AND_OUTPUT
    text = to_text(tuple(entries), observed, *([min(after, len(entries))] if both else []))
    assert (from_text(text), look_in(text)) == (tuple(entries), observed)
    assert intrusion_in(text) == (min(after, len(entries)) if both else intrusion_in(to_text(tuple(entries), observed)))
    with pytest.raises(InputError, match=f"between 0 and {len(entries)} entries"):
        intrusion_in(to_text(tuple(entries), Observed.STATE_AND_OUTPUT, len(entries) + 1))


@pytest.mark.parametrize("text", ["+", "0", "+-1", "+01", "++1", "*1", "+1.", "+٣", "+12345678901"])
def test_a_text_that_is_no_stream_is_refused(text):
    with pytest.raises(InputError, match="an entry of a turnstile stream"):
        from_text(text)


@pytest.mark.parametrize("model", Model)
def test_all_streams_are_those_of_the_definition(model):
    every = list(all_streams(2, 4, Model.GENERAL))
    assert len(every) == len(set(every)) == 5**4
    assert list(all_streams(2, 4, model)) == [stream for stream in every if MODELS[str(model)](stream)]
    assert all(is_legal(stream, 2, model) == MODELS[str(model)](stream) for stream in every)
    assert not is_legal(((2, 1),), 2, model)
    assert not is_legal(((0, 2),), 2, model)


@pytest.mark.parametrize(("adjacency", "model"), CASES)
def test_small_pairs_are_all_adjacent_pairs_each_once(adjacency, model):
    """Those of outputs and a state have one time of the intrusion."""
    small, problem = SmallStreams(2, 3, model, adjacency), Problem.of_turnstile(2, 3, model)
    found = [pair for block in small.blocks() for pair in block.tolist()] if not small.in_groups else []
    found += [pair for group in small.groups() for pair in combinations(group.tolist(), 2)] if small.in_groups else []
    places = [tuple(sorted(pair)) for pair in found]
    wanted = {
        (one, other)
        for one, other in combinations(range(len(small.streams)), 2)
        if adjacent(small.streams[one], small.streams[other], adjacency, problem)
    }
    assert len(places) == len(set(places)) == small.count()
    assert set(places) == wanted
    both = SmallStreams(2, 3, model, adjacency, Observed.STATE_AND_OUTPUT)
    assert (len(both.labels), both.count()) == (4 * len(small.labels), 4 * small.count())
    rows = both.groups() if both.in_groups else (row for block in both.blocks() for row in block)
    times = [{intrusion_in(both.labels[place]) for place in row} for row in rows]
    assert all(len(each) == 1 for each in times)
    assert set.union(*times) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("left", "right", "model", "known"),
    [
        (((0, 1), (1, 1), (0, -1)), (None, (1, 1), None), "toggle", (False, True, True)),
        (((0, 1), (1, 1), (0, -1)), ((0, 1), (1, 1), (0, -1)), "toggle", (False, False, False)),
        (((0, 1), (1, 1), (0, -1)), (None, (1, 1), (0, -1)), "toggle", (False, False, False)),
        (((0, 1), (1, 1), (0, -1)), ((0, 1), (1, 1), None), "toggle", (True, True, True)),
        (((0, 1), (1, 1), (0, -1)), ((0, 1), (1, 1)), "toggle", (False, False, False)),
        (((0, 1), (1, 1), (0, -1)), (None, None, None), "toggle", (False, False, False)),
        (((0, 1), (1, 1), None), (None, (1, 1), (0, 1)), "general", (False, False, True)),
    ],
)
def test_adjacency_by_example(left, right, model, known):
    """At the level of events, of items, and of users."""
    levels = (Adjacency.EVENT_LEVEL, Adjacency.ITEM_LEVEL, Adjacency.USER_LEVEL)
    problem = Problem.of_turnstile(2, 3, model)
    for one, other in ((left, right), (right, left)):
        assert tuple(adjacent(one, other, level, problem) for level in levels) == known


@given(st.integers(0, 1000), st.sampled_from(CASES), st.integers(1, 4), st.integers(1, 12))
def test_audited_pairs_are_adjacent_and_obey_the_model(seed, case, elements, steps):
    adjacency, model = case
    problem = Problem.of_turnstile(elements, steps, model)
    for group in audited_streams(problem, adjacency, seed):
        streams = [from_text(label) for label in group.labels]
        assert all(adjacent(streams[one], streams[other], adjacency, problem) for one, other in group.adjacent)
        assert {len(stream) for stream in streams} == {steps}


def test_random_neighbours_reach_every_kind_of_change():
    base, chance = ((0, 1), None, (0, -1), (1, 1)), random.Random(1)
    found = {
        adjacency: set(some_neighbours(base, GENERAL, adjacency, chance, 200)) for adjacency in OF_TURNSTILE_STREAMS
    }
    assert len(found[Adjacency.EVENT_LEVEL]) == 3
    assert len(found[Adjacency.ITEM_LEVEL]) == 4
    assert found[Adjacency.EVENT_LEVEL] < found[Adjacency.ITEM_LEVEL] < found[Adjacency.USER_LEVEL]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0, 4, "toggle"), "number of elements"),
        ((2, 0, "toggle"), "number of steps"),
        ((2.5, 4, "toggle"), "number of elements"),
        ((2, 4, "toggled"), "unknown model of turnstile streams"),
    ],
)
def test_a_problem_out_of_range_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        Problem.of_turnstile(*given)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("epsilon=1,adjacency=item-level,observed=state", "no audit of the state alone"),
        ("epsilon=1,adjacency=item-level,observed=state+output,outputs=every", ""),
        ("epsilon=1,adjacency=item-level,observed=output,outputs=3", "outputs=every"),
        ("epsilon=1,adjacency=item-level,observed=state,intrusions=2", "intrusions=1"),
        ("epsilon=1,adjacency=add-row,observed=output,outputs=every", "no pairs of inputs with the adjacency add-row"),
        ("rho=0.5,adjacency=item-level,observed=output,outputs=every", ""),
    ],
)
def test_promises_about_turnstile_streams(text, reason):
    """A rho is judged by the exact check on whole inputs alone."""
    problem, promise = judged(Problem.of_turnstile(2, 4, "toggle")), Promise.parse(text)
    found = problem.why_not_judged(promise)
    assert (reason in found) if reason else not found
    if not reason:
        assert not notion_of(promise).why_not_checked(problem)
        told = notion_of(promise).why_not_checked(judged(Problem()))
        assert ("zero-concentrated" in told) == (promise.rho is not None)
