"""The proved losses and verdicts are those of the shipped code: its exact check, and the standing of its promises."""

from __future__ import annotations

import json
import math

import pytest
import sympy as sp
from jsonschema import ValidationError

from experiments.density.losses import losses_of_published, without_parameters
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_estimators import ESTIMATORS, ESTIMATORS_OF_IDS, InputError, create_estimator
from pan_estimators.common.estimator import Standing, standing_of
from pan_estimators.common.registry import with_budget
from pan_estimators.density.published import REFUTED_PROMISES
from pan_proofs.density.lemmas.published_losses import bernoulli_family_loss, epsilon, loss_table
from pan_proofs.engines.balls import bounds
from pan_proofs.ledger.claim import ProofVerdict
from tests.command import validate


@pytest.mark.parametrize("epsilon", [0.1, pytest.param(0.5, marks=pytest.mark.more)])
def test_the_code_loses_what_the_formulas_say(epsilon):
    scope = CheckSettings(users=2, length=3, sample_size=2, appearances=3)
    for row in losses_of_published(epsilon):
        loss = run_check(SmallInstances(row.entry.name, with_budget(row.entry.name, epsilon, {})), scope).loss
        assert loss.unbounded == math.isinf(row.loss), row.entry.name
        if not loss.unbounded:
            assert loss.nats == pytest.approx(row.loss, rel=1e-9), row.entry.name


def test_where_the_promises_hold():
    holds = {row.entry.name: row.holds_from for row in losses_of_published(0.1)}
    assert [name for name, value in holds.items() if value is not None] == ["quantized-laplace", "announced-intrusions"]
    assert 2.72 < holds["quantized-laplace"] < 2.73
    assert 2.5 < holds["announced-intrusions"] < 3
    assert set(holds) <= set(ESTIMATORS)


def test_estimators_without_parameters_there_are_left_out():
    assert "dwork" not in {row.entry.name for row in losses_of_published(2.5)}
    assert without_parameters(2.5)["dwork"] <= 2.5
    assert without_parameters(0.1) == {}
    with pytest.raises(InputError):
        losses_of_published(0.0)


def test_the_document_of_the_command_follows_its_schema(experiments):
    for parameter in ("0.1", "log(3/2)"):
        found = json.loads(experiments("losses", "--parameter", parameter, "--json").out)
        assert found["panproof"] == 1
        validate("losses", found)
    with pytest.raises(ValidationError):
        validate("losses", found["estimators"])
    assert "numbers that a double can hold" in experiments("losses", "--parameter", f"log({'9' * 400})").one_sentence()


BUDGETS = (sp.Rational(1, 1000), sp.Rational(1, 20), sp.Rational(3, 10), sp.Rational(1, 2))
"""From small ones to the largest for which the sources promise something."""


def made(name, budget=0.3):
    if name == "exact-counter":
        return create_estimator(name, universe=100)
    return create_estimator(name, **with_budget(name, budget, {"universe": 100, "sample_size": 10}))


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
