"""Sums of any number of terms: a factor or a budget of each term is one of their sums."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length

factor = sp.Symbol("F", real=True)
"""The factor between two sums of weighted terms."""

_TOTAL, _OTHER_TOTAL = sp.symbols("X Y", real=True)
_TERM, _OTHER_TERM, _WEIGHT = _ENTRY = sp.symbols("x y a", real=True)
_TERMS = sp.Symbol("n", integer=True, nonnegative=True)
_OF_AN_ENTRY = (_WEIGHT >= 0, le(_TERM, factor * _OTHER_TERM))
_WEIGHTED = {_TOTAL: _WEIGHT * _TERM, _OTHER_TOTAL: _WEIGHT * _OTHER_TERM}

_MEAN, _WHOLE, _bound = sp.symbols("P A B", real=True)
_AVERAGED = {_MEAN: _WEIGHT * _TERM, _WHOLE: _WEIGHT}
_BOUNDED = (_WEIGHT >= 0, le(_TERM, _bound))

_SUM, _least, _part = sp.symbols("S f s", real=True)
_ABOVE = (ge(_part, _least),)

_LOSS, _BUDGET = sp.symbols("L B", real=True)
_ONE_LOSS, _ONE_BUDGET = _LINK = sp.symbols("l e", real=True)
_STEPS, _LINKS = sp.symbols("k j", integer=True, nonnegative=True)
_ADDED = {_LOSS: _ONE_LOSS, _BUDGET: _ONE_BUDGET}


def weighted_sums(name: str, text: str) -> Step:
    """Weighted sums of any number of terms keep the factor of their terms."""
    induction = Induction(
        f"sums_over_terms.{name}",
        le(_TOTAL, factor * _OTHER_TOTAL),
        _TERMS,
        _ENTRY,
        {total: total + term for total, term in _WEIGHTED.items()},
        ((2, 1, 1),),
        {factor: sp.Integer(2)},
        _OF_AN_ENTRY,
    )
    return for_every_length(name, text, induction, r"X + a x &\le F\,(Y + a y)")


def stated_weighted_sums(of: sp.Expr, given: Iterable[sp.Basic] = ()) -> tuple[str, ...]:
    """The same, formally, for a factor.

    Parameters
    ----------
    of
        The factor of each term.
    given
        Conditions on the symbols of the factor.
    """
    return symbolic(
        le(_TOTAL, factor * _OTHER_TOTAL),
        given=(*given, *_OF_AN_ENTRY, eq(of, factor)),
        where={total: sum_over_entries(term, _ENTRY, _TERMS) for total, term in _WEIGHTED.items()},
    )


def average(name: str, text: str, line: str) -> Step:
    """An average of any number of terms keeps their bound."""
    induction = Induction(
        f"sums_over_terms.{name}",
        le(_MEAN, _bound * _WHOLE),
        _TERMS,
        (_TERM, _WEIGHT),
        {total: total + term for total, term in _AVERAGED.items()},
        ((1, 1),),
        {_bound: sp.Integer(1)},
        _BOUNDED,
    )
    return for_every_length(name, text, induction, (line,))


def stated_average(of: sp.Expr, given: Iterable[sp.Basic] = ()) -> tuple[str, ...]:
    """The same, formally, for a bound; the sum of the weights of an average is 1.

    Parameters
    ----------
    of
        The bound of each term.
    given
        Conditions on the symbols of the bound.
    """
    return symbolic(
        le(_MEAN, _bound * _WHOLE),
        given=(*given, *_BOUNDED, eq(of, _bound)),
        where={total: sum_over_entries(term, (_TERM, _WEIGHT), _TERMS) for total, term in _AVERAGED.items()},
    )


def stated_mean(of: sp.Expr, given: Iterable[sp.Basic] = ()) -> tuple[str, ...]:
    """That an average, with weights whose sum is 1, keeps the bound of its terms, formally.

    Parameters
    ----------
    of, given
        As in :func:`stated_average`.
    """
    return symbolic(
        le(_MEAN, _bound),
        given=(*given, *_BOUNDED, eq(of, _bound), eq(_WHOLE, 1)),
        where={total: sum_over_entries(term, (_TERM, _WEIGHT), _TERMS) for total, term in _AVERAGED.items()},
    )


def least_sum(name: str, text: str, lines: tuple[str, ...]) -> Step:
    """A sum of any number of terms is at least that number times a bound below each of them."""
    induction = Induction(
        f"sums_over_terms.{name}",
        ge(_SUM, _TERMS * _least),
        _TERMS,
        (_part,),
        {_SUM: _SUM + _part},
        ((2,), (2,)),
        {_least: sp.Integer(2)},
        _ABOVE,
        weaker=sp.Rational(1001, 1000),
    )
    return for_every_length(name, text, induction, lines)


def stated_least_sum(of: sp.Expr, given: Iterable[sp.Basic] = ()) -> tuple[str, ...]:
    """The same, formally, for a bound.

    Parameters
    ----------
    of
        The bound below each term.
    given
        Conditions on the symbols of the bound.
    """
    return symbolic(
        ge(_SUM, _TERMS * _least),
        given=(*given, *_ABOVE, eq(of, _least)),
        where={_SUM: sum_over_entries(_part, (_part,), _TERMS)},
    )


def added_losses(name: str, text: str) -> Step:
    """Losses of any number of steps, each within its own budget, are together within the sum of the budgets."""
    induction = Induction(
        f"sums_over_terms.{name}",
        le(_LOSS, _BUDGET),
        _STEPS,
        _LINK,
        {total: total + term for total, term in _ADDED.items()},
        ((1, 1), (2, 2)),
        {},
        (le(_ONE_LOSS, _ONE_BUDGET),),
    )
    return for_every_length(name, text, induction, r"\ell_1 + \ldots + \ell_k &\le e_1 + \ldots + e_k")


def stated_added_losses() -> tuple[str, ...]:
    """The same, formally."""
    return symbolic(
        le(_LOSS, _BUDGET),
        given=(le(_ONE_LOSS, _ONE_BUDGET),),
        where={total: sum_over_entries(term, _LINK, _STEPS) for total, term in _ADDED.items()},
    )


def chained_losses(name: str, text: str, budget: sp.Symbol) -> Step:
    """A chain of any number of links, each within one budget."""
    induction = Induction(
        f"sums_over_terms.{name}",
        le(_LOSS, _LINKS * budget),
        _LINKS,
        (_ONE_LOSS,),
        {_LOSS: _LOSS + _ONE_LOSS},
        ((1,), (1,)),
        {budget: sp.Integer(1)},
        (le(_ONE_LOSS, budget),),
    )
    return for_every_length(name, text, induction, r"\ell_1 + \ldots + \ell_j &\le j\,\varepsilon")


def stated_chained_losses(budget: sp.Symbol, links: sp.Expr = _LINKS) -> tuple[str, ...]:
    """The same, formally.

    Parameters
    ----------
    budget
        The budget of a link.
    links
        The number of links.
    """
    number = {} if links == _LINKS else {_LINKS: links}
    return symbolic(
        le(_LOSS, _LINKS * budget),
        given=(le(_ONE_LOSS, budget),),
        where={_LOSS: sum_over_entries(_ONE_LOSS, (_ONE_LOSS,), _LINKS), **number},
    )
