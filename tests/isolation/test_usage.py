"""The memory of a process and of those that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pan_audits.subject.isolation.process import family_of, use_more_than

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="this system does not tell which memory is shared"
)
MIB = 2**20
HELD = """
import os, sys, time
held = bytearray(b"1") * (100 * 2**20)
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        time.sleep(600)
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def family():
    """Starts processes that share 100 MiB, and lists them."""
    started = []

    def start(copies):
        process = subprocess.Popen(
            [sys.executable, "-c", HELD, str(copies)], stdout=subprocess.PIPE, start_new_session=True, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return family_of(process.pid)

    yield start
    for process in started:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def test_memory_that_processes_share_counts_once(family):
    """Otherwise 50 idle copies of a process would be told to have asked for too much."""
    processes = family(20)
    assert len(processes) == 21
    assert not use_more_than(1024 * MIB, processes)


def test_memory_that_is_held_counts(family):
    processes = family(2)
    assert use_more_than(90 * MIB, processes)


def test_a_process_that_has_ended_counts_nothing():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    assert not use_more_than(0, [process.pid])
