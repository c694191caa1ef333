"""The judged code cannot change its verdict, harm the judge, or outlive it."""

from __future__ import annotations

import array
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import numpy as np
import pytest

import panproof
from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.estimator import become
from pan_audits.subject.isolation.messages import Draw
from pan_audits.subject.isolation.noise import NoiseTable, answer_to_draw
from pan_audits.subject.isolation.process import end_all, family_of, use_more_than
from pan_audits.subject.isolation.sandbox import Level, best_level, level_named
from pan_audits.workers.limits import Limits, MechanismError
from pan_estimators import InputError, NumpyRandomness
from pan_promises.workers import end_workers
from tests.turns import every

FORGING = "tests.mechanisms.forging"
SHORT = Limits(seconds=15, memory_bytes=2**30)
QUICK = Settings(runs=2000, seed=1, accuracy_runs=0, confirmation_runs=500, limits=SHORT, exact=False, hygiene=False)
TINY = CheckSettings(users=1, length=1, appearances=2)

confined = pytest.mark.skipif(best_level() is not Level.BUBBLEWRAP, reason="bubblewrap does not work here")
apart = pytest.mark.skipif(best_level() is Level.LIMITS, reason="there are no namespaces here")


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    end_all()


def of(name, **parameters):
    return find_mechanism(f"{FORGING}:{name}", parameters=parameters, limits=SHORT)


def test_the_judge_never_imports_what_it_judges():
    sys.modules.pop(FORGING, None)
    mechanism = of("Leaks")
    mechanism.estimator.create(NumpyRandomness(1))
    assert FORGING not in sys.modules


def test_a_module_that_prints_a_verdict_and_ends_its_process_is_an_input_error(capfd):
    with pytest.raises(InputError, match="ended its process"):
        find_mechanism("tests.mechanisms.certified_at_import:Leaks", parameters={})
    assert "CERTIFIED" not in "".join(capfd.readouterr())


def test_an_interpreter_behind_a_link_is_found_in_the_sandbox(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(Path(sys.executable).parent)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "link" / Path(sys.executable).name))
    assert of("Leaks").estimator.create(NumpyRandomness(1)) is not None


@pytest.mark.parametrize(
    "name",
    every(
        2,
        [
            f"{FORGING}:Leaks",
            f"{FORGING}:PatchesTheJudge",
            f"{FORGING}:PatchesTheObservation",
            "tests.mechanisms.judge_at_import:Leaks",
        ],
    ),
)
def test_a_leak_is_refuted_whatever_is_patched(name):
    check = run_check(SmallInstances(name, limits=SHORT), TINY)
    assert check.verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", every(2, ["PatchesTheJudge", "StopsItsParent", "KillsWhomItCan", "TalksFromAThread"]))
def test_no_forgery_makes_the_gate_accept(name):
    if name in ("StopsItsParent", "KillsWhomItCan") and best_level() is Level.LIMITS:
        pytest.skip("there are no namespaces here")
    report = run_gate(of(name), QUICK)
    assert report.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE)
    assert report.isolation.name == ("isolated" if best_level() is not Level.LIMITS else "in a process of its own")


def test_a_failure_in_another_process_is_told_once():
    report = run_gate(of("NestsWithoutEnd"), QUICK)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "failed during the audit: it raised TypeError in " in report.reason
    assert report.reason.count("it raised") == 1


@pytest.mark.parametrize("name", ["SendsAPickle", "ClaimsToBeHuge", "NestsWithoutEnd", "LiftsItsLimits"])
def test_what_is_no_message_is_a_failure_of_the_estimator(name):
    began = time.monotonic()
    with pytest.raises(MechanismError):
        of(name).estimator.create(NumpyRandomness(1))
    assert time.monotonic() - began < 60


@apart
def test_no_process_outlives_the_judged_one():
    of("LeavesAProcess").estimator.create(NumpyRandomness(1))
    _wait_until(lambda: _running("panproof-leftover"))
    end_all()
    _wait_until(lambda: not _running("panproof-leftover"))


def _wait_until(happened):
    for _ in range(200):
        if happened():
            return
        time.sleep(0.1)
    pytest.fail("it did not happen within 20 s")


def _running(name):
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                found.append((place / "cmdline").read_bytes().startswith(name.encode()))
            except OSError:
                continue
    return any(found)


@apart
def test_a_fork_bomb_is_ended():
    with pytest.raises(MechanismError, match=r"processes|finish"):
        of("ForksWithoutEnd").estimator.create(NumpyRandomness(1))


def test_the_files_of_the_judged_code_have_a_limit_in_total():
    with pytest.raises(MechanismError, match=r"No space left|MiB of files|File too large"):
        of("FillsTheDisk").estimator.create(NumpyRandomness(1))


@confined
def test_the_callers_folder_cannot_be_written():
    with pytest.raises(MechanismError, match="Read-only file system"):
        of("WritesBesideItself").estimator.create(NumpyRandomness(1))
    assert not (Path(__file__).parents[1] / "mechanisms" / "left_behind.txt").exists()


@apart
def test_there_is_no_network():
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(InputError, match="could not be made"):
        of("CallsHome", port=server.getsockname()[1])


def test_no_secret_of_the_environment_is_handed_on(monkeypatch, tmp_path):
    monkeypatch.setenv("A_TOKEN", "secret")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "looks.py").write_text(
        "import os\n"
        "class Looks:\n"
        "    promise = 'epsilon=1,adjacency=user-level'\n"
        "    def create(self, randomness): return dict(os.environ)\n"
        "    def update(self, state, ids, randomness): return state\n"
        "    def release(self, state, randomness): return 0.0\n"
    )
    state = find_mechanism("looks:Looks", parameters={}).estimator.create(NumpyRandomness(1))
    assert "A_TOKEN" not in state
    assert state["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize(
    "asked",
    [None, {"draw": "bernoulli"}, Draw("nothing", [], {}), Draw("bernoulli", 3, {}), Draw("bernoulli", ["l"], ["l"])],
)
def test_a_draw_that_is_asked_for_in_no_form_is_no_error_of_the_judge(asked):
    with pytest.raises(DataError):
        answer_to_draw(NumpyRandomness(1), NoiseTable(), asked)


@pytest.mark.parametrize(
    ("state", "after"),
    [
        ({"a": 1}, {"b": 2}),
        ([1], [2, 3]),
        (deque([1], maxlen=3), deque([2, 3], maxlen=3)),
        (array.array("i", [1]), array.array("i", [2, 3])),
        ({1}, {2}),
        (bytearray(b"a"), bytearray(b"bc")),
    ],
)
def test_a_release_that_changes_a_state_is_followed_for_each_kind_of_container(state, after):
    become(state, after)
    assert state == after


@pytest.mark.parametrize(("state", "after"), [(np.zeros(2), np.zeros(3)), ((1,), (2,)), (1, 2)])
def test_a_change_of_a_state_that_cannot_be_followed_is_told(state, after):
    with pytest.raises(MechanismError, match="cannot be followed"):
        become(state, after)


@pytest.mark.parametrize("level", every(2, [level for level in Level if level is not Level.NONE]))
def test_each_level_that_works_here_gives_the_same_runs(level):
    try:
        level_named(str(level))
    except InputError:
        pytest.skip(f"{level} does not work here")
    mechanism = find_mechanism("tests.mechanisms.ten_lines:NoisySet", parameters={}, isolation=str(level))
    report = run_gate(mechanism, QUICK)
    end_all()
    again = find_mechanism("tests.mechanisms.ten_lines:NoisySet", parameters={})
    assert report.privacy.to_dict() == run_gate(again, QUICK).privacy.to_dict()
    assert report.isolation.to_dict()["by"] == str(level)


# A verdict is about the code that a name means now

CODE = """
class Bit:
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, randomness):
        return [0]

    def update(self, state, ids, randomness):
        return [1]

    def release(self, state, randomness):
{imported}
        return int(state[0]) ^ int(randomness.bernoulli({chance}, 1)[0])
"""


def write(folder, chance, imported="        pass"):
    folder.mkdir(exist_ok=True)
    (folder / "a_bit_of_it.py").write_text(CODE.format(chance=chance, imported=imported))


def loss():
    return panproof.check("a_bit_of_it:Bit", users=1, length=1).loss


def chance_of(chance):
    return pytest.approx(math.log((1 - chance) / chance))


def test_the_same_name_in_another_folder_is_other_code(tmp_path, monkeypatch):
    chances = {"first": 0.4, "second": 0.1}
    for folder, chance in chances.items():
        write(tmp_path / folder, chance)
    for folder in ("first", "second", "first"):
        monkeypatch.chdir(tmp_path / folder)
        assert loss() == chance_of(chances[folder])


def test_a_changed_file_with_the_size_and_the_time_of_the_earlier_one_is_imported_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a_bit_of_it.py"
    for chance in (0.4, 0.1, 0.3):
        write(tmp_path, chance)
        os.utime(file, ns=(10**18, 10**18))
        assert loss() == chance_of(chance)


@pytest.mark.more
def test_a_changed_module_that_the_code_imports_later_is_imported_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "chance_of_it.chance", imported="        import chance_of_it")
    for chance in (0.4, 0.1, 0.3):
        (tmp_path / "chance_of_it.py").write_text(f"chance = {chance}\n")
        assert loss() == chance_of(chance)


@pytest.mark.more
def test_workers_whose_folder_is_gone_blame_nobody(tmp_path, monkeypatch):
    gone, here = tmp_path / "gone", tmp_path / "here"
    for folder in (gone, here):
        write(folder, 0.4)
    monkeypatch.chdir(gone)
    # New ones begin here.
    end_workers()
    assert loss() == chance_of(0.4)
    monkeypatch.chdir(here)
    shutil.rmtree(gone)
    report = panproof.gate("a_bit_of_it:Bit", runs=2000, seed=1, jobs=1)
    assert "No such file" not in report.report.reason
    assert report.verdict is panproof.Verdict.NOT_REFUTED


# The memory of a process and of those that it started

told_of_shared_memory = pytest.mark.skipif(
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


@told_of_shared_memory
def test_memory_that_processes_share_counts_once(family):
    """Otherwise 50 idle copies of a process would be told to have asked for too much."""
    processes = family(20)
    assert len(processes) == 21
    assert not use_more_than(1024 * MIB, processes)
    assert use_more_than(90 * MIB, processes)
