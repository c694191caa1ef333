"""An audit of few runs: its verdict says which event it would have found, and which runs find none stay open."""

from __future__ import annotations

from math import isfinite

import pytest

from pan_audits import Settings, Verdict, find_variant, run_gate
from pan_promises.promise import Promise

PROMISE = Promise.parse("epsilon=1,adjacency=given,observed=output,intrusions=0")


def noisy(data, rng):
    return data + rng.laplace()


def plain(data, rng):
    return data


def quotient(data, rng):
    return rng.laplace() / (data + 1e-100)


def ends():
    yield 0.0, 1.0


def judged(function, runs):
    place = f"{__name__}:{function.__name__}"
    variant = find_variant(place, parameters={}, promise=PROMISE, inputs=f"{__name__}:ends")
    settings = Settings(
        runs=runs, confirmation_runs=100, seed=3, workers=0, accuracy_runs=0, exact=False, hygiene=False
    )
    return run_gate(variant, settings)


def test_runs_that_would_find_an_almost_certain_event_give_a_verdict():
    report = judged(noisy, 160)
    assert report.verdict is Verdict.NOT_REFUTED
    every, best = report.privacy.detectable[0.99]
    assert 1 < best <= every < 5
    assert "probability 0.99, loss" in report.privacy.describe()
    assert not any(isfinite(loss) for loss, _ in list(report.privacy.detectable.values())[1:])


@pytest.mark.parametrize("function", [plain, quotient])
def test_such_an_event_is_found_with_so_few_runs(function):
    """The numbers of the quotient differ by a hundred orders of magnitude, on both sides of 0."""
    report = judged(function, 150)
    assert report.verdict is Verdict.REFUTED
    assert report.privacy.witness.loss > 1


def test_fewer_runs_that_find_no_event_leave_it_open():
    report = judged(noisy, 100)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "at least 128 are needed" in report.reason


@pytest.mark.parametrize("runs", [256, 1000])
def test_more_runs_are_told_by_the_usual_events(runs):
    assert 0.99 not in judged(noisy, runs).privacy.detectable
