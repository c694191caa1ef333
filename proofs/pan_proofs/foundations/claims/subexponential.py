"""Definition 4.4 and Lemmas 4.3 to 4.6 of the thesis: sub-exponential variables and sums of Laplace variables."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.engines.computations import computed_value, of_one_sign
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.relations import eq, gt, le, lt, ne
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.foundations.laplace_integrals import laplace_generating_function
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.notation import alpha, m, scale
from pan_proofs.ledger.steps import counterexample, equal, implied, lemma

spread, width = sp.symbols("v_s b_s", positive=True)
"""The two parameters."""
_half = sp.Rational(1, 2)
_lambda = sp.Symbol("lambda", real=True)
_rate, _positive = sp.symbols("l lambda", positive=True)
_share = sp.Symbol("x", real=True)
_reached = sp.Symbol(r"P(|X| \ge 1)")
_a, _sv, _sw, _first, _second = sp.symbols("a v w P_1 P_2", real=True)


def tail_bound(deviation: sp.Expr, first: sp.Expr, second: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The two branches printed in Lemma 4.3, without a factor, for the parameters ``(first, second)``."""
    return sp.exp(-(deviation**2) / (2 * first**2)), sp.exp(-deviation / (2 * second))


def exponents(deviation: sp.Expr, first: sp.Expr, second: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The logarithms of the two branches."""
    quadratic, linear = (sp.expand_log(sp.log(one), force=True) for one in tail_bound(deviation, first, second))
    return quadratic, linear


def coin_violates() -> Steps:
    """A fair coin has the exponential moments and not the tail."""
    outcomes = ((sp.Integer(1), _half), (sp.Integer(-1), _half))
    moment = sum(weight * sp.exp(_positive * value) for value, weight in outcomes)
    excess = _positive**2 / 2 - sp.log(sp.cosh(_positive))
    quadratic, _ = tail_bound(sp.Integer(1), sp.Integer(1), sp.Integer(1))
    return (
        equal(
            "coin_moment",
            r"Let $X = \pm 1$ with probability $\frac12$ each.",
            r"E e^{\lambda X}",
            moment,
            sp.cosh(_positive),
        ),
        lemma(
            "coin_is_subexponential",
            r"It is sub-exponential with $(v_s, b_s) = (1, 1)$: $\frac12 \lambda^2 - \log \cosh \lambda$ is even, and "
            r"vanishes with its derivative at $0$; for $\lambda > 0$ the second derivative is $\tanh^2 \lambda > 0$.",
            positive_for_positive(
                "subexponential.coin",
                _positive,
                (excess, _positive - sp.tanh(_positive), sp.tanh(_positive) ** 2),
                (sp.Integer(1), sp.Integer(1)),
            ),
            lines=r"E e^{\lambda X} = \cosh \lambda &\le e^{\lambda^2/2}",
        ),
        counterexample(
            "coin_tail",
            r"At $\alpha = 1 \le v_s^2/b_s$ the probability is $1$ and the printed bound $e^{-1/2}$.",
            le(_reached, quadratic),
            {_reached: lambda: sum(weight for value, weight in outcomes if abs(value) >= 1)},
            lines=r"P(|X| \ge 1) = 1 &> e^{-1/2} = 0.606\ldots",
        ),
    )


def stated_coin() -> tuple[str, ...]:
    """The exponential moments of the coin are within the hypothesis, and its tail is not within the conclusion."""
    quadratic, _ = tail_bound(sp.Integer(1), sp.Integer(1), sp.Integer(1))
    return (
        *symbolic(le(sp.log(sp.cosh(_positive)), _positive**2 / 2)),
        *symbolic(gt(_reached, quadratic)),
    )


def stated_one_laplace() -> tuple[str, ...]:
    """The exponential moments of one variable are within those of the parameters."""
    square = scale**2 * _lambda**2
    return symbolic(
        le(1 / (1 - square), sp.exp((2 * scale) ** 2 * _lambda**2 / 2)),
        given=(le(square, _half),),
    )


def stated_sum() -> tuple[str, ...]:
    """The logarithm of the exponential moments of a sum of m variables is within that of the parameters."""
    square = scale**2 * _lambda**2
    return symbolic(
        le(-m * sp.log(1 - square), _own_spread**2 * _lambda**2 / 2),
        given=(lt(square, _half),),
    )


def stated_sum_tail() -> tuple[str, ...]:
    """The branches of the tail of a sum and their border, for the parameters of a sum."""
    return symbolic(
        eq(sp.Symbol(r"\frac{\alpha^2}{2 v_s^2}"), alpha**2 / (8 * scale**2 * m)),
        eq(sp.Symbol(r"\frac{\alpha}{2 b_s}"), alpha / (2 * sp.sqrt(2) * scale)),
        eq(sp.Symbol(r"\frac{v_s^2}{b_s}"), 2 * sp.sqrt(2) * scale * m),
    )


def chernoff() -> Steps:
    """The bound of Chernoff on one side, the best rate in the allowed range, and both sides together."""
    bound = -_rate * alpha + spread**2 * _rate**2 / 2
    quadratic, linear = exponents(alpha, spread, width)

    def zeros() -> tuple[sp.Expr, ...]:
        return tuple(sp.solve(sp.diff(bound, _rate), _rate))

    def border() -> sp.Expr:
        return sp.limit(bound, _rate, 1 / width)

    return (
        lemma(
            "chernoff",
            r"For $0 < l < 1/b_s$, by the inequality of Markov, $P(X - E X \ge \alpha) \le e^{-l \alpha} E e^{l (X - "
            r"E X)} \le e^{\psi(l)}$ with $\psi(l) = -l \alpha + \frac12 v_s^2 l^2$. This parabola has its minimum at "
            r"$l = \alpha/v_s^2$.",
            (
                computed_value(
                    "chernoff.zeros",
                    "the zeros of the derivative",
                    zeros,
                    (alpha / spread**2,),
                    engine="sympy",
                ),
                of_one_sign("chernoff.convex", "the second derivative is positive", sp.diff(bound, _rate, 2)),
            ),
            lines=r"\psi'(l) = v_s^2 l - \alpha &= 0 \iff l = \alpha/v_s^2",
        ),
        equal(
            "small_deviation",
            r"For $\alpha < v_s^2/b_s$ the minimum is in the allowed range.",
            r"\psi(\alpha/v_s^2)",
            lambda: bound.subs(_rate, zeros()[0]),
            quadratic,
        ),
        equal(
            "border",
            r"For $\alpha \ge v_s^2/b_s$ let $l$ tend to $1/b_s$, which is itself excluded; the bound is continuous "
            r"in $l$.",
            r"\psi(1/b_s)",
            border,
            -alpha / width + spread**2 / (2 * width**2),
        ),
        implied(
            "large_deviation",
            r"This is at most $-\alpha/(2 b_s)$; at $\alpha = v_s^2/b_s$ it equals $-\alpha^2/(2 v_s^2)$, so that the "
            r"first branch holds there as well. With $a = \alpha$, $v = v_s$, $w = b_s$:",
            le(_sv**2 / (2 * _sw**2), _a / (2 * _sw)),
            _sw > 0,
            _sv > 0,
            _a >= _sv**2 / _sw,
        ),
        equal(
            "branches_meet",
            r"At the border both branches of the bound are the same.",
            r"\psi(1/b_s)",
            lambda: border().subs(alpha, spread**2 / width),
            linear.subs(alpha, spread**2 / width),
            lambda: quadratic.subs(alpha, spread**2 / width),
        ),
        implied(
            "both_sides",
            r"The variable $-X$ satisfies the same hypothesis, so the lower tail has the same bound $B$, and both "
            r"tails together at most twice that.",
            le(_first + _second, 2 * _sw),
            _first >= 0,
            _second >= 0,
            _first <= _sw,
            _second <= _sw,
        ),
    )


def one_laplace() -> Steps:
    """The exponential moments of one Laplace variable, and the parameters."""
    moment = laplace_generating_function(scale, _lambda)
    square = scale**2 * _lambda**2
    return (
        equal(
            "moment",
            r"By integrating the density, for $|\lambda| < 1/b$ only:",
            "",
            moment,
            1 / (1 - square),
            lines=r"E e^{\lambda (X - \mu)} = \frac{1}{2 b} \left(\frac{1}{1/b + \lambda} + "
            r"\frac{1}{1/b - \lambda}\right) &= \frac{1}{1 - b^2 \lambda^2}",
        ),
        implied(
            "geometric",
            r"With $x = b^2 \lambda^2$, on $0 \le x \le \frac12$, that is for $|\lambda| \le 1/(\sqrt2\, b)$:",
            le(1 / (1 - _share), 1 + 2 * _share),
            _share >= 0,
            _share <= _half,
        ),
        lemma(
            "exponential",
            r"$1 + 2x \le e^{2x}$, the tangent of the exponential at $0$.",
            analytic_lemmas()[0],
            lines=r"1 + 2 x &\le e^{2 x}",
        ),
        equal(
            "parameters",
            r"So the exponent is $\frac12 v_s^2 \lambda^2$ with $v_s = 2 b$, on $|\lambda| < 1/b_s$ with "
            r"$b_s = \sqrt2\, b$.",
            r"\tfrac12 v_s^2 \lambda^2 = \tfrac12 (2 b)^2 \lambda^2",
            2 * square,
            partial((spread**2 * _lambda**2 / 2).subs, spread, 2 * scale),
        ),
    )


_ROOT = {scale: sp.Integer(2), _lambda: sp.Rational(19, 40)}


def _within_parameters(width_of: sp.Expr, copies: int) -> sp.Basic:
    """That the moments of a Laplace variable of some scale are within the bound for a number of variables."""
    moment = sp.simplify(laplace_generating_function(width_of, _lambda))
    return le(moment, sp.exp(2 * scale**2 * _lambda**2 * copies))


def stated_root_of_the_product() -> tuple[str, ...]:
    """The point in the range at which the moment is larger than the bound."""
    claimed = _within_parameters(scale, 1)
    return (
        *symbolic(gt(*claimed.args), where=_ROOT),
        *symbolic(lt(_lambda, 1 / sp.sqrt(2 * scale)), where=_ROOT),
    )


def root_of_the_product() -> Step:
    """The other reading of the second parameter."""
    claimed = _within_parameters(scale, 1)
    return counterexample(
        "root_of_the_product",
        r"With $b_s = \sqrt{2 b}$ and $b = 2$ the range would be $|\lambda| < \frac12$, on which "
        r"$E e^{\lambda (X-\mu)} = 1/(1 - 4 \lambda^2)$ is unbounded.",
        claimed,
        _ROOT,
        hypotheses=(lt(_lambda, 1 / sp.sqrt(2 * scale)),),
        lines=r"b = 2,\ \lambda = \tfrac{19}{40}:\quad \frac{1}{1 - 0.9025} = 10.2\ldots &> e^{1.805} = 6.07\ldots",
    )


_number = sp.Symbol("i", integer=True, positive=True)
_own_spread, _own_width = 2 * scale * sp.sqrt(m), sp.sqrt(2) * scale


def sum_is_subexponential() -> Steps:
    """The parameters of a sum."""
    moment = laplace_generating_function(scale, _lambda)
    return (
        equal(
            "sum_parameters",
            r"For independent $X_i$ the expectation of the product is the product of the expectations, at most $e^{2 "
            r"b^2 \lambda^2}$ each. The exponents add up to $\frac12 v_s^2 \lambda^2$ with $v_s = 2 b \sqrt m$; the "
            r"range stays.",
            r"\tfrac12 v_s^2 \lambda^2",
            _own_spread**2 * _lambda**2 / 2,
            lambda: sp.summation(2 * scale**2 * _lambda**2, (_number, 1, m)),
        ),
        equal(
            "sum_moment",
            r"The product itself is",
            "",
            moment**m,
            (1 - scale**2 * _lambda**2) ** (-m),
            lines=r"\prod_{i=1}^m E e^{\lambda (X_i - \mu_i)} &= \left(1 - b^2 \lambda^2\right)^{-m}",
        ),
    )


def sum_tail() -> Steps:
    """The parameters of a sum by Lemma 4.3: the branches of Lemma 4.6."""
    return (
        equal(
            "sum_small",
            r"With these parameters the branches of Lemma 4.3 are those of Lemma 4.6: the exponent of the first "
            r"branch is",
            r"\frac{\alpha^2}{2 v_s^2}",
            lambda: -exponents(alpha, _own_spread, _own_width)[0],
            alpha**2 / (8 * scale**2 * m),
        ),
        equal(
            "sum_large",
            r"The exponent of the second branch is",
            r"\frac{\alpha}{2 b_s}",
            lambda: -exponents(alpha, _own_spread, _own_width)[1],
            alpha / (2 * sp.sqrt(2) * scale),
        ),
        equal(
            "sum_border",
            r"The branches meet at the same border. Lemma 4.3 in its true form gives twice these bounds. That they "
            r"hold without the factor is lemma.laplace\_sum\_tail, which mixes normal ones.",
            r"v_s^2/b_s",
            lambda: (spread**2 / width).subs({spread: _own_spread, width: _own_width}),
            2 * sp.sqrt(2) * scale * m,
        ),
    )


_draw, _centre = sp.symbols("X mu", real=True)
_PRINTED = {scale: sp.Integer(1), _lambda: _half, _draw: sp.Integer(0), _centre: sp.Integer(0)}


def stated_printed_product() -> tuple[str, ...]:
    """The two sides of the display at one outcome."""
    moment = sp.simplify(laplace_generating_function(scale, _lambda))
    return symbolic(ne(moment, sp.exp(_lambda * (_draw - _centre))), where=_PRINTED)


def printed_product() -> Step:
    """The display without expectations."""
    moment = sp.simplify(laplace_generating_function(scale, _lambda))
    return counterexample(
        "printed_product",
        r"The first display in the proof of Lemma 4.5 has no expectations on its right-hand side: it equates a number "
        r"with a random variable. For $m = 1$, $b = 1$, $\lambda = \frac12$ the number is $\frac43$, and where "
        r"$X_1 = \mu_1$ the variable is $1$.",
        eq(moment, sp.exp(_lambda * (_draw - _centre))),
        _PRINTED,
        lines=r"\frac{1}{1 - \frac14} = \tfrac43 &\ne e^{\frac12 (\mu_1 - \mu_1)} = 1",
    )


_EQUAL = {scale: sp.Integer(1), _lambda: sp.Rational(9, 20)}
_COPIES = sp.Integer(100)
_EQUAL_TAIL = {scale: sp.Integer(1), alpha: _COPIES}


def _equal_tail() -> tuple[sp.Expr, sp.Expr]:
    """The tail of a sum of equal variables, and the bound for independent ones."""
    quadratic, _ = tail_bound(alpha, 2 * scale * sp.sqrt(_COPIES), sp.sqrt(2) * scale)
    return sp.exp(-alpha / (_COPIES * scale)), quadratic


def stated_dependent() -> tuple[str, ...]:
    """That equal variables exceed the moment and the tail, formally."""
    return (
        *symbolic(gt(*_within_parameters(2 * scale, 2).args), where=_EQUAL),
        *symbolic(gt(*_equal_tail()), where=_EQUAL_TAIL),
    )


def dependent() -> Steps:
    """Equal variables instead of independent ones."""
    return (
        counterexample(
            "dependent_moment",
            r"Let $X_1 = X_2$: the sum is Laplace with scale $2b$.",
            _within_parameters(2 * scale, 2),
            _EQUAL,
            hypotheses=(lt(_lambda, 1 / (sp.sqrt(2) * scale)),),
            lines=r"b = 1,\ \lambda = \tfrac{9}{20}:\quad \frac{1}{1 - 0.81} = 5.26\ldots &> e^{0.81} = 2.24\ldots",
        ),
        counterexample(
            "dependent_tail",
            r"A hundred equal variables: their sum is Laplace with scale $100\, b$.",
            le(*_equal_tail()),
            _EQUAL_TAIL,
            lines=r"b = 1,\ \alpha = 100:\quad e^{-1} &> e^{-25/2}",
        ),
    )


_tail = sp.Symbol("P_tail", nonnegative=True)
_tilt = sp.Symbol("lambda", nonnegative=True)


def subexponential() -> Claim:
    """The four lemmas."""
    small, large = tail_bound(alpha, spread, width)
    return Claim(
        id="thesis.subexponential",
        title="Sub-exponential variables",
        references=(Reference("thesis", "Definition 4.4 and Lemmas 4.3, 4.4, 4.5, 4.6, section 4.4.2"),),
        statement=r"$X$ is sub-exponential with $(v_s, b_s)$ if $E e^{\lambda (X - E X)} \le e^{v_s^2 \lambda^2/2}$ "
        r"for $|\lambda| < 1/b_s$. (4.3) Then $P(|X - E X| \ge \alpha)$ is at most $e^{-\alpha^2/(2 v_s^2)}$ for $0 "
        r"\le \alpha \le v_s^2/b_s$ and $e^{-\alpha/(2 b_s)}$ above. (4.4) A Laplace variable of scale $b$ is "
        r"sub-exponential with $(2b, \sqrt2\, b)$, (4.5) a sum of $m$ of them with $(2 b \sqrt m, \sqrt2\, b)$; (4.6) "
        r"the tail of the sum is at most $e^{-\alpha^2/(8 b^2 m)}$ for $\alpha \le 2 \sqrt2\, b m$ and $e^{-\alpha/(2 "
        r"\sqrt2\, b)}$ above.",
        notation=(
            ("$P_1$, $P_2$", "probabilities of the upper and of the lower tail"),
            (r"$\mu_i$", "mean of $X_i$"),
        ),
        hypotheses=(r"$b > 0$",),
        silent=(
            r"The $X_i$ of Lemmas 4.5 and 4.6 are independent.",
            r"$v_s$ and $b_s$ are positive; $b_s = 0$ would mean that the bound holds for all $\lambda$, and then only "
            r"the first branch is left.",
            r"In the text at hand the second parameter reads $\sqrt{2b}$ in Lemmas 4.4 and 4.5. The judgement is "
            r"about $\sqrt2\, b$: a scale must be proportional to $b$, the proof needs $b^2 \lambda^2 < \frac12$, and "
            r"Lemma 4.6 has it so.",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "Lemma 4.3 without a factor 2",
                r"The lemma is false as printed: a fair coin satisfies its hypothesis and not its conclusion.",
                coin_violates(),
                formal=stated_coin(),
            ),
            Part(
                Role.AMENDED,
                "Lemma 4.3 with a factor 2",
                r"$P(|X - E X| \ge \alpha) \le 2 e^{-\alpha^2/(2 v_s^2)}$ for $0 \le \alpha \le v_s^2/b_s$ and "
                r"$\le 2 e^{-\alpha/(2 b_s)}$ above; each tail alone satisfies the printed bound.",
                chernoff(),
                formal=(
                    *symbolic(
                        sp.Le(_tail, 2 * small),
                        given=(sp.Le(_tail, 2 * sp.exp(spread**2 * _tilt**2 / 2 - _tilt * alpha)),),
                        where={_tilt: alpha / spread**2},
                    ),
                    *symbolic(
                        sp.Le(_tail, 2 * large),
                        given=(
                            sp.Le(_tail, 2 * sp.exp(spread**2 / (2 * width**2) - alpha / width)),
                            sp.Ge(alpha, spread**2 / width),
                        ),
                    ),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "Lemma 4.4",
                r"A Laplace variable of scale $b$ is sub-exponential with parameters $(2b, \sqrt2\, b)$.",
                one_laplace(),
                formal=stated_one_laplace(),
            ),
            Part(
                Role.PUBLISHED,
                "Lemma 4.5",
                r"A sum of $m$ independent ones is sub-exponential with parameters $(2b\sqrt m, \sqrt2\, b)$.",
                sum_is_subexponential(),
                formal=stated_sum(),
            ),
            Part(
                Role.PUBLISHED,
                "Lemma 4.6",
                r"For $m$ independent variables let $v_s = 2 b \sqrt m$ and $b_s = \sqrt2\, b$. The exponents and the "
                r"border of Lemma 4.3 are then those that are printed in Lemma 4.6. With Lemma 4.3 in its true form "
                r"its bounds have a factor $2$. They hold as printed, without this factor, by another proof: that of "
                r"lemma.laplace\_sum\_tail.",
                sum_tail(),
                formal=stated_sum_tail(),
            ),
            Part(
                Role.READING,
                "a display in the proof of Lemma 4.5, to the letter",
                r"The product of the exponentials stands where that of their expectations is plainly meant. To the "
                r"letter the display is false; with expectations the proof is complete.",
                (printed_product(),),
                formal=stated_printed_product(),
                holds=False,
            ),
            Part(
                Role.READING,
                r"the second parameter read as the root of 2b",
                r"Lemma 4.4 is false with $b_s = \sqrt{2b}$.",
                (root_of_the_product(),),
                formal=stated_root_of_the_product(),
                holds=False,
            ),
            Part(
                Role.READING,
                "without independence",
                r"Lemmas 4.5 and 4.6 are false for dependent variables.",
                dependent(),
                formal=stated_dependent(),
                holds=False,
            ),
        ),
        uses=("lemma.laplace_sum_tail",),
    )


CLAIMS = {"thesis.subexponential": subexponential}
