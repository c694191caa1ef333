"""Theorem 3.7: privacy and accuracy of the sparse vector technique (Algorithm 2)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.sparse_vector import SparseVector, largest_ratio, printed
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.quantities import one_of
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, related

_threshold, _noise, _value, _other = sp.symbols("z nu q qprime", real=True)
_cutoff, _queries, _alpha = sp.symbols("c k alpha", positive=True)
_beta = sp.Symbol("beta", positive=True)
_small = sp.Symbol("y", positive=True)
_scale, _least = sp.symbols("b s", positive=True)
_one_loss, _above_loss = sp.symbols("l_Z l_nu", nonnegative=True)
_both_above, _ratio = sp.symbols("P_both R")
_large = sp.Symbol("v", positive=True)
"""A value of both queries."""

ERROR = 8 * _cutoff * (sp.log(_queries) + sp.log(2 * _cutoff / _beta)) / epsilon
ROOT = Fraction(1, 2)
"""``exp(-eps / (4 c))`` in the enumerations."""
_COUNTED = (sp.Le(_one_loss, epsilon / 2), sp.Le(_above_loss, 2 * epsilon / (4 * _cutoff)))
_log = sp.Symbol("l", real=True)
_FALLS = (sp.Le(_log, 0), sp.Ge(_cutoff, 1))
_AT_LEAST_ONE = (sp.Ge(_cutoff, 1), sp.Ge(_queries, 1))


def sparse_vector() -> Claim:
    """Privacy for every number of queries, accuracy until the cutoff, and two readings that fail."""
    return Claim(
        id="turnstile.sparse_vector",
        title="The sparse vector technique",
        references=(Reference("turnstile", "Theorem 3.7, section 3.2", "the formulas and the listing are lost"),),
        statement=r"Algorithm 2 is $\rho$-zCDP for adaptively chosen queries of sensitivity $1$. With probability at "
        r"least $1 - \beta$ its answers to $k$ queries are $\alpha$-accurate until the cutoff, $\alpha = 8 c (\log k + "
        r"\log(2 c/\beta)) / \varepsilon$ with $\varepsilon = \sqrt{2 \rho}$: an answer is above only if the query is "
        r"at least $-\alpha$, and below only if it is at most $\alpha$.",
        hypotheses=(r"$\rho > 0$, $0 < \beta < 1$; the cutoff $c$ and $k$ are whole numbers, at least $1$",),
        silent=(
            r"the listing is lost and read as: the noise of the threshold is drawn once from "
            r"$\mathrm{Lap}(2/\varepsilon)$, that of each query from $\mathrm{Lap}(4c/\varepsilon)$; an answer is "
            r"above if the noisy query is at least the noisy threshold and fewer than $c$ answers were above",
            "a query depends on the data and on the answers before it, and on no other noise",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "privacy",
                r"Let neighbours have the values $q$ and $q'$ of a query, $|q - q'| \le 1$, and let the noise of the "
                r"threshold be larger by $1$, and that of each query with an answer above larger by $2$. Then noise "
                r"that gives some answers for $q$ gives the same answers for $q'$. Its density changes by a factor of "
                r"at most $e^{\varepsilon}$. So Algorithm 2 is $\varepsilon$-differentially private for every number "
                r"of queries, by integration over the noise, and with $\varepsilon = \sqrt{2 \rho}$ it is $\rho$-zCDP "
                r"by Lemma 2.10.",
                privacy(),
                formal=stated_privacy(),
            ),
            Part(
                Role.PUBLISHED,
                "accuracy until the cutoff",
                r"With probability at least $1 - \beta$ no noise is larger than $\alpha/2$ up to the cutoff: the "
                r"probability of a larger noise is at most $k e^{-\alpha \varepsilon/(8 c)} = \frac{\beta}{2 c}$ for "
                r"the queries and $e^{-\alpha \varepsilon/4} = e^{2 c l} \le e^l$ for the threshold, $l = \log "
                r"\frac{\beta}{2 c k} \le 0$. Then every answer is accurate: $q \ge -\alpha$ if it is above, and $q "
                r"\le \alpha$ if it is below.",
                accuracy(),
                formal=stated_accuracy(),
            ),
            Part(
                Role.READING,
                "accuracy for all queries",
                r"Definition 3.6 asks for all queries. After the cutoff every answer is below, whatever the query: no "
                r"$\alpha$ bounds the error. In the formulas both of two queries have the value $v$, $c = 1$, and "
                r"$P_{\mathrm{both}}$ is the probability of two answers above.",
                after_the_cutoff(),
                formal=(
                    *symbolic(eq(_both_above, 0), given=(one_of(_two_queries()),)),
                    *symbolic(
                        lt(_both_above, 1 - _beta),
                        given=(eq(_large, _LARGEST), sp.Lt(_beta, 1)),
                    ),
                ),
                holds=False,
                departs="until the cutoff",
            ),
            Part(
                Role.READING,
                "noise of the queries without the cutoff",
                r"With noise $\mathrm{Lap}(4/\varepsilon)$ for the queries the loss exceeds $\varepsilon$ for larger "
                r"cutoffs. In the formula $R$ is a ratio of probabilities of the same answers for neighbours.",
                unscaled(),
                formal=symbolic(
                    gt(_ratio, sp.exp(epsilon)),
                    given=(eq(_cutoff, 3), eq(epsilon, sp.log(16))),
                ),
                holds=False,
                departs=r"$\mathrm{Lap}(4c/\varepsilon)$",
            ),
        ),
        in_words=(
            (
                "losses_add",
                "the bound on the density holds for each value of the noise, and so for the integral over it; answers "
                "below cost nothing, for any number of them",
            ),
            ("accurate_above", "all noises are small at once, except with the sum of the probabilities"),
        ),
        uses=("turnstile.zcdp_conversion",),
    )


def stated_privacy() -> tuple[str, ...]:
    """Answers below and above stay, each density changes by at most its factor, and the factors have the budget."""
    below = (sp.Le(_other, _value + 1), sp.Lt(_value + _noise, _threshold))
    above = (sp.Ge(_other, _value - 1), sp.Ge(_value + _noise, _threshold))
    return (
        *symbolic(lt(_other + _noise, _threshold + 1), given=below),
        *symbolic(ge(_other + _noise + 2, _threshold + 1), given=above),
        *symbolic(
            *(le(sp.Abs(_noise + shift) - sp.Abs(_noise), shift) for shift in (1, 2)),
        ),
        *symbolic(le(_one_loss + _cutoff * _above_loss, epsilon), given=_COUNTED),
    )


def stated_accuracy() -> tuple[str, ...]:
    """The two tails, their sum, and what small noise tells of an answer."""
    tail = sp.Symbol(r"k e^{-\alpha \varepsilon/(8c)}")
    return (
        *symbolic(eq(tail, _beta / (2 * _cutoff))),
        *symbolic(
            eq(
                -ERROR * epsilon / 4,
                2 * _cutoff * (sp.log(_beta) - sp.log(2 * _cutoff) - sp.log(_queries)),
            ),
        ),
        *symbolic(le(2 * _cutoff * _log, _log), given=_FALLS),
        *symbolic(
            le(_beta / (2 * _cutoff) + _beta / (2 * _cutoff * _queries), _beta),
            given=_AT_LEAST_ONE,
        ),
        *symbolic(ge(_value, -_alpha), given=(*_no_larger(), sp.Ge(_value + _noise, _threshold))),
        *symbolic(le(_value, _alpha), given=(*_no_larger(), sp.Lt(_value + _noise, _threshold))),
    )


def privacy() -> Steps:
    """Shift the noise of the threshold by 1, and that of each answer above by 2."""
    return (
        at_most(
            "below_stays_below",
            r"Fix the answers, and let $q, q'$ be the values of a query for neighbours: they differ by at most $1$. "
            r"Shift the noise $z$ of the threshold by $1$. A query below the threshold stays below, with the same "
            r"noise.",
            Inequality(
                "sparse_vector.below",
                _other + _noise,
                _threshold + 1,
                (sp.Le(_other, _value + 1), sp.Lt(_value + _noise, _threshold)),
                strict=True,
            ),
            lines=r"q + \nu < z &\implies q' + \nu < z + 1",
        ),
        at_most(
            "above_stays_above",
            r"For an answer above, shift the noise of the query by $2$.",
            Inequality(
                "sparse_vector.above",
                _threshold + 1,
                _other + _noise + 2,
                (sp.Ge(_other, _value - 1), sp.Ge(_value + _noise, _threshold)),
            ),
            lines=r"q + \nu \ge z &\implies q' + (\nu + 2) \ge z + 1",
        ),
        *(
            at_most(
                f"shift_by_{shift}",
                text,
                Inequality(
                    f"sparse_vector.shift_{shift}",
                    sp.Abs(_noise + shift) - sp.Abs(_noise),
                    sp.Integer(shift),
                    (),
                ),
                lines=rf"|\nu + {shift}| - |\nu| &\le {shift}",
            )
            for shift, text in (
                (1, r"The density of Laplace noise of scale $b$ changes by at most a factor $e^{1/b}$."),
                (2, r"For a shift by $2$ it is at most $e^{2/b}$. These bounds hold for all real numbers $\nu$."),
            )
        ),
        at_most(
            "losses_add",
            r"At most $c$ answers are above. With $b = 2/\varepsilon$ for the threshold and $b = 4 c/\varepsilon$ for "
            r"the queries the losses $l_Z$ and $l_\nu$ add up to $\varepsilon$ at most, for any number of answers "
            r"below. The bound holds for each noise, and so for the integral over it. By the same steps it holds with "
            r"the neighbours exchanged.",
            Inequality(
                "sparse_vector.losses",
                _one_loss + _cutoff * _above_loss,
                epsilon,
                _COUNTED,
            ),
            lines=r"l_Z + c\, l_\nu &\le \varepsilon",
        ),
        enumerated(
            "exact_distributions",
            r"Exact probabilities with geometric noise on the whole numbers agree: $\varepsilon = 4 c \log 2$.",
            "cutoffs 1 and 2, 2 and 3 queries with values from -2 to 1 that change by at most 1: the ratio of the "
            "probabilities of any answers is at most exp(eps)",
            product((1, 2), (2, 3)),
            lambda case: largest_ratio(printed(case[0], ROOT), (-2, -1, 0, 1), case[1]) <= ROOT ** (-4 * case[0]),
            mutant=lambda case: (
                largest_ratio(printed(case[0], ROOT), (-2, -1, 0, 1), case[1]) <= ROOT ** (-2 * case[0])
            ),
        ),
        enumerated(
            "distributions_are_distributions",
            r"The probabilities of all answers add up to $1$.",
            "cutoffs 1 and 2, 3 queries with values from -2 to 1",
            product((1, 2), product((-2, -1, 0, 1), repeat=3)),
            lambda case: sum(printed(case[0], ROOT).distribution(case[1]).values()) == 1,
            mutant=lambda case: printed(case[0], ROOT).chance(case[1], (0, 0, 0)) == Fraction(1, 8),
        ),
    )


def accuracy() -> Steps:
    """A union bound over the noises."""
    return (
        equal_as(
            "laplace_tail",
            r"For Laplace noise of scale $b$,",
            (
                lambda: 2 * sp.integrate(sp.exp(-_small / _scale) / (2 * _scale), (_small, _least, sp.oo)),
                sp.exp(-_least / _scale),
            ),
            r"P(|\nu| > s) &= e^{-s/b}",
        ),
        equal_as(
            "queries_tail",
            r"For $s = \alpha/2$ and $b = 4 c/\varepsilon$, summed over $k$ queries:",
            (
                lambda: sp.simplify(_queries * sp.exp(-(ERROR / 2) * epsilon / (4 * _cutoff))),
                _beta / (2 * _cutoff),
            ),
            r"k e^{-\alpha \varepsilon/(8c)} &= \frac{\beta}{2c}",
        ),
        equal(
            "threshold_exponent",
            r"For the threshold, $b = 2/\varepsilon$, the probability is $e^{-\alpha \varepsilon/4} = y^{2c}$ with $y "
            r"= \beta / (2 c k)$. Its exponent is",
            "",
            -(ERROR / 2) * epsilon / 2,
            2 * _cutoff * (sp.log(_beta) - sp.log(2 * _cutoff) - sp.log(_queries)),
        ),
        at_most(
            "threshold_tail",
            r"As $l = \log y \le 0$ and $c \ge 1$, the probability is at most $e^l = y$.",
            Inequality(
                "sparse_vector.threshold",
                2 * _cutoff * _log,
                _log,
                _FALLS,
                raised=sp.Rational(1, 1000),
            ),
            lines=r"2 c\, l &\le l",
        ),
        at_most(
            "union",
            r"Together,",
            Inequality(
                "sparse_vector.union",
                _beta / (2 * _cutoff) + _beta / (2 * _cutoff * _queries),
                _beta,
                _AT_LEAST_ONE,
            ),
            lines=r"\frac{\beta}{2c} + \frac{\beta}{2ck} &\le \beta",
        ),
        at_most(
            "accurate_above",
            r"If no noise is larger than $\alpha/2$, an answer above tells",
            Inequality(
                "sparse_vector.accurate_above",
                -_value,
                _alpha,
                (*_no_larger(), sp.Ge(_value + _noise, _threshold)),
            ),
            lines=r"q + \nu \ge z &\implies q \ge -\alpha",
        ),
        at_most(
            "accurate_below",
            r"An answer below tells",
            Inequality(
                "sparse_vector.accurate_below",
                _value,
                _alpha,
                (*_no_larger(), sp.Lt(_value + _noise, _threshold)),
            ),
            lines=r"q + \nu < z &\implies q \le \alpha",
        ),
    )


def _no_larger() -> tuple[sp.Basic, ...]:
    bounds = ((_noise, 1), (_noise, -1), (_threshold, 1), (_threshold, -1))
    return tuple(sp.Le(2 * sign * noise, _alpha) for noise, sign in bounds)


def after_the_cutoff() -> Steps:
    """Two large queries, and one answer above allowed."""
    return (
        related(
            "none_above",
            r"For $c = 1$ and two large queries both answers must be above. This never happens.",
            "the probability of two answers above, at the cutoff 1",
            eq(_both_above, 0),
            [{**case, _both_above: _chance_of_both(int(case[_large]))} for case in _two_queries()],
            mutant=gt(_both_above, 0),
            parameters=(_large,),
        ),
        counterexample(
            "two_large_queries",
            r"At the value $10^6$, for example:",
            ge(_both_above, 1 - _beta),
            {
                _both_above: lambda: _chance_of_both(_LARGEST),
                _large: sp.Integer(_LARGEST),
                _beta: sp.Rational(1, 200),
            },
            free=(_beta,),
        ),
    )


_LARGEST = 10**6


def _two_queries() -> list[dict[sp.Symbol, int]]:
    return [{_large: 10**power} for power in range(7)]


def _chance_of_both(value: int) -> Fraction:
    return printed(1, ROOT).chance((value, value), (1, 1))


def unscaled() -> Steps:
    """Four answers below that rise, and three above that fall."""
    algorithm = SparseVector(3, ROOT**2, ROOT)
    answers = (0, 0, 0, 0, 1, 1, 1)

    def ratio() -> Fraction:
        one, other = (0, 0, 0, 0, 0, 0, 0), (1, 1, 1, 1, -1, -1, -1)
        return algorithm.chance(one, answers) / algorithm.chance(other, answers)

    return (
        counterexample(
            "three_above",
            r"For $c = 3$, with geometric noise and $e^{\varepsilon} = 16$, take four answers below to queries of "
            r"value $0$, or $1$ for the neighbour, and three above to queries of value $0$, or $-1$.",
            le(_ratio, sp.exp(epsilon)),
            {_ratio: ratio, epsilon: -4 * sp.log(sp.Rational(1, 2)), _cutoff: sp.Integer(3)},
        ),
    )


CLAIMS = {"turnstile.sparse_vector": sparse_vector}
