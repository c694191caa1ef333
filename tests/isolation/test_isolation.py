"""The judged code cannot change its verdict, harm the judge, or outlive it."""

from __future__ import annotations

import array
import os
import socket
import subprocess
import sys
import time
from collections import deque
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.estimator import answer_to_draw, become
from pan_audits.subject.isolation.noise import NoiseTable
from pan_audits.subject.isolation.process import end_all
from pan_audits.subject.isolation.sandbox import Level, best_level, level_named
from pan_audits.workers.limits import Limits, MechanismError
from pan_estimators import InputError, NumpyRandomness
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


@pytest.mark.parametrize("name", ["LeaksInDeployment", "LeaksWhenSeeded"])
def test_a_leak_for_one_kind_of_randomness_is_told_by_the_exact_check(name):
    check = run_check(SmallInstances(f"{FORGING}:{name}", limits=SHORT), TINY)
    assert check.verdict is not Verdict.NOT_REFUTED
    if check.verdict is Verdict.INCONCLUSIVE:
        assert "behaves differently with the secure and with the seeded randomness" in check.reason


@pytest.mark.parametrize("name", ["LeaksInDeployment", "LeaksInDeploymentBySource", "LeaksWhenSeeded"])
@pytest.mark.more
def test_a_leak_for_one_kind_of_randomness_is_told_by_the_gate(name):
    report = run_gate(of(name), Settings(runs=2000, seed=1, confirmation_runs=500, limits=SHORT))
    assert report.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE)
    told = [finding for finding in report.findings if finding.check == "kind of randomness"]
    assert told or report.verdict is Verdict.REFUTED or "secure randomness" in report.reason


@pytest.mark.more
def test_a_name_in_the_state_does_not_switch_the_comparison_of_the_sources_off():
    report = run_gate(of("LeaksInDeploymentBySourceAndNamesAnExtra"), replace(QUICK, hygiene=True))
    assert "kind of randomness" in [finding.check for finding in report.findings if finding.severity == "defect"]


@pytest.mark.parametrize(
    "asked",
    [
        None,
        3,
        {},
        {"draw": ["bernoulli"]},
        {"draw": "nothing"},
        {"draw": "bernoulli"},
        {"draw": "bernoulli", "arguments": 3},
    ],
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


@pytest.mark.more
def test_a_leak_in_deployment_alone_is_refuted_by_an_audit_without_hygiene():
    report = run_gate(of("LeaksInDeployment"), replace(QUICK, runs=10_000))
    assert report.verdict is Verdict.REFUTED


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


@pytest.mark.slow
def test_the_command_says_how_the_code_was_kept_apart():
    command = [sys.executable, "-m", "pan_audits", "gate", "tests.mechanisms.ten_lines:NoisySet", "--runs", "1000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert best_level() is Level.LIMITS or "isolated" in done.stdout
