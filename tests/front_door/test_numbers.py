"""The front door takes numbers of any type and size."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

import panproof
from panproof import Verdict
from tests.front_door.mechanisms import mechanism


@pytest.mark.parametrize(
    "epsilon", [Fraction(3, 2), Decimal("1.5"), np.float32(1.5), np.int64(2), sympy.Rational(3, 2), sympy.log(4)]
)
def test_a_budget_is_a_number_of_any_type(epsilon):
    result = panproof.check(mechanism, 0, 1, epsilon=epsilon)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.report.promise.epsilon == float(epsilon)


@pytest.mark.more
def test_an_output_beyond_all_doubles_is_audited():
    result = panproof.audit(lambda data, rng: 10**400 + data, 0, 1, epsilon=1, runs=2000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED


@pytest.mark.more
@pytest.mark.parametrize("noise", [False, True])
def test_a_number_of_more_digits_than_python_writes_is_judged(noise):
    def huge(data, rng):
        return [10**5000 + data, 10**5000 + noise * rng.laplace()]

    checked = panproof.check(huge, 0, 1, epsilon=1)
    assert checked.verdict is Verdict.REFUTED
    assert checked.loss == math.inf
    assert ("more than 4300 digits" in checked.witness.describe()) is not noise
    json.dumps(checked.to_dict())


def test_noise_beside_a_number_of_more_digits_than_python_writes_is_followed():
    result = panproof.check(lambda data, rng: 10**5000 + data + rng.laplace(), 0, 1, epsilon=0.5)
    assert result.loss == pytest.approx(1)
    assert "an output with noise at a number beyond all doubles" in result.witness.describe()


@pytest.mark.slow
def test_an_output_of_more_digits_than_python_writes_is_audited():
    result = panproof.audit(lambda data, rng: 10**5000 + data, 0, 1, epsilon=1, runs=2000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED


def test_an_input_of_more_digits_than_python_writes_is_judged():
    result = panproof.check(lambda data, rng: data % 2, 10**5000, 10**5000 + 1, epsilon=1)
    assert result.verdict is Verdict.REFUTED
