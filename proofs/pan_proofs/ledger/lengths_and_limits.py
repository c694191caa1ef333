"""Kinds of steps about vectors of every length, sums of independent copies, signs by derivatives, and growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.growth import Growth
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.shapes import Convex, Hump
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction, Vector
from pan_proofs.ledger.claim import Step, rows
from pan_proofs.ledger.notation import tex

_SIGNS = {sp.Le: r"\le", sp.Lt: "<", sp.Ge: r"\ge", sp.Gt: ">", sp.Eq: "="}


def for_every_length(name: str, text: str, induction: Induction, lines: str | Sequence[str] = ()) -> Step:
    """A relation between sums over the entries of a vector, by induction over its length."""
    relation = induction.relation
    shown = rows(lines) or (f"{tex(relation.lhs)} &{_SIGNS[relation.func]} {tex(relation.rhs)}",)
    return Step(name, text, shown, (induction.discharge(),))


def over_entries(
    name: str,
    text: str,
    relation: Relational,
    length: sp.Symbol,
    sums: Mapping[sp.Symbol, sp.Expr],
    entry: Sequence[sp.Symbol],
    witness: Vector,
    lines: str | Sequence[str] = (),
    given: Sequence[Relational] = (),
    at: Mapping[sp.Symbol, Any] | None = None,
    **controls: Any,
) -> Step:
    """As :func:`for_every_length`, for sums over the entries; the obligation has the name of the step.

    Parameters
    ----------
    name, text, lines
        As in :class:`pan_proofs.ledger.claim.Step`.
    relation, length, entry, witness
        As in :class:`pan_proofs.engines.vectors.Induction`.
    sums
        For each running quantity what an entry adds to it.
    given
        The conditions on an entry.
    at
        The parameters of the witness.
    **controls
        The other attributes of the induction.
    """
    running = {total: total + term for total, term in sums.items()}
    induction = Induction(name, relation, length, tuple(entry), running, witness, at or {}, tuple(given), **controls)
    return for_every_length(name, text, induction, lines)


def by_slopes(name: str, text: str, *slopes: Slopes, lines: str | Sequence[str] = ()) -> Step:
    """Signs of functions with logarithms on intervals, by their derivatives."""
    if not slopes:
        raise ValueError(f"{name}: there is no function whose sign is asked")
    signs = {False: r"\ge", True: ">"}
    shown = rows(lines) or tuple(f"{tex(one.expression)} &{signs[one.strict]} 0" for one in slopes)
    return Step(name, text, shown, tuple(one.discharge() for one in slopes))


def by_shape(name: str, text: str, shape: Convex | Hump, lines: str | Sequence[str] = ()) -> Step:
    """An inequality on a whole line, by the shape of the difference of its sides."""
    sign = r"\le" if isinstance(shape, Convex) else "<"
    shown = rows(lines) or (f"{tex(shape.smaller)} &{sign} {tex(shape.larger)}",)
    return Step(name, text, shown, (shape.discharge(),))


def of_order(name: str, text: str, growth: Growth, lines: str | Sequence[str] = ()) -> Step:
    """A quantity between two multiples of an order of growth."""
    shown = rows(lines) or (
        f"{tex(growth.least * growth.order)} &\\le {tex(growth.quantity)} \\le {tex(growth.most * growth.order)}",
    )
    return Step(name, text, shown, (growth.discharge(),))


def moment(name: str, text: str, obligation: Obligation, lines: str | Sequence[str]) -> Step:
    """A moment of a sum of independent copies, from :func:`pan_proofs.engines.independent_sums.moment_of_sum`."""
    return Step(name, text, rows(lines), (obligation,))
