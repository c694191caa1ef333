"""Any number of announced intrusions within any total: the looks cost little if the flips are nearly fair."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.intrusions.flipped_bits import TRANSITIONS, flip, gap, rate
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le, lt
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, equal, lemma

_P, _Q = (1 + gap) / 2, (1 - gap) / 2
_S = sp.Symbol("S", real=True)
_zero, _one = sp.symbols("s_0 s_1", real=True)
_r = sp.Symbol("r", positive=True)
_half = sp.Rational(1, 2)

JOINT = sp.Max(_zero * (_Q + _P * rate), _one * (_P + _Q * rate))
"""The exponential of the joint loss, in terms of what the looks give."""


def recursion() -> Step:
    """The largest product along the seen bits, one look further."""
    first, second, step_0, step_1, bound = sp.symbols("x y w_0 w_1 M", real=True)
    region = (
        first > 0,
        second > 0,
        step_0 > 0,
        step_1 > 0,
        first <= _zero,
        second <= _one,
        bound >= _zero * step_0,
        bound >= _one * step_1,
    )
    ones = dict.fromkeys((first, second, _zero, _one, step_0, step_1, bound), sp.S.One)
    return lemma(
        "recursion",
        r"Induction on the number of looks: of all bits before the last, those ending in 0 give $x\, w(0, b)$ with $x "
        r"\le s_0$, and those ending in 1 give $y\, w(1, b)$ with $y \le s_1$. Neither exceeds the larger one of $s_0 "
        r"w(0, b)$ and $s_1 w(1, b)$. Both are attained, and the larger of the two is the new $s_b$.",
        [
            Inequality(f"announced.recursion.{bit}", ratio * step, bound, region, touching=ones).discharge()
            for bit, ratio, step in ((0, first, step_0), (1, second, step_1))
        ],
        (r"s^{(i)}_b &= \max\{s^{(i-1)}_0 w_i(0, b),\ s^{(i-1)}_1 w_i(1, b)\}",),
    )


def noise_solutions() -> tuple[Step, Step]:
    """For each last bit, the noise that a total needs; it exists if the total exceeds the states' loss."""
    solutions = {"zero": (_zero, _Q, _P), "one": (_one, _P, _Q)}
    region = (gap > 0, gap < 1, _zero > 1, _one > 1, _zero < _S, _one < _S)
    steps = []
    for name, (weight, kept, moved) in solutions.items():
        bound = (_S / weight - kept) / moved
        ratio = weight * (kept + moved * rate)
        point = {gap: _half, _zero: 2, _one: 2, _S: 3}
        steps.append(
            lemma(
                f"solution_{name}",
                r"For a last bit 0:" if name == "zero" else r"For a last bit 1:",
                (
                    *equal(f"solves_{name}", "", "", partial(ratio.subs, rate, bound), _S).obligations,
                    Inequality(
                        f"announced.{name}.if",
                        ratio,
                        _S,
                        (*region, rate >= 1, rate <= bound),
                        touching={**point, rate: bound.subs(point)},
                    ).discharge(),
                    Inequality(
                        f"announced.{name}.only_if",
                        rate,
                        bound,
                        (*region, rate >= 1, ratio <= _S),
                        touching={**point, rate: bound.subs(point)},
                    ).discharge(),
                    Inequality(
                        f"announced.{name}.exists",
                        sp.S.One,
                        bound,
                        region,
                        strict=True,
                        touching={**point, _S: 2},
                    ).discharge(),
                ),
                (
                    r"s_0\,(Q + P r) \le S &\iff r \le \frac{S/s_0 - Q}{P},\qquad \frac{S/s_0 - Q}{P} > 1"
                    if name == "zero"
                    else r"s_1\,(P + Q r) \le S &\iff r \le \frac{S/s_1 - P}{Q},\qquad \frac{S/s_1 - P}{Q} > 1",
                ),
            )
        )
    return steps[0], steps[1]


def stated_noise() -> tuple[str, ...]:
    """The noise of a total, formally: when it exists, which noise suffices, and that the total is reached."""
    bound = sp.Min(*((_S / weight - kept) / moved for weight, kept, moved in ((_zero, _Q, _P), (_one, _P, _Q))))
    states = (gap > 0, gap < 1, _zero > 1, _one > 1)
    exists = sp.Equivalent(sp.Gt(bound, 1), sp.And(_zero < _S, _one < _S), evaluate=False)
    enough = sp.Equivalent(sp.Le(JOINT, _S), sp.Le(rate, bound), evaluate=False)
    reached = eq(JOINT.subs(rate, _r), _S)
    return (
        *symbolic(exists, given=states),
        *symbolic(enough, given=(*states, rate > 1)),
        *symbolic(reached, given=(*states, eq(bound, _r))),
    )


def stated_cheap_looks() -> tuple[str, ...]:
    """No stretch costs more than the flip; at the chosen flip and pair all looks cost less than the total."""
    part, number = sp.symbols("delta K", positive=True)
    total, looks = sp.symbols("T K", real=True)
    within = (flip > 0, flip < _half, gap > 0, gap <= 1 - 2 * flip)
    fair = 1 / (1 + sp.exp(part))
    return (
        *symbolic(*(le(one, (1 - flip) / flip) for one in TRANSITIONS.values()), given=within),
        *symbolic(eq(sp.exp(part) * sp.simplify((1 - fair) / fair) ** number, sp.exp((number + 1) * part))),
        *symbolic(lt(total * (looks + 1) / (looks + 2), total), given=(total > 0, looks >= 0)),
    )


def cheap_looks() -> tuple[Step, ...]:
    """For every number of announced intrusions and every total, flips with which the states lose less."""
    weight, least, odds, bound = sp.symbols("w s y M", real=True)
    total, looks = sp.symbols("T K", real=True)
    edge = {flip: sp.Rational(1, 4), gap: _half}
    even = {flip: _half, gap: sp.S.Zero}
    part = sp.Symbol("delta", positive=True)
    number = sp.Symbol("K", positive=True)
    fair = 1 / (1 + sp.exp(part))
    return (
        lemma(
            "cheap_stretch",
            r"As $\varphi \le Q_i \le P_i \le 1 - \varphi$, no stretch costs more than the flip alone:",
            [
                Inequality(
                    f"announced.cheap.{last}.{bit}",
                    TRANSITIONS[last, bit],
                    (1 - flip) / flip,
                    (flip > 0, flip < _half, gap > 0, gap <= 1 - 2 * flip),
                    touching=even if last else edge,
                ).discharge()
                for last, bit in TRANSITIONS
            ],
            (r"w_i(a, b) &\le \frac{1-\varphi}{\varphi}",),
        ),
        at_most(
            "cheap_looks",
            r"By induction all $K + 1$ looks cost at most $E\,(\frac{1-\varphi}{\varphi})^K$: if $s_0, s_1 \le M$ and "
            r"$w \le y$, then",
            Inequality(
                "announced.cheap.looks",
                least * weight,
                bound * odds,
                (least > 0, weight > 0, least <= bound, weight <= odds),
                touching={least: 1, weight: 1, bound: 1, odds: 1},
            ),
            (r"s\,w &\le M y",),
        ),
        equal_as(
            "choice",
            r"Choose $E = e^\delta$ and $\varphi = \frac{1}{1 + e^\delta} < \frac12$ with $\delta = \frac{T}{K+2}$:",
            (
                sp.exp(part) * sp.simplify((1 - fair) / fair) ** number,
                sp.exp((number + 1) * part),
            ),
            r"E \left(\frac{1-\varphi}{\varphi}\right)^K &= e^{(K+1)\delta}",
        ),
        at_most(
            "below_total",
            r"This is less than $e^T$:",
            Inequality(
                "announced.cheap.total",
                total * (looks + 1) / (looks + 2),
                total,
                (total > 0, looks >= 0),
                strict=True,
                touching={total: 0, looks: 0},
            ),
            (r"(K+1)\,\delta = \frac{K+1}{K+2}\, T &< T",),
        ),
    )
