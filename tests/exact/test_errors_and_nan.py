"""Errors, NaN, infinities and None are observations: whoever asks for an output sees them."""

from __future__ import annotations

import json
import math
from decimal import Decimal

import numpy as np
import pytest

import panproof
from pan_audits import Verdict
from pan_audits.observing.numbers import Raised
from panproof import Problem

FEW = {"exact": False, "runs": 2000, "confirmation_runs": 1000, "seed": 1}


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


def always_fails(data, rng):
    raise ValueError(f"not {data}")


def takes_doubles_only(data, rng):
    return Decimal(rng.laplace(scale=1.0))


def wraps_an_error(data, rng):
    try:
        return Decimal(rng.laplace(scale=1.0))
    except TypeError:
        raise ValueError("no double") from None


class Limited:
    promise = "epsilon=1,adjacency=user-level,observed=output,intrusions=0"

    def create(self, rng):
        return frozenset()

    def update(self, state, ids, rng):
        for each in np.atleast_1d(ids).tolist():
            if len(state) >= 2:
                raise OverflowError("full")
            state = state | {each}
        return state

    def release(self, state, rng):
        return rng.bernoulli(0.5)


class NeverUpdates(Limited):
    def update(self, state, ids, rng):
        raise OverflowError("full")


class TakesOneId(Limited):
    promise = "epsilon=1,adjacency=user-level"

    def create(self, rng):
        return 0

    def update(self, state, ids, rng):
        int(np.asarray(ids).item())
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


def infinite(result):
    return result.verdict is Verdict.REFUTED and result.to_dict()["loss"]["unbounded"]


@pytest.mark.parametrize(
    "mechanism",
    [refuses_large_sums, divides_by_zero, exits, tells_the_data, raises_another_error],
    ids=lambda one: one.__name__,
)
def test_an_error_on_one_neighbour_alone_refutes(mechanism):
    assert infinite(panproof.check(mechanism, [1, 1], [1, 1, 1], epsilon=1))


@pytest.mark.parametrize(
    ("mechanism", "ratio"), [(often_refuses, 2), (tells_an_address, 1)], ids=("often", "with an address")
)
def test_an_error_with_a_probability_has_its_loss(mechanism, ratio):
    result = panproof.check(mechanism, [1, 1], [1, 1, 1], epsilon=1)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss == pytest.approx(math.log(ratio))


def test_a_refusal_that_depends_on_noise_costs_what_the_noise_costs():
    result = panproof.check(refuses_noise, [1, 1], [1, 1, 1], epsilon=1)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss == pytest.approx(1)
    assert panproof.check(refuses_noise, [1, 1], [1, 1, 1], epsilon=0.9).verdict is Verdict.REFUTED


def test_code_that_always_fails_is_no_mechanism():
    for result in (
        panproof.check(always_fails, [1, 1], [1, 1, 1], epsilon=1),
        panproof.gate(always_fails, [1, 1], [1, 1, 1], epsilon=1),
        panproof.check(NeverUpdates),
    ):
        assert result.verdict is Verdict.INCONCLUSIVE
        assert "it raised" in result.report.reason


@pytest.mark.parametrize("mechanism", [takes_doubles_only, wraps_an_error], ids=lambda one: one.__name__)
def test_an_error_about_noise_that_is_not_drawn_is_none_of_the_code(mechanism):
    result = panproof.check(mechanism, [1, 1], [1, 1, 1], epsilon=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "perhaps for noise that the check does not draw" in result.report.reason


@pytest.mark.parametrize("kind", [Limited, OfRows, OfTurnstiles], ids=lambda one: one.__name__)
def test_errors_are_observations_of_streams_tables_and_turnstiles(kind):
    assert infinite(panproof.check(kind))


def test_ids_in_a_form_that_the_code_does_not_take_refute_nothing():
    result = panproof.gate(TakesOneId, **FEW)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "it raised" in result.report.reason


def test_an_audit_names_the_error():
    result = panproof.gate(refuses_large_sums, [1, 1], [1, 1, 1], epsilon=1, **FEW)
    assert result.verdict is Verdict.REFUTED
    assert "raise ValueError" in result.report.reason or "raised ValueError" in result.report.reason


@pytest.mark.parametrize("mechanism", [often_refuses, tells_an_address], ids=lambda one: one.__name__)
def test_an_audit_refutes_no_promise_by_an_error_that_keeps_it(mechanism):
    assert panproof.gate(mechanism, [1, 1], [1, 1, 1], epsilon=1, **FEW).verdict is Verdict.NOT_REFUTED


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


def in_a_list(data, rng):
    return [1, data[0] + rng.laplace(scale=1.0)]


def as_a_location(data, rng):
    return rng.laplace(data[0], 1.0)


def with_integer_noise(data, rng):
    return data[0] + rng.discrete_laplace(1.0)


def as_an_array(data, rng):
    return np.array(data) + rng.laplace(scale=1.0, size=len(data))


def clamped_sum(data, rng):
    return sum(clamp(value) for value in data) + rng.laplace(scale=1.0)


def none_or_one(data, rng):
    return 1 if math.isfinite(data[0]) else None


def empty_or_one(data, rng):
    return [1] if math.isfinite(data[0]) else []


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "mechanism",
    [in_a_list, as_a_location, with_integer_noise, as_an_array, none_or_one, empty_or_one],
    ids=lambda one: one.__name__,
)
def test_an_output_that_is_no_number_on_one_neighbour_refutes(mechanism, value):
    assert infinite(panproof.check(mechanism, [0.0], [value], epsilon=1))


def test_nan_on_both_neighbours_reveals_nothing():
    result = panproof.check(as_a_location, [math.nan], [math.nan, math.nan], epsilon=1)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss == 0


def test_a_clamp_by_comparisons_passes_nan():
    assert infinite(panproof.check(clamped_sum, [0.5, 0.5], [0.5, math.nan], epsilon=1))
    assert panproof.check(clamped_sum, [0.5, 0.5], [0.5, math.inf], epsilon=1).verdict is Verdict.NOT_REFUTED


def rarely_shown(data, rng):
    return data[0] if rng.bernoulli(0.2) else 0.0


@pytest.mark.parametrize(
    ("mechanism", "value", "words"),
    [
        (clamped_sum, math.nan, "output is not NaN"),
        (rarely_shown, math.nan, "output is NaN"),
        (rarely_shown, math.inf, "output is infinite"),
        (none_or_one, math.nan, "output is not None"),
    ],
)
def test_an_audit_says_what_the_output_is(mechanism, value, words):
    result = panproof.gate(mechanism, [0.0], [value], epsilon=1, **FEW)
    assert result.verdict is Verdict.REFUTED
    assert f"{words}." in result.report.reason, result.report.reason
