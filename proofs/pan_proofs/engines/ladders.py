"""Positive functions on a half line, by derivatives that are positive multiples of one another.

A function that is not negative at 0, and whose derivative is positive for all positive values, is positive for them.
The derivative is a positive factor times the next function, and so on, until the form of a function tells that it is
positive. The functions may contain exponentials, logarithms and hyperbolic functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from pan_proofs.engines.computations import of_one_sign
from pan_proofs.engines.identities import equality
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, answer, minted
from pan_proofs.engines.relations import gt

_SMOOTH = (sp.exp, sp.sinh, sp.cosh, sp.tanh)


def positive_for_positive(
    name: str, variable: sp.Symbol, functions: Sequence[sp.Expr], factors: Sequence[sp.Expr]
) -> Obligation:
    """The obligation that ``functions[0] > 0`` for all positive values of the variable.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    variable
        A symbol that is declared positive, and nothing else.
    functions
        Each but the last is not negative at 0, and its derivative is a factor times the next one; the last is a sum
        of terms that sympy sees to be positive.
    factors
        One for each function but the last, each seen to be positive.

    Raises
    ------
    ValueError
        For a variable of another kind, or another number of factors.
    """
    if variable.assumptions0 != sp.Symbol("x", positive=True).assumptions0:
        raise ValueError(f"the variable of a ladder must be declared positive, got {variable!r}")
    steps: list[tuple[str, Obligation]] = []
    for function, following, factor in zip(functions[:-1], functions[1:], factors, strict=True):
        slope = sp.diff(function, variable)
        told = f"the derivative of {function} is ({factor}) ({following})"
        start = sp.simplify(function.subs(variable, 0))
        steps += [
            (told, equality("", slope, factor * following, told, computed=True)),
            (f"{function} at 0", of_one_sign("", "", start, strict=False)),
            ("the factor", of_one_sign("", "", factor)),
        ]
    last = sp.sympify(functions[-1])
    steps.append(("the last function", of_one_sign("", "", last)))
    checks = [one.about(told) for told, made in steps for one in made.checks]
    for function in functions[:-1]:
        smooth = answer(True) if all(_tame(function, variable)) else Answer.UNKNOWN
        checks.append(Check(f"{function} has no poles from 0 on", "sympy", Answer.HOLDS, smooth))
    statement = f"{sp.sstr(functions[0])} > 0 for all {variable} > 0"
    return minted(name, statement, checks, Kind.INEQUALITY, (gt(functions[0], 0),))


def _tame(function: sp.Expr, variable: sp.Symbol) -> Iterator[bool]:
    """Whether each part is smooth from 0 on: bases and arguments that may not vanish are positive, also at 0."""
    for part in sp.preorder_traversal(sp.sympify(function)):
        if not part.has(variable) or part == variable or part.is_Add or part.is_Mul or isinstance(part, _SMOOTH):
            continue
        inside = part.args[0] if isinstance(part, sp.log) else part.base if part.is_Pow else None
        if inside is None or (part.is_Pow and part.exp.has(variable)):
            yield False
        elif not (part.is_Pow and part.exp.is_Integer and part.exp.is_positive):
            yield bool(inside.is_positive and inside.subs(variable, 0).is_positive)
