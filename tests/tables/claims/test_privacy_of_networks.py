"""Privacy of learned networks by numpy and by lists of all tables, without the engines of the proofs."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest

RECORDS = list(product((0, 1), repeat=3))


def information(table, one, parents):
    """The empirical mutual information in nats."""
    table = np.array(table)
    size = len(table)

    def entropy(columns):
        found = Counter(map(tuple, table[:, list(columns)]))
        return -sum(c / size * math.log(c / size) for c in found.values())

    return entropy([one]) + entropy(parents) - entropy([one, *parents]) if parents else 0.0


def structure_distribution(table, degree, weight):
    """The distribution of the structure of three attributes, of which the first is chosen first."""
    distribution = {((0,), ()): 1.0}
    for _ in range(2):
        after: dict = {}
        for (chosen, pairs), chance in distribution.items():
            options = [
                (one, parents)
                for one in range(3)
                if one not in chosen
                for size in range(min(degree, len(chosen)) + 1)
                for parents in combinations(sorted(chosen), size)
            ]
            weights = [weight(information(table, *option)) for option in options]
            for option, one in zip(options, weights, strict=True):
                place = ((*chosen, option[0]), (*pairs, option))
                share = one / sum(weights) if sum(weights) else 1 / len(options)
                after[place] = after.get(place, 0.0) + chance * share
        distribution = after
    return distribution


def largest_loss(records, degree, weight):
    """The largest log ratio of the distributions over all pairs of tables of which the last record differs."""
    found = 0.0
    for common in product(RECORDS, repeat=records - 1):
        distributions = [structure_distribution((*common, last), degree, weight) for last in RECORDS]
        for one, other in product(distributions, distributions):
            for place, chance in one.items():
                if chance > 1e-12:
                    rest = other.get(place, 0.0)
                    found = max(found, math.log(chance / rest) if rest > 1e-12 else math.inf)
    return found


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("budget", [0.5, 2.0])
def test_exponential_weights_keep_the_budget_of_the_structure(degree, budget):
    records = 2
    # The first branch of the sensitivity holds for binary attributes against any parents.
    sensitivity = (records * math.log(records)) / records
    loss = largest_loss(records, degree, lambda score: math.exp(score * budget / (2 * 2 * sensitivity)))
    assert 0.1 * budget < loss <= budget + 1e-9


def test_weights_in_proportion_to_the_score_leak_without_bound():
    assert largest_loss(2, 1, lambda score: max(score, 0.0)) == math.inf


@pytest.mark.parametrize(("records", "degree"), [(1, 1), (2, 1), (3, 1), (2, 2)])
def test_all_counts_change_by_two_for_each_set_of_attributes(records, degree):
    sets = list(combinations(range(3), degree + 1))
    most, most_of_one = 0, 0
    for common in product(RECORDS, repeat=records - 1):
        for old, new in product(RECORDS, repeat=2):
            changes = []
            for chosen in sets:
                one, other = (Counter(tuple(r[c] for c in chosen) for r in (*common, last)) for last in (old, new))
                changes.append(sum(abs(one[v] - other[v]) for v in set(one) | set(other)))
            most, most_of_one = max(most, sum(changes)), max(most_of_one, *changes)
    assert most_of_one == 2
    assert most == 2 * math.comb(3, degree + 1)


@pytest.mark.parametrize(("records", "within"), [(2, True), (9, True), (10, False)])
def test_a_vote_with_the_sensitivity_of_more_records_exceeds_its_share(records, within):
    sensitivity = (records * math.log(records) - (records - 1) * math.log(records - 1)) / records
    one, other = ((0, 0, 0), (1, 1, 0)), ((0, 0, 0), (1, 0, 1))

    def chance(table):
        scores = [information(table, *option) for option in ((1, ()), (1, (0,)), (2, ()), (2, (0,)))]
        weights = np.exp(np.array(scores) / (2 * sensitivity))
        return weights[1] / weights.sum()

    assert bool(chance(one) / chance(other) <= math.e) is within


def test_noise_of_two_scales_tells_the_number_of_records():
    """The density of the noise on a frequency of 0, for n and n + 1 records."""
    attributes, records, budget = 3, 50, 1.0
    scales = [2 * attributes / (size * budget) for size in (records, records + 1)]

    def loss(y):
        return (-y / scales[0] - math.log(scales[0])) - (-y / scales[1] - math.log(scales[1]))

    assert loss(0.1) < budget < loss(10.0)
    assert loss(10.0) == pytest.approx(math.log(records / (records + 1)) + budget * 10 / (2 * attributes))


@pytest.mark.parametrize(("unit", "kept"), [(1.0, True), (math.log(2), False)])
def test_a_score_in_bits_with_a_sensitivity_in_nats_loses_more_than_its_share(unit, kept):
    zeros = (0,) * 8
    chances = []
    for second in ((1, 1, 0, 0, 0, 0, 0, 0), (1, 0, 1, 1, 1, 1, 1, 1)):
        scores = [information((zeros, second), one, [0]) for one in range(1, 8)] + [0.0] * 7
        weights = [math.exp(score / unit / (2 * math.log(2))) for score in scores]
        chances.append(weights[0] / sum(weights))
    assert (math.log(chances[0] / chances[1]) <= 1) is kept
