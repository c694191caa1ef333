"""Parts of the judgement of the hash function: when it is a bijection, and what other hash functions would do."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.hashing.hash_level_proofs import WIDTHS, bits
from pan_proofs.density.lemmas.hashing.linear_hash import (
    every_row_is_a_permutation,
    hash_values,
    odd_multipliers,
    pair_probability,
)
from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.relations import eq, ge, lt, ne
from pan_proofs.ledger.claim import Part, Role, symbolic
from pan_proofs.ledger.steps import counterexample, enumerated, equal, lemma

_s, _n, _y, _x = sp.symbols("s n y X", integer=True)
_multiplier = sp.Symbol("a", integer=True, positive=True)
_offset = sp.Symbol("b", integer=True, nonnegative=True)
_size = sp.Symbol("N", positive=True, integer=True)


def bijection() -> Part:
    """An odd multiplier gives a bijection."""
    (quotient,) = sp.solve(sp.Eq((2 * _n + 1) * _x, 2 * _y), _y)
    parity = equal(
        "parity",
        r"Parity lemma: if $a$ is odd and $aX$ is even, then $X$ is even. Let $a = 2n+1$ and $aX = 2y$. Then $X$ is "
        r"twice the integer $y - nX$.",
        r"2(y - nX)",
        2 * (quotient - _n * _x),
        _x,
    )
    half = _x / 2
    induction = equal(
        "induction",
        r"Induction: if $2^Q$ divides $aX$, then $2^Q$ divides $X$. For $Q = 0$ there is nothing to show. Let $Q \ge "
        r"1$ and $aX = 2^Q s$. By the parity lemma $X/2$ is an integer, and $2^{Q-1}$ divides $a \cdot X/2$; so "
        r"$2^{Q-1}$ divides $X/2$. Take $X = u - v$: if $h(u) = h(v)$, then $2^Q$ divides $a(u-v)$, hence $u-v$, and "
        r"$|u-v| < 2^Q$ gives $u = v$. An injection of a finite set into itself is a bijection.",
        r"a \cdot \tfrac{X}{2}",
        (_multiplier * half).subs(_x, 2**bits * _s / _multiplier),
        2 ** (bits - 1) * _s,
    )
    listed = enumerated(
        "listed",
        r"All functions with an odd multiplier are bijections, for each $Q$ from 1 to 8.",
        "the values are a permutation for every b, 1 <= Q <= 8 and every odd a",
        ((width, multiplier) for width in WIDTHS for multiplier in odd_multipliers(width)),
        lambda case: every_row_is_a_permutation(*case),
        # An even multiplier.
        mutant=lambda case: every_row_is_a_permutation(case[0], case[1] + 1),
        lines=(r"\{h(0), \ldots, h(2^Q - 1)\} &= \{0, \ldots, 2^Q - 1\}",),
    )
    return Part(
        Role.PUBLISHED,
        "an odd multiplier gives a bijection",
        r"For every $Q \ge 1$, every odd $a$ and every $b$, $h(u) = (au + b) \bmod 2^Q$ permutes $\{0, \ldots, "
        r"2^Q-1\}$.",
        (parity, induction, listed),
        formal=(
            *symbolic(eq(_x, 2 * (_y - _n * _x)), given=(eq((2 * _n + 1) * _x, 2 * _y),)),
            *symbolic(eq((_multiplier * half).subs(_x, 2**bits * _s / _multiplier), 2 ** (bits - 1) * _s)),
        ),
    )


def other_hash_functions() -> Part:
    """Multipliers that may be even, and random permutations."""
    collision = lemma(
        "even_collides",
        r"The multiplier is first said to be uniform on $\{1, \ldots, 2^Q-1\}$. An even one is no bijection: with "
        r"$Q = 2$ and $a = 2$ the users 0 and 2 have the same value $b$.",
        (
            in_every_case(
                "even_collides",
                "h(0) = h(2) for Q = 2, a = 2 and every b",
                hash_values(2, [2]).tolist(),
                lambda values: bool(values[0] == values[2]),
                mutant=lambda values: bool(values[0] == values[1]),
            ),
            *counterexample(
                "even_collides.injective",
                "",
                ne(sp.Mod(_offset, 4), sp.Mod(2 * _multiplier + _offset, 4)),
                {_multiplier: 2, _offset: 0},
            ).obligations,
        ),
        lines=(r"h(2) = (4 + b) \bmod 4 &= b = h(0)",),
    )
    evens, half, independent = _size / 2 - 1, sp.Rational(1, 2), sp.Rational(1, 4)
    together = evens / (_size - 1) * half
    chain = equal(
        "even_pairs",
        r"Nor are the levels independent. Let $N = 2^Q$ and $u - v$ odd. For odd $a$ one of the two values is even. "
        r"For the $N/2 - 1$ even $a$ the two values have the same parity, and are odd for half of the $b$.",
        r"P(0, 0)",
        together,
        sp.Rational(1, 4) - 1 / (4 * (_size - 1)),
    )
    permuted = (_size / 2) * (_size / 2 - 1) / (_size * (_size - 1))
    permutation = equal(
        "permutations",
        r"A uniformly random permutation in place of $h$ has the same defect: the two users need two different ones of "
        r"the $N/2$ odd values. With any bijection only one user has level $Q$.",
        r"P(0, 0)",
        permuted,
        sp.Rational(1, 4) - 1 / (4 * (_size - 1)),
    )
    below = [
        counterexample(
            name,
            text,
            eq(chance, independent),
            {_size: 4},
            lines=(r"P(0, 0) = \frac{4/2 - 1}{2(4 - 1)} = \tfrac16 &\ne \tfrac14",),
        )
        for name, text, chance in (
            ("even_dependent", r"For $Q = 2$, with any multiplier,", together),
            ("permutations_dependent", r"For a random permutation of as many numbers,", permuted),
        )
    ]
    listed = enumerated(
        "even_listed",
        r"By counting, over all multipliers, $1 \le Q \le 6$.",
        "P(users 0 and 1 have level 0) over all multipliers is as stated, 1 <= Q <= 6",
        range(1, 7),
        lambda width: _both_level_zero(width) == Fraction(2 ** (width - 1) - 1, 2 * (2**width - 1)) < Fraction(1, 4),
        mutant=lambda width: _both_level_zero(width) == Fraction(1, 4),
        lines=(r"P(0, 0) &= \frac{2^{Q-1} - 1}{2(2^Q - 1)} < \tfrac14",),
    )
    return Part(
        Role.READING,
        "other hash functions",
        r"With a multiplier that may be even $h$ need not be a bijection; and the levels of two users are independent "
        r"neither then nor for a uniformly random permutation.",
        (collision, chain, permutation, *below, listed),
        formal=(
            *symbolic(ne(sp.Mod(_offset, 4), sp.Mod(2 * _multiplier + _offset, 4)), refuted=True),
            *(
                one
                for chance in (together, permuted)
                for one in symbolic(lt(chance, independent), given=(ge(_size, 2),))
            ),
        ),
        holds=False,
    )


def _both_level_zero(width: int) -> Fraction:
    return pair_probability(width, (0, 1), (0, 0), odd=False)
