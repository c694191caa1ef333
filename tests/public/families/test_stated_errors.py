"""What a family states about estimands of its own is tested, and no neutral file knows them."""

from __future__ import annotations

import json
import math

import pytest
from jsonschema import Draft202012Validator

from pan_audits.accuracy import audit_accuracy
from pan_audits.audit.sampler import Sampler
from pan_audits.audit.settings import Settings
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.reports.html.accuracies import accuracy_drawings
from pan_audits.reports.junit import junit
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators import InputError, Quantity
from pan_promises.families import register, withdraw
from tests.command import schema_of
from tests.public.families import stated_errors
from tests.public.families.stated_errors import HERE, Turnstile, variance

QUICK = Settings(runs=1000, seed=5, workers=1, exact=False, accuracy_runs=1500, confirmation_runs=300, hygiene=False)


@pytest.fixture(autouse=True)
def family():
    register("pan_estimators", stated_errors.ESTIMATORS)
    register("pan_audits", stated_errors.AUDITS)
    yield
    withdraw("pan_estimators", "stated_errors")
    withdraw("pan_audits", "stated_errors")


def gated(name, **parameters):
    return run_gate(find_mechanism(name, parameters=parameters), QUICK)


def refuted(results):
    return {result.statement.quantity for result in results if result.verdict is Verdict.REFUTED}


@pytest.mark.more
@pytest.mark.parametrize("name", ["stated-count", f"{HERE}:StatedCount", f"{HERE}:NamedCount"])
def test_a_stated_error_of_a_count_is_kept_where_it_is_right_and_refuted_where_it_is_wrong(name):
    """In this process, in a process of its own, and with an estimand that is given by its name alone."""
    kept = gated(name)
    assert {result.verdict for result in kept.accuracy} == {Verdict.NOT_REFUTED}, kept.reason
    by_quantity = {result.statement.quantity: result for result in kept.accuracy}
    right = variance(math.exp(-1))
    assert by_quantity[Quantity.VARIANCE].stated == pytest.approx(right)
    assert by_quantity[Quantity.VARIANCE].measured == pytest.approx(right, rel=0.25)
    wrong = gated(name, share=0.4)
    assert refuted(wrong.accuracy) == {Quantity.VARIANCE}
    assert wrong.verdict is Verdict.REFUTED
    assert "variance from smokers on table 1, all rows equal = " in wrong.reason


def test_a_stated_bias_of_a_count_is_refuted():
    assert refuted(gated("stated-count", bias=1.0).accuracy) == {Quantity.BIAS}


def test_every_report_shows_the_input_of_a_table():
    report = gated("stated-count")
    document = json.loads(json.dumps(report.to_dict()))
    labels = [one["input"] for one in document["accuracy"]]
    assert labels[0] == "table 1, all rows equal"
    assert len(set(labels)) == len(labels) / 2 > 3
    validator = Draft202012Validator(schema_of("gate"))
    validator.validate(document)
    del document["accuracy"][0]["input"]
    assert not validator.is_valid(document)
    assert "toy.count variance at table 1, all rows equal" in junit([report])
    assert len(accuracy_drawings(report.accuracy)) == 2


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [({}, set()), ({"share": 0.8}, {Quantity.MEAN_SQUARED_ERROR}), ({"worst": 0.05}, {Quantity.ERROR_PROBABILITY})],
)
def test_the_error_of_all_outputs_of_a_turnstile_count_is_tested(wrong, expected):
    """One output deviates by 4 or more with probability 1/12, and one of six with probability 0.41."""
    estimator = Turnstile(**{"worst": 0.42, **wrong})
    results = audit_accuracy(estimator, Sampler(None), ErrorBudget(), entropy=1, runs=5000)
    assert refuted(results) == expected, [result.describe() for result in results]
    assert len(results) == 2
    square, worst = results
    assert square.measured == pytest.approx(variance(0.5), rel=0.1)
    assert worst.measured == pytest.approx(1 - (11 / 12) ** 6, abs=0.03)


def test_an_unknown_estimand_is_one_sentence_with_a_suggestion():
    with pytest.raises(InputError) as failure:
        gated(f"{HERE}:MisspeltCount")
    told = str(failure.value)
    assert told.startswith(f"{HERE}:MisspeltCount states an error about an unknown estimand 'SMOKRES'; ")
    assert "did you mean SMOKERS? known are SAMPLED_DENSITY, DENSITY, SMOKERS, WORST_OUTPUT, ALL_OUTPUTS" in told
    assert "\n" not in told
