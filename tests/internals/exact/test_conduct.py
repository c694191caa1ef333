"""What the check covers, and code that is easily misjudged: errors, missing numbers, leaks that are overlooked."""

from __future__ import annotations

import json
import math
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest

import panproof
from pan_audits.events.observing.numbers import Raised
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.scope import Scope
from pan_audits.exact.search import search_scope
from pan_audits.exact.stepping import Stepper
from pan_estimators import SampledCells, create_estimator, parse_epsilon
from pan_estimators.common.registry import with_budget
from panproof import Problem, Verdict
from tests.internals.exact.checking import examined, judged
from tests.mechanisms import evasive
from tests.mechanisms.ten_lines import TwoOutputs

R, N, I = Verdict.REFUTED, Verdict.NOT_REFUTED, Verdict.INCONCLUSIVE  # noqa: E741


@pytest.mark.parametrize(
    ("name", "epsilon", "streams", "pairs", "loss"),
    [
        ("optimal-bernoulli", "log(3/2)", 17, 27, 2.00611451451),
        ("calibrated-insert-delete", "0.2", 23, 48, 0.4),
        ("calibrated-announced-intrusions", "0.2", 48, 102, 0.6),
        ("calibrated-continual-output", "0.2", 62, 150, 0.4),
        (evasive.StaysAtEventLevel, "", 7, 8, math.log(2)),
        (TwoOutputs, "", 17, 54, 1.0),
    ],
)
def test_the_same_is_covered_as_before(name, epsilon, streams, pairs, loss):
    scope = {"users": 2, "length": 2, "appearances": 3}
    if epsilon:
        result = run_check(SmallInstances(name, with_budget(name, parse_epsilon(epsilon), {})), CheckSettings(**scope))
    else:
        result = examined(name, **scope)
    rows = [row for row in result.coverage if (row.users, row.length) == (2, 2)]
    assert len(rows) == (2 if epsilon else 1)
    for row in rows:
        assert (row.streams, row.pairs, row.loss.nats) == (streams, pairs, pytest.approx(loss))


def test_longer_streams_cost_no_further_calls_of_the_estimator(monkeypatch):
    """No step and no release depends on its moment where the state keeps no noise."""
    calls = Counter()

    def counted(name, method):
        def call(*arguments, **named):
            calls[name] += 1
            return method(*arguments, **named)

        return call

    for name in ("create", "update", "release"):
        monkeypatch.setattr(SampledCells, name, counted(name, getattr(SampledCells, name)))
    costs = []
    for length in (2, 4):
        calls.clear()
        estimator = create_estimator("optimal-bernoulli", universe=2, epsilon=parse_epsilon("log(3/2)"), sample_size=2)
        scope = Scope.of(estimator.promise, 2, length, deletions=False, exchangeable=False)
        search_scope(Stepper(estimator, (0, 1)), scope)
        costs.append(dict(calls))
    assert costs[0] == costs[1]


@pytest.mark.parametrize(
    ("kind", "verdict", "words"),
    [
        (evasive.Count, N, "1"),
        (evasive.RedrawsZeroNoise, I, "more than 40 comparisons"),
        (evasive.LooksNoiseUp, R, "infinite"),
        (evasive.WritesNoiseDown, I, "converts a noisy number"),
        (evasive.CatchesEverything, R, "loss 100"),
        (evasive.OrderOfADictionary, R, "infinite"),
        (evasive.OrderOfADictionaryInTheOutput, R, "infinite"),
        (evasive.OrderedDictionary, R, "infinite"),
        (evasive.SliceOfALargerArray, R, "infinite"),
        (evasive.KeepsItsNoise, I, "release changes the state"),
        (evasive.KeepsItsNoiseAsItsCount, R, "loss"),
        (evasive.CountsItsReleases, N, "2"),
        (evasive.MarksTheStateWhenItReleases, R, "infinite"),
        (evasive.ForgetsToReturn, I, "update returned None"),
        (evasive.CountsOnItself, I, "outside of its state"),
        (evasive.RarelyDrawsElsewhere, I, "draws from random"),
        (evasive.AnotherGenerator, I, "default_rng"),
        (evasive.ClaimsThatUsersAreExchangeable, R, "infinite"),
        (evasive.LogsBatches, I, "batch"),
        (evasive.NoiseOfTwoScales, R, "3.91202 = log(50)"),
        (evasive.ProbabilitiesNextToOne, R, "log(2)"),
        (evasive.OnlyTheSecondUserSticks, R, "loss"),
        (evasive.TurnsTheNoiseRound, N, "0"),
        (evasive.NoiseInHalfOfTheRuns, I, "several step sizes"),
        (evasive.StaysAtEventLevel, N, "log(2)"),
        (evasive.NumbersOfAllTypes, R, "infinite"),
        (evasive.NumbersOfOneType, N, "log(2)"),
        (evasive.LocationsInAnArray, N, "1"),
        (evasive.BudgetAsADouble, N, "log(2)"),
    ],
)
def test_the_verdict_is_true(kind, verdict, words):
    result = examined(kind, users=2, length=3, appearances=8)
    assert result.verdict is verdict, result.reason
    assert words in result.reason


@pytest.mark.parametrize(("name", "verdict"), [("SliceOfALargerArray", R), ("CountsOnItself", I)])
def test_the_verdict_is_true_of_code_in_a_process_of_its_own(name, verdict):
    settings = CheckSettings(users=2, length=3, appearances=8)
    assert run_check(SmallInstances(f"tests.mechanisms.evasive:{name}"), settings).verdict is verdict


def clamp(value):
    return 0.0 if value < 0.0 else 1.0 if value > 1.0 else value


def refuses_large_sums(data, rng):
    if sum(data) > 2:
        raise ValueError("too large")
    return sum(data) + rng.laplace(scale=1.0)


def divides_by_zero(data, rng):
    noise = rng.laplace(scale=1.0)
    return noise + 1 / (len(data) - 2)


def exits(data, rng):
    if len(data) > 2:
        raise SystemExit(3)
    return len(data) + rng.laplace(scale=1.0)


def tells_the_data(data, rng):
    if rng.bernoulli(0.5):
        raise ValueError(f"{sum(data)} is too large")
    return 0


def raises_another_error(data, rng):
    if rng.bernoulli(0.5):
        raise (KeyError if len(data) > 2 else ValueError)("no")
    return 0


def often_refuses(data, rng):
    if rng.bernoulli(0.25 if len(data) == 2 else 0.5):
        raise ValueError("no")
    return 1


def tells_an_address(data, rng):
    if rng.bernoulli(0.5):
        raise ValueError(f"no {object()}")
    return 1


def refuses_noise(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    if noisy > 4:
        raise ValueError("no")
    return noisy


def clamped_sum(data, rng):
    return sum(clamp(value) for value in data) + rng.laplace(scale=1.0)


TWO, THREE = [1, 1], [1, 1, 1]
NAN, INFINITE = [math.nan], [math.inf]


@pytest.mark.parametrize(
    ("mechanism", "left", "right", "loss"),
    [
        *(
            (mechanism, TWO, THREE, math.inf)
            for mechanism in (refuses_large_sums, divides_by_zero, exits, tells_the_data, raises_another_error)
        ),
        (often_refuses, TWO, THREE, math.log(2)),
        (tells_an_address, TWO, THREE, 0),
        # A refusal that depends on noise costs what the noise costs.
        (refuses_noise, TWO, THREE, 1),
        # An output that is no number on one neighbour.
        ("[1, data[0] + rng.laplace()]", [0.0], NAN, math.inf),
        ("rng.laplace(data[0], 1.0)", [0.0], [-math.inf], math.inf),
        ("data[0] + rng.discrete_laplace(1.0)", [0.0], INFINITE, math.inf),
        ("np.array(data) + rng.laplace(size=len(data))", [0.0], NAN, math.inf),
        ("1 if math.isfinite(data[0]) else None", [0.0], NAN, math.inf),
        ("[1] if math.isfinite(data[0]) else []", [0.0], INFINITE, math.inf),
        ("rng.laplace(data[0], 1.0)", NAN, NAN * 2, 0),
        # A clamp by comparisons passes NaN.
        (clamped_sum, [0.5, 0.5], [0.5, math.nan], math.inf),
        (clamped_sum, [0.5, 0.5], [0.5, math.inf], 0.5),
    ],
)
def test_errors_and_missing_numbers_are_outputs(mechanism, left, right, loss):
    result = judged(mechanism, left, right, "epsilon=1")
    assert result.loss.nats == pytest.approx(loss)
    assert result.verdict is (R if loss > 1 else N)


def always_fails(data, rng):
    raise ValueError(f"not {data}")


def takes_doubles_only(data, rng):
    return Decimal(rng.laplace(scale=1.0))


def wraps_an_error(data, rng):
    try:
        return Decimal(rng.laplace(scale=1.0))
    except TypeError:
        raise ValueError("no double") from None


class TakesOneId:
    promise = "epsilon=1,adjacency=user-level"

    def create(self, rng):
        return 0

    def update(self, state, ids, rng):
        int(np.asarray(ids).item())
        return state

    def release(self, state, rng):
        return rng.bernoulli(0.5)


class NeverUpdates(TakesOneId):
    def update(self, state, ids, rng):
        raise OverflowError("full")


class Limited(TakesOneId):
    promise = "epsilon=1,adjacency=user-level,observed=output,intrusions=0"

    def create(self, rng):
        return frozenset()

    def update(self, state, ids, rng):
        for each in np.atleast_1d(ids).tolist():
            if len(state) >= 2:
                raise OverflowError("full")
            state = state | {each}
        return state


class OfRows:
    problem = Problem.of_table({"x": [0, 100]}, rows=4)
    promise = "epsilon=1,adjacency=add-row,observed=output,intrusions=0"

    def release(self, table, rng):
        if len(table) < 2:
            raise ValueError("two rows at least")
        return len(table) + rng.laplace(scale=1.0)


class OfTurnstiles:
    problem = Problem.of_turnstile(elements=2, steps=3, model="toggle")
    promise = "rho=0.5,adjacency=event-level,observed=output,intrusions=0,outputs=every"

    def release(self, stream, rng):
        total, outputs = 0, []
        for entry in stream:
            total += entry[1] if entry else 0
            if total > 1:
                raise ValueError("over")
            outputs.append(rng.gaussian(total, 2.0))
        return outputs


@pytest.mark.parametrize("kind", [Limited, OfRows, OfTurnstiles], ids=lambda one: one.__name__)
def test_errors_are_observations_of_streams_tables_and_turnstiles(kind):
    result = panproof.check(kind)
    assert result.verdict is R
    assert result.to_dict()["loss"]["unbounded"]


@pytest.mark.parametrize(
    ("mechanism", "inputs", "words"),
    [
        (always_fails, (TWO, THREE), "it raised"),
        (NeverUpdates, (), "it raised"),
        # Errors about noise that is not drawn are none of the code.
        (takes_doubles_only, (TWO, THREE), "perhaps for noise that the check does not draw"),
        (wraps_an_error, (TWO, THREE), "perhaps for noise that the check does not draw"),
    ],
)
def test_errors_of_every_run_or_of_followed_noise_refute_nothing(mechanism, inputs, words):
    result = panproof.check(mechanism, *inputs, **({"epsilon": 1} if inputs else {}))
    assert result.verdict is I
    assert words in result.report.reason


def rarely_shown(data, rng):
    return data[0] if rng.bernoulli(0.2) else 0.0


@pytest.mark.parametrize(
    ("mechanism", "inputs", "verdict", "words"),
    [
        # Ids in a form that the code does not take.
        pytest.param(TakesOneId, (), I, "it raised", marks=pytest.mark.more),
        (refuses_large_sums, (TWO, THREE), R, "ValueError"),
        (tells_an_address, (TWO, THREE), N, ""),
        (clamped_sum, ([0.0], NAN), R, "output is not NaN."),
        pytest.param(rarely_shown, ([0.0], INFINITE), R, "output is infinite.", marks=pytest.mark.more),
    ],
)
def test_an_audit_sees_errors_and_missing_numbers_too(mechanism, inputs, verdict, words):
    few = {"exact": False, "runs": 2000, "confirmation_runs": 1000, "seed": 1}
    result = panproof.gate(mechanism, *inputs, **few, **({"epsilon": 1} if inputs else {}))
    assert result.verdict is verdict
    assert words in result.report.reason


def test_a_witness_with_an_error_is_replayed(panproof, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "refusing.py").write_text(
        "def total(data, rng):\n"
        "    if sum(data) > 2:\n        raise ValueError('too large')\n"
        "    return sum(data) + rng.laplace(scale=1.0)\n"
        "def pairs():\n    yield [1, 1], [1, 1, 1]\n"
    )
    asked = ("check", "refusing.py:total", "--neighbours", "refusing.py:pairs")
    outcome = panproof(*asked, "--promise", "epsilon=1,adjacency=given,observed=output,intrusions=0", "--json")
    assert outcome.code == 1
    (tmp_path / "witness.json").write_text(json.dumps(json.loads(outcome.out)["minimal_witness"]))
    named = ("--estimator", "refusing.py:total", "--neighbours", "refusing.py:pairs")
    outcome = panproof("replay", "witness.json", *named)
    assert outcome.out.startswith("REFUTED"), outcome.err


def test_an_error_of_foreign_code_is_plain_text():
    class RudeError(Exception):
        def __str__(self):
            raise RuntimeError

    made = type("a\nb", (Exception,), {})
    assert Raised.of(RudeError()) == Raised("RudeError")
    assert Raised.of(made("x\x1b[0m\n0x7f12 1.12345678901")) == Raised("an error", "x?[0m 0x... 1.123456")
