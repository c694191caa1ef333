"""The counters by name: in listings, in the exact check, in the gate, and in commands for other inputs."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from pan_audits.audit.settings import Settings
from pan_audits.continual.cases import AUDITED
from pan_audits.continual.overview import OVERVIEW, bytes_of
from pan_audits.density.overview import OVERVIEW as OF_DENSITY
from pan_audits.gate.case import all_cases
from pan_audits.gate.certificate import certify
from pan_audits.gate.gate import run_gate
from pan_audits.gate.overview import RowTask
from pan_audits.judging.verdict import Verdict
from pan_audits.reports.commands import again
from pan_audits.reports.overview import overview_line
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators import ESTIMATORS, ESTIMATORS_OF_IDS
from pan_estimators.continual.members import MEMBERS, counters_with, parameters_for, remark
from pan_promises.looks import Observed
from tests.command import schema_of

QUICK = Settings(runs=12_000, seed=4, workers=0, accuracy_runs=0, hygiene=False, confirmation_runs=8000)
OF_OUTPUTS = [name for name, values in counters_with(AUDITED).items() if not MEMBERS[name](**values).promise.sees_state]


def test_the_counters_are_shipped_estimators_that_read_no_ids():
    assert set(MEMBERS) <= set(ESTIMATORS)
    assert set(MEMBERS).isdisjoint(ESTIMATORS_OF_IDS)
    assert set(ESTIMATORS_OF_IDS) == set(OF_DENSITY.names)


def test_every_listing_says_that_the_state_holds_the_counts_in_clear(panproof):
    rows = {row["name"]: row["summary"] for row in json.loads(panproof("list", "--json").out)["estimators"]}
    for name in OF_OUTPUTS:
        assert rows[name].endswith("the state holds the counts in clear"), name
        assert remark(name)
    assert "in clear" not in rows["dwork"]
    assert remark("dwork") is None
    assert {case.estimator for case in all_cases()} >= set(OF_OUTPUTS)


def test_commands_for_streams_of_ids_refuse_a_counter_in_one_sentence(panproof):
    told = panproof("estimate", "presence", "-", "--epsilon", 1).one_sentence()
    assert "read a stream of ids" in told
    assert "presence is none" in told


def test_a_missing_parameter_is_named(panproof):
    assert "needs a value for steps" in panproof("check", "presence", "--set", "rho=0.5").one_sentence()
    assert "has no parameter 'flippancy'" in panproof("check", "presence", "--set", "flippancy=2").one_sentence()


def test_the_command_check_finds_the_share_of_the_promise(panproof):
    words = ("--set", "steps=3", "--set", "rho=0.5", "--set", "period=1", "--users", 1, "--length", 3)
    found = panproof("check", "turnstile-recompute", *words)
    assert found.code == 0
    assert "rho 0.5 = 1/2, promised rho 0.5 (100% of it)" in found.out
    state = panproof("check", "turnstile-recompute", *words, "--promise", _ABOUT_THE_STATE)
    assert state.code == 1
    assert "infinite" in state.out


_ABOUT_THE_STATE = "rho=0.5,adjacency=item-level,observed=state+output,outputs=every"


@pytest.mark.more
def test_the_gate_certifies_a_counter_whose_claim_is_proved_and_its_command_makes_it_again():
    parameters = parameters_for("turnstile-recompute", AUDITED | {"steps": 2})
    report = run_gate(find_mechanism("turnstile-recompute", parameters=parameters), QUICK)
    assert report.verdict is Verdict.CERTIFIED, report.reason
    assert "100% of the promise" in report.reason
    assert again(report).startswith("panproof gate turnstile-recompute --set steps=2 --set rho=0.5 --set period=1")


@pytest.mark.slow
def test_the_table_has_a_row_for_a_counter_with_its_state_in_clear():
    row, _ = RowTask(OVERVIEW, "turnstile-recompute", None, 0.1, QUICK)(None)
    assert row.verdict is Verdict.CERTIFIED
    assert row.exact[Observed.OUTPUT].loss.nats == 0.5
    assert row.exact[Observed.STATE].loss.unbounded
    assert certify(OVERVIEW.mechanism(row.name, None, 0.1), row.promised).agrees
    line = overview_line(row).plain
    assert "infinite, in clear" in line
    assert "100% of 0.5" in line
    # 8 bytes for each of 32,768 elements.
    assert 8 * 8 * 32_768 <= row.bits < 8 * 9 * 32_768
    document = json.loads(json.dumps({"panproof": 1, "rows": [row.to_dict()]}))
    Draft202012Validator(schema_of("audit")).validate(document)


def test_the_bytes_of_a_state_are_those_of_its_numbers():
    assert bytes_of([1, 2.0, {3: None}]) == 32


def test_parameters_that_are_missing_leave_a_counter_out():
    assert parameters_for("calibrated-turnstile", {"steps": 3, "rho": 1.0}) is None
    assert "calibrated-turnstile" not in counters_with({"steps": 3, "rho": 1.0})
    assert counters_with({"steps": 3, "rho": 1.0})["presence"] == {"steps": 3, "rho": 1.0}
