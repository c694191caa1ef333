"""The command of the table of packages: limits of time, rows that fail, and a command that was stopped."""

from __future__ import annotations

import sys
import time

import pytest

from packages import records
from packages.__main__ import FAILED, agreed, failed, judge_all, measured
from packages.definitions import PACKAGES
from packages.records import Done, keep, results_of

SKETCHES = PACKAGES[0]
FOUND = {"verdict": "NOT_REFUTED", "loss": None, "unseeded": False, "reason": "", "day": "2000-01-02", "seconds": 1}
REFUTED = FOUND | {"verdict": "REFUTED", "again": "REFUTED", "replayed": "REFUTED", "identical": True}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.setattr(records, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(records, "WITNESSES", tmp_path / "witnesses")


def test_a_row_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path):
    code = (
        "import subprocess, sys, time; sleeper = 'import time; time.sleep(60)'\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(subprocess.Popen([sys.executable, '-c', sleeper]).pid))\n"
        "time.sleep(60)"
    )
    began = time.monotonic()
    found = measured([sys.executable, "-c", code], 1.5)
    assert (found["verdict"], found["reason"]) == (FAILED, "no result within 1.5 seconds")
    assert time.monotonic() - began < 30
    started = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not is_running(started):
            return
        time.sleep(0.05)
    pytest.fail("the process that the row started still runs")


def nothing(package):
    """No reason against a package."""
    return ""


def is_running(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_refutation_that_is_not_found_again_fails():
    assert agreed(REFUTED) == REFUTED
    assert agreed(REFUTED | {"again": "NOT_REFUTED"})["reason"] == "a second seed gave NOT_REFUTED after REFUTED"
    for other in ({"replayed": "INCONCLUSIVE"}, {"identical": False}):
        assert agreed(REFUTED | other)["reason"] == "the witness of a refutation did not replay"
    assert agreed(REFUTED | {"identical": False, "unseeded": True})["verdict"] == "REFUTED"


def test_a_failed_row_stops_no_other_row_and_only_it_is_tried_again(tmp_path):
    file, tried, broken = tmp_path / "unfinished.json", [], SKETCHES.rows[1]

    def judge(package, row):
        tried.append(row)
        return (failed("broken") if row is broken else FOUND) | {"day": "2000-01-02", "seconds": 1}

    def mended(package, row):
        tried.append(row)
        return dict(FOUND)

    assert judge_all([SKETCHES], Done(file), judge, nothing) == [f"datasketches {broken.slug}: broken"]
    assert tried == list(SKETCHES.rows)
    assert results_of(SKETCHES)[broken.slug]["verdict"] == FAILED
    tried.clear()
    assert judge_all([SKETCHES], Done(file), mended, nothing) == []
    assert tried == [broken]
    assert not file.exists()


def test_a_command_that_was_stopped_goes_on_after_the_rows_that_are_done(tmp_path):
    file, tried = tmp_path / "unfinished.json", []

    def stopped(package, row):
        if row is SKETCHES.rows[1]:
            raise KeyboardInterrupt
        return dict(FOUND)

    def judge(package, row):
        tried.append(row)
        return dict(FOUND)

    with pytest.raises(KeyboardInterrupt):
        judge_all([SKETCHES], Done(file), stopped, nothing)
    assert list(results_of(SKETCHES)) == [SKETCHES.rows[0].slug]
    assert judge_all([SKETCHES], Done(file), judge, nothing) == []
    assert tried == list(SKETCHES.rows[1:])


def test_a_package_that_cannot_be_installed_keeps_its_results_and_stops_no_other(tmp_path):
    keep(SKETCHES, SKETCHES.rows[0], FOUND)
    other, tried = PACKAGES[1], []

    def judge(package, row):
        tried.append(package)
        return dict(FOUND)

    faults = judge_all(
        [SKETCHES, other], Done(tmp_path / "unfinished.json"), judge, lambda package: "no" * (package is SKETCHES)
    )
    assert faults == ["datasketches: no"]
    assert tried == [other]
    assert results_of(SKETCHES)[SKETCHES.rows[0].slug]["day"] == "2000-01-02"
