"""``panproof gate``, ``audit`` and ``list --verdicts``: exit codes, rows, interruptions, the same JSON everywhere."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest

from pan_audits.audit.journal import Journal
from pan_audits.audit.settings import Settings
from pan_audits.conduct import Finding, Severity
from pan_audits.density.overview import OVERVIEW
from pan_audits.exact.instances import SmallInstances
from pan_audits.gate.overview import RowTask, overview, run_chains
from pan_audits.judging.verdict import Verdict

COUNTER = "audit tests.mechanisms.counter:Counter --runs 6000 --confirmation-runs 1000 --seed 1 --jobs 1"
PANPROOF = (sys.executable, "-m", "pan_audits")


@pytest.mark.slow
def test_a_refuted_promise_has_exit_code_one_and_everything_written(panproof, tmp_path):
    witness, junit = tmp_path / "witness.json", tmp_path / "report.xml"
    runs = "--runs 6000 --confirmation-runs 1000 --seed 1"
    words = f"audit dwork --promise-epsilon 0.2 -u 8 -m 8 {runs}"
    outcome = panproof(f"{words} --witness {witness} --junit {junit}")
    assert outcome.code == 1, outcome.err
    assert outcome.out.startswith("REFUTED")
    assert "loss at least" in outcome.out
    assert "again" in outcome.out
    assert ElementTree.parse(junit).getroot().find(".//failure") is not None
    again = panproof(f"replay {witness}")
    assert (again.code, "as recorded" in again.out) == (1, True)
    fresh = panproof(f"replay {witness} --fresh --json")
    assert (fresh.code, json.loads(fresh.out)["verdict"]) == (1, "REFUTED")


def test_json_is_the_whole_report_and_nothing_else(panproof):
    outcome = panproof(f"{COUNTER} --json")
    document = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert (document["verdict"], document["seed"]) == ("NOT_REFUTED", 1)
    assert document["privacy"]["smallest_detectable_loss"]


def test_a_mechanism_that_fails_is_inconclusive(panproof):
    outcome = panproof("audit tests.mechanisms.failing:Raises --runs 6000 --seed 1")
    assert outcome.code == 3
    assert outcome.out.startswith("INCONCLUSIVE")
    assert "KeyError" in outcome.out
    assert "define release" in panproof("gate tests.mechanisms.unusable:NoRelease").one_sentence()


QUICK = Settings(error=1e-6, runs=6000, workers=0, seed=1, confirmation_runs=100, accuracy_runs=0, exact=False)


@dataclass(frozen=True)
class Step:
    """A link that counts how many there were before it."""

    label: str

    def __call__(self, known):
        count = (known or 0) + 1
        return (self.label, count), count


@pytest.mark.parametrize("workers", [0, 2])
def test_each_task_of_a_chain_is_given_what_the_one_before_it_learned(workers):
    chains = [[Step("a1"), Step("a2"), Step("a3")], [Step("b1")], []]
    told = []
    found = dict(row for row, _ in run_chains(chains, workers, told.append))
    assert found == {"a1": 1, "a2": 2, "a3": 3, "b1": 1}
    assert told[0].startswith("a1")


@pytest.mark.more
def test_there_is_a_row_for_each_stream_and_one_where_the_stream_does_not_matter():
    streams = ("online-retail", "nycflights13")
    rows = list(overview(QUICK, promise_epsilon=0.2, streams=streams, only=("dwork", "graph-density")))
    assert [(row.name, row.stream) for row in rows] == [*(("dwork", one) for one in streams), ("graph-density", None)]
    assert {row.verdict for row in rows} == {Verdict.REFUTED}
    assert rows[0].bits != rows[1].bits


@pytest.mark.more
def test_exact_checks_and_conduct_are_looked_at_once_for_all_streams(monkeypatch):
    tasks = [RowTask(OVERVIEW, "dwork", stream, 0.1, QUICK) for stream in ("online-retail", "nycflights13")]
    first, known = tasks[0](None)
    assert known.findings is not None
    for place in ("overview.run_check", "gate.check_conduct"):
        monkeypatch.setattr(f"pan_audits.gate.{place}", lambda *_, **__: pytest.fail("looked at again"))
    second, _ = tasks[1](known)
    assert second.exact == first.exact
    assert second.audit.findings == first.audit.findings


def test_conduct_with_a_defect_is_looked_at_on_every_stream(monkeypatch):
    defect = Finding("test", Severity.DEFECT, "it is broken")
    monkeypatch.setattr("pan_audits.gate.gate.check_conduct", lambda *_, **__: [defect])
    row, known = RowTask(OVERVIEW, "dwork", "nycflights13", 0.1, QUICK)(None)
    assert defect in row.audit.findings
    assert known.findings is None


def test_the_exact_check_of_an_estimator_that_depends_on_its_size_is_not_shared():
    ours, theirs = (
        SmallInstances.of(OVERVIEW.mechanism("calibrated-bernoulli", stream, 0.1))
        for stream in ("online-retail", "nycflights13")
    )
    assert ours != theirs


def waited_for(found, process):
    """Wait until something is there; a process must not end before."""
    deadline = time.monotonic() + 300
    while not found():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)


# The command itself, with a short search so that the long stage is reached soon, and a log of what was recorded.
DRIVER = """
import sys
import pan_audits.audit.long_audit as long_audit
import pan_audits.audit.privacy as privacy
from pan_audits.cli import main
from pan_audits.audit.journal import Journal

privacy.MOST_RUNS, long_audit._SMALLEST_BLOCK = 8000, 256
log = open(sys.argv.pop(1), "a", buffering=1)
record, put = Journal.record, Journal.put

def recording(self, key, *arguments, **more):
    record(self, key, *arguments, **more)
    log.write(key + "\\n")

def putting(self, key, *arguments, **more):
    put(self, key, *arguments, **more)
    if "block" in key:
        log.write(key + "\\n")

Journal.record, Journal.put = recording, putting
main()
"""


def report_of(text):
    document = json.loads(text)
    document.pop("seconds"), document.pop("resumed")
    return document


@pytest.mark.slow
def test_a_gate_that_is_killed_again_and_again_reports_the_same_and_runs_no_recorded_block_twice(
    tmp_path, record_property
):
    """``kill -9`` for the whole process group, each time that a few more blocks are recorded."""
    driver, log, other = (tmp_path / name for name in ("driver.py", "log", "other"))
    driver.write_text(DRIVER)
    gate = ["gate", "tests.mechanisms.counter:Counter", "--runs", "60000", "--confirmation-runs", "500", "--json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join([os.getcwd(), environment.get("PYTHONPATH", "")])
    log.touch()

    def ended(log, *more):
        words = [sys.executable, driver, log, *gate, *more]
        return report_of(subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout)

    steps = (1, 7, 2, 15, 1, 3, 20, 1, 8, 12, 5, 2)
    for step in steps:
        goal = len(log.read_text().splitlines()) + step
        running = subprocess.Popen(
            [sys.executable, driver, log, *gate], env=environment, stdout=-1, stderr=-1, start_new_session=True
        )
        waited_for(lambda goal=goal: len(log.read_text().splitlines()) >= goal, running)
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    report = ended(log)
    assert report["privacy"]["long"]["runs"] > 40_000
    recorded = log.read_text().splitlines()
    assert {"long audit" in key for key in recorded} == {True, False}
    assert len(set(recorded)) == len(recorded)
    assert ended(other, "--seed", str(report["seed"])) == report
    # Nothing was left out either: the undisturbed gate records the same blocks.
    assert sorted(other.read_text().splitlines()) == sorted(recorded)
    record_property("killed gate", f"{len(steps)} kills, {len(recorded)} blocks, each recorded once")


def test_a_gate_goes_on_without_a_journal_that_another_process_has(panproof, tmp_path):
    path, told = tmp_path / "journal", tmp_path / "told"
    holder = (
        "import pathlib, sys, time; from pan_audits.audit.journal import Journal; "
        f"journal = Journal(pathlib.Path({str(path)!r}), {{}}); journal.put('seed', 5); "
        f"pathlib.Path({str(told)!r}).touch(); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", holder])
    try:
        waited_for(told.exists, other)
        outcome = panproof(f"{COUNTER} --journal {path}")
        assert outcome.code in (0, 1)
        assert "another process uses the journal" in outcome.err
    finally:
        other.kill()
        other.wait()
    # The lock went with the process; what it had written is there.
    with Journal(path, {}) as journal:
        assert journal.recorded("seed") == 5


def test_two_equal_gates_at_once_both_finish_with_one_report(tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [*PANPROOF, *COUNTER.split(), "--json"]
    both = [subprocess.Popen(command, stdout=-1, stderr=-1, text=True, env=environment) for _ in range(2)]
    told = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    first, second = ({**json.loads(out), "seconds": 0} for out, _ in told)
    assert first == second
    assert "another process uses the journal" in "".join(err for _, err in told)
    assert not list(tmp_path.rglob("*.journal"))


def test_an_interrupt_ends_a_gate_with_one_sentence(tmp_path):
    running = subprocess.Popen(
        [*PANPROOF, *["audit", "optimal-bernoulli", "--promise-epsilon", "1", "--seconds", "60"]],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        stdout=-1,
        stderr=-1,
        start_new_session=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    waited_for(lambda: list(tmp_path.rglob("*.journal")), running)
    time.sleep(1)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, out
    assert err == "panproof: interrupted; the same command continues from here\n"


def test_a_report_that_cannot_be_written_is_not_lost(panproof, tmp_path):
    journal = tmp_path / "journal"
    gate = f"gate exact-counter --promise epsilon=1,adjacency=user-level --journal {journal}"
    assert panproof(f"{gate} --junit /dev/full").code == 2
    with contextlib.closing(sqlite3.connect(journal)) as kept:
        assert ("result:exact check",) in kept.execute("SELECT key FROM entries").fetchall()
    assert panproof(gate).code == 1
    assert not journal.exists()


CODE = """
class NoisySet:
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, randomness):
        return set()

    def update(self, state, ids, randomness):
        return state | set(ids.tolist() if hasattr(ids, "tolist") else [ids])

    def release(self, state, randomness):
        return randomness.laplace(float(len(state)), 1.0)


class Generous(NoisySet):
    def release(self, state, randomness):
        return randomness.laplace(float(len(state)), 0.2)


def noisy_sum(data, rng):
    return sum(data) + rng.laplace(scale=1.0)


def leaking_sum(data, rng):
    return sum(data) + rng.laplace(scale=0.2)


def listed(data, rng):
    return [len(data), rng.integers(0, 2) if sum(data) else 1]


def neighbours():
    return [([0.0], [1.0])]
"""
GIVEN = "audit --neighbours judged:neighbours --seed 5"
SLOW = [
    "gate judged:NoisySet --seed 5",
    "gate judged:Generous --seed 5",
    f"{GIVEN} --epsilon 1 judged:listed",
    f"{GIVEN} --promise rho=1,adjacency=given,observed=output,intrusions=0 judged:noisy_sum",
    "gate calibrated-bernoulli --promise-epsilon 1 --seed 5",
    "audit privbayes --epsilon 1 --seed 5",
    "list --verdicts --only calibrated-bernoulli --only dwork --only presence --seed 5",
]


def without_times(document):
    if isinstance(document, dict):
        return {key: without_times(value) for key, value in document.items() if key != "seconds"}
    return [without_times(one) for one in document] if isinstance(document, list) else document


@contextlib.contextmanager
def busy_machine():
    """Two processes that compute without end."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    "words",
    [
        "check judged:NoisySet --length 2",
        pytest.param(f"{GIVEN} --epsilon 1 judged:leaking_sum", marks=pytest.mark.more),
        *(pytest.param(words, marks=pytest.mark.slow) for words in SLOW),
    ],
)
def test_a_command_gives_the_same_json_on_an_idle_machine_and_on_a_busy_one(tmp_path, words):
    (tmp_path / "judged.py").write_text(CODE)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def reported():
        command = [*PANPROOF, *words.split(), "--json"]
        made = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert made.returncode in (0, 1), made.stderr
        return without_times(json.loads(made.stdout))

    idle = reported()
    with busy_machine():
        assert reported() == idle
    assert not any(finding["check"] == "time" for finding in idle.get("findings", ()))
