"""The output of the commands with ``--json`` follows their published schemas, and a broken document does not."""

from __future__ import annotations

import inspect
import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from pan_audits.cli.commands import COMMANDS, function_of
from pan_estimators import ESTIMATORS
from tests.command import schema_of
from tests.internals.audit.witnesses import audited_report, audited_witness

QUICK = "--runs 6000 --confirmation-runs 1000 --seed 1"
SPEAKING = [name for name in COMMANDS if "as_json" in inspect.signature(function_of(name)).parameters]


@pytest.fixture
def document(panproof, tmp_path, monkeypatch):
    """What a command prints, which its schema accepts."""
    monkeypatch.chdir(tmp_path)

    def printed(words, codes=(0,)):
        outcome = panproof(f"{words} --json")
        assert outcome.code in codes, outcome.err
        found = json.loads(outcome.out)
        assert found["panproof"] == 1
        validator(words.split()[0]).validate(found)
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
    schema = json.loads(panproof(f"{command} --json-schema").out)
    assert schema == schema_of(command)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_list_and_broken_documents(document):
    found = document("list")
    assert {row["name"] for row in found["estimators"]} >= set(ESTIMATORS)
    refused("list", found["estimators"])
    refused("list", {key: value for key, value in found.items() if key != "panproof"})
    refused("list", found | {"panproof": 2})
    refused("list", found | {"more": 1})
    refused("list", found | {"estimators": [{"name": "dwork", "summary": 3, "package": ""}]})


@pytest.mark.slow
def test_gates(document):
    found = document(f"audit dwork --promise-epsilon 0.2 -u 8 -m 8 {QUICK}", codes=(1,))
    assert found["privacy"]["witness"] is not None
    for change in ({"verdict": "TRUE"}, {"seed": "1"}, {"findings": [{}]}, {"privacy": {**found["privacy"], "x": 1}}):
        refused("gate", found | change)
    document(f"gate optimal-bernoulli --promise-epsilon 0.2 {QUICK}", codes=(1,))
    kept = document(f"gate calibrated-bernoulli --promise-epsilon 0.2 {QUICK}", codes=(0, 3))
    assert kept["certificate"] is not None
    document(f"gate tests.mechanisms.counter:Counter {QUICK}", codes=(0, 1, 3))
    document(f"gate tests.mechanisms.failing:Raises {QUICK}", codes=(3,))
    long = "--runs 1100000 --confirmation-runs 500 --seed 1"
    found = document(f"audit calibrated-bernoulli --promise-epsilon 0.2 -u 4 {long}")
    assert found["privacy"]["long"] is not None
    row = document("list --verdicts --only calibrated-bernoulli --seconds 0.1 --seed 1 --jobs 1", codes=(0, 3))
    assert row["rows"][0]["name"] == "calibrated-bernoulli"
    refused("list", row["rows"])


@pytest.mark.more
def test_checks(document):
    small = "--users 2 --length 2 --appearances 2"
    found = document(f"check dwork --promise-epsilon log(9/4) {small}", codes=(1,))
    assert found["minimal_witness"]["promise"]["epsilon"] == "2*log(3/2)"
    refused("check", found | {"loss": {"nats": 1, "unbounded": True}})
    document(f"check tests.mechanisms.ten_lines:NoisySet {small}")
    assert document(f"check tests.mechanisms.failing:Raises {small}", codes=(3,))["verdict"] == "INCONCLUSIVE"
    counter = "tests.public.continual.counters:TreeCounter --set steps=2 --set squared_sensitivity=1.0"
    found = document(f"check {counter} {small}", codes=(1,))
    assert found["loss"] == {"nats": 1.0, "unbounded": False, "rho": "1", "attained": True}
    refused("check", found | {"loss": {"nats": 1.0, "unbounded": False, "rho": 1, "attained": True}})


def test_replays(document, tmp_path):
    for name, content in (("witness.json", audited_witness()), ("report.json", audited_report())):
        (tmp_path / name).write_text(json.dumps(content))
        found = document(f"replay {name}", codes=(1, 3))
        assert found["counts"]["runs"] > 0
        refused("replay", found | {"witness": {}})
    document("replay witness.json --fresh --runs 500", codes=(1, 3))
    words = "check dwork --promise-epsilon 0.2 --users 1 --length 2 --appearances 2"
    (tmp_path / "check.json").write_text(json.dumps(document(words, codes=(1,))))
    assert document("replay check.json", codes=(1,))["witness"]["exact"]


def test_estimates(document, tmp_path):
    (tmp_path / "in.csv").write_text("id\n1\n2\nNA\n")
    words, given = "in.csv --missing skip --missing-text NA", "--promise-epsilon 1 -u 50"
    found = document(f"estimate calibrated-bernoulli {given} {words}")
    assert found["missing_skipped"] == 1
    refused("estimate", {name: value for name, value in found.items() if name != "density"})
    document(f"estimate exact-counter -u 50 {words}")
    document(f"estimate dwork --promise-epsilon 1 --hash 50 {words}")
    document(f"estimate pan-private-distinct-sampling {given} -m 9 {words}")
    assert "density" not in document(f"estimate calibrated-bernoulli {given} --update-only --state state {words}")
    document("estimate calibrated-bernoulli --state state --release-only")


def test_claims_plans_and_counts(document, files):
    found = document("claims density.tanh_optimality --out out")
    assert [one["id"] for one in found["claims"]] == ["density.tanh_optimality"]
    assert found["files"]
    refused("claims", found["claims"])
    found = document("plan dwork --promise-epsilon 1 --alpha 0.001 -m 3")
    refused("plan", found | {"alpha": "0.1"})
    found = document("plan distinct --promise-epsilon 2 --relative-error 0.3 --from 1e6 --to 1e7")
    refused("plan", found | {"alpha": 0.1})
    count = f"count --promise-epsilon 2 --from 1e2 --to 1e5 {files}/ids.txt"
    found = document(count)
    (output,) = found["outputs"]
    refused("count", found | {"outputs": [output | {"reliable": "yes"}]})
    refused("count", found | {"releases_covered": 0})
    found = document(f"{count} --every 2000 --fresh-panes")
    assert [output["end"] for output in found["outputs"]] == ["2000", "4000"]
    refused("count", found | {"panes": found["panes"] | {"promise_for": "nobody"}})


def test_a_plan_gives_the_least_sample_and_its_beta(panproof, document):
    words = "plan optimal-bernoulli --promise-epsilon 1 --alpha 0.1"
    size = document(f"{words} --beta 0.05")["sample_size"]
    assert document(f"{words} -m {size}")["beta"] <= 0.05 < document(f"{words} -m {size - 1}")["beta"]
    assert str(size) in panproof(f"{words} --beta 0.05").out
    assert "says nothing" in panproof("plan dwork --promise-epsilon 1 --alpha 0.001 -m 2").out


@pytest.mark.slow
def test_a_plan_gives_the_memory_of_a_distinct_counter(panproof, document):
    words = "plan distinct --promise-epsilon 1 --from 1e6 --to 1e7 --relative-error"
    found = document(f"{words} 0.08")
    assert 0.07 < found["worst_error"] <= 0.08
    assert f"--memory {found['memory']}" in panproof(f"{words} 0.08").out
    assert "no memory gives" in panproof(f"{words} 0.001").one_sentence()


def test_streams_are_printed_an_id_to_a_line(panproof):
    lines = panproof("stream zipf -u 50 --length 300 --seed 1").out.split()
    assert len(lines) == 300
    assert set(map(int, lines)) <= set(range(50))
    assert "CC" in panproof("stream online-retail --attribution").out


@pytest.mark.more
def test_streams_of_insertions_and_deletions_are_printed_as_csv(panproof):
    header, first, *rest = panproof("stream nycflights13-airborne").out.splitlines()
    assert (header, first) == ("time,element,action", "2013-01-01T05:17,179,insert")
    assert len(rest) == 656_125
    assert sum(row.endswith(",delete") for row in rest) == 328_063
