"""Functions of one variable that are positive because they start at 0 or above and their derivatives are positive."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from pan_proofs.engines.computations import of_one_sign, together
from pan_proofs.engines.identities import equality
from pan_proofs.engines.obligation import Obligation


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
    obligations: list[Obligation] = []
    for step, (function, following, factor) in enumerate(zip(functions[:-1], functions[1:], factors, strict=True)):
        slope = sp.diff(function, variable)
        start = sp.simplify(function.subs(variable, 0))
        obligations += [
            equality(
                f"{name}.slope_{step}",
                slope,
                factor * following,
                f"the derivative of {function} is ({factor}) ({following})",
                computed=True,
            ),
            together(
                f"{name}.start_{step}",
                f"{function} is {start} at 0, and {factor} > 0",
                of_one_sign(f"{name}.value_{step}", "the value at 0 is not negative", start, strict=False),
                of_one_sign(f"{name}.factor_{step}", "the factor is positive", factor),
            ),
        ]
    last = sp.sympify(functions[-1])
    return (*obligations, of_one_sign(f"{name}.top", f"{last} > 0", last))
