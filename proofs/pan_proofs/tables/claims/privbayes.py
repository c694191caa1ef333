"""Theorems 3.1 to 3.3 of the thesis: the privacy of PrivBayes with one holder of the data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, related
from pan_proofs.tables.lemmas.information import sensitivity
from pan_proofs.tables.lemmas.shares import (
    at_scale,
    close_exponents,
    equal_changes,
    equal_shares,
    one_record_moves,
    stated_close_exponents,
    stated_equal_changes,
    stated_equal_shares,
    stated_move,
)
from pan_proofs.tables.lemmas.small_tables import (
    Candidate,
    Records,
    adjacent,
    candidates,
    exponential_chance,
    families,
    largest_change,
    printed_chance,
    structures,
)

_loss, _chance, _other_chance, _observed, _ratio = sp.symbols("R P Pprime C ratio")
_score, _other_score = sp.symbols("q qprime", real=True)
_largest, _share, _unit, first_budget, second_budget, _output = sp.symbols(
    "Delta e lambda epsilon_1 epsilon_2 y", positive=True
)
attributes, records = sp.symbols("N n", integer=True, positive=True)
_any_factor = sp.Symbol("c", nonnegative=True)
_OTHERS = 6
printed_scale = 2 * attributes / (records * second_budget)
"""The printed scale of the noise on frequencies."""
_TWO = ((0, 0, 0), (1, 1, 1))
_ADJACENT = ((0, 0, 0), (1, 0, 1))
"""Two tables of two records over the attributes A, B and C. The second record has another value of B."""
_ROUNDS = (
    r"The loss $l_i$ of a round, given all rounds before it, is at most $e = \frac{\varepsilon_1}{r}$. "
    r"Losses of rounds add up (sequential composition, where a round sees the outcomes before it)."
)
_losses = sp.symbols("l_1 l_2", real=True)
_budgets = sp.symbols("epsilon_1 epsilon_2", real=True)
_WITHIN = tuple(le(loss, budget) for loss, budget in zip(_losses, _budgets, strict=True))


def privbayes_privacy() -> Claim:
    """The printed weights leak without bound; the exponential ones, and the noise, keep their budgets."""
    return Claim(
        id="bayesnet.privbayes_privacy",
        title="Privacy of PrivBayes",
        notation=(
            (r"$\ell_1, \ldots, \ell_r$", "losses of the rounds"),
            (r"$\mathrm{ratio}$", "ratio of the densities of the noise for the largest change"),
        ),
        references=(Reference("networks", "Theorems 3.1, 3.2 and 3.3, section 3.3", "Algorithms 3.2 and 3.3"),),
        statement=r"The structure is learned in $N - 1$ rounds. Each draws a candidate $(X, \mathrm{Pa})$ with "
        r"probability proportional to $\frac{\hat I(X; \mathrm{Pa})\,\varepsilon_1}{2(N-1)\Delta\hat I}$, and this is "
        r"$\varepsilon_1$-differentially private (3.2). Laplace noise of scale $\frac{2N}{n\varepsilon_2}$ on the "
        r"frequencies of $N$ joint distributions is $\varepsilon_2$-differentially private (3.3). Both together are "
        r"$(\varepsilon_1 + \varepsilon_2)$-differentially private (3.1).",
        hypotheses=("adjacent tables have $n$ records, of which one differs (bounded adjacency)",),
        silent=(
            r"$n$, $N$ and the domains are public",
            "the first attribute, and ties, do not depend on the data",
            r"$\Delta\hat I$ is at least the sensitivity of each candidate; Lemma 3.1 gives such a bound",
            r"$\hat I$ and $\Delta\hat I$ have the same base of logarithms",
            "all draws and all noise are independent, and real numbers",
        ),
        parts=(
            derived(
                Role.COUNTEREXAMPLE,
                "weights that are proportional to the score",
                r"With the printed weights a candidate of score $0$ is never drawn. So a structure that one table can "
                r"give is impossible for an adjacent table, and no $c = e^{\varepsilon_1}$ is large enough. In the "
                r"formula $P$ and $P'$ are the probabilities of the structure.",
                _zero_weight(),
            ),
            Part(
                Role.AMENDED,
                "weights that are exponential in the score",
                r"With weights proportional to $\exp\frac{\hat I(X; \mathrm{Pa})\,\varepsilon_1}{2(N-1)\Delta\hat I}$ "
                r"the structure is $\varepsilon_1$-differentially private. In the formulas $q$ and $q'$ are the "
                r"scores of a candidate for two adjacent tables, $\Delta$ is $\Delta\hat I$, and $r = N - 1$; $l_i$ is "
                r"the loss of a round, and $L$ that of all rounds.",
                (
                    close_exponents(
                        "exponents",
                        r"The exponents of a candidate's weights for two adjacent tables differ by at most half of "
                        r"the share of a round. The exponential mechanism has this factor twice: for the weight, and "
                        r"for the sum of all weights.",
                    ),
                    equal_shares("rounds", _ROUNDS),
                    enumerated(
                        "first_round",
                        r"The first round for all adjacent tables of two records over three binary attributes, with "
                        r"the share $1$: all ratios are less than $e$.",
                        "the ratios of the probabilities of each candidate are less than the exponential of the share",
                        adjacent((2, 2, 2), 2),
                        lambda case: _ratio_below(case, sp.S.One),
                        mutant=lambda case: _ratio_below(case, sp.Rational(2, 5)),
                        engine="flint",
                        lines=r"P((X, \mathrm{Pa}) \mid D) &< e\, P((X, \mathrm{Pa}) \mid D')",
                    ),
                ),
                formal=(
                    *stated_close_exponents(),
                    *stated_equal_shares(first_budget),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the noise of the parameters",
                r"Theorem 3.3: the frequencies of one distribution change by at most $\frac2n$, those of all $N$ by "
                r"at most $\frac{2N}{n}$, and for two records that differ in every attribute by exactly this. So the "
                r"loss is at most $\varepsilon_2$, and the bound is attained. In the formulas $a_1$ and $a_2$ are the "
                r"changes of two counts, $t_i$ and $T$ those of the frequencies of one and of all distributions. $C$ "
                r"is the largest change of all counts for up to three binary attributes, and the ratio is that of the "
                r"densities for the largest change.",
                (
                    one_record_moves(
                        "one_distribution",
                        r"A record leaves one cell of a joint distribution and enters one: the counts of two cells "
                        r"change by $1$, or none does. Frequencies are counts over $n$, so that they change by at "
                        r"most $\frac2n$.",
                    ),
                    equal_changes("all_distributions", r"All $r = N$ distributions together, with $\Delta = \frac2n$:"),
                    related(
                        "all_distributions_enumerated",
                        r"The largest change $C$ of all counts is $2N$, over all tables of two records (and of three, "
                        r"for two attributes), for every structure of two or three binary attributes.",
                        "the largest change of the counts of all families of a structure",
                        eq(_observed, 2 * attributes),
                        _cases(),
                        mutant=eq(_observed, 2),
                        parameters=(attributes,),
                        lines=r"\max_{D, D'} \sum_i \lVert c_{X_i, \mathrm{Pa}_i}(D) - c_{X_i, "
                        r"\mathrm{Pa}_i}(D')\rVert_1 &= 2N",
                    ),
                    at_scale(
                        "loss_of_parameters",
                        r"With the printed scale the largest ratio of the densities is",
                        2 * attributes / records,
                        printed_scale,
                        second_budget,
                        r"\exp\Bigl(\frac{2N}{n} \Big/ \frac{2N}{n\varepsilon_2}\Bigr) &= e^{\varepsilon_2}",
                    ),
                ),
                formal=(
                    *stated_move(),
                    *stated_equal_changes(2 / records, attributes),
                    *symbolic(
                        eq(_observed, 2 * attributes),
                        given=(sp.Or(*(eq(attributes, size) for size in (2, 3))),),
                    ),
                    *symbolic(eq(_ratio, sp.exp(second_budget))),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "both phases",
                r"Theorem 3.1: if the first phase is $\varepsilon_1$- and the second $\varepsilon_2$-differentially "
                r"private for each structure, the loss $l_1 + l_2$ of both is at most $\varepsilon_1 + \varepsilon_2$.",
                (
                    bounded(
                        "both_phases",
                        r"The second phase sees the structure. Given a structure its loss is at most $\varepsilon_2$ "
                        r"(sequential composition). Sampling from the model is post-processing.",
                        le(_losses[0] + _losses[1], _budgets[0] + _budgets[1]),
                        (*_WITHIN, gt(_budgets[0] + _budgets[1], 0)),
                        r"l_1 + l_2 &\le \varepsilon_1 + \varepsilon_2",
                    ),
                ),
                formal=symbolic(le(_losses[0] + _losses[1], sum(_budgets)), given=_WITHIN),
            ),
            Part(
                Role.READING,
                "adding or removing a record",
                r"If adjacent tables have $n$ and $n + 1$ records, the noise has two different scales. At a distance "
                r"$y$ from a frequency of $0$ in both tables, the ratio of the densities grows without bound.",
                (
                    equal_as(
                        "two_scales",
                        r"The scales are $\frac{2N}{n\varepsilon_2}$ and $\frac{2N}{(n+1)\varepsilon_2}$.",
                        (
                            lambda: _density(printed_scale) / _density(printed_scale.subs(records, records + 1)),
                            _tail_ratio(),
                        ),
                        r"\frac{p(y)}{p'(y)} &= \frac{n}{n+1} \exp\frac{\varepsilon_2 y}{2N}",
                    ),
                    counterexample(
                        "far_away",
                        r"It exceeds $e^{\varepsilon_2}$ far from $0$:",
                        le(_tail_ratio(), sp.exp(second_budget)),
                        {records: 1, attributes: 3, second_budget: 1, _output: 60},
                    ),
                ),
                formal=(
                    *symbolic(eq(_ratio, _tail_ratio())),
                    *symbolic(le(_tail_ratio(), sp.exp(second_budget)), refuted=True),
                ),
                holds=False,
            ),
            derived(
                Role.READING,
                "a score in bits with a sensitivity in nats",
                r"Section 3.3.3 writes the score with $\log_2$, and Lemma 3.1 has $\log$, which is the natural one in "
                r"the whole text. If both are taken as printed, a round can lose more than its share $e$. In the "
                r"formulas $R$ is the ratio of the probabilities of a candidate for the share $1$, and $q$ and $q'$ "
                r"are scores in nats.",
                counterexample(
                    "in_bits",
                    r"Eight binary attributes and two records, $0 \ldots 0$ and a second one. In one table the second "
                    r"attribute is a copy of the first one and the others are constant; in the other table the second "
                    r"one is constant and the others are copies. Both distributions of the first round for $k = 1$ "
                    r"give the ratio",
                    le(_loss, sp.exp(1)),
                    {_loss: lambda: ratio(sp.log(2))},
                ),
                bounded(
                    "in_bits_at_most",
                    r"The exponents of a candidate differ by at most $\frac{e}{2\log 2}$, so that a round loses at "
                    r"most $\frac{e}{\log 2} < 1.45\,e$. Here $e$ is the share of the round and $\lambda = \log 2$.",
                    le(
                        _share * _score / (2 * _largest * _unit) - _share * _other_score / (2 * _largest * _unit),
                        _share / (2 * _unit),
                    ),
                    (le(_score - _other_score, _largest),),
                    r"\frac{eq}{2\lambda\Delta} - \frac{eq'}{2\lambda\Delta} &\le \frac{e}{2\lambda}",
                ),
                holds=False,
            ),
        ),
        uses=(
            "bayesnet.mutual_information_sensitivity",
            "thesis.exponential_mechanism",
            "thesis.sequential_composition",
            "density.laplace_mechanism",
            "thesis.post_processing",
        ),
        in_words=(
            (
                "exponents",
                "A round draws with weights that change by this factor at most. The claim on the exponential mechanism "
                r"gives the loss $\frac{\varepsilon_1}{N-1}$ of the round, for every outcome of the rounds before it.",
            ),
        ),
        remark=r"All weights may be $0$: for a table with a constant first attribute the printed distribution of the "
        r"first round does not exist. Candidates without parents have the score $0$ always.",
    )


def _zero_weight() -> Step:
    wanted = (1, (0,))
    return counterexample(
        "zero_weight",
        r"Two records over three binary attributes: $D = \{000, 111\}$ and $D' = \{000, 101\}$, with $A$ as the "
        r"first attribute and $k = 1$. For $D$ the candidates $(B, \{A\})$ and $(C, \{A\})$ have equal scores. "
        r"For $D'$ the score of $(B, \{A\})$ is $0$. Both distributions are computed from the printed weights.",
        le(_chance, _any_factor * _other_chance),
        {
            _chance: lambda: printed_chance(_TWO, (0,), 1, wanted),
            _other_chance: lambda: printed_chance(_ADJACENT, (0,), 1, wanted),
            _any_factor: sp.Integer(10) ** 9,
        },
        (ge(_any_factor, 1),),
        free=(_any_factor,),
        lines=r"P((B, \{A\}) \mid D) = \tfrac12 &> e^{\varepsilon_1} \cdot 0",
    )


@cache
def _first_chance(table: Records, candidate: Candidate) -> sp.Expr:
    """The probability of a candidate of the first round for the share 1, two records and binary attributes."""
    return exponential_chance(table, (0,), 1, candidate, 1 / (2 * sensitivity((2, 2), 2)))


def _ratio_below(case: tuple[Records, Records], share: sp.Rational) -> bool:
    one, other = case
    return all(
        bool(enclosure(sp.exp(share) * _first_chance(other, option) - _first_chance(one, option)) > 0)
        for option in candidates((0,), 3, 1)
    )


def _cases() -> Iterator[dict[sp.Symbol, int]]:
    for size in (2, 3):
        for structure in structures(size, 2):
            for rows in (2, 3) if size == 2 else (2,):
                yield {_observed: largest_change((2,) * size, rows, families(structure)), attributes: size}


def _density(scale: sp.Expr) -> sp.Expr:
    return sp.exp(-_output / scale) / (2 * scale)


def _tail_ratio() -> sp.Expr:
    return records / (records + 1) * sp.exp(second_budget * _output / (2 * attributes))


def copied() -> tuple[Records, Records]:
    """Two tables of two records: the second attribute is the first one, or all others are."""
    zeros = (0,) * (2 + _OTHERS)
    return (zeros, (1, 1) + (0,) * _OTHERS), (zeros, (1, 0) + (1,) * _OTHERS)


def ratio(unit: sp.Expr) -> sp.Expr:
    """The ratio of the probabilities of a candidate in the first round, for the share 1 and a score in a unit."""
    factor = 1 / (2 * sensitivity((2, 2), 2) * unit)
    one, other = (exponential_chance(table, (0,), 1, (1, (0,)), factor) for table in copied())
    return one / other


CLAIMS = {"bayesnet.privbayes_privacy": privbayes_privacy}
