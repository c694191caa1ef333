"""The mechanisms and reductions of the turnstile model: false statements, and the models on larger inputs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.continual.claims.adaptive import Doubling
from pan_proofs.continual.claims.insertion_only import event_distance, first_insertions
from pan_proofs.continual.claims.recompute import drift, held
from pan_proofs.continual.claims.reductions import (
    averages,
    inner_product,
    inner_products,
    item_distance,
    marginals,
    stream_of_queries,
    stream_of_records,
)
from pan_proofs.continual.claims.sparse_vector import printed, tail
from pan_proofs.continual.dyadic_tree import padded_length, squared_distance
from pan_proofs.continual.streams import (
    distinct_counts,
    elements,
    existence,
    flippancy,
    flips,
    last_entries,
    strict,
    toggle,
    truncated,
)

entries_of_streams = st.none() | st.tuples(st.integers(0, 2), st.sampled_from((1, -1)))
any_stream = st.lists(entries_of_streams, min_size=1, max_size=16).map(tuple)
bits = st.integers(0, 1)


@st.composite
def data_and_queries(draw):
    size = draw(st.integers(1, 8))
    row = st.tuples(*[bits] * size)
    return draw(row), tuple(draw(st.lists(row, min_size=1, max_size=4)))


@st.composite
def records(draw):
    size = draw(st.integers(1, 5))
    return tuple(draw(st.lists(st.tuples(*[bits] * size), min_size=1, max_size=6)))


@given(data_and_queries())
def test_algorithm_4_answers_inner_products_on_strict_streams(case):
    data, queries = case
    stream = stream_of_queries(data, queries)
    assert len(stream) == (2 * len(queries) + 1) * len(data)
    assert strict(stream)
    assert flippancy(stream) <= 2 * len(queries)
    assert inner_products(distinct_counts(stream), queries) == tuple(inner_product(data, query) for query in queries)


@given(records())
def test_algorithm_5_releases_marginals_on_streams_that_toggle(table):
    stream = stream_of_records(table)
    assert toggle(stream)
    assert flippancy(stream) <= 2 * len(table[0])
    assert marginals(distinct_counts(stream), len(table), len(table[0])) == averages(table)


@given(records(), st.data())
def test_a_replaced_row_is_two_steps_of_items_at_most(table, data):
    place = data.draw(st.integers(0, len(table) - 1))
    row = data.draw(st.tuples(*[bits] * len(table[0])))
    other = (*table[:place], row, *table[place + 1 :])
    lowered = all(a >= b for a, b in zip(table[place], row, strict=True))
    raised = all(a <= b for a, b in zip(table[place], row, strict=True))
    expected = 0 if table == other else 1 if lowered or raised else 2
    assert item_distance(stream_of_records(table), stream_of_records(other)) == expected


@given(any_stream, st.integers(1, 4))
def test_the_truncation_misses_no_more_elements_than_exceed_the_bound(stream, bound):
    vectors = [existence(stream, element) for element in elements(stream)]
    for time in range(len(stream)):
        missed = sum(vector[time] - truncated(vector, bound)[time] for vector in vectors)
        assert 0 <= missed <= sum(flips(vector[: time + 1]) > bound for vector in vectors)


@given(any_stream, st.integers(0, 15))
def test_the_last_entries_of_event_neighbours_change_few_nodes(stream, place):
    place %= len(stream)
    other = (*stream[:place], None, *stream[place + 1 :])
    found = sum(squared_distance(last_entries(stream, one), last_entries(other, one)) for one in range(3))
    assert found <= 2 * padded_length(len(stream)).bit_length()


@given(any_stream, st.integers(1, 16))
def test_the_held_count_drifts_by_less_than_the_period(stream, period):
    counts = distinct_counts(stream)
    assert drift(counts, period) <= period - 1
    assert held(counts, 1) == counts


@given(st.lists(st.none() | st.tuples(st.integers(0, 2), st.just(1)), min_size=1, max_size=12).map(tuple),
       st.integers(0, 2), st.sets(st.integers(0, 11)))  # fmt: skip
def test_first_insertions_of_item_neighbours_are_two_steps_apart(stream, element, places):
    other = tuple(
        None if place in places and entry is not None and entry[0] == element else entry
        for place, entry in enumerate(stream)
    )
    assert event_distance(first_insertions(stream), first_insertions(other)) <= 2
    assert distinct_counts(first_insertions(stream)) == distinct_counts(stream)


@settings(max_examples=40)
@given(any_stream.filter(lambda stream: len(stream) <= 8), st.fractions(Fraction(1, 4), 2, max_denominator=4))
def test_every_accurate_run_keeps_claim_3_9(stream, error):
    loop = Doubling(Fraction(1), error)
    if flippancy(stream) >= 1 or 2 * error**2 >= 1:
        assert loop.largest(stream) <= loop.most(flippancy(stream))


def test_the_exact_distribution_of_the_sparse_vector_technique_is_that_of_its_code():
    """With 40,000 runs a correct distribution fails with probability below 1e-6 by Hoeffding's bound."""
    generator, root, cutoff, queries = np.random.default_rng(7), Fraction(1, 2), 1, (0, -1, 1)
    distribution, runs = printed(cutoff, root).distribution(queries), 40_000

    def noise(ratio, size):
        # The difference of two geometric variables is two-sided geometric.
        return generator.geometric(1 - ratio, size) - generator.geometric(1 - ratio, size)

    threshold, noises = noise(float(root) ** (2 * cutoff), runs), noise(float(root), (runs, len(queries)))
    counted = dict.fromkeys(distribution, 0)
    for z, row in zip(threshold, noises, strict=True):
        answers, above = [], 0
        for query, added in zip(queries, row, strict=True):
            answers.append(int(above < cutoff and query + added >= z))
            above += answers[-1]
        counted[tuple(answers)] += 1
    bound = np.sqrt(np.log(2 * len(distribution) / 1e-6) / (2 * runs))
    assert all(abs(count / runs - float(distribution[answers])) <= bound for answers, count in counted.items())


@given(st.integers(-20, 20))
def test_the_tail_of_the_noise_is_the_sum_of_its_probabilities(least):
    ratio = Fraction(1, 3)
    weight = (1 - ratio) / (1 + ratio)
    assert tail(ratio, least) - tail(ratio, least + 1) == weight * ratio ** abs(least)
