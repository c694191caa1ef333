"""Section 3.7.1 of the thesis: cross entropy, its estimate from test records, and smoothing by one."""

from __future__ import annotations

import heapq
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, counterexample
from pan_proofs.tables.lemmas.information import exact

_p, _q = sp.symbols("p q", positive=True)
_missed, _mass, _bits, _entropy = sp.symbols("Z S B H")
_C, _one, _values, _loss, _some, _highest = sp.symbols("C c d t Y m", real=True)
_size, _number = sp.symbols("d n", integer=True, nonnegative=True)
_count, _total = sp.Symbol("c", nonnegative=True), sp.Symbol("T", real=True)


def smoothing() -> Claim:
    """The identity holds; the smoothed frequencies are no distribution, and the empirical metric can be finite."""
    return Claim(
        id="bayesnet.smoothing",
        title="Cross entropy and its smoothing",
        references=(Reference("networks", "section 3.7.1"),),
        statement=r"$H(p, p_{\mathcal{B}}) = H(p) + D(p \,\|\, p_{\mathcal{B}})$. If $p_{\mathcal{B}}$ is $0$ at a "
        r"value of positive probability, the cross entropy and its estimate from test records are infinite. The "
        r"smoothed frequencies $\frac{\tilde c_i + 1}{n + d}$, after negative counts are set to $0$, avoid this.",
        hypotheses=(r"$p_i > 0$ for all $d$ values",),
        silent=(r"a smoothed estimate is a distribution", "logarithms are to base 2"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the identity",
                r"Value by value, $-p\log q = -p\log p + p\log\frac pq$, in every base.",
                (
                    equal_as(
                        "identity",
                        r"One value with the probabilities $p$ and $q$ under the data and the network.",
                        (
                            lambda: sp.expand_log(-_p * sp.log(_p) + _p * sp.log(_p / _q)),
                            -_p * sp.log(_q),
                        ),
                        r"-p\log p + p\log\frac pq &= -p\log q",
                    ),
                ),
                formal=symbolic(eq(-_p * sp.log(_q), -_p * sp.log(_p) + _p * sp.log(_p / _q))),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "test records without the value",
                r"The estimate is infinite only if a test record has a value of probability $0$. In the formula $Z$ is "
                r"the number of such records, for the test records $0, 0$ and a model that never gives $1$.",
                (_not_seen(),),
                formal=symbolic(eq(_missed, 0)),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the sum of the smoothed frequencies",
                r"With noise the sum of the counts is not $n$, and the smoothed frequencies do not add up to $1$. "
                r"Then the cross entropy can be less than $H(p)$. In the formula $S$ is their sum for $n = 1$, $d = "
                r"2$ and the counts $3$ and $0$.",
                counterexample(
                    "no_distribution",
                    r"The smoothed frequencies are $\frac43$ and $\frac13$:",
                    eq(_mass, 1),
                    {_mass: lambda: exact(sum((Fraction(count + 1, 1 + 2) for count in (3, 0)), Fraction(0)))},
                ),
            ),
            derived(
                Role.AMENDED,
                "division by the sum of the counts",
                r"With $C = \sum_i \tilde c_i$ the frequencies $\frac{\tilde c_i + 1}{C + d}$ add up to $1$, and each "
                r"is at least $\frac{1}{C + d}$. So the cross entropy is at most $\log_2(C + d)$, and at least "
                r"$H(p)$. In the formulas $T$ is the sum of $\tilde c_i + 1$.",
                over_entries(
                    "sum_of_smoothed",
                    r"For every number of values:",
                    eq(_total, _C + _size),
                    _size,
                    {_total: _count + 1, _C: _count},
                    (_count,),
                    ((3,), (0,)),
                    r"\sum_{i=1}^d (\tilde c_i + 1) &= C + d",
                ),
                bounded(
                    "positive",
                    r"A count that is not negative:",
                    le(1 / (_C + _values), (_one + 1) / (_C + _values)),
                    _one >= 0,
                    ge(_C, 0),
                    ge(_values, 1),
                    lines=r"\frac{1}{C + d} &\le \frac{\tilde c_i + 1}{C + d}",
                ),
            ),
            derived(
                Role.AMENDED,
                "the estimate is infinite if a test record has probability 0",
                r"The estimate is a mean of $-\log_2 p_{\mathcal{B}}(x)$ over the test records $x$, so that it is "
                r"finite exactly if each has a positive probability.",
                over_entries(
                    "finite",
                    r"If each $t_i = -\log_2 p_{\mathcal{B}}(x_i)$ is at most a number $m$, the sum $Y$ of $n$ of "
                    r"them is finite.",
                    le(_some, _number * _highest),
                    _number,
                    {_some: _loss},
                    (_loss,),
                    ((2,), (2,)),
                    r"t_1 + \ldots + t_n &\le n\,m",
                    (le(_loss, _highest),),
                    at={_highest: 2},
                ),
            ),
            derived(
                Role.READING,
                "codes of whole bits",
                r"If each value has a code of its own, the least expected number of bits can exceed $H(p)$; it is "
                r"reached on average for long blocks of records. In the formula $B$ is that of the best code and $H$ "
                r"the entropy, for three equally likely values.",
                _whole_bits(),
                holds=False,
            ),
        ),
        uses=("bayesnet.counts",),
        remark=r"The text smooths the frequencies of $d$ values of all attributes; a network has a table for each "
        r"attribute with its parents, where $d$ is the number of cells of this table. That the cross entropy is at "
        r"least $H(p)$ for every distribution is the inequality of Gibbs, in bayesnet.counts.",
    )


def _not_seen() -> Step:
    model = {0: Fraction(1), 1: Fraction(0)}
    return counterexample(
        "not_seen",
        r"Both test records are likely under the model, so that the estimate is $0$; the cross entropy is infinite:",
        ge(_missed, 1),
        {_missed: lambda: sum(model[record] == 0 for record in (0, 0))},
    )


def best_code(distribution: tuple[Fraction, ...]) -> Fraction:
    """The expected length of the best prefix code, by Huffman's algorithm."""
    heap, total = list(distribution), Fraction(0)
    heapq.heapify(heap)
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        total += joined
        heapq.heappush(heap, joined)
    return total


def _whole_bits() -> Step:
    third = (Fraction(1, 3),) * 3
    return counterexample(
        "whole_bits",
        r"The best code has the lengths $1, 2, 2$:",
        le(_bits, _entropy),
        {_bits: lambda: exact(best_code(third)), _entropy: lambda: sp.log(3) / sp.log(2)},
    )


CLAIMS = {"bayesnet.smoothing": smoothing}
