"""Lemma 2.3: approximate privacy for groups."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, counterexample, enumerated

_one, _between, _other = sp.symbols("P H Pprime", nonnegative=True)
_delta, _sum = sp.symbols("delta d", nonnegative=True)
_x, _power = sp.symbols("x X", positive=True)
_size = sp.Symbol("l", positive=True, integer=True)
_chance, _bound = sp.symbols("p B", nonnegative=True)
_deltas = sp.Symbol("delta", positive=True)
_PLAIN = le(_deltas * (_x**_size - 1) / (_x - 1), _size * _deltas)
"""The probability that is attained is no larger than without the factors."""
_ABOVE_ONE = (gt(_x, 1),)

_GIVEN = (sp.Ge(_x, 1), sp.Le(_one, _x * _between + _delta), sp.Le(_between, _power * _other + _sum))


def ladder(size: int, factor: Fraction, delta: Fraction) -> tuple[Fraction, ...]:
    """For datasets at distances 0, 1, ... the probabilities of one event that begin at 0 and rise as fast as allowed.

    Each is ``min(1, factor * p + delta)``, or less where the probability of the opposite event would fall too fast.
    """
    found = [Fraction(0)]
    for _ in range(size):
        last = found[-1]
        found.append(min(Fraction(1), factor * last + delta, 1 - (1 - last - delta) / factor))
    return tuple(found)


def allowed(one: Fraction, other: Fraction, factor: Fraction, delta: Fraction) -> bool:
    """Whether the probabilities of an event and of its opposite are those of neighbours."""
    pairs = ((one, other), (other, one), (1 - one, 1 - other), (1 - other, 1 - one))
    return all(first <= factor * second + delta for first, second in pairs)


def formula(size: int, factor: Fraction, delta: Fraction) -> Fraction:
    """The ``delta'`` of the lemma."""
    return delta * (factor**size - 1) / (factor - 1)


def group_privacy() -> Claim:
    """The induction over the group, an example that attains it, and the product in place of the sum."""
    return Claim(
        id="turnstile.group_privacy",
        title="Group privacy with a delta",
        references=(Reference("turnstile", "Lemma 2.3, section 2", "the formula is lost"),),
        statement=r"An $(\varepsilon, \delta)$-differentially private algorithm is $(\ell \varepsilon, "
        r"\delta')$-differentially private for groups of size $\ell$, where $\delta' = \delta\, \frac{e^{\ell "
        r"\varepsilon} - 1}{e^{\varepsilon} - 1}$.",
        notation=(
            ("$l$", r"the size $\ell$ of the group"),
            ("$p$, $B$", r"probability of the event for the last input, and the bound $\ell \delta$ on it"),
        ),
        hypotheses=(r"$\varepsilon > 0$ and $\delta \ge 0$", r"$\ell$ is a whole number, at least $1$"),
        silent=(
            "the inputs of the group are joined by a chain of neighbours that are all inputs",
            r"the lost formula is read as the sum of the $\delta$ along the chain",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the sum along the chain",
                r"With $x = e^{\varepsilon}$ the $\delta$ of $\ell$ steps add up to $\delta (1 + x + \cdots + "
                r"x^{\ell - 1})$. For small probabilities this is attained.",
                chain(),
                formal=symbolic(le(_one, _x * _power * _other + (_x * _sum + _delta)), given=_GIVEN),
            ),
            Part(
                Role.READING,
                "the sum without the factors",
                r"With $\delta' = \ell \delta$ the lemma is false.",
                plain_sum(),
                formal=symbolic(_PLAIN, given=_ABOVE_ONE, refuted=True),
                holds=False,
                departs=r"$\delta' = \delta\, \frac{e^{\ell \varepsilon} - 1}{e^{\varepsilon} - 1}$",
            ),
        ),
    )


def chain() -> Steps:
    """One more step, the geometric sum, and probabilities that rise as fast as they may."""
    number = sp.Symbol("j", nonnegative=True, integer=True)
    above_one = sp.Symbol("z", positive=True)
    return (
        at_most(
            "one_more",
            r"Let $P, H, P'$ be the probabilities of an event for the first input, its neighbour in the chain, and the "
            r"last input. If the rest of the chain gives $X = x^{\ell}$ and $d$, the whole chain gives $x X$ and "
            r"$x d + \delta$.",
            Inequality(
                "group_privacy.one_more",
                _one,
                _x * _power * _other + (_x * _sum + _delta),
                _GIVEN,
            ),
            lines=r"P \le x H + \delta &\le x X P' + (x d + \delta)",
        ),
        equal_as(
            "geometric_sum",
            r"From $d = 0$ on, this gives the geometric sum. With $x = 1 + z$:",
            (
                lambda: sp.simplify(_delta * sp.summation((1 + above_one) ** number, (number, 0, _size - 1))),
                _delta * ((1 + above_one) ** _size - 1) / above_one,
            ),
            r"\delta \sum_{j=0}^{\ell - 1} x^j &= \delta\, \frac{x^\ell - 1}{x - 1}",
        ),
        enumerated(
            "attained",
            r"Probabilities of one event that begin at $0$ and rise as fast as neighbours allow reach $\delta'$ "
            r"exactly, while the opposite event does not bind.",
            "factors 3/2 and 2, delta = 1/100 and 1/50, groups of 1 to 4: each step is allowed, and the last "
            "probability is delta'",
            product((Fraction(3, 2), Fraction(2)), (Fraction(1, 100), Fraction(1, 50)), (1, 2, 3, 4)),
            lambda case: _rises(*case) and ladder(case[2], case[0], case[1])[-1] == formula(case[2], case[0], case[1]),
            mutant=lambda case: ladder(case[2], case[0], case[1])[-1] <= case[2] * case[1],
        ),
    )


def _rises(factor: Fraction, delta: Fraction, size: int) -> bool:
    steps = ladder(size, factor, delta)
    return all(allowed(one, other, factor, delta) for one, other in pairwise(steps))


def plain_sum() -> Steps:
    """A group of two."""
    return (
        counterexample(
            "group_of_two",
            r"For $e^{\varepsilon} = 2$, $\delta = \frac{1}{100}$ and a group of $2$ an event can have the probability "
            r"$0$ for one input and $\frac{3}{100}$ for the other.",
            le(_chance, _bound),
            {
                _chance: lambda: ladder(2, Fraction(2), Fraction(1, 100))[-1],
                _bound: lambda: 2 * Fraction(1, 100),
            },
        ),
        counterexample(
            "group_of_two_by_formula",
            r"It is the $\delta'$ of the lemma, which such probabilities attain:",
            _PLAIN,
            {_x: sp.Integer(2), _deltas: sp.Rational(1, 100), _size: sp.Integer(2)},
            _ABOVE_ONE,
        ),
    )


CLAIMS = {"turnstile.group_privacy": group_privacy}
