"""A forked judged process is as one that begins: it knows nothing of others, and is no less confined."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from pan_audits import find_mechanism
from pan_audits.subject.isolation import sandbox
from pan_audits.subject.isolation.process import end_all, family_of
from pan_audits.subject.isolation.sandbox import Level, best_level
from pan_audits.workers import fork_server
from pan_audits.workers.limits import Limits, MechanismError
from pan_estimators import NumpyRandomness

confined = pytest.mark.skipif(best_level() is not Level.BUBBLEWRAP, reason="bubblewrap does not work here")
SHORT = Limits(seconds=30, memory_bytes=2**30)


@pytest.fixture(autouse=True)
def _no_server_is_left(monkeypatch):
    monkeypatch.setattr(fork_server, "_refused", set())
    yield
    end_all()
    fork_server.end_servers()


def looks(act="look", level="best"):
    return find_mechanism(
        "tests.mechanisms.looking_around:Looks", parameters={"act": act}, limits=SHORT, isolation=str(level)
    ).estimator


def seen(level="best"):
    end_all()
    return looks(level=level).create(NumpyRandomness(1))


def without_servers(monkeypatch):
    monkeypatch.setattr(fork_server, "fork_at", lambda key: None)
    monkeypatch.setattr("pan_audits.subject.isolation.process.fork_at", lambda key: None)


@confined
def test_a_fork_finds_what_a_new_process_finds(monkeypatch):
    forked = seen()
    assert fork_server._servers
    assert not fork_server._refused
    without_servers(monkeypatch)
    new = seen()
    assert forked.keys() == new.keys()
    differ = {name for name in new if forked[name] != new[name]}
    # A new process can write to what is its own of the system.
    assert differ <= {"drawn", "place", "writes"}
    assert forked["files"] == []
    assert forked["talks"] is True
    assert forked["writes"] == "its own folder"
    # The first process of its namespace, and itself.
    assert forked["processes"] == 2
    assert all(line.endswith("\t0000000000000000") for line in forked["status"])


@confined
def test_forks_share_no_memory_no_random_numbers_and_no_addresses():
    first, second = seen(), seen()
    assert first["files"] == second["files"] == []
    assert not {*first["drawn"]} & {*second["drawn"]}
    assert len({first["place"], second["place"], seen()["place"], seen()["place"]}) > 1


@pytest.mark.parametrize("level", [Level.UNSHARE, Level.LIMITS])
def test_forks_work_at_each_level(level):
    if level is Level.UNSHARE and not sandbox._works(level):
        pytest.skip(f"{level} does not work here")
    mechanism = looks("waits", level)
    assert any(key.level is level for key in fork_server._servers)
    assert not fork_server._refused
    assert mechanism.description.file.endswith("looking_around.py")


@pytest.mark.parametrize(
    ("act", "told"), [("exits", r"exit code 3\)"), ("dies", "was killed"), ("crashes", r"exit code 139\)")]
)
def test_the_end_of_a_fork_is_told(act, told):
    with pytest.raises(MechanismError, match=told):
        looks(act).create(NumpyRandomness(1))
    assert fork_server._servers


@confined
def test_where_a_sandbox_allows_no_namespaces_a_new_process_is_judged(monkeypatch):
    options = sandbox._bubblewrap
    monkeypatch.setattr(
        sandbox,
        "_bubblewrap",
        lambda readable, forks: [*(["--disable-userns"] * forks), *options(readable, forks=forks)],
    )
    assert seen()["files"] == []
    assert fork_server._refused
    assert not fork_server._servers


WAITING = """
from pan_audits import find_mechanism
from pan_estimators import NumpyRandomness
made = find_mechanism("tests.mechanisms.looking_around:Looks", parameters={"act": "waits"}).estimator
print("made", flush=True)
made.create(NumpyRandomness(1))
"""


def test_no_server_and_no_fork_outlives_a_judge_that_is_killed():
    with subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE) as judge:
        assert judge.stdout.readline() == b"made\n"
        time.sleep(0.5)
        family = family_of(judge.pid)
        assert len(family) > 2
        judge.kill()
    for _ in range(100):
        left = [each for each in family[1:] if _lives(each)]
        if not left:
            return
        time.sleep(0.2)
    pytest.fail(f"{len(left)} processes are left")


def _lives(process):
    try:
        with open(f"/proc/{process}/stat") as told:
            return told.read().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False
