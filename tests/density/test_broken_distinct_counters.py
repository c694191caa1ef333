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
