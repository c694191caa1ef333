"""Hygiene refuses to be fooled, and does not cry wolf."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest

from pan_audits.hygiene import Severity, check_hygiene
from pan_audits.hygiene.checks import lacks_grid, low_bits_tell
from pan_audits.hygiene.fingerprint import fingerprint
from pan_audits.running.limits import Limits, VariantError
from pan_estimators import ESTIMATORS, Promise
from tests.unit.test_estimators import small
from tests.variants import misbehaving

PROMISE = Promise(epsilon=1, adjacency="user-level")


def found(estimator, population=range(8)):
    findings = check_hygiene(estimator, list(population), PROMISE, error=1e-7, limits=Limits(seconds=20))
    return {(finding.check, str(finding.severity)): finding.sentence for finding in findings}


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "exact-counter"])
def test_shipped_estimators_are_clean(name):
    estimator = small(name)
    assert found(estimator, estimator.universe.example_ids(8)) == {}


def test_the_exact_counter_is_told_to_be_deterministic():
    assert list(found(small("exact-counter"))) == [("randomness", "note")]


@pytest.mark.parametrize(
    ("variant", "check", "words"),
    [
        (misbehaving.HiddenAttribute, "hidden state", "'count' changes while it runs"),
        (misbehaving.HiddenInTheClass, "hidden state", "HiddenInTheClass.seen"),
        (misbehaving.HiddenInTheModule, "hidden state", "kept outside it|remembered from run to run"),
        (misbehaving.OwnGenerator, "randomness", "results differ under the same seed"),
        (misbehaving.GlobalGenerator, "randomness", "ignores the randomness it is given"),
        (misbehaving.HashOrder, "randomness", "results differ under the same seed"),
        (misbehaving.ReleaseThatWrites, "release", "release changes the state"),
        (misbehaving.GeneratorInTheState, "generator in the state", "can compute all later noise"),
        (misbehaving.NoiseInFloatingPoint, "floating point", "the low bits of the output tell"),
        (misbehaving.ValueOffTheGrid, "floating point", "the low bits of the output tell"),
    ],
)
def test_each_kind_of_misconduct_is_a_defect(variant, check, words):
    findings = found(variant())
    assert (check, "defect") in findings, findings
    assert re.search(words, findings[(check, "defect")])


def test_a_clean_counter_is_clean_and_one_without_noise_is_noted():
    assert found(misbehaving.Counter()) == {}
    assert found(misbehaving.WithoutNoise()) == {("randomness", "note"): "the estimator makes no random choice at all"}


@pytest.mark.parametrize("variant", [misbehaving.Raises, misbehaving.Hangs, misbehaving.Dies, misbehaving.Exits])
def test_a_variant_that_cannot_be_run_is_a_sentence(variant):
    with pytest.raises(VariantError):
        check_hygiene(variant(), range(8), PROMISE, error=1e-7, limits=Limits(seconds=2))


def test_an_estimator_that_cannot_travel_is_a_sentence():
    estimator = misbehaving.Counter()
    estimator.lock = threading.Lock()
    with pytest.raises(VariantError, match="cannot be sent to another process"):
        check_hygiene(estimator, range(8), PROMISE, error=1e-7, limits=Limits())


def test_grids_are_recognised():
    generator = np.random.default_rng(1)
    noise = generator.laplace(0, 1, 500)
    assert lacks_grid(noise)
    assert not lacks_grid(np.round(noise, 5))
    assert not lacks_grid(np.rint(noise * 2**30) / 2**30)
    assert not lacks_grid(np.rint(noise))
    assert not lacks_grid(noise[:10])


def test_low_bits_that_tell_are_told_and_others_are_not():
    generator = np.random.default_rng(2)
    grid = np.rint(generator.laplace(0, 1, (4, 500)) * 2**30) / 2**30
    assert low_bits_tell(grid[0] + 1 / 3, grid[1] + 2 / 3, PROMISE, 1e-7)
    assert not low_bits_tell(grid[2], grid[3] + 1, PROMISE, 1e-7)
    assert not low_bits_tell(np.empty(0), grid[0], PROMISE, 1e-7)


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
