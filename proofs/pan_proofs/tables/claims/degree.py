"""The growth of sets, scores, structures and noise with the number of attributes and with the degree, in the thesis."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import bounded, counterexample, related

_attributes, _size = sp.symbols("N d", integer=True, positive=True)
_graphs, _values, _sets, _scores, _listed, _four, _five = sp.symbols("G R B_k S_k P_k T_4 T_5")
_N, _bits, _degree, _each, _rows, _wanted, _small_budget, _larger, _few_cells, _cells_of_table, _average = sp.symbols(
    "N b k v n theta e epsilon_2 mprime m a", positive=True
)
_SIZES = tuple((size, degree) for size in (2, 3, 4, 5) for degree in range(1, size))
_FACTOR = _each * (_N - _degree - 1) / (_degree + 2)
_ALLOWED = (
    ge(_rows * _small_budget / (2 * _N * _cells_of_table), _wanted),
    ge(_larger, _small_budget),
    le(_few_cells, _cells_of_table),
)
_KEPT = le(_wanted, _rows * _larger / (2 * _N * _few_cells))
"""The ratio of signal to noise for a larger budget and for a table of no more cells."""
_RECORDS, _HOLDERS, _SEVEN = 40_000, 3, 7
_BUDGET = sp.Rational(1, 10)


def main_terms(degree: int) -> sp.Rational:
    """The first two terms of the bias, without its sign, of uniform sets of binary attributes, as in Figure 3.7."""
    size = sp.Integer(2) ** (degree + 1)
    scale = 2 * comb(_SEVEN, degree + 1) / _BUDGET
    return (size - 1) / (2 * sp.Integer(_RECORDS)) + _HOLDERS * scale**2 * size**2 / sp.Integer(_RECORDS) ** 2


def degree() -> Claim:
    """The estimates do not worsen with every step of the degree; the other sentences hold."""
    return Claim(
        id="bayesnet.degree",
        title="Growth with the attributes and the degree",
        references=(Reference("networks", "sections 3.2, 3.3.1, 3.5, 3.7.2 and 3.8"),),
        statement=r"A distribution of $N$ attributes with $d$ values each has $d^N$ parameters. The number of "
        r"structures is super-exponential in $N$. A holder that shares scores shares more of them than the "
        r"$\binom{N}{k+1}$ distributions. A small budget favours a small degree. If the degree $k$ increases, the "
        r"private estimates of entropies worsen.",
        hypotheses=(r"the noise has the scale $b = \frac{2}{\varepsilon}\binom{N}{k+1}$ of Theorem 3.4",),
        silent=(r"$1 \le k < N$", "all attributes have the same number of values in the last sentence"),
        parts=(
            derived(
                Role.PUBLISHED,
                "parameters of a distribution",
                r"Each realization of the $N$ attributes has a probability. In the formula $R$ is their number, by "
                r"listing.",
                related(
                    "realizations",
                    r"All realizations are listed.",
                    "the number of realizations",
                    eq(_values, _size**_attributes),
                    (
                        {_values: len(list(product(range(size), repeat=count))), _size: size, _attributes: count}
                        for size, count in _TABLES
                    ),
                    mutant=eq(_values, _size * _attributes),
                    parameters=(_size, _attributes),
                    lines=r"R &= d^N",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "more structures than any exponential number",
                r"Every set of edges that follow one order of the attributes is acyclic, so that there are at least "
                r"$2^{N(N-1)/2}$ structures. For every $b$ this exceeds $2^{bN}$ from $N = 2b + 1$ on. In the formulas "
                r"$G$ is the number of structures of up to four attributes, by listing.",
                related(
                    "structures_of_one_order",
                    r"The sets of edges from an attribute to a later one are among the acyclic sets.",
                    "the number of acyclic sets of directed edges",
                    ge(_graphs, 2 ** (_attributes * (_attributes - 1) / 2)),
                    ({_graphs: acyclic(size), _attributes: size} for size in (1, 2, 3, 4)),
                    mutant=ge(_graphs, 2 ** (_attributes * (_attributes - 1))),
                    parameters=(_attributes,),
                    lines=r"1, 3, 25, 543 &\ge 2^{N(N-1)/2}",
                ),
                bounded(
                    "super_exponential",
                    r"In bits:",
                    le(_bits * _N, _N * (_N - 1) / 2),
                    ge(_N, 2 * _bits + 1),
                    lines=r"b\,N &\le \tfrac12 N(N-1) \quad (N \ge 2b + 1)",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "more scores than distributions",
                r"The printed number $\sum_{i=1}^{k+1} \binom Ni$ has the term $\binom{N}{k+1}$ and $N$ more at least, "
                r"and the number of candidates is larger still. In the formulas $B_k$ is the number of distributions, "
                r"$S_k$ the printed number of scores and $P_k$ that of candidates, by listing.",
                related(
                    "more_scores",
                    r"Both are listed for up to five attributes and every degree.",
                    "the printed number of scores, and that of distributions",
                    lt(_sets, _scores),
                    (
                        {_sets: sets, _scores: scores, _attributes: size, _degree: k}
                        for size, k, sets, scores, _ in _cases()
                    ),
                    mutant=lt(2 * _sets, _scores),
                    parameters=(_attributes, _degree),
                    lines=r"\binom{N}{k+1} &< \sum_{i=1}^{k+1} \binom Ni",
                ),
                related(
                    "more_candidates",
                    r"In the same way:",
                    "the number of candidates, and that of distributions",
                    lt(_sets, _listed),
                    (
                        {_sets: sets, _listed: listed, _attributes: size, _degree: k}
                        for size, k, sets, _, listed in _cases()
                    ),
                    mutant=lt(4 * _sets, _listed),
                    parameters=(_attributes, _degree),
                    lines=r"B_k &< P_k",
                ),
            ),
            Part(
                Role.PUBLISHED,
                "a small budget favours a small degree",
                r"Section 3.3.1 takes the largest degree for which the ratio of signal to noise of an entry is at "
                r"least $\theta$. An entry of a table of $m$ cells has the average $\frac1m$, and its noise the "
                r"average absolute value $\frac{2N}{n\varepsilon_2}$, so that the ratio is "
                r"$\frac{n\varepsilon_2}{2Nm}$. A larger budget keeps each degree that a smaller one $e$ allows, and "
                r"a smaller table keeps the ratio.",
                (
                    _noise_of_entry(),
                    bounded(
                        "allowed",
                        r"Let $m' \le m$ be the cells of the smaller table.",
                        _KEPT,
                        *_ALLOWED,
                        lines=r"\theta &\le \frac{n\varepsilon_2}{2Nm'}",
                    ),
                ),
                formal=(
                    *symbolic(eq(_average, 2 * _N / (_rows * _larger))),
                    *symbolic(_KEPT, given=_ALLOWED),
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "estimates that get better with the degree",
                r"From $k = 4$ to $k = 5$ of seven attributes the number of sets falls from $21$ to $7$, and the noise "
                r"with it. In the formula $T_4$ and $T_5$ are the first two terms of the bias of the entropy, "
                r"$\frac{d-1}{2n} + \frac{Mb^2}{n^2}\sum_i \frac{1}{p_i}$, of binary attributes with uniform "
                r"frequencies, for $n = 40{,}000$, $M = 3$ and $\varepsilon = 0.1$ as in Figure 3.7.",
                counterexample(
                    "better",
                    r"The noise of $7$ sets over $64$ values is less than that of $21$ sets over $32$ values:",
                    le(_four, _five),
                    {_four: lambda: main_terms(4), _five: lambda: main_terms(5)},
                ),
            ),
            derived(
                Role.AMENDED,
                "up to which degree the noise grows",
                r"For attributes of $v$ values with uniform frequencies the noise term $\frac{Mb^2}{n^2} \sum_i "
                r"\frac{1}{p_i}$ of degree $k + 1$ is that of degree $k$ times the square of "
                r"$\frac{v(N-k-1)}{k+2}$. So it grows as long as $k + 2 \le v(N-k-1)$, and falls afterwards.",
                equal_as(
                    "ratio_of_sets",
                    r"The numbers of sets, by which the scale of the noise grows. $\sum_i \frac1{p_i}$ is $d^2$ for "
                    r"$d = v^{k+1}$ equal probabilities, and grows by the factor $v^2$.",
                    (
                        lambda: sp.combsimp(sp.binomial(_N, _degree + 2) / sp.binomial(_N, _degree + 1)),
                        (_N - _degree - 1) / (_degree + 2),
                    ),
                    r"\binom{N}{k+2} \Big/ \binom{N}{k+1} &= \frac{N-k-1}{k+2}",
                ),
                bounded(
                    "noise_rises",
                    r"The root of the factor is at least $1$:",
                    le(sp.S.One, _FACTOR),
                    le(_degree + 2, _each * (_N - _degree - 1)),
                    gt(_N, _degree + 1),
                    lines=r"1 &\le \frac{v(N-k-1)}{k+2}",
                ),
                bounded(
                    "noise_falls",
                    r"Or less than $1$:",
                    lt(_FACTOR, sp.S.One),
                    gt(_degree + 2, _each * (_N - _degree - 1)),
                    lines=r"\frac{v(N-k-1)}{k+2} &< 1",
                ),
                only=(
                    "noise_rises",
                    "noise_falls",
                ),
            ),
        ),
        uses=("bayesnet.counts", "bayesnet.entropy_bias", "bayesnet.sufficient_statistics_privacy"),
        remark=r"Section 3.8 says the same of the number of holders: the variance $2Mb^2$ grows with $M$, in "
        r"bayesnet.analysis\_of\_algorithm.",
    )


_TABLES = ((1, 3), (2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (3, 3), (4, 2))


def _reaches(edges: tuple[tuple[int, int], ...], start: int) -> set[int]:
    found: set[int] = set()
    border = {start}
    while border:
        border = {target for source, target in edges if source in border} - found
        found |= border
    return found


def acyclic(size: int) -> int:
    """The number of acyclic sets of directed edges: no attribute is reached from itself."""
    pairs = [(one, other) for one in range(size) for other in range(size) if one != other]
    return sum(
        all(one not in _reaches(edges, one) for one in range(size))
        for count in range(len(pairs) + 1)
        for edges in combinations(pairs, count)
    )


def _cases() -> Iterator[tuple[int, int, int, int, int]]:
    for size, most in _SIZES:
        sets = len(list(combinations(range(size), most + 1)))
        scores = sum(len(list(combinations(range(size), count))) for count in range(1, most + 2))
        listed = sum(
            len(list(combinations(range(size - 1), parents))) for _ in range(size) for parents in range(most + 1)
        )
        yield size, most, sets, scores, listed


def _noise_of_entry() -> Step:
    place = sp.Symbol("x", positive=True)
    scale = 2 * _N / (_rows * _larger)
    return equal_as(
        "noise_of_entry",
        r"The average absolute value of Laplace noise is its scale:",
        (
            lambda: 2 * sp.integrate(place * sp.exp(-place / scale) / (2 * scale), (place, 0, sp.oo)),
            scale,
        ),
        r"E|\eta| &= \frac{2N}{n\varepsilon_2}",
    )


CLAIMS = {"bayesnet.degree": degree}
