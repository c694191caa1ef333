"""Distinct sampling has the distribution of its listing, also where an eviction leaves the sample full."""

import math
from collections import defaultdict
from fractions import Fraction

import pytest

from pan_audits.choices.enumerating import outcomes
from pan_estimators import pan_private_distinct_sampling
from pan_proofs.density.lemmas.hashing.distinct_sampling import LISTINGS, PRINTED, Sampler

CASES = [(2, 1, ((0, 1, 0),)), (4, 1, ((3,),)), (4, 2, ((0, 3),)), (4, 2, ((1,), (2,))), (3, 2, ((2, 0, 2),))]


def distribution_of_the_code(users, size, batches):
    """The distribution of the level and the members, by every random choice of the estimator."""
    estimator = pan_private_distinct_sampling(universe=users, epsilon=math.log(3 / 2), sample_size=size)

    def run(source):
        state = estimator.create(source)
        for ids in batches:
            state = estimator.update(state, list(ids), source)
        return state.level, frozenset(state.members.tolist())

    distribution = defaultdict(float)
    for chance, state, _ in outcomes(run):
        distribution[state] += float(chance)
    return distribution


def distribution_of_the_listing(users, size, batches, listing):
    sampler = Sampler(users, size, Fraction(3, 2), listing)
    distribution = defaultdict(float)
    for (_, state), chance in sampler.average_distribution([user for ids in batches for user in ids]).items():
        distribution[state] += float(chance)
    return {state: chance for state, chance in distribution.items() if chance}


@pytest.mark.parametrize(("users", "size", "batches"), CASES)
def test_the_code_has_the_distribution_of_the_listing(users, size, batches):
    assert distribution_of_the_code(users, size, batches) == pytest.approx(
        distribution_of_the_listing(users, size, batches, PRINTED)
    )


def test_the_distribution_of_a_repeated_check_is_another_one():
    printed, repeated = (distribution_of_the_listing(4, 2, ((0, 3),), listing) for listing in LISTINGS)
    assert any(len(members) >= 2 for _, members in printed)
    assert not any(len(members) >= 2 for _, members in repeated)
