"""Leaks that an exact check must not overlook, and oddities that it must not call leaks."""

import math
from collections import defaultdict, deque

import pytest

from pan_audits import Verdict
from pan_audits.exact.check import run_check
from pan_audits.exact.identity import seen_key, state_key
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from tests.turns import every
from tests.variants.evasive import NumberWithMore, SlottedDictionary

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
        SmallInstances(f"tests.variants.evasive:{name}"), CheckSettings(users=2, length=3, appearances=8)
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
