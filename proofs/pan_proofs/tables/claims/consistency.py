"""Distributions that do not agree with one another, or do not add up to 1: sections 3.3.2 and 3.4.2 of the thesis."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.ledger.claim import Claim, Reference, Role, derived
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import counterexample
from pan_proofs.tables.lemmas.information import exact

_one, _other, _chance, _shifted, _first, _second = sp.symbols("A_1 A_2 P I B_1 B_2")
_cell, _row, _column, _mass = sp.symbols("q r t s", positive=True)
_total, _sum = sp.symbols("T Q", real=True)
_value, _added = sp.symbols("v a", nonnegative=True)
_cells = sp.Symbol("m", integer=True, nonnegative=True)
Joint = Mapping[tuple[int, int], Fraction]
"""The joint frequencies of two attributes."""
_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
_WITH_B: Joint = {(0, 0): _HALF, (1, 1): _HALF, (0, 1): Fraction(0), (1, 0): Fraction(0)}
"""Frequencies of A with B, as they are without noise."""
_WITH_C: Joint = {(0, 0): 3 * _QUARTER, (1, 1): _QUARTER, (0, 1): Fraction(0), (1, 0): Fraction(0)}
"""Frequencies of A with C, of which noise has changed two cells."""
_ALONE = {0: 3 * _QUARTER, 1: _QUARTER}
"""Frequencies of A with noise."""


def margin(joint: Joint, place: int) -> dict[int, Fraction]:
    """The frequencies of one of the two attributes."""
    found = {0: Fraction(0), 1: Fraction(0)}
    for values, mass in joint.items():
        found[values[place]] += mass
    return found


def learned(first: Mapping[int, Fraction], joint: Joint) -> dict[int, Fraction]:
    """The distribution of the second attribute in the network of the first one and the second one given it."""
    given = margin(joint, 0)
    found = {0: Fraction(0), 1: Fraction(0)}
    for (one, other), mass in joint.items():
        found[other] += first[one] * mass / given[one]
    return found


def clipped_noise(scale: sp.Expr) -> sp.Expr:
    """The probability that Laplace noise on a count of 0 is negative."""
    place = sp.Symbol("x", positive=True)
    return sp.integrate(sp.exp(-place / scale) / (2 * scale), (place, 0, sp.oo))


def consistency() -> Claim:
    """The joint distributions do not agree, as it is said; this changes the result."""
    return Claim(
        id="bayesnet.consistency",
        title="Distributions that do not agree",
        references=(Reference("networks", "sections 3.3.2 and 3.4.2", "Algorithms 3.3, 3.4 and 3.5"),),
        statement=r"The noisy joint distributions of Algorithm 3.3 do not agree in general: an attribute has several "
        r"marginals. This has no impact on the final result. The conditional tables have no such issue: each is a "
        r"distribution for every value of the parents. The analyst may divide the noisy counts by $n$ in place of "
        r"their sum, and find $\tilde I(X; \mathrm{Pa}) = \tilde H(X) + \tilde H(\mathrm{Pa}) - \tilde H(X, "
        r"\mathrm{Pa})$ also from the frequencies directly.",
        hypotheses=("negative frequencies are set to 0",),
        silent=(r"$0 \log 0 = 0$", "all three entropies are of marginals of one set of frequencies"),
        notation=(("$q$, $r$, $t$", "frequencies of a cell, of its row and of its column, which add up to $1$"),),
        parts=(
            derived(
                Role.PUBLISHED,
                "the joint distributions do not agree",
                r"In the formula $A_1$ and $A_2$ are the frequencies of one value of $A$ from a distribution of $A$ "
                r"and $B$, and from one of $A$ and $C$ in which noise has changed two cells.",
                counterexample(
                    "disagree",
                    r"The marginals are computed from the cells:",
                    eq(_one, _other),
                    {_one: lambda: exact(margin(_WITH_B, 0)[0]), _other: lambda: exact(margin(_WITH_C, 0)[0])},
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "no impact on the final result",
                r"The distribution of $B$ in the network $A \to B$ depends on which marginal of $A$ is taken, and is "
                r"not the "
                r"marginal of the noisy joint distribution of $A$ and $B$. In the formula $B_1$ is the probability of "
                r"a value of $B$ in the network with the noisy frequencies of $A$ alone, and $B_2$ that with the "
                r"marginal of both, for the joint frequencies $\frac12, 0, 0, \frac12$ and the frequencies $\frac34, "
                r"\frac14$.",
                counterexample(
                    "impact",
                    r"Both distributions are computed from the factors of the network:",
                    eq(_first, _second),
                    {
                        _first: lambda: exact(learned(_ALONE, _WITH_B)[0]),
                        _second: lambda: exact(learned(margin(_WITH_B, 0), _WITH_B)[0]),
                    },
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "conditional tables for every value of the parents",
                r"If all cells of a value of the parents are set to $0$, its conditional frequencies are $\frac00$. In "
                r"the formula $P$ is the probability of this for a binary attribute, and a value of its parents that "
                r"has no record.",
                counterexample(
                    "empty_row",
                    r"Both counts are $0$, and the noise on each is negative with probability $\frac12$:",
                    le(_chance, 0),
                    {_chance: lambda: clipped_noise(sp.Integer(1)) ** 2},
                ),
            ),
            derived(
                Role.AMENDED,
                "conditional tables with a rule for empty rows",
                r"With any distribution in the place of $\frac00$, for instance the uniform one, each conditional "
                r"distribution has the sum $1$. So the product of all factors is a distribution, whose marginals "
                r"agree: summed over the $m$ values of the last attribute, it is the product $v$ of the other "
                r"factors. In the formulas $a_i$ are the probabilities of these values, $Q$ is their sum, which is "
                r"$1$, and $T$ that of the products.",
                over_entries(
                    "factors",
                    r"One attribute after the other, from the last one on.",
                    eq(_total, _value * _sum),
                    _cells,
                    {_total: _value * _added, _sum: _added},
                    (_added,),
                    ((2,), (3,)),
                    r"\sum_{i=1}^m v\,a_i &= v \sum_{i=1}^m a_i",
                    at={_value: 2},
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the information from entropies",
                r"It is a sum over the cells of the frequencies, with the logarithms of the entropies, also if the "
                r"frequencies add up to another number than $1$.",
                equal_as(
                    "from_entropies",
                    r"The logarithm of a cell. Summed over the cells of a row with the cells as weights, $\log r$ has "
                    r"the weight $r$, and in the same way for columns.",
                    (
                        lambda: sp.log(_cell / (_row * _column)),
                        _logarithms(),
                    ),
                    r"\log\frac{q}{rt} &= \log q - \log r - \log t",
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "division by the number of records",
                r"If the frequencies add up to $s \ne 1$, the information is not that of a distribution: it can be "
                r"negative. In the formula $I$ is the information of four equal cells with $s = 2$.",
                counterexample(
                    "negative_information",
                    r"Noise has doubled four equal cells of $\frac14$:",
                    ge(_shifted, 0),
                    {_shifted: lambda: information_of(((sp.Rational(1, 2),) * 2,) * 2)},
                ),
            ),
            derived(
                Role.AMENDED,
                "the information of frequencies that do not add up to 1",
                r"With $q = \frac{\tilde p}{s}$ it is $s\,I(q) - s\log s$: a cell gives $sq\log\frac{q}{rt} - "
                r"sq\log s$, and the cells $q$ add up to $1$. So candidates from sets with different sums $s$ are "
                r"shifted against one another, and division by the sums $n'$ removes the shift.",
                equal_as(
                    "shift",
                    r"A cell $sq$, with its row $sr$ and its column $st$:",
                    (_of_mass, _split()),
                    r"sq\log\frac{sq}{sr \cdot st} &= sq\log\frac{q}{rt} - sq\log s",
                ),
            ),
        ),
        uses=("bayesnet.listings", "bayesnet.analysis_of_algorithm"),
        remark=r"If all noisy cells of a distribution are set to $0$, normalizing it divides by $0$ as well. This has "
        r"a positive probability for every table.",
    )


def _logarithms() -> sp.Expr:
    return sp.log(_cell) - sp.log(_row) - sp.log(_column)


def information_of(cells: tuple[tuple[sp.Rational, ...], ...]) -> sp.Expr:
    """The information by the printed formula, for cells with any sum."""
    rows, columns = [sp.Add(*row) for row in cells], [sp.Add(*column) for column in zip(*cells, strict=True)]
    return sp.Add(
        *(
            one * sp.log(one / (rows[i] * columns[j]))
            for i, row in enumerate(cells)
            for j, one in enumerate(row)
            if one != 0
        )
    )


def _of_mass() -> sp.Expr:
    return _mass * _cell * sp.log(_mass * _cell / (_mass * _row * _mass * _column))


def _split() -> sp.Expr:
    return _mass * _cell * sp.log(_cell / (_row * _column)) - _mass * _cell * sp.log(_mass)


CLAIMS = {"bayesnet.consistency": consistency}
