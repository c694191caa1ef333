"""``panproof audit``: a row for each estimator and stream, printed as soon as it is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from pan_audits.audit.settings import Settings
from pan_audits.conduct import Finding, Severity
from pan_audits.density.overview import OVERVIEW
from pan_audits.exact.instances import SmallInstances
from pan_audits.gate.overview import RowTask, overview, run_chains
from pan_audits.judging.verdict import Verdict

QUICK = Settings(error=1e-6, runs=6000, workers=0, seed=1, confirmation_runs=100, accuracy_runs=0, exact=False)


@dataclass(frozen=True)
class Step:
    """A link that waits, and counts how many there were before it."""

    label: str
    seconds: float = 0.0

    def __call__(self, known):
        time.sleep(self.seconds)
        count = (known or 0) + 1
        return (self.label, count, os.getpid()), count


@pytest.mark.parametrize("workers", [0, 2])
def test_each_task_of_a_chain_is_given_what_the_one_before_it_learned(workers):
    chains = [[Step("a1"), Step("a2"), Step("a3")], [Step("b1")], []]
    told = []
    found = {row[0]: row[1] for row, _ in run_chains(chains, workers, told.append)}
    assert found == {"a1": 1, "a2": 2, "a3": 3, "b1": 1}
    assert told[0].startswith("a1")


@pytest.mark.more
def test_rows_come_in_the_order_in_which_they_are_finished_from_other_processes():
    chains = [[Step("slow", 3.0)], [Step("quick 1"), Step("quick 2")]]
    began, rows, times = time.monotonic(), [], []
    for row, _ in run_chains(chains, 2):
        rows.append(row)
        times.append(time.monotonic() - began)
    assert [row[0] for row in rows] == ["quick 1", "quick 2", "slow"]
    assert times[2] - times[1] > 0.3
    assert os.getpid() not in {row[2] for row in rows}


@pytest.fixture(scope="module")
def rows():
    return list(
        overview(QUICK, promise_epsilon=0.2, streams=("online-retail", "nycflights13"), only=("dwork", "graph-density"))
    )


@pytest.mark.more
def test_there_is_a_row_for_each_stream_and_one_where_the_stream_does_not_matter(rows):
    assert [(row.name, row.stream) for row in rows] == [
        ("dwork", "online-retail"),
        ("dwork", "nycflights13"),
        ("graph-density", None),
    ]
    assert {row.verdict for row in rows} == {Verdict.REFUTED}
    assert rows[0].bits != rows[1].bits


@pytest.mark.more
def test_exact_checks_and_conduct_are_looked_at_once_for_all_streams(monkeypatch):
    tasks = [RowTask(OVERVIEW, "dwork", stream, 0.1, QUICK) for stream in ("online-retail", "nycflights13")]
    first, known = tasks[0](None)
    assert known.findings is not None
    monkeypatch.setattr("pan_audits.gate.overview.run_check", lambda *_: pytest.fail("checked again"))
    monkeypatch.setattr(
        "pan_audits.gate.gate.check_conduct", lambda *_, **__: pytest.fail("conduct was looked at again")
    )
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


@pytest.mark.slow
def test_rows_are_printed_one_by_one_in_a_pipe_and_json_is_one_document():
    arguments = ("--only", "dwork", "--only", "exact-counter", "--seconds", "0.2", "--seed", "2", "--jobs", "1")
    command = [sys.executable, "-m", "pan_audits", "list", "--verdicts", *arguments, "--stream", "nycflights13"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        times = [time.monotonic() for line in iter(process.stdout.readline, "") if "REFUTED" in line]
    assert process.returncode == 0
    assert len(times) == 2
    # Judging the second takes at least as long as starting the interpreters in which its conduct is looked at.
    assert times[1] - times[0] > 0.3
    found = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert {row["name"] for row in json.loads(found.stdout)["rows"]} == {"dwork", "exact-counter"}
