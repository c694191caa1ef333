"""The command of the table of packages: limits of time, rows that fail, and a command that was stopped."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace

import pytest

from packages import environments, records
from packages.__main__ import judge_all
from packages.definitions import PACKAGES
from packages.environments import digest
from packages.records import Done, keep, results_of, witness_of
from packages.rows import FAILED, agreed, failed, measured

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


def test_a_row_that_raises_fails_with_its_last_words():
    found = measured([sys.executable, "-c", "raise ValueError('the tool is broken')"])
    assert (found["verdict"], found["reason"]) == (FAILED, "exit code 1: ValueError: the tool is broken")


def test_a_row_that_ends_without_a_result_fails():
    assert measured([sys.executable, "-c", ""])["reason"] == "exit code 0: no message"


def test_the_result_of_a_row_has_its_day_and_its_seconds():
    code = f"import sys; open(sys.argv[1], 'w').write({json.dumps(FOUND)!r})"
    found = measured([sys.executable, "-c", code])
    assert found["verdict"] == "NOT_REFUTED"
    assert found["day"] > FOUND["day"]


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


def test_begin_again_concerns_the_named_packages_alone(tmp_path):
    file = tmp_path / "unfinished.json"
    done = Done(file)
    done.add("a", "row")
    done.add("b", "row")
    done.forget(["a"])
    assert ("b", "row") in Done(file)
    assert ("a", "row") not in Done(file)
    Done(file).forget(["b"])
    assert not file.exists()


def test_a_result_counts_for_its_version_and_its_promise_alone():
    row = SKETCHES.rows[0]
    keep(SKETCHES, row, FOUND)
    assert list(results_of(SKETCHES)) == [row.slug]
    assert results_of(replace(SKETCHES, version="5.1.0")) == {}
    assert results_of(replace(SKETCHES, rows=(replace(row, runs=7),))) == {}


def test_a_witness_stands_as_long_as_the_refutation():
    row = SKETCHES.rows[0]
    keep(SKETCHES, row, REFUTED, {"a": 1})
    assert json.loads(witness_of(SKETCHES, row).read_text()) == {"a": 1}
    keep(SKETCHES, row, FOUND)
    assert not witness_of(SKETCHES, row).exists()


def test_an_environment_stands_until_its_pins_change(monkeypatch, tmp_path):
    commands = []
    site = tmp_path / "rbloom" / "lib" / "python3" / "site-packages"

    def run(*words):
        commands.append(words)
        site.mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    monkeypatch.setattr(environments, "_run", run)
    package = PACKAGES[1]
    environments.python_of(package)
    assert len(commands) == 2
    assert str(environments.ROOT / "audits") in (site / "panproof.pth").read_text().split("\n")
    environments.python_of(package)
    assert len(commands) == 2
    environments.python_of(replace(package, version="1.0"))
    assert len(commands) == 4


def test_the_pins_of_an_environment_do_not_name_a_library_twice():
    names = [line.partition("=")[0].partition(">")[0] for line in digest(PACKAGES[3]).split("\n")]
    assert "scikit-learn" in names
    assert len(set(names)) == len(names)
    assert "panproof" not in names
