"""Lemma 2.10: from zero-concentrated to approximate privacy, and from pure to zero-concentrated privacy."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.claims.composition import moment, response
from pan_proofs.engines.computations import of_one_sign
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, lemma

_rho, _order = sp.symbols("rho alpha", positive=True)
_log = sp.Symbol("l", positive=True)
_chance, _other, _delta, _excess = sp.symbols("P Pprime delta Q", nonnegative=True)
_factor = sp.Symbol("x", positive=True)
_y = sp.Symbol("y", positive=True)
_roots = sp.symbols("s S", positive=True)
_place = sp.Symbol("t", real=True)
_LOSS_AT = _rho * (_place**2 - (_place - 1) ** 2)
"""The privacy loss at an output of noise of variance ``1/(2 rho)`` on a number that changes by 1."""
_BOUNDED = le(_LOSS_AT, sp.sqrt(2 * _rho))

_root = sp.Symbol("d", real=True)
SOLUTION = symbolic(
    eq(_root**2 + 2 * _root * sp.sqrt(_log), epsilon),
    where={_root: sp.sqrt(_log + epsilon) - sp.sqrt(_log)},
)
"""The budget whose root is the difference of two roots."""
_EVENTS = (sp.Le(_chance, _factor * _other + _excess), sp.Le(_excess, _delta))


def zcdp_conversion() -> Claim:
    """The tail of the privacy loss, randomized response as the worst case, and the exact inverse."""
    return Claim(
        id="turnstile.zcdp_conversion",
        title="Conversion between notions of privacy",
        references=(Reference("turnstile", "Lemma 2.10, section 2.1", "the formulas are lost"),),
        statement=r"A $\rho$-zCDP algorithm is $(\rho + 2 \sqrt{\rho \log(1/\delta)}, \delta)$-differentially private. "
        r"Conversely, an $\varepsilon$-differentially private algorithm is $\frac12 \varepsilon^2$-zCDP.",
        notation=(("$t$", "an output"),),
        hypotheses=(r"$\rho > 0$", r"$\delta > 0$"),
        silent=(
            r"$\delta < 1$: otherwise $\log(1/\delta)$ is not positive",
            r"the lost formulas are read as those of the cited work",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "from zero-concentrated to approximate privacy",
                r"Let $l = \log(1/\delta)$ and $\varepsilon = \rho + 2 \sqrt{\rho l}$. The privacy loss exceeds "
                r"$\varepsilon$ with probability at most $\delta$.",
                to_approximate(),
                formal=symbolic(le(_chance, _factor * _other + _delta), given=_EVENTS),
            ),
            Part(
                Role.READING,
                "the least budget for given parameters",
                r"For $\varepsilon, l > 0$ the equation $\rho + 2 \sqrt{\rho l} = \varepsilon$ has the solution $\rho "
                r"= (\sqrt{l + \varepsilon} - \sqrt l)^2$. It is at least $\varepsilon^2 / (4 (l + \varepsilon))$. In "
                r"the formula $d = \sqrt\rho$.",
                inverse(),
                formal=(
                    *SOLUTION,
                    *symbolic(
                        le(
                            epsilon**2 / (4 * (_log + epsilon)),
                            (sp.sqrt(_log + epsilon) - sp.sqrt(_log)) ** 2,
                        ),
                        where={_roots[0]: sp.sqrt(_log), _roots[1]: sp.sqrt(_log + epsilon)},
                    ),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "from pure to zero-concentrated privacy",
                r"$D_\alpha \le \frac12 \varepsilon^2 \alpha$ for all $\alpha > 1$. No smaller factor than $\frac12$ "
                r"serves all $\varepsilon$. In the formulas $u = \varepsilon/2$ and $b = \alpha - 1$. $V$, $Q = 1$ "
                r"and $P = 1$ are the sums of $q_i v_i$, $q_i$ and $q_i r_i$ for the outputs, with $v_i = r_i^\alpha$ "
                r"below the chord $c_0 + c_1 r$ from $e^{-\varepsilon}$ to $e^{\varepsilon}$, since $r^\alpha$ is "
                r"convex.",
                (power_is_convex(_order_excess), _below_chord(), *from_pure()),
                formal=_stated_from_pure(),
            ),
            Part(
                Role.READING,
                "the converse as an inverse",
                r"The two conversions do not undo each other: a $\rho$-zCDP algorithm need not be "
                r"$\sqrt{2 \rho}$-differentially private. The Gaussian mechanism has no bound on its privacy loss.",
                no_inverse(),
                formal=symbolic(_BOUNDED, refuted=True),
                holds=False,
                departs=r"an $\varepsilon$-differentially private algorithm is $\frac12 \varepsilon^2$-zCDP",
            ),
        ),
        uses=("turnstile.gaussian_mechanism",),
        in_words=(
            ("exponent", r"Markov's inequality for the privacy loss"),
            ("below_chord", r"a function with a positive second derivative lies below its chords"),
            ("worst_case", r"the sum of the chord over a distribution of mean $1$ is that of its two ends"),
        ),
    )


def to_approximate() -> Steps:
    """Markov's inequality for a power of the ratio of densities, at the best order."""
    root = sp.sqrt(_rho * _log)
    loss, order = _rho + 2 * root, 1 + sp.sqrt(_log / _rho)
    return (
        equal_as(
            "exponent",
            r"For $\alpha > 1$ Markov's inequality gives $P(\log(p/q) > \varepsilon) \le E\,(p/q)^{\alpha - 1} "
            r"e^{-(\alpha - 1) \varepsilon} \le e^{(\alpha - 1)(\alpha \rho - \varepsilon)}$. For $\alpha = 1 + "
            r"\sqrt{l/\rho}$ the exponent is",
            (lambda: sp.simplify(sp.expand((order - 1) * (order * _rho - loss))), -_log),
            r"(\alpha - 1)(\alpha \rho - \varepsilon) &= -l",
        ),
        at_most(
            "events",
            r"Let $Q$ be the probability that the loss exceeds $\varepsilon$: $Q \le e^{-l} = \delta$. Where it does "
            r"not, $p \le x q$ with $x = e^{\varepsilon}$. So an event of probability $P$, and $P'$ for the neighbour, "
            r"has",
            Inequality(
                "zcdp_conversion.events",
                _chance,
                _factor * _other + _delta,
                _EVENTS,
            ),
            lines=r"P \le x P' + Q &\le x P' + \delta",
        ),
    )


def inverse() -> Steps:
    """The quadratic equation in the root of the budget."""
    root = sp.sqrt(_log + epsilon) - sp.sqrt(_log)
    one, more = _roots
    return (
        equal(
            "solution",
            r"Inserting the solution:",
            r"\rho + 2 \sqrt{\rho l}",
            lambda: sp.expand(root**2 + 2 * root * sp.sqrt(_log)),
            epsilon,
        ),
        at_most(
            "lower_bound",
            r"With $s = \sqrt l$, $S = \sqrt{l + \varepsilon}$ and $\varepsilon = S^2 - s^2 = (S - s)(S + s)$, where "
            r"$S + s \le 2 S$:",
            Inequality(
                "zcdp_conversion.inverse",
                (more**2 - one**2) ** 2 / (4 * more**2),
                (more - one) ** 2,
                (sp.Gt(more, one),),
                weaker=sp.Rational(9, 10),
            ),
            lines=r"\frac{\varepsilon^2}{4 (l + \varepsilon)} &\le (S - s)^2",
        ),
    )


_half_budget, _above_one = sp.symbols("u b", positive=True)
_wide = (2 * _above_one + 1) * _half_budget
_LADDER = (
    2 * (_above_one + 1) * _above_one * _half_budget**2 - sp.log(sp.cosh(_wide)) + sp.log(sp.cosh(_half_budget)),
    4 * (_above_one + 1) * _above_one * _half_budget - (2 * _above_one + 1) * sp.tanh(_wide) + sp.tanh(_half_budget),
    (
        2 * _above_one * sp.tanh(_wide)
        + sp.sinh(2 * _above_one * _half_budget) / (sp.cosh(_wide) * sp.cosh(_half_budget))
    )
    * ((2 * _above_one + 1) * sp.tanh(_wide) + sp.tanh(_half_budget)),
)
"""The difference of the two sides, and its first two derivatives."""
_SECOND_ORDER = sp.log(sp.cosh(3 * _half_budget) / sp.cosh(_half_budget)) / (2 * _half_budget) ** 2
_mass_of, _ratio, _power = _OUTPUT = sp.symbols("q r v", real=True)
_outputs = sp.Symbol("k", integer=True, nonnegative=True)
_powers, _masses, _ratios = sp.symbols("V Q P", real=True)
_start, _steep = sp.symbols("c_0 c_1", real=True)
_OUTPUTS = {_powers: _mass_of * _power, _masses: _mass_of, _ratios: _mass_of * _ratio}
_CHORD = (_mass_of >= 0, le(_power, _start + _steep * _ratio))
_BELOW = le(_powers, _start * _masses + _steep * _ratios)


_order_excess = sp.Symbol("b", positive=True)
_ratio_of_one = sp.Symbol("r", positive=True)


def _bend(excess: sp.Expr) -> sp.Expr:
    return excess * (1 + excess) * _ratio_of_one ** (excess - 1)


def power_is_convex(excess: sp.Expr) -> Step:
    """The second derivative of a power, and its sign.

    Parameters
    ----------
    excess
        The exponent less 1.
    """
    return lemma(
        "power_is_convex",
        r"The second derivative of $r^\alpha$ is positive for $\alpha = 1 + b$, $b > 0$.",
        (
            *equal(
                "power_is_convex.bend",
                "",
                "",
                lambda: sp.diff(_ratio_of_one ** (1 + excess), _ratio_of_one, 2),
                _bend(excess),
            ).obligations,
            of_one_sign(
                "power_is_convex.positive",
                "the second derivative of the power is positive",
                _bend(excess),
                shown=True,
            ),
        ),
        lines=r"\frac{d^2}{dr^2} r^{1 + b} &= b\,(1 + b)\, r^{b - 1} > 0",
    )


def _below_chord() -> Step:
    """A weighted sum of values below a line is below the line's own."""
    return for_every_length(
        "below_chord",
        r"As $r^\alpha$ is convex, it is below its chord between $e^{-\varepsilon}$ and $e^{\varepsilon}$, and the "
        r"sum over any number of outputs is below that of the chord.",
        Induction(
            "zcdp_conversion.chord",
            _BELOW,
            _outputs,
            _OUTPUT,
            {total: total + term for total, term in _OUTPUTS.items()},
            ((1, 1, 3), (1, 2, 5)),
            {_start: sp.Integer(1), _steep: sp.Integer(2)},
            _CHORD,
        ),
        r"V &\le c_0 Q + c_1 P",
    )


def _stated_from_pure() -> tuple[str, ...]:
    """The chord, the closed form of randomized response, its bound, and the limit, formally."""
    order = sp.Symbol("alpha", positive=True)
    sums = {total: sum_over_entries(term, _OUTPUT, _outputs) for total, term in _OUTPUTS.items()}
    high, x = 1 / (1 + sp.exp(2 * _half_budget)), sp.exp(2 * _half_budget)
    closed = (sp.exp((2 * order - 1) * _half_budget) + sp.exp((1 - 2 * order) * _half_budget)) / (
        sp.exp(_half_budget) + sp.exp(-_half_budget)
    )
    return (
        *symbolic(gt(_bend(_order_excess), 0)),
        *symbolic(_BELOW, given=(*_CHORD, sp.Ge(_outputs, 0)), where=sums),
        *symbolic(eq(high * x**order + (1 - high) * x ** (-order), closed)),
        *symbolic(gt(_LADDER[0], 0)),
        *symbolic(eq(sp.Limit(_SECOND_ORDER, _half_budget, 0), 1)),
    )


def from_pure() -> Steps:
    """The chord of a power, the closed form, and a function that rises."""
    order = sp.Symbol("alpha", positive=True)
    shift = sp.Symbol("u", positive=True)

    def worst() -> sp.Expr:
        """``E r^alpha`` for a ratio with the two values ``x = exp(2u)`` and ``1/x``, and mean 1."""
        x = sp.exp(2 * shift)
        high = 1 / (1 + x)
        return high * x**order + (1 - high) * x ** (-order)

    stated = (sp.exp((2 * order - 1) * shift) + sp.exp((1 - 2 * order) * shift)) / (sp.exp(shift) + sp.exp(-shift))
    return (
        equal_as(
            "worst_case",
            r"The ratio $r = p/q$ lies between $e^{-\varepsilon}$ and $e^{\varepsilon}$ and has the mean $1$ under "
            r"$q$. As $r^\alpha$ is convex, $E\,r^\alpha$ is largest if $r$ has these two values alone: randomized "
            r"response. With $u = \varepsilon/2$ it is then",
            (worst, stated),
            r"\frac{x^\alpha + x \cdot x^{-\alpha}}{1 + x} &= \frac{\cosh((2 \alpha - 1) u)}{\cosh u}",
        ),
        lemma(
            "rises",
            r"The claim $\log E\,r^\alpha \le (\alpha - 1) \alpha\, \frac12 \varepsilon^2$ is that $f(u) \ge 0$ for "
            r"$f = 2 \alpha (\alpha - 1) u^2 - \log \cosh \beta u + \log \cosh u$, $\beta = 2 \alpha - 1$. It "
            r"vanishes at $0$ with its derivative, and $f'' = \beta^2 \tanh^2 \beta u - \tanh^2 u > 0$.",
            positive_for_positive("zcdp_conversion.rises", _half_budget, _LADDER, (sp.S.One, sp.S.One)),
            lines=r"\log \frac{\cosh \beta u}{\cosh u} &< 2 \alpha (\alpha - 1) u^2",
        ),
        lemma(
            "attained",
            r"For small $u$ the divergence of randomized response of order $\alpha$ approaches $\alpha\, \frac12 "
            r"\varepsilon^2$: for $\alpha = 2$ the limit of $D_2 / \varepsilon^2$ is",
            tends_to("zcdp_conversion.attained", _SECOND_ORDER, _half_budget, sp.S.Zero, sp.S.One),
            r"\lim_{u \to 0} \frac{1}{4 u^2} \log \frac{\cosh 3 u}{\cosh u} &= 1",
        ),
        enumerated(
            "responses",
            r"The moments of randomized response, going through its coins, are the closed form.",
            "factors 3/2, 2 and 7/3, orders 2, 3 and 4: the moment is the closed form in x",
            product((Fraction(3, 2), Fraction(2), Fraction(7, 3)), (2, 3, 4)),
            lambda case: (
                moment(response(0, case[0]), response(1, case[0]), case[1])
                == (case[0] ** case[1] + case[0] ** (1 - case[1])) / (1 + case[0])
            ),
            mutant=lambda case: moment(response(0, case[0]), response(1, case[0]), case[1]) == case[0] ** case[1],
        ),
    )


def no_inverse() -> Steps:
    """The ratio of two normal densities far from their centres."""
    return (
        counterexample(
            "normal_tail",
            r"Noise of variance $1$ on a number that changes by $1$ is $\frac12$-zCDP. The privacy loss at the output "
            r"$5$ is $4.5$, and larger outputs have larger losses.",
            _BOUNDED,
            {_place: sp.Integer(5), _rho: sp.Rational(1, 2)},
        ),
    )


CLAIMS = {"turnstile.zcdp_conversion": zcdp_conversion}
