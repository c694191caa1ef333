"""Relations between sums over any number of cells, levels or changes, from the relation between their terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length


def summed(
    name: str,
    text: str,
    relation: Relational,
    sums: Mapping[sp.Symbol, sp.Expr],
    entry: Sequence[sp.Symbol],
    of_an_entry: Sequence[sp.Basic],
    line: str,
    *,
    length: sp.Symbol,
    example: Sequence[Sequence[Any]],
    at: Mapping[sp.Symbol, sp.Expr] | None = None,
    **control: Any,
) -> tuple[Step, tuple[str, ...]]:
    """The step by induction over the number of entries, and what it shows, formally.

    Parameters
    ----------
    name, text, line
        Of the step.
    relation
        Between the sums.
    sums
        For the symbol of each sum its term.
    entry, of_an_entry
        The symbols of an entry, and what is known of them.
    length
        The number of entries.
    example, at, **control
        Entries, values of the other symbols, and the stronger statement, as in
        :class:`pan_proofs.engines.vectors.Induction`.
    """
    running = {symbol: symbol + term for symbol, term in sums.items()}
    induction = Induction(
        f"summed.{name}", relation, length, tuple(entry), running, example, at or {}, tuple(of_an_entry), **control
    )
    where = {symbol: sum_over_entries(term, tuple(entry), length) for symbol, term in sums.items()}
    return for_every_length(name, text, induction, (line,)), symbolic(relation, given=of_an_entry, where=where)
