"""What every release of counts has: the move of one record, the noise of several sets, and the weights of a choice."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import ge, le
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, counterexample
from pan_proofs.tables.lemmas.small_tables import printed_chance

left, entered, _sum, _change = sp.symbols("a_1 a_2 T t", real=True)
_score, _other_score, _largest, _budget, _rounds = sp.symbols("q qprime Delta epsilon_1 r", real=True)
chance, other_chance = sp.symbols("P Pprime")
any_factor = sp.Symbol("c", nonnegative=True)
TWO = ((0, 0, 0), (1, 1, 1))
ADJACENT = ((0, 0, 0), (1, 0, 1))
"""Two tables of two records over the attributes A, B and C. The second record has another value of B."""


def one_record_moves(name: str, text: str) -> Step:
    """A record that leaves a cell and enters a cell changes the counts by at most two."""
    moved = (le(sp.Abs(left), 1), le(sp.Abs(entered), 1))
    return bounded(name, text, le(sp.Abs(left) + sp.Abs(entered), sp.Integer(2)), *moved, lines=r"|a_1| + |a_2| &\le 2")


def noisy_sets(
    name: str, texts: tuple[str, str], number: sp.Symbol, most: int, scale: sp.Expr, budget: sp.Expr, line: str
) -> Steps:
    """The changes of any number of sets of counts, each of at most ``most``, and the loss of Laplace noise on them."""
    together = le(_sum, most * number)
    return (
        over_entries(
            f"changes_of_{name}",
            texts[0],
            together,
            number,
            {_sum: _change},
            (_change,),
            ((most,), (most,)),
            given=(le(_change, most),),
            least=1,
        ),
        bounded(f"loss_of_{name}", texts[1], le(_sum / scale, budget), together, lines=line),
    )


def close_exponents(name: str, text: str) -> Step:
    """The exponents of a candidate for two adjacent tables differ by at most half of the share of a round."""
    return bounded(
        name,
        text,
        le(_budget * (_score - _other_score) / (2 * _rounds * _largest), _budget / (2 * _rounds)),
        _budget > 0,
        _largest > 0,
        _rounds > 0,
        le(_score - _other_score, _largest),
        lines=r"\frac{\varepsilon_1 q}{2r\Delta} - \frac{\varepsilon_1 q'}{2r\Delta} &\le \frac{\varepsilon_1}{2r}",
    )


def impossible_choice(name: str, text: str) -> Step:
    """With the printed weights a candidate can be drawn for one table, and not for an adjacent one."""
    return counterexample(
        name,
        text,
        le(chance, any_factor * other_chance),
        {
            chance: lambda: printed_chance(TWO, (0,), 1, (1, (0,))),
            other_chance: lambda: printed_chance(ADJACENT, (0,), 1, (1, (0,))),
            any_factor: 10**9,
        },
        (ge(any_factor, 1),),
        free=(any_factor,),
        lines=r"P((B, \{A\}) \mid D) = \tfrac12 &> e^{\varepsilon_1} \cdot 0",
    )
