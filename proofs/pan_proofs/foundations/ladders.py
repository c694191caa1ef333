"""Functions of one variable that are positive because they start at 0 or above and their derivatives are positive."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.obligation import Obligation, fact


def positive_ladder(
    name: str, variable: sp.Symbol, functions: Sequence[sp.Expr], factors: Sequence[sp.Expr]
) -> tuple[Obligation, ...]:
    """Obligations which together show ``functions[0] > 0`` for all positive values of the variable.

    Parameters
    ----------
    name
        Name of the obligations.
    variable
        A symbol that is declared positive.
    functions
        Each but the last is 0 or positive at 0, and its derivative is a factor times the next one; the last is a
        sum of terms that sympy sees to be positive.
    factors
        One for each function but the last, each seen to be positive.
    """
    if not variable.is_positive:
        raise ValueError(f"the variable of a ladder must be declared positive, got {variable!r}")
    obligations = []
    for step, (function, following, factor) in enumerate(zip(functions[:-1], functions[1:], factors, strict=True)):
        slope = sp.diff(function, variable)
        start = sp.simplify(function.subs(variable, 0))
        obligations += [
            Obligation(
                f"{name}.slope_{step}",
                f"the derivative of {function} is ({factor}) ({following})",
                identity_checks(slope, factor * following),
            ),
            fact(
                f"{name}.start_{step}",
                f"{function} is {start} at 0, and {factor} > 0",
                "the value at 0 is not negative and the factor is positive",
                bool(start.is_nonnegative and sp.sympify(factor).is_positive),
            ),
        ]
    last = sp.sympify(functions[-1])
    obligations.append(
        fact(f"{name}.top", f"{last} > 0", "every term is positive", bool(last.is_positive)),
    )
    return tuple(obligations)
