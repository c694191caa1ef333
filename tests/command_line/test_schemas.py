"""The output of the commands with ``--json`` follows their published schemas, and a broken document does not."""

from __future__ import annotations

import inspect
import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from pan_audits.cli.commands import COMMANDS, function_of
from tests.audit.witnesses import audited_report, audited_witness
from tests.command import schema_of

MECHANISMS = "tests.mechanisms"
QUICK = ("--runs", 6000, "--confirmation-runs", 1000, "--seed", 1)
ESTIMATE = ("--promise-epsilon", 1, "-u", 50)
SPEAKING = [name for name in COMMANDS if "as_json" in inspect.signature(function_of(name)).parameters]


@pytest.fixture
def document(panproof, tmp_path, monkeypatch):
    """What a command prints, which its schema accepts."""
    monkeypatch.chdir(tmp_path)

    def printed(command, *words, codes=(0,)):
        outcome = panproof(command, *words, "--json")
        assert outcome.code in codes, outcome.err
        found = json.loads(outcome.out)
        validator(command).validate(found)
        return found

    return printed


def validator(command):
    schema = schema_of(command)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def refused(command, found):
    with pytest.raises(ValidationError):
        validator(command).validate(found)


@pytest.mark.parametrize("command", SPEAKING)
def test_each_command_with_json_has_a_schema_that_stands_alone(panproof, command):
    outcome = panproof(command, "--json-schema")
    assert outcome.code == 0
    schema = json.loads(outcome.out)
    assert schema == schema_of(command)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_a_command_without_json_has_no_schema(panproof):
    assert set(COMMANDS) - set(SPEAKING) == {"stream"}
    assert "prints no JSON" in panproof("stream", "--json-schema").one_sentence()


def test_a_document_that_is_broken_is_refused(document):
    found = document("list")
    refused("list", found["estimators"])
    refused("list", {key: value for key, value in found.items() if key != "panproof"})
    refused("list", found | {"panproof": 2})
    refused("list", found | {"more": 1})
    refused("list", found | {"estimators": [{"name": "dwork", "summary": 3, "package": ""}]})


@pytest.mark.slow
def test_gates(document):
    found = document("audit", "dwork", "--promise-epsilon", 0.2, "-u", 8, "-m", 8, *QUICK, codes=(1,))
    assert found["privacy"]["witness"] is not None
    for change in ({"verdict": "TRUE"}, {"seed": "1"}, {"findings": [{}]}, {"privacy": {**found["privacy"], "x": 1}}):
        refused("gate", found | change)
    document("gate", "optimal-bernoulli", "--promise-epsilon", 0.2, *QUICK, codes=(1,))
    assert (
        document("gate", "calibrated-bernoulli", "--promise-epsilon", 0.2, *QUICK, codes=(0, 3))["certificate"]
        is not None
    )
    document("gate", f"{MECHANISMS}.counter:Counter", *QUICK, codes=(0, 1, 3))
    document("gate", f"{MECHANISMS}.failing:Raises", *QUICK, codes=(3,))


@pytest.mark.slow
def test_a_long_audit(document):
    arguments = ("--no-exact", "--runs", 1_100_000, "--confirmation-runs", 500, "--seed", 1)
    found = document("gate", "calibrated-bernoulli", "--promise-epsilon", 0.2, "-u", 4, *arguments)
    assert found["privacy"]["long"] is not None


@pytest.mark.more
def test_checks(document):
    small = ("--users", 2, "--length", 2, "--appearances", 2)
    found = document("check", "dwork", "--promise-epsilon", "log(9/4)", *small, codes=(1,))
    assert found["minimal_witness"]["promise"]["epsilon"] == "2*log(3/2)"
    refused("check", found | {"loss": {"nats": 1, "unbounded": True}})
    document("check", "tests.mechanisms.ten_lines:NoisySet", *small)
    assert document("check", f"{MECHANISMS}.failing:Raises", *small, codes=(3,))["verdict"] == "INCONCLUSIVE"
    counter = ("tests.continual.counters:TreeCounter", "--set", "steps=2", "--set", "squared_sensitivity=1.0")
    found = document("check", *counter, *small, codes=(1,))
    assert found["loss"] == {"nats": 1.0, "unbounded": False, "rho": "1", "attained": True}
    refused("check", found | {"loss": {"nats": 1.0, "unbounded": False, "rho": 1, "attained": True}})
    refused("check", {"panproof": 1, "name": "x", "verdict": "REFUTED", "reason": ""})


@pytest.mark.slow
def test_audits(document):
    row = document(
        "list", "--verdicts", "--only", "calibrated-bernoulli", "--seconds", 0.1, "--seed", 1, "--jobs", 1, codes=(0, 3)
    )
    assert row["rows"][0]["name"] == "calibrated-bernoulli"
    refused("audit", row["rows"])


def test_replays(document, tmp_path):
    for name, content in (
        ("witness.json", audited_witness()),
        ("report.json", audited_report()),
    ):
        (tmp_path / name).write_text(json.dumps(content))
        found = document("replay", name, codes=(1, 3))
        assert found["counts"]["runs"] > 0
        refused("replay", found | {"witness": {}})
    document("replay", "witness.json", "--fresh", "--runs", 500, codes=(1, 3))
    words = ("check", "dwork", "--promise-epsilon", 0.2, "--users", 1, "--length", 2, "--appearances", 2)
    (tmp_path / "check.json").write_text(json.dumps(document(*words, codes=(1,))))
    assert document("replay", "check.json", codes=(1,))["witness"]["exact"]


def test_estimates(document, tmp_path):
    (tmp_path / "in.csv").write_text("id\n1\n2\nNA\n")
    words = ("in.csv", "--missing", "skip", "--missing-text", "NA")
    found = document("estimate", "calibrated-bernoulli", *ESTIMATE, *words)
    assert found["missing_skipped"] == 1
    refused("estimate", {name: value for name, value in found.items() if name != "density"})
    document("estimate", "exact-counter", "-u", 50, *words)
    document("estimate", "dwork", "--promise-epsilon", 1, "--hash", 50, *words)
    document("estimate", "pan-private-distinct-sampling", *ESTIMATE, "-m", 9, *words)
    found = document("estimate", "calibrated-bernoulli", *ESTIMATE, "--update-only", "--save", "state", *words)
    assert "density" not in found
    document("estimate", "calibrated-bernoulli", "--load", "state", "--release-only")


def test_claims_and_derivations(document, tmp_path):
    found = document("claims", "density.tanh_optimality")
    assert [one["id"] for one in found["claims"]] == ["density.tanh_optimality"]
    refused("claims", found["claims"])
    assert document("claims", "density.tanh_optimality", "--out", tmp_path / "out")["files"]


def test_plans(document):
    document("plan", "dwork", "--promise-epsilon", 1, "--alpha", 0.1, "--beta", 0.1)
    found = document("plan", "dwork", "--promise-epsilon", 1, "--alpha", 0.001, "-m", 3)
    refused("plan", found | {"alpha": "0.1"})
    found = document("plan", "distinct", "--promise-epsilon", 2, "--relative-error", 0.3, "--from", 1e6, "--to", 1e7)
    refused("plan", found | {"alpha": 0.1})


def test_counts(document, files):
    found = document("count", "--promise-epsilon", 2, "--from", 1e2, "--to", 1e5, files / "ids.txt")
    (output,) = found["outputs"]
    refused("count", found | {"outputs": [output | {"reliable": "yes"}]})
    refused("count", found | {"releases_covered": 0})
    panes = ("--every", 2_000, "--fresh-panes")
    found = document("count", "--promise-epsilon", 2, "--from", 1e2, "--to", 1e5, *panes, files / "ids.txt")
    assert [output["end"] for output in found["outputs"]] == ["2000", "4000"]
    refused("count", found | {"panes": found["panes"] | {"promise_for": "nobody"}})
