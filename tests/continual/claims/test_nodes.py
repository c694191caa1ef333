"""The dyadic tree and the sensitivity of its nodes: the machines against the definitions, on larger streams too."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_proofs.continual.claims.gaussian_mechanism import independent
from pan_proofs.continual.claims.node_sensitivity import SENSITIVITIES, distance, tree
from pan_proofs.continual.dyadic_tree import (
    decomposition,
    differing_nodes,
    levels,
    node_values,
    padded_length,
    squared_distance,
)
from pan_proofs.continual.flippancy import changes, flips, truncated
from pan_proofs.continual.pair_machines import PAIRS, both, truncated_pairs
from pan_proofs.continual.streams import existence
from pan_proofs.engines.gaussian_observations import GaussianObservation

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


@pytest.mark.more
@pytest.mark.parametrize("bound", [1, 2, 3])
def test_a_random_search_comes_near_the_exact_sensitivity_of_eight_leaves_and_never_above(bound):
    """60,000 random words of the 390,625: the largest squared distance is at most 2 below the exact one."""
    generator, best = np.random.default_rng(bound), 0
    for _ in range(60_000):
        best = max(best, distance(tuple(PAIRS[one] for one in generator.integers(0, 5, 8)), bound))
    assert best <= SENSITIVITIES["item", bound][3]
    assert best >= SENSITIVITIES["item", bound][3] - 2


@pytest.mark.slow
def test_sixteen_leaves_by_dynamic_programming():
    assert [tree("item", bound).greatest(4) for bound in (1, 2, 3)] == [19, 27, 31]


@given(st.lists(st.integers(0, 1), min_size=1, max_size=9).map(tuple))
def test_nodes_of_a_prefix_sum_to_the_vector(bits):
    values = {node: value for level, found in zip(levels(padded_length(len(bits))), node_values(bits), strict=True)
              for node, value in zip(level, found, strict=True)}  # fmt: skip
    for time, bit in enumerate(bits, start=1):
        assert sum(values[node] for node in decomposition(time)) == bit


def test_trees_have_a_power_of_two_of_leaves():
    with pytest.raises(ValueError, match="power of 2"):
        levels(6)


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


def test_the_divergence_of_the_gaussian_mechanism_is_that_of_numerical_integration():
    alpha, distance_of_means, variance = 3.0, 1.5, 2.0
    at = np.linspace(-60, 60, 400_001)
    log_p, log_q = (-((at - mean) ** 2) / (2 * variance) for mean in (0, distance_of_means))
    powers = np.exp(alpha * log_p + (1 - alpha) * log_q) / np.sqrt(2 * np.pi * variance)
    integral = np.sum(powers) * (at[1] - at[0])
    expected = alpha * float(independent(1, 2).loss((1,))) * distance_of_means**2
    assert np.log(integral) / (alpha - 1) == pytest.approx(expected, rel=1e-6)


def test_squared_distance_of_equal_vectors_is_zero():
    assert squared_distance((1, 0, 1), (1, 0, 1)) == 0
