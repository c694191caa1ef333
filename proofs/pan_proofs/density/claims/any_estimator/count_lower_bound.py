"""A lower bound on the mean squared error of any count after an adversary has seen the state."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import sympy as sp

from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.foundations.claims.parallel_composition import geometric
from pan_proofs.foundations.distributions import TwoSidedGeometric, variance
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.foundations.sums_over_terms import least_sum, stated_least_sum
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, equal, found

Bits = tuple[int, ...]
Channel = Mapping[Bits, Mapping[Hashable, Fraction]]
"""For each pattern of appearances the distribution of the state that the adversary sees."""


def tanh_channel(users: int, factor: Fraction) -> Channel:
    """One bit for each user, equal to whether the user appeared with probability ``x/(1 + x)``."""
    keep, flip = factor / (1 + factor), 1 / (1 + factor)
    patterns = list(product((0, 1), repeat=users))
    return {
        seen: {
            state: prod((keep if a == b else flip for a, b in zip(seen, state, strict=True)), start=Fraction(1))
            for state in patterns
        }
        for seen in patterns
    }


def largest_factor(channel: Channel) -> Fraction | None:
    """``exp`` of the loss of the state, over patterns that differ in one user; ``None`` if it is infinite."""
    largest = Fraction(1)
    for seen, distribution in channel.items():
        for user in range(len(seen)):
            other = channel[tuple(bit ^ (place == user) for place, bit in enumerate(seen))]
            for state, weight in distribution.items():
                if weight and not other.get(state):
                    return None
                largest = max(largest, weight / other[state] if weight else largest)
    return largest


def distinct(before: Bits, after: Bits) -> int:
    """The number of users who appear."""
    return sum(one | other for one, other in zip(before, after, strict=True))


def average_risk(channel: Channel, returning: Mapping[Bits, Fraction] | None = None) -> Fraction:
    """Mean squared error of the best output, on average over the streams.

    Parameters
    ----------
    channel
        The distribution of the state.
    returning
        The distribution of who appears after the intrusion; all patterns equally likely unless it is given.
    """
    patterns = list(channel)
    later = returning or {pattern: Fraction(1, len(patterns)) for pattern in patterns}
    prior = Fraction(1, len(patterns))
    states = dict.fromkeys(state for distribution in channel.values() for state in distribution)
    total = Fraction(0)
    for state in states:
        weights = {seen: prior * channel[seen].get(state, Fraction(0)) for seen in patterns}
        mass = sum(weights.values())
        if not mass:
            continue
        for after, chance in later.items():
            first = sum(weight * distinct(seen, after) for seen, weight in weights.items())
            second = sum(weight * distinct(seen, after) ** 2 for seen, weight in weights.items())
            total += chance * (second - first**2 / mass)
    return total


def halves(users: int) -> dict[Bits, Fraction]:
    """All patterns in which half of the users, rounded down, return, equally likely."""
    chosen = [pattern for pattern in product((0, 1), repeat=users) if sum(pattern) == users // 2]
    return {pattern: Fraction(1, len(chosen)) for pattern in chosen}


def never(users: int) -> dict[Bits, Fraction]:
    """The case that no user returns."""
    return {(0,) * users: Fraction(1)}


_users = sp.Symbol("k", positive=True, integer=True)
_bound = x / (4 * (1 + x) ** 2)
_possible = x / (x - 1) ** 2
_FACTORS = (Fraction(3, 2), Fraction(2), Fraction(5))


def count_lower_bound() -> Claim:
    """The bound, step by step, how far it is from what is known to be possible, and what it needs."""
    return Claim(
        id="pan_private.count_lower_bound",
        title="The least error of a pan-private distinct count",
        references=(
            Reference(
                "here",
                "lower bounds",
                "the papers have upper bounds on the error only; this holds for biased algorithms, states of any "
                "kind, and already for event-level privacy",
            ),
        ),
        statement=r"Let an algorithm count the distinct users among $k$, and let its state at one intrusion satisfy "
        r"$\varepsilon$-differential privacy with respect to one event before it. Then there is a stream on which the "
        r"mean squared error of its output is at least $\frac{k x}{4(1+x)^2} = \frac{k}{16 \cosh^2(\varepsilon/2)}$, "
        r"$x = e^{\varepsilon}$.",
        notation=((r"$\pi_u$", "probability that the user $u$ has appeared, given the state"),),
        hypotheses=(
            r"$\varepsilon > 0$",
            "the distribution of the state at the time of the intrusion satisfies the budget; nothing is asked of the "
            "output",
            "what happened before the intrusion acts on the output through the state only",
        ),
        silent=(
            "a step of the stream may be empty, or hold an event of a further user who appears in any case",
            "the algorithm does not know beforehand when the intrusion happens, so that every prefix counts",
        ),
        parts=(_bound_part(), _independent(), _distance(), _other_streams(), _output_only(), _unbiased_floor()),
        remark=r"User-level adjacency, and joint privacy of state and output, ask for more and are covered. A density "
        r"is the count over $k$: its mean squared error is at least $\frac{1}{16 k \cosh^2(\varepsilon/2)}$.",
    )


def _bound_part() -> Part:
    return Part(
        Role.PUBLISHED,
        "the bound",
        r"Some stream has $E[(F - c)^2] \ge \frac{k x}{4(1+x)^2} = \frac{k}{16\cosh^2(\varepsilon/2)}$, where $F$ is "
        r"the output and $c$ the number of distinct users. The mean over the following random streams is at least "
        r"that: before the intrusion user $u$ appears if $y_u = 1$, after it if $r_u = 1$, all these bits fair and "
        r"independent. Coq has finitely many states; for others the same sums are integrals over densities.",
        (
            equal_as(
                "hyperbolic",
                r"In terms of $\varepsilon$,",
                (_bound.subs(x, sp.exp(epsilon)), 1 / (16 * sp.cosh(epsilon / 2) ** 2)),
                r"\frac{x}{4(1+x)^2} &= \frac{1}{16 \cosh^2(\varepsilon/2)}",
            ),
        ),
        theorems=("count_lower_bound",),
    )


def _independent() -> Part:
    """For independent cells the empty continuation is the worst one."""
    exact = enumerated(
        "mean_is_attained",
        r"With $\tanh$ bits and the best output the mean over these "
        r"streams is exactly that much, so that no better bound follows from them.",
        "tanh bits keep the budget exactly, and the least mean squared error of the count, over all prefixes and "
        "states, is kx/(1+x)^2, for k = 1, 2, 3 and x = 3/2, 2, 5",
        product((1, 2, 3), _FACTORS),
        lambda case: _risk_and_budget(*case) == (case[0] * case[1] / (1 + case[1]) ** 2, case[1]),
        # The bound for states of any kind.
        mutant=lambda case: _risk_and_budget(*case) == (case[0] * case[1] / (4 * (1 + case[1]) ** 2), case[1]),
        lines=(r"\frac{1}{2^k}\sum_y E\left[\left(E[c \mid s] - c\right)^2\right] &= \frac{k x}{(1+x)^2}",),
    )
    return Part(
        Role.PUBLISHED,
        "states of independent cells",
        r"If the state consists of independent cells, one for each user (for $k = 1$ any state does), the error is at "
        r"least four times as large: some stream has $E[(F - c)^2] \ge \frac{k x}{(1+x)^2} = "
        r"\frac{k}{4\cosh^2(\varepsilon/2)}$.",
        (_one_more(), _doubts(), exact),
        formal=(
            *stated_least_sum(x / (1 + x) ** 2, (x > 1,)),
            *symbolic(sp.Eq((x / (1 + x) ** 2).subs(x, sp.exp(epsilon)), 1 / (4 * sp.cosh(epsilon / 2) ** 2))),
        ),
    )


def _doubts() -> Step:
    return least_sum(
        "doubts_add",
        r"The doubts $\pi_u (1 - \pi_u)$ of $k$ users, each at least $f = x/(1+x)^2$ as before, add up to at least "
        r"$kf$.",
        (r"\sum_u \pi_u (1 - \pi_u) &\ge k f",),
    )


@cache
def _risk_and_budget(users: int, factor: Fraction) -> tuple[Fraction, Fraction | None]:
    """The least mean squared error with tanh bits if nobody returns, and the budget that the bits keep."""
    channel = tanh_channel(users, factor)
    return average_risk(channel, never(users)), largest_factor(channel)


def _distance() -> Part:
    """The ratio to the error of the tanh estimator, and what these random streams cannot show."""
    ratio = (_possible / _bound).subs(x, sp.exp(epsilon))
    shown = equal(
        "ratio",
        r"The additive estimator with $\tanh$ bits, without noise of the output, has the mean squared error "
        r"$kx/(x-1)^2$ on every stream. That is the bound times",
        "",
        ratio,
        4 * sp.coth(epsilon / 2) ** 2,
    )
    of_cells = (_possible / (x / (1 + x) ** 2)).subs(x, sp.exp(epsilon))
    cells = equal(
        "ratio_of_cells",
        "",
        "",
        of_cells,
        sp.coth(epsilon / 2) ** 2,
    )
    shown = replace(shown, obligations=(*shown.obligations, *cells.obligations))
    ends = found(
        "ends",
        r"For large $\varepsilon$ the ratio tends to $4$. For small $\varepsilon$ the bound tends to $k/16$ and the "
        r"error of the estimator to infinity, as $k/\varepsilon^2$.",
        "limits of the ratio, of the bound for k = 1, and of epsilon^2 times the estimator's error",
        lambda: (
            sp.limit(_possible / _bound, x, sp.oo),
            sp.limit(_bound, x, 1, "+"),
            sp.limit(epsilon**2 * _possible.subs(x, sp.exp(epsilon)), epsilon, 0, "+"),
        ),
        (sp.Integer(4), sp.Rational(1, 16), sp.Integer(1)),
        engine="sympy",
        lines=(r"\frac{kx/(x-1)^2}{kx/(4(1+x)^2)} &\to 4 \quad (\varepsilon \to \infty)",),
    )
    return Part(
        Role.READING,
        "the distance to what is possible",
        r"The bound and the error of the $\tanh$ estimator differ by the factor $4\coth^2(\varepsilon/2)$, and by "
        r"$\coth^2(\varepsilon/2)$ for states of independent cells. For small $\varepsilon$ the bound is weak, and "
        r"these random streams are the reason: a constant output errs on them by no more than $\frac{3k}{16}$ in the "
        r"mean, whatever $\varepsilon$ is.",
        (replace(shown, lines=(r"\frac{kx/(x-1)^2}{kx/(4(1+x)^2)} &= 4\coth^2(\varepsilon/2)",)), ends, _constant()),
        formal=(
            *symbolic(
                eq(ratio, 4 * sp.coth(epsilon / 2) ** 2),
                eq((_possible / (x / (1 + x) ** 2)).subs(x, sp.exp(epsilon)), sp.coth(epsilon / 2) ** 2),
            ),
            *symbolic(eq(sp.Symbol("Var_constant"), 3 * _users / 16)),
        ),
    )


def _constant() -> Step:
    """Mean and variance of one user's part of the count over the random streams."""

    def error() -> sp.Expr:
        distribution: dict[int, sp.Expr] = {0: sp.S.Zero, 1: sp.S.Zero}
        for one, two in product((0, 1), repeat=2):
            distribution[max(one, two)] += sp.Rational(1, 4)
        mean = sum(value * weight for value, weight in distribution.items())
        return _users * sum((value - mean) ** 2 * weight for value, weight in distribution.items())

    step = equal(
        "constant",
        r"A user is counted with probability $\frac34$, independently of the others. The constant $\frac{3k}{4}$ "
        r"errs by",
        "",
        error,
        3 * _users / 16,
    )
    return replace(step, lines=(r"k \cdot \tfrac34 \cdot \tfrac14 &= \frac{3k}{16}",))


def _other_streams() -> Part:
    chance, prior, factor = sp.symbols("rho theta x", real=True)
    back = bounded(
        "return_probability",
        r"Let each user return with probability $\rho$. Then $c$ has the coefficient $(1 - y_u)\sqrt{\rho(1-\rho)}$ "
        r"on the standardised $r_u$, and the bound has $\rho(1-\rho)$ in place of $\frac14$:",
        le(chance * (1 - chance), sp.Rational(1, 4)),
        chance >= 0,
        chance <= 1,
        lines=r"\rho (1 - \rho) &\le \tfrac14",
    )
    seen, rest = sp.symbols("y w", real=True)
    later = {1: chance, 0: 1 - chance}
    product_mean = sum(weight * (r - chance) * (seen + r - seen * r + rest) for r, weight in later.items())
    square_mean = sum(weight * (r - chance) ** 2 for r, weight in later.items())
    coefficient = equal(
        "return_coefficient", "", "", product_mean**2 / square_mean, chance * (1 - chance) * (1 - seen) ** 2
    )
    back = replace(back, obligations=(*coefficient.obligations, *back.obligations))
    keep, flip = factor / (1 + factor), 1 / (1 + factor)
    states = [(prior * keep, (1 - prior) * flip), (prior * flip, (1 - prior) * keep)]
    doubt = sum(one * other / (one + other) for one, other in states)
    before = bounded(
        "prior_probability",
        r"Let each user appear before the intrusion with probability $\theta$. The $\tanh$ bit is a private state, "
        r"and the doubt it leaves is at most that for $\theta = \frac12$:",
        le(doubt, factor / (1 + factor) ** 2),
        factor > 1,
        prior > 0,
        prior < 1,
        lines=r"E[\operatorname{Var}(y_u \mid s)] &\le \frac{x}{(1+x)^2}",
    )
    return Part(
        Role.READING,
        "other random streams",
        r"For the argument above fair bits are the best choice among independent ones. Among all exchangeable "
        r"distributions of who returns, a subset of exactly half the users is better, by the factor $\frac{k}{k-1}$ "
        r"for even $k$: some stream has $E[(F - c)^2] \ge \frac{k^2}{4(k-1)} \cdot \frac{x}{(1+x)^2}$.",
        (back, before, *_half_returns()),
        formal=(
            *symbolic(le(chance * (1 - chance), sp.Rational(1, 4)), given=(chance >= 0, chance <= 1)),
            *symbolic(le(doubt, factor / (1 + factor) ** 2), given=(factor > 1, prior > 0, prior < 1)),
            *_stated_halves(),
        ),
    )


def _stated_halves() -> tuple[str, ...]:
    """The weight of the doubts if a set of j users returns, which is largest for one half of them."""
    users, size = sp.symbols("k j", real=True)
    weight = size * (users - size) / (users * (users - 1))
    return (
        *symbolic(le(weight, users / (4 * (users - 1))), given=(users >= 2, size >= 0, size <= users)),
        *symbolic(eq(users / (4 * (users - 1)), weight.subs(size, users / 2)), given=(users >= 2,)),
    )


def _half_returns() -> tuple[Step, ...]:
    """Averages over who returns, as a quadratic form in the covariances given the state."""
    users, size = sp.symbols("k j", real=True)
    whole, part = sp.symbols("k j", positive=True, integer=True)
    one, both = (
        sp.combsimp(sp.binomial(whole - away, part) / sp.binomial(whole, part)).subs({whole: users, part: size})
        for away in (1, 2)
    )
    form = equal(
        "quadratic_form",
        r"Let a uniform set of $j$ users return. Given $s$ and the set, the best output errs by the variance of the "
        r"sum of $y_u$ over the $k - j$ others. With $\mu = P(u \text{ and } v \text{ stay away})$, the mean over the "
        r"sets is $\mu\operatorname{Var}(\sum_u y_u \mid s) + (P(u \text{ stays away}) - \mu) \sum_u "
        r"\operatorname{Var}(y_u \mid s)$. The first term is not negative, and may be small; the weight of the second "
        r"is",
        "",
        one - both,
        size * (users - size) / (users * (users - 1)),
    )
    best = bounded(
        "half",
        "This is largest for $j = k/2$.",
        le(size * (users - size) / (users * (users - 1)), users / (4 * (users - 1))),
        users >= 2,
        size >= 0,
        size <= users,
        lines=r"\frac{j (k-j)}{k (k-1)} &\le \frac{k}{4(k-1)}",
    )
    check = enumerated(
        "half_enumerated",
        "This is enumerated as a check, with $\\tanh$ bits as the state.",
        "the least mean error over all prefixes, halves and states is at least the bound, for k = 2, 4 and x = 3/2, 2",
        product((2, 4), _FACTORS[:2]),
        lambda case: _risk_of_halves(*case) >= Fraction(case[0] ** 2, 4 * (case[0] - 1)) * _doubt(case[1]),
        # The bound for nobody who returns.
        mutant=lambda case: _risk_of_halves(*case) >= case[0] * _doubt(case[1]),
    )
    line = r"\frac{k-j}{k} - \frac{(k-j)(k-j-1)}{k(k-1)} &= \frac{j (k-j)}{k (k-1)}"
    return replace(form, lines=(line,)), best, check


@cache
def _risk_of_halves(users: int, factor: Fraction) -> Fraction:
    return average_risk(tanh_channel(users, factor), halves(users))


def _doubt(factor: Fraction) -> Fraction:
    return factor / (1 + factor) ** 2


def _output_only() -> Part:
    error = variance(TwoSidedGeometric(1 / x, 1 / x))
    return Part(
        Role.READING,
        "privacy of the output alone",
        r"If only the output is private and nobody looks at the state, the bound is false: an exact counter with "
        r"noise $Z$, $P(Z = z)$ proportional to $x^{-|z|}$, errs by $\frac{2x}{(x-1)^2}$ for every $k$.",
        (
            *_private_noise(),
            counterexample(
                "many_users",
                r"At $x = 3$ the error is $\frac32$, below the bound from $k = 33$ users on.",
                ge(error, _users * _bound),
                {x: sp.Integer(3), _users: sp.Integer(33)},
                (x > 1,),
                lines=(r"\operatorname{Var}(Z) = \tfrac32 &< \tfrac{99}{64} = \frac{33\,x}{4(1+x)^2}",),
            ),
        ),
        formal=(
            *symbolic(eq(error, 2 * x / (x - 1) ** 2), given=(x > 1,)),
            *symbolic(ge(error, _users * _bound), given=(x > 1,), refuted=True),
        ),
        holds=False,
        departs="let its state at one intrusion satisfy",
    )


def _unbiased_floor() -> Part:
    return derived(
        Role.READING,
        "the floor of unbiased estimators for all algorithms",
        r"The larger bound $\frac{kx}{(x-1)^2}$, which unbiased estimators from independent cells obey, does not hold "
        r"for every pan-private algorithm: the constant $\frac{k}{2}$ errs by at most $\frac{k^2}{4}$.",
        counterexample(
            "constant_output",
            r"Four users, $x = \frac32$: a constant output errs by at most $4$, where the floor is $24$.",
            ge(_users**2 / 4, _users * _possible),
            {x: sp.Rational(3, 2), _users: sp.Integer(4)},
            (x > 1,),
            lines=(r"\frac{k^2}{4} = 4 &< 24 = \frac{kx}{(x-1)^2}",),
        ),
        holds=False,
        departs=r"$\frac{k x}{4(1+x)^2}",
    )


def _one_more() -> Step:
    """Adding one user to a sum of any number."""
    guess, total, bit = sp.symbols("z T y", real=True)
    mean, doubt, chance = sp.symbols("mu D pi", real=True)
    moments = {total: mean, total**2: doubt + mean**2, bit: chance, bit**2: chance, total * bit: mean * chance}
    return equal_as(
        "one_more_user",
        r"Let nobody return after the intrusion. Then the count is $\sum_u y_u$. A state of independent cells leaves "
        r"the $y_u$ independent given $s$. By induction their doubts add: let $T = y_1 + \cdots + y_j$ have mean $\mu$ "
        r"and variance $D = \sum_{u \le j} \pi_u (1 - \pi_u)$ given $s$, and let $y = y_{j+1}$ be independent of $T$ "
        r"given $s$, with mean $\pi$. With $z = \mu + \pi$ this is the variance of $T + y$; no other $z$ has a "
        r"smaller mean square.",
        (
            expectation((guess - total - bit) ** 2, (total, bit), moments),
            doubt + chance * (1 - chance) + (guess - mean - chance) ** 2,
        ),
        r"E[(z - T - y)^2 \mid s] &= D + \pi (1 - \pi) + (z - \mu - \pi)^2",
    )


def _private_noise() -> tuple[Step, ...]:
    """One user more or less changes the probability of an output by the factor ``x`` or its inverse."""
    count, above = sp.symbols("c n", integer=True, nonnegative=True)
    outputs = {1: count + 1 + above, -1: count - above}
    # For each side, the distribution of the noise on a count of c + 1 over that on a count of c.
    ratios = {side: geometric(at, count + 1, x) / geometric(at, count, x) for side, at in outputs.items()}
    return (
        equal_as(
            "noise_above",
            r"The noise is private: a user more or less changes the count by at most one, from $c$ to $c + 1$ or back. "
            r"For the outputs above $c$, $c + 1 + n$ with $n \ge 0$, the ratio of the two probabilities is",
            (ratios[1], x),
            r"\frac{P(c + 1 + Z = c + 1 + n)}{P(c + Z = c + 1 + n)} = \frac{x^{-n}}{x^{-(n+1)}} &= x",
        ),
        equal_as(
            "noise_below",
            r"For the others, $c - n$ with $n \ge 0$, it is the inverse. So no output has a ratio outside "
            r"$[x^{-1}, x]$, and the output is $\varepsilon$-differentially private at user level.",
            (ratios[-1], 1 / x),
            r"\frac{P(c + 1 + Z = c - n)}{P(c + Z = c - n)} = \frac{x^{-(n+1)}}{x^{-n}} &= \frac1x",
        ),
    )


CLAIMS = {"pan_private.count_lower_bound": count_lower_bound}
