"""Sums of noise that are computed once for all inputs: the same numbers, and no trust in foreign equality."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pan_audits.choices import noise as room
from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.gaussian import GaussianRandomness
from pan_audits.choices.noise import kept


def drawn(count=3, moment=0):
    return GaussianRandomness((), moment).gaussian(0.0, 2.0, size=count)


class Anything(float):
    """A number that says that it equals every other one."""

    __hash__ = float.__hash__

    def __eq__(self, other):
        return True


def test_equal_operations_on_equal_draws_give_one_object():
    first, second = drawn(), drawn()
    assert first[0] is second[0]
    assert first[0] * 0.5 + first[1] is second[0] * 0.5 + second[1]
    assert (first[0] * 0.5).identity == (first[0] * Fraction(1, 2)).identity


def test_other_draws_laws_and_operands_give_other_numbers():
    one = drawn()[0]
    wider = GaussianRandomness((), 0).gaussian(0.0, 3.0, size=1)[0]
    later = drawn(moment=1)[0]
    numbers = [one, wider, later, one + 1, one + 2, one * 2, one - 1, one + drawn()[1], one - drawn()[1]]
    assert len({number.identity for number in numbers}) == len(numbers)


def test_a_number_that_equals_all_others_is_computed_by_its_value():
    one = drawn()[0]
    known = one + 0.25
    assert (one + Anything(0.75)).constant == Fraction(3, 4)
    assert known.constant == Fraction(1, 4)
    assert (one + np.float32(0.5)).constant == Fraction(1, 2)


def test_what_cannot_be_followed_is_refused_every_time():
    one = drawn()[0]
    for _ in range(2):
        with pytest.raises(UnfollowableError):
            (one + 2.0**60) - 2.0**60


def test_results_are_kept_for_a_limited_number_of_operations(monkeypatch):
    monkeypatch.setattr(room, "_MOST", 4)
    monkeypatch.setattr(room, "_RESULTS", {})
    made = [kept(("test", place), (), object) for place in range(20)]
    assert len(room._RESULTS) <= 4
    assert kept(("test", 19), (), object) is made[19]
    assert kept(("test", 0), (), object) is not made[0]
