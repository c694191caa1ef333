"""The loss of what is observed under Gaussian noise, ``A x + B z``, in exact arithmetic.

Two inputs that differ by ``d`` shift the mean of the observation by ``A d``. With the covariance ``C = B S B'`` the
Rényi divergence of order ``alpha`` is ``alpha rho`` with ``rho = (A d)' C^-1 (A d) / 2``. If ``C`` is singular, ``rho``
is infinite unless ``A d`` lies in its range; then any solution of ``C v = A d`` takes the place of the inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.inequalities import solver_checks
from pan_proofs.engines.matrices import (
    Entries,
    exact_matrix,
    positive_definite,
    product_checks,
    rational_matrix,
    symbolic_checks,
)
from pan_proofs.engines.obligation import (
    Answer,
    Check,
    Kind,
    Obligation,
    answer,
    decided,
    load_engine,
    minted,
)
from pan_proofs.engines.relations import eq


@dataclass(frozen=True)
class GaussianObservation:
    """The vector ``A x + B z`` for data ``x`` and normal noise ``z``.

    Attributes
    ----------
    of_data
        The rows of ``A``.
    of_noise
        The rows of ``B``, as many as those of ``A``.
    covariance_of_noise
        The rows of ``S``, the covariance of ``z``: positive definite.
    """

    of_data: Entries
    of_noise: Entries
    covariance_of_noise: Entries

    def __post_init__(self) -> None:
        data, factor, noise = map(exact_matrix, (self.of_data, self.of_noise, self.covariance_of_noise))
        if data.rows != factor.rows or factor.cols != noise.rows or not noise.is_square:
            raise ValueError(
                f"A x + B z needs as many rows in A as in B, and a square covariance for the columns of B, "
                f"got sizes {data.shape}, {factor.shape} and {noise.shape}"
            )

    def covariance(self) -> sp.ImmutableMatrix:
        """The covariance of the observation."""
        factor = exact_matrix(self.of_noise)
        return sp.ImmutableMatrix(factor * exact_matrix(self.covariance_of_noise) * factor.T)

    def shift(self, change: Sequence[Any]) -> sp.ImmutableMatrix:
        """The change of the mean if the data change by a vector."""
        return sp.ImmutableMatrix(exact_matrix(self.of_data) * exact_matrix([[one] for one in change]))

    def loss(self, change: Sequence[Any]) -> sp.Expr:
        """The loss ``rho`` for data that differ by a vector; ``oo`` if one output tells them apart.

        Raises
        ------
        ValueError
            If the covariance of the noise is a rational matrix and not positive definite.
        """
        noise = exact_matrix(self.covariance_of_noise)
        if all(one.is_Rational for one in noise) and (noise != noise.T or not noise.is_positive_definite):
            raise ValueError(f"the noise needs a positive definite covariance, got {noise.tolist()}")
        covariance, shift = self.covariance(), self.shift(change)
        solution = _solution(covariance, shift)
        return sp.oo if solution is None else sp.factor((shift.T * solution)[0, 0] / 2)


def gaussian_loss(
    name: str,
    observation: GaussianObservation,
    change: Sequence[Any],
    stated: Any,
    *,
    hypotheses: Sequence[Relational] = (),
    statement: str = "",
) -> Obligation:
    """The obligation that a Gaussian observation has a stated loss for data that differ by a vector.

    The system ``C v = A d`` is solved by sympy. The solution is checked by multiplication, and a changed one must fail.
    Rational systems are solved by python-flint too. With symbols the hypotheses must keep every
    denominator of the system and of its solution from 0: elsewhere the loss may be another.

    The covariance of the noise must be positive definite, with symbols wherever the hypotheses hold.

    Parameters
    ----------
    name, statement
        As in :class:`Obligation`.
    observation, change
        The observation, and the difference of the data.
    stated
        The loss; ``sympy.oo`` if one output tells the data apart, for rational systems alone.
    hypotheses
        Relations between the symbols.

    Raises
    ------
    ValueError
        If an infinite loss is stated for a system with symbols.
    """
    noise = exact_matrix(observation.covariance_of_noise)
    covariance, shift, value = observation.covariance(), observation.shift(change), sp.sympify(stated)
    rational = all(one.is_Rational for one in (*noise, *covariance, *shift))
    if value == sp.oo and not rational:
        raise ValueError(f"{name}: an infinite loss is decided for rational numbers alone")
    told = statement or f"the loss of {observation} for {list(change)} is {sp.sstr(value)}"
    checks = list(positive_definite(name, noise).checks) if rational else symbolic_checks(noise, hypotheses)
    solution = _solution(covariance, shift)
    if rational:
        checks.append(decided("the loss, by elimination", "flint", lambda: _by_flint(covariance, shift, value)))
    if value == sp.oo or solution is None:
        question = "the shift of the mean lies in the range of the covariance"
        expected = Answer.FAILS if value == sp.oo else Answer.HOLDS
        checks.append(Check(question, "sympy", expected, answer(solution is not None)))
        return minted(name, told, checks, Kind.VALUE)
    checks += _defined((*covariance, *shift, *solution), hypotheses)
    checks += product_checks("the covariance times the solution is the shift", covariance, solution, shift)
    # A coordinate with a variance of its own counts: without one the covariance is 0 there and so is the shift.
    seen = [place for place in range(covariance.rows) if covariance[place, place] != 0]
    moved = solution.as_mutable()
    for place in seen[:1]:
        moved[place, 0] += 1
    wrong = not seen or any(sp.simplify(one) != 0 for one in covariance * moved - shift)
    checks.append(decided("a changed solution fails", "sympy", wrong))
    checks += identity_checks((shift.T * solution)[0, 0] / 2, value)
    # A name that no variable has: the solvers, which cannot be told of it, take it for no variable either.
    named = sp.Symbol("loss of the observation", positive=True)
    return minted(name, told, checks, Kind.VALUE, (eq(named, value),), hypotheses)


def _defined(entries: Sequence[sp.Expr], hypotheses: Sequence[Relational]) -> list[Check]:
    """No denominator of the entries vanishes where the hypotheses hold."""
    powers = {power for one in entries for power in (one.atoms(sp.Pow) | sp.together(one).atoms(sp.Pow))}
    bottoms = {power.base for power in powers if power.exp.is_negative and not power.base.is_nonzero}
    return [
        check
        for bottom in sorted(bottoms, key=sp.default_sort_key)
        for check in solver_checks(f"{sp.sstr(bottom)} does not vanish", [*hypotheses, eq(bottom, 0)], Answer.UNSAT)
    ]


def _solution(covariance: sp.ImmutableMatrix, shift: sp.ImmutableMatrix) -> sp.ImmutableMatrix | None:
    """A solution of ``C v = A d``, or ``None`` if there is none."""
    try:
        found, free = covariance.gauss_jordan_solve(shift)
    except ValueError:
        return None
    return sp.ImmutableMatrix(found.xreplace(dict.fromkeys(free, sp.Integer(0))).applyfunc(sp.cancel))


def _by_flint(covariance: sp.ImmutableMatrix, shift: sp.ImmutableMatrix, value: sp.Expr) -> bool:
    """Whether the reduced rows of the system give the value."""
    flint = load_engine("flint")
    rows, rank = rational_matrix(covariance.row_join(shift)).rref()
    size = covariance.cols
    places = [next(place for place in range(size + 1) if rows[row, place] != 0) for row in range(rank)]
    if size in places or not value.is_Rational:
        return bool(size in places and value == sp.oo)
    exact = rational_matrix(shift)
    total = sum((rows[row, size] * exact[place, 0] for row, place in enumerate(places)), flint.fmpq(0))
    return bool(total / 2 == flint.fmpq(int(value.p), int(value.q)))
