"""A budget in equal shares of rounds or of released distributions, and the changes of distributions."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import bounded

_score, _other_score, _Delta, _budget, _rounds, _total, _part, _share, _sum, _change, left, entered = sp.symbols(
    "q qprime Delta epsilon_1 r L l e T t a_1 a_2", real=True
)
_parts = sp.Symbol("r", integer=True, nonnegative=True)
_moved = (_budget > 0, _Delta > 0, _rounds > 0, le(_score - _other_score, _Delta))
_MOVED = (le(sp.Abs(left), 1), le(sp.Abs(entered), 1))


def equal_shares(name: str, text: str) -> Step:
    """Losses of any number of parts, each within the same share of a budget."""
    return _equal_parts(name, text, (_total, _part, _share), 1, r"\ell_1 + \ldots + \ell_r &\le r\,e")


def stated_equal_shares(budget: sp.Symbol) -> tuple[str, ...]:
    """The same, formally, for shares of which ``r`` make the budget."""
    return symbolic(
        le(_total, budget),
        given=(le(_part, _share), eq(_parts * _share, budget)),
        where={_total: sum_over_entries(_part, (_part,), _parts)},
    )


def equal_changes(name: str, text: str) -> Step:
    """Changes of any number of distributions, each within the same bound."""
    return _equal_parts(name, text, (_sum, _change, _Delta), 2, r"t_1 + \ldots + t_r &\le r\,\Delta")


def _equal_parts(name: str, text: str, symbols: tuple[sp.Symbol, sp.Symbol, sp.Symbol], most: int, line: str) -> Step:
    """The sum of any number of parts that are within one bound; ``most`` is a value of the bound that is reached."""
    total, part, bound = symbols
    induction = Induction(
        f"shares.{name}",
        le(total, _parts * bound),
        _parts,
        (part,),
        {total: total + part},
        ((most,), (most,)),
        {bound: sp.Integer(most)},
        (le(part, bound),),
    )
    return for_every_length(name, text, induction, (line,))


def one_record_moves(name: str, text: str) -> Step:
    """A record that leaves a cell and enters a cell changes the counts by at most two."""
    return bounded(
        name,
        text,
        le(sp.Abs(left) + sp.Abs(entered), sp.Integer(2)),
        _MOVED,
        r"|a_1| + |a_2| &\le 2",
    )


def stated_move() -> tuple[str, ...]:
    """The same, formally."""
    return symbolic(le(sp.Abs(left) + sp.Abs(entered), 2), given=_MOVED)


def stated_equal_changes(largest: sp.Expr, number: sp.Symbol) -> tuple[str, ...]:
    """The bound on the changes of all distributions together, formally."""
    return symbolic(
        le(_sum, number * largest),
        given=(le(_change, _Delta),),
        where={_sum: sum_over_entries(_change, (_change,), _parts), _parts: number, _Delta: largest},
    )


def at_scale(name: str, text: str, change: sp.Expr, scale: sp.Expr, budget: sp.Expr, *lines: str) -> Step:
    """The loss of Laplace noise: a change over the scale."""
    return equal_as(name, text, (lambda: sp.exp(change / scale), sp.exp(budget)), *lines)


def close_exponents(name: str, text: str) -> Step:
    """The exponents of a candidate differ by at most half of the share of a round."""
    return bounded(
        name,
        text,
        le(_exponent(_score) - _exponent(_other_score), _budget / (2 * _rounds)),
        _moved,
        r"\frac{\varepsilon_1 q}{2r\Delta} - \frac{\varepsilon_1 q'}{2r\Delta} &\le \frac{\varepsilon_1}{2r}",
    )


def stated_close_exponents() -> tuple[str, ...]:
    """The same, formally."""
    return symbolic(le(_exponent(_score) - _exponent(_other_score), _budget / (2 * _rounds)), given=_moved)


def _exponent(score: sp.Expr) -> sp.Expr:
    return _budget * score / (2 * _rounds * _Delta)
