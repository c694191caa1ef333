"""Two distributions within a budget are made from one tanh bit: randomised response is the most informative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.private_pairs import tanh_pair
from pan_proofs.engines.computations import computed_value, in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.notation import x
from pan_proofs.ledger.steps import bounded, counterexample, equal, lemma

_absent, _present, _zero, _one = sp.symbols("P_0 P_1 K_0 K_1", real=True)
_kernel_one = (x * _present - _absent) / (x - 1)
_kernel_zero = (x * _absent - _present) / (x - 1)
_budget = (x > 1, _absent >= 0, _present >= 0, _absent <= x * _present, _present <= x * _absent)


def through_bit(parameter: sp.Expr, zero: sp.Expr, one: sp.Expr) -> sp.Expr:
    """Probability of an event whose probability is ``zero`` or ``one`` given the bit."""
    return sum(weight * value for weight, value in ((1 - parameter, zero), (parameter, one)))


def randomized_response() -> Claim:
    """The kernel, that it is one, and that it reproduces both distributions."""
    return Claim(
        id="cell.randomized_response",
        title="Every private cell is a post-processed tanh bit",
        references=(
            Reference(
                "here",
                "cells",
                "strengthens section 4.2 of the paper from Bernoulli pairs to cells with values in any set; the "
                "two-distribution case of a theorem of Kairouz, Oh and Viswanath, derived anew",
            ),
        ),
        statement=r"Let $P_0$ and $P_1$ be the distributions of a cell, with values in any measurable set, of a user "
        r"who is absent and of one who is present, and let them satisfy $\varepsilon$-differential privacy. Then the "
        r"cell is a randomised function of one bit that is drawn from $\operatorname{Bernoulli}(\frac{1}{1+x})$ for an "
        r"absent and from $\operatorname{Bernoulli}(\frac{x}{1+x})$ for a present user, $x = e^{\varepsilon}$.",
        hypotheses=(
            r"$P_0(A) \le x P_1(A)$ and $P_1(A) \le x P_0(A)$ for every measurable $A$",
            r"$\varepsilon > 0$",
        ),
        silent=("a present user has one distribution, whatever the number and times of the appearances",),
        parts=(_kernel_part(), _converse_part(), _many_distributions_part()),
        remark=r"So whatever is estimated from private cells, by any method and for any loss function, can be "
        r"estimated equally well from $\tanh$ bits: draw $K$ for each bit, then do the same.",
    )


def _kernel_part() -> Part:
    nonnegative = lemma(
        "nonnegative",
        r"Define two set functions by $K_1 = (x P_1 - P_0)/(x - 1)$ and $K_0 = (x P_0 - P_1)/(x - 1)$. They are "
        r"countably additive since $P_0$ and $P_1$ are, and the budget, applied to an event $A$, makes them "
        r"nonnegative.",
        [
            Inequality(f"randomized_response.{name}", smaller / (x - 1), x * larger / (x - 1), _budget).discharge()
            for name, smaller, larger, at in (
                ("nonnegative_one", _absent, _present, {x: 2, _absent: 2, _present: 1}),
                ("nonnegative_zero", _present, _absent, {x: 2, _absent: 1, _present: 2}),
            )
        ],
        lines=(
            r"K_1(A) &= \frac{x P_1(A)}{x-1} - \frac{P_0(A)}{x-1} \ge 0",
            r"K_0(A) &= \frac{x P_0(A)}{x-1} - \frac{P_1(A)}{x-1} \ge 0",
        ),
    )
    whole = {_absent: sp.S.One, _present: sp.S.One}
    mass = [
        equal(
            f"mass_{name}",
            text,
            left,
            partial(kernel.subs, whole),
            sp.S.One,
        )
        for name, text, left, kernel in (
            ("one", r"On the whole set $\Omega$, where $P_0 = P_1 = 1$, their values are", r"K_1(\Omega)", _kernel_one),
            ("zero", "The other one has the same value,", r"K_0(\Omega)", _kernel_zero),
        )
    ]
    mass = [
        replace(step, lines=(rf"K_{digit}(\Omega) &= \frac{{x - 1}}{{x - 1}} = 1",))
        for digit, step in zip("10", mass, strict=True)
    ]
    reproduced = [
        replace(
            equal(
                f"reproduces_{name}",
                text,
                left,
                through_bit(parameter, _kernel_zero, _kernel_one),
                distribution,
            ),
            lines=(line,),
        )
        for name, text, left, parameter, distribution, line in (
            (
                "absent",
                r"So both are distributions. Draw the bit, then the cell from $K_0$ or $K_1$. For an absent user an "
                r"event has the probability",
                "P_0(A)",
                tanh_pair[0],
                _absent,
                r"\frac{x}{1+x} K_0(A) + \frac{1}{1+x} K_1(A) &= P_0(A)",
            ),
            (
                "present",
                "For a present user it has the probability",
                "P_1(A)",
                tanh_pair[1],
                _present,
                r"\frac{1}{1+x} K_0(A) + \frac{x}{1+x} K_1(A) &= P_1(A)",
            ),
        )
    ]
    return derived(
        Role.PUBLISHED,
        "the kernel",
        r"$K_1 = \frac{x P_1 - P_0}{x - 1}$ and $K_0 = \frac{x P_0 - P_1}{x - 1}$ are probability distributions, and a "
        r"value drawn from $K_b$, $b$ the $\tanh$ bit, has the distribution $P_0$ for an absent and $P_1$ for a "
        r"present user.",
        nonnegative,
        *mass,
        *reproduced,
        _example(),
        only=(
            "reproduces_absent",
            "reproduces_present",
        ),
    )


def _example() -> Step:
    absent, present = ([Fraction(part, 4) for part in distribution] for distribution in ((2, 1, 1), (1, 1, 2)))
    quarters = [Fraction(part, 4) for part in range(4)]
    first, second = Fraction(1, 3), Fraction(2, 3)
    zero, one = kernel(absent, present, Fraction(2))
    values = list(zip(zero, one, absent, present, strict=True))
    return lemma(
        "example",
        r"By hand, take three values, $x = 2$, $P_0 = (\frac12, \frac14, \frac14)$ and $P_1 = (\frac14, \frac14, "
        r"\frac12)$.",
        (
            computed_value(
                "example.kernels",
                "the kernels K_0 and K_1 of the two distributions at x = 2",
                lambda: kernel(absent, present, Fraction(2)),
                ([quarters[3], quarters[1], quarters[0]], [quarters[0], quarters[1], quarters[3]]),
            ),
            in_every_case(
                "example.distributions",
                "the kernel is nonnegative and of mass one",
                (zero, one),
                lambda distribution: min(distribution) >= 0 and sum(distribution) == 1,
                mutant=lambda distribution: min(distribution) > 0 and sum(distribution) == 1,
            ),
            in_every_case(
                "example.reproduced",
                "the bit and the kernels give the value its probability for an absent and for a present user",
                values,
                lambda case: (through(first, *case[:2]), through(second, *case[:2])) == case[2:],
                mutant=lambda case: (through(second, *case[:2]), through(first, *case[:2])) == case[2:],
            ),
        ),
        lines=(r"K_0 = (\tfrac34, \tfrac14, 0), &\quad K_1 = (0, \tfrac14, \tfrac34)",),
    )


def kernel(
    absent: Sequence[Fraction], present: Sequence[Fraction], factor: Fraction
) -> tuple[list[Fraction], list[Fraction]]:
    """The distributions to draw from for a zero and for a one, for two distributions on the same finite set."""
    pairs = list(zip(absent, present, strict=True))
    values = {_absent: sp.S.Zero, _present: sp.S.Zero, x: sp.Rational(factor.numerator, factor.denominator)}

    def at(expression: sp.Expr, one: Fraction, other: Fraction) -> Fraction:
        distributions = {
            _absent: sp.Rational(one.numerator, one.denominator),
            _present: sp.Rational(other.numerator, other.denominator),
        }
        value = expression.subs({**values, **distributions})
        return Fraction(int(value.p), int(value.q))

    return [at(_kernel_zero, *pair) for pair in pairs], [at(_kernel_one, *pair) for pair in pairs]


def through(parameter: Fraction, zero: Fraction, one: Fraction) -> Fraction:
    """Probability of an event given the bit's parameter, in fractions."""
    return (1 - parameter) * zero + parameter * one


def _converse_part() -> Part:
    zero_first, one_first = (through_bit(parameter, _zero, _one) for parameter in tanh_pair)
    likely = (x > 1, _zero >= 0, _zero <= 1, _one >= 0, _one <= 1)
    steps = [
        bounded(name, text, le(smaller, x * larger), *likely, lines=line)
        for name, text, smaller, larger, at, line in (
            (
                "present_over_absent",
                r"Whatever $K_0$ and $K_1$ are, an event is at most $x$ times as likely for a present user,",
                one_first,
                zero_first,
                {x: 2, _zero: 0, _one: 1},
                r"\tfrac{1}{1+x} K_0 + \tfrac{x}{1+x} K_1 &\le x\left(\tfrac{x}{1+x} K_0 + \tfrac{1}{1+x} K_1\right)",
            ),
            (
                "absent_over_present",
                "It is at most $x$ times as likely for an absent user.",
                zero_first,
                one_first,
                {x: 2, _zero: 1, _one: 0},
                r"\tfrac{x}{1+x} K_0 + \tfrac{1}{1+x} K_1 &\le x\left(\tfrac{1}{1+x} K_0 + \tfrac{x}{1+x} K_1\right)",
            ),
        )
    ]
    return Part(
        Role.PUBLISHED,
        "and conversely",
        r"Every randomised function of the $\tanh$ bit satisfies $\varepsilon$-differential privacy: these are all the "
        r"private cells.",
        tuple(steps),
        formal=symbolic(
            le(one_first, x * zero_first),
            le(zero_first, x * one_first),
            given=likely,
        ),
    )


def _many_distributions_part() -> Part:
    distributions = sp.Matrix([[x, 1, 1], [1, x, 1], [1, 1, x]]) / (x + 2)
    directions = sp.Matrix([distributions.row(1) - distributions.row(0), distributions.row(2) - distributions.row(0)])
    minor = sp.factor(directions[:, :2].det())
    return Part(
        Role.READING,
        "three distributions at once",
        r"Let the cell's distribution also depend on how often the user appears: $P_0$, $P_1$, $P_2$, each pair within "
        r"the budget. Then one bit is not enough in general. Distributions made from one bit lie on the segment "
        r"between $K_0$ and $K_1$; the rows of the matrix with $\frac{x}{x+2}$ on its diagonal and $\frac{1}{x+2}$ "
        r"elsewhere are pairwise within the budget and do not lie on a line.",
        (
            lemma(
                "pairwise",
                r"The ratios of any two rows are $x$, $1$ and $1/x$.",
                (
                    computed_value(
                        "pairwise.ratios",
                        "all ratios of entries in one column",
                        lambda: {
                            sp.cancel(distributions[i, c] / distributions[j, c])
                            for i, j, c in product(range(3), repeat=3)
                        },
                        {x, sp.S.One, 1 / x},
                        engine="sympy",
                    ),
                    computed_value(
                        "pairwise.sums",
                        "the sums of the rows",
                        lambda: [sp.cancel(sum(distributions.row(i))) for i in range(3)],
                        [sp.S.One] * 3,
                        engine="sympy",
                    ),
                ),
                lines=(
                    r"P_0 = \tfrac{1}{x+2}(x, 1, 1),&\quad P_1 = \tfrac{1}{x+2}(1, x, 1),\quad P_2 = "
                    r"\tfrac{1}{x+2}(1, 1, x)",
                ),
            ),
            counterexample(
                "not_on_a_line",
                r"If the three were on a line, every minor of their differences would vanish. The first is "
                r"$(x-1)^2/(x+2)^2$.",
                eq(minor, 0),
                {x: sp.Integer(2)},
                (x > 1,),
                lines=(r"x = 2:\quad \frac{(x-1)^2}{(x+2)^2} = \tfrac{1}{16} &\ne 0",),
            ),
        ),
        formal=symbolic(
            *(le(one, x * other) for one, other in ((1 / (x + 2), x / (x + 2)), (1 / (x + 2), 1 / (x + 2)))),
            ne(minor, 0),
            given=(x > 1,),
        ),
        holds=False,
        departs="a present user has one distribution, whatever the number and times of the appearances",
    )


CLAIMS = {"cell.randomized_response": randomized_response}
