"""Functions of one variable that are positive because they start at 0 or above and their derivatives are positive."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.obligation import Obligation


def positive_ladder(
    name: str, variable: sp.Symbol, functions: Sequence[sp.Expr], factors: Sequence[sp.Expr]
) -> tuple[Obligation, ...]:
    """The obligation of :func:`pan_proofs.engines.ladders.positive_for_positive`, for a step that has others as well.

    Parameters
    ----------
    name, variable, functions, factors
        As there.
    """
    return (positive_for_positive(name, variable, functions, factors),)
