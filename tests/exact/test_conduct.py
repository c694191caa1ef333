"""Code that the check does not follow: evasions, errors, lines and branches."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict, deque
from decimal import Decimal

import numpy as np
import pytest

import panproof
from pan_audits import Verdict
from pan_audits.choices.errors import UnfollowableError
from pan_audits.events.observing.numbers import Raised
from pan_audits.exact import identity as constancy
from pan_audits.exact.check import run_check
from pan_audits.exact.identity import seen_key, state_key
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.scope import Scope
from pan_audits.exact.search import search_scope
from pan_audits.exact.stepping import Stepper
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_estimators import SampledCells, create_estimator, parse_epsilon
from panproof import Problem
from tests.mechanisms.evasive import NumberWithMore, SlottedDictionary
from tests.turns import every

RECORDED = {
    # Users, sample size, length, streams, pairs, states and loss of each scope.
    ("optimal-bernoulli", "log(3/2)", 3, 3): (
        (1, 1, 1, 3, 3, 2, 2.00611451451),
        (1, 1, 2, 6, 15, 2, 2.00611451451),
        (1, 1, 3, 10, 45, 2, 2.00611451451),
        (2, 2, 1, 5, 3, 4, 2.00611451451),
        (2, 2, 2, 17, 27, 4, 2.00611451451),
        (2, 2, 3, 49, 165, 4, 2.00611451451),
        (3, 2, 1, 5, 3, 12, 2.00611451451),
        (3, 2, 2, 20, 27, 12, 2.00611451451),
        (3, 2, 3, 76, 195, 12, 2.00611451451),
        (3, 1, 2, 20, 27, 6, 2.00611451451),
        (3, 3, 2, 20, 27, 8, 2.00611451451),
    ),
    ("calibrated-bernoulli", "0.2", 3, 3): (
        (1, 1, 1, 3, 3, 2, 0.4),
        (1, 1, 2, 6, 15, 2, 0.4),
        (1, 1, 3, 10, 45, 2, 0.4),
        (2, 2, 1, 5, 3, 4, 0.4),
        (2, 2, 2, 17, 27, 4, 0.4),
        (2, 2, 3, 49, 165, 4, 0.4),
        (3, 2, 1, 5, 3, 12, 0.4),
        (3, 2, 2, 20, 27, 12, 0.4),
        (3, 2, 3, 76, 195, 12, 0.4),
        (3, 1, 2, 20, 27, 6, 0.4),
        (3, 3, 2, 20, 27, 8, 0.4),
    ),
    ("calibrated-insert-delete", "0.2", 2, 3): (
        (1, 1, 1, 3, 3, 2, 0.4),
        (1, 1, 2, 9, 36, 2, 0.4),
        (1, 1, 3, 21, 210, 2, 0.4),
        (2, 1, 1, 5, 3, 4, 0.4),
        (2, 1, 2, 23, 48, 4, 0.4),
        (2, 1, 3, 95, 510, 4, 0.4),
        (2, 2, 2, 23, 48, 4, 0.4),
    ),
    ("calibrated-announced-intrusions", "0.2", 2, 3): (
        (1, 1, 1, 7, 9, 4, 0.420107548402),
        (1, 1, 2, 16, 60, 4, 0.6),
        (1, 1, 3, 30, 235, 4, 0.6),
        (2, 1, 1, 12, 9, 8, 0.420107548402),
        (2, 1, 2, 48, 102, 8, 0.6),
        (2, 1, 3, 160, 760, 8, 0.6),
        (2, 2, 2, 48, 102, 8, 0.6),
    ),
    ("calibrated-continual-output", "0.2", 2, 2): (
        (1, 1, 1, 8, 12, 2, 0.4),
        (1, 1, 2, 20, 90, 2, 0.4),
        (2, 1, 1, 14, 12, 4, 0.4),
        (2, 1, 2, 62, 150, 4, 0.4),
        (2, 2, 2, 62, 150, 4, 0.4),
    ),
    ("pan-private-distinct-sampling", "0.2", 3, 2): ((1, 1, 1, 3, 3, 2, None),),
    ("tests.mechanisms.ten_lines:RandomisedResponse", "0.3", 3, 2): (
        (1, None, 1, 3, 3, 2, 0.483132706017),
        (1, None, 2, 6, 15, 2, 0.483132706017),
        (2, None, 1, 5, 6, 4, 0.483132706017),
        (2, None, 2, 17, 54, 4, 0.483132706017),
        (3, None, 1, 7, 9, 8, 0.483132706017),
        (3, None, 2, 34, 117, 8, 0.483132706017),
    ),
    ("tests.mechanisms.ten_lines:TwoOutputs", None, 2, 3): (
        (1, None, 1, 3, 3, 2, 1.0),
        (1, None, 2, 6, 15, 2, 1.0),
        (1, None, 3, 10, 45, 2, 1.0),
        (2, None, 1, 5, 6, 3, 1.0),
        (2, None, 2, 17, 54, 4, 1.0),
        (2, None, 3, 49, 330, 4, 1.0),
    ),
    ("tests.mechanisms.evasive:StaysAtEventLevel", None, 2, 3): (
        (1, None, 1, 2, 1, 2, 0.69314718056),
        (1, None, 2, 3, 2, 2, 0.69314718056),
        (1, None, 3, 4, 3, 2, 0.69314718056),
        (2, None, 1, 3, 2, 2, 0.69314718056),
        (2, None, 2, 7, 8, 2, 0.69314718056),
        (2, None, 3, 15, 24, 2, 0.69314718056),
    ),
}


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case[0].rpartition(":")[2])
def test_the_same_is_covered_as_before(case):
    name, epsilon, users, length = case
    parameters = {} if epsilon is None else {"epsilon": parse_epsilon(epsilon)}
    result = run_check(SmallInstances(name, parameters), CheckSettings(users=users, length=length, appearances=3))
    for row, recorded in zip(result.coverage, RECORDED[case], strict=True):
        *counts, states, nats = recorded
        assert [row.users, row.sample_size, row.length, row.streams, row.pairs] == counts
        # A shipped estimator may come to keep more in its state.
        assert row.states == states or (":" not in name and row.states > states)
        assert row.loss.unbounded if nats is None else row.loss.nats == pytest.approx(nats, rel=1e-11)


def counted(monkeypatch, *names):
    calls = Counter()

    def counting(name):
        method = getattr(SampledCells, name)

        def call(*arguments, **named):
            calls[name] += 1
            return method(*arguments, **named)

        monkeypatch.setattr(SampledCells, name, call)

    for name in names:
        counting(name)
    return calls


def searched(length):
    estimator = create_estimator("optimal-bernoulli", universe=2, epsilon=parse_epsilon("log(3/2)"), sample_size=2)
    scope = Scope.of(estimator.promise, 2, length, deletions=False, exchangeable=False)
    stepper = Stepper(estimator, (0, 1))
    search_scope(stepper, scope)
    return stepper


def test_longer_streams_cost_no_further_calls_of_the_estimator(monkeypatch):
    """No step and no release depends on its moment where the state keeps no noise."""
    calls = counted(monkeypatch, "create", "update", "release")
    costs = []
    for length in (2, 4):
        calls.clear()
        searched(length)
        costs.append(dict(calls))
    assert costs[0] == costs[1]


def test_an_estimator_that_stays_as_it_is_has_its_fingerprint_taken_once(monkeypatch):
    taken = []
    monkeypatch.setattr(constancy, "fingerprint", lambda value: taken.append(value) or "the same")
    stepper = searched(2)
    assert taken == [stepper.estimator]


def test_a_distribution_is_worked_out_once_and_histories_that_are_equal_are_one():
    stepper = searched(2)
    stream = next(iter(stepper._distributions))
    assert stepper.distribution(stream) is stepper.distribution(stream)
    paths = [
        path
        for distribution in stepper._distributions.values()
        for mixture in distribution.values()
        for _, path in mixture
    ]
    assert len({id(path) for path in paths}) == len(set(paths)) < len(paths)


class ErasesInRelease:
    """A release that empties the state that it is given."""

    def create(self, randomness):
        return [7]

    def update(self, state, ids, randomness):
        return state

    def release(self, state, randomness):
        state.clear()
        return 0


def test_a_release_is_given_a_copy_of_the_state():
    stepper = Stepper(ErasesInRelease(), (0,))
    ((_, key),) = stepper.created()
    with pytest.raises(UnfollowableError, match="release changes the state"):
        stepper.distribution((SegmentEnd.RELEASE,))
    assert stepper.states[key] == [7]


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


R, N, I = Verdict.REFUTED, Verdict.NOT_REFUTED, Verdict.INCONCLUSIVE  # noqa: E741


@pytest.mark.parametrize(
    ("name", "verdict", "words"),
    every(
        3,
        [
            ("Count", N, "1"),
            pytest.param("RedrawsZeroNoise", I, "more than 40 comparisons", marks=pytest.mark.more),
            ("LooksNoiseUp", R, "infinite"),
            ("WritesNoiseDown", I, "converts a noisy number"),
            ("CatchesEverything", R, "loss 100"),
            ("OrderOfADictionary", R, "infinite"),
            ("OrderOfADictionaryInTheOutput", R, "infinite"),
            ("OrderedDictionary", R, "infinite"),
            ("AttributeOfADictionary", R, "infinite"),
            ("MaskOfAnArray", R, "infinite"),
            ("AttributeOfANumber", R, "infinite"),
            ("SlotOfADictionary", R, "infinite"),
            ("RoomOfADeque", R, "infinite"),
            ("KeepsItsNoise", I, "release changes the state"),
            ("KeepsItsNoiseAsItsCount", R, "loss"),
            ("CountsItsReleases", N, "2"),
            ("MarksTheStateWhenItReleases", R, "infinite"),
            ("ForgetsToReturn", I, "update returned None"),
            ("CountsOnItself", I, "outside of its state"),
            ("RarelyDrawsElsewhere", I, "draws from random"),
            ("AnotherGenerator", I, "default_rng"),
            ("ClaimsThatUsersAreExchangeable", R, "infinite"),
            ("LogsBatches", I, "batch"),
            ("NoiseOfTwoScales", R, "at least 3.91202"),
            ("ProbabilitiesNextToOne", R, "log(2)"),
            ("OnlyTheSecondUserSticks", R, "loss"),
            ("TurnsTheNoiseRound", N, "0"),
            ("NoiseInHalfOfTheRuns", I, "several step sizes"),
            ("StaysAtEventLevel", N, "log(2)"),
            ("NumbersOfAllTypes", R, "infinite"),
            ("NumbersOfOneType", N, "log(2)"),
            ("LocationsInAnArray", N, "1"),
            ("BudgetAsADouble", N, "log(2)"),
        ],
    ),
)
def test_the_verdict_is_true(name, verdict, words):
    result = run_check(
        SmallInstances(f"tests.mechanisms.evasive:{name}"), CheckSettings(users=2, length=3, appearances=8)
    )
    assert result.verdict is verdict, result.reason
    assert words in result.reason


def test_states_are_merged_only_if_they_behave_alike():
    shared = [0]
    different = [
        ([shared, shared], [[0], [0]]),
        ({1: 0, 2: 0}, {2: 0, 1: 0}),
        (1, True),
        (1, 1.0),
        ([1], (1,)),
        ("1", 1),
        (NumberWithMore(1.0), NumberWithMore(1.0).with_last(2)),
        (SlottedDictionary(1), SlottedDictionary(2)),
        (deque([1], maxlen=1), deque([1], maxlen=2)),
        (defaultdict(int), defaultdict(list)),
        (defaultdict(lambda: 0), defaultdict(lambda: [1])),
    ]
    for left, right in different:
        assert state_key(left) != state_key(right), (left, right)
    assert state_key({"a": [1, 2.5, None]}) == state_key({"a": [1, 2.5, None]})
    assert seen_key([1, True]) == seen_key([1.0, 1])
    assert seen_key({3, 1}) == seen_key({1, 3})
    assert seen_key(math.nan) == seen_key(float("nan"))
