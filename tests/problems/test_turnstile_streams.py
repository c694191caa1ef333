"""Turnstile streams: the problem as data, texts, models, and adjacent pairs, each once."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.problems.inputs.turnstile.audited import audited_streams
from pan_audits.problems.inputs.turnstile.small import SmallStreams
from pan_audits.problems.inputs.turnstile.streams import (
    adjacent,
    all_streams,
    from_text,
    intrusion_in,
    is_legal,
    look_in,
    some_neighbours,
    to_text,
)
from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError
from pan_promises.looks import EVERY, OF_STATES, Observed
from pan_promises.problem import Kind, Problem
from pan_promises.promise import Promise
from pan_promises.turnstile import Model
from pan_proofs.continual.streams import MODELS

ENTRIES = st.one_of(st.none(), st.tuples(st.integers(0, 2**31), st.sampled_from((1, -1))))
CASES = [(adjacency, model) for adjacency in OF_TURNSTILE_STREAMS for model in Model]


def promised(adjacency=Adjacency.ITEM_LEVEL, **given):
    values = {"observed": Observed.OUTPUT, "intrusions": 0, "outputs": EVERY, "epsilon": 1.0} | given
    return Promise(adjacency=adjacency, **values)


@given(st.lists(ENTRIES, max_size=8), st.sampled_from((*OF_STATES, Observed.OUTPUT)))
def test_a_text_holds_the_stream_and_the_observation(entries, observed):
    text = to_text(tuple(entries), observed)
    assert from_text(text) == tuple(entries)
    assert look_in(text) is observed


@given(st.lists(ENTRIES, max_size=8), st.integers(0, 8))
def test_a_text_holds_the_time_of_the_intrusion(entries, after):
    text = to_text(tuple(entries), Observed.STATE_AND_OUTPUT, min(after, len(entries)))
    assert (from_text(text), look_in(text)) == (tuple(entries), Observed.STATE_AND_OUTPUT)
    assert intrusion_in(text) == min(after, len(entries))
    assert intrusion_in(to_text(tuple(entries))) is None


def test_an_intrusion_after_the_last_entry_is_refused():
    with pytest.raises(InputError, match="between 0 and 2 entries, got 3"):
        intrusion_in("+0 . (outputs, state after 3)")


def test_small_pairs_of_outputs_and_a_state_have_one_time_of_the_intrusion():
    for adjacency in OF_TURNSTILE_STREAMS:
        alone = SmallStreams(1, 3, Model.STRICT, adjacency)
        both = SmallStreams(1, 3, Model.STRICT, adjacency, Observed.STATE_AND_OUTPUT)
        assert (len(both.labels), both.count()) == (4 * len(alone.labels), 4 * alone.count())
        places = both.groups() if both.in_groups else both.blocks()
        for found in places:
            for row in [found] if both.in_groups else found:
                assert len({intrusion_in(both.labels[place]) for place in row}) == 1
        assert {intrusion_in(label) for label in both.labels} == {0, 1, 2, 3}


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
    small, problem = SmallStreams(2, 3, model, adjacency), Problem.of_turnstile(2, 3, model)
    found = [pair for block in small.blocks() for pair in block.tolist()] if not small.in_groups else []
    found += [pair for group in small.groups() for pair in combinations(group.tolist(), 2)] if small.in_groups else []
    places = [tuple(sorted(pair)) for pair in found]
    streams = small.streams
    wanted = {
        (one, other)
        for one, other in combinations(range(len(streams)), 2)
        if adjacent(streams[one], streams[other], adjacency, problem)
    }
    assert len(places) == len(set(places)) == small.count()
    assert set(places) == wanted


def test_adjacency_by_example():
    problem = Problem.of_turnstile(2, 3, "toggle")
    full, none = ((0, 1), (1, 1), (0, -1)), (None, (1, 1), None)
    assert adjacent(full, none, Adjacency.ITEM_LEVEL, problem)
    assert adjacent(none, full, Adjacency.USER_LEVEL, problem)
    assert not adjacent(full, none, Adjacency.EVENT_LEVEL, problem)
    assert not adjacent(full, full, Adjacency.USER_LEVEL, problem)
    assert not adjacent(full, (None, (1, 1), (0, -1)), Adjacency.ITEM_LEVEL, problem)
    assert adjacent(full, ((0, 1), (1, 1), None), Adjacency.EVENT_LEVEL, problem)
    assert not adjacent(full, ((0, 1), (1, 1)), Adjacency.USER_LEVEL, problem)
    assert not adjacent(full, (None, None, None), Adjacency.USER_LEVEL, problem)
    general = Problem.of_turnstile(2, 3, "general")
    moved = ((0, 1), (1, 1), None), (None, (1, 1), (0, 1))
    assert adjacent(*moved, Adjacency.USER_LEVEL, general)
    assert not adjacent(*moved, Adjacency.ITEM_LEVEL, general)


@given(st.integers(0, 1000), st.sampled_from(CASES), st.integers(1, 4), st.integers(1, 12))
def test_audited_pairs_are_adjacent_and_obey_the_model(seed, case, elements, steps):
    adjacency, model = case
    problem = Problem.of_turnstile(elements, steps, model)
    for group in audited_streams(problem, adjacency, seed):
        streams = [from_text(label) for label in group.labels]
        assert all(adjacent(streams[one], streams[other], adjacency, problem) for one, other in group.adjacent)
        assert {len(stream) for stream in streams} == {steps}


def test_random_neighbours_reach_every_kind_of_change():
    problem, chance = Problem.of_turnstile(2, 4, "general"), random.Random(1)
    base = ((0, 1), None, (0, -1), (1, 1))
    found = {
        adjacency: set(some_neighbours(base, problem, adjacency, chance, 200)) for adjacency in OF_TURNSTILE_STREAMS
    }
    assert len(found[Adjacency.EVENT_LEVEL]) == 3
    assert len(found[Adjacency.ITEM_LEVEL]) == 4
    assert found[Adjacency.EVENT_LEVEL] < found[Adjacency.ITEM_LEVEL] < found[Adjacency.USER_LEVEL]


@pytest.mark.parametrize("model", Model)
def test_the_problem_is_plain_data(model):
    problem = Problem.of_turnstile(3, 16, str(model))
    assert problem.kind is Kind.TURNSTILE
    assert Problem.from_dict(problem.to_dict()) == problem
    assert problem.adjacencies == OF_TURNSTILE_STREAMS
    assert set(Problem.of_inputs(["a", "b"], [(0, 1)]).to_dict()) == {"kind", "schema", "rows", "labels", "pairs"}


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
    ("promise", "reason"),
    [
        (promised(), ""),
        (promised(observed=Observed.STATE, intrusions=1), "no audit of the state alone"),
        (promised(observed=Observed.STATE_AND_OUTPUT, intrusions=1), ""),
        (promised(outputs=3), "outputs=every"),
        (promised(observed=Observed.STATE, intrusions=2), "intrusions=1"),
        (promised(Adjacency.ADD_ROW), "no pairs of inputs with the adjacency add-row"),
        (promised(epsilon=float("inf"), rho=0.5), ""),
    ],
)
def test_promises_about_turnstile_streams(promise, reason):
    found = judged(Problem.of_turnstile(2, 4, "toggle")).why_not_judged(promise)
    assert (reason in found) if reason else not found


def test_a_rho_is_judged_by_the_exact_check_on_whole_inputs_alone():
    promise = promised(epsilon=float("inf"), rho=0.5)
    problem = Problem.of_turnstile(2, 4, "toggle")
    assert not notion_of(promise).why_not_checked(judged(problem))
    of_state = promised(observed=Observed.STATE, intrusions=1)
    assert not notion_of(of_state).why_not_checked(judged(problem))
    assert "zero-concentrated" in notion_of(promise).why_not_checked(judged(Problem()))
