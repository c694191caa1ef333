"""Counters of turnstile streams in the exact check: the loss is a fraction, and broken counters are refuted."""

from __future__ import annotations

import json

import pytest
from flint import fmpq

from pan_audits.audit.settings import Settings
from pan_audits.continual.closed_rho import closed_rho
from pan_audits.exact.scope import Update
from pan_audits.exact.search import search_pairs
from pan_audits.exact.stepping import Stepper
from pan_audits.exact.witness import replay_exact
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.problems.inputs.turnstile import small
from pan_audits.problems.inputs.turnstile.streams import to_text
from pan_audits.subject.intake.discovery import find_mechanism
from pan_promises.errors import InputError
from pan_promises.promise import EVERY, Promise
from tests.public.continual.counters import MEMBERS
from tests.public.continual.streams import checked

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


def tree(length=4, name="tree-counter", elements=1, **parameters):
    return checked(name, length, **{"elements": elements, "squared_sensitivity": 4.0, **parameters})


def promised(observed, adjacency="item-level", **bound):
    return Promise(adjacency=adjacency, observed=observed, intrusions=int("state" in observed), outputs=EVERY, **bound)


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.more if case[1] == "general" else ()) for case in SENSITIVITIES]
)
def test_noise_for_the_sensitivity_keeps_the_promise_exactly_and_less_noise_does_not(case):
    adjacency, model = case
    fixed = {"adjacency": adjacency, "model": model, "rho": 0.1, "squared_sensitivity": float(SENSITIVITIES[case])}
    kept = tree(**fixed)
    assert (kept.verdict, kept.loss.ratio, kept.exact) == (Verdict.NOT_REFUTED, fmpq(1, 10), True)
    assert "100% of it" in kept.reason
    broken = tree(factor=0.999, **fixed)
    assert (broken.verdict, broken.loss.ratio) == (Verdict.REFUTED, fmpq(100, 999))


def test_two_elements_have_the_sensitivity_of_one():
    found = tree(3, elements=2, model="strict", adjacency="user-level", squared_sensitivity=6.0)
    assert (found.verdict, found.loss.ratio) == (Verdict.NOT_REFUTED, fmpq(1, 2))
    assert [(row.users, row.length) for row in found.coverage] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]


TREE = {"elements": 1, "squared_sensitivity": 4.0}
USER = {"elements": 1, "adjacency": "user-level", "model": "strict", "squared_sensitivity": 8.0}
EVENT = {"elements": 1, "adjacency": "event-level", "squared_sensitivity": 3.0}
BOUND = {"flippancy": 1}
VECTOR = {"threshold": 1, "model": "toggle"}
MORE = pytest.mark.more


@pytest.mark.parametrize(
    ("name", "length", "parameters", "loss"),
    [
        ("tree-counter", 4, TREE | {"factor": 0.5}, fmpq(1)),
        ("tree-counter", 4, TREE | {"squared_sensitivity": 2.0}, fmpq(1)),
        ("tree-counter", 4, TREE | {"squared_sensitivity": 3.0}, fmpq(2, 3)),
        ("fresh-noise", 4, EVENT, fmpq(7, 12)),
        ("tree-counter", 5, USER | {"flips": 3}, fmpq(11, 16)),
        ("kept-noise", 4, TREE, "infinite"),
        ("silent-step", 4, TREE, "infinite"),
        ("noise-for-one", 4, TREE, "infinite"),
        # A shipped counter with one error.
        ("small-node-noise", 3, BOUND, None),
        ("fewer-levels", 5, BOUND, None),
        ("twice-drawn", 3, BOUND, None),
        pytest.param("never-cut", 6, BOUND, None, marks=MORE),
        pytest.param("one-flip-more", 5, BOUND, None, marks=MORE),
        ("event-noise", 4, {}, None),
        ("forgotten-computation", 3, {"period": 1}, None),
        # Event 2 after an intrusion at time 1 stands in clear in what the node (0, 2] adds.
        ("birth-alone", 2, {}, "infinite"),
        # Event 1 before it stands in clear in the open node (0, 2].
        ("release-alone", 2, {}, "infinite"),
        ("less-birth", 2, {}, fmpq(1)),
        ("less-release", 2, {}, fmpq(1)),
        ("split-noise", 2, {}, fmpq(1)),
        ("keeps-last", 1, {}, "infinite"),
        ("less-query-noise", 4, VECTOR, None),
        ("without-query-noise", 2, VECTOR, None),
    ],
)
def test_broken_counters_are_refuted_with_a_witness_that_replays(name, length, parameters, loss):
    found = checked(name, length, **parameters)
    assert found.verdict is Verdict.REFUTED, found.reason
    if loss == "infinite":
        assert found.loss.unbounded
    elif loss is not None:
        assert found.loss.ratio == loss
    for witness in (found.witness, found.minimal):
        old, fresh = replay_exact(json.loads(json.dumps(witness.to_dict())))
        assert old.loss.nats == fresh.loss.nats == pytest.approx(witness.loss.nats)
        assert notion_of(fresh.promise).broken_by(fresh.loss, exact=True)
        assert fresh.describe() == witness.describe()
    assert "The input is " in found.minimal.describe()
    assert closed_rho(MEMBERS[name](**{"steps": length, "rho": 0.5, **parameters})) is None


@pytest.mark.parametrize(
    ("name", "length", "parameters"),
    [
        ("tree-counter", 5, USER),
        ("turnstile-given-flippancy", 4, BOUND),
        pytest.param("calibrated-turnstile", 5, BOUND, marks=MORE),
        ("presence", 4, {}),
        ("turnstile-recompute", 3, {"period": 1}),
        ("sparse-vector", 3, VECTOR | {"cutoff": 2}),
        ("sparse-vector", 3, VECTOR | {"least_flippancy": 1, "threshold": 0.5}),
        ("sparse-vector", 2, {"threshold": 1}),
        *(("pan-private-running-count", length, {}) for length in (1, 2, 3)),
        pytest.param("pan-private-running-count", 4, {}, marks=MORE),
    ],
)
def test_the_counters_without_the_error_are_not_refuted(name, length, parameters):
    found = checked(name, length, **parameters)
    assert found.verdict is Verdict.NOT_REFUTED, found.reason
    assert 0 < found.loss.nats <= 1
    if name == "pan-private-running-count":
        # The state and all outputs together lose exactly the promise.
        assert found.loss.ratio == fmpq(1, 2)


def loss_of_pair(name, left, right):
    """The exact loss of one pair of streams, and whether it breaks the promise."""
    made = find_mechanism(name, parameters={"steps": len(left), "rho": 0.5, "threshold": 1})
    stepper = Stepper(made.estimator, (to_text(left), to_text(right)))
    pair = [(Update(place), SegmentEnd.RELEASE) for place in (0, 1)]
    worst = search_pairs(stepper, [pair], made.promise).worst
    return worst.loss.nats, worst.violates(notion_of(made.promise), exact=True)


PRESENT, ABSENT = ((0, 1), *(None,) * 7), (None,) * 8
TURNED = ((0, 1), None, (0, -1), (0, -1), (0, 1), None, None), (None, None, None, None, (0, 1), None, None)


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("fresh-threshold", (PRESENT, ABSENT)),
        ("less-threshold-noise", (PRESENT, ABSENT)),
        pytest.param("without-cutoff", TURNED, marks=pytest.mark.slow),
    ],
)
def test_many_answers_break_a_technique_whose_threshold_does_not_hide_them(name, pair):
    assert loss_of_pair(name, *pair)[1] is True
    assert loss_of_pair("sparse-vector", *pair)[1] is False


def test_an_event_level_mechanism_does_not_keep_an_item_level_promise():
    event, item = (tree(adjacency=f"{one}-level", squared_sensitivity=3.0) for one in ("event", "item"))
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
    found = tree(2, name, squared_sensitivity=1000.0)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert reason in found.reason


@pytest.mark.parametrize(("squared", "loss"), [(1.0, 2.0), (16.0, 0.5)])
def test_laplace_noise_for_each_output_is_checked_by_its_epsilon(squared, loss):
    """Two outputs differ, each with the scale ``sqrt(squared)``: the item-level loss is their sum."""
    found = tree(2, "laplace-counter", promise=promised("output", epsilon=1.0), squared_sensitivity=squared)
    assert found.loss.nats == pytest.approx(loss)
    assert found.verdict is (Verdict.REFUTED if loss > 1 else Verdict.NOT_REFUTED)


@pytest.mark.parametrize(
    ("name", "observed", "adjacency", "is_private"),
    [
        ("tree-counter", "state", "item-level", False),
        ("tree-counter", "state+output", "item-level", False),
        # The noise that is left suffices for one part: the joint observation breaks the promise.
        ("birth-alone", "output", "event-level", True),
        ("birth-alone", "state", "event-level", True),
        ("release-alone", "output", "event-level", True),
        ("release-alone", "state", "event-level", False),
    ],
)
def test_the_state_and_the_outputs_are_judged_apart_and_together(name, observed, adjacency, is_private):
    more = TREE if name == "tree-counter" else {}
    found = checked(name, 2, promised(observed, adjacency, rho=0.5), **more)
    assert (found.verdict is Verdict.NOT_REFUTED) is (not found.loss.unbounded) is is_private
    if not is_private:
        assert replay_exact(json.loads(json.dumps(found.minimal.to_dict())))[1].loss.unbounded


def test_a_scope_that_is_not_covered_is_named_beside_the_verdict_of_the_smaller_one(monkeypatch):
    monkeypatch.setattr(small, "MOST_STREAMS", 30)
    found = tree()
    assert found.verdict is Verdict.NOT_REFUTED
    assert "too many streams" in found.reason
    assert found.coverage
    monkeypatch.setattr(small, "MOST_STREAMS", 0)
    assert tree().verdict is Verdict.INCONCLUSIVE


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
    found = tree(2, factor=0.1, elements=2, adjacency="event-level")
    document = json.loads(json.dumps(found.minimal.to_dict()))
    assert document["users"] == [".", "+0"]
    with pytest.raises(InputError, match=message):
        replay_exact({**document, "users": changed})


def test_a_witness_of_two_intrusions_is_refused():
    document = json.loads(json.dumps(checked("less-birth", 2).minimal.to_dict()))
    first, second = document["users"]
    assert "state after 1" in second
    with pytest.raises(InputError, match="another observation"):
        replay_exact({**document, "users": [first, second.replace("state after 1", "state after 0")]})


COUNTER = "tests.public.continual.counters:TreeCounter"


def test_noise_in_another_process_is_followed():
    problem = find_mechanism(COUNTER, parameters={"elements": 3, "steps": 5, "model": "strict"}).problem
    assert (problem.elements, problem.steps, problem.model) == (3, 5, "strict")
    found = tree(2, COUNTER, squared_sensitivity=2.0)
    assert (found.verdict, found.loss.nats) == (Verdict.NOT_REFUTED, 0.5)
    state = tree(1, COUNTER, promise=promised("state", rho=1.0))
    assert state.loss.unbounded
    assert "+0 (state)" in state.minimal.describe()


def test_a_mechanism_without_a_state_is_told_which_methods_are_missing():
    found = checked("outputs-alone", 1, promised("state", rho=1.0))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "create(randomness)" in found.reason


QUICK = Settings(runs=20_000, seed=5, workers=1, accuracy_runs=0, exact=False, hygiene=False)


def audited(parameters, observed="output", **bound):
    return run_gate(find_mechanism(COUNTER, parameters=parameters, promise=promised(observed, **bound)), QUICK)


@pytest.mark.slow
def test_an_audit_refutes_noise_that_is_too_small_and_counts_in_clear():
    broken, kept = (
        audited({"steps": 8, "squared_sensitivity": squared}, epsilon=1.0, delta=1e-5) for squared in (0.05, 400.0)
    )
    assert (broken.verdict, kept.verdict) == (Verdict.REFUTED, Verdict.NOT_REFUTED)
    assert broken.privacy.loss > 1
    assert audited({}, "state+output", epsilon=1.0).verdict is Verdict.REFUTED


def test_an_audit_of_the_state_alone_is_not_made():
    found = audited({}, "state", epsilon=1.0)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "the exact check looks at it" in found.reason
