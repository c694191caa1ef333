"""The gate on synthesizers of other people, judged by samples alone."""

from __future__ import annotations

import json

import pytest

from pan_audits.gating.gate import run_gate
from pan_audits.inputs.tables.sampled import summary
from pan_audits.intake.discovery import find_variant
from pan_audits.judging.settings import Settings
from pan_audits.judging.verdict import Verdict
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.schema import Attribute, Schema
from pan_promises.errors import InputError
from pan_promises.promise import Promise
from tests.tables.synthesizers import DOMAINS

SCHEMA = Schema(tuple(Attribute(name, tuple(values)) for name, values in DOMAINS.items()))
PROBLEM = SCHEMA.problem(3)
PROMISE = Promise.parse("epsilon=1,adjacency=replace-row,public=n+schema,observed=sample")
QUICK = Settings(runs=9_000, confirmation_runs=4_000, seed=5, workers=1, exact=False, accuracy_runs=0, hygiene=False)
BROKEN = (
    "TooLittleNoise",
    "DomainOfTheData",
    "NoiseOnOneSide",
    "RowsOfTheData",
    "NumberOfRows",
    "DecidesByTheData",
)


def judged(name):
    inputs = json.dumps(PROBLEM.to_dict())
    variant = find_variant(
        f"tests.tables.synthesizers:{name}", parameters={"epsilon": 1.0}, promise=PROMISE, inputs=inputs
    )
    return run_gate(variant, QUICK)


@pytest.mark.more
@pytest.mark.parametrize("name", BROKEN)
def test_broken_synthesizers_are_refuted_from_samples_alone(name):
    report = judged(name)
    assert report.verdict is Verdict.REFUTED
    assert report.privacy.loss > 1


@pytest.mark.more
@pytest.mark.parametrize("name", ["Margins", "Joint", "Uniform"])
def test_correct_synthesizers_are_not_refuted(name):
    # The error budget is 1e-6 for each.
    assert judged(name).verdict is Verdict.NOT_REFUTED


def test_a_sample_is_seen_by_its_counts():
    found = summary([[0, "x"], [1, "x"], [1, "z"]], PROBLEM)
    assert (found["rows"], found["outside"]) == (3, {"a": 0, "b": 1})
    assert found["counts"] == {"a": [1, 2], "b": [2, 0]}
    assert found["pairs"] == {"a": {"b": [1, 0, 1, 0]}}
    assert summary({"b": ["x"], "c": [1]}, PROBLEM)["other columns"] == 1
    assert summary([], PROBLEM)["rows"] == 0


def test_a_mechanism_without_a_sample_has_no_promise_about_one():
    variant = find_variant("noisy-joints", parameters={"epsilon": 1.0}, promise=PROMISE)
    with pytest.raises(InputError, match="a mechanism with a method post_process"):
        variant.estimator.release("[[0,0,0]] sample", NumpyRandomness(0))
