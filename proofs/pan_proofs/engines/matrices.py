"""Matrices with exact entries, and with symbols: positive definiteness and inverses, each decided twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.inequalities import solver_checks
from pan_proofs.engines.obligation import (
    Answer,
    Check,
    Kind,
    Obligation,
    decided,
    load_engine,
    minted,
)
from pan_proofs.engines.relations import eq, gt, le

Entries = Sequence[Sequence[Any]]
"""The rows of a matrix: integers, fractions or sympy expressions."""


def exact_matrix(entries: Entries | sp.MatrixBase) -> sp.ImmutableMatrix:
    """A matrix of sympy expressions.

    Parameters
    ----------
    entries
        Its rows.

    Raises
    ------
    ValueError
        For floats and complex entries.
    """
    rows = entries.tolist() if isinstance(entries, sp.MatrixBase) else [list(row) for row in entries]
    matrix = sp.ImmutableMatrix([[sp.sympify(one) for one in row] for row in rows])
    if any(one.has(sp.Float, sp.I, sp.nan, sp.oo, sp.zoo) for one in matrix):
        raise ValueError(f"a matrix needs exact real entries, got {matrix.tolist()}")
    return matrix


def rational_matrix(matrix: sp.ImmutableMatrix) -> Any:
    """The same matrix for python-flint.

    Raises
    ------
    ValueError
        If an entry is no rational number.
    MissingEngine
        If python-flint is not installed.
    """
    if not all(one.is_Rational for one in matrix):
        raise ValueError(f"exact arithmetic needs rational entries, got {matrix.tolist()}")
    flint = load_engine("flint")
    values = [flint.fmpq(int(one.p), int(one.q)) for one in matrix]
    return flint.fmpq_mat(matrix.rows, matrix.cols, values)


def positive_definite(name: str, entries: Entries, statement: str = "") -> Obligation:
    """The obligation that a matrix of rational numbers is symmetric and positive definite.

    The leading principal minors are computed by python-flint and by sympy. The control lowers the last diagonal entry
    until the determinant vanishes: that matrix must not pass.

    Parameters
    ----------
    name, statement
        As in :class:`Obligation`.
    entries
        The rows.
    """
    matrix = exact_matrix(entries)
    told = statement or f"the matrix {matrix.tolist()} is positive definite"
    symmetric = matrix.is_square and matrix == matrix.T
    checks = [decided("the matrix is symmetric", "sympy", symmetric)]
    if symmetric:
        checks += _minor_checks("its leading principal minors are positive", matrix, _all_positive)
        checks += _minor_checks(
            "with the last diagonal entry lowered until the determinant vanishes they are not all positive",
            _lowered(matrix),
            lambda minors: not _all_positive(minors),
        )
    return minted(name, told, checks, Kind.VALUE)


def positive_definite_where(
    name: str, entries: Entries, hypotheses: Sequence[Relational], mutant: Sequence[Relational], statement: str = ""
) -> Obligation:
    """The obligation that a symmetric matrix of rational functions is positive definite wherever hypotheses hold.

    Parameters
    ----------
    name, statement
        As in :class:`Obligation`.
    entries
        The rows.
    hypotheses
        Relations between the symbols.
    mutant
        The control: weaker hypotheses, under which it is not positive definite everywhere.
    """
    matrix = exact_matrix(entries)
    conditions = ", ".join(sp.sstr(one) for one in hypotheses)
    told = statement or f"the matrix {matrix.tolist()} is positive definite whenever {conditions}"
    checks = symbolic_checks(matrix, hypotheses)
    if matrix.is_square:
        some = sp.Or(*(le(one, 0) for one in map(sp.factor, _minors(matrix))), evaluate=False)
        for one in mutant:
            stronger = [*hypotheses, sp.Not(one, evaluate=False)]
            checks += solver_checks(f"the hypotheses imply {sp.sstr(one)}", stronger, Answer.UNSAT)
        checks += solver_checks("under weaker hypotheses a minor is 0 or negative", [*mutant, some], Answer.SAT)
    return minted(name, told, checks, Kind.INEQUALITY)


def symbolic_checks(matrix: sp.ImmutableMatrix, hypotheses: Sequence[Relational]) -> list[Check]:
    """Whether a matrix is symmetric, defined and positive definite wherever hypotheses hold."""
    symmetric = matrix.is_square and matrix == matrix.T
    checks = [decided("the matrix is symmetric", "sympy", symmetric)]
    if symmetric:
        bottoms = dict.fromkeys(sp.fraction(sp.together(one))[1] for one in matrix)
        for bottom in (one for one in bottoms if not one.is_Number):
            vanishes = [*hypotheses, eq(bottom, 0)]
            checks += solver_checks(f"{sp.sstr(bottom)} does not vanish", vanishes, Answer.UNSAT)
        minors = _minors(matrix)
        positive = [gt(sp.factor(one), 0) for one in minors]
        checks += solver_checks("the hypotheses have a solution", [*hypotheses, *positive], Answer.SAT)
        for size, minor in enumerate(minors, start=1):
            low = [*hypotheses, le(sp.factor(minor), 0)]
            checks += solver_checks(f"the leading principal minor of size {size} is positive", low, Answer.UNSAT)
    return checks


def inverse(name: str, entries: Entries, stated: Entries, statement: str = "") -> Obligation:
    """The obligation that a matrix has a stated inverse, by multiplication on both sides.

    Entries with symbols are compared as identities. They hold wherever no denominator vanishes. The control changes
    one entry of the stated inverse: its product must not be the identity.

    Parameters
    ----------
    name, statement
        As in :class:`Obligation`.
    entries, stated
        The rows of the matrix and those of its inverse.
    """
    matrix, other = exact_matrix(entries), exact_matrix(stated)
    told = statement or f"the inverse of {matrix.tolist()} is {other.tolist()}"
    fits = matrix.is_square and matrix.shape == other.shape
    checks = [decided("both matrices are square and of one size", "sympy", fits)]
    if fits:
        for asked, left, right in (("on the right", matrix, other), ("on the left", other, matrix)):
            checks += product_checks(f"the product with the inverse {asked}", left, right, sp.eye(matrix.rows))
        changed = other.as_mutable()
        changed[0, 0] += 1
        differs = any(sp.simplify(one) != 0 for one in matrix * changed - sp.eye(matrix.rows))
        checks.append(decided("with a changed entry the product is not the identity", "sympy", differs))
    return minted(name, told, checks, Kind.EQUALITY)


def product_checks(
    question: str, left: sp.ImmutableMatrix, right: sp.ImmutableMatrix, stated: sp.MatrixBase
) -> list[Check]:
    """Whether a product is the stated matrix: by two libraries if all entries are rational, else entry by entry."""
    if all(one.is_Rational for one in (*left, *right, *stated)):
        wanted = sp.ImmutableMatrix(stated)
        return [
            decided(
                question, "flint", lambda: rational_matrix(left) * rational_matrix(right) == rational_matrix(wanted)
            ),
            decided(question, "sympy", left * right == wanted),
        ]
    product = left * right
    return [
        check.about(f"{question}, entry {row + 1}, {column + 1}")
        for row in range(product.rows)
        for column in range(product.cols)
        for check in identity_checks(product[row, column], stated[row, column])
    ]


def _minor_checks(question: str, matrix: sp.ImmutableMatrix, holds: Callable[[list[Any]], bool]) -> list[Check]:
    def of_flint() -> bool:
        exact = rational_matrix(matrix)
        return holds([_corner(exact, size).det() for size in range(1, matrix.rows + 1)])

    return [
        decided(question, "flint", of_flint),
        decided(question, "sympy", holds(_minors(matrix))),
    ]


def _corner(exact: Any, size: int) -> Any:
    flint = load_engine("flint")
    return flint.fmpq_mat(size, size, [exact[row, column] for row in range(size) for column in range(size)])


def _minors(matrix: sp.ImmutableMatrix) -> list[sp.Expr]:
    return [matrix[:size, :size].det(method="berkowitz") for size in range(1, matrix.rows + 1)]


def _lowered(matrix: sp.ImmutableMatrix) -> sp.ImmutableMatrix:
    """The matrix with its last diagonal entry lowered until the determinant vanishes, or to 0 if nothing does that."""
    minors = [sp.Integer(1), *_minors(matrix)]
    changed = matrix.as_mutable()
    last = matrix.rows - 1
    changed[last, last] = matrix[last, last] - minors[-1] / minors[-2] if minors[-2] != 0 else sp.Integer(0)
    return sp.ImmutableMatrix(changed)


def _all_positive(minors: Sequence[Any]) -> bool:
    return all(bool(one > 0) for one in minors)
