"""The positive solution of an equation between powers."""

from __future__ import annotations

import sympy as sp


def positive_root(difference: sp.Expr, unknown: sp.Symbol) -> sp.Expr:
    """The only positive number at which a difference vanishes.

    Parameters
    ----------
    difference
        An expression whose other symbols are positive.
    unknown
        A positive symbol.

    Raises
    ------
    ValueError
        If sympy finds no solution, or several.
    """
    solutions = sp.solve(difference, unknown)
    if len(solutions) != 1:
        raise ValueError(f"{sp.sstr(difference)} = 0 has the positive solutions {solutions}")
    return solutions[0]
