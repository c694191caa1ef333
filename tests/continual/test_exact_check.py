"""Counters of turnstile streams in the exact check: the loss is a fraction, and broken counters are refuted."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
import sympy as sp
from flint import fmpq

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.witness import replay_exact
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems.inputs.turnstile import small
from pan_audits.reports.check import check_lines
from pan_audits.subject.intake.discovery import find_mechanism
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.families import register, withdraw
from pan_promises.looks import EVERY, Observed
from pan_promises.promise import Promise
from pan_proofs.continual.dyadic_tree import decomposition
from pan_proofs.continual.flippancy import truncated
from pan_proofs.continual.streams import MODELS, NEIGHBOURS, existence, streams
from tests.continual.members import FAMILY

SENSITIVITIES = {
    ("item-level", "toggle"): 4,
    ("item-level", "strict"): 4,
    ("item-level", "general"): 4,
    ("event-level", "toggle"): 3,
    ("event-level", "strict"): 4,
    ("event-level", "general"): 4,
    ("user-level", "toggle"): 7,
    ("user-level", "strict"): 7,
    ("user-level", "general"): 7,
}
"""``d' Sigma^-1 d`` for the outputs of 4 entries under node noise of variance 1."""


@pytest.fixture(autouse=True)
def family():
    register("pan_estimators", FAMILY)
    yield
    withdraw("pan_estimators", "counters")


def checked(name="tree-counter", elements=1, length=4, promise=None, **parameters):
    given = {"elements": elements, "steps": length, "squared_sensitivity": 4.0, **parameters}
    made = find_mechanism(name, parameters=given, promise=promise)
    return run_check(SmallInstances.of(made), CheckSettings(users=elements, length=length, seconds=60))


@pytest.mark.parametrize(
    ("case", "squared"),
    [
        pytest.param(case, squared, marks=pytest.mark.more if case[1] == "general" else ())
        for case, squared in SENSITIVITIES.items()
    ],
)
def test_noise_for_the_sensitivity_keeps_the_promise_exactly_and_less_noise_does_not(case, squared):
    adjacency, model = case
    fixed = {"adjacency": adjacency, "model": model, "rho": 0.1}
    kept = checked(squared_sensitivity=float(squared), **fixed)
    assert (kept.verdict, kept.loss.ratio, kept.exact) == (Verdict.NOT_REFUTED, fmpq(1, 10), True)
    assert "100% of it" in kept.reason
    broken = checked(squared_sensitivity=float(squared), factor=0.999, **fixed)
    assert (broken.verdict, broken.loss.ratio) == (Verdict.REFUTED, fmpq(100, 999))


@pytest.mark.parametrize(("adjacency", "model"), SENSITIVITIES)
def test_the_sensitivities_are_those_of_the_definitions(adjacency, model):
    """Streams, neighbours, truncation and decomposition as the proofs define them; the inverse by another library."""
    ends = {end: place for place, end in enumerate(sorted({one for t in range(1, 5) for one in decomposition(t)}))}
    noise = sp.zeros(4, len(ends))
    for time in range(1, 5):
        for node in decomposition(time):
            noise[time - 1, ends[node]] = 1
    precision = (noise * noise.T).inv()
    allowed = [one for one in streams(4, 1) if MODELS[model](one)]
    if adjacency == "user-level":
        pairs = list(combinations(allowed, 2))
    else:
        around = NEIGHBOURS[adjacency.removesuffix("-level")]
        pairs = [(one, other) for one in allowed for other in around(one) if MODELS[model](other)]
    vectors = {one: truncated(existence(one, 0), 1) for one in allowed}
    gaps = {tuple(a - b for a, b in zip(vectors[one], vectors[other], strict=True)) for one, other in pairs}
    squares = [(sp.Matrix(gap).T * precision * sp.Matrix(gap))[0, 0] for gap in gaps]
    assert max(squares) == SENSITIVITIES[adjacency, model]


def test_two_elements_have_the_sensitivity_of_one():
    found = checked(elements=2, length=3, model="strict", adjacency="user-level", squared_sensitivity=6.0)
    assert (found.verdict, found.loss.ratio) == (Verdict.NOT_REFUTED, fmpq(1, 2))
    assert [row.users for row in found.coverage] == [1, 1, 1, 2, 2, 2]
    assert [row.length for row in found.coverage] == [1, 2, 3, 1, 2, 3]


@pytest.mark.parametrize(
    ("name", "parameters", "loss"),
    [
        ("tree-counter", {"factor": 0.5}, fmpq(1)),
        ("tree-counter", {"squared_sensitivity": 2.0}, fmpq(1)),
        ("fresh-noise", {"adjacency": "event-level", "squared_sensitivity": 3.0}, fmpq(7, 12)),
        (
            "loose-truncation",
            {"length": 5, "adjacency": "user-level", "model": "strict", "squared_sensitivity": 8.0},
            fmpq(11, 16),
        ),
        ("tree-counter", {"squared_sensitivity": 3.0}, fmpq(2, 3)),
        ("kept-noise", {}, "infinite"),
        ("silent-step", {}, "infinite"),
        ("noise-for-one", {}, "infinite"),
    ],
)
def test_broken_counters_are_refuted_with_a_witness_that_replays(name, parameters, loss):
    found = checked(name, **parameters)
    assert found.verdict is Verdict.REFUTED, found.reason
    if loss == "infinite":
        assert found.loss.unbounded
    elif loss is not None:
        assert found.loss.ratio == loss
    for witness in (found.witness, found.minimal):
        document = json.loads(json.dumps(witness.to_dict()))
        old, fresh = replay_exact(document)
        assert old.loss == fresh.loss == witness.loss
        assert notion_of(fresh.promise).broken_by(fresh.loss, exact=True)
        assert fresh.describe() == witness.describe()


def test_the_truncation_of_the_definition_keeps_the_promise_that_a_looser_one_breaks():
    found = checked(length=5, adjacency="user-level", model="strict", squared_sensitivity=8.0)
    assert (found.verdict, found.loss.ratio) == (Verdict.NOT_REFUTED, fmpq(1, 2))


def test_the_witness_is_a_shortest_one_and_the_report_names_both_streams():
    found = checked("fresh-noise", rho=0.05, squared_sensitivity=1.0)
    assert "The input is +0 on one side, and . on the other." not in found.minimal.describe()
    lines = dict(check_lines(found))
    assert lines["exact loss"] == notion_of(found.promise).compared(found.loss)
    assert "% of it" in lines["exact loss"]
    assert "The input is " in lines["witness"]
    assert " under Gaussian noise" in lines["witness"]


def test_an_event_level_mechanism_does_not_keep_an_item_level_promise():
    event = checked(adjacency="event-level", squared_sensitivity=3.0)
    item = checked(adjacency="item-level", squared_sensitivity=3.0)
    assert (event.verdict, item.verdict) == (Verdict.NOT_REFUTED, Verdict.REFUTED)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("noise-by-data", "two covariances"),
        ("coin-counter", "mixture"),
        ("laplace-counter", "not Gaussian"),
        ("rounded-noise", "nearly cancels"),
    ],
)
def test_noise_that_is_not_followed_is_inconclusive_with_the_reason(name, reason):
    found = checked(name, length=2, squared_sensitivity=1000.0)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert reason in found.reason


@pytest.mark.parametrize("observed", [Observed.STATE, Observed.STATE_AND_OUTPUT])
def test_the_state_holds_counts_in_clear_and_its_loss_is_infinite(observed):
    promise = Promise(rho=100.0, adjacency=Adjacency.ITEM_LEVEL, observed=observed, outputs=EVERY)
    found = checked(length=2, promise=promise)
    assert found.verdict is Verdict.REFUTED
    assert found.loss.unbounded
    document = json.loads(json.dumps(found.minimal.to_dict()))
    assert replay_exact(document)[1].loss.unbounded


def test_a_scope_that_is_not_covered_is_inconclusive(monkeypatch):
    monkeypatch.setattr(small, "MOST_STREAMS", 30)
    found = checked()
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "too many streams" in found.reason


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ([". .", "+0 -0"], "adjacent"),
        (["+0 .", "+0 -0 ."], "adjacent"),
        ([". +7", ". ."], "adjacent"),
        ([". . (state)", "+0 . (state)"], "another observation"),
        (["+0 .", "+0 x"], "an entry of a turnstile stream"),
    ],
)
def test_a_witness_about_other_streams_is_refused(changed, message):
    found = checked(factor=0.1, elements=2, length=2, adjacency="event-level")
    document = json.loads(json.dumps(found.minimal.to_dict()))
    assert document["users"] == [".", "+0"]
    with pytest.raises(InputError, match=message):
        replay_exact({**document, "users": changed})
