"""The gate on synthesizers of other people, judged by samples alone, and on shipped ones and their broken twins."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from pan_audits.audit.settings import Settings
from pan_audits.conduct.memory import survey
from pan_audits.events.observing.features import MOST_COLUMNS, observation_features, opaque_parts
from pan_audits.events.observing.subject import subject_of
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.problems.inputs.tables.sampled import summary
from pan_audits.problems.inputs.tables.tables import audited_tables
from pan_audits.reports.html import losses
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.schema import Attribute, Schema
from pan_promises.adjacency import Adjacency
from pan_promises.promise import Observed, Promise
from tests.public.tables.broken import TWO, NoiseOfOneCount, NoiseOfShares, a_member
from tests.public.tables.synthesizers import DOMAINS

SCHEMA = Schema(tuple(Attribute(name, tuple(values)) for name, values in DOMAINS.items()))
PROBLEM = SCHEMA.problem(3)
PROMISE = Promise.parse("epsilon=1,adjacency=replace-row,public=n+schema,observed=sample")


def found(name, problem=PROBLEM):
    inputs = json.dumps(problem.to_dict())
    return find_mechanism(
        f"tests.public.tables.synthesizers:{name}", parameters={"epsilon": 1.0}, promise=PROMISE, inputs=inputs
    )


FEW = Settings(runs=3_000, confirmation_runs=1_000, seed=5, workers=1, exact=False, accuracy_runs=0, hygiene=False)
SAMPLE = "epsilon=1,adjacency=replace-row,public=n+schema,observed=sample,intrusions=0"
BROKEN = ["TooLittleNoise", "DomainOfTheData", "NoiseOnOneSide", "RowsOfTheData", "NumberOfRows", "DecidesByTheData"]
# The error budget of one that is correct is 1e-6.
CASES = [
    *((name, {}, (6_000, 1_000), Verdict.REFUTED) for name in BROKEN),
    *((name, {}, (9_000, 4_000), Verdict.NOT_REFUTED) for name in ("Margins", "Uniform")),
    ("printed-majority-vote", {"epsilon": 1.0, "rows": 4}, (12_000, 2_000), Verdict.REFUTED),
    ("noisy-majority-vote", {"epsilon": 1.0, "rows": 4}, (12_000, 2_000), Verdict.NOT_REFUTED),
    ("calibrated-tree", {"epsilon": 1.0, "rows": 4, "promise": SAMPLE}, (12_000, 2_000), Verdict.NOT_REFUTED),
    (NoiseOfShares, {"epsilon": 1.0, "rows": 32}, (4_000, 1_000), Verdict.REFUTED),
    ("calibrated-tree", {"epsilon": 1.0, "rows": 32}, (4_000, 1_000), Verdict.NOT_REFUTED),
    (NoiseOfOneCount, {"rho": 2.0, "rows": 2}, (3_500, 800), Verdict.REFUTED),
]


def judged(mechanism, runs, promise=None, **parameters):
    """The report of a gate on a synthesizer of another author from samples alone, or on a shipped one or its twin."""
    settings = replace(FEW, runs=runs[0], confirmation_runs=runs[1])
    if not parameters:
        return run_gate(found(mechanism), settings)
    stated = promise and Promise.parse(promise)
    with a_member(mechanism) as name:
        return run_gate(find_mechanism(name, parameters={"schema": TWO, **parameters}, promise=stated), settings)


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "parameters", "runs", "verdict"), CASES)
def test_broken_mechanisms_are_refuted_and_correct_ones_are_not(mechanism, parameters, runs, verdict):
    report = judged(mechanism, runs, **parameters)
    assert report.verdict is verdict, report.reason


@pytest.mark.slow
def test_a_message_about_too_few_runs_names_a_number_that_is_enough():
    report = judged("calibrated-tree", (2_000, 1_000), rho=2.0, rows=32)
    assert report.verdict is Verdict.INCONCLUSIVE
    (needed,) = re.findall(r"allow more with --runs (\d+)$", report.reason)
    assert judged("calibrated-tree", (int(needed), 1_000), rho=2.0, rows=32).verdict is Verdict.NOT_REFUTED


def test_every_observation_has_a_name_on_the_page():
    assert set(losses._WHOLE) == set(Observed)


@pytest.mark.more
@pytest.mark.parametrize(("observed", "seen"), [("model", "the model"), ("sample", "sampled rows")])
def test_a_gate_on_tables_has_a_page(panproof, tmp_path, observed, seen):
    schema, page = tmp_path / "schema.json", tmp_path / "page.html"
    schema.write_text(TWO)
    given = ("--schema", schema, "--epsilon", 1, "--runs", 800, "--seed", 1, "--html", page)
    promise = f"epsilon=1,adjacency=replace-row,observed={observed}"
    panproof("audit", "noisy-shared-model", *given, "--promise", promise)
    assert seen in page.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "check", "words"),
    [
        ("FixedSeed", "fixed seed", "default_rng(0) in line"),
        ("FixedSeedOfTheSample", "fixed seed", "default_rng(seed=5) in line"),
        ("Joint", "global generator", "numpy.random"),
        ("Margins", "", ""),
    ],
)
def test_fixed_seeds_and_global_generators_are_findings(name, check, words):
    mechanism = found(name)
    seen = survey(replace(mechanism, promise=PROMISE), seed=1)
    findings = [(finding.check, finding.sentence) for finding in seen.findings]
    assert [one for one, _ in findings] == ([check] if check else [])
    assert all(words in sentence for _, sentence in findings)
    assert any(each.file.endswith("synthesizers.py") for each in seen.conduct.unran) or not seen.conduct.unran


@pytest.mark.parametrize(("sampled", "rows"), [(0, 3), (50, 50)])
def test_a_sample_has_the_stated_number_of_rows(sampled, rows):
    mechanism = found("Margins", replace(PROBLEM, sampled=sampled))
    assert mechanism.problem.sampled == sampled
    label = audited_tables(mechanism.problem, Adjacency.REPLACE_ROW, 0, observed=Observed.SAMPLE)[0].labels[0]
    seen = mechanism.estimator.release(label, NumpyRandomness(0))
    assert seen["rows"] == sum(seen["counts"]["a"]) == rows


def test_a_sample_is_seen_by_its_counts():
    seen = summary([[0, "x"], [1, "x"], [1, "z"]], PROBLEM)
    assert (seen["rows"], seen["outside"]) == (3, {"a": 0, "b": 1})
    assert seen["counts"] == {"a": [1, 2], "b": [2, 0]}
    assert seen["pairs"] == {"a": {"b": [1, 0, 1, 0]}}
    assert (seen["different rows"], seen["order"]) == (3, [])
    named = summary({"b": ["x", "y"], "c": [1, 2], "a": [0, 1]}, PROBLEM)
    assert (named["other columns"], named["order"], named["dependence"]) == (1, [1, 0], {"a": {"b": 0.5}})
    assert summary({"a": [0, 1, 0, 1], "b": ["x", "x", "y", "y"]}, PROBLEM)["dependence"] == {"a": {"b": 0.0}}
    assert summary([], PROBLEM)["rows"] == 0
    strange = summary([[float("nan"), ["x"]], [np.int64(1), "y"], ["1", "y"], [True, None]], PROBLEM)
    assert (strange["counts"], strange["outside"]) == ({"a": [0, 3], "b": [0, 2]}, {"a": 1, "b": 2})


@pytest.mark.parametrize(("width", "values"), [(60, 2), (40, 30)])
def test_a_sample_of_many_columns_is_read_as_a_whole(width, values):
    problem = Schema(tuple(Attribute(f"c{place}", tuple(range(values))) for place in range(width))).problem(3)
    seen = summary({f"c{place}": [0, 1] for place in range(width)}, problem)
    features = observation_features([], [seen], subject_of(None, ""))
    assert len(features) <= MOST_COLUMNS
    assert opaque_parts([], [seen], subject_of(None, "")) == {}
