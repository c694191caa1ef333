"""The tightest of the paper's bounds on the probability of error, as the minimum over two shares."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from pan_proofs.density.lemmas.accuracy_terms import (
    BOX,
    CLOSED,
    FIRST,
    NAMES,
    OF_PAIR,
    PAIRS,
    SECOND,
    Minimum,
    accuracy_terms,
    bounds_of,
    cells_alone,
    closed_square,
    in_the_square,
    plain,
    rate,
    stated_cells_alone,
    stated_total,
    tightest_beta,
    total_bound,
    widest_cells,
)
from pan_proofs.engines.computations import of_one_sign
from pan_proofs.engines.exponentials import falling_sum
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import derivative_is
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.quantities import one_of, related_in_every_case
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import ceiling_to, floor_to
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, epsilon, m, t, tex
from pan_proofs.ledger.steps import bounded, counterexample, equal, lemma

SIZE = 5000
"""The size of the sample in the experiments on the probability of error."""
BUDGETS = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 2))
"""Budgets at which the minimum is enclosed, for ``alpha = 1/10``."""

_accuracy = Fraction(1, 10)
_EXPERIMENT = {m: sp.Integer(SIZE), alpha: sp.sympify(_accuracy)}
_error = sp.Symbol("p_error", nonnegative=True)
_objective = (
    2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2)
    + 2 * sp.exp(-m * epsilon**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2 / 8)
    + sp.exp(-epsilon * alpha * m * delta_1 * delta_2)
)
_TERMS = sp.symbols("T_1 T_2 T_3", real=True)
"""The three terms of the sum."""
_ON_AN_EDGE = (*(one >= 0 for one in _TERMS), sp.Or(_TERMS[0] >= 2, _TERMS[1] >= 2, _TERMS[2] >= 1))
_end = sp.Symbol("beta_0", positive=True)
"""An end of the enclosure of a minimum."""


def tightest() -> Claim:
    """That the minimum is a valid bound, what it is, and where it says nothing."""
    return Claim(
        id="density.tightest_beta",
        title="The tightest bound on the probability of error",
        references=(
            Reference("paper", "section 3.1, after Theorem 3.3"),
            Reference("thesis", "section 4.2.2, after Theorem 4.3"),
        ),
        statement=r"For fixed $\varepsilon$, $\alpha$, $m$ the tightest bound on $P(|\tilde d - d(\mathcal{S})| \ge "
        r"\alpha)$ is the minimum over $0 \le \delta_1, \delta_2 \le 1$ of $\beta(\delta_1, \delta_2) = "
        r"2e^{-2m\alpha^2(1-\delta_1)^2} + 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2} + "
        r"e^{-\varepsilon\alpha m\delta_1\delta_2}$.",
        notation=((r"$\beta_m$", r"the sum $\beta$ for a sample of $m$ users"),),
        hypotheses=(r"$0 < \varepsilon \le \frac12$", r"$\alpha > 0$"),
        silent=(
            r"the shares were in the open interval when the bound was derived, and are in the closed one here",
            r"$m$ is an integer and $m \le U$",
            r"tightest among the bounds of this form: the probability itself may be much smaller",
        ),
        uses=("density.union_lemma", "lemma.hoeffding", "lemma.hoeffding_without_replacement"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the minimum is a valid bound",
                r"For both estimators the probability $p_{\mathrm{error}} = P(|\tilde d - d(\mathcal{S})| \ge \alpha)$ "
                r"is at most the sum of the three terms $T_1$, $T_2$, $T_3$, for all shares in the closed square. "
                r"Within the square the terms bound $p_1$, $p_2$ and $p_3$. On each edge the first or the second term "
                r"is $2$, or the third is $1$, so that the sum is at least $1$. The sum is continuous: the minimum "
                r"exists, and it bounds the probability.",
                (*_objectives(), *_edges()),
                formal=_stated_bound(),
            ),
            Part(
                Role.PUBLISHED,
                "what the minimum is like",
                r"A minimum below $1$ is attained within the square, where the two equations below hold, for either "
                r"estimator. It decreases with $m$. The table encloses it by branch and bound for "
                rf"$m = {SIZE}$, $\alpha = \frac{{1}}{{10}}$. "
                r"In the formulas $g$ is the gap of the two probabilities, $B$ the minimum at $m + 1$, "
                r"and $\beta_0$ a printed minimum.",
                (
                    _above_one(),
                    *_stationary(),
                    _falls(),
                    *(_enclosed(pair) for pair in PAIRS),
                ),
                formal=(
                    *symbolic(*(gt(one, 0) for one in _on_edges())),
                    *_stated_stationary(),
                    *map(_stated_falling, PAIRS),
                    *(text for pair in PAIRS for text in _stated_table(pair)),
                ),
                ours=True,
            ),
            Part(
                Role.READING,
                "as a bound that says something",
                r"The minimum exceeds $1$ whenever $m \le \frac{8\log 2}{\varepsilon^2\alpha^2}$, and for the optimal "
                r"pair whenever $m \le \frac{\log 2}{2t^2\alpha^2}$. "
                rf"At $\alpha = \frac{{1}}{{10}}$ and the experiments' ${SIZE}$ users it exceeds $1$ for "
                r"$\varepsilon \le \frac15$, for both estimators.",
                (
                    *(cells_alone(f"floor_{pair}", pair) for pair in PAIRS),
                    _says_nothing(),
                    *map(_trivial, PAIRS),
                ),
                formal=tuple(text for pair in PAIRS for text in _stated_trivial(pair)),
                holds=False,
                departs="the probability itself may be much smaller",
            ),
        ),
        in_words=(
            ("edges_exceed_one", r"a continuous function on a closed square has a minimum"),
            ("slope_1", r"at a minimum within the square both derivatives vanish"),
            ("decreasing", r"the minimum at $m + 1$ is at most the value at the best shares for $m$"),
        ),
    )


def _stated_bound() -> tuple[str, ...]:
    """The bound for shares within the square, for either pair, and that the sum is at least 1 on an edge."""
    third = sp.Symbol("p_3", nonnegative=True)
    return (
        *(text for pair in PAIRS for text in stated_total(pair, _error, third)),
        *symbolic(le(1, sum(_TERMS)), given=_ON_AN_EDGE),
    )


def _objectives() -> tuple[Step, ...]:
    other = accuracy_terms("optimal")
    return (
        equal(
            "objective",
            r"For $\delta_1, \delta_2$ in the open interval density.dwork\_accuracy gives the sum of its three bounds,",
            r"\beta(\delta_1,\delta_2)",
            lambda: total_bound(accuracy_terms("dwork")),
            _objective,
            lines=(
                r"\beta(\delta_1,\delta_2) &= 2e^{-2m\alpha^2(1-\delta_1)^2} "
                r"+ 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}",
                r"&\quad + e^{-\varepsilon\alpha m\delta_1\delta_2}",
            ),
        ),
        equal(
            "objective_of_the_optimal_pair",
            r"For the optimal pair $t^2 = \tanh^2(\varepsilon/2)$ stands in the place of $\varepsilon^2/16$.",
            "",
            lambda: rate(other.cells)[1],
            rate(accuracy_terms("dwork").cells)[1] * 16 * sp.tanh(epsilon / 2) ** 2 / epsilon**2,
            lines=(r"\tfrac18\varepsilon^2 = 2 \left(\tfrac{\varepsilon}{4}\right)^2 &\to 2t^2",),
        ),
    )


def _edges() -> tuple[Step, ...]:
    """On each edge one of the three positive terms is at least 1."""
    steps = []
    for name, symbol, value, kind in (
        ("delta_1_at_1", delta_1, 1, "sampling"),
        ("delta_1_at_0", delta_1, 0, "cells"),
        ("delta_2_at_1", delta_2, 1, "cells"),
        ("delta_2_at_0", delta_2, 0, "noise"),
    ):
        term, other = (getattr(accuracy_terms(pair), kind) for pair in ("dwork", "optimal"))
        least = sp.Integer(1) if kind == "noise" else sp.Integer(2)
        steps.append(
            equal(
                name,
                rf"On the edge ${tex(symbol)} = {value}$ one term, of either estimator, is ${least}$: the sum exceeds "
                rf"$1$.",
                rf"{tex(term)}\Big|_{{{tex(symbol)} = {value}}}",
                partial(term.subs, symbol, value),
                partial(other.subs, symbol, value),
                least,
            )
        )
    steps.append(
        bounded(
            "edges_exceed_one",
            r"So at every point of the closed square the value is at least the probability; it is continuous there, "
            r"and has a minimum.",
            le(sp.Integer(1), sum(_TERMS)),
            *_ON_AN_EDGE,
            lines=r"1 &\le \beta(\delta_1, \delta_2) \quad\text{on the edges}",
        )
    )
    return tuple(steps)


def _enclosed(pair: str) -> Step:
    lows, highs, points = _table(pair)
    bound = in_the_square(pair)
    return lemma(
        f"enclosed_{pair}",
        rf"The {OF_PAIR[pair]}: the minimum; every minimiser is within $10^{{-4}}$ of the shares as printed.",
        (
            exceeds_on_box(
                f"enclosed_{pair}.low", bound, _end, BOX, lows, close=points, stronger=sp.Rational(1, 10**6)
            ),
            related_in_every_case(
                f"enclosed_{pair}.high",
                "the value at the shares as found",
                le(bound, _end),
                highs,
                mutant=le(bound, _end - sp.Rational(1, 10**6)),
                parameters=tuple(highs[0]),
            ),
            *(one for eps in BUDGETS for one in _nowhere_else(eps, pair)),
        ),
        lines=tuple(_row(eps, _minimum(eps, pair)) for eps in BUDGETS),
    )


def _nowhere_else(eps: Fraction, pair: str) -> Iterator[Obligation]:
    """On the four sides of a small square around the printed shares the bound is above the enclosure."""
    found, reach = _minimum(eps, pair), sp.Rational(1, 10**4)
    (left, right), (bottom, top) = ((one - reach, one + reach) for one in map(sp.Rational, _printed(found)))
    whole, across = (sp.S.Zero, sp.S.One), (left, right)
    for number, box in enumerate((((0, left), whole), ((right, 1), whole), (across, (0, bottom)), (across, (top, 1)))):
        ends = [tuple(map(sp.sympify, one)) for one in box]
        inside = (min(max(one, low), high) for one, (low, high) in zip(found.point.values(), ends, strict=True))
        yield exceeds_on_box(
            f"enclosed_{pair}.shares.{eps}.{number}",
            in_the_square(pair),
            sp.Rational(found.high),
            dict(zip((FIRST, SECOND), ends, strict=True)),
            [{**_EXPERIMENT, epsilon: sp.Rational(eps)}],
            close=[dict(zip((FIRST, SECOND), inside, strict=True))],
            stronger=sp.Rational(1, 10**5),
        )


def _printed(found: Minimum) -> tuple[Fraction, ...]:
    return tuple(round(share, 5) for share in found.shares)


def _table(pair: str) -> tuple[list[dict[sp.Symbol, Any]], list[dict[sp.Symbol, Any]], list[dict[sp.Symbol, Any]]]:
    """The lower and the upper ends of the table, and the shares that were found."""
    lows, highs, points = [], [], []
    for eps in BUDGETS:
        found, given = _minimum(eps, pair), {**_EXPERIMENT, epsilon: sp.sympify(eps)}
        points.append(found.point)
        lows.append({**given, _end: sp.Rational(floor_to(found.low, 7))})
        highs.append({**given, **points[-1], _end: sp.Rational(ceiling_to(found.high, 7))})
    return lows, highs, points


def _stated_table(pair: str) -> tuple[str, ...]:
    """The two ends of the enclosures, formally: below all values, and above the value at the shares that were found."""
    lows, highs, _ = _table(pair)
    bound = in_the_square(pair)
    return (
        *symbolic(gt(bound, _end), given=(*closed_square(), one_of(lows))),
        *symbolic(le(bound, _end), given=(one_of(highs),)),
    )


def _minimum(eps: Fraction, pair: str) -> Minimum:
    return tightest_beta(SIZE, eps, _accuracy, pair)


def _row(eps: Fraction, found: Minimum) -> str:
    first, second = (f"{float(share):.5f}" for share in _printed(found))
    ends = rf"{floor_to(found.low, 7)} \le \min\beta &\le {ceiling_to(found.high, 7)}"
    return rf"\varepsilon = {float(eps):g}:\quad {ends},\quad \delta_1 \approx {first},\ \delta_2 \approx {second}"


def _says_nothing() -> Step:
    floor = 8 * sp.log(2) / (epsilon * alpha) ** 2
    return counterexample(
        "experiments_below_the_floor",
        rf"For the fair first bit at $\varepsilon \le \frac15$, $\alpha = \frac{{1}}{{10}}$, ${SIZE}$ users are below "
        rf"it.",
        ge(m, floor),
        {m: SIZE, epsilon: sp.Rational(1, 5), alpha: _accuracy},
        (lt(m, 13862), lt(13862, floor)),
        lines=(rf"{SIZE} &< 13862 < \tfrac{{8\log 2}}{{\varepsilon^2\alpha^2}}",),
    )


_UP_TO = {plain[epsilon]: (sp.S.Zero, sp.Rational(1, 5))}


def _trivial(pair: str) -> Step:
    bound = in_the_square(pair).xreplace({epsilon: plain[epsilon]})
    found = _minimum(Fraction(1, 5), pair)
    at = {plain[epsilon]: sp.Rational(1, 5), **found.point}
    return lemma(
        f"trivial_{pair}",
        rf"The {OF_PAIR[pair]} for all $\varepsilon \le \frac15$, by branch and bound over the shares and "
        rf"$\varepsilon$; "
        r"at $\varepsilon = \frac15$:",
        exceeds_on_box(
            f"trivial_{pair}",
            bound,
            sp.S.One,
            {**BOX, **_UP_TO},
            (_EXPERIMENT,),
            close=(at,),
            stronger=sp.sympify(found.high) - 1 + sp.Rational(1, 100),
        ),
        lines=(rf"\min\beta \ge {floor_to(found.low, 4)} &> 1",),
    )


def _stated_trivial(pair: str) -> tuple[str, ...]:
    """Formally: a value of at most 1 asks for more users; and there is none with the users of the experiments."""
    gap = {sp.tanh(epsilon / 2): t}
    bound = in_the_square(pair).xreplace({epsilon: plain[epsilon]})
    cells = widest_cells(pair).xreplace(gap)
    size = sp.log(2) / rate(cells)[1]
    up_to = (sp.Gt(plain[epsilon], 0), sp.Le(plain[epsilon], sp.Rational(1, 5)))
    return (
        *stated_cells_alone(pair),
        *symbolic(gt(m, size), given=(lt(cells, beta), beta <= 1)),
        *symbolic(gt(bound, 1), given=(*closed_square(), *up_to, one_of([_EXPERIMENT]))),
    )


# The sum of the three bounds as a function of the shares and of the size.

_gap = sp.Symbol("g", positive=True)
_next = sp.Symbol("B", real=True)
"""A number that no value of the bound at ``m + 1`` is below, as its minimum."""


def _general() -> sp.Expr:
    """The sum of the three bounds for any gap ``g``: ``epsilon/4`` for the fair bit, ``t`` for the optimal pair."""
    return total_bound(accuracy_terms("optimal")).xreplace({sp.tanh(epsilon / 2): _gap})


def _on_edges() -> list[sp.Expr]:
    """The sum less 1 on each edge."""
    edges = ((FIRST, 0), (FIRST, 1), (SECOND, 0), (SECOND, 1))
    return [(_general().xreplace(CLOSED) - 1).subs(share, end) for share, end in edges]


def _above_one() -> Step:
    """On each edge of the square the sum is more than 1."""
    return lemma(
        "edges_again",
        r"On each edge one of the three positive terms is $1$ or $2$, for any gap $g$ of the two probabilities.",
        of_one_sign("edges_again", "the sum less 1 is positive on each edge", *_on_edges(), shown=True),
        (r"\beta(\delta_1, \delta_2) - 1 &> 0 \quad\text{on the edges}",),
    )


def _slopes() -> tuple[tuple[sp.Symbol, sp.Expr], ...]:
    sampling, cells, noise = _terms()
    across = (
        4 * m * alpha**2 * (1 - delta_1) * sampling
        - 4 * m * _gap**2 * alpha**2 * delta_1 * (1 - delta_2) ** 2 * cells
        - epsilon * alpha * m * delta_2 * noise
    )
    along = 4 * m * _gap**2 * alpha**2 * delta_1**2 * (1 - delta_2) * cells - epsilon * alpha * m * delta_1 * noise
    return (delta_1, across), (delta_2, along)


def _terms() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    terms = accuracy_terms("optimal")
    return terms.sampling, terms.cells.xreplace({sp.tanh(epsilon / 2): _gap}), terms.noise


def _stationary() -> tuple[Step, ...]:
    """The slopes along both shares."""
    lines = (
        r"0 = 4m\alpha^2(1-\delta_1)T_1 &- 4m g^2\alpha^2\delta_1(1-\delta_2)^2 T_2 - \varepsilon\alpha m\delta_2 T_3",
        r"0 = 4m g^2\alpha^2\delta_1^2(1-\delta_2)T_2 &- \varepsilon\alpha m\delta_1 T_3",
    )
    texts = (
        r"On the edges the value exceeds $1$, as above. With $T_1, T_2, T_3$ the three terms and the gap $g$, which is "
        r"$\frac\varepsilon4$ for the fair first bit and $t$ for the optimal pair, both slopes vanish at a minimum "
        r"within the square:",
        r"The other slope is",
    )
    return tuple(
        lemma(
            f"slope_{number + 1}",
            texts[number],
            derivative_is(f"slope_{number + 1}", _general(), share, slope),
            (lines[number],),
        )
        for number, (share, slope) in enumerate(_slopes())
    )


def _stated_stationary() -> tuple[str, ...]:
    """The two slopes, formally: both vanish at a minimum within the square."""
    return symbolic(
        *(eq(sp.Derivative(_general(), share), slope) for share, slope in _slopes()),
        given=(delta_1 < 1, delta_2 < 1),
    )


def _falls() -> Step:
    """The minimum falls with the size."""
    return lemma(
        "decreasing",
        r"The three rates are positive for shares within the square, so that each term $c\,e^{-rm}$ decreases in $m$. "
        r"The minimum at $m + 1$ is at most the value at the best shares for $m$, and this is less than at $m$.",
        [falling_sum(f"decreasing.{pair}", _rates(pair), m, _next) for pair in PAIRS],
        (r"\min \beta_{m + 1} \le \beta_{m + 1}(\delta_1, \delta_2) &< \beta_m(\delta_1, \delta_2) = \min \beta_m",),
    )


def _rates(pair: str) -> list[tuple[sp.Expr, Inequality]]:
    within = (delta_1 < 1, delta_2 < 1)
    found = []
    gap = {sp.tanh(epsilon / 2): t}
    for source, term in zip(NAMES, bounds_of(accuracy_terms(pair)), strict=True):
        factor, speed = rate(term)
        positive = Inequality(
            f"decreasing.{pair}.{source}",
            sp.S.Zero,
            speed.xreplace(gap),
            within,
            strict=True,
            raised=sp.S.One,
        )
        found.append((factor, positive))
    return found


def _stated_falling(pair: str) -> str:
    """That the minimum _falls, formally: a bound of the values at ``m + 1`` is less than each value at ``m``."""
    total = total_bound(accuracy_terms(pair)).xreplace({sp.tanh(epsilon / 2): t})
    (text,) = symbolic(
        lt(_next, total),
        given=(delta_1 < 1, delta_2 < 1, le(_next, total.xreplace({m: m + 1}))),
    )
    return text


CLAIMS = {"density.tightest_beta": tightest}
