"""Theorem 3.1, Claim 3.9 and Theorem 1.4: the flippancy is estimated as it goes, and the better of two mechanisms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.steps import positive_root, stated
from pan_proofs.continual.streams import (
    Stream,
    distinct_counts,
    elements,
    existence,
    flippancy,
    flips,
    streams,
    truncated,
)
from pan_proofs.engines.relations import ge, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, compared, counterexample, enumerated, lemma


def items_from(stream: Stream, bound: int) -> int:
    """The number of items of flippancy at least a bound."""
    return sum(flips(existence(stream, element)) >= bound for element in elements(stream))


@dataclass(frozen=True)
class Doubling:
    """The loop of Algorithm 3 on the query ``items - sqrt(w / rho)``, without noise but with any accurate answer.

    Attributes
    ----------
    rho
        The budget.
    error
        The error of the sparse vector technique: an answer is above only if the query is at least ``-error``, and below
        only if it is at most ``error``.
    """

    rho: Fraction
    error: Fraction

    def at_least(self, items: int, bound: int, value: Fraction) -> bool:
        """Whether the query is at least a value: squares are compared, since the root is no fraction."""
        rest = items - value
        return rest >= 0 and rest * rest >= Fraction(bound) / self.rho

    def at_most(self, items: int, bound: int, value: Fraction) -> bool:
        """Whether the query is at most a value."""
        rest = items - value
        return rest <= 0 or rest * rest <= Fraction(bound) / self.rho

    def answers(self, items: int, bound: int) -> Iterator[int]:
        """The accurate answers to the query at one time: 1 for above, 0 for below."""
        if self.at_least(items, bound, -self.error):
            yield 1
        if self.at_most(items, bound, self.error):
            yield 0

    def runs(self, stream: Stream) -> set[tuple[int, ...]]:
        """For all accurate answers the bounds in use, one at each time. There are log2 T doublings at most."""
        cutoff = (len(stream) - 1).bit_length()
        runs: set[tuple[int, ...]] = {()}
        for time in range(1, len(stream) + 1):
            reached = set()
            for run in runs:
                pending = [run[-1] if run else 1]
                while pending:
                    bound = pending.pop()
                    if bound == 2**cutoff:
                        reached.add((*run, bound))
                        continue
                    for answer in self.answers(items_from(stream[:time], bound), bound):
                        if answer:
                            pending.append(2 * bound)
                        else:
                            reached.add((*run, bound))
            runs = reached
        return runs

    def largest(self, stream: Stream) -> int:
        """The largest bound that is reached."""
        return max(run[-1] for run in self.runs(stream))

    def most(self, flippancy: int) -> Fraction:
        """The bound of Claim 3.9."""
        return max(Fraction(2 * flippancy), 2 * self.rho * self.error**2)


_rho, _bound, _copies, _each, _other = sp.symbols("rho W N b bprime", positive=True)
_height = sp.Symbol("L", real=True)
_root, _last, _error, _copy, _total = sp.symbols("r R a C E", nonnegative=True)
_reached, _claimed = sp.symbols("w_max B", nonnegative=True)
_whole_copies, _leaves = sp.symbols("N T", positive=True, integer=True)
_w = sp.Symbol("w", nonnegative=True, integer=True)
_CLAIMED = sp.Max(2 * _w, 2 * _rho * _error**2)
"""The bound of Claim 3.9."""
_LOG = sp.log(_leaves) / sp.log(2)
_WITHIN_BUDGET = le(_whole_copies / (2 * (_LOG + 1)), sp.Rational(1, 2))
_ROUNDED_UP = (ge(_whole_copies, _LOG + 1), lt(_whole_copies, _LOG + 2))
"""The number of copies is log2 T + 1, rounded up."""
_LONG, _FEW_ERRORS = sp.Ge(_height, 8), sp.Le(_error, 15 * _height**2)
_FACTOR = sp.Rational(32, 5) * _height**2
"""The error of a copy over the root of its bound."""
_ROOT = sp.Rational(99, 70) * (_root + _error)
_CLOSE = {"gap": sp.Rational(999, 1000), "weaker": sp.Rational(1, 2)}


def _budgets(text: str) -> Step:
    """Copies and the sparse vector technique."""
    return bounded(
        "budgets", text, le(_copies * _each + _other, _rho), sp.Le(_each, _rho / (2 * _copies)), sp.Le(_other, _rho / 2)
    )


def _sum_of_errors(name: str, text: str) -> Step:
    """The error of the copy in use and of the answers."""
    return bounded(
        name,
        text,
        le(_total, 10 * _root * _height**2 + 137 * _height**4),
        _LONG,
        _FEW_ERRORS,
        sp.Le(_last, _ROOT),
        sp.Le(_copy, _FACTOR * _last),
        sp.Le(_total, _copy + _error),
        **_CLOSE,
    )


def _missed(stream: Stream, time: int, bound: int) -> int:
    """The distinct count at a time, minus the sum of the truncated vectors."""
    begun = stream[:time]
    kept = sum(truncated(existence(begun, element), bound)[-1] for element in elements(begun))
    return distinct_counts(begun)[-1] - kept


def _errors() -> Steps:
    """From the answers below to the constants."""
    return (
        enumerated(
            "answers_below",
            r"The copy for $w_t$ is used only after an answer below: at most $\sqrt{w_t/\rho} + "
            r"\alpha_{\mathrm{SVT}}$ items have flippancy $w_t$ or more. These include all items that the copy cuts "
            r"off, those of flippancy more than $w_t$. The last copy, with $w_t \ge T$, cuts nothing off.",
            "streams of 4 entries over 2 elements, rho = 4, errors 0 and 1/2, all accurate answers, every time: the "
            "count that the copy misses is at most sqrt(w_t / rho) + error",
            [
                (loop, [(_missed(stream, time, bound), bound) for time, bound in enumerate(run, start=1)])
                for stream in streams(4, 2)
                for loop in (Doubling(Fraction(4), Fraction(0)), Doubling(Fraction(4), Fraction(1, 2)))
                for run in loop.runs(stream)
            ],
            lambda case: all(case[0].at_most(*one, case[0].error) for one in case[1]),
            mutant=lambda case: all(missed == 0 for missed, _ in case[1]),
        ),
        compared(
            "logarithms",
            r"In the bounds below:",
            le(sp.log(2), sp.Rational(7, 10)),
            le(sp.log(400), 6),
            lines=(r"\log 2 &\le \tfrac{7}{10}", r"\log 400 &\le 6"),
        ),
        _of_logarithms(
            "noise_of_copies",
            r"A copy with bound $W$ has noise of variance at most $V = 8 W (L + 1)^3 / \rho$ at each time, by Theorem "
            r"3.2 with its part of the budget. By Lemma A.2 its $T$ errors exceed $\lambda = \sqrt{2 V \log(400 T (L + "
            r"1))}$ with probability at most $0.005 / (L + 1)$. So $\lambda^2 = \frac{W}{\rho}\, 16 (L + 1)^3 (\log "
            r"400 + L \log 2 + \log(L + 1))$. For $L \ge 8$ the last factor is at most $\frac74 L$:",
            sp.Rational(7, 4) * _height - (6 + sp.Rational(7, 10) * _height + sp.log(_height + 1)),
            2,
            r"6 + \tfrac{7}{10} L + \log(L + 1) &\le \tfrac74 L",
        ),
        bounded(
            "error_of_copies",
            r"With the $\sqrt{W/\rho}$ items, the error of a copy is at most $(\frac{\lambda \sqrt\rho}{\sqrt W} + 1) "
            r"\sqrt{W/\rho}$. Its factor is at most $\frac{32}{5} L^2$:",
            le(16 * (_height + 1) ** 3 * sp.Rational(7, 4) * _height, (_FACTOR - 1) ** 2),
            _LONG,
            gap=sp.Rational(99, 100),
            weaker=sp.Rational(1, 2),
            lines=r"16 (L + 1)^3 \cdot \tfrac74 L &\le \left(\tfrac{32}{5} L^2 - 1\right)^2",
        ),
        _of_logarithms(
            "error_of_answers",
            r"The error $a / \sqrt\rho$ of the answers, $a = 8 L (\log k + \log(400 L))$ with $k = T + L \le 2 T$ "
            r"queries, is at most $15 L^2 / \sqrt\rho$:",
            sp.Rational(15, 8) * _height - (sp.Rational(7, 10) * (_height + 1) + 6 + sp.log(_height)),
            1,
            r"8 L \left(\tfrac{7}{10} (L + 1) + 6 + \log L\right) &\le 15 L^2",
        ),
        bounded(
            "largest_root",
            r"By Claim 3.9 $w_{\max} \le 2 w + 2 a^2$. So $R = \sqrt{w_{\max}}$ and $r = \sqrt w$ satisfy $R^2 \le 2 "
            r"(r + a)^2$.",
            le(_last, _ROOT),
            sp.Le(_last**2, 2 * _root**2 + 2 * _error**2),
        ),
    )


def _of_logarithms(name: str, text: str, difference: sp.Expr, most: int, line: str) -> Step:
    """A difference with logarithms is not negative for ``L >= 8``."""
    at = {_height: sp.Rational(81, 10)}
    return lemma(
        name,
        text,
        Slopes(f"adaptive.{name}", difference, _height, sp.Integer(8), at, sp.Integer(most)).discharge(),
        line,
    )


def _all_runs() -> list[tuple[Stream, Doubling]]:
    """Streams of flippancy 1 or more, with budgets and errors."""
    loops = [
        (rho, error)
        for rho, error in product((Fraction(1, 4), Fraction(1)), (Fraction(1, 2), Fraction(1), Fraction(2)))
    ]
    return [
        (stream, Doubling(rho, error))
        for length in (3, 4, 5)
        for stream in streams(length, 2)
        if flippancy(stream) >= 1
        for rho, error in loops
        if length < 5 or rho == error
    ]


def adaptive() -> Claim:
    """The budget, the bound that is reached, and the error, with constants."""
    budgets = _budgets(
        r"The stream is fixed beforehand, so that Lemma 2.7 holds for the outputs at all times together. The $N = L + "
        r"1$ copies have a budget of $b = \rho/(2 N)$ each, and the answers of Algorithm 2 have $b' = \rho/2$."
    )
    total = _sum_of_errors("total", r"All in all, in units of $1/\sqrt\rho$, with the error $C$ of the copy in use:")
    doubled = bounded(
        "never_doubled",
        r"If $w_t$ is never doubled, $w_{\max} = 1 \le 2 w$ for $w \ge 1$. For $w = 0$ it is at most $2 \rho\, "
        r"\alpha_{\mathrm{SVT}}^2$: Theorem 3.7 with the budget $\rho/2$ has $\alpha_{\mathrm{SVT}} \ge 8 c / "
        r"\sqrt\rho$, as $\log k + \log(2 c/\beta) \ge \log 400 \ge 1$.",
        le(128, 2 * _rho * _error**2),
        sp.Ge(_rho * _error**2, 64),
    )
    still, loop = (None, None, None, None), Doubling(Fraction(1), Fraction(1, 2))
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
                r"The budgets of the copies and of Algorithm 2 add up to $\rho$. For answers that are fixed, $w_t$ is "
                r"the same for neighbours, so that by turnstile.flippancy\_sensitivity the queries have sensitivity "
                r"$1$. The choice among the copies is post-processing.",
                (budgets,),
                formal=stated(budgets),
            ),
            Part(
                Role.PUBLISHED,
                "the largest bound (Claim 3.9)",
                r"If $w \ge 1$ or $2 \rho\, \alpha_{\mathrm{SVT}}^2 \ge 1$, then $w_{\max} \le \max(2 w, 2 \rho\, "
                r"\alpha_{\mathrm{SVT}}^2)$. The error of Theorem 3.7 has $2 \rho\, \alpha_{\mathrm{SVT}}^2 \ge 128$. "
                r"Let $a = \alpha_{\mathrm{SVT}}$. If the bound was doubled, $W$ is the one before the last doubling, "
                r"$r = \sqrt{W/\rho}$ and $w_{\max} = 2 W$; otherwise $w_{\max} = 1$.",
                (
                    bounded(
                        "last_doubling",
                        r"Consider the time at which $w_t$ is doubled from $W$ to $w_{\max} = 2 W$. If $W \le w$, then "
                        r"$w_{\max} \le 2 w$. If $W > w$, no item has flippancy $W$ or more, and the query is "
                        r"$-\sqrt{W/\rho}$. The answer above is accurate: $r = \sqrt{W/\rho} \le "
                        r"\alpha_{\mathrm{SVT}} = a$.",
                        le(2 * _bound, 2 * _rho * _error**2),
                        sp.Le(_bound, _rho * _root**2),
                        sp.Le(_root, _error),
                    ),
                    doubled,
                    compared("log_of_400", r"The logarithm of $2/\beta = 400$ is at least $1$.", ge(sp.log(400), 1)),
                    enumerated(
                        "all_accurate_answers",
                        r"Algorithm 3 was run on short streams, with every accurate answer. After $\log_2 T$ answers "
                        r"above, $w_t \ge T$, which no flippancy reaches.",
                        "streams over 2 elements of flippancy at least 1: the largest bound of Algorithm 3; 3 and 4 "
                        "entries with rho = 1/4 and 1 and errors 1/2, 1 and 2, and 5 entries with rho = error = 1",
                        _all_runs(),
                        lambda case: case[1].largest(case[0]) <= case[1].most(flippancy(case[0])),
                        mutant=lambda case: case[1].largest(case[0]) <= case[1].most(flippancy(case[0])) / 2,
                    ),
                ),
                formal=(
                    *symbolic(
                        le(2 * _bound, _CLAIMED),
                        given=(
                            sp.Or(sp.Le(_bound, _w), sp.Le(_root, _error)),
                            sp.Le(_bound, _rho * _root**2),
                        ),
                    ),
                    *symbolic(le(1, _CLAIMED), given=(sp.Or(sp.Ge(_w, 1), sp.Ge(2 * _rho * _error**2, 1)),)),
                    *stated(doubled),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the error",
                r"For $T \ge 256$ a power of $2$ and $L = \log_2 T$ the error is at most $(10 \sqrt w\, L^2 + 137 "
                r"L^4) / \sqrt\rho$ with probability $0.99$. In units of $1/\sqrt\rho$ let $E$ be the error, $C$ that "
                r"of the copy in use, $a$ that of the answers, $R = \sqrt{w_{\max}}$ and $r = \sqrt w$. The five "
                r"assumptions about them are the results of the steps; they all hold unless the answers or the copies "
                r"err more, with the probabilities $p_a$ and $p_c$.",
                (
                    *_errors(),
                    total,
                    compared(
                        "probability",
                        r"The answers are inaccurate with probability at most $0.005$, and the $L + 1$ copies together "
                        r"have larger errors with probability at most $0.005$.",
                        le(sp.Rational(5, 1000) + sp.Rational(5, 1000), 1 - sp.Rational(99, 100)),
                    ),
                ),
                formal=(*stated(total), *_stated_probability()),
            ),
            Part(
                Role.READING,
                "Claim 3.9 for any error of the answers",
                r"On a stream of flippancy $0$ the bound is $w_{\max} = 1$ from the start. For a small "
                r"$\alpha_{\mathrm{SVT}}$ the claim is false there.",
                (
                    counterexample(
                        "no_ops",
                        r"Take four no-ops, $\rho = 1$ and $\alpha_{\mathrm{SVT}} = \frac12$.",
                        le(_reached, _claimed),
                        {_reached: lambda: loop.largest(still), _claimed: lambda: loop.most(flippancy(still))},
                    ),
                    counterexample(
                        "start",
                        r"The bound is $1$ from the start, and the claimed one is $\max(2 w, 2 \rho\, a^2)$ with $w = "
                        r"0$ and $a = \alpha_{\mathrm{SVT}}$.",
                        le(1, _CLAIMED),
                        {_w: lambda: flippancy(still), _rho: sp.Integer(1), _error: sp.Rational(1, 2)},
                    ),
                ),
                formal=symbolic(le(1, _CLAIMED), refuted=True),
                holds=False,
                departs=r"$\alpha_{\mathrm{SVT}}$ is the error of Theorem 3.7, or $w \ge 1$",
            ),
            Part(
                Role.READING,
                "the logarithm of T itself, no power of 2",
                r"If each copy has the budget $\rho / (2 (\log_2 T + 1))$ for a $T$ that is no power of $2$, the "
                r"budgets of the $\lceil \log_2 T \rceil + 1$ copies add up to more than $\rho/2$.",
                (
                    counterexample(
                        "five_entries",
                        r"For $T = 5$ there are four copies, with the bounds $1$, $2$, $4$ and $8$, and $\log_2 5 + 1 "
                        r"< 3.4$. In units of $\rho$:",
                        _WITHIN_BUDGET,
                        {_whole_copies: lambda: (5 - 1).bit_length() + 1, _leaves: sp.Integer(5)},
                        _ROUNDED_UP,
                    ),
                ),
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


def _stated_probability() -> tuple[str, ...]:
    """The probability of a larger error."""
    total, answers, copies = sp.symbols("P p_a p_c", nonnegative=True)
    small = sp.Rational(5, 1000)
    return symbolic(
        le(total, 1 - sp.Rational(99, 100)),
        given=(sp.Le(total, answers + copies), sp.Le(answers, small), sp.Le(copies, small)),
    )


_log, _steps, _constant = sp.symbols("l T c", positive=True)
_switch, _less, _delta = sp.symbols("G s delta", nonnegative=True)
_MINUS_LOG = -sp.log(_delta)
_AT_ALL = le(1 / sp.sqrt((sp.sqrt(_MINUS_LOG + epsilon) - sp.sqrt(_MINUS_LOG)) ** 2), sp.sqrt(8 * _MINUS_LOG) / epsilon)
"""The bound on ``1/sqrt(rho)`` for any delta."""
_BELOW_ONE = (gt(_delta, 0), lt(_delta, 1), le(epsilon, 1))
_LARGER = epsilon**2 / (2 * (2 + _constant) ** 2 * _log)
_CONVERTED = sp.Ge(_rho, epsilon**2 / (4 * (_log + epsilon)))
"""The budget by turnstile.zcdp_conversion."""
_ANY = (le(epsilon, _constant), sp.Ge(_constant, 1), sp.Ge(_log, 1))


def _factor() -> sp.Expr:
    length, log, factor = sp.symbols("T lambda s", positive=True)
    return positive_root(factor**6 * _rho * length**2 - (250 * _copies * length * log) ** 2 * _rho, factor)


def _larger(name: str, text: str, most: sp.Expr, *given: sp.Basic) -> Step:
    """One number of a minimum of two."""
    return bounded(name, text, le(_LARGER, most), *_ANY, *given, gap=sp.Rational(3, 5), weaker=sp.Rational(1, 10))


def best_of_both() -> Claim:
    """The budget, both cases of the copy in use, and the conversion."""
    budgets = _budgets(r"The $N$ copies have a budget of $b = \rho/(2N)$ each, Algorithm 2 has $b' = \rho/2$.")
    tree = _sum_of_errors(
        "fewer_copies",
        r"There are at most $L + 1$ copies, and each has at least the budget that it has in Algorithm 3. The cutoff is "
        r"at most $L$. So the bounds of turnstile.adaptive hold for the error $E$, with $r = \sqrt w$, $R = "
        r"\sqrt{w_{\max}}$, the error $a$ of the answers, and that of the copy, $C$:",
    )
    not_above = bounded(
        "not_above_recomputing",
        r"The bound of a copy in use is below $g$, so that $R \le G$, and $a \le 15 L^2$:",
        le(_total, 22 * _height**2 * _switch),
        _LONG,
        sp.Ge(_switch, 1),
        sp.Le(_last, _switch),
        _FEW_ERRORS,
        sp.Le(_total, _FACTOR * _last + _error),
        **_CLOSE,
    )
    no_worse = bounded(
        "recomputing_is_no_worse",
        r"By Claim 3.9 the bound $g$ is reached only if $g \le \max(2 w, 2 \rho\, \alpha_{\mathrm{SVT}}^2)$. In units "
        r"of $1/\sqrt\rho$ let $C$ be the error of recomputing with the budget $\rho/(2N)$, and $C \le s "
        r"\sqrt g$: for $g \ge \rho^{1/3} T^{2/3}$ the factor $s$ is a power of $\log T$. With $G = \sqrt g \le "
        r"\frac{99}{70} (r + a)$ the error is then at most a power of $\log T$ times $r + a$ as well. While it is "
        r"not reached, the term of recomputing is not smaller, up to powers of $\log T$, if $g \le 2 \rho^{1/3} "
        r"T^{2/3}$: the largest bound in use is less than $g$.",
        le(_total, sp.Rational(99, 70) * _less * (_root + _error)),
        sp.Le(_switch, _ROOT),
        sp.Le(_copy, _less * _switch),
        sp.Le(_total, _copy),
        weaker=sp.Rational(9, 10),
    )
    least = bounded(
        "least_budget",
        r"By turnstile.zcdp\_conversion $\rho \ge \varepsilon^2 / (4 (l + \varepsilon))$, where $\varepsilon \le 1 \le "
        r"l$.",
        le(epsilon**2 / (8 * _log), _rho),
        sp.Le(epsilon, 1),
        sp.Ge(_log, 1),
        _CONVERTED,
    )
    terms = tuple(
        bounded(name, text, le(part / _rho, part * 8 * _log / epsilon**2), ge(_rho, epsilon**2 / (8 * _log)))
        for name, text, part in (
            ("square", r"So the square of the factor of the first term is at most", sp.S.One),
            ("cube", r"So the cube of the second term is at most", _steps),
        )
    )
    smallest = bounded(
        "smallest_budgets",
        r"The square of the first factor is at least $T^2$. Then $T/\rho \ge T^3$, too.",
        le(_steps**2, 1 / _rho),
        le(_rho * _steps**2, 1),
    )
    return Claim(
        id="turnstile.best_of_both",
        title="The better of two mechanisms",
        references=(
            Reference("turnstile", "Theorem 1.4, section 1.1", "the formulas are lost"),
            Reference("turnstile", "section 3.3", "the sketch of its proof"),
        ),
        statement=r"For $\varepsilon \le 1$ there is an $(\varepsilon, \delta)$-item-level-differentially private "
        r"mechanism with an error of $\tilde O(\min\{(\sqrt w \log^2 T + \log^4 T) \sqrt{\log(1/\delta)} / "
        r"\varepsilon,\ (T \log(1/\delta))^{1/3} / \varepsilon^{2/3},\ T\})$ with probability $0.99$, for all "
        r"streams of length $T$, where $w$ is the maximum flippancy.",
        hypotheses=(r"$0 < \varepsilon \le 1$, $\delta > 0$, $T$ is sufficiently large",),
        silent=(
            r"the powers of the logarithms are lost; they are read as those of turnstile.adaptive, and $\tilde O$ as "
            r"hiding powers of $\log T$",
            r"$\delta \le e^{-1}$, so that $\log(1/\delta) \ge 1$",
            r"the mechanism has $N$ copies: those of Algorithm 3 for the bounds $2^i$ below $g$, and a last one that "
            r"recomputes, in place of those from $g$ on; each has the budget $\rho/(2N)$",
            r"outputs outside of $[0, T]$ are set to the nearer end, which is post-processing and makes no error "
            r"larger",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "privacy",
                r"The copies and the sparse vector technique have budgets that add up to $\rho$. With $\rho = "
                r"(\sqrt{\log(1/\delta) + \varepsilon} - \sqrt{\log(1/\delta)})^2$ this is $(\varepsilon, \delta)$-"
                r"differential privacy, by turnstile.zcdp\_conversion.",
                (budgets,),
                formal=stated(budgets),
            ),
            Part(
                Role.PUBLISHED,
                "while a copy of Algorithm 1 is in use",
                r"The error is that of Algorithm 3: in units of $1/\sqrt\rho$ at most $10 \sqrt w L^2 + 137 L^4$, $L = "
                r"\log_2 T \ge 8$. It is also at most $22 L^2 G$ for $G = \sqrt g = \sqrt\rho\, (T/\rho)^{1/3} \ge 1$, "
                r"so that it is within a power of $\log T$ of the smaller term.",
                (tree, not_above),
                formal=stated(tree, not_above),
            ),
            Part(
                Role.PUBLISHED,
                "once the last copy is in use",
                r"The last copy has the error of recomputing on every stream. It is used only if $g \le \max(2 w, 2 "
                r"\rho\, \alpha_{\mathrm{SVT}}^2)$, so that the other term of the minimum is not smaller, up to powers "
                r"of $\log T$.",
                (
                    no_worse,
                    equal_as(
                        "factor",
                        r"The factor $s$ for $g^3 = \rho T^2$: the cube of the error is $C^3 = 250 N T \lambda "
                        r"\sqrt\rho$ with $\lambda = \log T$, and $C = s \sqrt g$. So $s$ does not depend on $\rho$, "
                        r"nor on $T$ but by $N \lambda$.",
                        (_factor, 5 * sp.cbrt(2 * _copies * sp.Symbol("lambda", positive=True))),
                        r"s &= 5 (2 N \lambda)^{1/3}",
                    ),
                ),
                formal=stated(no_worse),
            ),
            Part(
                Role.PUBLISHED,
                "from rho to epsilon and delta",
                r"For $\varepsilon \le 1 \le l = \log(1/\delta)$ the budget is $\rho \ge \varepsilon^2 / (8 l)$. So "
                r"$1/\sqrt\rho \le \sqrt{8 l}/\varepsilon$ and $(T/\rho)^{1/3} \le 2 (T l)^{1/3} / \varepsilon^{2/3}$.",
                (least, *terms),
                formal=stated(least, *terms),
            ),
            Part(
                Role.PUBLISHED,
                "any constant in the place of 1",
                r"The text after the theorem extends it to $\varepsilon \le c$ for any constant $c > 1$. With the "
                r"budget $\min(1, \rho)$, as Algorithm 3 needs $\rho \le 1$, the bounds hold with $2 (2 + c)^2$ in the "
                r"place of $8$: $\min(1, \rho) \ge \frac{\varepsilon^2}{2 (2 + c)^2 l}$.",
                (
                    _larger(
                        "larger_epsilon",
                        r"As $l + \varepsilon \le (1 + c) l$ and $4 (1 + c) \le (2 + c)^2$:",
                        _rho,
                        _CONVERTED,
                    ),
                    _larger("budget_of_one", r"The other number is not smaller either.", sp.S.One),
                ),
                formal=symbolic(le(_LARGER, sp.Min(1, _rho)), given=(*_ANY, _CONVERTED)),
            ),
            Part(
                Role.PUBLISHED,
                "a budget that is too small for both terms",
                r"If $\rho T^2 \le 1$, then $G \le 1$, and both terms are at least $T$ but for constants. The error "
                r"is at most $T$.",
                (smallest,),
                formal=stated(smallest),
            ),
            Part(
                Role.READING,
                "delta near 1",
                r"For $\delta$ near $1$ the root of $\log(1/\delta)$ tends to $0$, and $1/\sqrt\rho$ does not: the "
                r"bound does not follow from the conversion there.",
                (
                    counterexample(
                        "delta_near_one",
                        r"For $\varepsilon = 1$ and $\delta = 0.9999$ the budget is about $0.98$, and $\sqrt{8 "
                        r"\log(1/\delta)}$ is below $0.03$.",
                        _AT_ALL,
                        {_delta: sp.Rational(9999, 10000), epsilon: sp.Integer(1)},
                        _BELOW_ONE,
                    ),
                ),
                formal=symbolic(_AT_ALL, given=_BELOW_ONE, refuted=True),
                holds=False,
                departs=r"$\delta \le e^{-1}$",
            ),
        ),
        uses=("turnstile.adaptive", "turnstile.recompute", "turnstile.zcdp_conversion", "turnstile.composition"),
    )


CLAIMS = {"turnstile.adaptive": adaptive, "turnstile.best_of_both": best_of_both}
