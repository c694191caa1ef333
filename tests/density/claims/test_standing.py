"""The standing of a shipped promise is what the proofs say, which a production installation does not have."""

from __future__ import annotations

import pytest
import sympy as sp

from pan_estimators import ESTIMATORS_OF_IDS, create_estimator
from pan_estimators.common.estimator import Standing, standing_of
from pan_estimators.density.published import REFUTED_PROMISES
from pan_proofs.density.lemmas.losses.published_losses import bernoulli_family_loss, epsilon, loss_table
from pan_proofs.engines.balls import bounds
from pan_proofs.ledger.claim import ProofVerdict

BUDGETS = (sp.Rational(1, 1000), sp.Rational(1, 20), sp.Rational(3, 10), sp.Rational(1, 2))
"""From small ones to the largest for which the sources promise something."""


def made(name, budget=0.3):
    if name == "exact-counter":
        return create_estimator(name, universe=100)
    return create_estimator(name, universe=100, epsilon=budget, sample_size=10)


@pytest.mark.parametrize("name", ESTIMATORS_OF_IDS)
def test_a_promise_is_refuted_if_the_loss_exceeds_it(name):
    for budget in BUDGETS:
        estimator = made(name, float(budget))
        if estimator.promise is None:
            assert standing_of(estimator) is Standing.NONE
            continue
        losses = [row for row in loss_table(budget) if row.name == name]
        exceeded = any(row.least > row.promised for row in losses)
        assert (standing_of(estimator) is Standing.REFUTED) == exceeded


@pytest.mark.parametrize("centre", ["1/100", "1/2", "4/5"])
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_family_exceeds_its_promise_for_every_centre(centre, budget):
    loss = bernoulli_family_loss(sp.Rational(centre)).loss
    assert bounds(loss, {epsilon: budget})[0] > 2 * budget


@pytest.mark.parametrize("name", ESTIMATORS_OF_IDS)
def test_a_promise_that_is_told_to_be_proved_is_proved(name, entries):
    estimator = made(name)
    if standing_of(estimator) is Standing.PROVED:
        assert entries[estimator.promise.claim].verdict is ProofVerdict.PROVED


def test_every_refuted_claim_is_a_refuted_promise(entries):
    refuted = {name for name, entry in entries.items() if entry.verdict is ProofVerdict.REFUTED}
    assert refuted < REFUTED_PROMISES
    assert all(entries[name].verdict is ProofVerdict.PROVED_AMENDED for name in REFUTED_PROMISES - refuted)
