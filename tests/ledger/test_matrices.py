"""Matrices and Gaussian observations: true statements hold, exact losses obey the distributions of losses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.matrices import exact_matrix, inverse, positive_definite, positive_definite_where
from pan_proofs.engines.obligation import Status
from tests.ledger.false_matrices import INSIDE, INVERSE, PAIR, TRIPLE, UNIT, lost, r, v

few = settings(max_examples=25, deadline=None)
numbers = st.integers(-4, 4)
half = sp.Rational(1, 2)


def squares(size):
    return st.lists(st.lists(numbers, min_size=size, max_size=size), min_size=size, max_size=size)


def gram(rows, *, plus=1):
    """``M M' + plus I``: positive definite if ``plus`` is positive."""
    matrix = sp.Matrix(rows)
    return (matrix * matrix.T + plus * sp.eye(matrix.rows)).tolist()


TRUE = {
    "definite": lambda: positive_definite("s", [[2, 1], [1, 2]]),
    "definite: barely": lambda: positive_definite("s", [[1, 1], [1, 1 + Fraction(1, 10**30)]]),
    "definite where": lambda: positive_definite_where("s", PAIR, INSIDE, (sp.Gt(r, -2), sp.Lt(r, 1))),
    "definite where: three": lambda: positive_definite_where(
        "s", TRIPLE, (sp.Gt(r, -half), sp.Lt(r, 1)), (sp.Ge(r, -half), sp.Lt(r, 1))
    ),
    "inverse": lambda: inverse("s", [[2, 1], [1, 1]], [[1, -1], [-1, 2]]),
    "inverse: symbols": lambda: inverse("s", PAIR, INVERSE),
    "loss": lambda: gaussian_loss("s", GaussianObservation(UNIT, UNIT, UNIT), (3, 4), Fraction(25, 2)),
    "loss: zero": lambda: gaussian_loss("s", GaussianObservation(UNIT, UNIT, UNIT), (0, 0), 0),
    "loss: singular and finite": lambda: gaussian_loss("s", GaussianObservation(UNIT, [[1], [1]], [[1]]), (2, 2), 2),
    "loss: singular and infinite": lambda: gaussian_loss(
        "s", GaussianObservation(UNIT, [[1], [1]], [[1]]), (1, 0), sp.oo
    ),
    "loss: a symbol": lambda: gaussian_loss("s", GaussianObservation([[1]], [[1]], [[v]]), (3,), 9 / (2 * v)),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_hold(name):
    obligation = TRUE[name]()
    assert obligation.status is Status.DISCHARGED, [str(one) for one in obligation.checks]


@few
@given(squares(3))
def test_definiteness_agrees_with_eigenvalues(rows):
    symmetric = (np.array(rows) + np.array(rows).T).tolist()
    least = min(np.linalg.eigvalsh(np.array(symmetric, dtype=float)))
    if abs(least) > 1e-6:
        discharged = positive_definite("s", symmetric).status is Status.DISCHARGED
        assert discharged == (least > 0)


@few
@given(squares(3), squares(2), st.lists(numbers, min_size=2, max_size=2))
def test_the_loss_agrees_with_numpy_and_is_quadratic(noise, factor, change):
    covariance = gram(noise)
    rows = [*factor, [1, 0]]
    observation = GaussianObservation(rows, UNIT3, covariance)
    shift = np.array(rows, dtype=float) @ np.array(change, dtype=float)
    expected = shift @ np.linalg.solve(np.array(covariance, dtype=float), shift) / 2
    found = observation.loss(change)
    assert float(found) == pytest.approx(expected)
    assert observation.loss([2 * one for one in change]) == 4 * found
    assert gaussian_loss("s", observation, change, found).status is Status.DISCHARGED
    assert gaussian_loss("s", observation, change, found + half).status is Status.FAILED


UNIT3 = sp.eye(3).tolist()


@few
@given(squares(3), squares(3), st.lists(numbers, min_size=3, max_size=3))
def test_an_invertible_map_of_the_output_keeps_the_loss_and_a_part_of_it_has_no_more(noise, transform, change):
    covariance, change = gram(noise), tuple(change)
    matrix = exact_matrix(transform)
    whole = GaussianObservation(UNIT3, UNIT3, covariance).loss(change)
    mapped = GaussianObservation(matrix.tolist(), matrix.tolist(), covariance).loss(change)
    assert mapped <= whole
    if matrix.det() != 0:
        assert mapped == whole
    assert GaussianObservation(UNIT3[:2], UNIT3[:2], covariance).loss(change) <= whole


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="as many rows in A as in B"):
        GaussianObservation([[1], [1]], [[1]], [[1]])


def test_an_infinite_loss_of_symbols_is_refused():
    with pytest.raises(ValueError, match="rational numbers alone"):
        lost(UNIT, [[1], [1]], [[v]], (1, 0), sp.oo)


def test_floats_are_refused():
    with pytest.raises(ValueError, match="exact real entries"):
        exact_matrix([[0.5]])


def test_the_loss_of_no_covariance_is_refused():
    with pytest.raises(ValueError, match="positive definite covariance"):
        GaussianObservation(UNIT, UNIT, [[1, 2], [2, 1]]).loss((1, 0))


def test_without_flint_nothing_is_discharged(monkeypatch):
    from pan_proofs.engines import gaussian_observations, identities, matrices
    from pan_proofs.engines.obligation import MissingEngine

    def absent(name):
        raise MissingEngine(name)

    for module in (gaussian_observations, matrices, identities):
        monkeypatch.setattr(module, "load_engine", absent)
    assert positive_definite("s", UNIT).skipped == ("flint",)
    assert "flint" in gaussian_loss("s", GaussianObservation(UNIT, UNIT, UNIT), (1, 0), half).skipped
