"""Several outputs and one intrusion, for the symmetric pair: the joint loss for every number of outputs.

Let ``p = E/(1 + E)`` and ``q = 1 - p``. Between two draws of a user's bit it stays the same; the outputs in such a
segment have the ratio ``1 - pi + pi a``, where a is the product of their ``rho = f(y - 1)/f(y)`` and pi the
probability with which the bit was drawn a one: p or q, or 0 or 1 if the bit was just seen. The likelihood of all
outputs is the product over the segments, which may be cut in another way for another stream.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import sympy as sp

from pan_proofs.density.lemmas.losses.cell_enumeration import Cell, largest_joint_ratio
from pan_proofs.density.lemmas.losses.joint_loss import limit, state_factor
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger import steps
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import at_most, equal, lemma

E, r = state_factor, limit
p, q = E / (1 + E), 1 / (1 + E)
_a, _b, _pi = sp.symbols("a b pi", real=True)
_half = sp.Rational(1, 2)


def level(factor: sp.Expr) -> sp.Expr:
    """``q + p a``: the likelihood of outputs of total ratio a after a draw as present."""
    return q + p * factor


def joint_ratio(outputs: sp.Expr = sp.S.One) -> sp.Expr:
    """The exponential of the joint loss: ``E (1 + E r^R)/(1 + E)``."""
    return E * (1 + E * r**outputs) / (1 + E)


def theorem() -> tuple[Step, ...]:
    """The upper bound for all numbers of outputs, and the pair that attains it."""
    return (
        _segments(),
        _mirror(),
        _merge(),
        _likelier(),
        _rarer(),
        _inverse(),
        _one_stretch(),
        _two_stretches(),
        _attained(),
    )


def likelihood(start: Sequence[Fraction], draws: Sequence[Fraction | None], ratios: Sequence[Fraction]) -> Fraction:
    """Likelihood of outputs, bit by bit; before each output the bit may be drawn afresh."""
    zero, one = start
    for drawn, rho in zip(draws, ratios, strict=True):
        if drawn is not None:
            zero, one = (zero + one) * (1 - drawn), (zero + one) * drawn
        one *= rho
    return zero + one


def by_segments(start: Fraction, draws: Sequence[Fraction | None], ratios: Sequence[Fraction]) -> Fraction:
    """The same as a product over segments."""
    chances, segments = [start], [[Fraction(1)]]
    for drawn, rho in zip(draws, ratios, strict=True):
        if drawn is not None:
            chances.append(drawn)
            segments.append([])
        segments[-1].append(rho)
    return prod(((1 - pi) + pi * prod(one) for pi, one in zip(chances, segments, strict=True)), start=Fraction(1))


def _segments() -> Step:
    def cases() -> Iterator[tuple[Fraction, tuple[Fraction | None, ...], list[Fraction]]]:
        source = random.Random(5)
        for draws in product((None, Fraction(2, 5), Fraction(3, 5)), repeat=4):
            for start in (Fraction(0), Fraction(1), Fraction(2, 5)):
                yield start, draws, [Fraction(source.randint(1, 40), 10) for _ in draws]

    return steps.enumerated(
        "segments",
        r"Cut the outputs where the bit is drawn afresh. In each segment the bit is constant and "
        r"independent of the other segments. If it is a one with probability $\pi$ and $a$ is the product of the "
        r"segment's $\rho$, the segment has the likelihood $1 - \pi + \pi a$, and the likelihood of all outputs is "
        r"the product. After a draw $\pi \in \{p, q\}$, $p = \frac{E}{1+E} \ge \frac12$; for a bit that was just "
        r"seen $\pi \in \{0, 1\}$.",
        "for sequences of draws over four outputs, following the bit gives the product",
        cases(),
        lambda case: likelihood((1 - case[0], case[0]), *case[1:]) == by_segments(*case),
        # Each cut one output too late.
        mutant=lambda case: (
            likelihood((1 - case[0], case[0]), *case[1:]) == by_segments(case[0], (None, *case[1][:-1]), case[2])
        ),
        lines=(r"L &= \prod_{s} (1 - \pi_s + \pi_s a_s), \qquad a_s = \prod_{i \in s} \rho_i",),
    )


def _mirror() -> Step:
    step = equal("mirror", "", "", (1 - _pi) + _pi * _a, _a * (_pi + (1 - _pi) / _a))
    return lemma(
        "mirror",
        r"Exchanging 0 and 1, $\pi$ and $1 - \pi$, $\rho$ and $1/\rho$ multiplies all likelihoods by the "
        r"same number, the product of all $\rho$. So we may assume that a seen bit is 0; the first segment after it, "
        r"if there is no draw, has the likelihood 1.",
        step.obligations,
        (r"1 - \pi + \pi a &= a\,\left(\pi + (1 - \pi)\,\tfrac1a\right)",),
    )


def _merge() -> Step:
    obligations = [
        Inequality(
            f"releases.merge_{name}", level(_a) * level(_b), level(_a * _b), (E > 1, *within), touching={_a: 1}
        ).discharge()
        for name, within in (("above", (_a >= 1, _b >= 1)), ("below", (_a > 0, _a <= 1, _b > 0, _b <= 1)))
    ]
    difference = equal("merge", "", "", level(_a * _b) - level(_a) * level(_b), p * q * (_a - 1) * (_b - 1))
    return lemma(
        "merge",
        r"Segments can be merged. Let $\lambda(a) = q + p a$. For $a, b \ge 1$, and for $0 < a, b \le 1$,",
        [*difference.obligations, *obligations],
        (r"\lambda(ab) - \lambda(a)\,\lambda(b) &= p q\,(a - 1)(b - 1) \ge 0",),
    )


def _likelier() -> Step:
    up = sp.Symbol("u", real=True)
    bounds = {"inserted": level(_a), "deleted": p + q * _a, "kept": sp.S.One}
    return lemma(
        "likelier",
        r"In the likelier stream, replace each $\rho_i < 1$ by 1; this lowers no likelihood. A segment with $a \le u$, "
        r"$u \ge 1$ the product of its $\rho_i > 1$, has at most the likelihood $\lambda(u)$, whichever $\pi \in "
        r"\{0, q, p\}$ it has; merging gives $\lambda$ of the product over all segments. If $k$ of the $\rho_i$ "
        r"exceed 1, this is at most $\lambda(r^k)$.",
        [
            Inequality(
                f"releases.likelier_{name}",
                value,
                level(up),
                (E > 1, _a > 0, up >= 1, _a <= up),
                touching={_a: 1, up: 1},
            ).discharge()
            for name, value in bounds.items()
        ],
        (r"L &\le \lambda(r^k), \qquad k = |\{i : \rho_i > 1\}|",),
    )


def _rarer() -> Step:
    down = sp.Symbol("v", real=True)
    bounds = {"inserted": level(_a), "deleted": p + q * _a, "kept": sp.S.One}
    return lemma(
        "rarer",
        r"In the rarer stream, replace each $\rho_i > 1$ by 1. A segment with $a \ge v$, $v \le 1$ the product of its "
        r"$\rho_i < 1$, has at least the likelihood $\lambda(v)$, and by merging this is at least the product of the "
        r"$\lambda(\rho_i)$, each of which is at least $\lambda(1/r)$. If $l$ of the $\rho_i$ are below 1, then",
        [
            Inequality(
                f"releases.rarer_{name}",
                level(down),
                value,
                (E > 1, down > 0, down <= 1, _a >= down),
                touching={_a: 1, down: 1},
            ).discharge()
            for name, value in bounds.items()
        ],
        (r"L' &\ge \lambda(1/r)^l, \qquad l = |\{i : \rho_i < 1\}|",),
    )


def _inverse() -> Step:
    return at_most(
        "inverse",
        r"Moreover $\frac{1}{\lambda(1/r)} \le \lambda(r)$:",
        Inequality("releases.inverse", sp.S.One, level(1 / r) * level(r), (E > 1, r >= 1), touching={r: 1}),
        (r"1 &\le \lambda(1/r)\,\lambda(r)",),
    )


def _one_stretch() -> Step:
    power = sp.Symbol("P", real=True)
    return lemma(
        "one_stretch",
        r"So for one stretch, over $n$ outputs after a look $\frac{L}{L'} \le \lambda(r^k)\,\lambda(r)^l \le "
        r"\lambda(r^{k+l}) \le \lambda(r^n)$, merging $l$ times. Before a look the likelihood is that of the "
        r"segments before the last one, times the probability that the last draw gave the bit seen, for the bit 0; "
        r"the latter is $p$ or $q$. This costs at most another factor $\frac{p}{q} = E$. The bit 1 follows by "
        r"symmetry.",
        (
            Inequality(
                "releases.one_more",
                level(power) * level(r),
                level(power * r),
                (E > 1, r >= 1, power >= 1),
                touching={r: 1},
            ).discharge(),
            *equal("releases.budget", "", "", p / q, E).obligations,
        ),
        (
            r"\frac{L}{L'} &\le \lambda(r^n) \quad \text{after a look}",
            r"\frac{L}{L'} &\le E\,\lambda(r^n) \quad \text{before it}",
        ),
    )


def _two_stretches() -> Step:
    return at_most(
        "two_stretches",
        r"The two stretches go together. A seen bit tells all about what was drawn before it, so that the likelihood "
        r"of everything "
        r"is the product of the two stretches. With $a = r^n$, $b = r^{R-n}$ for $n$ outputs before the intrusion,",
        Inequality(
            "releases.stretches",
            E * level(_a) * level(_b),
            E * level(_a * _b),
            (E > 1, _a >= 1, _b >= 1),
            touching={_a: 1},
        ),
        (r"E\,\lambda(r^n)\,\lambda(r^{R-n}) &\le E\,\lambda(r^R)",),
    )


def _attained() -> Step:
    outputs = sp.Symbol("R", integer=True, positive=True)

    def density(seen: sp.Expr, distribution: Sequence[tuple[int, sp.Expr]]) -> sp.Expr:
        """Of a seen 0 with probability ``seen`` and all outputs above every count, for this distribution."""
        return seen * sum(chance * r ** (outputs * bit) for bit, chance in distribution)

    step = equal(
        "attained",
        "",
        "",
        # In S the bit is drawn again after the look, in S' it stays the 0 that was seen.
        lambda: density(p, [(1, p), (0, q)]) / density(q, [(0, sp.S.One)]),
        E * level(r**outputs),
        joint_ratio(outputs),
    )
    return lemma(
        "attained",
        r"The bound is attained. Let the intrusion come before all outputs and show the bit 0; in $S$ the user "
        r"appears once between the intrusion and the first output, in $S'$ once before the intrusion; and let all "
        r"outputs lie above every count. There are no deletions in these streams. In $S$ the bit 0 is seen with "
        r"probability $p$, in $S'$ with $q$, and",
        step.obligations,
        (r"\frac{p\,(q + p\, r^R)}{q} &= \frac{E\,(1 + E\, r^R)}{1 + E}",),
    )


def enumerated() -> Step:
    """Complete enumeration for small numbers of outputs."""
    parameters = (
        (Fraction(3, 2), Fraction(2)),
        (Fraction(9, 2), Fraction(6, 5)),
        (Fraction(11, 10), Fraction(7)),
    )

    def cases() -> Iterator[tuple[Fraction, Fraction, Fraction, int]]:
        for odds, rate in parameters:
            cell = Cell(((1 / (1 + odds), odds / (1 + odds)),), (), 1 / rate, rate)
            for outputs, deletions in ((1, True), (2, True), (2, False), (3, False), (4, False)):
                yield largest_joint_ratio(cell, outputs=outputs, deletions=deletions), odds, rate, outputs

    def stated(odds: Fraction, rate: Fraction, outputs: int) -> Fraction:
        return odds * (1 + odds * rate**outputs) / (1 + odds)

    return steps.enumerated(
        "enumerated",
        r"Complete enumeration of the places of the intrusion among the outputs, of patterns, bits and ends of the "
        r"noise gives the same number.",
        "the largest of all ratios is the stated number, with up to 4 outputs, up to 2 of them with deletions, for "
        "three rational pairs and rates",
        cases(),
        lambda case: case[0] == stated(*case[1:]),
        # One output less.
        mutant=lambda case: case[0] == stated(*case[1:3], case[3] - 1),
    )
