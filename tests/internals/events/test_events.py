"""Events are found, survive JSON, and are not found where there are none."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from pan_audits.audit.sequential import Direction, PairTest, threshold
from pan_audits.events import (
    LIKELIHOOD_RATIO,
    Condition,
    Event,
    Polynomial,
    Table,
    betting_objective,
    bound_objective,
    learn_events,
)
from pan_audits.events.comparisons import Column
from pan_audits.statistics import betting_factors
from pan_estimators import InputError
from tests.command import schema_of


def table(**columns):
    return Table(tuple(columns), np.column_stack(list(columns.values())).astype(float))


def again(event):
    return Event.from_dict(json.loads(json.dumps(event.to_dict())))


def test_a_table_aligns_runs_with_different_features():
    found = Table.from_rows([{"a": 1.0}, {"a": 2.0, "b": 3.0}])
    assert found.names == ("a", "b")
    assert math.isnan(found.column("b")[0])
    joined = Table.concatenate([found, table(b=[7], c=[8])])
    assert joined.names == ("a", "b", "c")
    assert joined.values[2].tolist()[1:] == [7, 8]
    assert np.isnan(found.column("nothing")).all()
    assert Table.from_rows([{}, {}]).runs == 2


def test_an_event_survives_json_and_means_the_same():
    event = Event(
        (Condition("rest", ">", 0.5), Condition("bit", "==", 0.0), Condition("gone", "nan", 0.0)),
        (Polynomial("rest", ((("out",), 1.0), ((), -2.0), (("bit", "out"), 0.25))),),
    )
    assert again(event) == event
    rows = table(out=[3, 2.4, 9], bit=[0, 0, 1], gone=[np.nan] * 3)
    assert again(event)(rows).tolist() == [True, False, False]
    assert event.describe() == "rest is above 0.5 and bit is 0 and gone is no number"
    assert Event(()).describe() == "anything at all"


@pytest.mark.parametrize(
    ("conditions", "derived", "problem"),
    [
        (3, [], r"^conditions"),
        ([["a"]], [], r"^conditions"),
        ([["a", "<=", math.inf]], [], r"^conditions\[0\]\[2\]: must be a finite number"),
        ([["a", "whole", 0.0]], [], r"^conditions\[0\]\[1\]: unknown comparison 'whole'; known are marked, nan"),
        ([], [{"name": "a", "kind": "learned score", "terms": []}], r"derived\[0\]\.kind: unknown kind"),
        ([], [{"name": "a"}], r"derived\[0\]"),
        ([], [{"terms": []}], r"derived\[0\]"),
        ([], [{"kind": "low bits"}], r"derived\[0\]"),
        ([], [{"name": "a", "kind": 3}], r"derived\[0\]"),
    ],
)
def test_an_event_of_no_known_form_is_refused(conditions, derived, problem):
    document = {"description": "", "conditions": conditions, "derived": derived}
    if problem == r"derived\[0\]":
        (common,) = schema_of("replay")["$defs"].values()
        with pytest.raises(ValidationError):
            Draft202012Validator(common["$defs"]["event"]).validate(document)
    with pytest.raises(InputError, match=problem):
        Event.from_dict(document)


def test_missing_features_make_no_condition_true_but_the_one_that_asks_for_them():
    column = np.array([np.nan, 1.0])
    for condition, expected in (
        (("<=", 5.0), [False, True]),
        ((">", 0.0), [False, True]),
        (("nan", 0.0), [True, False]),
    ):
        assert Condition("a", *condition)(column).tolist() == expected


def bits_and_output(generator, runs, *, fresh):
    """The split-intrusion toy: 8 fair bits, one drawn again, their sum with Laplace noise."""
    bits = generator.random((runs, 8)) < 0.5
    final = bits.copy()
    if fresh:
        final[:, 0] = generator.random(runs) < 0.75
    output = final.sum(axis=1) + generator.laplace(0, 1, runs)
    names = (*(f"bits[{i}]" for i in range(8)), "bits.sum", "output")
    return Table(names, np.column_stack([bits, bits.sum(axis=1), output]).astype(float))


def test_a_joint_non_linear_event_is_learned():
    generator = np.random.default_rng(1)
    left, right = (bits_and_output(generator, 12_000, fresh=fresh) for fresh in (True, False))
    best, _ = learn_events(left, right, bound_objective(80_000, 0.0, 1.645))
    left, right = (bits_and_output(generator, 100_000, fresh=fresh) for fresh in (True, False))
    assert math.log(best.event(left).mean() / best.event(right).mean()) > 0.75
    assert "bits[0]" in best.event.describe()
    assert "minus its prediction from the state" in best.event.describe()


def test_the_worth_of_an_event_is_cautious():
    """Probabilities 1/2 and 0.32 in 600 runs are worth more than what always or never happens.

    The more events were tried, the less the best of them is worth.
    """
    objective = bound_objective(3000, 0.0, 4.0)
    worth = objective(np.array([300.0, 600.0, 0.0]), np.array([192.0, 600.0, 0.0]), 600)
    assert worth.argmax() == 0
    assert 0.0 < worth[0] < math.log(0.5 / 0.32)
    few, many = (objective(np.full(k, 300.0), np.full(k, 150.0), 600)[0] for k in (10, 2000))
    assert 0.0 < many < few < math.log(2)


def atom(generator):
    left = np.where(generator.random(4000) < 0.05, 0.123, generator.laplace(0, 1, 4000))
    return table(output=left), table(output=generator.laplace(0, 1, 4000))


def absent(generator):
    return table(output=[np.nan] * 60 + [1.0] * 40), table(output=[1.0] * 100)


@pytest.mark.parametrize(("draw", "words"), [(atom, "output is 0.123"), (absent, "output is no number")])
def test_an_atom_and_the_absence_of_a_feature_are_events(draw, words):
    left, right = draw(np.random.default_rng(2))
    assert learn_events(left, right, betting_objective(0.5, 0.0))[0].event.describe() == words


def test_the_exact_likelihood_ratio_is_used_alone_if_wanted():
    generator = np.random.default_rng(3)
    ratio = generator.choice([2.0, -2.0], (2, 500), p=[0.5, 0.5])
    ratio[0] = 2.0
    left, right = (table(**{"a": generator.random(500), LIKELIHOOD_RATIO: ratio[i]}) for i in (0, 1))
    for use, known in ((True, {LIKELIHOOD_RATIO}), (False, {"a", "learned score"})):
        best, _ = learn_events(left, right, bound_objective(500, 0.0, 2.0), use_likelihood=use)
        assert {condition.feature for condition in best.event.conditions} <= known


@given(
    left=st.lists(st.floats(-1, 1, width=16), min_size=2, max_size=20),
    width=st.floats(0, 1e6),
    gap=st.floats(1e-3, 1e12),
    scale=st.integers(-100, 0),
    above=st.booleans(),
)
def test_a_threshold_between_two_separate_samples_divides_them_near_the_narrower_one(left, width, gap, scale, above):
    """It scales with the samples, and does not change if they change places."""
    ours = np.array(left)
    assume(ours.max() % 1)
    theirs = ours.max() + gap + np.linspace(0, width, ours.size)
    if not above:
        ours, theirs = -ours, -theirs
    (found,) = Column("a", ours, theirs).gaps
    assert (ours <= found).all() == above
    assert ((theirs > found) == above).all()
    assert Column("a", theirs, ours).gaps.tolist() == [found]
    assert Column("a", ours * 2.0**scale, theirs * 2.0**scale).gaps.tolist() == [found * 2.0**scale]
    near, far = sorted((np.ptp(ours), np.ptp(theirs)))
    if near < far:
        closer, other = (ours, theirs) if np.ptp(ours) == near else (theirs, ours)
        assert np.abs(closer - found).min() <= np.abs(other - found).min() * (1 + 1e-9) + 1e-9


def test_thresholds_between_whole_numbers_are_whole():
    assert Column("a", np.array([0.0, 1.0]), np.array([8.0, 9.0])).gaps.tolist() == [2.0]


def test_nothing_to_learn_from_gives_no_bet():
    same, test = table(a=[1.0] * 50), PairTest(0.1)
    assert all(candidate.worth <= 0 for candidate in learn_events(same, same, betting_objective(0.1, 0.0)))
    assert test.extend(same, same, stop_at=0.1) is None
    assert all(bet.log_wealth == 0 for bet in test.bets.values())


def test_the_sequential_test_does_not_depend_on_how_the_runs_arrive():
    generator = np.random.default_rng(5)
    left, right = table(output=generator.laplace(0, 0.5, 400)), table(output=generator.laplace(1, 0.5, 400))
    whole, pieces = PairTest(1.0), PairTest(1.0)
    whole.extend(left, right)
    for stop in (7, 8, 9, 100, 333, 400):
        pieces.extend(left.rows(0, stop), right.rows(0, stop))
    assert pieces.bets == whole.bets


def test_a_bet_is_placed_before_its_run_is_seen():
    """Wealth on a run must not change if that run is replaced in what was learned from."""
    generator = np.random.default_rng(6)
    left, right = generator.laplace(0, 0.5, 40), generator.laplace(1, 0.5, 40)
    test = PairTest(1.0)
    test.extend(table(output=left[:20]), table(output=right[:20]))
    bet = test.bets[Direction.LEFT]
    event, stake, wealth = bet.event, bet.stake, bet.log_wealth
    left[20] = -50.0
    test.extend(table(output=left[:21]), table(output=right[:21]))
    happened = event(table(output=left[20:21]))[0], event(table(output=right[20:21]))[0]
    expected = math.log(betting_factors(*happened, stake, epsilon=1.0))
    assert test.bets[Direction.LEFT].log_wealth - wealth == pytest.approx(expected)


def test_threshold_is_that_of_villes_inequality():
    assert threshold(1e-6) == pytest.approx(6 * math.log(10))
    assert threshold(1e-6, 0.5) == pytest.approx(6 * math.log(10) + math.log(2))


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("share", [0.2, 0.9])
def test_an_event_on_an_infinite_feature_has_a_finite_threshold_and_can_be_written(infinity, share):
    generator = np.random.default_rng(3)
    left, right = generator.random((2, 400))
    left[generator.random(400) < share] = infinity
    found = learn_events(table(output=left), table(output=right), betting_objective(0.0, 0.0))
    for learned in found:
        assert all(abs(condition.value) <= 1e308 for condition in learned.event.conditions)
        assert again(learned.event) == learned.event
    assert found[0].right == 0
    assert found[0].left >= np.isinf(left).sum()
