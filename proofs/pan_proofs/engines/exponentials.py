"""Sums of exponentials with positive rates: the least of one term, and that the sum falls."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from pan_proofs.engines.computations import of_one_sign, together
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Kind, Obligation, minted
from pan_proofs.engines.relations import le, lt


def widest_term(
    name: str, factor: sp.Expr, rate: sp.Expr, share: Inequality, rest: sp.Expr, bound: sp.Expr
) -> Obligation:
    """The obligation that ``factor * exp(-rate)`` is below a bound of ``factor * exp(-rate * share) + rest``.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    factor, rate, rest
        Expressions that sympy sees to be positive.
    share
        That the share is at most 1, under hypotheses.
    bound
        Any expression.

    Raises
    ------
    ValueError
        If the larger side of the inequality is not 1.
    """
    if share.larger != 1:
        raise ValueError(f"{name}: a share that is at most 1 is asked, got {share.statement}")
    less = share.discharge()
    signs = of_one_sign(name, "the factor, the rate and the rest are positive", factor, rate, rest)
    whole = le(factor * sp.exp(-rate * share.smaller) + rest, bound)
    shown = lt(factor * sp.exp(-rate), bound)
    return _under(name, shown, (*share.hypotheses, whole), less, signs)


def falling_sum(
    name: str, terms: Sequence[tuple[sp.Expr, Inequality]], variable: sp.Symbol, bound: sp.Expr
) -> Obligation:
    """The obligation that a lower bound of a sum of exponentials at ``variable + 1`` is below the sum at ``variable``.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    terms
        For each term ``factor * exp(-rate * variable)`` its factor, which sympy sees to be positive, and the strict
        inequality ``0 < rate`` under hypotheses.
    variable
        The variable.
    bound
        Any expression.

    Raises
    ------
    ValueError
        If an inequality is of another form, or a factor or a rate contains the variable.
    """
    for factor, positive in terms:
        if positive.smaller != 0 or not positive.strict or (factor * positive.larger).has(variable):
            raise ValueError(f"{name}: 0 < rate is asked, for a factor and a rate without {variable}")
    signs = of_one_sign(name, "the factors are positive", *(factor for factor, _ in terms))
    sums = [sp.Add(*(one * sp.exp(-rate.larger * place) for one, rate in terms)) for place in (variable, variable + 1)]
    hypotheses = dict.fromkeys(one for _, rate in terms for one in rate.hypotheses)
    shown = lt(bound, sums[0])
    given = (*hypotheses, le(bound, sums[1]))
    return _under(name, shown, given, signs, *(rate.discharge() for _, rate in terms))


def _under(name: str, shown: sp.Basic, hypotheses: Sequence[sp.Basic], *asked: Obligation) -> Obligation:
    told = f"{sp.sstr(shown)} whenever {', '.join(map(sp.sstr, hypotheses))}"
    return minted(name, told, together(name, told, *asked).checks, Kind.INEQUALITY, (shown,), hypotheses)
