"""Three-valued conditions, and which runs they ask for next."""

from __future__ import annotations

from math import inf

import pytest

from experiments.toolkit.conditions import AllOf, AnyOf, Fact, Within, decisive, everywhere, promising, truth
from experiments.toolkit.effects import describe_effect
from experiments.toolkit.quantities import Interval, Ratio


def _leaf(name: str, high: float = 1.0, low: float = 0.0) -> Within:
    return Within(name, "ratio", Ratio((1.0,)), low, high)


A, B, C = (_leaf(name) for name in "ABC")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.5, 0.9, True), (0.5, 1.0, True), (0.9, 1.1, None), (1.0, 1.1, None), (1.01, 1.1, False)],
)
def test_a_leaf_is_decided_by_bounds_on_one_side_of_its_limit(low, high, expected):
    assert A.holds(Interval(low, (low + high) / 2, high)) is expected


def test_a_leaf_with_two_limits_may_fail_below():
    leaf = _leaf("two", 1.1, 0.9)
    assert leaf.holds(Interval(0.5, 0.6, 0.7)) is False
    assert leaf.holds(Interval(0.85, 0.95, 1.0)) is None
    assert leaf.margin(0.8) < 0 < leaf.margin(1.0)
    assert leaf.margin(0.0) == -inf
    assert A.margin(0.0) == inf


@pytest.mark.parametrize(
    ("answers", "all_hold", "any_holds"),
    [
        ((True, True), True, True),
        ((True, None), None, True),
        ((False, None), False, None),
        ((None, None), None, None),
        ((False, False), False, False),
    ],
)
def test_truth_has_three_values(answers, all_hold, any_holds):
    of_leaf = dict(zip((A, B), answers, strict=True)).__getitem__
    assert truth(AllOf((A, B)), of_leaf) is all_hold
    assert truth(AnyOf((A, B)), of_leaf) is any_holds


def test_nothing_holds_vacuously():
    with pytest.raises(ValueError, match="says nothing"):
        everywhere([])


def test_the_worst_part_is_pursued_if_all_must_hold_and_one_seems_not_to():
    margins = {A: 0.2, B: -0.1, C: -0.3}
    assert promising(AllOf((A, B, C)), lambda leaf: None, margins.__getitem__) == [C]
    margins = {A: 0.2, B: 0.1, C: 0.3}
    assert promising(AllOf((A, B, C)), lambda leaf: None, margins.__getitem__) == [A, B, C]
    assert promising(AllOf((A, B, C)), lambda leaf: True if leaf is B else None, margins.__getitem__) == [A, C]


def test_the_best_part_is_pursued_if_one_is_enough():
    margins = {A: 0.2, B: -0.1, C: 0.3}
    assert promising(AnyOf((A, B, C)), lambda leaf: None, margins.__getitem__) == [C]
    assert promising(AnyOf((A, B, C)), lambda leaf: False if leaf is C else None, margins.__getitem__) == [A]
    assert promising(AnyOf((AllOf((A, B)), C)), lambda leaf: None, {A: 1.0, B: -1.0, C: 0.1}.__getitem__) == [C]


def test_all_parts_are_pursued_if_one_is_enough_and_none_seems_to_hold():
    margins = {A: -0.2, B: -0.1, C: -0.3}
    assert promising(AnyOf((A, B, C)), lambda leaf: None, margins.__getitem__) == [A, B, C]


def test_what_computation_left_open_does_not_stop_the_runs():
    fact = Fact("here", "computed", None, 2.0, high=1)
    of_leaf = {fact: None, A: None}.__getitem__
    assert promising(AllOf((fact, A)), of_leaf, {A: -0.1}.__getitem__) == [A]
    assert promising(AllOf((fact, A)), of_leaf, {A: 0.1}.__getitem__) == [A]


def test_nothing_over_nothing_tells_nothing():
    found = Ratio((Interval(0.0, 0.0, 0.1),), (Interval(0.0, 0.0, 0.2),)).bounds(lambda quantity: quantity)
    assert (found.low, found.high) == (0.0, inf)
    assert A.margin(found.estimate) == 0.0
    assert A.holds(found) is None
    text = describe_effect(
        AllOf(
            (
                A,
                B,
            )
        ),
        {A: None, B: True}.__getitem__,
        {A: found, B: Interval(0.4, 0.5, 0.6)},
    ).text
    assert text == "ratio, at most 1: 0.5; open at 1 of them, most: A (0/0, surely 0 to infinite)"


def test_the_effect_names_the_worst_point():
    found = {A: Interval(0.4, 0.5, 0.6), B: Interval(1.5, 2.0, 3.0), C: Interval(0.8, 0.95, 1.1)}
    answers = {leaf: leaf.holds(interval) for leaf, interval in found.items()}
    effect = describe_effect(
        AllOf(
            (
                A,
                B,
                C,
            )
        ),
        answers.__getitem__,
        found,
    )
    assert effect.worst == "ratio, at most 1: B (2, surely 1.5 to 3)"
    text = effect.text
    assert text.startswith("ratio, at most 1: 0.5 to 2 at 3 points; outside at 1 of them, most: B (2, surely 1.5 to 3)")
    assert "open at 1 of them, most: C" in text
    both = describe_effect(
        AllOf(
            (
                A,
                C,
            )
        ),
        {A: True, C: True}.__getitem__,
        found,
    ).text
    assert both == "ratio, at most 1: 0.5 to 0.95 at 2 points; nearest to the limit: C (0.95, surely 0.8 to 1.1)"


def test_what_a_verdict_hangs_on_are_the_alternatives_that_hold():
    found = {A: Interval(0.4, 0.5, 0.6), B: Interval(1.5, 2.0, 3.0), C: Interval(0.8, 0.95, 1.1)}
    of_leaf = {A: True, B: False, C: None}.__getitem__
    assert describe_effect(AnyOf((A, B, C)), of_leaf, found).worst.startswith("ratio, at most 1: A")
    assert describe_effect(AllOf((A, B, C)), of_leaf, found).worst.startswith("ratio, at most 1: B")
    assert list(decisive(AnyOf((AllOf((A, B)), C)), of_leaf)) == [C]
    assert list(decisive(AnyOf((AllOf((A, B)), B)), of_leaf)) == [B, B]


def test_the_effect_at_one_point():
    leaf = _leaf("here", 1.1, 0.9)
    text = describe_effect(AllOf((leaf,)), {leaf: False}.__getitem__, {leaf: Interval(0.5, 0.6, 0.7)}).text
    assert text == "ratio, 0.9 to 1.1: 0.6; outside: here (0.6, surely 0.5 to 0.7)"


def test_the_effect_of_what_was_computed():
    facts = [Fact("here", "size", False, 9.2, low=10), Fact("there", "size", False, 9.8, low=10)]
    text = describe_effect(everywhere(facts), lambda leaf: leaf.true, {}).text
    assert text == "size, at least 10: 9.2 to 9.8 at 2 points; outside at 2 of them, most: here (9.2)"
