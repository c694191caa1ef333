"""The counter without a known flippancy: every element pays with its own budget, over phases that outputs end."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.adaptive_accounting import Phases, largest_loss, loss, runs, spent_covers
from pan_proofs.continual.claims.composition import moment
from pan_proofs.continual.factored_steps import (
    TWO_COLUMNS,
    TWO_COLUMNS_GIVEN,
    columns,
    costs_below_changes,
    later_changes,
    rounding,
    two_columns,
)
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.foundations.finite_mechanisms import Distribution, biased
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal

_order = sp.Symbol("alpha", positive=True)
_rho, _lost, _now = sp.symbols("rho K kappa", nonnegative=True)
_value, _factor, _later, _bound = sp.symbols("V H U W", nonnegative=True)
_sum, _slack, _step = sp.symbols("X Q q", real=True)
_price, _next = sp.symbols("c cprime", nonnegative=True)
_paid, _other, _limit = sp.symbols("E Eprime B", nonnegative=True)
_bound_of_changes, _loss, _alarms, _alarm, _rest = sp.symbols("w l a p r", nonnegative=True)
_found, _stated = sp.symbols("F G", nonnegative=True)
_excess = sp.Symbol("F_0")
"""The largest loss of a pair of vectors beyond all that was paid."""

_rate = _order * (_order - 1)
_LEFT = (
    sp.Mul(sp.exp(_rate * _now), sp.exp(_rate * (_rho - _lost - _now)), evaluate=False),
    sp.exp(_rate * (_rho - _lost)),
)
"""The bound on all factors from a value on, and that before it."""
_inner = sp.Symbol("u", nonnegative=True)
_PRODUCT = (sp.Le(_value, _bound * _inner), sp.Le(_inner, _later), sp.Le(_bound, _factor))
_FALLING = (sp.Le(_sum, _slack * _price), sp.Le(_slack, 0), sp.Le(_next, _price))
_FACTORS = (Fraction(1), Fraction(3, 2), Fraction(3))
_THIRD = Fraction(1, 3)
EXAMPLES = (
    Phases.of(1, 1, first=Fraction(4, 5), recomputing=Fraction(1, 5), growth=2),
    Phases.of(1, 2, first=_THIRD, recomputing=Fraction(1, 5), growth=4),
    Phases.of(1, 2, first=Fraction(1, 4), recomputing=Fraction(1, 4), growth=2),
    Phases.of(2, 2, first=_THIRD, recomputing=Fraction(1, 5), growth=4),
    Phases.of(1, 3, first=Fraction(1, 4), recomputing=Fraction(1, 10), growth=4),
)
"""Phases with few steps: by the changes that the first has room for, and their number."""
_FIRST = (
    sp.Le(_loss, (2 * _bound_of_changes - 1) * _price),
    sp.Le(_alarms, _alarm),
    sp.Le((2 * _bound_of_changes - 1) * _price + _alarm + _rest, _rho),
)
_LATER = (sp.Le(_paid, _limit / 2), sp.Le(_other, _limit / 2), sp.Le(_limit + _rest, _rho))


def calibrated_adaptive() -> Claim:
    """Sequences of decisions, prices, refusals and budgets."""
    return Claim(
        id="continual.adaptive",
        title="Counting without a known flippancy, with a budget for each element",
        references=(
            Reference(
                "here",
                "for the counter calibrated-adaptive",
                "in place of Algorithm 3 of the turnstile paper, which has a copy for each bound and a sparse vector",
            ),
        ),
        statement=r"Let $R$ be lower triangular and Toeplitz with entries $r_0 \ge r_1 \ge \dots \ge 0$, and $S = "
        r"\sum_k r_k^2$. A stream has phases $j = 0, 1, \dots$ with prices $c_0 \ge c_1 \ge \dots$. In phase $j$ the "
        r"values $R x$ of the followed vectors are released with independent noise $N(0, S/c_j)$. An element is "
        r"followed while it can pay $c_j$ for each change, and half of the price $p_j$ of an alarm besides, within its "
        r"limit. The number of elements that are refused for the first time in the phase is released in the same way, "
        r"with its own factor and the noise $N(0, S'/p_j)$; what is released decides when a phase ends. Then the "
        r"followed vectors take the present values, and elements pay for that. After the last phase the count is "
        r"released with the noise $N(0, m/(2 r))$ at most $m$ times. The first limit is $w c_0 + p_0/2$, the limit of "
        r"phase $j \ge 1$ is $B_j/2$, and $(2 w - 1) c_0 + p_0 + r \le \rho$, $2 w c_0 + p_0 \le B_1 \le B_2 \le \dots "
        r"\le \rho - r$. All that is released is $\rho$-item-level-zCDP, for all streams.",
        notation=(
            (r"$\kappa$", r"the loss $\kappa_t$ of one value"),
            ("$D$", r"bound on the distance: $\Delta + m\,(\eta + h\,\sigma)$"),
            (r"$\sigma_t$", "standard deviation of the noise at step $t$"),
        ),
        hypotheses=(
            r"$w \ge 1$ is a whole number",
            r"the noise is independent",
            r"every element can pay a change and its refusal in each phase",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "decisions that depend on outputs",
                r"Let the distribution of each released value, for all earlier ones, be normal with a variance that "
                r"depends on "
                r"these alone. If for every sequence of released values the sum of $d_t^2 / (2 \sigma_t^2)$ over the "
                r"differences $d_t$ of the means is at most $\rho$, the mechanism is $\rho$-zCDP.",
                sequences(),
                formal=(
                    *symbolic(eq(*_LEFT)),
                    *symbolic(le(_value, _factor * _later), given=_PRODUCT),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the loss of a pair",
                r"For every sequence of released values two elements lose at most $E + E'$ and what recomputing costs, "
                r"where $E$ and $E'$ are what they paid. The first formula passes the weighted costs of the changes "
                r"from step to step: $X$ is their sum so far, $Q \le 0$ that without prices, and $c' \le c$ the next "
                r"price. The second bounds two refusals: $A$ and $B$ are the squared norms of their columns, $C$ is "
                r"the inner product.",
                (
                    *columns(),
                    *later_changes(),
                    costs_below_changes(),
                    *prices(),
                    two_columns(
                        "two_refusals",
                        r"An element is refused for the first time once in a phase: it adds $1$ to one step. Two "
                        r"elements that are refused at steps $i$ and $j$ cost $2 S'$ at most, that is $\frac{2 S'}{2 "
                        r"S'/p} = p$, and each of them paid $p/2$. If one is refused, the cost is $\frac{S'}{2 S'/p} = "
                        r"p/2$.",
                    ),
                    covered(),
                ),
                formal=(
                    *symbolic(le(_sum + _step * _next, (_slack + _step) * _next), given=_FALLING),
                    *symbolic(TWO_COLUMNS, given=TWO_COLUMNS_GIVEN),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the budget",
                r"For every sequence of released values the loss is at most $\rho$. If both elements paid in the first "
                r"phase alone, it is $l + a + r$ for the changes, the refusals and the computations; $p = p_0$. "
                r"Otherwise $B$ is twice the limit of the last phase in which one of them paid.",
                budget(),
                formal=(
                    *symbolic(le(_loss + _alarms + _rest, _rho), given=_FIRST),
                    *symbolic(
                        le(_bound_of_changes * _price + _alarm / 2, _limit / 2),
                        given=(sp.Le(2 * _bound_of_changes * _price + _alarm, _limit),),
                    ),
                    *symbolic(le(_paid + _other + _rest, _rho), given=_LATER),
                ),
            ),
            Part(
                Role.READING,
                "prices that rise",
                r"If a later phase may have less noise than an earlier one, prices do not cover the loss: with prices "
                r"of $\frac19$ and then $1$ and four steps the largest loss exceeds all that was paid by $F_0 > 0$.",
                (
                    counterexample(
                        "rising_prices",
                        r"An element that pays $1/9$ for a change in the first phase and $1$ in the second, with four "
                        r"steps; the largest loss, and the budget.",
                        le(_excess, 0),
                        {_excess: lambda: _exact(excess(_RISING))},
                    ),
                ),
                formal=symbolic(gt(_excess, 0)),
                holds=False,
                departs=r"prices $c_0 \ge c_1 \ge \dots$",
            ),
        ),
        uses=(
            "turnstile.gaussian_mechanism",
            "turnstile.composition",
            "turnstile.post_processing",
            "continual.calibrated",
        ),
        in_words=(
            (
                "one_value_more",
                r"the induction begins after the last value and goes back to the first one, value by value",
            ),
            ("what_is_left", r"the density of all values is the product of the densities of each given those before"),
        ),
    )


def sequences() -> Steps:
    """Backward induction over the released values."""
    return (
        equal(
            "what_is_left",
            r"Let $p$ and $q$ be the densities for two neighbours and $\kappa_t = d_t^2/(2 \sigma_t^2)$, a function of "
            r"the values before $t$. The expectation of $(p/q)^\alpha$ of the value at $t$ under $q$ is $e^{\alpha "
            r"(\alpha - 1) \kappa_t}$. Let $K$ be the sum of $\kappa_s$ over $s < t$. The claim is that the "
            r"expectation of all factors from $t$ on is at most $e^{\alpha (\alpha - 1) (\rho - K)}$. After the last "
            r"value it is $1$, and $K \le \rho$. For one value more:",
            "",
            *_LEFT,
        ),
        at_most(
            "one_value_more",
            r"Here $H = e^{\alpha (\alpha - 1) \kappa_t}$, and $u \le U$ is the expectation of the later factors for a "
            r"value at $t$. Hence the expectation $V$ of all factors from $t$ on is at most $W U$ with $W \le H$.",
            Inequality(
                "adaptive.one_value",
                _value,
                _factor * _later,
                _PRODUCT,
            ),
            lines=r"V \le W u &\le H U",
        ),
        enumerated(
            "chosen_responses",
            r"Going through the coins gives the same for two randomized responses, of which the first output chooses "
            r"the second.",
            "factors of the first response and of the second after either output, orders 2 and 3: the moment of the "
            "pair is at most the product of the first moment and the larger second one",
            list(product(_FACTORS, _FACTORS, _FACTORS, (2, 3))),
            lambda case: chosen_moment(*case) <= most_of_moments(*case),
            mutant=lambda case: chosen_moment(*case) < most_of_moments(*case),
        ),
    )


def chosen(bit: int, first: Fraction, second: tuple[Fraction, Fraction]) -> Distribution:
    """Two responses to a bit; the output of the first chooses the factor of the second."""
    distribution: Distribution = {}
    for coin, chance in biased(first).items():
        output = bit ^ _whole(coin)
        for other, share in biased(second[output]).items():
            distribution[(output, bit ^ _whole(other))] = chance * share
    return distribution


def chosen_moment(first: Fraction, low: Fraction, high: Fraction, order: int) -> Fraction:
    """The moment of both responses."""
    return moment(chosen(0, first, (low, high)), chosen(1, first, (low, high)), order)


def most_of_moments(first: Fraction, low: Fraction, high: Fraction, order: int) -> Fraction:
    """The product of the first moment and the larger second one."""
    single = [moment(biased(factor), _flipped(biased(factor)), order) for factor in (first, low, high)]
    return single[0] * max(single[1:])


def _flipped(distribution: Distribution) -> Distribution:
    return {1 - _whole(coin): chance for coin, chance in distribution.items()}


def _whole(coin: object) -> int:
    assert isinstance(coin, int)
    return coin


def prices() -> Steps:
    """Weighted columns, and summation by parts over falling prices."""
    return (
        at_most(
            "weighted_columns_fall",
            r"Weigh the value at step $t$ with $1/\sigma_t^2$, which never rises. The inner products of columns still "
            r"fall: for $t = j + k$ both $r_{j - i + k}$ and the weight do not grow with $j$. A change at step $i$ in "
            r"phase $j$ has a squared norm of at most $S/\sigma_i^2 = c_j$. So costs are as in continual.calibrated, "
            r"each times its own price.",
            Inequality(
                "adaptive.weighted",
                _stated * _next * _found,
                _alarm * _price * _found,
                (sp.Le(_stated, _alarm), sp.Le(_next, _price)),
            ),
            lines=r"r_{j + 1 - i + k}\, r_k\, \sigma_{j + 1 + k}^{-2} &\le r_{j - i + k}\, r_k\, \sigma_{j + k}^{-2}",
        ),
        at_most(
            "falling_prices",
            r"Let $q$ be the cost of a change minus $2$ for each change of one of the vectors, and $Q \le 0$ the sum "
            r"of these up to a step. The sum $X$ of $q c$ is at most $Q c$ for the last price $c$: with one term more "
            r"and its price $c' \le c$ the same holds. So the weighted squared norm is at most $2 (E + E')$ for what "
            r"both elements paid for changes, and the loss is half of it.",
            Inequality(
                "adaptive.falling",
                _sum + _step * _next,
                (_slack + _step) * _next,
                _FALLING,
                raised=sp.Rational(1, 1000),
            ),
            lines=r"X + q c' \le Q c + q c' &\le (Q + q) c'",
        ),
    )


def covered() -> Step:
    """All vectors and all ends of phases, for few steps."""
    return enumerated(
        "all_decisions",
        r"A model of the counter was run on all existence vectors of an element, with all sequences of decisions, for "
        r"the square root of the prefix sum and exact losses.",
        "four steps, five sets of phases: no pair of vectors loses more than both elements paid, and the computations",
        EXAMPLES,
        lambda phases: phases.feasible and spent_covers(4, phases),
        mutant=lambda phases: largest_loss(4, phases) <= phases.recomputing,
    )


def budget() -> Steps:
    """The limits of the phases."""
    return (
        at_most(
            "first_phase",
            r"If both elements paid in the first phase alone, each for $w$ changes at most, the changes lose $l \le (2 "
            r"w - 1) c_0$ by continual.calibrated, the refusals $a \le p_0$, and the computations $r$.",
            Inequality(
                "adaptive.first_phase",
                _loss + _alarms + _rest,
                _rho,
                _FIRST,
            ),
        ),
        at_most(
            "first_limit",
            r"The limit of the first phase is at most that of the second.",
            Inequality(
                "adaptive.first_limit",
                _bound_of_changes * _price + _alarm / 2,
                _limit / 2,
                (sp.Le(2 * _bound_of_changes * _price + _alarm, _limit),),
            ),
        ),
        at_most(
            "later_phases",
            r"Otherwise let $j \ge 1$ be the last phase in which one of them paid. Limits do not fall, so that each "
            r"paid at most $B_j/2$:",
            Inequality(
                "adaptive.later",
                _paid + _other + _rest,
                _rho,
                _LATER,
            ),
        ),
        at_most(
            "computations",
            r"After the last phase at most $m$ counts are released, each with a difference of at most $1$. Their "
            r"squared distance $q \le m$ loses",
            Inequality(
                "adaptive.computations",
                _loss / (2 * (_alarms / (2 * _rest))),
                _rest,
                (sp.Le(_loss, _alarms), sp.Gt(_alarms, 0), sp.Gt(_rest, 0)),
            ),
            lines=r"\frac{q}{2 m/(2 r)} &\le r",
        ),
        enumerated(
            "within_the_budget",
            r"In the model no pair of vectors loses more than the budget.",
            "four steps, five sets of phases: the largest loss of a pair over all decisions is at most rho",
            EXAMPLES,
            lambda phases: phases.feasible and largest_loss(4, phases) <= 1,
            mutant=lambda phases: largest_loss(4, phases) <= Fraction(1, 4),
        ),
        rounding(),
    )


_RISING = Phases((Fraction(1, 9), Fraction(1)), Fraction(1, 2), (Fraction(1), Fraction(4)), Fraction(1, 100))


def excess(phases: Phases) -> Fraction:
    """The largest loss of a pair beyond what was paid."""
    return max(
        loss(one, other) - one.paid - other.paid - phases.recomputing
        for group in runs(4, phases)
        for one in group
        for other in group
    )


def _exact(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)


CLAIMS = {"continual.adaptive": calibrated_adaptive}
