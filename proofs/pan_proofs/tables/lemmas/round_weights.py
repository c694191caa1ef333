"""The weights of one round of the exponential mechanism, for two adjacent tables."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.steps import at_most

_score, _other_score, _largest, _budget, _rounds = sp.symbols("q qprime Delta epsilon_1 r", real=True)
_moved = (_budget > 0, _largest > 0, _rounds > 0, le(_score - _other_score, _largest))


def close_exponents(name: str, text: str) -> Step:
    """The exponents of a candidate differ by at most half of the share of a round."""
    return at_most(
        name,
        text,
        Inequality(
            f"round_weights.{name}",
            _exponent(_score) - _exponent(_other_score),
            _budget / (2 * _rounds),
            _moved,
            touching={_score: 1, _other_score: 0, _largest: 1, _budget: 1, _rounds: 1},
        ),
        lines=r"\frac{\varepsilon_1 q}{2r\Delta} - \frac{\varepsilon_1 q'}{2r\Delta} &\le \frac{\varepsilon_1}{2r}",
    )


def stated_close_exponents() -> tuple[str, ...]:
    """The same, formally."""
    return symbolic(le(_exponent(_score) - _exponent(_other_score), _budget / (2 * _rounds)), given=_moved)


def _exponent(score: sp.Expr) -> sp.Expr:
    return _budget * score / (2 * _rounds * _largest)
