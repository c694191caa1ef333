"""The counter without a known flippancy: every element pays with its own budget, over phases that outputs end.

A model of one element has its changes that are followed, what it pays, and the exact loss. The released values are
fixed, and with them the steps at which phases end. Losses are fractions, for the square root and few steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product

import sympy as sp

from pan_proofs.continual.claims.factored import bit_pairs, column, image, two_columns, units
from pan_proofs.continual.steps import noise_fits
from pan_proofs.continual.streams import Bits
from pan_proofs.engines.relations import le
from pan_proofs.engines.walks import Word, bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Reference, Role, Step, Steps, derived
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, equal, lemma

Ends = tuple[int, ...]
"""The steps after which a phase ends."""


@dataclass(frozen=True)
class Phases:
    """The numbers of the phases, in units of rho.

    Attributes
    ----------
    prices
        The price of a change in each phase: ``S`` over the variance of the noise.
    alarm
        The price of two refusals, over that of a change. An element pays half of it.
    limits
        The limit of an element's payments up to the end of each phase.
    recomputing
        The budget of the computations after the last phase.
    """

    prices: tuple[Fraction, ...]
    alarm: Fraction
    limits: tuple[Fraction, ...]
    recomputing: Fraction

    @classmethod
    def of(cls, changes: int, count: int, *, first: Fraction, recomputing: Fraction, growth: int) -> Phases:
        """Phases by the rule of the counter: the first has room for ``changes`` changes and a refusal."""
        alarm, last = Fraction(1, 2), 1 - recomputing
        price = first / (2 * changes - 1 + alarm)
        later = [first + (last - first) * number / (count - 1) for number in range(1, count)]
        limits = (changes * price + alarm * price / 2, *(share / 2 for share in later))
        return cls(tuple(price / growth**number for number in range(count)), alarm, limits, recomputing)

    @property
    def feasible(self) -> bool:
        """Whether every element can pay a change and a refusal in each phase."""
        before = (Fraction(0), *self.limits)
        needed = [price * (1 + self.alarm / 2) for price in self.prices]
        return all(b - a >= need for a, b, need in zip(before, self.limits, needed, strict=False))


@dataclass(frozen=True)
class Run:
    """The part of one element in the released values.

    Attributes
    ----------
    values
        The released values without noise, each with the variance of its noise, for rho = 1.
    paid
        The payments of the element.
    """

    values: tuple[tuple[Fraction, Fraction], ...]
    paid: Fraction


def run(vector: Bits, ends: Ends, phases: Phases) -> Run:
    """The values of an element with this existence vector: each with the variance of its noise.

    Parameters
    ----------
    vector
        Its existence after each step.
    ends
        The steps after which phases end, at most as many as there are phases.
    phases
        The numbers of the phases.
    """
    steps, number, value, stuck = len(vector), 0, 0, False
    paid = Fraction(0)
    moved: list[int] = []
    variances: list[Fraction] = []
    alarms: list[list[int]] = [[]]
    computed: list[int] = []
    for time, bit in enumerate(vector, start=1):
        if number == len(phases.prices):
            computed.append(bit)
            continue
        price = phases.prices[number]
        before, refused = value, 0
        # At the beginning of a phase an element that was refused is corrected.
        for now in (vector[time - 2] if time - 1 in ends else value, bit):
            if now != value and not stuck:
                if paid + price * (1 + phases.alarm / 2) <= phases.limits[number]:
                    value, paid = now, paid + price
                else:
                    stuck, refused = True, 1
        moved.append(value - before)
        variances.append(column(steps) / price)
        alarms[-1].append(refused)
        if time in ends:
            paid += price * phases.alarm / 2 if stuck else 0
            number, stuck = number + 1, False
            alarms.append([])
    paid += phases.prices[number] * phases.alarm / 2 if stuck else 0
    values = list(zip(image(moved), variances, strict=True))
    for place, refusals in enumerate(alarms[: len(phases.prices)]):
        variance = column(steps) / (phases.alarm * phases.prices[place])
        values += [(one, variance) for one in image(refusals)]
    values += [(Fraction(bit), Fraction(len(computed)) / (2 * phases.recomputing)) for bit in computed]
    return Run(tuple(values), paid)


def loss(one: Run, other: Run) -> Fraction:
    """The loss of two elements for the same decisions, in units of rho."""
    pairs = zip(one.values, other.values, strict=True)
    return sum(((a - b) ** 2 / (2 * variance) for (a, variance), (b, _) in pairs if a != b), Fraction(0))


@cache
def pairs(phases: Phases, steps: int = 4) -> tuple[tuple[Run, Run], ...]:
    """The runs of all pairs of vectors, for each choice of the ends of phases."""

    def of_all() -> Iterator[tuple[Run, Run]]:
        for count in range(len(phases.prices) + 1):
            for ends in combinations(range(1, steps + 1), count):
                runs = [run(bits, ends, phases) for bits in product((0, 1), repeat=steps)]
                yield from product(runs, repeat=2)

    return tuple(of_all())


def largest_loss(phases: Phases) -> Fraction:
    """The largest loss over all pairs of vectors and all ends of phases, in units of rho."""
    return max(loss(*pair) for pair in pairs(phases))


def excess(phases: Phases) -> Fraction:
    """The largest loss of a pair beyond what both of its elements paid, and the computations."""
    return max(loss(one, other) - one.paid - other.paid for one, other in pairs(phases)) - phases.recomputing


_THIRD = Fraction(1, 3)
EXAMPLES = (
    Phases.of(1, 1, first=Fraction(4, 5), recomputing=Fraction(1, 5), growth=2),
    Phases.of(1, 2, first=_THIRD, recomputing=Fraction(1, 5), growth=4),
    Phases.of(1, 2, first=Fraction(1, 4), recomputing=Fraction(1, 4), growth=2),
    Phases.of(2, 2, first=_THIRD, recomputing=Fraction(1, 5), growth=4),
    Phases.of(1, 3, first=Fraction(1, 4), recomputing=Fraction(1, 10), growth=4),
)
"""Phases with few steps: by the changes that the first has room for, and their number."""
_RISING = Phases((Fraction(1, 9), Fraction(1)), Fraction(1, 2), (Fraction(1), Fraction(4)), Fraction(1, 100))


def cost(before: int, after: int) -> int:
    """The cost of a change of the difference, in squared norms, if others follow: ``v^2 + 2 abs(v) (1 - abs(g))``."""
    return (after - before) ** 2 + 2 * abs(after - before) * (1 - abs(after))


_order = sp.Symbol("alpha", positive=True)
_rho, _lost, _present = sp.symbols("rho K kappa", nonnegative=True)
_value, _factor, _later, _most, _inner = sp.symbols("V H U W u", nonnegative=True)
_sum, _bound, _now, _next, _slack, _step = sp.symbols("X B g gprime Q q", real=True)
_last, _fresh = sp.symbols("a b", nonnegative=True)
_price, _cheaper = sp.symbols("c cprime", nonnegative=True)
_paid, _other, _limit = sp.symbols("E Eprime B", nonnegative=True)
_changes, _loss, _alarms, _alarm, _rest = sp.symbols("w l a p r", nonnegative=True)
_square, _count, _computing = sp.symbols("q m r", positive=True)
_nearer, _farther, _weight, _lighter, _entry = sp.symbols("r rprime v vprime u", nonnegative=True)
_excess = sp.Symbol("F_0")
"""The largest loss of a pair of vectors beyond all that was paid."""
_rate = _order * (_order - 1)


def calibrated_adaptive() -> Claim:
    """Sequences of decisions, prices, refusals and budgets."""
    left, one_more = _sequences()
    falling = _falling_prices()
    refusals = two_columns(
        "two_refusals",
        r"An element is refused for the first time once in a phase: it adds $1$ to one step. Two elements that are "
        r"refused at steps $i$ and $j$ cost $2 S'$ at most, that is $\frac{2 S'}{2 S'/p} = p$, and each of them paid "
        r"$p/2$. If one is refused, the cost is $\frac{S'}{2 S'/p} = p/2$. With $S$ in the place of $S'$:",
    )
    limits = _limits()
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
            (r"$\sigma_t$", "standard deviation of the noise at step $t$"),
        ),
        hypotheses=(
            r"$w \ge 1$ is a whole number",
            r"the noise is independent",
            r"every element can pay a change and its refusal in each phase",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "decisions that depend on outputs",
                r"Let the distribution of each released value, for all earlier ones, be normal with a variance that "
                r"depends on "
                r"these alone. If for every sequence of released values the sum of $d_t^2 / (2 \sigma_t^2)$ over the "
                r"differences $d_t$ of the means is at most $\rho$, the mechanism is $\rho$-zCDP.",
                left,
                one_more,
            ),
            derived(
                Role.PUBLISHED,
                "the loss of a pair",
                r"For every sequence of released values two elements lose at most $E + E'$ and what recomputing costs, "
                r"where $E$ and $E'$ are what they paid. The first formula passes the weighted costs of the changes "
                r"from step to step: $X$ is their sum so far, $Q \le 0$ that without prices, and $c' \le c$ the next "
                r"price. The second bounds two refusals: $A$ and $B$ are the squared norms of their columns, $C$ is "
                r"the inner product.",
                *_later_changes(),
                _costs_below_changes(),
                falling,
                refusals,
                enumerated(
                    "all_decisions",
                    r"A model of the counter was run on all existence vectors of an element, with all sequences of "
                    r"decisions, for the square root of the prefix sum and exact losses.",
                    "four steps, five sets of phases: no pair of vectors loses more than both elements paid, and "
                    "the computations",
                    EXAMPLES,
                    lambda phases: phases.feasible and excess(phases) <= 0,
                    mutant=lambda phases: largest_loss(phases) <= phases.recomputing,
                ),
                only=(
                    "falling_prices",
                    "two_refusals",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the budget",
                r"For every sequence of released values the loss is at most $\rho$. If both elements paid in the first "
                r"phase alone, it is $l + a + r$ for the changes, the refusals and the computations; $p = p_0$. "
                r"Otherwise $B$ is twice the limit of the last phase in which one of them paid.",
                *limits,
                noise_fits(
                    "computations",
                    r"After the last phase at most $m$ counts are released, each with a difference of at most $1$. "
                    r"Their squared distance $q \le m$ loses",
                    _square,
                    _count,
                    _computing,
                ),
                enumerated(
                    "within_the_budget",
                    r"In the model no pair of vectors loses more than the budget.",
                    "four steps, five sets of phases: the largest loss of a pair over all decisions is at most rho",
                    EXAMPLES,
                    lambda phases: phases.feasible and largest_loss(phases) <= 1,
                    mutant=lambda phases: largest_loss(phases) <= Fraction(1, 4),
                ),
                only=(
                    "first_phase",
                    "first_limit",
                    "later_phases",
                ),
            ),
            derived(
                Role.READING,
                "prices that rise",
                r"If a later phase may have less noise than an earlier one, prices do not cover the loss: with prices "
                r"of $\frac19$ and then $1$ and four steps the largest loss exceeds all that was paid by $F_0 > 0$.",
                counterexample(
                    "rising_prices",
                    r"An element that pays $1/9$ for a change in the first phase and $1$ in the second, with four "
                    r"steps; the largest loss, and the budget.",
                    le(_excess, 0),
                    {_excess: lambda: excess(_RISING)},
                ),
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


def _sequences() -> tuple[Step, Step]:
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
            sp.Mul(sp.exp(_rate * _present), sp.exp(_rate * (_rho - _lost - _present)), evaluate=False),
            sp.exp(_rate * (_rho - _lost)),
        ),
        bounded(
            "one_value_more",
            r"Here $H = e^{\alpha (\alpha - 1) \kappa_t}$, and $u \le U$ is the expectation of the later factors for a "
            r"value at $t$. Hence the expectation $V$ of all factors from $t$ on is at most $W U$ with $W \le H$.",
            le(_value, _factor * _later),
            sp.Le(_value, _most * _inner),
            sp.Le(_inner, _later),
            sp.Le(_most, _factor),
        ),
    )


def _later_changes() -> Steps:
    """Weighted columns, and summation by parts as an induction over the later changes."""
    return (
        bounded(
            "weighted_columns_fall",
            r"Weigh the value at step $t$ with $1/\sigma_t^2$, which never rises. Let $a(i, j) = \sum_{t \ge j} r_{t - "
            r"i}\, r_{t - j} / \sigma_t^2$ be the inner product of two columns. With $t = j + k$ each term is $r_{j - "
            r"i + k}\, r_k / \sigma_{j + k}^2$. If $j$ grows by $1$, there is one term less, and in each of the others "
            r"the first factor $r$ and the weight $v$ do not grow to $r'$ and $v'$, and $u = r_k$ is the same:",
            le(_farther * _lighter * _entry, _nearer * _weight * _entry),
            sp.Le(_farther, _nearer),
            sp.Le(_lighter, _weight),
        ),
        equal(
            "first_later_change",
            r"Fix a change $v_i \ne 0$. By symmetry $v_i > 0$. Let $g_j$ be the difference of the two vectors after "
            r"step $j$, so that $v_j = g_j - g_{j - 1}$ and $g_j \le 1$. For $X_n = \sum_{i < j \le n} v_j a(i, j)$ "
            r"the bound $X_n + (1 - g_n)\, a(i, n) \le (1 - g_i)\, a(i, i + 1)$ holds for $n = i + 1$ with equality:",
            "",
            (_next - _now) * _fresh + (1 - _next) * _fresh,
            (1 - _now) * _fresh,
        ),
        bounded(
            "one_more_later_change",
            r"It passes from $n$ to $n + 1$, since $a = a(i, n)$ does not grow to $b = a(i, n + 1)$. Here $g = g_n$, "
            r"$g' = g_{n + 1}$, $X = X_n$, and $B$ is the right side.",
            le(_sum + (_next - _now) * _fresh + (1 - _next) * _fresh, _bound),
            sp.Le(_sum + (1 - _now) * _last, _bound),
            sp.Le(_fresh, _last),
            sp.Le(_now, 1),
            sp.Ge(_bound, 0),
        ),
    )


def _costs_below_changes() -> Step:
    """At every length the cost is at most two for each change, less the last difference."""

    def added(before: int, after: int, other: int, other_after: int) -> int:
        gap, gap_after = before - other, after - other_after
        changed = abs(after - before) + abs(other_after - other)
        return cost(gap, gap_after) - 2 * changed + abs(gap_after) - abs(gap)

    def computed(word: Word) -> int:
        one, other = zip(*word, strict=True)
        gaps = (0, *(a - b for a, b in word))
        paid = sum(cost(before, after) for before, after in pairwise(gaps))
        return paid - 2 * units(one, other) + abs(gaps[-1])

    return lemma(
        "costs_below_changes",
        r"A change at step $i$ in phase $j$ has a squared norm of at most $S/\sigma_i^2 = c_j$. So a change $v$ to $g$ "
        r"costs at most its price times $c(v, g) = v^2 + 2 \lvert v \rvert (1 - \lvert g \rvert)$: a change from $0$ "
        r"costs $1$, one to $0$ costs $3$, one between $-1$ and $1$ costs $4$. Let $n$ be the number "
        r"of changes of both vectors up to a step. The costs up to it, without prices, are at most $2 n - \lvert g "
        r"\rvert$, for the last difference $g$.",
        bounded_for_every_length(
            "factored.costs",
            "pairs of vectors: the costs minus 2 for each change of one, plus the last difference, are at most 0",
            bit_pairs(added),
            0,
            by_definition=computed,
            up_to=5,
        ),
        lines=r"\sum c(v, g) &\le 2 n - \lvert g \rvert",
    )


def _falling_prices() -> Step:
    return bounded(
        "falling_prices",
        r"Let $q$ be the cost of a change minus $2$ for each change of one of the vectors, and $Q \le 0$ the sum "
        r"of these up to a step. The sum $X$ of $q c$ is at most $Q c$ for the last price $c$: with one term more "
        r"and its price $c' \le c$ the same holds. So the weighted squared norm is at most $2 (E + E')$ for what "
        r"both elements paid for changes, and the loss is half of it.",
        le(_sum + _step * _cheaper, (_slack + _step) * _cheaper),
        sp.Le(_sum, _slack * _price),
        sp.Le(_slack, 0),
        sp.Le(_cheaper, _price),
        raised=sp.Rational(1, 1000),
    )


def _limits() -> Steps:
    """The limits of the phases."""
    return (
        bounded(
            "first_phase",
            r"If both elements paid in the first phase alone, each for $w$ changes at most, the changes lose $l \le (2 "
            r"w - 1) c_0$ by continual.calibrated, the refusals $a \le p_0$, and the computations $r$.",
            le(_loss + _alarms + _rest, _rho),
            sp.Le(_loss, (2 * _changes - 1) * _price),
            sp.Le(_alarms, _alarm),
            sp.Le((2 * _changes - 1) * _price + _alarm + _rest, _rho),
        ),
        bounded(
            "first_limit",
            r"The limit of the first phase is at most that of the second.",
            le(_changes * _price + _alarm / 2, _limit / 2),
            sp.Le(2 * _changes * _price + _alarm, _limit),
        ),
        bounded(
            "later_phases",
            r"Otherwise let $j \ge 1$ be the last phase in which one of them paid. Limits do not fall, so that each "
            r"paid at most $B_j/2$:",
            le(_paid + _other + _rest, _rho),
            sp.Le(_paid, _limit / 2),
            sp.Le(_other, _limit / 2),
            sp.Le(_limit + _rest, _rho),
        ),
    )


CLAIMS = {"continual.adaptive": calibrated_adaptive}
