"""The sentence of section 3.2 of the thesis on fully connected networks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, factorial

import sympy as sp

from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Claim, Reference, Role, Step, Steps, derived
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, counterexample, related
from pan_proofs.tables.lemmas.gibbs import relative_entropy
from pan_proofs.tables.lemmas.small_tables import Records, score

_tied, _of_three, _more, _fewer = sp.symbols("q_n Q_n S_3 S_2")
_records = sp.Symbol("n", positive=True)
_flips, _w, _after, _chance, _value = sp.symbols("m w wprime p u", nonnegative=True)
_total, _mass = sp.symbols("T Q", real=True)
_cases = sp.Symbol("k", integer=True, nonnegative=True)
_MOST_OF_TWO, _MOST_OF_THREE = 24, 10
_SAME: Records = ((0, 0, 0), (1, 1, 1))
"""Three equal attributes."""


def fully_connected() -> Claim:
    """Not by any algorithm, and almost always for data with noise."""
    return Claim(
        id="bayesnet.fully_connected",
        title="Fully connected networks of the likelihood score",
        references=(Reference("networks", "section 3.2"),),
        statement=r"If the number of parents is not bounded, any algorithm that uses the likelihood score almost "
        r"always returns a fully connected structure, since $\hat I(X; Y, Z) \ge \hat I(X; Y)$ for any $X, Y, Z$.",
        notation=(
            (r"$S_2$, $S_3$", r"$n$ times the largest score of a network with two edges, and of one with three"),
            (r"$w$, $w'$", "largest probability of a number of heads among $2m$ fair coins, and among $2m + 2$"),
            (r"$q_n$, $Q_n$", "probabilities that a network that is not fully connected has the largest score"),
            (r"$T$, $Q$; $p$, $u$", "sums over cases; probability of a case, and that of an event in it"),
        ),
        hypotheses=("the score is the largest log-likelihood of the records",),
        silent=(
            "almost always is read as: with a probability that tends to 1 with the number of records $n$",
            "the algorithm returns a structure with the largest score",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "one more parent never lowers the score",
                r"The gain $\hat I(X; Y, Z) - \hat I(X; Y)$ is an average of relative entropies, one for each value of "
                r"$Y$. None is negative. So a fully connected structure has the largest score. In the formula $K$ is "
                r"a relative entropy.",
                *relative_entropy("gain", r"Added over the cells; both masses are $1$."),
                only=("gain",),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "records on which other structures have the largest score too",
                r"For the records $000$ and $111$ a chain of two edges has the score of the fully connected "
                r"structure, so that the score alone does not choose between them, for any number of copies of these "
                r"records.",
                _equal_attributes(),
            ),
            derived(
                Role.AMENDED,
                "independent fair bits",
                r"Even of two independent fair bits the empty structure has the largest score with a probability "
                r"$q_n$ that tends to $0$: $q_n^2\,(3 \lfloor \frac n4 \rfloor + 1) \le 1$. It has the largest score "
                r"only if the frequencies of the second bit agree in both groups of the first one. One of the groups "
                r"has $2m$ or more records with $m \ge \lfloor \frac n4 \rfloor$, and its number of ones is then one "
                r"number.",
                bounded(
                    "two_more_coins",
                    r"A number of heads among $2m$ fair coins has at most the probability $w \le \frac{1}{\sqrt{3m + "
                    r"1}}$. For two coins more:",
                    le(_after**2 * (3 * _flips + 4), 1),
                    le(_w**2 * (3 * _flips + 1), 1),
                    eq(_after * (2 * _flips + 2), _w * (2 * _flips + 1)),
                    lines=r"w'^2\,(3m + 4) &\le 1",
                ),
                over_entries(
                    "over_the_other_group",
                    r"This holds for each number of ones in the other group, and so for the average over these cases.",
                    le(_total, _w * _mass),
                    _cases,
                    {_total: _chance * _value, _mass: _chance},
                    (_chance, _value),
                    ((1, 2), (1, 2)),
                    r"T &\le w\,Q",
                    (le(_value, _w), sp.Ge(_chance, 0), sp.Ge(_value, 0), sp.Ge(_w, 0)),
                    at={_w: 2},
                ),
                related(
                    "two_bits_counted",
                    r"The exact probabilities for up to 24 records, with $m = \lfloor \frac n4 \rfloor$:",
                    "the probabilities that two independent fair bits have equal frequencies in both groups",
                    le(_tied**2 * (3 * sp.floor(_records / 4) + 1), 1),
                    ({_tied: _tied_pairs(rows), _records: rows} for rows in range(1, _MOST_OF_TWO + 1)),
                    mutant=le(2 * _tied**2 * (3 * sp.floor(_records / 4) + 1), 1),
                    parameters=(_records,),
                    lines=r"q_n^2\,(3m + 1) &\le 1",
                ),
            ),
            derived(
                Role.READING,
                "three fair bits",
                r"Of three independent fair bits $Q_n = 1$ for one record and for two, and $Q_n > \frac14$ for up to "
                r"ten. So for few records the sentence is not true.",
                *_three_bits(),
            ),
        ),
        uses=("bayesnet.loglikelihood",),
        in_words=(
            (
                "two_more_coins",
                r"the largest probability is that of $m$ heads, whose ratio for $m + 1$ is $\frac{2m + 1}{2m + 2}$; "
                r"for $m = 0$ it is $1$",
            ),
        ),
    )


def _equal_attributes() -> Step:
    chain, whole = ((1, (0,)), (2, (1,))), ((1, (0,)), (2, (0, 1)))
    return counterexample(
        "equal_attributes",
        r"Three attributes are equal in two records. The third one has its value from the second, and learns nothing "
        r"from the first.",
        gt(_more, _fewer),
        {
            _more: lambda: sp.Add(*(score(_SAME, one) for one in whole)),
            _fewer: lambda: sp.Add(*(score(_SAME, one) for one in chain)),
        },
    )


def _three_bits() -> Steps:
    found = {rows: _tied_triples(rows) for rows in range(1, _MOST_OF_THREE + 1)}
    asked = "the probabilities that a structure with fewer edges has the largest score of three fair bits"
    return (
        related(
            "one_or_two_records",
            r"Two of three bits of two records are equal, opposite or constant, and a third one learns nothing more.",
            asked,
            eq(_of_three, 1),
            [{_of_three: found[rows], _records: rows} for rows in (1, 2)],
            mutant=eq(_of_three, 0),
            parameters=(_records,),
        ),
        related(
            "few_records",
            r"The probability is computed exactly for up to ten records.",
            asked,
            gt(_of_three, sp.Rational(1, 4)),
            [{_of_three: one, _records: rows} for rows, one in found.items()],
            mutant=gt(_of_three, sp.Rational(1, 3)),
            parameters=(_records,),
        ),
    )


def _tied_pairs(rows: int) -> Fraction:
    """The probability that the counts of two fair bits are those of independence."""
    ways = 0
    for group in range(rows + 1):
        for ones in range(group + 1):
            for others in range(rows - group + 1):
                if ones * (rows - group) == others * group:
                    ways += comb(rows, group) * comb(group, ones) * comb(rows - group, others)
    return Fraction(ways, 4**rows)


def _tied_triples(rows: int) -> Fraction:
    """The probability that two of three fair bits are independent in the records, alone or given the third one."""
    ways = 0
    for counts in _divided(rows, 8):
        if any(_independent(counts, one, two) for one, two in combinations(range(3), 2)):
            ways += _orders(counts)
    return Fraction(ways, 8**rows)


def _independent(counts: tuple[int, ...], one: int, two: int) -> bool:
    (rest,) = {0, 1, 2} - {one, two}
    tables = [[counts[(a << one) + (b << two) + (c << rest)] for a in (0, 1) for b in (0, 1)] for c in (0, 1)]
    given = all(table[0] * table[3] == table[1] * table[2] for table in tables)
    both = [sum(cells) for cells in zip(*tables, strict=True)]
    return given or both[0] * both[3] == both[1] * both[2]


def _divided(rows: int, cells: int) -> Iterator[tuple[int, ...]]:
    """All ways to divide records among cells."""
    if cells == 1:
        yield (rows,)
        return
    for first in range(rows + 1):
        for others in _divided(rows - first, cells - 1):
            yield (first, *others)


def _orders(counts: tuple[int, ...]) -> int:
    """The number of orders of records with these counts."""
    ways = factorial(sum(counts))
    for one in counts:
        ways //= factorial(one)
    return ways


CLAIMS = {"bayesnet.fully_connected": fully_connected}
