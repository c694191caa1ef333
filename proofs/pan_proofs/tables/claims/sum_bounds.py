"""Lemma 3.5 of the thesis: sums of powers and logarithms of probabilities that are bounded from below."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.engines.relations import eq, ge, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes, for_every_length, over_entries
from pan_proofs.ledger.steps import bounded, compared, counterexample

_L, _ell, _missing, _total = sp.symbols("L ell Q S", real=True)
_p, _least, _ratio, _term, _bound = sp.symbols("p p_min r y Y", positive=True)
_size = sp.Symbol("d", integer=True, nonnegative=True)
_power = sp.Symbol("kappa", integer=True, positive=True)
_factor, _factor_bound = sp.symbols("z Z", nonnegative=True)
_two = sp.Integer(2)


def _square(probability: sp.Expr) -> sp.Expr:
    return (1 + sp.log(probability)) ** 2


_other_base = sp.symbols("S_10 B_10", nonnegative=True)
_E2 = sp.exp(2)
_BETWEEN = (lt(7, _E2), lt(_E2, 8))
"""The numbers ``d`` with ``1/d < exp(-2)`` are those from 8 on."""


def _in_base_ten(probability: sp.Expr) -> sp.Expr:
    return (1 + sp.log(probability) / sp.log(10)) ** 2


def sum_bounds() -> Claim:
    """All four inequalities are true."""
    return Claim(
        id="bayesnet.sum_bounds",
        title="Sums over probabilities that are bounded from below",
        references=(Reference("networks", "Lemma 3.5, section 3.4.2", "the remarks on the proof are judged as well"),),
        statement=r"Let $0 < p_{\min} \le p_i$ for the $d$ entries of a distribution. Then $\sum_i p_i^{-\kappa} \le "
        r"d\,p_{\min}^{-\kappa}$. If $p_{\min} < e^{-2}$, then $\sum_i (1+\log p_i)^2 \le d(1+\log p_{\min})^2$ and, "
        r"for $j = 1, 2$, $\sum_i |1+\log p_i|\,p_i^{-j} \le d\,|1+\log p_{\min}|\,p_{\min}^{-j}$.",
        hypotheses=(r"$0 < p_{\min} \le p_i \le 1$", r"$p_{\min} < e^{-2}$ for all inequalities but the first"),
        silent=("logarithms are natural", r"$O$ is meant for the absolute values"),
        parts=(
            derived(
                Role.PUBLISHED,
                "sums of powers",
                r"Inequality (i) holds for every $\kappa \ge 0$ and every $d$. For uniform $p$ there is equality. "
                r"In the formulas $y_i$ is a term, $Y$ the largest one, and $S$ the sum.",
                for_every_length(
                    "powers",
                    r"With $r = p_{\min}/p_i \le 1$: $r^\kappa \le 1$, by induction over $\kappa$. The product is "
                    r"written as $1 + Q$; one more factor makes it $(1+Q)\,r$.",
                    Induction(
                        "sum_bounds.powers",
                        le(_missing, 0),
                        sp.Symbol("k", nonnegative=True, integer=True),
                        (_ratio,),
                        {_missing: (1 + _missing) * _ratio - 1},
                        ((1,), (1,)),
                        conditions=(_ratio <= 1,),
                        along=(ge(_missing, -1),),
                        raised=1,
                    ),
                    lines=r"\frac{1}{p_i^\kappa} &\le \frac{1}{p_{\min}^\kappa}",
                ),
                _termwise(),
                _uniform(),
                only=("termwise",),
            ),
            Part(
                Role.PUBLISHED,
                "sums with logarithms",
                r"Inequalities (ii), (iii) and (iv) hold for every $d$, term by term, and summed. "
                r"In the formulas $y$ and $\ell$ are a power and the logarithm, and $Y$, $L$ and $Z$ "
                r"bounds; $S$ is the sum of terms $y_i$.",
                (
                    by_slopes(
                        "logarithm_rises",
                        r"The logarithm rises. So $\log p_{\min} \le \log p_i \le 0$ and $\log p_{\min} < \log e^{-2} "
                        r"= -2$.",
                        Slopes(
                            "sum_bounds.rises",
                            sp.log(_p) - sp.log(_least),
                            _p,
                            _least,
                            {_p: sp.Rational(11, 10), _least: 1},
                            sp.Rational(1, 2),
                            strict=True,
                        ),
                        lines=r"\log p_i - \log p_{\min} &> 0 \quad (p_i > p_{\min})",
                    ),
                    bounded(
                        "squares",
                        r"This is inequality (ii), term by term, with $L = \log p_i$ and $\ell = \log p_{\min}$. The "
                        r"sum follows as above.",
                        le((1 + _L) ** 2, (1 + _ell) ** 2),
                        *_known(),
                        lines=r"(1+L)^2 &\le (1+\ell)^2",
                    ),
                    bounded(
                        "absolute",
                        r"The same holds for the absolute values.",
                        le(sp.Abs(1 + _L), sp.Abs(1 + _ell)),
                        *_known(),
                        lines=r"|1+L| &\le |1+\ell|",
                    ),
                    bounded(
                        "products",
                        r"Inequalities (iii) and (iv), term by term: a product of two factors that are not negative "
                        r"is at most the product of their bounds, here $|1+\ell|$ and $p_{\min}^{-j}$.",
                        le(_factor * _term, _factor_bound * _bound),
                        _factor <= _factor_bound,
                        _term <= _bound,
                        lines=r"\frac{|1+L|}{p_i^j} &\le \frac{|1+\ell|}{p_{\min}^j}",
                    ),
                    replace(_termwise(), name="sum_of_terms"),
                ),
                formal=(
                    *symbolic(sp.Le((1 + _L) ** 2, (1 + _ell) ** 2), given=_known()),
                    *symbolic(
                        sp.Le(_factor * _term, _factor_bound * _bound),
                        given=(
                            *_known(),
                            eq(_factor, sp.Abs(1 + _L)),
                            le(sp.Abs(1 + _ell), _factor_bound),
                            le(_term, _bound),
                        ),
                    ),
                    *symbolic(
                        sp.Le(_total, _size * _bound),
                        given=(_term <= _bound,),
                        where={_total: sum_over_entries(_term, (_term,), _size)},
                    ),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "orders of growth",
                r"For $p_{\min} < e^{-2}$: $(1+\log p_{\min})^2 \le \log^2 p_{\min}$ and $|1+\log p_{\min}| \le "
                r"|\log p_{\min}|$, so that the orders hold with the constant $1$. A uniform distribution has "
                r"$p_{\min} < e^{-2}$ if and only if $d \ge 8$.",
                (
                    *_orders(),
                    compared(
                        "eight",
                        r"$\frac1d < e^{-2}$ if and only if $d > e^2$, which lies between $7$ and $8$.",
                        *_BETWEEN,
                        lines=r"7 < e^2 &< 8",
                    ),
                ),
                formal=(
                    *symbolic(
                        sp.And(
                            le((1 + _ell) ** 2, _ell**2),
                            le(sp.Abs(1 + _ell), sp.Abs(_ell)),
                        ),
                        given=(_ell < -2,),
                    ),
                    *symbolic(sp.And(*_BETWEEN, evaluate=False)),
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the remarks on the proof",
                r"For $0 < x \le 1$ and $f(x) = |1 + \log x|$: $e^{-2} \le x \le 1$ if and only if $f(x) \le 1$; and "
                r"$x < e^{-2}$ if and only if $f(x) > 1$, where $f$ falls. So $\max_i f(p_i) = f(p_{\min})$ for "
                r"$p_{\min} < e^{-2}$.",
                bounded(
                    "near_one",
                    r"From $e^{-2} \le x \le 1$ to $f(x) \le 1$, with $L = \log x$:",
                    le(sp.Abs(1 + _L), 1),
                    ge(_L, -2),
                    le(_L, 0),
                    lines=r"|1 + L| &\le 1 \quad (-2 \le L \le 0)",
                ),
                bounded(
                    "near_zero",
                    r"From $x < e^{-2}$ to $f(x) > 1$. Since one of both cases holds for each $x$, both are "
                    r"equivalences.",
                    lt(1, sp.Abs(1 + _L)),
                    lt(_L, -2),
                    lines=r"1 &< |1 + L| \quad (L < -2)",
                    raised=_two,
                ),
                bounded(
                    "falls",
                    r"It falls there, and up to $x = \frac1e$: for $\ell < L \le -1$,",
                    lt(sp.Abs(1 + _L), sp.Abs(1 + _ell)),
                    lt(_ell, _L),
                    le(_L, -1),
                    lines=r"|1 + L| &< |1 + \ell|",
                    raised=_two,
                ),
            ),
            derived(
                Role.READING,
                "without the condition on the least probability",
                r"For $p_{\min} \ge e^{-2}$ inequality (ii) can be false. In the formula $p$ is the least probability "
                r"of two.",
                counterexample(
                    "without_condition",
                    r"For the distribution $(\frac25, \frac35)$ the first logarithm is close to $-1$:",
                    le(_square(_p) + _square(1 - _p), 2 * _square(_p)),
                    {_p: sp.Rational(2, 5)},
                    (le(_p, sp.Rational(1, 2)),),
                ),
                holds=False,
                departs=r"$p_{\min} < e^{-2}$ for all inequalities but the first",
            ),
            derived(
                Role.READING,
                "logarithms to base two",
                r"To base $2$ the inequalities hold: $\log_2 p_{\min} < -2$ as well.",
                compared(
                    "base_two",
                    r"The proof needs $\log p_{\min} \le -2$ and $\log p_i \le 0$.",
                    lt(-2 / sp.log(2), -2),
                    lines=r"\log_2 e^{-2} &< -2",
                ),
            ),
            derived(
                Role.READING,
                "logarithms to base ten",
                r"To base $10$ inequality (ii) is false for $p_{\min} = \frac1{10} < e^{-2}$.",
                _base_ten(),
                counterexample(
                    "base_ten_by_formula",
                    r"The same for the distribution $(p, 1 - p)$ at $p = \frac1{10}$, which is below $e^{-2}$.",
                    le(_in_base_ten(_p) + _in_base_ten(1 - _p), 2 * _in_base_ten(_p)),
                    {_p: sp.Rational(1, 10)},
                    (lt(_p, sp.exp(-2)),),
                ),
                only=("base_ten_by_formula",),
                holds=False,
                departs="logarithms are natural",
            ),
        ),
    )


def _termwise() -> Step:
    return over_entries(
        "termwise",
        r"A sum of $d$ terms, each at most $Y$, by induction over $d$.",
        le(_total, _size * _bound),
        _size,
        {_total: _term},
        (_term,),
        ((2,), (2,)),
        r"\sum_{i=1}^d y_i &\le d\,Y",
        (_term <= _bound,),
        at={_bound: 2},
    )


def _uniform() -> Step:
    size = sp.Symbol("d", positive=True, integer=True)
    return equal_as(
        "uniform",
        r"For the uniform distribution all terms are equal, and so are the two sides.",
        (
            lambda: size * (1 / size) ** (-_power),
            size ** (_power + 1),
        ),
        r"\sum_{i=1}^d \Bigl(\frac1d\Bigr)^{-\kappa} &= d^{\kappa+1}",
    )


def _known() -> tuple[sp.Basic, ...]:
    return (_ell <= _L, _L <= 0, _ell < -2)


def _orders() -> Steps:
    known = (_ell < -2,)
    return (
        bounded(
            "order_of_squares",
            r"This holds for $\ell < -2$.",
            le((1 + _ell) ** 2 + 3, _ell**2),
            *known,
            lines=r"(1+\ell)^2 + 3 &\le \ell^2",
        ),
        bounded(
            "order_of_absolute",
            r"The same holds without squares.",
            le(sp.Abs(1 + _ell) + 1, sp.Abs(_ell)),
            *known,
            lines=r"|1+\ell| + 1 &\le |\ell|",
        ),
    )


def _base_ten() -> Step:
    entries = (sp.Rational(1, 10), sp.Rational(9, 10))

    def square(probability: sp.Expr) -> sp.Expr:
        return (1 + sp.log(probability) / sp.log(10)) ** 2

    total, bound = _other_base
    return counterexample(
        "base_ten",
        r"For the distribution $(\frac1{10}, \frac9{10})$ the bound is $0$, and the sum is not.",
        le(total, bound),
        {
            total: lambda: sp.Add(*map(square, entries)),
            bound: lambda: sp.simplify(sp.expand_log(2 * square(min(entries)), force=True)),
        },
        lines=r"\bigl(1 + \log_{10} \tfrac1{10}\bigr)^2 + \bigl(1 + \log_{10} \tfrac9{10}\bigr)^2 &> 0",
    )


CLAIMS = {"bayesnet.sum_bounds": sum_bounds}
