"""Theorem 3.7: privacy and accuracy of the sparse vector technique (Algorithm 2).

For exact probabilities of all answers the noise is two-sided geometric. The ratios of the two noises play the parts of
``exp(-1/scale)`` of Laplace noise: a shift of the noise by a whole number costs what it costs there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import sympy as sp

from pan_proofs.continual.steps import stated
from pan_proofs.engines.quantities import one_of
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, equal, related

Answers = tuple[int, ...]
"""1 for "above" and 0 for "below", one for each query."""


@dataclass(frozen=True)
class SparseVector:
    """The algorithm with threshold 0.

    Attributes
    ----------
    cutoff
        The number of answers "above" after which each answer is "below".
    threshold
        The ratio of the noise of the threshold: it is ``z`` with a probability proportional to ``threshold**abs(z)``.
    query
        The ratio of the noise of each query.
    """

    cutoff: int
    threshold: Fraction
    query: Fraction

    def distribution(self, queries: tuple[int, ...]) -> dict[Answers, Fraction]:
        """The probability of all answers to queries with these values."""
        return {answers: self.chance(queries, answers) for answers in product((0, 1), repeat=len(queries))}

    def chance(self, queries: tuple[int, ...], answers: Answers) -> Fraction:
        """The probability of some answers."""
        asked = self._asked(queries, answers)
        if asked is None:
            return Fraction(0)
        low, high = min((0, *queries)), max((0, *queries))
        weight = (1 - self.threshold) / (1 + self.threshold)
        total = sum(
            (self.threshold ** abs(z) * self._given(asked, z) for z in range(low, high + 1)),
            Fraction(0),
        )
        return weight * (total + self._beyond(asked, high, 1) + self._beyond(asked, low, -1))

    def _asked(self, queries: tuple[int, ...], answers: Answers) -> tuple[tuple[int, int], ...] | None:
        """The queries that are compared with the threshold; ``None`` if there are more answers "above" than allowed."""
        asked, count = [], 0
        for query, answer in zip(queries, answers, strict=True):
            if count == self.cutoff:
                if answer:
                    return None
                continue
            asked.append((query, answer))
            count += answer
        return tuple(asked)

    def _given(self, asked: tuple[tuple[int, int], ...], z: int) -> Fraction:
        """The probability of the answers for one value of the noisy threshold."""
        chance = Fraction(1)
        for query, answer in asked:
            reached = tail(self.query, z - query)
            chance *= reached if answer else 1 - reached
        return chance

    def _beyond(self, asked: tuple[tuple[int, int], ...], end: int, side: int) -> Fraction:
        """The sum over the thresholds beyond an end: each factor is linear in ``query**abs(z)``."""
        polynomial = [Fraction(1)]
        for query, answer in asked:
            # Above all queries: P(noise >= z - query) is a multiple of query**z; below all: 1 minus such a multiple.
            factor = self.query ** (-query if side > 0 else 1 + query) / (1 + self.query)
            small = answer if side > 0 else 1 - answer
            linear = (Fraction(0), factor) if small else (Fraction(1), -factor)
            shifted = [Fraction(0), *(linear[1] * one for one in polynomial)]
            kept = [*(linear[0] * one for one in polynomial), Fraction(0)]
            polynomial = [one + other for one, other in zip(kept, shifted, strict=True)]
        total, first = Fraction(0), abs(end) + 1
        for power, coefficient in enumerate(polynomial):
            ratio = self.threshold * self.query**power
            total += coefficient * ratio**first / (1 - ratio)
        return total


@cache
def tail(ratio: Fraction, least: int) -> Fraction:
    """The probability that two-sided geometric noise is at least a whole number."""
    if least > 0:
        return ratio**least / (1 + ratio)
    return 1 - ratio ** (1 - least) / (1 + ratio)


def printed(cutoff: int, root: Fraction) -> SparseVector:
    """The noise of Algorithm 2 for the budget ``eps``, with ``root = exp(-eps / (4 cutoff))``."""
    return SparseVector(cutoff, root ** (2 * cutoff), root)


def largest_ratio(algorithm: SparseVector, values: tuple[int, ...], number: int) -> Fraction:
    """The largest ratio of the probabilities of answers, over queries of some values that change by at most 1."""
    distributions = {queries: algorithm.distribution(queries) for queries in product(values, repeat=number)}
    largest = Fraction(0)
    for one, distribution in distributions.items():
        for steps in product((-1, 0, 1), repeat=number):
            other = distributions.get(tuple(value + step for value, step in zip(one, steps, strict=True)))
            if other is not None:
                largest = max(largest, *(chance / other[answers] for answers, chance in distribution.items() if chance))
    return largest


_threshold, _noise, _value, _other, _log = sp.symbols("z nu q qprime l", real=True)
_cutoff, _queries, _alpha, _beta = sp.symbols("c k alpha beta", positive=True)
_small, _scale, _least = sp.symbols("y b s", positive=True)
_one_loss, _above_loss = sp.symbols("l_Z l_nu", nonnegative=True)
_both_above, _ratio = sp.symbols("P_both R")
_large = sp.Symbol("v", positive=True)
"""A value of both queries."""
ERROR = 8 * _cutoff * (sp.log(_queries) + sp.log(2 * _cutoff / _beta)) / epsilon
ROOT = Fraction(1, 2)
"""``exp(-eps / (4 c))`` in the enumerations."""
_LARGEST = 10**6
_EXPONENT = 2 * _cutoff * (sp.log(_beta) - sp.log(2 * _cutoff) - sp.log(_queries))
_QUIET = tuple(sp.Le(2 * sign * one, _alpha) for one in (_noise, _threshold) for sign in (1, -1))
_BELOW, _ABOVE = sp.Lt(_value + _noise, _threshold), sp.Ge(_value + _noise, _threshold)


def _shifts() -> Steps:
    """Shift the noise of the threshold by 1, and that of each answer above by 2."""
    return (
        bounded(
            "below_stays_below",
            r"Fix the answers, and let $q, q'$ be the values of a query for neighbours: they differ by at most $1$. "
            r"Shift the noise $z$ of the threshold by $1$. A query below the threshold, $q + \nu < z$, stays below, "
            r"with the same noise.",
            lt(_other + _noise, _threshold + 1),
            sp.Le(_other, _value + 1),
            _BELOW,
        ),
        bounded(
            "above_stays_above",
            r"For an answer above, $q + \nu \ge z$, shift the noise of the query by $2$.",
            ge(_other + _noise + 2, _threshold + 1),
            sp.Ge(_other, _value - 1),
            _ABOVE,
        ),
        *(
            bounded(f"shift_by_{shift}", text, le(sp.Abs(_noise + shift) - sp.Abs(_noise), shift))
            for shift, text in (
                (1, r"The density of Laplace noise of scale $b$ changes by at most a factor $e^{1/b}$."),
                (2, r"For a shift by $2$ it is at most $e^{2/b}$. These bounds hold for all real numbers $\nu$."),
            )
        ),
        bounded(
            "losses_add",
            r"At most $c$ answers are above. With $b = 2/\varepsilon$ for the threshold and $b = 4 c/\varepsilon$ for "
            r"the queries the losses $l_Z$ and $l_\nu$ add up to $\varepsilon$ at most, for any number of answers "
            r"below. The bound holds for each noise, and so for the integral over it. By the same steps it holds with "
            r"the neighbours exchanged.",
            le(_one_loss + _cutoff * _above_loss, epsilon),
            sp.Le(_one_loss, epsilon / 2),
            sp.Le(_above_loss, 2 * epsilon / (4 * _cutoff)),
        ),
    )


def _tails() -> Steps:
    """The tails of both noises, and what small noise tells of an answer."""
    return (
        equal(
            "threshold_exponent",
            r"For the threshold, $b = 2/\varepsilon$, the probability is $e^{-\alpha \varepsilon/4} = y^{2c}$ with $y "
            r"= \beta / (2 c k)$. Its exponent is",
            "",
            -ERROR * epsilon / 4,
            _EXPONENT,
        ),
        bounded(
            "threshold_tail",
            r"As $l = \log y \le 0$ and $c \ge 1$, the probability is at most $e^l = y$.",
            le(2 * _cutoff * _log, _log),
            sp.Le(_log, 0),
            sp.Ge(_cutoff, 1),
            raised=sp.Rational(1, 1000),
        ),
        bounded(
            "union",
            r"Together,",
            le(_beta / (2 * _cutoff) + _beta / (2 * _cutoff * _queries), _beta),
            sp.Ge(_cutoff, 1),
            sp.Ge(_queries, 1),
        ),
        bounded(
            "accurate_above",
            r"If no noise is larger than $\alpha/2$, an answer above tells",
            le(-_value, _alpha),
            *_QUIET,
            _ABOVE,
        ),
        bounded("accurate_below", r"An answer below tells", le(_value, _alpha), *_QUIET, _BELOW),
    )


def _two_queries() -> list[dict[sp.Symbol, int]]:
    return [{_large: 10**power} for power in range(7)]


def _chance_of_both(value: int) -> Fraction:
    return printed(1, ROOT).chance((value, value), (1, 1))


def _unscaled() -> Fraction:
    """The ratio for four answers below that rise, and three above that fall."""
    algorithm, answers = SparseVector(3, ROOT**2, ROOT), (0, 0, 0, 0, 1, 1, 1)
    return algorithm.chance((0,) * 7, answers) / algorithm.chance((1, 1, 1, 1, -1, -1, -1), answers)


def sparse_vector() -> Claim:
    """Privacy for every number of queries, accuracy until the cutoff, and two readings that fail."""
    shifts, tails = _shifts(), _tails()
    values = (-2, -1, 0, 1)
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
            derived(
                Role.PUBLISHED,
                "privacy",
                r"Let neighbours have the values $q$ and $q'$ of a query, $|q - q'| \le 1$, and let the noise of the "
                r"threshold be larger by $1$, and that of each query with an answer above larger by $2$. Then noise "
                r"that gives some answers for $q$ gives the same answers for $q'$. Its density changes by a factor of "
                r"at most $e^{\varepsilon}$. So Algorithm 2 is $\varepsilon$-differentially private for every number "
                r"of queries, by integration over the noise, and with $\varepsilon = \sqrt{2 \rho}$ it is $\rho$-zCDP "
                r"by Lemma 2.10.",
                *shifts,
                enumerated(
                    "exact_distributions",
                    r"Exact probabilities with geometric noise on the whole numbers agree: $\varepsilon = 4 c \log "
                    r"2$.",
                    "cutoffs 1 and 2, 2 and 3 queries with values from -2 to 1 that change by at most 1: the ratio "
                    "of the probabilities of any answers is at most exp(eps)",
                    [
                        (cutoff, largest_ratio(printed(cutoff, ROOT), values, number))
                        for cutoff, number in product((1, 2), (2, 3))
                    ],
                    lambda case: case[1] <= ROOT ** (-4 * case[0]),
                    mutant=lambda case: case[1] <= ROOT ** (-2 * case[0]),
                ),
                enumerated(
                    "distributions_are_distributions",
                    r"The probabilities of all answers add up to $1$.",
                    "cutoffs 1 and 2, 3 queries with values from -2 to 1",
                    product((1, 2), product(values, repeat=3)),
                    lambda case: sum(printed(case[0], ROOT).distribution(case[1]).values()) == 1,
                    mutant=lambda case: printed(case[0], ROOT).chance(case[1], (0, 0, 0)) == Fraction(1, 8),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "accuracy until the cutoff",
                r"With probability at least $1 - \beta$ no noise is larger than $\alpha/2$ up to the cutoff: the "
                r"probability of a larger noise is at most $k e^{-\alpha \varepsilon/(8 c)} = \frac{\beta}{2 c}$ for "
                r"the queries and $e^{-\alpha \varepsilon/4} = e^{2 c l} \le e^l$ for the threshold, $l = \log "
                r"\frac{\beta}{2 c k} \le 0$. Then every answer is accurate: $q \ge -\alpha$ if it is above, and $q "
                r"\le \alpha$ if it is below.",
                (
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
                    *tails,
                ),
                formal=(
                    *symbolic(eq(sp.Symbol(r"k e^{-\alpha \varepsilon/(8c)}"), _beta / (2 * _cutoff))),
                    *stated(*tails),
                ),
            ),
            Part(
                Role.READING,
                "accuracy for all queries",
                r"Definition 3.6 asks for all queries. After the cutoff every answer is below, whatever the query: no "
                r"$\alpha$ bounds the error. In the formulas both of two queries have the value $v$, $c = 1$, and "
                r"$P_{\mathrm{both}}$ is the probability of two answers above.",
                (
                    related(
                        "none_above",
                        r"For $c = 1$ and two large queries both answers must be above. This never happens.",
                        "the probability of two answers above, at the cutoff 1",
                        eq(_both_above, 0),
                        [{**case, _both_above: _chance_of_both(case[_large])} for case in _two_queries()],
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
                ),
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
                (
                    counterexample(
                        "three_above",
                        r"For $c = 3$, with geometric noise and $e^{\varepsilon} = 16$, take four answers below to "
                        r"queries of value $0$, or $1$ for the neighbour, and three above to queries of value $0$, or "
                        r"$-1$.",
                        le(_ratio, sp.exp(epsilon)),
                        {_ratio: _unscaled, epsilon: sp.log(16), _cutoff: sp.Integer(3)},
                    ),
                ),
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


CLAIMS = {"turnstile.sparse_vector": sparse_vector}
