"""The gate: verdicts, witnesses, reports, and what it refuses."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace

import pytest

from pan_audits import Settings, Verdict, Witness, find_mechanism, run_gate
from pan_audits.audit import effort
from pan_audits.audit.journal import Journal
from pan_audits.audit.replay import replay_witness, witness_in
from pan_audits.density.cases import CASES
from pan_audits.gate.case import find_case
from pan_audits.reports.commands import replay_command
from pan_audits.reports.text import print_gate
from pan_audits.workers.limits import Limits
from pan_estimators import Adjacency, InputError, NumpyRandomness, Observed, Promise
from tests.turns import every

QUICK = Settings(
    runs=6000, seed=1, accuracy_runs=200, confirmation_runs=2000, limits=Limits(seconds=20), exact=False, workers=0
)
ALONE = replace(QUICK, hygiene=False)
MECHANISMS = "tests.mechanisms"


@pytest.fixture(scope="module")
def refuted():
    mechanism = find_mechanism("dwork", parameters={"epsilon": 0.1, "universe": 8, "sample_size": 8})
    return mechanism, run_gate(mechanism, ALONE)


def test_a_refuted_promise_has_a_witness_that_says_what_happens(refuted):
    _, report = refuted
    assert report.verdict is Verdict.REFUTED
    assert report.verdict.exit_code == 1
    witness = report.privacy.witness
    assert 0.2 < witness.loss < 4.5
    text = witness.describe()
    for words in ("user", "after the intrusion", "The adversary sees the state at the intrusion and the output"):
        assert words in text
    assert f"loss at least {witness.loss:.3g}, promised 0.2" in text


def test_a_witness_survives_json_and_replays_to_the_same_counts(refuted):
    mechanism, report = refuted
    document = json.loads(json.dumps(report.to_dict()))
    witness = witness_in(document)
    assert witness.describe() == report.privacy.witness.describe()
    again = replay_witness(witness, mechanism.estimator, fresh=False)
    assert again.identical
    assert again.loss == witness.loss
    assert again.verdict is Verdict.REFUTED
    fresh = replay_witness(witness, mechanism.estimator, fresh=True)
    assert fresh.verdict is Verdict.REFUTED
    assert fresh.counts != witness.counts


def test_the_report_says_the_verdict_first_and_how_to_see_it_again(refuted, capsys):
    _, report = refuted
    print_gate(report, verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("REFUTED   dwork  universe 8, epsilon 0.1")
    assert any(line.startswith("loss") for line in lines)
    assert any("density.dwork_error" in line for line in lines)
    assert lines[-1].endswith("--seed 1")


def test_the_replay_command_repeats_the_gate(refuted):
    _, report = refuted
    words = shlex.split(replay_command(report))
    assert words[:3] == ["panproof", "audit", "dwork"]
    options = dict(zip(words[3::2], words[4::2], strict=True))
    assert options["--universe"] == "8"
    assert options["--sample-size"] == "8"
    assert options["--runs"] == str(report.privacy.search_runs)
    assert Promise.parse(options["--promise"]) == replace(report.promise, claim=None)


@pytest.mark.more
def test_the_same_seed_gives_the_same_report_with_any_number_of_workers(refuted):
    mechanism, report = refuted
    again = run_gate(mechanism, replace(ALONE, workers=2))
    left, right = report.to_dict(), again.to_dict()
    for document in (left, right):
        document.pop("seconds")
    assert left == right


@pytest.mark.more
@pytest.mark.parametrize(
    ("name", "parameters", "seconds", "longer"),
    [("bernoulli-family", {"epsilon": 0.1}, 3, True), ("dwork", {"epsilon": 0.1}, 7, False)],
)
def test_a_gate_that_was_given_a_time_is_repeated_by_the_runs_that_it_reports(
    name, parameters, seconds, longer, monkeypatch
):
    """Also where the search goes on for longer than the time, because that would decide."""
    monkeypatch.setattr(effort, "_cost_of_a_run", lambda *_: (1e-3, 1e-3))
    mechanism = find_mechanism(name, parameters=parameters)
    timed = replace(ALONE, seconds=seconds, runs=None, seed=4, accuracy_runs=0, confirmation_runs=1000)
    first = run_gate(mechanism, timed)
    assert (first.privacy.search_runs > 1000 * seconds) == longer
    again = run_gate(
        mechanism,
        replace(timed, runs=first.privacy.search_runs, confirmation_runs=first.privacy.confirmation_runs or 1000),
    )
    left, right = first.to_dict(), again.to_dict()
    left.pop("seconds"), right.pop("seconds")
    # The first report says that a time chose its runs, and which runs repeat it.
    told = [finding for finding in left["findings"] if finding["check"] == "time"]
    left["findings"] = [finding for finding in left["findings"] if finding not in told]
    assert f"--runs {first.privacy.search_runs}" in told[0]["sentence"]
    assert left == right


def test_an_interrupted_gate_goes_on_to_the_same_report(refuted, tmp_path, monkeypatch):
    mechanism, _ = refuted
    quick = replace(ALONE, runs=3000, seed=None)
    whole = run_gate(mechanism, quick, journal=Journal(tmp_path / "whole", {}))

    class StopError(Exception):
        pass

    left = [1000]

    def progress(runs):
        left[0] -= runs
        if left[0] < 0:
            raise StopError

    path = tmp_path / "journal"
    with Journal(path, {}) as journal, pytest.raises(StopError):
        run_gate(mechanism, replace(quick, seed=whole.seed), journal=journal, progress=progress)
    resumed = run_gate(mechanism, quick, journal=Journal(path, {}))
    left_over, right = whole.to_dict(), resumed.to_dict()
    left_over.pop("seconds"), right.pop("seconds")
    assert left_over.pop("resumed") == ""
    assert re.fullmatch(r"resumed from a journal: \d+ blocks of runs were not run here", right.pop("resumed"))
    assert left_over == right


@pytest.mark.more
def test_a_promise_that_holds_is_not_refuted_and_says_what_would_have_been_caught():
    promise = Promise(epsilon=0.5, adjacency=Adjacency.USER_LEVEL, observed=Observed.STATE)
    mechanism = find_mechanism("optimal-bernoulli", parameters={"epsilon": 0.5, "universe": 8}, promise=promise)
    report = run_gate(mechanism, replace(ALONE, accuracy_runs=0))
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.verdict.exit_code == 0
    every, best = report.privacy.detectable[0.5]
    assert 0.5 < best <= every
    assert "known event of these losses (promised 0.5)" in report.privacy.describe()


def test_too_few_runs_are_inconclusive_and_say_how_many_are_needed():
    mechanism = find_mechanism("dwork", parameters={"epsilon": 0.1})
    report = run_gate(mechanism, replace(ALONE, runs=100, accuracy_runs=0))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.verdict.exit_code == 3
    assert "at least 128 are needed; allow more with --runs or --seconds" in report.reason


@pytest.mark.parametrize(
    ("mechanism", "words"),
    every(
        6,
        [
            ("failing:Raises", "failed during the audit: it raised KeyError"),
            ("hidden_state:HiddenInTheClass", "there is no conclusion, because the estimator's own"),
            ("failing:RaisesLate", "too many at once"),
            ("failing:Hangs", "did not finish"),
            ("failing:Dies", "ended its process"),
            ("failing:ExhaustsMemory", "GiB of memory"),
        ],
    ),
)
def test_a_mechanism_that_misbehaves_is_inconclusive(mechanism, words):
    seconds = 3 if mechanism == "failing:Hangs" else 60
    settings = replace(QUICK, limits=Limits(seconds=seconds, memory_bytes=2**30))
    report = run_gate(find_mechanism(f"{MECHANISMS}.{mechanism}", parameters={}), settings)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert re.search(words, report.reason), report.reason


@pytest.mark.more
def test_what_was_found_before_a_failure_is_kept():
    report = run_gate(find_mechanism(f"{MECHANISMS}.failing:RaisesLate", parameters={}), QUICK)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.privacy is None
    noisy = run_gate(
        find_mechanism(f"{MECHANISMS}.failing:Prints", parameters={}), replace(QUICK, runs=2000, workers=1)
    )
    assert noisy.verdict is not Verdict.REFUTED
    assert any("printed" in finding.sentence for finding in noisy.findings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("PlainObject", Verdict.NOT_REFUTED),
        ("PlainObjectWithTooLittleNoise", Verdict.REFUTED),
        ("PlainObjectWithSlots", Verdict.NOT_REFUTED),
        ("PlainObjectWithItsOwnGenerator", Verdict.NOT_REFUTED),
    ],
)
def test_plain_objects_are_audited_with_all_their_attributes_as_state(name, verdict):
    report = run_gate(find_mechanism(f"{MECHANISMS}.plain_objects:{name}", parameters={}), QUICK)
    assert report.verdict is verdict, report.reason
    assert "generator in the state" not in {finding.check for finding in report.findings}


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("nothing", {}, "unknown estimator 'nothing'; `panproof list` shows all"),
        ("no.such.module:X", {}, "module 'no.such.module' cannot be imported"),
        (f"{MECHANISMS}.failing:RaiseLate", {}, "has no 'RaiseLate'; did you mean RaisesLate"),
        ("nowhere.py:X", {}, "there is no file 'nowhere.py'"),
        (f"{MECHANISMS}.unusable:NoRelease", {}, r"cannot be audited: define release\(self, state, randomness\)"),
        (f"{MECHANISMS}.unusable:NoPromise", {}, "makes no promise .* --promise epsilon=1,adjacency=user-level"),
        (f"{MECHANISMS}.unusable:NeedsMore", {"epsilon": 1.0}, "needs the parameter 'colour': give --set colour=VALUE"),
        (f"{MECHANISMS}.unusable:FailsToBeMade", {"epsilon": 1.0}, "could not be made: KeyError: 'nowhere'"),
        (f"{MECHANISMS}.counter:Counter", {"size": 3}, "has no parameter 'size'"),
        ("dwork", {"epsilon": 0.1, "colour": 3}, "dwork has no parameter 'colour'"),
        ("dwork", {"epsilon": 0.7}, "makes no promise for these parameters"),
        ("dwork", {}, "dwork needs a value for epsilon"),
    ],
)
def test_what_cannot_be_gated_is_one_clear_sentence(name, parameters, words):
    with pytest.raises(InputError, match=words) as caught:
        find_mechanism(name, parameters=parameters)
    assert "\n" not in str(caught.value)


def test_a_promise_may_be_written_in_words():
    mechanism = find_mechanism(f"{MECHANISMS}.unusable:PromiseInWords", parameters={})
    assert mechanism.promise == Promise(epsilon=1, adjacency="event-level", observed="output")


def test_a_class_in_a_file_is_found(tmp_path, monkeypatch):
    (tmp_path / "my_mechanism_file.py").write_text(
        "class Mine:\n"
        "    promise = 'epsilon=1,adjacency=user-level'\n"
        "    def create(self, randomness): return 0\n"
        "    def update(self, state, ids, randomness): return state\n"
        "    def release(self, state, randomness): return 0.0\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in (f"{tmp_path}/my_mechanism_file.py:Mine", "my_mechanism_file:Mine"):
        assert find_mechanism(name, parameters={}).estimator.create(NumpyRandomness(1)) == 0


def test_shares_of_the_audit_cases_depend_on_the_list_alone(monkeypatch):
    from pan_audits.gate import case as cases

    seen = []
    monkeypatch.setattr(cases, "run_gate", lambda mechanism, settings: seen.append(settings.error))
    for case in CASES[:3]:
        case.run(error=1e-6)
    assert seen == [1e-6 / len(cases.all_cases())] * 3
    assert len({(case.estimator, case.observed, case.variation) for case in CASES}) == len(CASES)
    assert find_case("dwork", Observed.STATE).verdict is Verdict.NOT_REFUTED


def test_a_measured_loss_below_the_promise_is_not_sold_as_the_refutation(refuted):
    _, report = refuted
    weak = replace(report.privacy.witness, loss=0.05)
    assert isinstance(weak, Witness)
    assert "by the bets of the search; these counts alone show 0.05" in weak.describe()
    assert replace(report.privacy, witness=weak).loss == report.promise.epsilon
