"""How the calibrated estimator divides its total between the bits and the noise of the output."""

from __future__ import annotations

import sympy as sp

from pan_proofs.balls import enclosure
from pan_proofs.claims.calibrated_error import calibrated_estimate
from pan_proofs.displayed_steps import equal_as
from pan_proofs.distributions import TwoSidedGeometric, variance
from pan_proofs.engines import MissingEngine
from pan_proofs.inequalities import Inequality
from pan_proofs.joint_loss import state_factor
from pan_proofs.joint_loss_proofs import noise_factor, total_factor
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import m, present
from pan_proofs.ledger.steps import at_most, computed
from pan_proofs.step_display import displayed

_E, _S = state_factor, total_factor
_spread = sp.Symbol("V", nonnegative=True)
_ratio = sp.Symbol("a", positive=True)
_state, _rate = sp.symbols("epsilon_1 eta", positive=True)
of_bits = _E / (_E - 1) ** 2
"""What the bits add to the error, times the sample's size."""

of_noise = 2 * _E**2 * (_S * (_E + 1) - _E) / ((_E - 1) ** 2 * (_S - _E) ** 2)
"""What the noise adds to it, times the square of the sample's size."""

objective = of_bits / m + of_noise / m**2
"""The mean squared error for ``E = exp(eps1)`` and ``S = exp(T)``."""

EXAMPLES = (
    (sp.Rational(1, 5), 5000, sp.Rational(16100, 100000), sp.Rational(16101, 100000)),
    (sp.Rational(1, 2), 1000, sp.Rational(40113, 100000), sp.Rational(40114, 100000)),
)
"""Total, sample size, and two budgets of the state between which the best one lies."""


def optimal_split() -> Claim:
    """The objective, its only minimum, where it tends to, and two examples."""
    return Claim(
        id="calibrated.optimal_split",
        title="How to divide the budget between state and output",
        references=(Reference("here", "stated with the calibrated estimators of this package"),),
        statement=r"For the symmetric pair with $E = e^{\varepsilon_1}$, and the noise of calibrated.joint_privacy for "
        r"the total $T = \log S$, the mean squared error is $\frac{1}{4m\sinh^2(\varepsilon_1/2)} + \frac{1}{2m^2 "
        r"\sinh^2(\eta/2)\tanh^2(\varepsilon_1/2)} = \frac{E}{m(E-1)^2} + \frac{2E^2(S(E+1) - E)}{m^2 (E-1)^2 "
        r"(S-E)^2}$. It is strictly convex in $E$ on $(1, S)$ and infinite at both ends: there is exactly one best "
        r"$\varepsilon_1$, strictly between $0$ and $T$. As $m \to \infty$ it tends to $T$. For $T = \frac15$, $m = "
        r"5000$ it lies between $0.16100$ and $0.16101$, for $T = \frac12$, $m = 1000$ between $0.40113$ and "
        r"$0.40114$.",
        hypotheses=(r"$0 < \varepsilon_1 < T$", r"$m \ge 1$"),
        silent=(
            r"The pair is symmetric. The estimator for one intrusion and one output searches over all pairs and does "
            r"at least as well; its division differs a little.",
        ),
        uses=("calibrated.error", "calibrated.joint_privacy"),
        parts=(_objective(), _one_minimum(), _large_samples(), _examples()),
        remark=r"To give half of the total to either, as the published estimators mean to, is far from the best for "
        r"samples of some size: the noise is added once, and the bits are $m$.",
    )


def _objective() -> Part:
    pair = (1 / (1 + _E), _E / (1 + _E))
    law = variance(TwoSidedGeometric(_ratio, _ratio))
    r = noise_factor()
    known = calibrated_estimate(pair).error(present).subs(sp.Symbol("V", nonnegative=True), _spread)
    hyperbolic = 1 / (4 * m * sp.sinh(_state / 2) ** 2) + 1 / (
        2 * m**2 * sp.sinh(_rate / 2) ** 2 * sp.tanh(_state / 2) ** 2
    )
    in_budgets = known.subs(_spread, law.subs(_ratio, sp.exp(-_rate))).subs(_E, sp.exp(_state))
    return Part(
        Role.PUBLISHED,
        "the objective",
        r"The mean squared error about $d(\mathcal{S}_M)$ is the stated function, for every density.",
        (
            equal_as(
                "spread",
                r"The noise $P(N = k) \propto a^{|k|}$, $a = e^{-\eta}$, has the variance, summed over all integers,",
                (
                    law.subs(_ratio, sp.exp(-_rate)),
                    1 / (2 * sp.sinh(_rate / 2) ** 2),
                ),
                r"\operatorname{Var}(N) = \frac{2a}{(1-a)^2} &= \frac{1}{2\sinh^2(\eta/2)}",
            ),
            equal_as(
                "hyperbolic",
                r"The gap is $\tanh\frac{\varepsilon_1}{2}$, and the bits of both kinds have the same variance.",
                (in_budgets, hyperbolic),
                r"\operatorname{MSE} = \frac{m p_0 q_0 + \operatorname{Var}(N)}{m^2 (p_1 - p_0)^2} &= "
                r"\frac{1}{4m\sinh^2\frac{\varepsilon_1}{2}} + \frac{1}{2m^2 \sinh^2\frac\eta2 "
                r"\tanh^2\frac{\varepsilon_1}{2}}",
            ),
            equal_as(
                "rational",
                r"With $r = e^\eta = \frac{S}{E} + \frac{S}{E^2} - \frac1E$, for which $r - 1 = \frac{(E+1)(S-E)}{E^2}$,",
                (known.subs(_spread, law.subs(_ratio, 1 / r)), objective),
                r"\operatorname{MSE} &= \frac{E}{m(E-1)^2} + \frac{2E^2\,(S(E+1) - E)}{m^2 (E-1)^2 (S-E)^2}",
            ),
        ),
        formal=symbolic(objective),
    )


def _convex(name: str, text: str, function: sp.Expr, line: str) -> Step:
    """The slope between two points is below the slope at the second: by the second derivative's numerator."""
    u, w = sp.symbols("u w", real=True)
    top, bottom = sp.fraction(sp.factor(sp.diff(function, _E, 2)))
    moved = sp.expand(top.subs({_E: 1 + u, _S: 1 + u + w}, simultaneous=True))
    negative = sp.Add(*(term for term in sp.Add.make_args(moved) if term.as_coeff_Mul()[0] < 0))
    even = all(power % 2 == 0 for _, power in (factor.as_base_exp() for factor in sp.Mul.make_args(bottom)))
    if not even:
        raise ArithmeticError(f"the denominator {bottom} need not be positive")
    return at_most(
        name,
        text,
        Inequality(
            f"optimal_split.{name}",
            -negative,
            moved - negative,
            (u > 0, w > 0),
            strict=True,
            touching={u: 0, w: 0} if negative != 0 else None,
            gap=None if negative != 0 else sp.Rational(1, 2),
            weaker=sp.Rational(1, 2),
        ),
        (line,),
    )


def _one_minimum() -> Part:
    u, w = sp.symbols("u w", positive=True)
    bits_second = sp.diff(of_bits, _E, 2).subs(_E, 1 + u)
    at_zero, at_total = (sp.limit(objective.subs({_S: 2, m: 1}), _E, end, side) for end, side in ((1, "+"), (2, "-")))
    inside = objective.subs({_E: 1 + u, _S: 1 + u + w}, simultaneous=True)
    positive = bool(sp.factor(inside - of_bits.subs(_E, 1 + u) / m).is_positive)
    noise_poles = [sp.limit(sp.factor(inside * one**2), one, 0, "+") for one in (u, w)]
    return Part(
        Role.PUBLISHED,
        "one minimum, inside",
        r"The error is strictly convex in $E$ and tends to infinity as $\varepsilon_1$ tends to $0$ or to $T$. So there "
        r"is exactly one minimum, and the derivative is negative before it and positive after it.",
        (
            equal_as(
                "bits_convex",
                r"Let $E = 1 + u$ and $S = 1 + u + w$ with $u, w > 0$. The second derivative in $E$ of the first term, "
                r"times $m$, is positive,",
                (bits_second, (2 * u + 6) / u**4),
                r"\frac{\partial^2}{\partial E^2} \frac{E}{(E-1)^2} &= \frac{2u + 6}{u^4}",
            ),
            _convex(
                "noise_convex",
                r"and that of the second term, times $m^2$, is a polynomial over $u^4 w^4$. Its terms with a minus sign, "
                r"$\nu(u, w)$ in all, are outweighed by the others, $\pi(u, w)$.",
                of_noise,
                r"\nu(u, w) &< \pi(u, w)",
            ),
            computed(
                "ends",
                r"Times $u^2$ it has a positive limit as $u \to 0$, and times $w^2$ one as $w \to 0$: the error is "
                r"infinite at both ends.",
                f"the limits are {noise_poles[0]} and {noise_poles[1]}, both positive; at S = 2, m = 1 the objective "
                f"tends to {at_zero} and {at_total}",
                positive
                and at_zero is sp.oo
                and at_total is sp.oo
                and all(bool(one.is_positive) for one in noise_poles),
                engine="sympy",
            ),
        ),
    )


def _large_samples() -> Part:
    u, w = sp.symbols("u w", positive=True)
    slope = sp.limit(sp.diff(m * objective, _E), m, sp.oo)
    return Part(
        Role.PUBLISHED,
        "large samples",
        r"As $m \to \infty$ the best $\varepsilon_1$ tends to $T$.",
        (
            equal_as(
                "slope",
                r"For fixed $E$ the derivative of $m \operatorname{MSE}$ tends to",
                (slope.subs(_E, 1 + u), -(u + 2) / u**3),
                r"\lim_{m\to\infty} \frac{\partial}{\partial E}\, m \operatorname{MSE} &= -\frac{E + 1}{(E-1)^3}",
            ),
            computed(
                "negative",
                r"which is negative. So for any $\varepsilon_1 < T$, if $m$ is large enough, the derivative is negative "
                r"there, and the minimum lies between $\varepsilon_1$ and $T$.",
                "the limit of the derivative is negative for every u > 0",
                bool(sp.factor(slope.subs(_E, 1 + u)).is_negative),
                engine="sympy",
                lines=(r"-\frac{E + 1}{(E-1)^3} &< 0",),
            ),
        ),
    )


def slope_at(total: sp.Rational, size: int, state: sp.Rational) -> bool | None:
    """Whether the error increases in the state's budget there, by balls; ``None`` if they do not tell."""
    ball = enclosure(sp.diff(objective, _E).subs({_E: sp.exp(state), _S: sp.exp(total), m: size}, simultaneous=True))
    return True if ball > 0 else False if ball < 0 else None


def _examples() -> Part:
    steps = []
    for number, (total, size, low, high) in enumerate(EXAMPLES):
        try:
            signs: tuple[bool | None, bool | None] = slope_at(total, size, low), slope_at(total, size, high)
        except MissingEngine:
            signs = (None, None)
        step = computed(
            f"example_{number}",
            rf"For $T = {sp.latex(total)}$ and $m = {size}$ balls show the derivative negative at the lower and "
            r"positive at the upper end of",
            f"the derivative in E at exp({low}) is negative and at exp({high}) positive",
            signs == (False, True),
            engine="flint",
        )
        steps.append(displayed(step, rf"{float(low):.5f} < \varepsilon_1 &< {float(high):.5f}"))
    return Part(
        Role.PUBLISHED,
        "two examples",
        r"By convexity the minimum lies where the derivative changes its sign.",
        tuple(steps),
    )


CLAIMS = {"calibrated.optimal_split": optimal_split}
