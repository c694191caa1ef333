"""Hygiene refuses to be fooled, and does not cry wolf."""

from __future__ import annotations

import dataclasses
import random
import re
import threading

import numpy as np
import pytest

from pan_audits.conduct import Severity, check_conduct, complete_state
from pan_audits.events.observing.features import Subject, observation_features, opaque_parts
from pan_audits.events.observing.values import fingerprint
from pan_audits.subject.running.script import run_fresh
from pan_audits.workers.limits import Limits, MechanismError
from pan_estimators import ESTIMATORS_OF_IDS, Observed, Promise
from tests.density.instances import small
from tests.mechanisms import counted_releases, counter, failing, hidden_state, other_randomness, unusable
from tests.turns import every

PROMISE = Promise(epsilon=1, adjacency="user-level")


def found(estimator, population=range(8), promise=PROMISE, seed=0):
    findings = check_conduct(estimator, list(population), promise, error=1e-7, limits=Limits(seconds=20), seed=seed)
    return {(finding.check, str(finding.severity)): finding.sentence for finding in findings}


FIRST = ("calibrated-bernoulli",)
"""`make test-more` runs the other shipped estimators."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in FIRST else pytest.mark.more)
        for name in ESTIMATORS_OF_IDS
        if name != "exact-counter"
    ],
)
def test_shipped_estimators_are_clean(name):
    estimator = small(name)
    assert found(estimator, estimator.universe.example_ids(8)) == {}


def test_the_exact_counter_is_told_to_be_deterministic():
    assert list(found(small("exact-counter"))) == [("randomness", "note")]


@pytest.mark.parametrize(
    ("mechanism", "check", "words"),
    [
        (hidden_state.HiddenAttribute, "hidden state", "'count' changes while it runs"),
        pytest.param(hidden_state.HiddenInTheClass, "hidden state", "HiddenInTheClass.seen", marks=pytest.mark.more),
        pytest.param(
            hidden_state.HiddenInTheModule,
            "hidden state",
            "keeps data outside the state|keeps data between runs",
            marks=pytest.mark.more,
        ),
        (other_randomness.OwnGenerator, "randomness", "results differ under the same seed"),
        (other_randomness.GlobalGenerator, "randomness", "ignores the randomness it is given"),
        (counted_releases.ReleaseThatWrites, "release", "release changes the state"),
        pytest.param(
            counted_releases.CountsWithoutSayingSo, "release", "release changes the state", marks=pytest.mark.more
        ),
        pytest.param(
            counted_releases.CountsAndWritesMore, "release", "release changes the state", marks=pytest.mark.more
        ),
        pytest.param(counted_releases.CountsTwice, "release", "release changes the state", marks=pytest.mark.more),
        (other_randomness.GeneratorInTheState, "generator in the state", "can compute all later noise"),
        pytest.param(
            other_randomness.GeneratorInASlot,
            "generator in the state",
            "can compute all later noise",
            marks=pytest.mark.more,
        ),
        pytest.param(
            other_randomness.BitGeneratorInTheState,
            "generator in the state",
            "can compute all later noise",
            marks=pytest.mark.more,
        ),
        pytest.param(
            hidden_state.CountsInANewAttribute,
            "hidden state",
            "'count' changes while it runs",
            marks=pytest.mark.more,
        ),
        pytest.param(hidden_state.MarksInNewAttributes, "hidden state", "'seen_0', 'seen_1'", marks=pytest.mark.more),
        (unusable.UnreadableState, "unreadable", r"cannot read 'when' \(datetime.timedelta\), which"),
    ],
)
def test_each_kind_of_misconduct_is_a_defect(mechanism, check, words):
    findings = found(mechanism())
    assert (check, "defect") in findings, findings
    assert re.search(words, findings[(check, "defect")])


@pytest.mark.more
def test_a_dependence_on_two_things_together_is_a_defect():
    findings = found(other_randomness.LeaksInDeployments())
    assert "for none of them alone" in findings[("kind of randomness", "defect")]


def test_one_bit_of_a_global_generator_is_found_under_every_seed():
    coin = {seed: random.Random(complete_state._Other.of(seed).global_seed).random() < 0.5 for seed in range(32)}
    alike = next(seed for seed, heads in coin.items() if heads == (random.Random(1).random() < 0.5))
    assert ("randomness", "defect") in found(other_randomness.GlobalCoin(), seed=alike)


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (other_randomness.LeaksLater, "for none of them alone"),
        (other_randomness.HashOrderInDeployments, "with the secure and with the seeded"),
    ],
)
def test_scripts_alone_find_a_dependence_beside_another_one(monkeypatch, mechanism, words):
    monkeypatch.setattr(complete_state, "findings_of_real_source", lambda *_: [])
    assert words in found(mechanism())[("kind of randomness", "defect")]


@pytest.mark.parametrize(("mechanism", "processes"), [(counter.Counter, 4), (other_randomness.HashOrder, 8)])
def test_each_difference_alone_is_tried_only_if_all_together_show_something(monkeypatch, mechanism, processes):
    started = []

    def counted(scripts, *arguments, **options):
        started.extend(scripts)
        return run_fresh(scripts, *arguments, **options)

    monkeypatch.setattr(complete_state, "run_fresh", counted)
    found(mechanism())
    assert len(started) == processes


@pytest.mark.more
def test_a_clean_counter_is_clean_and_one_without_noise_is_noted():
    assert found(counter.Counter()) == {}
    assert found(other_randomness.WithoutNoise()) == {
        ("randomness", "note"): "the estimator makes no random choice at all"
    }


@pytest.mark.parametrize("mechanism", every(2, [other_randomness.HashOrder, other_randomness.DrawsInHashOrder]))
def test_what_depends_on_the_hash_seed_alone_is_a_warning(mechanism):
    assert list(found(mechanism())) == [("hash order", "warning")]


@pytest.mark.parametrize(
    "mechanism", every(2, [counted_releases.CountsItsReleases, counted_releases.ErasesAfterTheRelease])
)
def test_a_release_may_count_itself_and_erase_the_state_if_that_is_declared(mechanism):
    assert found(mechanism()) == {}


def test_a_cached_constant_is_no_hidden_state():
    assert found(hidden_state.CachesAConstant()) == {}


def test_noise_that_is_part_of_the_state_is_a_warning():
    assert ("noise in the state", "warning") in found(other_randomness.SeedInTheState())


def test_who_keeps_a_generator_is_not_said_to_make_no_random_choice():
    findings = found(other_randomness.OwnGeneratorInAnAttribute())
    assert "'rng' changes while it runs" in findings[("hidden state", "defect")]
    assert ("randomness", "note") not in findings


def test_what_cannot_be_read_is_named():
    found = opaque_parts([{"a": object(), "fine": [1], "deep": [[[[[[[[[1]]]]]]]]]}], [b"x" * 100], Subject(3, 3, 8))
    assert {path: kind for path, (kind, _) in found.items()} == {
        "a": "object",
        "deep[0][0][0][0][0]": "list, nested too deeply",
        "output": "bytes that do not match the number of users",
    }
    many = [{f"f{i}": 1.5 for i in range(30)} for _ in range(30)]
    large = opaque_parts([many], [], Subject(3))
    assert len(observation_features([many], [], Subject(3))) < 500
    assert any("beyond the first 400 numbers" in kind for kind, _ in large.values())
    generator = {"rng": np.random.default_rng(1), "bits": np.random.PCG64(1)}
    assert opaque_parts([generator], [], Subject(3)) == {}


def test_parts_that_the_adversary_does_not_see_need_not_be_read():
    promise = dataclasses.replace(PROMISE, observed=Observed.OUTPUT)
    assert found(unusable.UnreadableState(), promise=promise) == {}


@pytest.mark.parametrize("mechanism", [failing.Raises, failing.Hangs, failing.Dies, failing.Exits])
def test_a_mechanism_that_cannot_be_run_is_a_sentence(mechanism):
    with pytest.raises(MechanismError):
        check_conduct(mechanism(), range(8), PROMISE, error=1e-7, limits=Limits(seconds=2))


def test_an_estimator_that_cannot_travel_is_a_sentence():
    estimator = counter.Counter()
    estimator.lock = threading.Lock()
    with pytest.raises(MechanismError, match="cannot be sent to another process"):
        check_conduct(estimator, range(8), PROMISE, error=1e-7, limits=Limits())


def test_fingerprints_go_by_contents():
    assert fingerprint({"a": {1, 2}, "b": np.ones(3)}) == fingerprint({"b": np.ones(3), "a": {2, 1}})
    assert fingerprint(np.ones(3)) != fingerprint(np.ones(3, dtype=int))
    assert fingerprint([1, 2]) != fingerprint([2, 1])
    assert fingerprint(1) != fingerprint(True)
    circle: list = []
    circle.append(circle)
    assert fingerprint(circle) == fingerprint(circle)
    assert fingerprint(np.random.default_rng(1)) != fingerprint(np.random.default_rng(2))


def test_severities_are_ordered_by_what_they_mean():
    assert [str(severity) for severity in Severity] == ["defect", "warning", "note"]
