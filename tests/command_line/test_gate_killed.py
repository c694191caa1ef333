"""A gate that is killed again and again, in the search and in the long stage, and goes on to the same report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

# The command itself, with a short search so that the long stage is reached soon, and a log of what was recorded.
DRIVER = """
import sys
import pan_audits.audit.long_audit as long_audit
import pan_audits.audit.privacy as privacy
from pan_audits.cli import main
from pan_audits.audit.journals.journal import Journal

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
    driver, log = tmp_path / "driver.py", tmp_path / "log"
    driver.write_text(DRIVER)
    gate = ["gate", "tests.mechanisms.counter:Counter", "--runs", "60000", "--confirmation-runs", "500", "--json"]

    def command(log):
        return [sys.executable, str(driver), str(log), *gate]

    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join([os.getcwd(), environment.get("PYTHONPATH", "")])
    log.touch()
    kills = 0
    for step in (1, 7, 2, 15, 1, 3, 20, 1, 8, 12, 5, 2):
        goal = len(log.read_text().splitlines()) + step
        running = subprocess.Popen(
            command(log), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        deadline = time.monotonic() + 300
        while running.poll() is None and len(log.read_text().splitlines()) < goal:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        assert running.poll() is None, running.communicate()
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        kills += 1
    last = subprocess.run(command(log), env=environment, capture_output=True, text=True, check=False)
    report = report_of(last.stdout)
    assert report["privacy"]["long"]["runs"] > 40_000
    recorded = log.read_text().splitlines()
    assert any("long audit" in key for key in recorded)
    assert any("long audit" not in key for key in recorded)
    assert len(set(recorded)) == len(recorded)
    whole = subprocess.run(
        [*command(tmp_path / "other"), "--seed", str(report["seed"])],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert report_of(whole.stdout) == report
    # Nothing was left out either: the undisturbed gate records the same blocks.
    assert sorted((tmp_path / "other").read_text().splitlines()) == sorted(recorded)
    record_property("killed gate", f"{kills} kills, {len(recorded)} blocks, each recorded once")
