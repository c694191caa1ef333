"""The calibrated tree: its promise by the exact check, its margins, and its error beside the printed network."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.intake.discovery import find_variant
from pan_audits.judging.verdict import Verdict
from pan_estimators import create_estimator
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.schema import Attribute, Schema, binary
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError

SCHEMA = Schema(tuple(Attribute(f"c{place}", tuple(range(2 + place % 3))) for place in range(8)))


def correlated(rows):
    chance = np.random.default_rng(0)
    codes = np.zeros((rows, len(SCHEMA.sizes)), dtype=np.int64)
    for place, size in enumerate(SCHEMA.sizes):
        weights = np.arange(1, size + 1) / np.arange(1, size + 1).sum()
        fresh = chance.choice(size, rows, p=weights)
        parent = codes[:, chance.integers(max(1, place))] % size
        codes[:, place] = np.where(chance.random(rows) < (0.6 if place else 0), parent, fresh)
    return Table(SCHEMA, codes)


def error(table, model, source):
    """The mean total variation of the two-way marginals."""
    other = model.sample(40_000, source)
    pairs = list(combinations(range(len(SCHEMA.sizes)), 2))
    return np.mean([abs(table.counts(p) / table.rows - other.counts(p) / other.rows).sum() / 2 for p in pairs])


def errors(name, table, epsilon):
    mechanism = create_estimator(name, epsilon=epsilon, schema=SCHEMA)
    sources = [NumpyRandomness(seed) for seed in range(4)]
    return [error(table, mechanism.post_process(mechanism.release(table, source)), source) for source in sources]


def test_the_promise_is_kept_on_all_small_tables():
    variant = find_variant("calibrated-tree", parameters={"epsilon": 1.0, "schema": json.dumps(binary(2).to_dict())})
    result = run_check(SmallInstances.of(variant), CheckSettings(users=2, length=1, seconds=100))
    assert (result.verdict, result.exact) == (Verdict.NOT_REFUTED, True)
    # The single and the joint counts use their shares of 0.1 and 0.6 fully.
    assert 0.7 < result.loss.nats < 1


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_its_error_is_less_than_that_of_privbayes(epsilon):
    table = correlated(10_000)
    ours, theirs = errors("calibrated-tree", table, epsilon), errors("privbayes", table, epsilon)
    assert np.mean(ours) < (0.9 if epsilon < 1 else 0.4) * np.mean(theirs)


def test_all_estimates_of_a_margin_agree_after_post_processing():
    table = correlated(2_000)
    mechanism = create_estimator("calibrated-tree", epsilon=1e6, schema=SCHEMA)
    model = mechanism.post_process(mechanism.release(table, NumpyRandomness(1)))
    sampled = model.sample(100_000, NumpyRandomness(2))
    for place in range(len(SCHEMA.sizes)):
        shares = sampled.counts((place,)) / sampled.rows
        assert shares == pytest.approx(table.counts((place,)) / table.rows, abs=0.02)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.5, 0.5, 0.5), (1.0, 0.0, 0.0), "abc", (0.2, 0.3, float("nan"))])
def test_bad_shares_give_one_sentence(shares):
    with pytest.raises(InputError, match="the shares are three positive numbers with the sum 1"):
        create_estimator("calibrated-tree", epsilon=1.0, schema=SCHEMA, shares=shares)
