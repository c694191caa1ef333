"""Streams, flippancy and changed entries: verdicts, and the definitions against simpler computations."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_proofs.continual.flippancy import contributions, emptied, flippancy, flips, truncated
from pan_proofs.continual.neighbour_examples import example, worst
from pan_proofs.continual.sources import STATEMENTS
from pan_proofs.continual.streams import (
    MODELS,
    NEIGHBOURS,
    changed_entries,
    distinct_counts,
    existence,
    streams,
    strict,
    toggle,
)
from pan_proofs.ledger.claim import ProofVerdict, Role

VERDICTS = {
    "turnstile.flippancy_definition": (ProofVerdict.PROVED_AMENDED, 1),
    "turnstile.changed_entries": (ProofVerdict.PROVED_AMENDED, 2),
    "turnstile.composition": (ProofVerdict.PROVED, 1),
    "turnstile.gaussian_mechanism": (ProofVerdict.PROVED, 1),
    "turnstile.dyadic": (ProofVerdict.PROVED, 1),
    "turnstile.node_sensitivity": (ProofVerdict.PROVED, 1),
    "turnstile.truncated_flippancy": (ProofVerdict.PROVED_AMENDED, 2),
    "turnstile.post_processing": (ProofVerdict.PROVED, 1),
    "turnstile.group_privacy": (ProofVerdict.PROVED, 1),
    "turnstile.zcdp_conversion": (ProofVerdict.PROVED, 1),
    "turnstile.gaussian_max": (ProofVerdict.PROVED, 1),
    "turnstile.given_flippancy": (ProofVerdict.PROVED, 1),
    "turnstile.flippancy_sensitivity": (ProofVerdict.PROVED_AMENDED, 0),
    "turnstile.sparse_vector": (ProofVerdict.PROVED, 2),
    "turnstile.adaptive": (ProofVerdict.PROVED, 2),
    "turnstile.recompute": (ProofVerdict.PROVED, 1),
    "turnstile.best_of_both": (ProofVerdict.PROVED, 1),
    "turnstile.legal_models": (ProofVerdict.PROVED_AMENDED, 0),
    "turnstile.inner_product_reduction": (ProofVerdict.PROVED, 1),
    "turnstile.marginals_reduction": (ProofVerdict.PROVED_AMENDED, 0),
    "turnstile.small_epsilon": (ProofVerdict.PROVED, 1),
    "turnstile.event_lower_bound": (ProofVerdict.CITED, 0),
    "turnstile.item_lower_bound": (ProofVerdict.CITED, 0),
    "turnstile.crossover": (ProofVerdict.PROVED, 1),
    "turnstile.insertion_only": (ProofVerdict.PROVED, 3),
}
"""The verdict on each statement, and the number of readings under which it fails."""

entries_of_streams = st.none() | st.tuples(st.integers(0, 2), st.sampled_from((1, -1)))
any_stream = st.lists(entries_of_streams, min_size=1, max_size=14).map(tuple)


@pytest.mark.parametrize("identifier", VERDICTS)
def test_each_statement_has_its_verdict_and_its_failing_readings(identifier, entries):
    verdict, failing = VERDICTS[identifier]
    claim = entries[identifier].claim
    assert entries[identifier].verdict is verdict, [str(one) for one in claim.obligations]
    assert sum(not part.holds for part in claim.parts) == failing
    assert all(part.discharged for part in claim.parts)


def test_every_statement_of_the_source_is_judged():
    assert set(VERDICTS) == set(STATEMENTS)


def test_statements_found_false_show_it(entries):
    for identifier, (verdict, _) in VERDICTS.items():
        shown = any(part.role is Role.COUNTEREXAMPLE for part in entries[identifier].claim.parts)
        assert shown == (verdict is ProofVerdict.PROVED_AMENDED)


@given(any_stream)
def test_the_distinct_count_is_that_of_the_elements_with_more_insertions(stream):
    for time, count in enumerate(distinct_counts(stream), start=1):
        balance = [sum(sign for one, sign in filter(None, stream[:time]) if one == element) for element in range(3)]
        assert count == sum(one > 0 for one in balance)


@given(any_stream)
def test_the_three_descriptions_of_flippancy_differ_by_as_much_as_is_proved(stream):
    w = flippancy(stream)
    assert w <= len(stream) - 1
    assert 2 * emptied(stream) - 1 <= w <= 2 * emptied(stream) + 1
    assert w <= contributions(stream) <= w + 1


@given(any_stream, st.sets(st.integers(0, 13)), st.integers(0, 2))
def test_item_neighbours_change_at_most_the_entries_that_are_proved(stream, places, element):
    gone = {place for place in places if place < len(stream) and (stream[place] or (None,))[0] == element}
    other = tuple(None if place in gone else entry for place, entry in enumerate(stream))
    assert changed_entries(stream, other) <= 2 * max(flippancy(stream), flippancy(other)) + 1
    assert (other in set(NEIGHBOURS["item"](stream))) == bool(gone)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", NEIGHBOURS)
def test_short_streams_of_several_elements_change_no_more_entries_than_those_of_one(model, kind):
    allowed = MODELS[model]
    most = {}
    for number in (1, 2):
        for stream in filter(allowed, (one for length in range(1, 5) for one in streams(length, number))):
            for other in filter(allowed, NEIGHBOURS[kind](stream)):
                at = number, max(flippancy(stream), flippancy(other))
                most[at] = max(most.get(at, 0), changed_entries(stream, other))
    assert all(count <= most[1, w] for (number, w), count in most.items() if number == 2)


@pytest.mark.more
def test_all_streams_of_six_entries_over_three_elements_keep_the_bounds():
    for stream in streams(6, 3):
        w = flippancy(stream)
        assert 2 * emptied(stream) - 1 <= w <= min(5, 2 * emptied(stream) + 1)
        for other in NEIGHBOURS["event"](stream):
            assert changed_entries(stream, other) <= 2 * max(w, flippancy(other)) + 1


def test_streams_up_to_names_are_all_streams():
    listed = {tuple(None if one is None else (names[one[0]], one[1]) for one in stream)
              for stream in streams(3, 2) for names in ((0, 1), (1, 0))}  # fmt: skip
    letters = [None, (0, 1), (0, -1), (1, 1), (1, -1)]
    assert listed == set(product(letters, repeat=3))


@given(st.integers(1, 30))
def test_the_examples_are_as_described(number):
    one, other = example(number)
    assert changed_entries(one, other) == number
    assert toggle(one)
    assert other in set(NEIGHBOURS["event"](one))
    assert all(map(strict, worst(number)))
    assert all(b in (a, None) for a, b in zip(*worst(number), strict=True))
    assert changed_entries(*worst(number)) == 2 * number + 1


@given(st.lists(st.integers(0, 1), min_size=1, max_size=20).map(tuple), st.integers(0, 6))
def test_a_truncated_vector_follows_the_vector_and_then_is_zero(bits, bound):
    cut = truncated(bits, bound)
    same = [one == other for one, other in zip(bits, cut, strict=True)]
    following = next((place for place in range(len(bits)) if flips(bits[: place + 1]) > bound), len(bits))
    assert all(same[:following])
    assert not any(cut[following:])


def test_existence_is_strictly_positive_counts():
    assert existence(((0, 1), (0, -1), (0, -1), (0, 1), (0, 1), (1, 1)), 0) == (1, 0, 0, 0, 1, 1)
