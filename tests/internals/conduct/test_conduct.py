"""The checks of conduct find an honest author's mistakes, and blame no honest code."""

from __future__ import annotations

import dataclasses
import random
import re
import threading
import time

import numpy as np
import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.conduct import check_conduct, complete_state
from pan_audits.conduct.complete_state import compared_forms
from pan_audits.conduct.finding import Severity, warning
from pan_audits.conduct.randomness import runs_in_time
from pan_audits.events.observing.features import Subject, observation_features, opaque_parts
from pan_audits.events.observing.forms import form_of
from pan_audits.events.observing.values import fingerprint
from pan_audits.reports.text import gate_lines
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.isolation import script
from pan_audits.subject.isolation.messages import Performance
from pan_audits.subject.isolation.objects import ObjectEstimator
from pan_audits.subject.isolation.script import run_fresh
from pan_audits.subject.running.course import Observation
from pan_audits.workers.limits import Limits, MechanismError
from pan_estimators import ESTIMATORS_OF_IDS, NumpyRandomness, Observed, Promise
from tests.mechanisms import alike, counted_releases, counter, failing, hidden_state, other_randomness, unusable
from tests.public.density.instances import small
from tests.turns import every

PROMISE = Promise(epsilon=1, adjacency="user-level")
more = pytest.mark.more


def held(estimator, population=range(8), promise=PROMISE):
    return Mechanism("it", estimator, promise, tuple(population), {}, "", shipped=True)


def found(estimator, population=range(8), promise=PROMISE, seed=0):
    mechanism = held(estimator, population, promise)
    findings = check_conduct(mechanism, error=1e-7, limits=Limits(seconds=20), seed=seed)
    return {(finding.check, str(finding.severity)): finding.sentence for finding in findings}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "calibrated-bernoulli" else more) for name in ESTIMATORS_OF_IDS]
)
def test_shipped_estimators_are_clean(name):
    estimator = small(name)
    noted = {("randomness", "note"): "the estimator makes no random choice at all"}
    assert found(estimator, estimator.universe.example_ids(8)) == (noted if name == "exact-counter" else {})


@pytest.mark.parametrize(
    ("mechanism", "check", "words"),
    every(
        2,
        [
            (hidden_state.HiddenAttribute, "hidden state", "'count' changes while it runs"),
            (hidden_state.HiddenInTheModule, "hidden state", "keeps data outside the state|keeps data between runs"),
            (other_randomness.GlobalGenerator, "randomness", "ignores the randomness it is given"),
            (hidden_state.HiddenInTheClass, "hidden state", "HiddenInTheClass.seen"),
            (hidden_state.MarksInNewAttributes, "hidden state", "'seen_0', 'seen_1'"),
            (other_randomness.GeneratorOfItsOwn, "hidden state", "'rng' changes while it runs"),
            (counted_releases.ReleaseThatWrites, "release", "release changes the state"),
            (counted_releases.CountsWithoutSayingSo, "release", "release changes the state"),
            (other_randomness.GeneratorInTheState, "generator in the state", "can compute all later noise"),
            (unusable.UnreadableState, "unreadable", r"cannot read 'when' \(datetime.timedelta\), which"),
        ],
    ),
)
def test_each_kind_of_misconduct_is_a_defect(mechanism, check, words):
    findings = found(mechanism())
    assert (check, "defect") in findings, findings
    assert re.search(words, findings[(check, "defect")])
    assert ("randomness", "note") not in findings


def test_one_bit_of_a_global_generator_is_found_under_every_seed():
    coin = {seed: random.Random(complete_state._other_seeds(seed)[1]).random() < 0.5 for seed in range(32)}
    alike_under_both = next(seed for seed, heads in coin.items() if heads == (random.Random(1).random() < 0.5))
    assert ("randomness", "defect") in found(other_randomness.GlobalCoin(), seed=alike_under_both)


@pytest.mark.parametrize(("mechanism", "processes"), [(counter.Counter, 4), (other_randomness.HashOrder, 7)])
def test_each_difference_alone_is_tried_only_if_all_together_show_something(monkeypatch, mechanism, processes):
    started = []

    def counted(estimator, scripts, *arguments, **options):
        started.extend(scripts)
        return run_fresh(estimator, scripts, *arguments, **options)

    monkeypatch.setattr(complete_state, "run_fresh", counted)
    findings = found(mechanism())
    assert len(started) == processes
    assert list(findings) == ([] if processes == 4 else [("hash order", "warning")])


@pytest.mark.parametrize(
    ("mechanism", "findings"),
    [
        (counted_releases.CountsItsReleases, []),
        (counted_releases.ErasesAfterTheRelease, []),
        (hidden_state.CachesAConstant, []),
        (other_randomness.WithoutNoise, [("randomness", "note")]),
        (other_randomness.SeedInTheState, [("noise in the state", "warning")]),
    ],
)
def test_what_is_no_defect_is_told_or_not_told(mechanism, findings):
    assert list(found(mechanism())) == findings


def test_what_cannot_be_read_is_named():
    parts = opaque_parts([{"a": object(), "fine": [1], "deep": [[[[[[[[[1]]]]]]]]]}], [b"x" * 100], Subject(3, 3, 8))
    assert {path: kind for path, (kind, _) in parts.items()} == {
        "a": "object",
        "deep[0][0][0][0][0]": "list, nested too deeply",
        "output": "bytes that do not match the number of users",
    }
    many = [{f"f{i}": 1.5 for i in range(30)} for _ in range(30)]
    assert len(observation_features([many], [], Subject(3))) < 500
    assert any("beyond the first 400 numbers" in kind for kind, _ in opaque_parts([many], [], Subject(3)).values())
    assert opaque_parts([{"rng": np.random.default_rng(1), "bits": np.random.PCG64(1)}], [], Subject(3)) == {}


def test_parts_that_the_adversary_does_not_see_need_not_be_read():
    promise = dataclasses.replace(PROMISE, observed=Observed.OUTPUT)
    assert found(unusable.UnreadableState(), promise=promise) == {}


@pytest.mark.parametrize("mechanism", every(2, [failing.Dies, failing.Raises, failing.Hangs]))
def test_a_mechanism_that_cannot_be_run_is_a_sentence(mechanism):
    with pytest.raises(MechanismError):
        check_conduct(held(mechanism()), error=1e-7, limits=Limits(seconds=2))


def test_an_estimator_that_cannot_travel_is_a_sentence():
    estimator = counter.Counter()
    estimator.lock = threading.Lock()
    with pytest.raises(MechanismError, match="cannot be sent to another process"):
        check_conduct(held(estimator), error=1e-7, limits=Limits())


def test_fingerprints_go_by_contents():
    assert fingerprint({"a": {1, 2}, "b": np.ones(3)}) == fingerprint({"b": np.ones(3), "a": {2, 1}})
    circle: list = []
    circle.append(circle)
    assert fingerprint(circle) == fingerprint(circle)
    for one, other in (
        (np.ones(3), np.ones(3, dtype=int)),
        ([1, 2], [2, 1]),
        (1, True),
        (np.random.default_rng(1), np.random.default_rng(2)),
    ):
        assert fingerprint(one) != fingerprint(other)


# Randomness of the system


def gated(name, **options):
    settings = Settings(runs=6_000, seed=1, accuracy_runs=0, confirmation_runs=1000, workers=0, exact=False)
    return run_gate(find_mechanism(f"tests.mechanisms.{name}", parameters={}, **options), settings)


def test_what_needs_a_seeded_source_is_no_mechanism_for_a_deployment():
    report = gated("other_randomness:NeedsASeededSource")
    assert report.verdict is Verdict.INCONCLUSIVE, report.reason
    (finding,) = (each for each in report.findings if each.severity is Severity.DEFECT)
    assert (finding.check, "has another probability" in finding.sentence) == ("randomness of a deployment", True)


@more
@pytest.mark.parametrize("name", ["CoarseSystemNoise", "SecretBits"])
def test_independent_draws_of_the_system_are_audited_and_named(name):
    report = gated(f"other_randomness:{name}")
    assert report.verdict is Verdict.NOT_REFUTED, report.reason
    (finding,) = (each for each in report.findings if each.check != "memory outside the state")
    assert finding.check == "randomness of the system"
    assert "a replay draws new ones" in finding.sentence


@pytest.mark.parametrize(
    ("function", "verdict"),
    [
        ("truth_in_three_of_four", Verdict.NOT_REFUTED),
        pytest.param("truth_in_nine_of_ten", Verdict.REFUTED, marks=more),
        ("numbers_that_stick", Verdict.INCONCLUSIVE),
        pytest.param("counts", Verdict.INCONCLUSIVE, marks=more),
        pytest.param("tells_the_time", Verdict.INCONCLUSIVE, marks=more),
    ],
)
def test_draws_that_no_watch_sees_are_evidence_only_if_they_are_independent(function, verdict):
    promise = Promise.parse("epsilon=1.1,adjacency=given,observed=output,intrusions=0")
    report = gated(f"unseen:{function}", promise=promise, inputs="tests.mechanisms.unseen:bits")
    assert report.verdict is verdict, report.reason
    checks = {finding.check for finding in report.findings}
    if verdict is Verdict.INCONCLUSIVE:
        assert report.privacy is None
        assert checks & {"randomness", "hidden state"}
    else:
        # The bytes of the last draw stay in memory, which the adversary of this promise does not see.
        assert checks - {"memory outside the state"} == {"randomness of the system"}
        assert report.to_dict()["randomness"] == "system"
        assert dict(gate_lines(report))["randomness"].startswith("system: no seed reaches")


@more
@pytest.mark.parametrize("name", ["SystemNoiseInAPool", "SystemNoiseAndMemory"])
def test_noise_of_the_system_excuses_no_memory(name):
    report = gated(f"other_randomness:{name}")
    assert report.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE), report.reason
    assert report.conduct.kept


def test_a_generator_that_was_handed_in_is_no_part_of_the_state():
    estimator = ObjectEstimator(factory=other_randomness.HandedIn, update_method="add", result_method="result")
    randomness = NumpyRandomness(1)
    state = estimator.update(estimator.create(randomness), 3, randomness)
    assert list(state.attributes) == ["noise"]
    assert estimator.release(state, randomness) != estimator.release(state, randomness)
    again = NumpyRandomness(1)
    assert estimator.update(estimator.create(again), 3, again).attributes == state.attributes
    own = ObjectEstimator(factory=other_randomness.HandedInAndKept, update_method="add", result_method="result")
    assert isinstance(own.create(NumpyRandomness(1)).attributes["rng"], np.random.Generator)


class Apart:
    """An estimator in a process of its own, as a check sees it. A run takes some seconds."""

    def __init__(self, seconds):
        self.seconds = seconds

    def runs_apart(self, course, runs, seed, *, states_seen, users_told=False):
        time.sleep(self.seconds * runs)
        yield [Observation((), (0.5,)) for _ in range(runs)]


@pytest.mark.parametrize(("seconds", "least", "most"), [(0.0, 400, 400), (0.032, 20, 100), (0.2, 20, 20)])
def test_a_slow_estimator_makes_fewer_runs_and_an_even_number(seconds, least, most):
    runs = runs_in_time(Apart(seconds), [], 400, fewest=20, seconds=0.4)
    assert least <= runs <= most
    assert runs % 2 == 0


class Clock:
    """A clock that moves only where it is told to."""

    now = 0.0

    def monotonic(self):
        return self.now


def test_the_time_of_the_first_performance_does_not_count(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(script, "time", clock)

    def once(earlier):
        clock.now += 2.0 if earlier else 60.0
        return Performance(0, 1, 1, earlier, None, 0, {}, {})

    assert len(script.perform_often(once, 64).performed) == 7
    assert len(script.perform_often(once, 3).performed) == 3


@pytest.mark.parametrize(("drawn", "kind"), [(True, "randomness of the system"), (False, "hidden state")])
def test_another_result_in_a_new_process_is_hidden_state_only_if_the_old_one_repeats(monkeypatch, drawn, kind):
    often = 0

    def by_chance(estimator, scripts, limits, *, hash_seeds):
        nonlocal often
        traces = run_fresh(estimator, scripts, limits, hash_seeds=hash_seeds)
        for place, one in enumerate(scripts):
            often += one.times > 1
            if one.resume_from is not None:
                traces[place] = dataclasses.replace(traces[place], output="another one")
            elif drawn and often == 3:
                traces[place] = dataclasses.replace(traces[place], performed=("another one",) * 64)
        return traces

    of_system = warning("randomness of the system", "no seed reaches it")
    monkeypatch.setattr(complete_state, "run_fresh", by_chance)
    monkeypatch.setattr(complete_state, "findings_of_system", lambda *_: [of_system])
    checked = complete_state.check_conduct(held(counter.Counter(), range(10)), error=1e-6, limits=Limits(), seed=1)
    assert often == 3
    assert [one.check for one in checked] == [kind]


# Forms of states, where no exact check decides


@pytest.mark.parametrize("name", [name for name in alike.LEAKS if name != "CountOfZero"])
def test_states_that_are_equal_by_value_have_other_forms(name):
    leak = alike.LEAKS[name]()
    assert form_of(leak.first()) == form_of(leak.first())
    assert form_of(leak.first()) != form_of(leak.marked())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"x": 1.5, "y": 3}, {"x": -2.5, "y": 0}),
        (np.array([True, False]), np.array([False, False])),
        ([1, 2.0, "a", 1 + 2j], [7, 0.0, "bcd", 0j]),
    ],
)
def test_states_of_other_numbers_have_one_form(one, other):
    assert form_of(one) == form_of(other)


@pytest.mark.parametrize(
    ("name", "defect"),
    every(
        3,
        [
            ("OrderByAUser", True),
            ("Marks", True),
            ("MarksAtRandom", True),
            ("MarksByACoin", False),
            ("OrderByACoin", False),
        ],
    ),
)
def test_a_form_that_tells_a_user_is_a_defect_and_one_that_tells_what_is_permitted_is_none(name, defect):
    mechanism = find_mechanism(f"tests.mechanisms.alike:{name}", parameters={})
    findings = compared_forms(mechanism, error=1e-7, seed=1)
    assert [str(one.severity) for one in findings] == ["defect"] * defect
    assert all("differ in memory" in one.sentence for one in findings)
