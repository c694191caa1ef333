"""Steps that the accuracy theorems of the two bit estimators share: they differ in the gap of the probabilities."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_terms import (
    AccuracyTerms,
    accuracy_terms,
    expected_bit,
    least_size,
    mean_bit,
    output,
    rate,
)
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.foundations.displayed_steps import equality
from pan_proofs.foundations.sums_over_terms import average
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, density, epsilon, m, tex
from pan_proofs.ledger.steps import lemma

GOALS = (delta_3 * beta, delta_4 * beta, (1 - delta_3 - delta_4) * beta)
"""The bounds on the three probabilities."""

NAMES = ("sampling", "cells", "noise")
"""The three sources of error, numbered 1, 2, 3 in the sources."""

_SIZES = {
    "dwork": (
        r"\tfrac{1}{2\alpha^2(1-\delta_1)^2} \log\tfrac{2}{\beta\delta_3}",
        r"\tfrac{8}{\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2} \log\tfrac{2}{\beta\delta_4}",
        r"\tfrac{1}{\varepsilon\alpha\delta_1\delta_2} \log\tfrac{1}{\beta(1-\delta_3-\delta_4)}",
    )
}
_SIZES["optimal"] = (
    _SIZES["dwork"][0],
    _SIZES["dwork"][1].replace(r"{8}{\varepsilon^2", "{1}{2t^2"),
    _SIZES["dwork"][2],
)
_EXPONENTIALS = {
    "dwork": (
        r"2e^{-2m\alpha^2(1-\delta_1)^2}",
        r"2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}",
        r"e^{-\varepsilon\alpha m\delta_1\delta_2}",
    )
}
_EXPONENTIALS["optimal"] = (
    _EXPONENTIALS["dwork"][0],
    _EXPONENTIALS["dwork"][1].replace(r"\frac18 m\varepsilon^2", "2mt^2"),
    _EXPONENTIALS["dwork"][2],
)
_GOALS = (r"\delta_3\beta", r"\delta_4\beta", r"(1-\delta_3-\delta_4)\beta")

plain = {symbol: sp.Symbol(symbol.name, real=True) for symbol in (epsilon, alpha, delta_1, delta_2)}
"""The symbols without assumptions, which the solvers are told instead."""


def _in_words(union: str, fresh: str, tail: str) -> tuple[tuple[str, str], ...]:
    return (
        (union, "where the error is large, one of its three parts is: an event lies in a union of three events"),
        (
            "bound_1",
            "the density of the sampled users is the mean of draws without replacement, one for each user of the "
            "sample",
        ),
        ("bound_2", f"{fresh} are independent given the sample"),
        (
            "averaging",
            f"a probability is the mean, over the samples, of the probability given the sample; {tail} is used given "
            "the sample",
        ),
        (
            "averaging_given_density",
            "given the density, too, the probability is a mean over the samples of this density",
        ),
    )


IN_WORDS = _in_words(
    "thresholds", "each bit is drawn with fresh coins, so that the bits", "Hoeffding's inequality for the bits"
)
"""The arguments of an accuracy theorem about bits that words alone carry, by the name of the step."""

IN_WORDS_OF_CELLS = _in_words(
    "shares", "each cell is drawn with fresh noise, so that the cells", "the tail of the sum of cells"
)
"""The same about Laplace cells."""


def split(pair: str) -> tuple[Step, ...]:
    """The error as a sum of three, and the event of each."""
    terms = accuracy_terms(pair)
    shares = (1 - delta_1, delta_1 * (1 - delta_2), delta_1 * delta_2)
    at_threshold = {mean_bit: expected_bit(pair) + terms.thresholds[1]}
    return (
        equality(
            "error_in_three",
            r"With $\hat d$ the mean of the bits, $E\hat d$ its expectation given the sample and $\Lambda$ the noise:",
            r"\tilde d - d(\mathcal{S})",
            output(pair) - density,
            sum(terms.parts),
            lines=(
                rf"\tilde d - d(\mathcal{{S}}) &= \Lambda + \frac{{\hat d - E\hat d}}{{{tex(terms.gap)}}} "
                r"+ (d(\mathcal{S}_M) - d(\mathcal{S}))",
                rf"E\hat d &= {tex(sp.collect(sp.expand(expected_bit(pair)), sp.Symbol('d_M', nonnegative=True)))}",
            ),
        ),
        equality(
            "thresholds",
            r"The lemma on sums, with $\delta_1$ and then with $\delta_2$, gives three events. That of the cells is an "
            r"event of $\hat d$ with the threshold multiplied by the gap of the two probabilities.",
            "",
            partial(terms.parts[1].subs, at_threshold),
            alpha * shares[1],
            lines=(
                rf"\hat d - E\hat d = c &= {tex(terms.thresholds[1])} \iff "
                rf"\frac{{\hat d - E\hat d}}{{{tex(terms.gap)}}} = {tex(alpha * shares[1])}",
            ),
        ),
        equality(
            "shares",
            r"The three shares of $\alpha$ add up.",
            "",
            alpha * sum(shares),
            alpha,
            lines=(r"\alpha(1-\delta_1) + \alpha\delta_1(1-\delta_2) + \alpha\delta_1\delta_2 &= \alpha",),
        ),
    )


_GIVEN_THE_SAMPLE = (
    r"Given the sample the bits are independent, each with a chance of its own, and the bound does not depend on "
    r"the sample: it survives the average over samples."
)


def averaging(
    name: str = "averaging",
    text: str = _GIVEN_THE_SAMPLE,
    line: str = r"P(\cdot \mid \mathcal{S}_M) \le B &\implies P(\cdot) \le B",
) -> Step:
    """A bound that holds given the sample survives averaging."""
    return average(name, text, line)


def sizes_needed(pair: str, printed: tuple[sp.Expr, sp.Expr, sp.Expr]) -> tuple[Step, ...]:
    """The bounds meet their goals just from the printed sizes on."""
    terms = accuracy_terms(pair)
    steps = []
    rows = zip(bounds_of(terms), GOALS, terms.sizes, printed, strict=True)
    for number, (bound, goal, size, shown) in enumerate(rows):
        steps += [
            equality(
                f"size_{number + 1}",
                rf"The bound on $p_{number + 1}$ equals ${_GOALS[number]}$ at",
                rf"m_{number + 1}",
                partial(_size, pair, number),
                shown,
                lines=(rf"m_{number + 1} &= {_SIZES[pair][number]}",),
            ),
            equality(
                f"solves_{number + 1}",
                "Substitution shows this:",
                "",
                partial(bound.subs, m, size),
                goal,
                lines=(rf"{_EXPONENTIALS[pair][number]} &= {_GOALS[number]} \quad\text{{at }} m = m_{number + 1}",),
            ),
        ]
    return (*steps, *decreasing(pair))


def _size(pair: str, number: int) -> sp.Expr:
    return least_size(bounds_of(accuracy_terms(pair))[number], GOALS[number])


_JUST_FROM = (
    r"A bound $c\,e^{-rm}$ with $r > 0$ decreases in $m$. So it is at most its goal if and only if $m \ge m_i$."
)


def decreasing(pair: str, text: str = _JUST_FROM) -> tuple[Step, ...]:
    """The three bounds decrease with the size of the sample."""
    factor, speed = sp.symbols("c r", positive=True)
    generic = factor * sp.exp(-speed * m)
    return (
        equality(
            "decreasing",
            text,
            r"\frac{d}{dm}\, c\,e^{-rm}",
            lambda: sp.diff(generic, m),
            -speed * generic,
        ),
        rates(pair),
    )


_POSITIVE = r"The three rates are positive for $\delta_1, \delta_2$ in the open interval."


def rates(pair: str, name: str = "rates", text: str = _POSITIVE) -> Step:
    """The rates of the three bounds are positive."""
    terms = accuracy_terms(pair)
    obligations: list[Obligation] = []
    gap = sp.Symbol("g", real=True)
    for source, bound in zip(NAMES, bounds_of(terms), strict=True):
        speed_here = rate(bound)[1].subs(terms.gap, gap).subs(plain)
        edge = {plain[delta_1]: 1, plain[alpha]: 1, plain[epsilon]: 1, gap: 1, plain[delta_2]: 1}
        if source == "noise":
            edge[plain[delta_1]] = 0
        obligations.append(
            Inequality(
                f"accuracy.{pair}.rate_{source}",
                sp.Integer(0),
                speed_here,
                (
                    *(plain[one] > 0 for one in (delta_1, delta_2, alpha, epsilon)),
                    *(plain[one] < 1 for one in (delta_1, delta_2)),
                    gap > 0,
                ),
                strict=True,
                raised=sp.Integer(1),
                touching=edge,
            ).discharge()
        )
    return lemma(name, text, obligations, (r"r_1, r_2, r_3 &> 0",))


def bounds_of(terms: AccuracyTerms) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The bounds on the three probabilities."""
    return terms.sampling, terms.cells, terms.noise


def goals_add_up() -> Step:
    """The three goals add up to beta."""
    return equality(
        "goals_add_up",
        r"The three goals add up; so for an integer $m \ge \max(m_1, m_2, m_3)$, $m \le U$:",
        r"P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \delta_3\beta + \delta_4\beta + (1-\delta_3-\delta_4)\beta",
        sum(GOALS),
        beta,
        lines=(
            r"P(|\tilde d - d(\mathcal{S})| \ge \alpha) &\le \delta_3\beta + \delta_4\beta + "
            r"(1-\delta_3-\delta_4)\beta = \beta",
        ),
    )
