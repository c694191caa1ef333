"""Readings of adjacency in which streams differ in more than one user: appearances replaced, and different lengths."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import at_most, counterexample, lemma

REPLACED = "a user's appearances become another user's"
_HALF = sp.Rational(1, 2)
_COIN = (_HALF, _HALF + epsilon / 4)
_TANH = (1 / (1 + x), x / (1 + x))
_COIN_RATIO = (2 + epsilon) / (2 - epsilon)
_OF_COINS = sp.log(_COIN_RATIO) - epsilon
_SHIFTED = sp.log(1 + epsilon / 2) - 3 * sp.log(1 - epsilon / 2) - 2 * epsilon
_BELOW_TWO = (sp.Gt(epsilon, 0), sp.Lt(epsilon, 2))


def _two_users(pair: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The ratio of the probabilities of the bits 1 of ``u`` and 0 of ``v``: if ``u`` appears, and if ``v`` does."""
    before, after = pair
    return (after * (1 - before)) / (before * (1 - after))


def _ratio(pair: tuple[sp.Expr, sp.Expr], stated: sp.Expr, line: str) -> Step:
    return equal_as(
        "replaced_ratio",
        r"Let $u$ appear in the one stream and $v$ in its place in the other, both sampled, and look at the state "
        r"after "
        r"the last update. The bit 1 of $u$ and the bit 0 of $v$ are likelier with the first stream by the factor",
        (lambda: sp.simplify(_two_users(pair)), stated),
        line,
    )


def coins_replaced() -> Part:
    """The state of the algorithm whose first bit is a fair coin."""
    claimed = le(sp.log(_COIN_RATIO), epsilon)
    rises = Slopes(
        "other_neighbours.coins", _OF_COINS, epsilon, sp.S.Zero, {epsilon: 1}, _HALF, end=sp.Integer(2), strict=True
    )
    return Part(
        Role.READING,
        REPLACED,
        r"In the second interpretation of adjacency the appearances of a user are replaced by those of another one. "
        r"Then two bits of the state differ, and its loss is $\log\frac{2+\varepsilon}{2-\varepsilon}$ at least. It "
        r"exceeds $\varepsilon$ for all $0 < \varepsilon < 2$.",
        (
            _ratio(_COIN, _COIN_RATIO, r"\frac{p_1 (1-p_0)}{p_0 (1-p_1)} &= \frac{2+\varepsilon}{2-\varepsilon}"),
            lemma("replaced_exceeds", r"Its logarithm exceeds the budget.", rises.discharge()),
            counterexample("replaced_example", r"For example:", claimed, {epsilon: _HALF}),
        ),
        formal=symbolic(gt(_OF_COINS, 0), given=_BELOW_TWO),
        holds=False,
    )


def pair_replaced() -> Part:
    """The state of the algorithm with the optimal pair."""
    return Part(
        Role.READING,
        REPLACED,
        r"In the second interpretation of adjacency the appearances of a user are replaced by those of another one. "
        r"Then two bits of the state differ, and its loss is $2\varepsilon$: already the state alone uses the whole "
        r"budget that is promised for state and output. In the formula $x = e^{\varepsilon}$.",
        (
            _ratio(_TANH, x**2, r"\frac{p_1 (1-p_0)}{p_0 (1-p_1)} &= x^2"),
            at_most(
                "replaced_exceeds",
                r"It exceeds $x$.",
                Inequality("other_neighbours.pair", x, x**2, (sp.Gt(x, 1),), strict=True, touching={x: 1}),
            ),
            counterexample("replaced_example", r"For example:", le(x**2, x), {x: sp.Rational(3, 2)}),
        ),
        formal=symbolic(lt(x, x**2), given=(sp.Gt(x, 1),)),
        holds=False,
    )


def different_lengths() -> Part:
    """The lecture's intrusion after the same number of updates of streams of different lengths."""
    before, after = _COIN
    rises = Slopes(
        "other_neighbours.lengths",
        _SHIFTED,
        epsilon,
        sp.S.Zero,
        {epsilon: _HALF},
        sp.S.One,
        end=sp.Integer(2),
        strict=True,
    )
    return Part(
        Role.READING,
        "neighbours of different lengths",
        r"Definition 3 lets the intrusion be after the same number of updates in both streams, and neighbours may have "
        r"different lengths. Then later updates move to the other side of the intrusion, and the states differ in more "
        r"than one user. For four sampled users the loss of the state alone exceeds $2\varepsilon$ for all $0 < "
        r"\varepsilon < 2$, and it has no bound over the size of the sample (joint\_loss.tight).",
        (
            equal_as(
                "lengths_ratio",
                r"Let $u$ appear three times, or not at all, before three other sampled users appear once each. After "
                r"three updates these have not appeared in the one stream, and all have in the other. The bit 1 of $u$ "
                r"and three zeros are likelier with the first stream by the factor",
                (
                    lambda: after * (1 - before) ** 3 / (before * (1 - after) ** 3),
                    (1 + epsilon / 2) / (1 - epsilon / 2) ** 3,
                ),
                r"\frac{p_1}{p_0} \Bigl(\frac{1-p_0}{1-p_1}\Bigr)^3 &= \frac{1 + \varepsilon/2}{(1 - \varepsilon/2)^3}",
            ),
            lemma("lengths_exceed", r"Its logarithm exceeds $2\varepsilon$.", rises.discharge()),
            counterexample("lengths_example", r"For example:", le(_SHIFTED, 0), {epsilon: _HALF}),
        ),
        formal=symbolic(gt(_SHIFTED, 0), given=_BELOW_TWO),
        holds=False,
    )
