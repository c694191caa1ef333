"""Independent draws are not called a hidden state: noise of the system, and a generator that was handed in."""

from __future__ import annotations

import numpy as np
import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.conduct import check_conduct
from pan_audits.conduct.memory import survey
from pan_audits.reports.text import gate_lines
from pan_audits.subject.isolation.adapter import ObjectEstimator
from pan_audits.workers.limits import Limits
from pan_estimators import NumpyRandomness
from tests.mechanisms import blamed
from tests.mechanisms.counter import Counter
from tests.turns import every

HERE = "tests.mechanisms.blamed"
QUICK = Settings(runs=12_000, seed=1, accuracy_runs=0, confirmation_runs=1000, limits=Limits(seconds=60), exact=False)
WRONG = {"hidden state", "generator in the state"}


def judged(name):
    return run_gate(find_mechanism(f"{HERE}:{name}", parameters={}), QUICK)


def assert_independent(name):
    report = judged(name)
    assert report.verdict is Verdict.NOT_REFUTED, report.reason
    assert not WRONG & {finding.check for finding in report.findings}
    (finding,) = (each for each in report.findings if each.check == "randomness of the system")
    assert "a replay draws new ones" in finding.sentence
    lines = dict(gate_lines(report))
    assert lines["ids"].startswith("whole numbers from 0 to ")


@pytest.mark.more
def test_coarse_noise_of_the_system_is_audited():
    assert_independent("CoarseSystemNoise")


@pytest.mark.parametrize("name", [name for name in blamed.TWINS if name != "CoarseSystemNoise"])
@pytest.mark.slow
def test_noise_of_the_system_is_audited(name):
    assert_independent(name)


@pytest.mark.more
def test_too_little_noise_of_the_system_is_refuted():
    assert judged("TooLittleFreshNoise").verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", [name for name in blamed.LEAKS if name != "TooLittleFreshNoise"])
@pytest.mark.slow
def test_noise_of_the_system_excuses_nothing(name):
    report = judged(name)
    assert report.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE), report.reason


@pytest.mark.parametrize("name", every(2, blamed.LEAKS[-2:]))
def test_what_is_kept_between_runs_is_not_taken_for_independent_draws(name):
    mechanism = find_mechanism(f"{HERE}:{name}", parameters={})
    seen = survey(mechanism.estimator, mechanism.population, mechanism.promise, seed=1)
    assert seen.conduct.kept


def test_a_generator_that_was_handed_in_is_no_part_of_the_state():
    estimator = ObjectEstimator(factory=blamed.HandedIn, update_method="add", result_method="result")
    randomness = NumpyRandomness(1)
    state = estimator.update(estimator.create(randomness), 3, randomness)
    assert list(state.attributes) == ["noise"]
    assert estimator.release(state, randomness) != estimator.release(state, randomness)
    again = NumpyRandomness(1)
    repeated = estimator.update(estimator.create(again), 3, again)
    assert repeated.attributes == state.attributes


def test_a_generator_of_its_own_is_part_of_the_state():
    estimator = ObjectEstimator(factory=blamed.HandedInAndKept, update_method="add", result_method="result")
    state = estimator.create(NumpyRandomness(1))
    assert isinstance(state.attributes["rng"], np.random.Generator)


class KeepsTheGivenRandomness(Counter):
    def update(self, state, ids, randomness):
        self.randomness = randomness
        return super().update(state, ids, randomness)

    def release(self, state, randomness):
        self.randomness = randomness
        return super().release(state, self.randomness)


@pytest.mark.more
def test_an_estimator_that_keeps_the_given_randomness_keeps_no_data():
    findings = check_conduct(
        KeepsTheGivenRandomness(), list(range(8)), Counter.promise, error=1e-7, limits=Limits(seconds=60)
    )
    assert not any(finding.check == "hidden state" for finding in findings)
