"""Whether the text, the listing and the theorem of each algorithm of the thesis's chapter 3 say the same."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.steps import counterexample, enumerated, equal
from pan_proofs.tables.lemmas.information import exponential
from pan_proofs.tables.lemmas.likelihoods import (
    best_candidate,
    degree_after_the_loop,
    directed,
    from_root,
    greedy,
    marginal,
    most_parents,
    noisy_counts,
    printed_vote,
    spanning_trees,
)
from pan_proofs.tables.lemmas.small_tables import against, all_records, exponential_chance, printed_chance

_two_parents, _parents, _degree, _listed, _text, _one, _other = sp.symbols("E D k L T A_1 A_2")
_attributes, _records = sp.symbols("N n", integer=True, positive=True)
_budget, _scale = sp.symbols("epsilon_2 s", positive=True)
_XOR = ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0))
"""Four records: the third attribute is the parity of the others."""
_EVEN = ((0, 0, 0), (1, 1, 1))
_NOISE = (Fraction(1, 2), Fraction(0), Fraction(0), Fraction(0))


def listings() -> Claim:
    """Five listings differ from their texts; the others agree."""
    return Claim(
        id="bayesnet.listings",
        title="Text, listing and theorem of each algorithm",
        references=(Reference("networks", "Algorithms 3.1 to 3.7, sections 3.2 to 3.6"),),
        statement=r"Each listing does what the text beside it says and what its theorem assumes: Algorithm 3.1 finds "
        r"a network of degree 1; line 12 of Algorithm 3.2 is the exponential mechanism; Algorithm 3.3 is the Laplace "
        r"mechanism with the budgets $\frac{\varepsilon_2}{N}$; Algorithm 3.5 computes each score from its "
        r"distributions; Algorithm 3.6 learns a network of degree $k$; Algorithm 3.7 does, too.",
        hypotheses=("the input of each algorithm holds the degree $k$",),
        silent=("where scores are equal, the first candidate is taken",),
        parts=(
            Part(
                Role.PUBLISHED,
                "Algorithm 3.3",
                r"A sensitivity of $\frac2n$ and a budget of $\frac{\varepsilon_2}{N}$ give the printed scale "
                r"$s = \frac{2N}{n\varepsilon_2}$.",
                (
                    equal(
                        "printed_scale",
                        r"The scale of the Laplace mechanism is the sensitivity over the budget.",
                        "s",
                        lambda: (sp.Integer(2) / _records) / (_budget / _attributes),
                        2 * _attributes / (_records * _budget),
                    ),
                ),
                formal=symbolic(eq(_scale, 2 * _attributes / (_records * _budget))),
            ),
            Part(
                Role.PUBLISHED,
                "Algorithm 3.1 and Algorithm 3.2 without noise, for degree 1",
                r"Algorithm 3.2 with $k = 1$ adds the edge of the largest weight between chosen attributes and others, "
                r"as a spanning-tree algorithm does; it differs in that an attribute may get no parent where all "
                r"scores are $0$.",
                (_edges(),),
                no_formula="the statement is about edges, and is listed for all small tables",
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "Algorithm 3.1: the directions of the edges",
                r"Line 8 gives directions to the edges, and does not say which. With other directions than away from "
                r"one attribute an attribute gets two parents, and the score is not the sum of the weights. In the "
                r"formula $E$ is the largest number of parents for the tree $A - C - B$ with both edges towards $C$.",
                counterexample(
                    "directions",
                    r"The edges $A - C$ and $B - C$ are directed:",
                    le(_two_parents, 1),
                    {_two_parents: lambda: most_parents(directed([(0, 2), (1, 2)], (False, False)))},
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "Algorithm 3.2: the weights",
                r"The weights of the listing are proportional to the score, and those of the exponential mechanism, "
                r"which the text names, to its exponential. In the formula $L$ and $T$ are the probabilities of a "
                r"candidate, for $\frac{\varepsilon_1}{2(N-1)\Delta\hat I} = 1$.",
                _weights(),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "Algorithm 3.5: which distribution gives a smaller one",
                r"A distribution of fewer than $k + 1$ attributes is a marginal of several noisy ones, which do not "
                r"agree. The listing does not say which is taken. In the formula $A_1$ and $A_2$ are the noisy counts "
                r"of one value of $A$ from the sets $\{A, B\}$ and $\{A, C\}$.",
                _marginals(),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "Algorithm 3.6: the degree",
                r"Line 6 asks for $\mathrm{Pa}(X) \subseteq V$, and not for $|\mathrm{Pa}(X)| \le k$. In the formula "
                r"$D$ is the number of parents of a vote for $k = 1$.",
                counterexample(
                    "degree_of_votes",
                    r"The records $000, 011, 101, 110$, where the third attribute is the parity of the first two, "
                    r"which are chosen. The candidate of the largest score has both as parents:",
                    le(_parents, 1),
                    {_parents: lambda: len(printed_vote(_XOR, (0, 1), 1)[1])},
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "Algorithm 3.7: the name of the loop's variable",
                r"The loop over the holders is over $k$, and its body is about $j$. After it, line 6 runs with $k = "
                r"M$. In the formula $k$ is this value, for degree $1$ and three holders.",
                counterexample(
                    "loop",
                    r"The loop is run as it is printed:",
                    eq(_degree, 1),
                    {_degree: lambda: degree_after_the_loop(1, 3)},
                ),
            ),
            Part(
                Role.AMENDED,
                "the listings as the texts need them",
                r"Line 8 of 3.1 directs the edges away from one attribute. Line 12 of 3.2 has $\exp\frac{\hat "
                r"I\varepsilon_1}{2(N-1)\Delta\hat I}$; 3.5 names one set for each "
                r"smaller one, for instance the first in a public order; line 6 of 3.6 adds $|\mathrm{Pa}(X)| \le k$; "
                r"the loop of 3.7 is over $j$. Then all networks have at most degree $k$.",
                (
                    enumerated(
                        "repaired",
                        r"For all tables of up to three records of three binary attributes and $k = 1, 2$.",
                        "no vote has more than k parents",
                        ((table, degree) for table in (*_tables(), _XOR) for degree in (1, 2)),
                        lambda case: len(best_candidate(case[0], (0, 1), case[1])[1]) <= case[1],
                        mutant=lambda case: len(printed_vote(case[0], (0, 1), case[1])[1]) <= case[1],
                    ),
                    enumerated(
                        "rooted",
                        r"For all trees of two to four attributes and each attribute as the root.",
                        "no attribute of a tree that is directed away from a root has more than one parent",
                        ((tree, root) for size in (2, 3, 4) for tree in spanning_trees(size) for root in range(size)),
                        lambda case: len(from_root(*case)) == len(case[0]) and most_parents(from_root(*case)) == 1,
                        mutant=lambda case: most_parents(directed(case[0], [False] * len(case[0]))) == 1,
                    ),
                ),
                no_formula="the statement is about listings; the degree is listed for all small tables",
            ),
            derived(
                Role.READING,
                "where negative counts are set to 0",
                r"Section 3.3.3 lets the holders do it before they share, Theorem 3.4 shares the noisy counts as they "
                r"are, and the analysis of section 3.4.2 as well. Both are private, since setting to $0$ is "
                r"post-processing. The sums over the holders differ. In the formula $A_1$ is the sum of the counts "
                r"that are set to $0$, and $A_2$ the sum that is set to $0$.",
                _clipped(),
                holds=False,
            ),
        ),
        remark=r"Algorithm 3.4 divides by $n$ and does not normalise, so that $\tilde p$ is no distribution; its "
        r"conditional tables are, where a row has a positive sum. No listing says what is done where it is $0$. "
        r"Algorithm 3.7 returns a structure, and the text adds parameters from the synthetic records.",
    )


def _tables() -> list[tuple[tuple[int, ...], ...]]:
    return [one for rows in (1, 2, 3) for one in combinations_with_replacement(all_records((2, 2, 2)), rows)]


def _edges() -> Step:
    def value(table: tuple[tuple[int, ...], ...], pairs: list[tuple[int, int]]) -> Fraction:
        total = Fraction(1)
        for child, parent in pairs:
            total *= exponential(against(table, child, (parent,)))
        return total

    trees = [[(1, 0), (2, 0)], [(1, 0), (2, 1)], [(2, 0), (1, 2)]]

    def agrees(table: tuple[tuple[int, ...], ...]) -> bool:
        learned = [(child, parents[0]) for child, parents in greedy(table, 1) if parents]
        return value(table, learned) == max(value(table, tree) for tree in trees)

    return enumerated(
        "edges",
        r"For all tables of up to three records of three binary attributes the sum of the scores is that of the best "
        r"spanning tree.",
        "the sum of the scores of the greedy network of degree 1 is the largest over the three spanning trees",
        _tables(),
        agrees,
        mutant=lambda table: value(table, []) == max(value(table, tree) for tree in trees),
    )


def _weights() -> Step:
    wanted = (1, (0,))
    return counterexample(
        "weights",
        r"For the records $000$ and $111$, in the first round:",
        eq(_listed, _text),
        {
            _listed: lambda: printed_chance(_EVEN, (0,), 1, wanted),
            _text: lambda: exponential_chance(_EVEN, (0,), 1, wanted, sp.S.One),
        },
    )


def _marginals() -> Step:
    def first(others: tuple[int, int], noise: tuple[Fraction, ...]) -> sp.Rational:
        found = marginal(noisy_counts(_EVEN, others, noise), 0)[0]
        return sp.Rational(found.numerator, found.denominator)

    return counterexample(
        "marginals",
        r"Noise of $\frac12$ in one cell of the counts of $\{A, B\}$, and none in those of $\{A, C\}$:",
        eq(_one, _other),
        {_one: lambda: first((0, 1), _NOISE), _other: lambda: first((0, 2), (Fraction(0),) * 4)},
    )


def _clipped() -> Step:
    noisy = (Fraction(2), Fraction(-1))
    return counterexample(
        "clipped",
        r"Two holders with the noisy counts $2$ and $-1$ of a value:",
        eq(_one, _other),
        {
            _one: lambda: sp.Rational(int(sum(max(one, Fraction(0)) for one in noisy))),
            _other: lambda: sp.Rational(int(max(sum(noisy, Fraction(0)), Fraction(0)))),
        },
    )


CLAIMS = {"bayesnet.listings": listings}
