"""Streams, flippancy and the dyadic tree: definitions and machines against simpler computations."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_proofs.continual.claims.tree import SENSITIVITIES, distance, truncated_pairs
from pan_proofs.continual.dyadic_tree import (
    decomposition,
    differing_nodes,
    levels,
    node_values,
    padded_length,
)
from pan_proofs.continual.streams import (
    MODELS,
    NEIGHBOURS,
    PAIRS,
    both,
    changed_entries,
    changes,
    contributions,
    distinct_counts,
    emptied,
    existence,
    flippancy,
    flips,
    streams,
    truncated,
)
from pan_proofs.engines.gaussian_observations import GaussianObservation

entries_of_streams = st.none() | st.tuples(st.integers(0, 2), st.sampled_from((1, -1)))
any_stream = st.lists(entries_of_streams, min_size=1, max_size=14).map(tuple)


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


def test_streams_up_to_names_are_all_streams():
    listed = {tuple(None if one is None else (names[one[0]], one[1]) for one in stream)
              for stream in streams(3, 2) for names in ((0, 1), (1, 0))}  # fmt: skip
    letters = [None, (0, 1), (0, -1), (1, 1), (1, -1)]
    assert listed == set(product(letters, repeat=3))


@given(st.lists(st.integers(0, 1), min_size=1, max_size=20).map(tuple), st.integers(0, 6))
def test_a_truncated_vector_follows_the_vector_and_then_is_zero(bits, bound):
    cut = truncated(bits, bound)
    same = [one == other for one, other in zip(bits, cut, strict=True)]
    following = next((place for place in range(len(bits)) if flips(bits[: place + 1]) > bound), len(bits))
    assert all(same[:following])
    assert not any(cut[following:])


words = st.lists(st.sampled_from(PAIRS), min_size=1, max_size=40).map(tuple)
bounds = st.integers(1, 7)


@given(st.integers(1, 2**50))
def test_the_decomposition_covers_without_overlap_by_powers_that_fall(time):
    intervals = decomposition(time)
    sizes = [end - start for start, end in intervals]
    ends = [0, *(end for _, end in intervals)]
    assert [start for start, _ in intervals] == ends[:-1]
    assert ends[-1] == time
    assert sizes == sorted(set(sizes), reverse=True)
    assert all(size.bit_count() == 1 and start % size == 0 for (start, _), size in zip(intervals, sizes, strict=True))
    assert 2 ** len(intervals) <= time + 1


@given(words, bounds)
def test_the_machine_has_the_truncated_vectors_in_its_states(word, bound):
    machine = truncated_pairs(bound, events=False)
    vectors = [truncated(existence(stream, 0), bound) for stream in both(word)]
    for place in range(1, len(word) + 1):
        state, _ = machine.run(word[:place])
        assert state[-2:] == (vectors[0][place - 1], vectors[1][place - 1])


@given(words, bounds)
def test_every_pair_keeps_the_printed_and_the_derived_bound(word, bound):
    found, length = distance(word, bound), padded_length(len(word))
    height, rises = int(math.log2(length)), bound // 2 + 1
    assert found <= (8 * rises - 2) * height + 1
    assert found <= 8 * bound * (math.log2(len(word)) + 1)


@given(words, bounds)
def test_every_pair_keeps_the_bounds_on_flips_and_nodes(word, bound):
    one, other = (truncated(existence(stream, 0), bound) for stream in both(word))
    assert flips(one) <= bound + 1
    assert changes(one) <= 2 * (bound // 2 + 1)
    assert max(differing_nodes(one, other)) <= 2 * bound + 2


@given(st.lists(st.sampled_from(PAIRS), min_size=8, max_size=8).map(tuple), st.sampled_from(list(SENSITIVITIES)))
def test_no_pair_of_eight_entries_exceeds_the_exact_sensitivity(word, case):
    kind, bound = case
    if kind == "item" or sum(one != other for one, other in word) <= 1:
        assert distance(word, bound) <= SENSITIVITIES[case][3]


@given(st.lists(st.integers(0, 1), min_size=1, max_size=9).map(tuple))
def test_nodes_of_a_prefix_sum_to_the_vector(bits):
    values = {node: value for level, found in zip(levels(padded_length(len(bits))), node_values(bits), strict=True)
              for node, value in zip(level, found, strict=True)}  # fmt: skip
    for time, bit in enumerate(bits, start=1):
        assert sum(values[node] for node in decomposition(time)) == bit


def test_outputs_of_the_tree_lose_no_more_than_its_nodes():
    """The prefix sums of four leaves are a part of what the nodes tell, with unit noise at each node."""
    nodes = [node for level in levels(4) for node in level]
    of_nodes = [[int(start < place <= end) for place in range(1, 5)] for start, end in nodes]
    sums = [[int(node in decomposition(time)) for node in nodes] for time in range(1, 5)]
    prefix = [[int(place <= time) for place in range(1, 5)] for time in range(1, 5)]
    unit = [[int(row == column) for column in range(7)] for row in range(7)]
    change = (1, -1, 1, 0)
    outputs = GaussianObservation(prefix, sums, unit).loss(change)
    whole = GaussianObservation(of_nodes, unit, unit).loss(change)
    assert outputs <= whole
    assert 2 * whole == sum(sum(a * b for a, b in zip(row, change, strict=True)) ** 2 for row in of_nodes)
