"""``panproof gate``, ``replay`` and ``audit``: exit codes, reports, and going on after an interruption."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest

MECHANISMS = "tests.mechanisms"
QUICK = ("--runs", 6000, "--confirmation-runs", 1000, "--seed", 1)


@pytest.mark.slow
def test_a_refuted_promise_has_exit_code_one_and_everything_written(panproof, tmp_path):
    witness, junit = tmp_path / "witness.json", tmp_path / "report.xml"
    outcome = panproof(
        "audit",
        "dwork",
        "--promise-epsilon",
        0.2,
        "--universe",
        8,
        "-m",
        8,
        *QUICK,
        "--witness",
        witness,
        "--junit",
        junit,
    )
    assert outcome.code == 1, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0].startswith("REFUTED")
    assert "loss at least" in outcome.out
    assert "again" in outcome.out
    assert ElementTree.parse(junit).getroot().find(".//failure") is not None

    again = panproof("replay", witness)
    assert (again.code, "as recorded" in again.out) == (1, True)
    fresh = panproof("replay", witness, "--fresh", "--json")
    document = json.loads(fresh.out)
    assert fresh.code == 1
    assert document["verdict"] == "REFUTED"


def test_json_is_the_whole_report_and_nothing_else(panproof):
    outcome = panproof("audit", f"{MECHANISMS}.counter:Counter", *QUICK, "--json")
    document = json.loads(outcome.out)
    assert outcome.code == 0
    assert outcome.err == ""
    assert document["verdict"] == "NOT_REFUTED"
    assert document["seed"] == 1
    assert document["privacy"]["smallest_detectable_loss"]


def test_a_mechanism_that_fails_is_inconclusive(panproof):
    outcome = panproof("audit", f"{MECHANISMS}.failing:Raises", *QUICK)
    assert outcome.code == 3
    assert outcome.out.startswith("INCONCLUSIVE")
    assert "KeyError" in outcome.out


@pytest.mark.more
def test_the_reason_is_told_if_the_exact_check_has_another_one(panproof):
    outcome = panproof("gate", f"{MECHANISMS}.one_id:TakesArrays", "--runs", "2000")
    assert outcome.code == 3
    assert "a batch of ids gives other states" in outcome.out
    assert "the runs that were allowed give only" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing",), "unknown estimator 'nothing'"),
        (("no.module:X",), "cannot be imported"),
        ((f"{MECHANISMS}.unusable:NoRelease",), "define release"),
        (("dwork",), "epsilon"),
        (("dwork", "--promise-epsilon", 0), "epsilon must be"),
        (("dwork", "--promise-epsilon", "nan"), "epsilon must be"),
        (("dwork", "--promise-epsilon", 0.2, "-u", 4, "-m", 5), "5"),
        (("dwork", "--promise-epsilon", 0.2, "--promise", "epsilon=1"), "adjacency"),
        (("dwork", "--promise-epsilon", 0.2, "--promise", "everything"), "promise"),
        (("dwork", "--promise-epsilon", 0.2, "--error", 2), "error"),
        (("dwork", "--promise-epsilon", 0.2, "--seconds", 0), "--seconds"),
        (("dwork", "--promise-epsilon", 0.2, "--stream", "nowhere"), "nowhere"),
        (("dwork", "--promise-epsilon", 0.2, "--set", "colour"), "--set takes name=value"),
        (("dwork", "--promise-epsilon", 0.2, "--set", "colour=1"), "no parameter 'colour'"),
        (("dwork", "--promise-epsilon", 0.2, "--stream", "online-retail", "-u", 4), "sets the universe"),
        (("dwork", "--promise-epsilon", 0.2, "--engine", "mpi"), "unknown engine 'mpi'"),
        (("dwork", "--promise-epsilon", 0.2, "--scheduler", "tcp://127.0.0.1:8786"), "give --engine dask"),
        (("dwork", "--promise-epsilon", 0.2, "--runs", "50"), "number of runs must be at least 100"),
    ],
)
def test_bad_input_is_one_sentence(panproof, arguments, words):
    assert words in panproof("gate", *arguments).one_sentence()


def test_usage_errors_have_exit_code_two(panproof):
    wrong = (("gate",), ("gate", "dwork", "--colour"), ("frobnicate",))
    for words in (*wrong, *(("gate", "dwork", "--runs", runs) for runs in ("many", "1e-3"))):
        assert panproof(*words).code == 2


def test_what_is_no_witness_is_one_sentence(panproof, tmp_path):
    for content, words in (("{", "is not JSON"), ("[]", "not a witness"), ("{}", "witness"), ('"x"', "not a witness")):
        (tmp_path / "w.json").write_text(content)
        assert words in panproof("replay", tmp_path / "w.json").one_sentence()
    assert "cannot read" in panproof("replay", tmp_path / "nowhere").one_sentence()


@pytest.mark.slow
def test_the_overview_has_one_row_for_each_estimator(panproof, tmp_path):
    arguments = (
        "list",
        "--verdicts",
        "--only",
        "exact-counter",
        "--seconds",
        0.5,
        "--seed",
        2,
        "--stream",
        "nycflights13",
    )
    outcome = panproof(*arguments, "--junit", tmp_path / "all.xml")
    assert outcome.code == 0, outcome.out
    assert "exact-counter" in outcome.out
    assert "infinite! of 0.1" in outcome.out
    (row,) = json.loads(panproof(*arguments, "--json").out)["rows"]
    assert row["name"] == "exact-counter"
    assert "unknown estimator" in panproof("audit", "--only", "nobody").one_sentence()


@pytest.mark.slow
def test_a_killed_gate_goes_on_to_the_same_report(tmp_path):
    # The state alone keeps its promise here, so that the search goes on to the last run.
    promise = "epsilon=0.5,adjacency=user-level,observed=state"
    arguments = [
        "audit",
        "optimal-bernoulli",
        "--promise-epsilon",
        "1",
        "--promise",
        promise,
        "--runs",
        "20000",
    ]
    command = [sys.executable, "-m", "pan_audits", *arguments, "--json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}

    def journals():
        return list(tmp_path.rglob("*.journal"))

    first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    # What is recorded stands in a file beside the journal at first.
    while not any(path.stat().st_size > 500_000 for path in tmp_path.rglob("*.journal-wal")):
        assert time.monotonic() < deadline
        assert first.poll() is None
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert len(journals()) == 1
    resumed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    document = json.loads(resumed.stdout)
    assert journals() == []
    whole = subprocess.run(
        [*command, "--seed", str(document["seed"])], env=environment, capture_output=True, text=True, check=False
    )
    reference = json.loads(whole.stdout)
    assert "not run here" in document["resumed"]
    assert reference["resumed"] == ""
    for report in (document, reference):
        report.pop("seconds"), report.pop("resumed")
    assert document == reference


@pytest.mark.more
def test_a_number_of_runs_may_be_written_with_an_exponent(panproof):
    arguments = (
        "audit",
        f"{MECHANISMS}.counter:Counter",
        "--confirmation-runs",
        1000,
        "--seed",
        1,
        "--json",
        "--runs",
    )
    reports = [json.loads(panproof(*arguments, runs).out) for runs in ("3e3", "3000")]
    for report in reports:
        report.pop("seconds")
    assert reports[0] == reports[1]


def test_a_gate_goes_on_without_a_journal_that_another_process_has(panproof, tmp_path):
    path, told = tmp_path / "journal", tmp_path / "told"
    holder = (
        "import pathlib, sys, time; from pan_audits.audit.journals.journal import Journal; "
        f"journal = Journal(pathlib.Path({str(path)!r}), {{}}); journal.put('seed', 5); "
        f"pathlib.Path({str(told)!r}).touch(); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", holder])
    try:
        deadline = time.monotonic() + 60
        while not told.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        outcome = panproof("audit", f"{MECHANISMS}.counter:Counter", *QUICK, "--journal", path)
        assert outcome.code in (0, 1)
        assert "another process uses the journal" in outcome.err
    finally:
        other.kill()
        other.wait()
    from pan_audits.audit.journals.journal import Journal

    # The lock went with the process; what it had written is there.
    with Journal(path, {}) as journal:
        assert journal.recorded("seed") == 5


def test_two_equal_gates_at_once_both_finish_with_one_report(tmp_path):
    command = [sys.executable, "-m", "pan_audits", "audit", f"{MECHANISMS}.counter:Counter", *map(str, QUICK), "--json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment}
    both = [subprocess.Popen(command, **pipes) for _ in range(2)]
    told = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    first, second = ({**json.loads(out), "seconds": 0} for out, _ in told)
    assert first == second
    assert "another process uses the journal" in "".join(err for _, err in told)
    assert not list(tmp_path.rglob("*.journal"))


def test_an_interrupt_ends_a_gate_with_one_sentence(tmp_path):
    command = [sys.executable, "-m", "pan_audits", "audit", "optimal-bernoulli", "--promise-epsilon", "1"]
    command += ["--seconds", "60"]
    running = subprocess.Popen(
        command,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.rglob("*.journal")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, out
    assert err == "panproof: interrupted; the same command continues from here\n"


def test_a_report_that_cannot_be_written_is_not_lost(panproof, tmp_path):
    gate = ["gate", "exact-counter", "--promise", "epsilon=1,adjacency=user-level", "--journal", tmp_path / "journal"]
    assert panproof(*gate, "--junit", "/dev/full").code == 2
    with sqlite3.connect(tmp_path / "journal") as journal:
        keys = [key for (key,) in journal.execute("SELECT key FROM entries")]
    journal.close()
    assert "result:exact check" in keys
    assert panproof(*gate).code == 1
    assert not (tmp_path / "journal").exists()
