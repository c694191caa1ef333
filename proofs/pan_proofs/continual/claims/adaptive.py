"""Theorem 3.1 and Claim 3.9: the mechanism that estimates the flippancy as it goes (Algorithm 3)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.adaptive_error import BOUND, PARTS, error
from pan_proofs.continual.doubling import Doubling, items_from
from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.streams import NEIGHBOURS, streams
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.steps import at_most, compared, counterexample, enumerated

_rho, _bound = sp.symbols("rho W", positive=True)
_height = sp.Symbol("L", real=True)
_each, _other = sp.symbols("b bprime", positive=True)
_BUDGETS = (sp.Ge(_height, 0), sp.Le(_each, _rho / (2 * (_height + 1))), sp.Le(_other, _rho / 2))
_others, _here, _there = sp.symbols("n i iprime", nonnegative=True)
_BITS = tuple(sp.Or(sp.Eq(one, 0), sp.Eq(one, 1)) for one in (_here, _there))
_ONE_ITEM = le(sp.Abs((_others + _here) - (_others + _there)), 1)
_root, _error = sp.symbols("r a", nonnegative=True)
_DOUBLED = (sp.Le(_bound, _rho * _root**2), sp.Le(_root, _error))
_reached, _claimed = sp.symbols("w_max B", nonnegative=True)
_copies, _leaves = sp.symbols("N T", positive=True, integer=True)
_w = sp.Symbol("w", nonnegative=True, integer=True)
_FROM_THE_START = le(1, sp.Max(2 * _w, 2 * _rho * _error**2))
"""The bound at the start is at most that of Claim 3.9."""
_LOG = sp.log(_leaves) / sp.log(2)
_WITHIN_BUDGET = le(_copies / (2 * (_LOG + 1)), sp.Rational(1, 2))
_ROUNDED_UP = (ge(_copies, _LOG + 1), lt(_copies, _LOG + 2))
"""The number of copies is log2 T + 1, rounded up."""


def adaptive() -> Claim:
    """The budget, the bound that is reached, and the error, with constants."""
    return Claim(
        id="turnstile.adaptive",
        title="Estimating the flippancy adaptively",
        references=(
            Reference("turnstile", "Theorem 3.1, section 3", "the formulas and the listing are lost"),
            Reference("turnstile", "Claim 3.9, section 3.2", "the formula is lost"),
        ),
        statement=r"Algorithm 3 is $\rho$-item-level-zCDP. If the sparse vector answers are "
        r"$\alpha_{\mathrm{SVT}}$-accurate, the largest bound that it uses is $w_{\max} \le \max(2 w, 2 \rho\, "
        r"\alpha_{\mathrm{SVT}}^2)$. With probability $0.99$ its error on a stream of maximum flippancy $w$ is "
        r"$O((\sqrt w \log^2 T + \log^4 T) / \sqrt\rho)$.",
        notation=(
            ("$B$", "the bound that is claimed, or available"),
            ("$N$", "number of copies"),
        ),
        hypotheses=(r"$0 < \rho \le 1$", r"$T$ is sufficiently large"),
        silent=(
            r"the listing is lost and read as: copies $i = 0, \ldots, \log_2 T$ of Algorithm 1 with the bounds $2^i$ "
            r"and the budget $\rho / (2 (\log_2 T + 1))$ each; Algorithm 2 with the budget $\rho/2$, cutoff $\log_2 T$ "
            r"and $\beta = 0.005$ on the query $|\{u : \mathrm{flip}(u, x[1:t]) \ge w_t\}| - \sqrt{w_t/\rho}$; while "
            r"the answer is above, $w_t$ is doubled; the output is that of the copy for $w_t$",
            r"the error is read as the one that these steps give; its powers of $\log T$ are lost. At most $T + \log_2 "
            r"T$ queries are asked: one answer below at each time, and the answers above",
            r"for $T$ no power of $2$, $\lceil \log_2 T \rceil$ stands in place of $\log_2 T$ everywhere",
            r"$\alpha_{\mathrm{SVT}}$ is the error of Theorem 3.7, or $w \ge 1$",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "privacy",
                r"The budgets of the copies and of Algorithm 2 add up to $\rho$, and the queries have sensitivity $1$: "
                r"of the other items $n$ have a flippancy of at least $w_t$ for both neighbours, and the item of which "
                r"they differ adds $i$ or $i'$, each $0$ or $1$. The choice among the copies is post-processing.",
                privacy(),
                formal=(
                    *symbolic(le((_height + 1) * _each + _other, _rho), given=_BUDGETS),
                    *symbolic(_ONE_ITEM, given=_BITS),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the largest bound (Claim 3.9)",
                r"If $w \ge 1$ or $2 \rho\, \alpha_{\mathrm{SVT}}^2 \ge 1$, then $w_{\max} \le \max(2 w, 2 \rho\, "
                r"\alpha_{\mathrm{SVT}}^2)$. The error of Theorem 3.7 has $2 \rho\, \alpha_{\mathrm{SVT}}^2 \ge 128$. "
                r"Let $a = \alpha_{\mathrm{SVT}}$. If the bound was doubled, $W$ is the one before the last doubling, "
                r"$r = \sqrt{W/\rho}$ and $w_{\max} = 2 W$; otherwise $w_{\max} = 1$.",
                largest_bound(),
                formal=stated_largest_bound(),
            ),
            Part(
                Role.PUBLISHED,
                "the error",
                r"For $T \ge 256$ a power of $2$ and $L = \log_2 T$ the error is at most $(10 \sqrt w\, L^2 + 137 "
                r"L^4) / \sqrt\rho$ with probability $0.99$. In units of $1/\sqrt\rho$ let $E$ be the error, $C$ that "
                r"of the copy in use, $a$ that of the answers, $R = \sqrt{w_{\max}}$ and $r = \sqrt w$. The five "
                r"assumptions about them are the results of the steps; they all hold unless the answers or the copies "
                r"err more, with the probabilities $p_a$ and $p_c$.",
                error(),
                formal=(*symbolic(BOUND, given=PARTS), *stated_probability()),
            ),
            Part(
                Role.READING,
                "Claim 3.9 for any error of the answers",
                r"On a stream of flippancy $0$ the bound is $w_{\max} = 1$ from the start. For a small "
                r"$\alpha_{\mathrm{SVT}}$ the claim is false there.",
                no_flips(),
                formal=symbolic(_FROM_THE_START, refuted=True),
                holds=False,
                departs=r"$\alpha_{\mathrm{SVT}}$ is the error of Theorem 3.7, or $w \ge 1$",
            ),
            Part(
                Role.READING,
                "the logarithm of T itself, no power of 2",
                r"If each copy has the budget $\rho / (2 (\log_2 T + 1))$ for a $T$ that is no power of $2$, the "
                r"budgets of the $\lceil \log_2 T \rceil + 1$ copies add up to more than $\rho/2$.",
                no_power(),
                formal=symbolic(_WITHIN_BUDGET, given=_ROUNDED_UP, refuted=True),
                holds=False,
                departs=r"for $T$ no power of $2$, $\lceil \log_2 T \rceil$ stands in place of $\log_2 T$ everywhere",
            ),
        ),
        uses=(
            "turnstile.given_flippancy",
            "turnstile.sparse_vector",
            "turnstile.composition",
            "turnstile.flippancy_sensitivity",
            "turnstile.post_processing",
        ),
        in_words=(
            ("budgets", r"by Lemma 2.7 the budgets of copies and answers add up, as the stream is fixed beforehand"),
        ),
    )


def stated_largest_bound() -> tuple[str, ...]:
    """The last bound if it was doubled, and if it never was; and the error of Theorem 3.7."""
    claimed = sp.Max(2 * _w, 2 * _rho * _error**2)
    within = sp.Or(sp.Le(_bound, _w), sp.Le(_root, _error))
    start = sp.Or(sp.Ge(_w, 1), sp.Ge(2 * _rho * _error**2, 1))
    return (
        *symbolic(le(2 * _bound, claimed), given=(within, sp.Le(_bound, _rho * _root**2))),
        *symbolic(le(1, claimed), given=(start,)),
        *symbolic(le(128, 2 * _rho * _error**2), given=(sp.Ge(_rho * _error**2, 64),)),
    )


def stated_probability() -> tuple[str, ...]:
    """The probability of a larger error."""
    total, answers, copies = sp.symbols("P p_a p_c", nonnegative=True)
    small = sp.Rational(5, 1000)
    return symbolic(
        le(total, 1 - sp.Rational(99, 100)),
        given=(sp.Le(total, answers + copies), sp.Le(answers, small), sp.Le(copies, small)),
    )


def privacy() -> Steps:
    """Budgets and sensitivity."""
    return (
        at_most(
            "budgets",
            r"The stream is fixed beforehand, so that Lemma 2.7 holds for the outputs at all times together. The $L + "
            r"1$ copies have a budget of $b = \rho/(2 (L + 1))$ each, and the answers of Algorithm 2 have $b' = "
            r"\rho/2$.",
            Inequality(
                "adaptive.budgets",
                (_height + 1) * _each + _other,
                _rho,
                _BUDGETS,
            ),
            lines=r"(L + 1)\, b + b' &\le \rho",
        ),
        at_most(
            "one_item",
            r"For answers that are fixed, $w_t$ is the same for neighbours. They differ in the entries of one item.",
            Inequality(
                "adaptive.one_item",
                _ONE_ITEM.lhs,
                _ONE_ITEM.rhs,
                _BITS,
            ),
            lines=r"|(n + i) - (n + i')| &\le 1",
        ),
        enumerated(
            "sensitivity",
            r"The same is asked of short streams.",
            "item-neighbours of up to 4 entries over 2 elements, bounds 1, 2 and 4: the numbers of items of flippancy "
            "at least the bound differ by at most 1",
            (
                (one, other, bound)
                for length in range(1, 5)
                for one in streams(length, 2)
                for other in NEIGHBOURS["item"](one)
                for bound in (1, 2, 4)
            ),
            lambda case: abs(items_from(case[0], case[2]) - items_from(case[1], case[2])) <= 1,
            mutant=lambda case: items_from(case[0], case[2]) == items_from(case[1], case[2]),
        ),
    )


def largest_bound() -> Steps:
    """The last doubling, and all accurate answers on short streams."""
    return (
        at_most(
            "last_doubling",
            r"Consider the time at which $w_t$ is doubled from $W$ to $w_{\max} = 2 W$. If $W \le w$, then $w_{\max} "
            r"\le 2 w$. If $W > w$, no item has flippancy $W$ or more, and the query is $-\sqrt{W/\rho}$. The answer "
            r"above is accurate: $\sqrt{W/\rho} \le \alpha_{\mathrm{SVT}}$.",
            Inequality(
                "adaptive.last_doubling",
                2 * _bound,
                2 * _rho * _error**2,
                _DOUBLED,
            ),
            lines=r"W = \rho \sqrt{W/\rho}^2 &\implies 2 W \le 2 \rho\, \alpha_{\mathrm{SVT}}^2",
        ),
        at_most(
            "never_doubled",
            r"If $w_t$ is never doubled, $w_{\max} = 1 \le 2 w$ for $w \ge 1$. For $w = 0$ it is at most $2 \rho\, "
            r"\alpha_{\mathrm{SVT}}^2$: Theorem 3.7 with the budget $\rho/2$ has $\alpha_{\mathrm{SVT}} \ge 8 c / "
            r"\sqrt\rho$, as $\log k + \log(2 c/\beta) \ge \log 400 \ge 1$.",
            Inequality(
                "adaptive.never_doubled",
                sp.Integer(128),
                2 * _rho * _error**2,
                (sp.Ge(_rho * _error**2, 64),),
            ),
        ),
        compared("log_of_400", r"The logarithm of $2/\beta = 400$ is at least $1$.", ge(sp.log(400), 1)),
        enumerated(
            "all_accurate_answers",
            r"Algorithm 3 was run on short streams, with every accurate answer. After $\log_2 T$ answers above, $w_t "
            r"\ge T$, which no flippancy reaches.",
            "streams over 2 elements of flippancy at least 1: the largest bound of Algorithm 3; 3 and 4 entries with "
            "rho = 1/4 and 1 and errors 1/2, 1 and 2, and 5 entries with rho = error = 1",
            [
                (stream, Doubling(rho, error))
                for length in (3, 4, 5)
                for stream in streams(length, 2)
                if flippancy(stream) >= 1
                for rho, error in product((Fraction(1, 4), Fraction(1)), (Fraction(1, 2), Fraction(1), Fraction(2)))
                if length < 5 or rho == error
            ],
            lambda case: case[1].largest(case[0]) <= case[1].most(flippancy(case[0])),
            mutant=lambda case: case[1].largest(case[0]) <= case[1].most(flippancy(case[0])) / 2,
        ),
    )


def no_flips() -> Steps:
    """Four no-ops."""
    stream, loop = (None, None, None, None), Doubling(Fraction(1), Fraction(1, 2))
    return (
        counterexample(
            "no_ops",
            r"Take four no-ops, $\rho = 1$ and $\alpha_{\mathrm{SVT}} = \frac12$.",
            le(_reached, _claimed),
            {_reached: lambda: loop.largest(stream), _claimed: lambda: loop.most(flippancy(stream))},
        ),
        counterexample(
            "start",
            r"The bound is $1$ from the start, and the claimed one is $\max(2 w, 2 \rho\, a^2)$ with $w = 0$ and $a = "
            r"\alpha_{\mathrm{SVT}}$.",
            _FROM_THE_START,
            {_w: lambda: flippancy(stream), _rho: sp.Integer(1), _error: sp.Rational(1, 2)},
        ),
    )


def no_power() -> Steps:
    """Five entries."""
    return (
        counterexample(
            "five_entries",
            r"For $T = 5$ there are four copies, and $\log_2 5 + 1 < 3.4$. In units of $\rho$:",
            _WITHIN_BUDGET,
            {_copies: lambda: len(_bounds(5)), _leaves: sp.Integer(5)},
            _ROUNDED_UP,
        ),
    )


def _bounds(length: int) -> tuple[int, ...]:
    """The bounds of the copies: powers of 2 up to the first that is at least the length."""
    found = [1]
    while found[-1] < length:
        found.append(2 * found[-1])
    return tuple(found)


CLAIMS = {"turnstile.adaptive": adaptive}
