"""Section 3.2.2 of the thesis: the likelihood of a network and its logarithm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

import sympy as sp

from pan_proofs.engines.relations import eq, le, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, found
from pan_proofs.tables.lemmas.gibbs import relative_entropy
from pan_proofs.tables.lemmas.information import exact, exponential
from pan_proofs.tables.lemmas.likelihoods import Structure, by_information, likelihood, maximum_likelihood
from pan_proofs.tables.lemmas.small_tables import Records, against, all_records, structures

_before, _most_before, _local_one, _most_local = sp.symbols("F G f g", nonnegative=True)
_likelihood, _stated, _best, _sum, _local, _other_local, _all, _other_all = sp.symbols("L E L_max I_max I_j J_j I J")
_count, _parent, _child, _records = sp.symbols("c a b n", positive=True)
_both, _information, _uncertainty, _weight, _one, _other = sp.symbols("S J U c l h", real=True)
_cells = sp.Symbol("m", integer=True, nonnegative=True)
Chances = Callable[[int, tuple[int, ...], int], Fraction]
"""The probability of a value of an attribute, given those of its parents."""
_QUARTERS = {0: Fraction(1, 4), 1: Fraction(3, 4)}
_TWO: Records = ((0,), (1,))
_EQUAL: Records = ((0, 0), (1, 1))
_EQUAL_BITS: Records = ((0, 0), (1, 1))
_OPPOSITE_BITS: Records = ((0, 1), (1, 0))


def loglikelihood() -> Claim:
    """The identity holds for the parameters of the largest likelihood, and for no others."""
    return Claim(
        id="bayesnet.loglikelihood",
        title="The log-likelihood of a network",
        notation=(
            (r"$L_{\mathrm{max}}$", "largest log-likelihood of a network with this structure"),
            (r"$\Theta_i(x)$", "probability of the value of $X_i$ in the record $x$, given those of its parents"),
        ),
        references=(Reference("networks", "sections 3.2.2 and 3.3.3"),),
        statement=r"The likelihood of a network is a product over attributes. $\ell(\mathcal{B}; D) = n \sum_i \hat "
        r"I(X_i; \mathrm{Pa}_i) - n \sum_i \hat H(X_i)$. $\max_{\mathcal{B}} \ell(\mathcal{B}; D) = "
        r"\max_{\mathcal{G}} \sum_i \hat I(X_i; \mathrm{Pa}_i)$.",
        hypotheses=("the records are independent and identically distributed under the network",),
        silent=(r"$n \ge 1$, and logarithms are natural", r"$0 \log 0 = 0$"),
        parts=(
            derived(
                Role.PUBLISHED,
                "the product of local likelihoods",
                r"The likelihood is the product over attributes of local likelihoods, each a product over records. So "
                r"it is largest where each of them is: in the formula $f_i$ is a local likelihood, $g_i$ its largest "
                r"value, and $F$ and $G$ are the products of the factors before it.",
                local_products(_cases()),
                bounded(
                    "largest_product",
                    r"One factor after the other: a product of two factors that are not negative is at most that of "
                    r"their largest values.",
                    le(_before * _local_one, _most_before * _most_local),
                    le(_before, _most_before),
                    le(_local_one, _most_local),
                    lines=r"F\,f_i &\le G\,g_i",
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "other parameters than those of the largest likelihood",
                r"The left side depends on the parameters, and the right side does not. In the formula $L$ is the "
                r"likelihood of the records $0$ and $1$ of one attribute with the probabilities $\frac14$ and "
                r"$\frac34$, and $E$ is the exponential of the right side.",
                counterexample(
                    "other_parameters",
                    r"Both sides are computed:",
                    eq(_likelihood, _stated),
                    {
                        _likelihood: lambda: exact(likelihood(_TWO, [_QUARTERS])),
                        _stated: lambda: exact(by_information(_TWO, [()])),
                    },
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the maximum is not the sum of the informations",
                r"The two maxima are attained by the same structure, and are different numbers. In the formula "
                r"$L_{\max}$ "
                r"is the largest log-likelihood for the records $00$ and $11$, and $I_{\max}$ the largest sum.",
                _other_value(),
            ),
            derived(
                Role.AMENDED,
                "the parameters of the largest likelihood",
                r"For the conditional frequencies as parameters, $\ell(\mathcal{G}, \hat\Theta; D) = n \sum_i \hat "
                r"I(X_i; \mathrm{Pa}_i) - n \sum_i \hat H(X_i)$. So $\max_{\mathcal{B}} \ell = n \max_{\mathcal{G}} "
                r"\sum_i \hat I(X_i; \mathrm{Pa}_i) - n \sum_i \hat H(X_i)$. In the formulas $c$, $a$ and $b$ are the "
                r"counts of a cell, of the parents' values and of the child's value; $l_i$ and $h_i$ are the "
                r"logarithms of a cell, and $S$, $J$ and $U$ the sums.",
                equal_as(
                    "split",
                    r"A cell with $c$ of $n$ records adds $c \log\frac ca$. Its logarithm is that of the information "
                    r"and that of the entropy.",
                    (
                        lambda: sp.log(_count / _parent),
                        _split(),
                    ),
                    r"\log\frac ca &= \log\frac{nc}{ab} + \log\frac bn",
                ),
                over_entries(
                    "all_cells",
                    r"Added over all cells, with $l_i = \log\frac{nc_i}{a_ib_i}$ and $h_i = \log\frac{b_i}{n}$: the "
                    r"sums are $n\hat I(X; \mathrm{Pa})$ and $-n\hat H(X)$.",
                    eq(_both, _information + _uncertainty),
                    _cells,
                    {_both: _weight * (_one + _other), _information: _weight * _one, _uncertainty: _weight * _other},
                    (_weight, _one, _other),
                    ((1, 2, 3), (2, 1, 1)),
                    r"\sum_i c_i (l_i + h_i) &= \sum_i c_i l_i + \sum_i c_i h_i",
                ),
                enumerated(
                    "identity_listed",
                    r"In fractions, for all tables of up to three records of three binary attributes and all "
                    r"structures.",
                    "the likelihood is the exponential of the right side",
                    _cases(),
                    lambda case: maximum_likelihood(*case) == by_information(*case),
                    mutant=lambda case: maximum_likelihood(*case) == by_information(case[0], [(), (), ()]),
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the conditional frequencies maximise the likelihood",
                r"For each value of the parents the log-likelihood of $q$ is that of the frequencies $p$, minus a "
                r"count times their relative entropy, which is not negative. In the formula $K$ is this relative "
                r"entropy with $l_i = \log\frac{p_i}{q_i}$, and $P$ and $Q$ are the sums of $p_i$ and $q_i$, both $1$.",
                *relative_entropy("maximum", r"Added over the values of the child; both masses are $1$."),
                _listed(),
                only=("maximum",),
            ),
            Part(
                Role.PUBLISHED,
                "scores of several holders",
                r"Section 3.3.3: the counts of the holders add up, and their scores do not tell the score of all "
                r"records. In the formulas $I_j$ and $J_j$ are the exponentials of twice the second holder's scores, "
                r"and $I$ and $J$ the informations of all records, in two cases where each holder has the same score.",
                (
                    found(
                        "same_scores",
                        r"The first holder has the records $00, 11$ in both cases, and the second has $00, 11$ or "
                        r"$01, 10$. The second holder's scores:",
                        "the scores of the second holder in both cases",
                        lambda: tuple(
                            exponential(against(records, 0, (1,))) for records in (_EQUAL_BITS, _OPPOSITE_BITS)
                        ),
                        (Fraction(4), Fraction(4)),
                        quantities=(_local, _other_local),
                        lines=r"e^{2 \hat I(00, 11)} = e^{2 \hat I(01, 10)} &= 4",
                    ),
                    counterexample(
                        "other_score",
                        r"The scores of all four records:",
                        eq(_all, _other_all),
                        {
                            _all: lambda: _information_of((*_EQUAL_BITS, *_EQUAL_BITS)),
                            _other_all: lambda: _information_of((*_EQUAL_BITS, *_OPPOSITE_BITS)),
                        },
                    ),
                ),
                formal=symbolic(eq(_local, _other_local), ne(_all, _other_all)),
            ),
        ),
        remark=r"That the algorithm of Chow and Liu maximises the sum for degree 1 is judged by "
        r"bayesnet.greedy\_optimality.",
    )


def _information_of(table: Records) -> sp.Expr:
    ratio = exponential(against(table, 0, (1,)))
    return sp.log(exact(ratio)) / len(table)


def _split() -> sp.Expr:
    return sp.log(_records * _count / (_child * _parent)) + sp.log(_child / _records)


def _other_value() -> Step:
    def best() -> sp.Expr:
        return sp.log(exact(max(maximum_likelihood(_EQUAL, one) for one in structures(2, 1))))

    def information() -> sp.Expr:
        # The records times a sum of informations is a log-likelihood without that of independent attributes.
        alone = by_information(_EQUAL, [(), ()])
        return sp.log(exact(max(by_information(_EQUAL, one) / alone for one in structures(2, 1)))) / 2

    return counterexample(
        "other_value",
        r"The largest log-likelihood is $-2\log 2$, and the largest sum is $\log 2$:",
        eq(_best, _sum),
        {_best: best, _sum: information},
    )


def _small_tables() -> Iterator[Records]:
    for rows in (1, 2, 3):
        yield from combinations_with_replacement(all_records((2, 2, 2)), rows)


def _cases() -> Iterator[tuple[Records, tuple[tuple[int, ...], ...]]]:
    for table in _small_tables():
        for structure in structures(3, 2):
            yield table, structure


def _listed() -> Step:
    chances = [{0: Fraction(part, 6), 1: 1 - Fraction(part, 6)} for part in range(7)]
    tables = [table for rows in range(1, 6) for table in combinations_with_replacement(((0,), (1,)), rows)]
    return enumerated(
        "maximum_listed",
        r"In fractions, for all tables of up to five bits and seven values of the probability.",
        "no likelihood exceeds that of the frequencies",
        ((table, one) for table in tables for one in chances),
        lambda case: likelihood(case[0], [case[1]]) <= maximum_likelihood(case[0], [()]),
        mutant=lambda case: likelihood(case[0], [case[1]]) < maximum_likelihood(case[0], [()]),
    )


def _by_attributes(table: Records, structure: Structure, chances: Chances) -> Fraction:
    """The product over attributes of products over records of conditional probabilities."""
    found = Fraction(1)
    for child, parents in enumerate(structure):
        local = Fraction(1)
        for record in table:
            local *= chances(child, tuple(record[one] for one in parents), record[child])
        found *= local
    return found


def _by_records(table: Records, structure: Structure, chances: Chances) -> Fraction:
    """The product over records of the probabilities of the network."""
    found = Fraction(1)
    for record in table:
        whole = Fraction(1)
        for child, parents in enumerate(structure):
            whole *= chances(child, tuple(record[one] for one in parents), record[child])
        found *= whole
    return found


def _some_chances(child: int, parents: tuple[int, ...], value: int) -> Fraction:
    """Conditional probabilities that differ for each attribute and for each value of its parents."""
    one = Fraction(1 + child + sum(parents), 7)
    return one if value else 1 - one


def local_products(cases: Iterable[tuple[Records, Structure]]) -> Step:
    """The order of the two products does not matter."""
    return enumerated(
        "local_products",
        r"In fractions, for all tables of up to three records of three binary attributes, all structures and one set "
        r"of conditional tables.",
        "the product over records is the product over attributes",
        cases,
        lambda case: _by_records(*case, _some_chances) == _by_attributes(*case, _some_chances),
        mutant=lambda case: _by_records(*case, _some_chances) == _by_attributes(case[0][:1], case[1], _some_chances),
        lines=r"\prod_x \prod_i \Theta_i(x) &= \prod_i \prod_x \Theta_i(x)",
    )


CLAIMS = {"bayesnet.loglikelihood": loglikelihood}
