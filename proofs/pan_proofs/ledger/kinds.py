"""Whether a value is of the kind that a symbol stands for: real, positive, an integer."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.obligation import Answer, Check, MissingEngine


def of_its_kind(symbol: sp.Symbol, value: sp.Expr) -> bool:
    """Whether sympy or a ball tells that a value is what a symbol stands for."""
    return kind_check(symbol, value).answer is Answer.HOLDS


def kind_check(symbol: sp.Symbol, value: sp.Expr) -> Check:
    """The question whether a value is what a symbol stands for. An open question is not taken for granted."""
    told = [(_is_of_kind(value, kind), truth) for kind, truth in symbol.assumptions0.items()]
    if any(said not in (truth, None) for said, truth in told):
        decided = Answer.FAILS
    else:
        decided = Answer.UNKNOWN if any(said is None for said, _ in told) else Answer.HOLDS
    return Check(f"{symbol} = {sp.sstr(value)} is of the kind that {symbol} stands for", "sympy", Answer.HOLDS, decided)


def _is_of_kind(value: sp.Expr, kind: str) -> bool | None:
    """The answer of sympy or, without one, that of a ball around a real number; ``None`` if neither tells."""
    said: bool | None = getattr(value, f"is_{kind}")
    if said is not None or kind not in ("integer", "noninteger", *_SIGNS_OF_KINDS):
        return said
    try:
        ball = enclosure(value)
    except (MissingEngine, TypeError, KeyError):
        return None
    if kind in _SIGNS_OF_KINDS:
        sign = 1 if ball > 0 else -1 if ball < 0 else None
        return None if sign is None else sign in _SIGNS_OF_KINDS[kind]
    # No whole number lies in the ball: a ball that holds one decides nothing.
    apart = not ball.contains_integer()
    return (kind == "noninteger") if apart else None


_SIGNS_OF_KINDS = {
    kind: signs
    for name, signs in {"positive": (1,), "negative": (-1,), "nonpositive": (-1,), "nonnegative": (1,)}.items()
    for kind in (name, f"extended_{name}")
} | {"zero": (), "nonzero": (1, -1), "extended_nonzero": (1, -1)}
