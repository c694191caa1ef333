"""Integrals, sums, products and limits that sympy computes in a derivation: whether each is one that its form states.

Sympy simplifies by the kind of a bound variable, whatever its range: the integral of the absolute value of a positive
variable from -1 to 1 is 0 for it. It reads a sum whose ends are exchanged as a negative one, and a limit at a place as
one from above. So each of them is asked that the variable has the kind of its whole range, that no sum is turned
around, and that both sides of a limit agree. A second opinion on the value is numeric
(:mod:`pan_proofs.engines.second_opinion`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sympy as sp

from pan_proofs.engines.second_opinion import contradiction

_KINDS: tuple[Any, ...] = (sp.Integral, sp.Sum, sp.Product, sp.Limit)
_SIGNS = ("positive", "nonnegative", "negative", "nonpositive")


@contextmanager
def watched() -> Iterator[None]:
    """A block in which sympy computes; each integral, sum, product or limit in it is looked at.

    Raises
    ------
    ValueError
        At the end of the block, where nothing in it can catch this: for the first one that sympy computes in another
        sense than its form has, or to which numbers give another value.
    """
    own = {kind: kind.doit for kind in _KINDS}
    inside = 0
    problems: list[str] = []

    def looking(kind: Any) -> Any:
        def doit(asked: Any, **hints: Any) -> Any:
            nonlocal inside
            inside += 1
            try:
                found = own[kind](asked, **hints)
                if inside == 1 and (problem := _problem(asked, found)):
                    problems.append(f"{sp.sstr(asked)}: {problem}")
            finally:
                inside -= 1
            return found

        return doit

    for kind in _KINDS:
        kind.doit = looking(kind)
    try:
        yield
    finally:
        for kind, before in own.items():
            kind.doit = before
    if problems:
        raise ValueError(problems[0])


def _problem(asked: Any, found: Any) -> str:
    """The reason why what sympy found may be something else; empty if there is none."""
    if problem := next(filter(None, map(_misread, sorted(asked.atoms(*_KINDS), key=sp.default_sort_key))), ""):
        return problem
    if isinstance(asked, sp.Limit):
        return "" if _from_both_sides(asked, found) else "from the other side it is another one"
    return contradiction(asked, found) if isinstance(found, sp.Expr) else ""


def _misread(asked: Any) -> str:
    """The reason why sympy may compute something else; empty if there is none."""
    if isinstance(asked, sp.Limit):
        _, variable, place, _ = asked.args
        outside = (variable.is_nonnegative and place.is_extended_negative) or (
            variable.is_nonpositive and place.is_extended_positive
        )
        return f"{variable} never comes near {place}" if outside else ""
    summed = not isinstance(asked, sp.Integral)
    for variable, *ends in asked.limits:
        namesakes = {one for one in asked.atoms(sp.Symbol) if one.name == variable.name} - {variable}
        if namesakes:
            return f"two symbols have the name {variable}"
        if not ends:
            continue
        if any(end.has(variable) for end in ends):
            return f"an end of the range of {variable} depends on it"
        if summed and not (ends[1] - ends[0] + 1).is_extended_nonnegative:
            return f"{variable} may end before it starts, where a sum is empty"
        if not _of_the_range(variable, ends, summed):
            return f"{variable} is declared as something that its range is not"
    return ""


def _of_the_range(variable: sp.Symbol, ends: list[sp.Expr], summed: bool) -> bool:
    """Whether all that is known of a bound variable is true of the inside of its range."""
    plain = {"integer": True} if summed else {"real": True}
    known = variable.assumptions0.items()
    if known <= sp.Symbol("x", **plain).assumptions0.items():
        return True
    for sign in _SIGNS:
        for kind in (plain, {"real": True}):
            if known == sp.Symbol("x", **kind, **{sign: True}).assumptions0.items():
                if summed:
                    # The range is not turned around, so its first or last number decides.
                    return bool(getattr(ends[sign in ("negative", "nonpositive")], f"is_extended_{sign}"))
                # An integral takes no notice of its ends.
                wanted = {"positive": "nonnegative", "negative": "nonpositive"}.get(sign, sign)
                return all(getattr(end, f"is_extended_{wanted}") for end in ends)
    return False


def _from_both_sides(asked: Any, found: Any) -> bool:
    """Whether a limit at a place within the domain of its variable is that from both sides, where both are real."""
    expression, variable, place, side = asked.args
    if (
        not place.is_finite
        or str(side) == "+-"
        or (place == 0 and (variable.is_nonnegative or variable.is_nonpositive))
    ):
        return True
    sign = -1 if str(side) == "+" else 1
    other = sp.limit(expression, variable, place, "-" if sign < 0 else "+")
    if other == found or sp.simplify(other - found) == 0:
        return True
    near = expression.subs(variable, place + sign * sp.Rational(1, 10**6))
    value = near.subs({one: sp.Rational(1, 2) for one in near.free_symbols}).evalf()
    # Where the expression is not real, the domain ends.
    return not value.is_real
