"""Distinct counters with one wrong line: the exact check refutes each of them."""

import math

import pytest

import panproof


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        pytest.param("reused_draws", math.inf, marks=pytest.mark.more),
        pytest.param("exchanged_pair", 1.0459, marks=pytest.mark.more),
        ("published_bitmap", math.inf),
        ("flipped_at_the_end", math.inf),
    ],
)
def test_broken_counters_are_refuted(name, loss):
    result = panproof.check(f"tests.variants.distinct_counters:{name}", epsilon=0.5, users=2, length=2)
    assert result.verdict == "REFUTED"
    assert result.loss == pytest.approx(loss, abs=0.001)


@pytest.mark.more
@pytest.mark.parametrize(("name", "loss"), [("panes_with_one_budget", 1.858), ("panes_with_one_noise", math.inf)])
def test_two_panes_with_one_key_and_the_budget_of_one_are_refuted(name, loss):
    result = panproof.check(f"tests.variants.distinct_counters:{name}", epsilon=0.5, users=1, length=1)
    assert result.verdict == "REFUTED"
    assert result.loss == pytest.approx(loss, abs=0.001)


def test_a_counter_for_one_release_is_not_made_for_two():
    from dataclasses import replace

    from pan_estimators import InputError
    from tests.variants.distinct_counters import right_counter

    with pytest.raises(InputError, match="releases"):
        replace(right_counter(), outputs=2)
