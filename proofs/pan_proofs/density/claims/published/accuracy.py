"""Theorems 3.3 and 4.3 of the paper and 4.9 of the thesis: how many users the published estimators must sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.claims.published.laplace import height, redrawn_density, unit
from pan_proofs.density.lemmas.accuracy_terms import (
    ACCURACY,
    BUDGETS,
    FAILURE,
    GOALS,
    LOGARITHM,
    PAIRS,
    SHARES,
    accuracy_terms,
    bounds_of,
    decreasing,
    floor,
    goals_add_up,
    least_size,
    plain,
    sample_size,
    stated_total,
)
from pan_proofs.engines.computations import comparison
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.limits import derivative_is, tends_to
from pan_proofs.engines.quantities import related_in_every_case
from pan_proofs.engines.relations import eq, ge, gt, le, lt, ne
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.foundations.analytic_lemmas import at_most as constant_at_most
from pan_proofs.foundations.claims.subexponential import tail_bound
from pan_proofs.foundations.exact_tails import hypergeometric, poisson_binomial, two_sided_tail
from pan_proofs.foundations.hoeffding_bound import laplace_tail, two_sided
from pan_proofs.foundations.sums_over_terms import average, stated_mean
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import floor_to
from pan_proofs.ledger.notation import (
    alpha,
    beta,
    delta_1,
    delta_2,
    delta_3,
    delta_4,
    density,
    epsilon,
    m,
    present,
    scale,
    t,
    tex,
)
from pan_proofs.ledger.steps import below_on_box, bounded, compared, counterexample, equal, found, lemma

_half, _third = sp.Rational(1, 2), sp.Rational(1, 3)
_tanh = sp.tanh(epsilon / 2)
_TAILS = sp.symbols("p_1 p_2", nonnegative=True)
"""The probabilities that the sample, and the cells, deviate too much."""
_noise_tail = sp.Symbol(r"P(|\Lambda| \ge \alpha \delta_1 \delta_2)")
_deviation = sp.Symbol("s", real=True)
_SAMPLING = 2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2)
_NOISE = sp.exp(-epsilon * alpha * m * delta_1 * delta_2)
_OF_SAMPLE = sp.log(2 / (beta * delta_3)) / (2 * alpha**2 * (1 - delta_1) ** 2)
_OF_NOISE = sp.log(1 / (beta * (1 - delta_3 - delta_4))) / (epsilon * alpha * delta_1 * delta_2)
_CELLS_SHARE = alpha * delta_1 * (1 - delta_2)
"""The part of the accuracy that is left to the cells."""
_GOALS = (r"\delta_3\beta", r"\delta_4\beta", r"(1-\delta_3-\delta_4)\beta")


@dataclass(frozen=True)
class _Theorem:
    """An accuracy theorem: the pair whose bounds it has, what it prints, and the words for its cells."""

    pair: str
    before: sp.Expr
    gap: sp.Expr
    cells: sp.Expr
    size: sp.Expr
    word: str

    @property
    def sizes(self) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
        """The printed sizes."""
        return _OF_SAMPLE, self.size, _OF_NOISE


_FAIR_SIZE = 8 * sp.log(2 / (beta * delta_4)) / (epsilon**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2)
_FAIR_CELLS = 2 * sp.exp(-m * epsilon**2 * _CELLS_SHARE**2 / 8)
_FAIR = _Theorem("dwork", PAIRS["dwork"][0], epsilon / 4, _FAIR_CELLS, _FAIR_SIZE, "bits")
OPTIMAL = _Theorem(
    "optimal",
    PAIRS["optimal"][0],
    _tanh,
    2 * sp.exp(-2 * m * _tanh**2 * _CELLS_SHARE**2),
    sp.log(2 / (beta * delta_4)) / (2 * _tanh**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2),
    "bits",
)
_LAPLACE = _Theorem("dwork", sp.Symbol("mu_init", real=True), epsilon * scale, _FAIR_CELLS, _FAIR_SIZE, "cells")


def _in_words(fresh: str, tail: str) -> tuple[tuple[str, str], ...]:
    """The arguments of an accuracy theorem that words alone carry, by the name of the step."""
    return (
        ("shares", "where the error is large, one of its three parts is: an event lies in a union of three events"),
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


_BITS_IN_WORDS = _in_words("each bit is drawn with fresh coins, so that the bits", "Hoeffding's inequality for bits")
_SILENT = r"$m$ is an integer and $m \le U$: for small $\varepsilon\alpha$ the sizes exceed the number of users"
_HYPOTHESES = (
    r"$\delta_i \in (0,1)$, $\delta_3 + \delta_4 < 1$",
    r"the stream is fixed; the sample is random, without replacement",
)
_RATES = ("$r_1$, $r_2$, $r_3$", r"rates $r$ of the three bounds $c\,e^{-rm}$")
_THRESHOLD = ("$c$", r"threshold of the event about $\hat d$, or a factor of a bound $c\,e^{-rm}$")


# The steps of all three theorems.


def _split(of: _Theorem) -> tuple[Step, ...]:
    """The error as a sum of three, and the shares of the accuracy."""
    observed, noise = sp.symbols("theta Lambda", real=True)
    expected = of.before + of.gap * present
    return (
        equal(
            "error_in_three",
            rf"With $\hat d$ the mean of the {of.word}, $E\hat d$ its expectation given the sample and $\Lambda$ the "
            "noise:",
            "",
            (observed - of.before) / of.gap + noise - density,
            noise + (observed - expected) / of.gap + (present - density),
            lines=(
                rf"\tilde d - d(\mathcal{{S}}) &= \Lambda + \frac{{\hat d - E\hat d}}{{{tex(of.gap)}}} "
                r"+ (d(\mathcal{S}_M) - d(\mathcal{S}))",
                rf"E\hat d &= {tex(expected)}",
            ),
        ),
        equal(
            "shares",
            r"The lemma on sums, with $\delta_1$ and then with $\delta_2$, gives three events, whose shares of "
            r"$\alpha$ add up. That of the cells is an event of $\hat d$, with the threshold multiplied by the gap.",
            "",
            alpha * sum(SHARES),
            alpha,
        ),
    )


def _bounds(of: _Theorem) -> tuple[Step, ...]:
    text = r"Hoeffding's inequality holds for independent bits, given the sample, at the threshold of the cells."
    left, cells = r"p_2 \le 2e^{-2mc^2}", lambda: accuracy_terms(of.pair).cells
    if of.word == "cells":
        text = (
            r"There the tail of the sum is at most $e^{-a^2/(8 b^2 m)}$ with $a$ the deviation. The printed bound is "
            r"twice that; the factor is not needed."
        )
        left, cells = r"p_2 \le 2 e^{-a^2/(8 b^2 m)}", _laplace_cells
    return (
        equal(
            "bound_1",
            r"This is Hoeffding's inequality for a sample without replacement, at $s = \alpha(1-\delta_1)$.",
            r"p_1 \le 2e^{-2ms^2}",
            lambda: accuracy_terms(of.pair).sampling,
            _SAMPLING,
        ),
        equal("bound_2", text, left, cells, of.cells),
        average(
            "averaging",
            rf"Given the sample the {of.word} are independent, each with a distribution of its own, and the bound does "
            r"not depend on the sample: it survives the average over samples.",
            r"P(\cdot \mid \mathcal{S}_M) \le B &\implies P(\cdot) \le B",
        ),
        equal(
            "probability_3",
            r"Both tails of the noise, integrated from $\alpha\delta_1\delta_2$.",
            r"p_3",
            lambda: accuracy_terms(of.pair).noise,
            _NOISE,
        ),
    )


def _stated_bounds(of: _Theorem) -> tuple[str, ...]:
    """The printed bounds on the first two probabilities, formally: Hoeffding's inequality is an assumption."""
    thresholds = accuracy_terms(of.pair).thresholds
    return tuple(
        text
        for tail, printed, at in zip(_TAILS, (_SAMPLING, of.cells), thresholds, strict=False)
        for text in symbolic(
            sp.Le(tail, printed), given=(sp.Le(tail, two_sided(m, _deviation)),), where={_deviation: at}
        )
    ) + symbolic(sp.Eq(_noise_tail, _NOISE))


_OF_TWO = [sp.Symbol(rf"E[{cells} \mid d(\mathcal{{S}}_M) = \frac{{1}}{{2}}]") for cells in ("b_1 b_2", "b_1", "b_2")]
"""The expectations of the product of two cells and of each, given that half of the sample has appeared."""


def moments_given_density(before: Fraction, after: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Expectations of the product of two cells and of each, given that half of the sample has appeared.

    Of four users the second and the third have appeared, and two are sampled; the cells are in the order of the
    users. All samples of density 1/2 are gone through; given each of them the cells are independent.

    Parameters
    ----------
    before, after
        Mean of the cell of a user who has not appeared, and of one who has.
    """
    samples = [one for one in combinations((1, 2, 3, 4), 2) if len({2, 3}.intersection(one)) == 1]
    means = [[after if user in (2, 3) else before for user in sample] for sample in samples]
    both, first, second = zip(*((one * other, one, other) for one, other in means), strict=True)
    return sum(both) / len(samples), sum(first) / len(samples), sum(second) / len(samples)


def _given_density(of: _Theorem, title: str, statement: str, text: str, before: Fraction, after: Fraction) -> Part:
    product, first, second = _OF_TWO
    values = [*map(sp.Rational, moments_given_density(before, after))]
    return Part(
        Role.COUNTEREXAMPLE,
        title,
        statement,
        (
            counterexample(
                "given_the_density",
                r"Let $U = 4$, $m = 2$; the users $2$ and $3$ have appeared, and the cells are in the order of the "
                r"users. Given $d(\mathcal{S}_M) = \frac12$ the sample is one of $\{1,2\}$, $\{1,3\}$, $\{2,4\}$, "
                rf"$\{{3,4\}}$, each equally likely; just one of the two {of.word} is of a user who has appeared. "
                rf"{text}",
                eq(product, first * second),
                dict(zip(_OF_TWO, values, strict=True)),
                lines=(
                    rf"{tex(product)} &= {tex(values[0])}",
                    rf"{tex(first)}\,{tex(second)} &= {tex(values[1] * values[2])} \ne {tex(values[0])}",
                ),
            ),
        ),
        formal=symbolic(ne(product, first * second)),
    )


def _given_sample(of: _Theorem, title: str, statement: str) -> Part:
    return Part(
        Role.AMENDED,
        title,
        statement,
        (
            average(
                "averaging_given_density",
                r"Given the sample the cells are independent, and the bound $B$ holds, the same for all samples. The "
                r"probability given the density is the average over the samples of this density, and so at most $B$ "
                r"as well.",
                r"P(\cdot \mid M) \le B &\implies P(\cdot \mid d(\mathcal{S}_M)) \le B",
            ),
        ),
        formal=stated_mean(of.cells),
    )


def _to_the_letter(
    title: str,
    statement: str,
    *rows: tuple[str, str, sp.Expr, sp.Expr, int, Mapping[sp.Symbol, sp.Expr], Mapping[sp.Symbol, sp.Expr], str],
) -> Part:
    """Examples in which a probability is within its share although the sample is too small."""
    return Part(
        Role.READING,
        title,
        statement,
        tuple(
            counterexample(
                name,
                text,
                ge(m, size),
                {**at, **value},
                hypotheses=(le(tail, goal), gt(size, large)),
                lines=(line,),
            )
            for name, text, (tail, goal), size, large, at, value, line in rows
        ),
        formal=tuple(
            text
            for _, _, (tail, goal), size, _, at, _, _ in rows
            for text in symbolic(le(tail, goal), lt(m, size), where=at)
        ),
        holds=False,
    )


def equivalences(of: _Theorem, title: str, statement: str) -> Part:
    """The bounds meet their goals just from the printed sizes on."""
    terms, steps = accuracy_terms(of.pair), []
    for number, (bound, goal, size, shown) in enumerate(
        zip(bounds_of(terms), GOALS, terms.sizes, of.sizes, strict=True), start=1
    ):
        said = _GOALS[number - 1]
        steps += [
            equal(
                f"size_{number}",
                rf"The bound on $p_{number}$ equals ${said}$ at",
                rf"m_{number}",
                partial(least_size, bound, goal),
                shown,
            ),
            equal(
                f"solves_{number}",
                "Substitution shows this:",
                "",
                partial(bound.subs, m, size),
                goal,
                lines=(rf"{tex(bound)} &= {said} \quad\text{{at }} m = m_{number}",),
            ),
        ]
    rest = sp.Symbol("delta_5", positive=True)
    total, third = sp.symbols("P p_3", nonnegative=True)
    named = {_tanh: t, 1 - delta_3 - delta_4: rest}
    goals = (*GOALS[:2], rest * beta)
    whole = sp.Eq(delta_3 + delta_4 + rest, 1)
    tails = (*_TAILS, third)
    return Part(
        Role.PUBLISHED,
        title,
        statement,
        (*steps, *decreasing(of.pair), goals_add_up()),
        formal=(
            *symbolic(
                *(
                    sp.Equivalent(sp.Le(bound.subs(named), goal), sp.Ge(m, size.subs(named)))
                    for bound, goal, size in zip(bounds_of(terms), goals, of.sizes, strict=True)
                ),
                given=(delta_1 < 1, delta_2 < 1, whole),
            ),
            *symbolic(
                le(total, beta),
                given=(
                    sp.Le(total, sum(tails)),
                    *(sp.Le(tail, goal) for tail, goal in zip(tails, goals, strict=True)),
                    whole,
                ),
            ),
        ),
        ours=True,
    )


long_log, short_log = sp.symbols("L K", real=True)
"""``log(6/beta)`` and ``log(3/beta)``."""
slope = sp.Symbol("t", real=True)
"""``tanh(epsilon/2)``."""
_EPS, _ACC = plain[epsilon], plain[alpha]
_NEAR_ONE = {delta_1: sp.Rational(8, 9), delta_2: sp.Rational(1, 20)}
_CLOSE = {delta_1: sp.Rational(4, 5), delta_2: sp.Rational(3, 20)}
_HALVES = {delta_1: _half, delta_2: _half}


def sizes_at(pair: str, shares: Mapping[sp.Symbol, sp.Expr]) -> tuple[sp.Expr, ...]:
    """The three sizes at given shares, a third of ``beta`` for each; the logarithms as plain symbols."""
    fixed = {**shares, delta_3: _third, delta_4: _third}
    table = {sp.log(6 / beta): long_log, sp.log(3 / beta): short_log, _tanh: slope}
    return tuple(sp.factor(size.subs(fixed).subs(table).subs(plain)) for size in accuracy_terms(pair).sizes)


def size_bounds(
    pair: str,
    name: str,
    shares: Mapping[sp.Symbol, sp.Expr],
    target: sp.Expr,
    region: tuple[Relational, ...],
    corner: Mapping[sp.Symbol, sp.Expr],
) -> tuple[Step, ...]:
    """The three sizes are at most the target, whose slack is least at a corner of the region."""
    known = (*region, _ACC > 0, _ACC <= 1, short_log > 0, short_log <= long_log)
    at = {**corner, **dict.fromkeys((_ACC, short_log, long_log), sp.Integer(1))}
    steps = []
    for number, size in enumerate(sizes_at(pair, shares), start=1):
        greatest = sp.Rational(sp.cancel((size / target).subs(at)))
        text = (
            rf"At $\delta_1 = {tex(shares[delta_1])}$, $\delta_2 = {tex(shares[delta_2])}$, $m_{number}$ is at most "
            rf"the stated size, with a factor of at most ${tex(greatest)}$:"
        )
        gap = greatest if greatest < 1 else None
        steps.append(
            bounded(f"{name}_{number}", text, le(size, target), *known, gap=gap, weaker=greatest * sp.Rational(99, 100))
        )
    return tuple(steps)


_Row = tuple[str, Mapping[sp.Symbol, sp.Expr], sp.Expr, tuple[Relational, ...], Mapping[sp.Symbol, sp.Expr], sp.Expr]
"""Of an explicit size: name, shares, factor of the logarithm over the squared gap, region, corner, largest budget."""


def _explicit(of: _Theorem, title: str, statement: str, *rows: _Row) -> Part:
    """Sizes that suffice: the three sizes at fixed shares, compared with one formula."""
    gap, named, tangent = (_EPS, epsilon, ()) if of.pair == "dwork" else (slope, t, (t <= epsilon / 2, t < 1))
    below = (
        ()
        if of.pair == "dwork"
        else (_tangent(), equal("below_one", "Besides $t < 1$:", "1 - t", 1 - _tanh, 2 / (sp.exp(epsilon) + 1)))
    )
    formal: list[str] = []
    for _, shares, factor, _, _, largest in rows:
        size = factor * sp.log(6 / beta) / (named * alpha) ** 2
        fixed = {**shares, delta_3: _third, delta_4: _third}
        sizes = [one.subs(fixed).subs(_tanh, t) for one in accuracy_terms(of.pair).sizes]
        # The size may be one of the three.
        formal += symbolic(
            *(sp.Ge(m, one) for one in sizes if sp.cancel(one / size) != 1),
            given=(sp.Ge(m, size), epsilon <= largest, alpha <= 1, beta < 1, *tangent),
        )
    return Part(
        Role.AMENDED,
        title,
        statement,
        (
            equal(
                "logarithms",
                r"Each source gets a third of $\beta$. Let $L = \log\frac6\beta$ and $K = \log\frac3\beta$; they "
                r"differ by $\log 2 > 0$, and $K > 0$ for $\beta < 1$.",
                r"L - K",
                sp.log(6 / beta) - sp.log(3 / beta),
                sp.log(2),
            ),
            *below,
            *(
                step
                for name, shares, factor, region, corner, _ in rows
                for step in size_bounds(of.pair, name, shares, factor * long_log / (gap * _ACC) ** 2, region, corner)
            ),
        ),
        formal=tuple(formal),
    )


def _small_beta(statement: str, factor: sp.Expr, stated: int, *before: Step, formal: tuple[str, ...] = ()) -> Part:
    """``factor log(6/beta)`` is at most ``stated log(1/beta)`` for ``beta <= 1/2``."""
    two, six, level = sp.symbols("l_2 l_6 L", real=True)
    logarithm = sp.log(1 / beta)
    return Part(
        Role.READING,
        "the order for small failure probabilities",
        statement,
        (
            *before,
            bounded(
                "log_ratio",
                r"Let $L = \log\frac1\beta \ge l_2 = \log 2$ and $l_6 = \log 6$: the ratio of $L + l_6$ to $L$ is "
                r"greatest at $\beta = \frac12$.",
                le(level + six, (two + six) / two * level),
                two > 0,
                six > 0,
                level >= two,
            ),
            lemma(
                "log_constant",
                rf"There it is $\frac{{\log 12}}{{\log 2}}$, which times ${tex(factor)}$ is less than ${stated}$.",
                (
                    constant_at_most("log_ratio", factor * sp.log(12) / sp.log(2), sp.Integer(stated)),
                    constant_at_most("log_six", factor * sp.log(6), (stated - factor) * sp.log(2)),
                ),
                (rf"{tex(factor)}\, \frac{{\log 12}}{{\log 2}} &\le {stated}",),
            ),
        ),
        formal=(
            *formal,
            *symbolic(ge(logarithm, sp.log(2)), given=(beta <= _half,)),
            *symbolic(
                ge(m, factor / (epsilon * alpha) ** 2 * sp.log(6 / beta)),
                given=(ge(m, stated / (epsilon * alpha) ** 2 * logarithm), ge(logarithm, sp.log(2))),
            ),
        ),
    )


_OF_THAT_ORDER = le(m, sp.log(1 / beta) / (epsilon * alpha) ** 2)
_ONE_USER = {m: sp.Integer(1), epsilon: _half, alpha: _half, beta: _half}


def _any_size(text: str, error: sp.Expr, value: Mapping[sp.Symbol, sp.Expr], line: str) -> Part:
    return Part(
        Role.READING,
        "any size of that order",
        r"Read as: every $m$ of the order $\frac{1}{\varepsilon^2\alpha^2}\log\frac1\beta$ will do. That is false: $m "
        r"= 1$ is of that order.",
        (
            counterexample(
                "one_user",
                text,
                le(error, beta),
                {**_ONE_USER, **value},
                hypotheses=(_OF_THAT_ORDER,),
                lines=(line, r"m = 1 &\le 16\log 2 = \tfrac{1}{\varepsilon^2\alpha^2}\log\tfrac1\beta"),
            ),
        ),
        formal=symbolic(gt(error, beta), _OF_THAT_ORDER, where=_ONE_USER),
        holds=False,
    )


def _every_failure(title: str) -> Part:
    below, constant = sp.symbols("h C", positive=True)
    order = constant * sp.log(1 / beta) / (epsilon * alpha) ** 2
    return Part(
        Role.READING,
        title,
        r"Read as: $\max(m_1,m_2,m_3) \le \frac{C}{\varepsilon^2\alpha^2}\log\frac1\beta$ with one $C$ for all $0 < "
        r"\beta < 1$. That is false.",
        (
            found(
                "unbounded",
                r"As $\beta\delta_3 < 1$, $m_1$ is at least $\frac{\log 2}{2\alpha^2(1-\delta_1)^2}$, and "
                r"$\log\frac1\beta$ tends to $0$ as $\beta \to 1$ from below.",
                "the limit of log(2)/log(1/(1 - h)) for h to 0 from above, where beta is 1 - h",
                lambda: sp.limit(sp.log(2) / sp.log(1 / (1 - below)), below, 0, "+"),
                sp.oo,
                engine="sympy",
                lines=(r"\lim_{\beta\to 1} \frac{\log 2}{\log(1/\beta)} &= \infty",),
            ),
            counterexample(
                "constant_44",
                r"For instance, the constant $C = 44$ that suffices for $\beta \le \frac12$ does not for $\beta = "
                r"0.999$, with $\varepsilon = \frac12$ and $\alpha = 1$, whatever the shares are.",
                le(sp.log(2) / (2 * alpha**2), order),
                {constant: sp.Integer(44), epsilon: _half, alpha: sp.Integer(1), beta: sp.Rational(999, 1000)},
                lines=(r"\frac{\log 2}{2\alpha^2} > \tfrac{3}{10} &> 44 \cdot 4 \log\tfrac{1000}{999}",),
            ),
        ),
        formal=symbolic(
            gt(accuracy_terms("dwork").sizes[0], order),
            given=(delta_1 < 1, delta_3 < 1),
            where={beta: sp.exp(-(epsilon**2) / (5 * constant))},
        ),
        holds=False,
    )


_INDEPENDENT_BITS = r"independence of the bits given the density"
_UP_TO_HALF = (_EPS > 0, _half >= _EPS)
_FAIR_ROWS: tuple[_Row, _Row] = (
    ("near_one", _NEAR_ONE, sp.Integer(12), _UP_TO_HALF, {_EPS: _half}, _half),
    ("halves", _HALVES, sp.Integer(128), (_EPS > 0, _EPS <= 2), {_EPS: sp.Integer(2)}, sp.Integer(2)),
)


# The estimator with a fair first bit.


def dwork_accuracy() -> Claim:
    """The three bounds, the three sizes, and sizes that suffice."""
    error = sp.Symbol(r"P(|\tilde{d}| \ge \frac{1}{2})")
    # One fair bit, nobody appears: the output is 2/epsilon or -2/epsilon, plus noise.
    near, far = (laplace_tail(1 / (epsilon * m), 2 / epsilon + sign * alpha, sides=1) for sign in (-1, 1))
    return Claim(
        id="density.dwork_accuracy",
        title="Accuracy of the estimator with a fair first bit",
        references=(
            Reference(
                "paper",
                "Theorem 3.3, section 3, and its proof in appendix A",
                r"one text of the paper has $\frac13$ for $\frac18$ in the section; another has $\frac18$ in both "
                r"places",
            ),
            Reference("thesis", "Theorem 4.3, section 4.2.2", "has only the proof of the paper's appendix"),
        ),
        statement=r"If $m = O\left(\frac{1}{\varepsilon^2\alpha^2}\log\frac1\beta\right)$ users are sampled, then "
        r"$P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$. For $\delta_1, \delta_2 \in (0,1)$ the probability is "
        r"at most $p_1 + p_2 + p_3$, where $p_1 \le 2e^{-2m\alpha^2(1-\delta_1)^2}$, as a bound for independent draws; "
        r"$p_2 \le 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}$; "
        r"$p_3 = e^{-\varepsilon\alpha m\delta_1\delta_2}$; and $p_1 \le \delta_3\beta \iff m \ge m_1$, "
        r"$p_2 \le \delta_4\beta \iff m \ge m_2$, $p_3 \le (1-\delta_3-\delta_4)\beta \iff m \ge m_3$. "
        r"In the proof: given $d(\mathcal{S}_M)$ the bits are independent.",
        notation=(
            ("$b_1$, $b_2$", "bits of the two users of the sample"),
            (r"$d_{\min}$", "lower bound of the densities"),
            _RATES,
            _THRESHOLD,
        ),
        hypotheses=(r"$0 < \varepsilon \le \frac12$", *_HYPOTHESES),
        silent=(
            _SILENT,
            r"$0 < \alpha \le 1$ and $0 < \beta < 1$; $\log\frac1\beta$ vanishes as $\beta \to 1$, the sizes do not",
            r"each bit is drawn with fresh randomness: given the sample the bits are independent",
        ),
        in_words=_BITS_IN_WORDS,
        uses=("density.union_lemma", "lemma.hoeffding", "lemma.hoeffding_without_replacement"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the three bounds, with the appendix's constant",
                r"For all $\delta_1, \delta_2 \in (0,1)$: $P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le p_1+p_2+p_3$, "
                r"$p_1 \le 2e^{-2m\alpha^2(1-\delta_1)^2}$, "
                r"$p_2 \le 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}$ and "
                r"$p_3 = e^{-\varepsilon\alpha m\delta_1\delta_2}$. With the mean $\hat d$ of the bits and the noise "
                r"$\Lambda$, $p_1 = P(|d(\mathcal{S}_M) - d(\mathcal{S})| \ge \alpha(1-\delta_1))$, $p_2 = P(|\hat d - "
                r"E[\hat d \mid M]| \ge \frac\varepsilon4 \alpha\delta_1(1-\delta_2))$ and $p_3 = P(|\Lambda| \ge "
                r"\alpha\delta_1\delta_2)$; below, $P = P(|\tilde d - d(\mathcal{S})| \ge \alpha)$, and Hoeffding's "
                r"inequalities give $p_1 \le 2e^{-2ms^2}$ and $p_2 \le 2e^{-2ms^2}$ at two thresholds $s$.",
                (*_split(_FAIR), *_bounds(_FAIR)),
                formal=(
                    *_stated_bounds(_FAIR),
                    *stated_total("dwork", *sp.symbols("P p_3", nonnegative=True)),
                ),
            ),
            _dependent_draws(),
            _given_density(
                _FAIR,
                _INDEPENDENT_BITS,
                r"Given $d(\mathcal{S}_M)$ the bits are not independent, although each is drawn with fresh randomness. "
                r"The distribution of a bit depends on the user in that place of the sample, and the users in two "
                r"places are not independent given $d(\mathcal{S}_M)$.",
                r"With $\varepsilon = \frac12$ the bits are one with probability $\frac12$ and $\frac58$.",
                Fraction(1, 2),
                Fraction(5, 8),
            ),
            _given_sample(
                _FAIR,
                "independence given the sample",
                r"Given the sample the bits are independent. So the bound on $p_2$ holds given the sample. The "
                r"probability given $d(\mathcal{S}_M)$ is an average over samples, and has the same bound.",
            ),
            _fair_letter(),
            equivalences(
                _FAIR,
                "the equivalences, and sizes that suffice",
                r"In our reading the equivalences are about the bounds on $p_1$, $p_2$ and $p_3$, not about the "
                r"probabilities. Each bound is at most its share of $\beta$ if and only if $m \ge m_i$. So $m \ge "
                r"m_1$ implies $p_1 \le \delta_3\beta$, $m \ge m_2$ implies $p_2 \le \delta_4\beta$, $m \ge m_3$ is "
                r"equivalent to $p_3 \le (1-\delta_3-\delta_4)\beta$, and $\max(m_1,m_2,m_3) \le m \le U$ to be "
                r"sampled implies $P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$.",
            ),
            _explicit(
                _FAIR,
                "an explicit size",
                r"For $0 < \varepsilon \le \frac12$, $0 < \alpha \le 1$ and $0 < \beta < 1$ it suffices that "
                r"$\frac{12}{\varepsilon^2\alpha^2}\log\frac6\beta \le m \le U$: then $m$ is at least $m_1$, $m_2$ and "
                r"$m_3$ at $\delta_1 = \frac89$, $\delta_2 = \frac{1}{20}$, $\delta_3 = \delta_4 = \frac13$. For $0 < "
                r"\varepsilon \le 2$ it suffices that $\frac{128}{\varepsilon^2\alpha^2}\log\frac6\beta \le m \le U$: "
                r"then $m$ is at least these sizes at $\delta_1 = \delta_2 = \frac12$.",
                *_FAIR_ROWS,
            ),
            *_multiplicative(),
            _any_size(
                r"One user is sampled and nobody appears; $\varepsilon = \alpha = \beta = \frac12$. The output is $\pm "
                r"4$ plus noise of scale $2$, and is within $\frac12$ of $0$ with probability $\frac12(e^{-7/4} - "
                r"e^{-9/4})$.",
                error,
                {error: (1 - (near - far)).subs(_ONE_USER)},
                r"P(|\tilde d| \ge \tfrac12) = 1 - \tfrac12(e^{-7/4} - e^{-9/4}) &> \tfrac{9}{10} > \tfrac12 = \beta",
            ),
            _every_failure("the order for every failure probability"),
            _small_beta(
                r"Read so for $0 < \beta \le \frac12$ it is true: "
                r"$m \ge \frac{44}{\varepsilon^2\alpha^2}\log\frac1\beta$ suffices for $\varepsilon \le \frac12$, "
                r"$\alpha \le 1$.",
                sp.Integer(12),
                44,
            ),
        ),
        remark=r"Without sampling, $m = U$, there is no $p_1$, and one may take $\delta_1 = 1$.",
    )


def _dependent_draws() -> Part:
    joint, single = sp.symbols("P_both P_one")
    # U = 2, one of them has appeared, both are drawn.
    values = hypergeometric(2, 1, 2).get(2, Fraction(0)), hypergeometric(2, 1, 1)[1]
    return derived(
        Role.COUNTEREXAMPLE,
        "independence of the draws",
        r"The users are drawn without replacement, so that the draws are not independent. A bound for independent "
        r"draws does not apply to $p_1$. The printed bound on $p_1$ is true all the same, by Hoeffding's inequality "
        r"for sampling without replacement.",
        counterexample(
            "dependent_draws",
            r"Of $U = 2$ users one has appeared, and $m = 2$. Let $X_i = 1$ if the user of the $i$-th draw has "
            r"appeared. Both are $1$ with probability $P_{\mathrm{both}} = 0$, and each is $1$ with probability "
            r"$P_{\mathrm{one}} = \frac12$.",
            eq(joint, single**2),
            dict(zip((joint, single), map(sp.Rational, values), strict=True)),
        ),
    )


def _fair_letter() -> Part:
    sampled = sp.Symbol(r"P(|d(\mathcal{S}_M) - d(\mathcal{S})| \ge \frac{1}{20})")
    bits = sp.Symbol(r"P(|\hat{d} - E[\hat{d}]| \ge \frac{1}{64})")
    all_sampled = {m: 10, alpha: sp.Rational(1, 10), beta: _half, delta_1: _half, delta_3: _third}
    two = {m: 2, epsilon: _half, alpha: _half, beta: sp.Rational(3, 4), **_HALVES, delta_4: sp.Rational(2, 3)}
    threshold = 2 * accuracy_terms("dwork").thresholds[1].subs(two)
    tails = (
        two_sided_tail(hypergeometric(10, 5, 10), Fraction(5), Fraction(10, 20)),
        two_sided_tail(poisson_binomial([Fraction(1, 2)] * 2), Fraction(1), Fraction(threshold.p, threshold.q)),
    )
    return _to_the_letter(
        "the first two equivalences, to the letter",
        r"Let $p_1$ and $p_2$ be the probabilities themselves. Then the first two equivalences are false: $p_1 \le "
        r"\delta_3\beta$ does not imply $m \ge m_1$, and $p_2 \le \delta_4\beta$ does not imply $m \ge m_2$.",
        (
            "everybody_is_sampled",
            r"All of $U = m = 10$ users are sampled, half of which have appeared; $\alpha = \frac{1}{10}$, "
            r"$\beta = \delta_1 = \frac12$, $\delta_3 = \frac13$.",
            (sampled, GOALS[0]),
            _OF_SAMPLE,
            496,
            all_sampled,
            {sampled: sp.Rational(tails[0])},
            r"p_1 = 0 \le \delta_3\beta,\quad m = 10 &< 496 < m_1",
        ),
        (
            "two_fair_bits",
            r"Two users, of which nobody appears; $\varepsilon = \alpha = \delta_1 = \delta_2 = \frac12$, "
            r"$\beta = \frac34$, $\delta_4 = \frac23$: the bits' mean is exactly $\frac12$ with probability $\frac12$.",
            (bits, GOALS[1]),
            _FAIR_SIZE,
            2800,
            two,
            {bits: sp.Rational(tails[1])},
            r"p_2 = \tfrac12 \le \delta_4\beta,\quad m = 2 &< 2800 < m_2",
        ),
    )


_error, _density, _least, _share = sp.symbols("E d d_min gamma", nonnegative=True)
_ABOVE = (le(_error, alpha), le(alpha, _share * _least), le(_least, _density))
_RELATIVE = le(_error, _share * _density)
_chance, _other = sp.symbols("P Pprime", nonnegative=True)
_factor = sp.Symbol("F", positive=True)
_TOLD_APART = (le(1 - beta, _chance), le(_chance, _factor * _other), le(_other, beta))
_FAILS_OFTEN = le(1 / (1 + _factor), beta)


def _multiplicative() -> tuple[Part, Part]:
    """A multiplicative error: for densities above a bound from the additive one, for all densities for no algorithm."""
    return (
        derived(
            Role.READING,
            "a multiplicative error, for densities above a bound",
            r"The multiplicative mechanism is named and left to its source. For densities $d \ge d_{\min}$ the theorem "
            r"with $\alpha = \gamma d_{\min}$ gives it, with $m = O(\frac{1}{\varepsilon^2 \gamma^2 d_{\min}^2} "
            r"\log\frac1\beta)$: an error of at most $\gamma d$. In the formula $E$ is the error.",
            bounded("relative", r"With probability $1 - \beta$:", _RELATIVE, *_ABOVE),
        ),
        derived(
            Role.READING,
            "a multiplicative error, for every density",
            r"No $\varepsilon$-differentially private output has an error of at most $\gamma d$, $\gamma < 1$, with "
            r"probability $1 - \beta$ for every density $d$, if $\beta < \frac{1}{1 + e^\varepsilon}$: it must be $0$ "
            r"for the empty stream, and must not be $0$ if one user appears. In the formula $P$ and $P'$ are the "
            r"probabilities of $0$ in these cases, and $F = e^\varepsilon$.",
            bounded(
                "told_apart",
                r"From $1 - \beta \le P \le F P' \le F \beta$:",
                le(_FAILS_OFTEN.lhs, _FAILS_OFTEN.rhs),
                *_TOLD_APART,
            ),
            counterexample(
                "told_apart_example",
                r"For example:",
                le(1 - beta, _factor * beta),
                {beta: sp.Rational(1, 4), _factor: sp.Integer(2)},
            ),
            only=("told_apart",),
            holds=False,
        ),
    )


# The estimator with the optimal pair.


def optbern_accuracy() -> Claim:
    """The changed bound, the sizes that suffice, and the comparison with the fair first bit."""
    rest, x = (
        sp.Symbol(r"\lim_{x \to 0} \frac{\tanh(\frac x2) - \frac x2 + \frac{x^3}{24}}{x^5}"),
        sp.Symbol("x", real=True),
    )
    known = (slope > 0, slope <= _EPS / 2)
    return Claim(
        id="density.optbern_accuracy",
        title="Accuracy of the estimator with the optimal pair",
        references=(
            Reference("paper", "Theorem 4.3, section 4.3"),
            Reference("thesis", "Theorem 4.6, section 4.3.3", "spells the proof out, with the series of the tangent"),
        ),
        statement=r"If $m = O\left(\frac{1}{\varepsilon^2\alpha^2}\log\frac1\beta\right)$ users are sampled, then "
        r"$P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$. With $t = \tanh(\varepsilon/2)$: "
        r"$p_2 \le 2e^{-2mt^2\alpha^2\delta_1^2(1-\delta_2)^2}$, and $p_2 \le \delta_4\beta$ just for $m \ge m_2 = "
        r"\frac{\log(2/(\beta\delta_4))}{2t^2\alpha^2\delta_1^2(1-\delta_2)^2}$; "
        r"$\tanh(\frac x2) = \frac x2 - \frac{x^3}{24} + O(x^5)$. The sample size is half an order of magnitude below "
        r"that of the estimator with the fair first bit.",
        notation=(
            ("$b_1$, $b_2$", "bits of the two users of the sample"),
            _RATES,
            (
                r"$m^*_{\mathrm{fair}}$, $m^*_{\mathrm{opt}}$",
                "optimal sizes of the fair first bit and of the optimal pair",
            ),
            _THRESHOLD,
        ),
        hypotheses=(r"$0 < \varepsilon \le \frac12$", *_HYPOTHESES),
        silent=(
            r"$m$ is an integer and $m \le U$",
            r"$0 < \alpha \le 1$ and $0 < \beta < 1$; the order fails as $\beta \to 1$, as for the fair first bit",
            r"accuracy and failure probability of the figure that compares the sizes are not given in what is left of "
            r"it",
        ),
        in_words=_BITS_IN_WORDS,
        uses=(
            "density.union_lemma",
            "density.dwork_accuracy",
            "density.optimal_sample_size",
            "lemma.hoeffding",
            "lemma.hoeffding_without_replacement",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the bound on the cells",
                r"$p_2 \le 2e^{-2mt^2\alpha^2\delta_1^2(1-\delta_2)^2}$; $p_1$ and $p_3$ are bounded as before.",
                (*_split(OPTIMAL), *_bounds(OPTIMAL)),
                formal=_stated_bounds(OPTIMAL),
            ),
            _given_density(
                OPTIMAL,
                _INDEPENDENT_BITS,
                r"The proof takes over the remark that the bits are independent given $d(\mathcal{S}_M)$. They are "
                r"not.",
                r"With $e^\varepsilon = \frac32$ the bits are one with probability $\frac25$ and $\frac35$.",
                Fraction(2, 5),
                Fraction(3, 5),
            ),
            _given_sample(
                OPTIMAL,
                "independence given the sample",
                r"Given the sample the bits are independent; so the bound on $p_2$ holds given the sample, and with it "
                r"the displayed bound given $d(\mathcal{S}_M)$.",
            ),
            _optimal_letter(),
            equivalences(
                OPTIMAL,
                "the equivalence, and sizes that suffice",
                r"In our reading the equivalence is about the bound on $p_2$, not about $p_2$: the bound is at most "
                r"$\delta_4\beta$ if and only if $m \ge m_2$. With the same for $p_1$ and $p_3$, "
                r"$\max(m_1,m_2,m_3) \le m \le U$ implies $P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$.",
            ),
            _explicit(
                OPTIMAL,
                "an explicit size",
                r"For $0 < \varepsilon \le \frac12$, $0 < \alpha \le 1$ and $0 < \beta < 1$ it suffices that "
                r"$\frac{11}{10\,t^2\alpha^2}\log\frac6\beta \le m \le U$; for every $\varepsilon > 0$ it suffices "
                r"that $\frac{8}{t^2\alpha^2}\log\frac6\beta \le m \le U$. Then $m$ is at least $m_1$, $m_2$ and $m_3$ "
                r"at $\delta_3 = \delta_4 = \frac13$ and $\delta_1 = \frac45$, $\delta_2 = \frac{3}{20}$, or "
                r"$\delta_1 = \delta_2 = \frac12$.",
                (
                    "near_one",
                    _CLOSE,
                    sp.Rational(11, 10),
                    (*known, _half >= _EPS),
                    {_EPS: _half, slope: _half / 2},
                    _half,
                ),
                ("halves", _HALVES, sp.Integer(8), (*known, slope < 1), {_EPS: sp.Integer(2), slope: sp.S.One}, sp.oo),
            ),
            _optimal_order(),
            Part(
                Role.PUBLISHED,
                "the series of the tangent",
                r"$\tanh(\frac x2) = \frac x2 - \frac{x^3}{24} + O(x^5)$.",
                (
                    equal(
                        "series",
                        r"The rest after the Taylor polynomial of degree $4$, over $x^5$, has a limit, so that it is "
                        r"$O(x^5)$.",
                        rest.name,
                        lambda: sp.limit((sp.tanh(x / 2) - x / 2 + x**3 / 24) / x**5, x, 0),
                        sp.Rational(1, 240),
                    ),
                ),
                formal=symbolic(eq(rest, sp.Rational(1, 240))),
            ),
            derived(
                Role.READING,
                "half an order of magnitude, as a rounded figure",
                r"At all certified sizes and in the limit the factor is between $10^{1/4}$ and $10^{3/4}$, so that to "
                r"the nearest half order the comparison is true. At equal shares the sizes $m_2$ are in the ratio "
                r"$16t^2/\varepsilon^2$, which decreases from $4$, its limit at $\varepsilon \to 0$, to $3.83\ldots$ "
                r"at $\varepsilon = \frac12$: $0.60$ to $0.58$ orders of magnitude. The optimal sizes $m^*$ for "
                r"$\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$ are in a ratio from $3.8\ldots$ at $\varepsilon = "
                r"\frac{1}{20}$ to $2.9\ldots$ at $\varepsilon = \frac12$: $0.58$ to $0.47$ orders; as $\varepsilon "
                r"\to 0$ their ratio tends to $4$ as well. In the formulas $m^*_1$ and $m^*_2$ are the optimal sizes "
                r"of the fair first bit and of the optimal pair, $L = \log \frac1\beta$, and $q \to 0$ is a share "
                r"that follows $\varepsilon$.",
                *_ratio_of_sizes(),
                *_ratio_of_optimal_sizes(),
            ),
        ),
    )


def _tangent() -> Step:
    return lemma(
        "tangent",
        r"For $y \ge 0$, $\tanh y \le y$; so $t \le \varepsilon/2$.",
        next(one for one in analytic_lemmas() if "tanh" in one.name),
        (r"0 < t &\le \varepsilon/2",),
    )


def _optimal_letter() -> Part:
    probability = sp.Symbol("p_2")
    budget = sp.log(sp.Rational(3, 2))
    at = {m: 2, epsilon: budget, alpha: _half, **_HALVES, beta: sp.Rational(3, 4), delta_4: sp.Rational(2, 3)}
    before, after = (Fraction(str(sp.nsimplify(one.subs(epsilon, budget).rewrite(sp.exp)))) for one in PAIRS["optimal"])
    threshold = 2 * accuracy_terms("optimal").thresholds[1].subs(at).rewrite(sp.exp)
    tail = two_sided_tail(poisson_binomial([before, after]), before + after, Fraction(str(sp.nsimplify(threshold))))
    return _to_the_letter(
        "the equivalence, to the letter",
        r"Read of the probability itself it is false: $p_2 \le \delta_4\beta$ does not imply $m \ge m_2$.",
        (
            "one_of_two",
            r"Two users, one of which appears; $e^\varepsilon = \frac32$, so that $t = \frac15$ and the bits are one "
            r"with probability $\frac25$ and $\frac35$; $\alpha = \delta_1 = \delta_2 = \frac12$, $\beta = \frac34$, "
            r"$\delta_4 = \frac23$. The sum of the bits is exactly $1$, its expectation, with probability "
            r"$\frac{13}{25}$.",
            (probability, GOALS[1]),
            OPTIMAL.size,
            1100,
            at,
            {probability: sp.Rational(tail)},
            r"p_2 = \tfrac{12}{25} \le \tfrac12 = \delta_4\beta,\quad m = 2 &< 1100 < m_2",
        ),
    )


def _optimal_order() -> Part:
    """``t >= 0.489 epsilon`` up to one half, so that the explicit size is of the order in epsilon."""
    least = sp.Rational(489, 1000)
    factor = sp.Rational(11, 10) / least**2
    return _small_beta(
        r"For $\beta \le \frac12$, $\varepsilon \le \frac12$ and $\alpha \le 1$ it suffices that "
        r"$m \ge \frac{17}{\varepsilon^2\alpha^2}\log\frac1\beta$.",
        factor,
        17,
        compared(
            "slope_at_half",
            r"As is shown below, $t/\varepsilon$ decreases; so it is at least its value at $\varepsilon = \frac12$:",
            gt(2 * sp.tanh(sp.Rational(1, 4)), least),
            lines=(r"t/\varepsilon \ge 2\tanh\tfrac14 &> \tfrac{489}{1000}",),
        ),
        below_on_box(
            "slope_below_half",
            r"Balls show it from $\frac{3}{10}$ on; below, $e^\varepsilon > 1 + \varepsilon + \frac{\varepsilon^2}{2}$ "
            r"suffices.",
            least * epsilon,
            _tanh,
            {epsilon: (sp.Rational(3, 10), _half)},
            closest={epsilon: _half},
            weaker=sp.Rational(99, 100),
        ),
        formal=(
            *symbolic(ge(_tanh, least * epsilon), given=(epsilon <= _half,)),
            *symbolic(
                le(sp.Rational(11, 10) / (t * alpha) ** 2, factor / (epsilon * alpha) ** 2),
                given=(ge(t, least * epsilon),),
            ),
        ),
    )


_FAIR_M, _BEST_M = sp.symbols("m_1^* m_2^*", positive=True, integer=True)
"""Optimal sizes of the fair first bit and of the optimal pair."""
_ABOVE_SINH = sp.sinh(epsilon) - epsilon
_SLOPE = -16 * _tanh * _ABOVE_SINH / (epsilon**3 * sp.cosh(epsilon / 2) ** 2)
_ORDERS = (
    ((16 * _tanh**2 / epsilon**2).subs(epsilon, _half), sp.Rational(383, 100), sp.Rational(384, 100), 584),
    (sp.Integer(4), sp.Rational(39, 10), sp.Rational(41, 10), 602),
)
"""The ratio at the end of the range and at 0, with bounds, and its order of magnitude in thousandths."""
_AT_THE_ENDS = ((0, sp.Rational(38, 10), sp.Rational(39, 10), 582), (-1, sp.Rational(29, 10), sp.Integer(3), 465))
"""The places of the two ends of the table, with bounds of the ratio, and its order of magnitude in thousandths."""
_LIMIT = 2 * (sp.log(2) + LOGARITHM) / alpha**2


def _between(ratio: sp.Expr, *pairs: tuple[sp.Expr, sp.Expr]) -> tuple[Relational, ...]:
    return tuple(one for low, high in pairs for one in (gt(ratio, low), lt(ratio, high)))


def _of_order(ratio: sp.Expr, low: sp.Expr, high: sp.Expr, order: int) -> tuple[Relational, ...]:
    """That a ratio has bounds, and that its logarithm to the base 10 is this number of thousandths, cut off."""
    first, last = (sp.Integer(10) ** sp.Rational(order + more, 1000) for more in (0, 1))
    return _between(ratio, (low, high), (first, last))


_WITHIN = _between(_FAIR_M / _BEST_M, (sp.Integer(10) ** sp.Rational(1, 4), sp.Integer(10) ** sp.Rational(3, 4)))


@cache
def _ratio() -> sp.Expr:
    return accuracy_terms("dwork").sizes[1] / accuracy_terms("optimal").sizes[1]


def _ratio_of_sizes() -> tuple[Step, ...]:
    """The sizes for the cells of the two pairs: their ratio, its limit and its monotony."""
    return (
        lemma(
            "ratio_of_sizes",
            r"Divide the two sizes for the cells at equal shares. The limit of the ratio:",
            tends_to("ratio_of_sizes", _ratio(), epsilon, sp.S.Zero, sp.Integer(4)),
            lines=(r"\lim_{\varepsilon \to 0} 16t^2/\varepsilon^2 &= 4",),
        ),
        lemma(
            "decreasing_slope",
            r"It decreases with the ratio of $t$ to $\varepsilon$, whose derivative has the sign of "
            r"$\varepsilon - \sinh\varepsilon$:",
            derivative_is("decreasing_slope", _ratio(), epsilon, _SLOPE),
            lines=(
                r"\frac{d}{d\varepsilon}\frac{t}{\varepsilon} &= "
                r"\frac{\varepsilon - \sinh\varepsilon}{2\varepsilon^2\cosh^2(\varepsilon/2)}",
            ),
        ),
        lemma(
            "sinh_grows",
            r"The difference $\sinh\varepsilon - \varepsilon$ vanishes at $0$, and grows:",
            positive_for_positive(
                "sinh_grows",
                epsilon,
                (_ABOVE_SINH, sp.cosh(epsilon) - 1, sp.sinh(epsilon)),
                (sp.S.One, sp.S.One),
            ),
            lines=(r"\frac{d}{d\varepsilon}(\sinh\varepsilon - \varepsilon) &= \cosh\varepsilon - 1 > 0",),
        ),
        compared(
            "ratio_at_half",
            r"At the end of the range, and at $0$:",
            *(relation for one in _ORDERS for relation in _of_order(*one)),
            lines=(r"10^{0.58} < 16t^2/\varepsilon^2 &\le 4 < 10^{0.61}",),
        ),
    )


@cache
def _sizes() -> list[dict[sp.Symbol, sp.Expr]]:
    """The budgets of the table with both optimal sizes."""
    return [
        {
            epsilon: sp.sympify(eps),
            **{
                name: sp.Integer(sample_size(eps, ACCURACY, FAILURE, pair).size)
                for name, pair in zip((_FAIR_M, _BEST_M), PAIRS, strict=True)
            },
        }
        for eps in BUDGETS
    ]


def _ratio_of_optimal_sizes() -> tuple[Step, ...]:
    """The ratio of the certified optimal sizes, and of their limits."""
    name, sizes, ratio = "ratio_of_optimal_sizes", _sizes(), _FAIR_M / _BEST_M
    within = [
        related_in_every_case(
            f"{name}.within.{number}",
            "the ratio at each budget",
            relation,
            sizes,
            mutant=relation.func(ratio, 3, evaluate=False),
            parameters=(epsilon, _FAIR_M, _BEST_M),
        )
        for number, relation in enumerate(_WITHIN)
    ]
    ends = [
        comparison(f"{name}.end.{place}.{number}", relation, sizes[place])
        for place, *bounds in _AT_THE_ENDS
        for number, relation in enumerate(_of_order(ratio, *bounds))
    ]
    return (
        lemma(
            name,
            r"Both optimal sizes of density.optimal\_sample\_size, for six budgets with $\alpha = \frac{1}{10}$, "
            r"$\beta = \frac{1}{20}$:",
            (*within, *ends),
            lines=(
                r"10^{1/4} < 10^{0.46} < m^*_{\mathrm{fair}}/m^*_{\mathrm{opt}} &< 10^{0.59} < 10^{3/4}",
                *(
                    rf"\varepsilon = {float(one[epsilon]):g}:\quad m^*_{{\mathrm{{fair}}}}/m^*_{{\mathrm{{opt}}}} = "
                    rf"{one[_FAIR_M]}/{one[_BEST_M]} &= "
                    rf"{floor_to(Fraction(int(one[_FAIR_M]), int(one[_BEST_M])), 2)}\ldots"
                    for one in sizes
                ),
            ),
        ),
        lemma(
            "ratio_of_limits",
            r"As $\varepsilon \to 0$, $\varepsilon^2 m^*$ tends to its lower bound for either pair "
            r"(density.optimal\_sample\_size), and the two limits are in the ratio $8 : 2$.",
            tends_to(
                "ratio_of_limits.floor",
                epsilon**2 * floor("optimal"),
                epsilon,
                sp.S.Zero,
                _LIMIT,
                at={alpha: ACCURACY, LOGARITHM: 1},
            ),
            (
                r"\varepsilon^2 m^*_{\mathrm{fair}} \to \tfrac{8}{\alpha^2} \log \tfrac2\beta,\quad "
                r"\varepsilon^2 m^*_{\mathrm{opt}} &\to \tfrac{2}{\alpha^2} \log \tfrac2\beta",
            ),
        ),
    )


# The estimator with Laplace cells.


def _laplace_cells() -> sp.Expr:
    """The bound for the sum of Laplace cells, twice its tail in the quadratic range."""
    quadratic, _ = tail_bound(m * epsilon * scale * _CELLS_SHARE, 2 * scale * sp.sqrt(m), sp.sqrt(2) * scale)
    return 2 * quadratic


def three_bounds() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The bounds on the three probabilities: of the sample, of the cells, of the noise."""
    terms = accuracy_terms("dwork")
    return terms.sampling, _laplace_cells(), terms.noise


@cache
def _one_cell_error() -> sp.Expr:
    """The probability of an error of alpha for one user who does not appear."""
    start = sp.Symbol("c", positive=True)
    # Cell and noise have one scale: the density of their sum above its centre, integrated over both tails.
    tail = sp.simplify(2 * sp.integrate(sp.expand(redrawn_density()), (height, start, sp.oo)))
    return tail.subs({start: alpha, unit: 1 / epsilon})


def laplace_accuracy() -> Claim:
    """The three bounds, the sizes, and sizes that suffice."""
    # One cell: its deviation has the tail of a Laplace variable of scale b.
    tail = laplace_tail(scale, epsilon * scale * _CELLS_SHARE)
    one_cell = {epsilon: _half, alpha: sp.Integer(1), **_HALVES, m: sp.Integer(1), scale: sp.Integer(1)}
    one_cell |= {beta: sp.Rational(99, 100), delta_4: sp.Rational(91, 100)}
    return Claim(
        id="thesis.laplace_accuracy",
        title="Accuracy of the Laplace density estimator",
        references=(Reference("thesis", "Theorem 4.9, section 4.4.2"),),
        statement=r"If $m = O\left(\frac{1}{\varepsilon^2 \alpha^2} \log \frac1\beta\right)$ users are sampled, then "
        r"$P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$. The probability is at most $p_1 + p_2 + p_3$ with "
        r"$p_1 \le 2 e^{-2 m \alpha^2 (1-\delta_1)^2}$, $p_2 \le 2 e^{-\frac18 m \varepsilon^2 \alpha^2 \delta_1^2 "
        r"(1-\delta_2)^2}$ for $\alpha < 4$ and $p_3 \le e^{-\varepsilon \alpha m \delta_1 \delta_2}$; $p_2 \le "
        r"\delta_4 \beta \iff m \ge m_2$; the bound is the same as for Algorithm 4.1, constants included.",
        notation=(
            (r"$B_{\mathrm{bits}}$", r"the bound on $p_2$ for bits with the gap $\frac\varepsilon4$"),
            ("$x_1$, $x_2$; $b_1$, $b_2$", "cells of the two users of the sample"),
            _RATES,
            ("$c$", r"a factor of a bound $c\,e^{-rm}$"),
        ),
        hypotheses=(
            r"$0 < \varepsilon \le \frac12$, $\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = \varepsilon b$",
            *_HYPOTHESES,
        ),
        silent=(
            _SILENT,
            r"$0 < \alpha \le 1$ and $0 < \beta < 1$",
            r"each cell is drawn with fresh randomness: given the sample the cells are independent",
        ),
        in_words=_in_words("each cell is drawn with fresh noise, so that the cells", "the tail of the sum of cells"),
        uses=("density.union_lemma", "lemma.hoeffding_without_replacement", "lemma.laplace_sum_tail"),
        parts=(
            _laplace_bounds(),
            Part(
                Role.PUBLISHED,
                "the same bound as for bits with the gap epsilon/4",
                r"All three bounds, and so the sizes and the optimal shares, are those of Algorithm 4.1.",
                (
                    equal(
                        "same_as_coin",
                        r"Hoeffding's bound for the mean of bits with the gap $\varepsilon/4$, at the cells' share of "
                        r"the accuracy, is the bound for the Laplace cells. The other two bounds do not depend on the "
                        r"cells.",
                        r"B_{\mathrm{bits}}",
                        lambda: accuracy_terms("dwork").cells,
                        _laplace_cells,
                    ),
                ),
                formal=symbolic(eq(sp.Symbol("B_bits"), _laplace_cells())),
            ),
            _given_density(
                _LAPLACE,
                "the sum of the cells given the density",
                r"Lemma 4.6 is applied given $d(\mathcal{S}_M)$. But given the density alone the cells are not "
                r"independent.",
                r"With $\mu_{\mathrm{init}} = 0$, $b = 1$ and $\varepsilon = \frac12$ the cells have the means $0$ and "
                r"$\frac12$.",
                Fraction(0),
                Fraction(1, 2),
            ),
            _given_sample(
                _LAPLACE,
                "the sum of the cells given the sample",
                r"Given the sample they are independent Laplace variables; so the bound on $p_2$ holds given the "
                r"sample, and with it the displayed bound given $d(\mathcal{S}_M)$.",
            ),
            _to_the_letter(
                "the equivalence for the cells, to the letter",
                r"Read of the probability itself it is false: $p_2 \le \delta_4 \beta$ does not imply $m \ge m_2$.",
                (
                    "one_cell",
                    r"One cell, $m = 1$, with $\varepsilon = \delta_1 = \delta_2 = \frac12$, $\alpha = 1$, $\beta = "
                    r"0.99$, $\delta_4 = 0.91$: the probability is below its share long before $m_2$.",
                    (tail, GOALS[1]),
                    _FAIR_SIZE,
                    408,
                    one_cell,
                    {},
                    r"p_2 = e^{-1/8} = 0.882\ldots \le 0.9009 = \delta_4 \beta,\quad m = 1 &< 408 < m_2",
                ),
            ),
            equivalences(
                _LAPLACE,
                "the equivalence, and sizes that suffice",
                r"In our reading the equivalence is about the bound on $p_2$, not about $p_2$: the bound is at most "
                r"$\delta_4 \beta$ if and only if $m \ge m_2$. With the same for $p_1$ and $p_3$, $\max(m_1, m_2, "
                r"m_3) \le m \le U$ implies $P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \beta$.",
            ),
            _explicit(
                _LAPLACE,
                "explicit sizes",
                r"For $0 < \varepsilon \le \frac12$, $0 < \alpha \le 1$, $0 < \beta < 1$ it suffices that "
                r"$\frac{128}{\varepsilon^2 \alpha^2} \log \frac6\beta \le m \le U$ (all shares equal), and even that "
                r"$\frac{12}{\varepsilon^2 \alpha^2} \log \frac6\beta \le m \le U$ ($\delta_1 = \frac89$, $\delta_2 = "
                r"\frac{1}{20}$): $m$ is then at least $m_1$, $m_2$ and $m_3$.",
                *_FAIR_ROWS,
            ),
            _any_size(
                r"One user, $U = m = 1$, who does not appear; $\varepsilon = \alpha = \beta = \frac12$. The output is "
                r"a cell plus noise, both of scale $1/\varepsilon = 2$, and $P(|\tilde d| \ge \alpha) = (1 + \tfrac12 "
                r"\varepsilon \alpha) e^{-\varepsilon \alpha}$.",
                _one_cell_error(),
                {},
                r"P(|\tilde d| \ge \tfrac12) = \tfrac98 e^{-1/4} = 0.876\ldots &> \tfrac12 = \beta",
            ),
            _every_failure("the order of the sizes for every failure probability"),
            _small_beta(
                r"For $0 < \beta \le \frac12$ it is true: $m \ge \frac{44}{\varepsilon^2 \alpha^2} \log \frac1\beta$ "
                r"suffices.",
                sp.Integer(12),
                44,
            ),
        ),
        remark=r"The thesis derives the bound on $p_2$ from its Lemma 4.6, whose printed proof rests on a false "
        r"lemma; the factor 2 that it writes here is the one missing there.",
    )


def _laplace_bounds() -> Part:
    eps, accuracy, first, second, width, size = sp.symbols("epsilon alpha delta_1 delta_2 b m", real=True)
    shares = (first > 0, first < 1, second > 0, second < 1)
    deviation = sp.Symbol("a", real=True)
    quadratic = sp.exp(-(deviation**2) / (8 * scale**2 * m))
    tail, is_deviation = _TAILS[1], m * epsilon * scale * _CELLS_SHARE
    return Part(
        Role.PUBLISHED,
        "the three bounds",
        r"For $\varepsilon \le \frac12$ and $\alpha < 4$ the three bounds hold as printed; that on $p_2$ also without "
        r"its factor 2, and for all $\varepsilon \alpha \le 2 \sqrt2$. The sum of the cells has to deviate by $a = m "
        r"\varepsilon b\, \alpha \delta_1 (1 - \delta_2)$. For $a \le 2 \sqrt2\, b m$ its tail is at most "
        r"$e^{-a^2/(8 b^2 m)}$; the sample has the tail $2 e^{-2 m s^2}$ at $s = \alpha (1 - \delta_1)$.",
        (
            *_split(_LAPLACE),
            bounded(
                "quadratic_range",
                r"Given the sample, the sum of the cells must deviate by $m \varepsilon b\, \alpha \delta_1 (1 - "
                r"\delta_2)$. For $\varepsilon \le \frac12$ and $\alpha < 4$ this is less than $2 b m$, and so below "
                r"the border $2 \sqrt2\, b m$ of the quadratic branch. The same is true whenever $\varepsilon \alpha "
                r"\le 2 \sqrt2$.",
                lt(size * eps * width * accuracy * first * (1 - second), 2 * width * size),
                eps > 0,
                eps <= _half,
                accuracy > 0,
                accuracy < 4,
                *shares,
                width > 0,
                size >= 1,
            ),
            *_bounds(_LAPLACE),
        ),
        formal=(
            *symbolic(
                le(_TAILS[0], _SAMPLING),
                given=(le(_TAILS[0], two_sided(m, _deviation)),),
                where={_deviation: alpha * (1 - delta_1)},
            ),
            *(
                text
                for factor in (1, 2)
                for text in symbolic(
                    le(tail, factor * _FAIR_CELLS / 2),
                    given=(le(tail, factor * quadratic),),
                    where={deviation: is_deviation},
                )
            ),
            *symbolic(
                le(deviation, 2 * sp.sqrt(2) * scale * m),
                given=(le(epsilon * alpha, 2 * sp.sqrt(2)), delta_1 < 1, delta_2 < 1, eq(deviation, is_deviation)),
            ),
            *symbolic(eq(_noise_tail, _NOISE)),
        ),
    )


CLAIMS = {
    "density.dwork_accuracy": dwork_accuracy,
    "density.optbern_accuracy": optbern_accuracy,
    "thesis.laplace_accuracy": laplace_accuracy,
}
