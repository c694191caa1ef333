"""The proved formulas, as numbers, are those of the exact check of the code."""

import json
import math

import pytest
import sympy as sp
from jsonschema import ValidationError

from experiments.density.losses import losses_of_published, without_parameters
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_estimators import ESTIMATORS, InputError
from pan_proofs import loss_table
from tests.command import validate


@pytest.mark.parametrize("epsilon", [0.1, pytest.param(0.5, marks=pytest.mark.more)])
def test_the_code_loses_what_the_formulas_say(epsilon):
    scope = CheckSettings(users=2, length=3, sample_size=2, appearances=3)
    for row in losses_of_published(epsilon):
        loss = run_check(SmallInstances(row.entry.name, {"epsilon": epsilon}), scope).loss
        assert loss.unbounded == math.isinf(row.loss), row.entry.name
        if not loss.unbounded:
            assert loss.nats == pytest.approx(row.loss, rel=1e-9), row.entry.name


def test_the_numbers_lie_within_the_rigorous_bounds():
    rows = {row.entry.name: row.loss for row in losses_of_published(0.1)}
    for enclosed in loss_table(sp.Rational(1, 10)):
        assert enclosed.least - 1e-9 <= rows[enclosed.name] <= enclosed.most + 1e-9


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
    for epsilon in ("0.1", "log(3/2)"):
        found = json.loads(experiments("losses", "--parameter", epsilon, "--json").out)
        assert found["panproof"] == 1
        validate("losses", found)
    with pytest.raises(ValidationError):
        validate("losses", found["estimators"])
    assert "numbers that a double can hold" in experiments("losses", "--parameter", f"log({'9' * 400})").one_sentence()
