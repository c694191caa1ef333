"""Lemma 2.7: budgets of zero-concentrated privacy add up, also if the second algorithm sees the first output."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.foundations.finite_mechanisms import Distribution, biased, distribution_of_coins
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, lemma

_alpha = sp.Symbol("alpha", positive=True)
_budgets = sp.symbols("rho_1 rho_2", positive=True)
_chances = sp.symbols("p_1 p_2 q_1 q_2", positive=True)
_moments = sp.symbols("H_1 H_2", positive=True)
_weight, _inner, _total = sp.symbols("W h S", nonnegative=True)
_FACTORS = (sp.Le(_total, _weight * _inner), sp.Le(_inner, _moments[1]), sp.Le(_weight, _moments[0]))
_variances = sp.symbols("v_1 v_2", positive=True)
_single = sp.symbols("rho_1 rho_2", positive=True)
_found = sp.Symbol("rho", positive=True)
_r = sp.Symbol("r", real=True)
_CORRELATED = (gt(_r, -1), lt(_r, 1))
_LOSS_OF_BOTH = 1 / (1 + _r)
"""The loss of a number that is observed twice, with noise of variance 1 and a correlation."""
_NO_MORE = le(_LOSS_OF_BOTH, sp.Rational(1, 2) + sp.Rational(1, 2))
_seen = sp.Symbol("c", real=True)
_loss = sp.Symbol("D", real=True)

FACTORS = (Fraction(3, 2), Fraction(2), Fraction(7, 3))
ORDERS = (2, 3, 4)


def responses(bit: int, factors: tuple[Fraction, Fraction], *, adaptive: bool) -> Distribution:
    """Two randomized responses to one bit; the second is flipped by the output of the first if it is adaptive."""
    return distribution_of_coins(
        lambda one, two: (bit ^ one, bit ^ two ^ (bit ^ one if adaptive else 0)), biased(factors[0]), biased(factors[1])
    )


def moment(one: Distribution, other: Distribution, order: int) -> Fraction:
    """``sum p^alpha q^(1 - alpha)``, the exponential of ``alpha - 1`` times the Rényi divergence."""
    return sum((chance**order * other[output] ** (1 - order) for output, chance in one.items()), Fraction(0))


def response(bit: int, factor: Fraction) -> Distribution:
    """One randomized response."""
    return distribution_of_coins(lambda coin: bit ^ coin, biased(factor))


def multiplied(case: tuple[Fraction, Fraction, int], *, adaptive: bool, less: Fraction = Fraction(1)) -> bool:
    """Whether the moment of a pair of responses is the product of their moments, times a factor for a control."""
    *factors, order = case
    both = [responses(bit, (factors[0], factors[1]), adaptive=adaptive) for bit in (0, 1)]
    single = [moment(response(0, factor), response(1, factor), order) for factor in factors]
    return moment(both[0], both[1], order) == less * single[0] * single[1]


def composition() -> Claim:
    """The lemma, that the sum is attained, and that the noise may not be shared."""
    return Claim(
        id="turnstile.composition",
        title="Composition",
        references=(Reference("turnstile", "Lemma 2.7, section 2.1", "the formulas are lost"),),
        statement=r"If $\mathcal{A}$ is $\rho_1$-zCDP and $\mathcal{B}$ is $\rho_2$-zCDP for each value of its second "
        r"input, then $x \mapsto (\mathcal{A}(x), \mathcal{B}(x, \mathcal{A}(x)))$ is $(\rho_1 + \rho_2)$-zCDP.",
        notation=(("$D$", "zCDP loss of both observations together"),),
        hypotheses=(r"$\rho_1, \rho_2 > 0$",),
        silent=(
            r"the coins of the two algorithms are independent",
            r"the composed algorithm is read as the pair of both outputs; if it shows the second alone, that is "
            r"post-processing of the pair",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the sum",
                r"$D_\alpha$ of the pair is at most $\alpha (\rho_1 + \rho_2)$ for all $\alpha > 1$.",
                the_sum(),
                formal=symbolic(le(_total, _moments[0] * _moments[1]), given=_FACTORS),
            ),
            Part(
                Role.PUBLISHED,
                "the sum is attained",
                r"Two Gaussian mechanisms have the loss $\rho_1 + \rho_2$ exactly, also if the mean of the second "
                r"output depends on the first output.",
                attained(),
                formal=symbolic(
                    eq(_found, sum(_single)),
                    where=dict(zip(_single, (1 / (2 * variance) for variance in _variances), strict=True)),
                ),
            ),
            Part(
                Role.READING,
                "shared noise",
                r"If the noise of the two algorithms is not independent, the lemma is false.",
                shared(),
                formal=(
                    *symbolic(eq(_found, _LOSS_OF_BOTH), given=_CORRELATED),
                    *symbolic(_NO_MORE, given=_CORRELATED, refuted=True),
                ),
                holds=False,
                departs="the coins of the two algorithms are independent",
            ),
        ),
    )


def the_sum() -> Steps:
    """First the second output for each value of the first, then the first."""
    p_1, p_2, q_1, q_2 = _chances
    return (
        equal(
            "densities_multiply",
            r"The density of the pair is $p_1(y)\, p_2(z \mid y)$, and $q_1(y)\, q_2(z \mid y)$ for the neighbour, as "
            r"the coins are independent.",
            "",
            (p_1 * p_2) ** _alpha * (q_1 * q_2) ** (1 - _alpha),
            (p_1**_alpha * q_1 ** (1 - _alpha)) * (p_2**_alpha * q_2 ** (1 - _alpha)),
        ),
        at_most(
            "moments_multiply",
            r"Let $H_i = e^{(\alpha - 1) \alpha \rho_i}$. For each $y$ the integral over $z$ of the second factor is "
            r"$h(y) \le H_2$. Hence the integral $S$ over both is at most $W H_2$, where $W \le H_1$ is the integral "
            r"over $y$ of the first factor.",
            Inequality(
                "composition.moments",
                _total,
                _moments[0] * _moments[1],
                _FACTORS,
            ),
            lines=r"S \le W H_2 &\le H_1 H_2",
        ),
        equal(
            "budgets_add",
            r"So $(\alpha - 1) D_\alpha = \log S$ is at most $(\alpha - 1) \alpha (\rho_1 + \rho_2)$.",
            "",
            sp.exp((_alpha - 1) * _alpha * _budgets[0]) * sp.exp((_alpha - 1) * _alpha * _budgets[1]),
            sp.exp((_alpha - 1) * _alpha * (_budgets[0] + _budgets[1])),
        ),
        *(
            enumerated(
                f"responses_{'adaptive' if adaptive else 'plain'}",
                text,
                "pairs of factors, orders 2, 3 and 4: the moment of the pair is the product of the moments",
                product(FACTORS, FACTORS, ORDERS),
                partial(multiplied, adaptive=adaptive),
                mutant=partial(multiplied, adaptive=adaptive, less=Fraction(99, 100)),
            )
            for adaptive, text in (
                (False, r"Going through the coins of two randomized responses gives the same."),
                (True, r"Likewise if the second response is flipped when the first output is $1$."),
            )
        ),
    )


def attained() -> Steps:
    """Exact losses with symbols."""
    v_1, v_2 = _variances
    noise = [[v_1, 0], [0, v_2]]
    stated = 1 / (2 * v_1) + 1 / (2 * v_2)
    return (
        lemma(
            "two_observations",
            r"A number that changes by $1$ is observed twice, with independent noise of variances $v_1$ and $v_2$: "
            r"alone the losses are $\frac{1}{2 v_1}$ and $\frac{1}{2 v_2}$, together their sum.",
            gaussian_loss("composition.two", GaussianObservation([[1], [1]], sp.eye(2).tolist(), noise), (1,), stated),
        ),
        lemma(
            "adaptive_observations",
            r"If the second mean is $x + c\, y_1$, with the first output $y_1$, the loss is the same for all $c$.",
            gaussian_loss(
                "composition.adaptive",
                GaussianObservation([[1], [1 + _seen]], [[1, 0], [_seen, 1]], noise),
                (1,),
                stated,
            ),
        ),
    )


def correlated(correlation: sp.Expr) -> GaussianObservation:
    """A number observed twice, with correlated noise of variance 1."""
    return GaussianObservation([[1], [1]], sp.eye(2).tolist(), [[1, correlation], [correlation, 1]])


def shared() -> Steps:
    """Opposite noise, and noise that is shown."""
    single = GaussianObservation([[1]], [[1]], [[1]])
    return (
        counterexample(
            "opposite_noise",
            r"A number is observed twice, with noise of variance $1$ and correlation $-\frac12$. Each observation has "
            r"the loss $\frac12$, and both together $2$: their mean has less noise.",
            le(_loss, _budgets[0] + _budgets[1]),
            {
                _loss: lambda: correlated(sp.Rational(-1, 2)).loss((1,)),
                _budgets[0]: lambda: single.loss((1,)),
                _budgets[1]: lambda: single.loss((1,)),
            },
        ),
        lemma(
            "any_correlation",
            r"For any correlation $r$ the loss of both observations is",
            gaussian_loss("composition.correlated", correlated(_r), (1,), _LOSS_OF_BOTH, hypotheses=_CORRELATED),
            lines=r"\rho &= \frac{1}{1 + r}",
        ),
        counterexample(
            "negative_correlation",
            r"For $r = -\frac12$ it is larger than the sum of the losses:",
            _NO_MORE,
            {_r: sp.Rational(-1, 2)},
            _CORRELATED,
        ),
        lemma(
            "noise_that_is_shown",
            r"If the second algorithm shows the noise of the first, it alone has no loss, and the pair tells the data.",
            (
                gaussian_loss("composition.noise_alone", GaussianObservation([[0]], [[1]], [[1]]), (1,), 0),
                gaussian_loss("composition.shown", GaussianObservation([[1], [0]], [[1], [1]], [[1]]), (1,), sp.oo),
            ),
        ),
    )


CLAIMS = {"turnstile.composition": composition}
