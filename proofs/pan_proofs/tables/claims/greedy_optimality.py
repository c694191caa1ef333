"""Section 3.2.2 of the thesis: greedy algorithms for degree 1, and the distribution that is closest."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

import sympy as sp

from pan_proofs.engines.relations import ge, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import bounded, counterexample, enumerated
from pan_proofs.tables.lemmas.gibbs import relative_entropy
from pan_proofs.tables.lemmas.information import exact, exponential
from pan_proofs.tables.lemmas.likelihoods import (
    Structure,
    best_by_orders,
    by_information,
    dominates,
    greedy,
    grown,
    maximum_likelihood,
    network_chance,
    orders,
    spanning_trees,
)
from pan_proofs.tables.lemmas.small_tables import Records, against, all_records

_likelihood, _stated, _far, _near = sp.symbols("L E K_1 K_2")
_old, _new, _total = sp.symbols("w_old w_new W", real=True)
_rows, _entropies, _other, _weight = sp.symbols("n h Wprime W", nonnegative=True)
_frequency, _modelled = sp.symbols("p q", positive=True)
_EXCHANGED = (ge(_new, _old),)
_FIVE: Records = ((0, 0), (0, 0), (0, 1), (1, 0), (1, 1))
_FOUR_ATTRIBUTES: Records = ((0, 0, 1, 0), (0, 1, 0, 0), (0, 1, 1, 1), (1, 0, 0, 0), (1, 0, 0, 0), (1, 0, 1, 0))


def greedy_optimality() -> Claim:
    """Greedy trees are optimal; the closest distribution is that to the frequencies."""
    return Claim(
        id="bayesnet.greedy_optimality",
        title="Greedy structures of degree 1",
        notation=(
            (
                r"$w_{\text{old}}$, $w_{\text{new}}$",
                "weights of the edge that is left out, and of the edge in its place",
            ),
        ),
        references=(Reference("networks", "section 3.2.2, Algorithms 3.1 and 3.2"),),
        statement=r"For degree 1 the spanning tree of the largest sum of $\hat I(X_i; X_j)$ gives a structure of the "
        r"largest likelihood, and so does Algorithm 3.2 without noise. This structure minimises the relative entropy "
        r"of the network's distribution to the actual distribution of the data.",
        hypotheses=("no noise is added",),
        silent=(r"$k = 1$ and $N \ge 2$", "the parameters are the conditional frequencies"),
        parts=(
            Part(
                Role.PUBLISHED,
                "greedy trees have the largest weight",
                r"A tree that grows from a node by the best edge to a new node has the largest sum of weights of all "
                r"spanning trees. As $\hat I \ge 0$, no forest has more. In the formula $W$ is the weight of a tree, "
                r"in which an edge of weight $w_{\mathrm{old}}$ is exchanged.",
                (
                    bounded(
                        "exchange",
                        r"An edge is exchanged for one of no less weight.",
                        le(_old, _new),
                        *_EXCHANGED,
                        lines=r"W - w_{\text{old}} + w_{\text{new}} &\ge W",
                        raised=1,
                    ),
                    _trees(),
                ),
                formal=symbolic(ge(_total - _old + _new, _total), given=_EXCHANGED),
            ),
            derived(
                Role.PUBLISHED,
                "the tree of the largest likelihood",
                r"A structure of degree 1 is a forest. With the conditional frequencies its log-likelihood is $n W - n "
                r"h$, where $W$ is the sum of the informations of its edges and $h$ does not depend on it "
                r"(bayesnet.loglikelihood). So the tree of the largest weight $W$ has the largest likelihood, for any "
                r"number of attributes and records. In the formula $W'$ is the weight of another forest.",
                bounded(
                    "more_weight",
                    r"More weight is more likelihood.",
                    le(_rows * _other - _rows * _entropies, _rows * _weight - _rows * _entropies),
                    le(_other, _weight),
                    lines=r"n W' - n h &\le n W - n h",
                ),
                _largest_likelihood(),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the actual distribution",
                r"The structure is the closest to the frequencies, and not to the distribution of which they are a "
                r"sample. In the formula $K_1$ and $K_2$ are the relative entropies of the uniform distribution of two "
                r"bits from the network with an edge, which has the larger likelihood for the records $00, 00, 01, 10, "
                r"11$, and from independent bits with the same frequencies.",
                counterexample(
                    "not_closest",
                    r"The likelihood of the edge is that of the frequencies, and is the largest. The relative "
                    r"entropies are computed:",
                    le(_far, _near),
                    {_far: lambda: _from_uniform([(), (0,)]), _near: lambda: _from_uniform([(), ()])},
                ),
            ),
            derived(
                Role.AMENDED,
                "the frequencies",
                r"$\ell(\mathcal{G}, \hat\Theta; D) = -n\hat H(X_1, \ldots, X_N) - n D(\hat p \,\|\, "
                r"p_{\mathcal{B}})$: the largest likelihood is the least relative entropy to the frequencies. In the "
                r"formula $K$ is a relative entropy with $l_i = \log\frac{p_i}{q_i}$, and $P$ and $Q$ are the sums of "
                r"$p_i$ and $q_i$, both $1$.",
                equal_as(
                    "closest",
                    r"Per record, with $p$ for its frequency and $q$ for its probability under the network: the first "
                    r"term is free of the structure.",
                    (
                        lambda: sp.expand_log(sp.log(_frequency) - sp.log(_frequency / _modelled)),
                        sp.log(_modelled),
                    ),
                    r"\log p - \log\frac pq &= \log q",
                ),
                *relative_entropy("closest_bound", r"It is not negative."),
                only=("closest_bound",),
            ),
            derived(
                Role.READING,
                "degree 2",
                r"For $k = 2$ the greedy choice need not give the largest likelihood of all structures: it depends on "
                r"the first attribute as well. In the formula $L$ is the exponential of $n$ times the sum of the "
                r"scores of the greedy structure, and $E$ that of the best structure.",
                _degree_two(),
                holds=False,
            ),
        ),
        uses=("bayesnet.loglikelihood",),
        in_words=(
            (
                "exchange",
                "Each step adds an edge of the largest weight between chosen attributes and others. A tree of the "
                "largest weight without this edge has another edge between the two sets, on the path that the new edge "
                "closes. The exchange gives a spanning tree of no less weight, for every number of attributes.",
            ),
        ),
    )


def _trees() -> Step:
    trees = {size: list(spanning_trees(size)) for size in (2, 3, 4)}
    return enumerated(
        "trees",
        r"For up to four attributes, all orders of the weights of the edges and all spanning trees: the sorted "
        r"weights of the tree that is grown are at least those of every other tree, place by place.",
        "the tree that is grown dominates every spanning tree",
        ((size, rank, tree) for size in (2, 3, 4) for rank in orders(size) for tree in trees[size]),
        lambda case: dominates(grown(case[0], case[1]), case[2], case[1]),
        mutant=lambda case: dominates(trees[case[0]][0], case[2], case[1]),
    )


def _largest_likelihood() -> Step:
    forests = [
        ((), (0,), (0,)),
        ((), (0,), (1,)),
        ((), (2,), (0,)),
        ((), (), ()),
        ((), (0,), ()),
        ((), (), (0,)),
        ((), (), (1,)),
    ]

    def grows(table: Records) -> Fraction:
        found: list[tuple[int, ...]] = [(), (), ()]
        for child, parents in greedy(table, 1):
            found[child] = parents
        return by_information(table, found)

    return enumerated(
        "largest_likelihood",
        r"This is tested for all tables of up to three records of three binary attributes, against all seven forests; "
        r"directions do not change the likelihood.",
        "the likelihood of the grown structure is the largest",
        _tables(),
        lambda table: grows(table) == max(maximum_likelihood(table, one) for one in forests),
        mutant=lambda table: grows(table) == maximum_likelihood(table, forests[3]),
    )


def _tables() -> Iterator[Records]:
    for rows in (1, 2, 3):
        yield from combinations_with_replacement(all_records((2, 2, 2)), rows)


def _from_uniform(structure: Structure) -> sp.Expr:
    """The relative entropy of two uniform bits from the network that is fitted to the five records."""
    quarter = Fraction(1, 4)
    return sp.Add(
        *(
            exact(quarter) * sp.log(exact(quarter / network_chance(_FIVE, structure, record)))
            for record in all_records((2, 2))
        )
    )


def _degree_two() -> Step:
    def found() -> sp.Rational:
        whole = Fraction(1)
        for one in greedy(_FOUR_ATTRIBUTES, 2):
            whole *= exponential(against(_FOUR_ATTRIBUTES, *one))
        return exact(whole)

    return counterexample(
        "degree_two",
        r"The records $0010, 0100, 0111, 1000, 1000, 1010$ over four attributes. All orders of the attributes are "
        r"tried:",
        ge(_likelihood, _stated),
        {_likelihood: found, _stated: lambda: exact(best_by_orders(_FOUR_ATTRIBUTES, 2))},
    )


CLAIMS = {"bayesnet.greedy_optimality": greedy_optimality}
