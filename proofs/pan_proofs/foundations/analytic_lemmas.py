"""The few facts about exp and tanh from which the transcendental claims become polynomial ones."""

from __future__ import annotations

from functools import cache

import sympy as sp

from pan_proofs.engines.computations import comparison, computed_value, of_one_sign, together
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import le

_x = sp.Symbol("x", real=True)
_positive = sp.Symbol("x", positive=True)


@cache
def analytic_lemmas() -> tuple[Obligation, ...]:
    """``e^x >= 1 + x``; ``e^x`` is at least its Taylor polynomials for ``x >= 0``; ``tanh x <= x`` for ``x >= 0``."""
    return (
        _not_negative("exp_above_tangent", "e^x >= 1 + x for all x", sp.exp(_x) - 1 - _x, 2, _x),
        _not_negative(
            "exp_above_square", "e^x >= 1 + x + x^2/2 for x >= 0", sp.exp(_x) - 1 - _x - _x**2 / 2, 3, _positive
        ),
        _not_negative(
            "exp_above_cubic",
            "e^x >= 1 + x + x^2/2 + x^3/6 for x >= 0",
            sp.exp(_x) - 1 - _x - _x**2 / 2 - _x**3 / 6,
            4,
            _positive,
        ),
        _not_negative("tanh_below_identity", "tanh x <= x for x >= 0", _x - sp.tanh(_x), 1, _positive),
    )


def at_most(name: str, value: sp.Expr, bound: sp.Expr) -> Obligation:
    """A constant is at most a bound, by balls."""
    return comparison(f"constant.{name}", le(value, bound))


def _not_negative(name: str, statement: str, function: sp.Expr, order: int, variable: sp.Symbol) -> Obligation:
    """By Taylor's formula: value and derivatives below ``order`` vanish at 0, and that derivative is not negative.

    For an even order the remainder is not negative on both sides of 0, for any order to the right of it.
    """
    if order % 2 and variable is not _positive:
        raise ValueError(f"{name}: by a derivative of odd order the function is bounded to the right of 0 only")
    # Not negative as a square or an exponential, which sympy sees after expanding.
    top = sp.expand(sp.diff(function, _x, order).subs(_x, variable))
    return together(
        f"lemma.{name}",
        statement,
        computed_value(
            f"lemma.{name}.at_zero",
            f"the derivatives of {function} below order {order} at 0",
            lambda: tuple(sp.diff(function, _x, k).subs(_x, 0) for k in range(order)),
            (sp.S.Zero,) * order,
            engine="sympy",
        ),
        of_one_sign(f"lemma.{name}.top", f"derivative {order} is not negative", top, strict=False),
    )
