"""Section 3.2.1 of the thesis: the dependences and independences of a structure, and the chain rule."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import sympy as sp

from pan_proofs.engines.relations import eq, gt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import counterexample, enumerated
from pan_proofs.tables.lemmas.information import exact

_first, _second, _third = sp.symbols("a b c", positive=True)
_apart = sp.Symbol("D")
Distribution = dict[tuple[int, ...], Fraction]
"""The probability of each record of bits."""
_HALF = Fraction(1, 2)


def independences() -> Claim:
    """A structure implies independences, and no dependences."""
    return Claim(
        id="bayesnet.independences",
        title="What a structure implies",
        references=(Reference("networks", "section 3.2.1, Figure 3.2 and the definitions"),),
        statement=r"In a network with the edges $X_1 \to X_3 \to X_5 \to X_6 \leftarrow X_2 \to X_4$ the structure "
        r"implies $X_5 \perp X_1 \mid X_3$, $X_4 \perp X_6 \mid X_2$ and $X_5 \perp X_2$, and that $X_3$ and $X_1$, "
        r"$X_5$ and $X_1$, $X_4$ and $X_6$, and given $X_6$ also $X_5$ and $X_2$, are dependent. Any joint "
        r"distribution can be represented by a network.",
        hypotheses=("the distribution factorizes according to the structure",),
        silent=("all conditioning values have positive probability",),
        parts=(
            derived(
                Role.PUBLISHED,
                "the independences",
                r"Each follows from the factorization. In the formulas $a$, $b$ and $c$ are factors: for the chain "
                r"$p(x_1)$, $p(x_3 \mid x_1)$ and $p(x_5 \mid x_3)$; for the common cause $p(x_2)$, $p(x_6 \mid x_2)$ "
                r"and $p(x_4 \mid x_2)$; for the common effect $p(x_5)$, $p(x_2)$ and a value of $p(x_6 \mid x_5, "
                r"x_2)$.",
                *_independences(),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the dependences",
                r"Independent fair bits factorize according to this structure as well: the conditional tables may "
                r"ignore the parents. So the structure implies no dependence. In the formula $D$ is the largest "
                r"difference between a joint probability of $X_1$ and $X_3$ and the product of theirs.",
                (
                    counterexample(
                        "no_dependence",
                        r"Six independent fair bits:",
                        gt(_apart, 0),
                        {_apart: lambda: exact(_difference(_network(copying=False), 0, 2))},
                    ),
                ),
                formal=symbolic(eq(_apart, 0)),
            ),
            Part(
                Role.AMENDED,
                "dependence for some tables",
                r"For each of the four pairs there are conditional tables with which it is dependent: a bit that "
                r"copies its parent, and one that is the parity of both parents.",
                (
                    enumerated(
                        "dependent",
                        r"All records of six bits, for copies and a parity; $X_4$ and $X_6$ with $X_5 = 0$ always, so "
                        r"that $X_6$ copies $X_2$.",
                        "two bits are dependent",
                        (*((_network(copying=True), *pair) for pair in _PAIRS), (_constant_fifth(), 3, 5, None)),
                        lambda case: _difference(*case) > 0,
                        mutant=lambda case: _difference(_network(copying=False), *case[1:]) > 0,
                    ),
                ),
                no_formula="the statement is about distributions of six bits, which are listed",
            ),
            Part(
                Role.PUBLISHED,
                "the chain rule",
                r"The product of $p(x_i \mid x_1, \ldots, x_{i-1})$ is the joint probability: each numerator cancels "
                r"the next denominator.",
                _chain(),
                no_formula="the statement is about all distributions of records, and is listed",
            ),
        ),
        remark=r"Prior sampling draws each attribute from its factor, so that a record has the product as its "
        r"probability. "
        r"Dependence holds for all conditional tables but a set of measure $0$, which the text does not say.",
    )


def _given_chain() -> sp.Expr:
    """The conditional probability of the last bit of a chain, given the others."""
    a, b, c = _first, _second, _third
    return a * b * c / (a * b * c + a * b * (1 - c))


def _given_cause() -> sp.Expr:
    """The conditional probability of two bits, given their common cause."""
    a, b, c = _first, _second, _third
    return a * b * c / (a * b * c + a * b * (1 - c) + a * (1 - b) * c + a * (1 - b) * (1 - c))


def _summed_effect() -> sp.Expr:
    """The joint probability of two bits, summed over their common effect."""
    return _first * _second * _third + _first * _second * (1 - _third)


def _independences() -> Steps:
    a, b, c = _first, _second, _third
    return (
        equal_as(
            "chain",
            r"$p(x_5 \mid x_1, x_3)$ does not depend on $x_1$:",
            (_given_chain, c),
            r"\frac{abc}{abc + ab(1 - c)} &= c",
        ),
        equal_as(
            "common_cause",
            r"Given $x_2$ the joint probability is a product:",
            (_given_cause, b * c),
            r"\frac{abc}{abc + ab(1 - c) + a(1 - b)c + a(1 - b)(1 - c)} &= bc",
        ),
        equal_as(
            "common_effect",
            r"Summed over both values of $X_6$; for more values their probabilities add up to $1$ as well:",
            (
                _summed_effect,
                a * b,
            ),
            r"abc + ab(1 - c) &= ab",
        ),
    )


def _network(copying: bool) -> Distribution:
    """Six bits by the structure: copies and a parity, or independent fair bits."""
    found: Distribution = {}
    for record in product((0, 1), repeat=6):
        one, two, three, four, five, six = record
        if copying:
            fits = three == one and five == three and four == two and six == (five ^ two)
            found[record] = Fraction(1, 4) if fits else Fraction(0)
        else:
            found[record] = _HALF**6
    return found


def _margin(distribution: Distribution, places: tuple[int, ...], given: dict[int, int] | None = None) -> Distribution:
    found: Distribution = {}
    kept = {
        record: one for record, one in distribution.items() if all(record[at] == to for at, to in (given or {}).items())
    }
    mass = sum(kept.values(), Fraction(0))
    for record, one in kept.items():
        key = tuple(record[at] for at in places)
        found[key] = found.get(key, Fraction(0)) + one / mass
    return found


def _difference(distribution: Distribution, one: int, other: int, given: dict[int, int] | None = None) -> Fraction:
    """The largest difference between the joint probability of two bits and the product of theirs."""
    both, left, right = (_margin(distribution, places, given) for places in ((one, other), (one,), (other,)))
    return max(abs(both.get((x, y), Fraction(0)) - left[(x,)] * right[(y,)]) for x, y in product((0, 1), repeat=2))


_PAIRS: tuple[tuple[int, int, dict[int, int] | None], ...] = ((2, 0, None), (4, 0, None), (4, 1, {5: 0}))


def _constant_fifth() -> Distribution:
    """The copies and the parity with a fifth bit that is always 0."""
    return {(one, two, 0, two, 0, two): Fraction(1, 4) for one, two in product((0, 1), repeat=2)} | {
        record: Fraction(0)
        for record in product((0, 1), repeat=6)
        if record[2] or record[4] or record[3] != record[1] or record[5] != record[1]
    }


def _chain() -> Steps:
    weights = [tuple(1 + (seed * place) % 7 for place in range(1, 9)) for seed in range(1, 12)]

    def factorizes(weight: tuple[int, ...], last: int) -> bool:
        distribution = {
            record: Fraction(one, sum(weight)) for record, one in zip(product((0, 1), repeat=3), weight, strict=True)
        }
        return all(
            probability
            == prod(_margin(distribution, (at,), dict(enumerate(record[:at])))[(record[at],)] for at in range(last))
            for record, probability in distribution.items()
        )

    return (
        enumerated(
            "chain_rule_listed",
            r"In fractions, for eleven distributions of three bits.",
            "the product of the conditional probabilities is the joint probability",
            weights,
            lambda weight: factorizes(weight, 3),
            mutant=lambda weight: factorizes(weight, 2),
        ),
    )


CLAIMS = {"bayesnet.independences": independences}
