"""The same command with the same seed gives the same JSON, times apart, on an idle machine and on a busy one."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys

import pytest

BUSY = 8
CODE = """
import numpy as np


class NoisySet:
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, randomness):
        return set()

    def update(self, state, ids, randomness):
        return state | set(np.atleast_1d(ids).tolist())

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


RHO = "rho=1,adjacency=given,observed=output,intrusions=0"
WITH_RHO = ("gate", "--neighbours", "judged:neighbours", "--promise", RHO, "--seed", "5")
GATE = ("gate", "--neighbours", "judged:neighbours", "--epsilon", "1", "--seed", "5")


@contextlib.contextmanager
def busy_machine():
    """Eight processes that compute without end."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.fixture
def reported(tmp_path):
    """The JSON of a command on code of this file, times apart."""
    (tmp_path / "judged.py").write_text(CODE)

    def run(*words):
        made = subprocess.run(
            [sys.executable, "-m", "pan_audits", *words, "--json"],
            cwd=tmp_path,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode in (0, 1), made.stderr
        return without_times(json.loads(made.stdout))

    return run


def without_times(document):
    if isinstance(document, dict):
        return {key: without_times(value) for key, value in document.items() if key != "seconds"}
    return [without_times(one) for one in document] if isinstance(document, list) else document


def same_on_a_busy_machine(reported, *words):
    idle = reported(*words)
    with busy_machine():
        assert reported(*words) == idle
    return idle


def test_a_check_and_a_gate_are_the_same_on_a_busy_machine(reported):
    checked = same_on_a_busy_machine(reported, "check", "judged:NoisySet", "--length", "3")
    assert checked["verdict"] == "NOT_REFUTED"
    gated = same_on_a_busy_machine(reported, *GATE, "judged:leaking_sum", "--no-exact")
    assert gated["verdict"] == "REFUTED"
    assert gated["privacy"]["search_runs"] == 1_000_000
    assert not any(finding["check"] == "time" for finding in gated["findings"])


@pytest.mark.more
def test_a_gate_of_lists_is_the_same_on_a_busy_machine(reported):
    same_on_a_busy_machine(reported, *GATE, "judged:listed", "--no-exact")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("gate", "judged:NoisySet", "--seed", "5"),
        ("gate", "judged:Generous", "--seed", "5"),
        (*GATE, "judged:noisy_sum"),
        (*WITH_RHO, "judged:noisy_sum", "--no-exact"),
        ("gate", "calibrated-bernoulli", "--promise-epsilon", "1", "--seed", "5"),
        ("audit", "privbayes", "--epsilon", "1", "--seed", "5"),
        (
            "list",
            "--verdicts",
            "--only",
            "calibrated-bernoulli",
            "--only",
            "dwork",
            "--only",
            "presence",
            "--seed",
            "5",
        ),
    ],
)
def test_every_command_is_the_same_on_a_busy_machine(reported, words):
    same_on_a_busy_machine(reported, *words)
