"""Numbers of parameters, structures, distributions and scores in chapter 3 of the thesis, and their growth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product
from math import comb

import sympy as sp

from pan_proofs.engines.relations import eq, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, related
from pan_proofs.tables.lemmas.gibbs import relative_entropy
from pan_proofs.tables.lemmas.information import exponential
from pan_proofs.tables.lemmas.small_tables import against, all_records, candidates, exponential_chance

_size, _attributes = sp.symbols("d N", integer=True, positive=True)
_degree, _length = sp.symbols("k N", integer=True, nonnegative=True)
_constant, _all, _count, _holders, _place, _dealt_out = sp.symbols("C N c M j n", positive=True)
_total = sp.Symbol("S", real=True)
_one, _most, _these, _power, _part = sp.symbols("t Y B Z k", nonnegative=True)
_graphs, _scores, _listed, _sets, _weighted, _chance, _rows = sp.symbols("G S_k P_k B_k W_k P R")


def counts() -> Claim:
    """Three numbers are wrong, and the shape of learned networks is not what is said."""
    return Claim(
        id="bayesnet.counts",
        title="Numbers of parameters, structures and scores",
        references=(Reference("networks", "sections 3.2 to 3.5 and 3.7.2"),),
        statement=r"A network over $N$ attributes with $d$ values each has $\sum_i d^{|\mathrm{Pa}_i|+1} = O(Nd^k)$ "
        r"parameters. There are $O(2^{N^2})$ structures. A holder shares $\binom{N}{k+1}$ distributions, and "
        r"$\binom{N}{k+1} = O(N^{k+1})$; or it shares $\sum_{i=1}^{k+1} \binom Ni$ scores, one for each candidate. "
        r"Since $\hat I(X; Y, Z) \ge \hat I(X; Y)$, all attributes but the first $k$ have exactly $k$ parents. By "
        r"round robin each holder has $\lfloor \frac nM \rfloor$ records.",
        hypotheses=(r"$|\mathrm{Pa}_i| \le k$",),
        silent=(r"parameters are the entries of the conditional tables", r"$1 \le k < N$"),
        parts=(
            derived(
                Role.COUNTEREXAMPLE,
                "the order of the number of parameters",
                r"If $d$ grows, $\sum_i d^{|\mathrm{Pa}_i|+1}$ is not $O(Nd^k)$. In the formula $k = 1$, and all "
                r"attributes but one have a parent; no constant $C$ is large enough, as the example $C = 1000$ shows.",
                counterexample(
                    "more_parameters",
                    r"With one parent for each of $N - 1$ attributes there are $(N-1)d^2 + d$ parameters:",
                    le((_attributes - 1) * _size**2 + _size, _constant * _attributes * _size),
                    {_size: 3000, _attributes: 3, _constant: 1000},
                ),
            ),
            derived(
                Role.AMENDED,
                "a bound on the number of parameters",
                r"There are at most $Nd^{k+1}$ parameters. In the formula $t_i$ is the number of an attribute, $Y = "
                r"d^{k+1}$ and $S$ is the sum.",
                over_entries(
                    "all_parameters",
                    r"Each attribute has $d^{|\mathrm{Pa}_i|+1} \le d^{k+1}$ parameters.",
                    le(_total, _length * _most),
                    _length,
                    {_total: _one},
                    (_one,),
                    ((4,), (4,)),
                    r"\sum_{i=1}^N d^{|\mathrm{Pa}_i|+1} &\le N d^{k+1}",
                    (le(_one, _most),),
                    at={_most: 4},
                ),
                enumerated(
                    "parameters_listed",
                    r"The entries of all conditional tables are listed for small networks.",
                    "the number of entries of an attribute's table with parents of d values is d to the number of "
                    "parents and one",
                    product(range(1, 4), range(4)),
                    lambda case: len(list(product(range(case[0]), repeat=case[1] + 1))) == case[0] ** (case[1] + 1),
                    mutant=lambda case: len(list(product(range(case[0]), repeat=case[1] + 1))) == case[0] ** case[1],
                ),
            ),
            derived(
                Role.PUBLISHED,
                "structures and distributions",
                r"Of the $2^{N(N-1)}$ sets of directed edges some are acyclic, so that there are at most $2^{N^2}$ "
                r"structures. There are $\binom{N}{k+1} \le N^{k+1}$ sets of $k + 1$ attributes: one attribute more "
                r"multiplies their number $B = \binom Nk$ by $\frac{N-k}{k+1}$. In the formulas $Z = N^k$, and $G$ and "
                r"$B_k$ are the numbers of structures and of sets for few attributes, by listing.",
                bounded(
                    "fewer_edges",
                    r"There are $N (N - 1)$ directed edges.",
                    le(_all * (_all - 1), _all**2),
                    raised=sp.Rational(1, 1000),
                ),
                bounded(
                    "one_attribute_more",
                    r"By induction over $k$: if $\binom Nk \le N^k$, then",
                    le(_these * (_all - _part) / (_part + 1), _power * _all),
                    le(_these, _power),
                    le(_part, _all),
                    lines=r"\binom{N}{k+1} = \binom Nk \frac{N - k}{k + 1} &\le N^{k+1}",
                ),
                related(
                    "structures_listed",
                    r"Each set of directed edges, without loops, is one of $2^{N(N-1)}$. The acyclic ones are listed.",
                    "the number of acyclic graphs of N attributes",
                    le(_graphs, 2 ** (_attributes**2)),
                    ({_graphs: _acyclic(size), _attributes: size} for size in (1, 2, 3, 4)),
                    mutant=le(_graphs, 2**_attributes),
                    parameters=(_attributes,),
                    lines=r"1, 3, 25, 543 &\le 2^{N^2}",
                ),
                related(
                    "sets_listed",
                    r"Each set of $k + 1$ attributes is one or more of the $N^{k+1}$ sequences.",
                    "the number of sets of k + 1 attributes",
                    le(_sets, _attributes ** (_degree + 1)),
                    (
                        {_sets: len(list(combinations(range(size), degree + 1))), _attributes: size, _degree: degree}
                        for size, degree in _SIZES
                    ),
                    mutant=le(_sets, _attributes),
                    parameters=(_attributes, _degree),
                    lines=r"\binom{N}{k+1} &\le N^{k+1}",
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the number of scores",
                r"$\sum_{i=1}^{k+1} \binom Ni$ is the number of sets of attributes, not of candidates: a set of $i$ "
                r"attributes has $i$ candidates, one for each attribute as the child. In the formula $P_k$ is the "
                r"number of candidates for $N = 4$ and $k = 1$, by listing, and $S_k$ the printed number.",
                counterexample(
                    "candidates",
                    r"All candidates $(X, \mathrm{Pa})$ with at most one parent among four attributes are listed.",
                    eq(_listed, _scores),
                    {_listed: lambda: _all_pairs(4, 1), _scores: lambda: sum(comb(4, i) for i in (1, 2))},
                ),
            ),
            derived(
                Role.AMENDED,
                "the number of candidates",
                r"There are $\sum_{i=1}^{k+1} i\binom Ni = N \sum_{j=0}^{k} \binom{N-1}j$ candidates: a set of $i$ "
                r"attributes has "
                r"$i$ candidates. In the formulas $P_k$ is their number for up to five attributes, by listing, and "
                r"$W_k$ "
                r"the sum.",
                related(
                    "candidates_listed",
                    r"A set of $i$ attributes gives a candidate for each of its $i$ attributes as the child. Listed:",
                    "the number of candidates for up to five attributes and every degree",
                    eq(_listed, _weighted),
                    _weighted_cases(),
                    mutant=lt(_listed, _weighted),
                    parameters=(_attributes, _degree),
                    lines=r"\#\{(X, \mathrm{Pa})\} &= \sum_{i=1}^{k+1} i \binom Ni",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "information never hurts",
                r"$\hat I(X; Y, Z) \ge \hat I(X; Y)$: the difference is an average over $Y$ of relative entropies of "
                r"$\hat p_{X,Z \mid Y}$ and $\hat p_{X \mid Y}\hat p_{Z \mid Y}$. In the formula $K$ is a relative "
                r"entropy of $m$ cells with $l_i = \log\frac{p_i}{q_i}$, and $P$ and $Q$ are the sums of $p_i$ and "
                r"$q_i$, both $1$.",
                *relative_entropy("never_hurts", _SUMMED),
                _never_hurts(),
                only=("never_hurts",),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the shape of learned networks",
                r"The exponential mechanism draws every candidate with a positive probability, so that an attribute "
                r"after the first $k$ can have fewer than $k$ parents. In the formula $P$ is the probability that the "
                r"second attribute has no parent, for $k = 1$, two records and "
                r"$\frac{\varepsilon_1}{2(N-1)\Delta\hat I} "
                r"= 1$.",
                counterexample(
                    "no_parent",
                    r"The distribution of the first round for the records $000$ and $111$:",
                    le(_chance, 0),
                    {_chance: lambda: exponential_chance(((0, 0, 0), (1, 1, 1)), (0,), 1, (1, ()), sp.S.One)},
                ),
            ),
            Part(
                Role.AMENDED,
                "the shape without noise",
                r"Without noise, if ties are broken for more parents, the attribute in place $i$ has exactly "
                r"$\min(i - 1, k)$ parents: a set of the largest size contains each smaller set, and its score is not "
                r"less, by information never hurts. This is listed for up to three records of three binary attributes.",
                (_largest_sets(),),
                no_formula="the statement is about sets of attributes, and is listed for few records; for others it "
                "follows in words from another part",
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "round robin",
                r"If $M$ does not divide $n$, some holder has one record more. In the formula $R$ is the number of "
                r"records that are dealt to three holders, for $n = 40{,}000$.",
                counterexample(
                    "dealt",
                    r"$40{,}000$ records are dealt to three holders, and $\lfloor \frac{40000}{3} \rfloor = 13333$:",
                    eq(_rows, 3 * 13333),
                    {_rows: lambda: sum(_deal(40_000, 3))},
                ),
            ),
            derived(
                Role.AMENDED,
                "sizes by round robin",
                r"Each holder has $\lfloor \frac nM \rfloor$ or $\lceil \frac nM \rceil$ records: their number $c$ is "
                r"less than $1$ away from $\frac nM$. In the formulas holder $j$ of $M$ gets the records $j$, $j + M$, "
                r"\ldots, the last of which is $j + M(c - 1) \le n < j + M c$.",
                bounded(
                    "not_more",
                    r"The last record of holder $j$ is one of $n$.",
                    lt(_holders * (_count - 1), _dealt_out),
                    le(_place + _holders * (_count - 1), _dealt_out),
                ),
                bounded(
                    "not_less",
                    r"The next one is not.",
                    lt(_dealt_out, _holders * (_count + 1)),
                    sp.Le(_place, _holders),
                    lt(_dealt_out, _place + _holders * _count),
                ),
                enumerated(
                    "all_dealt",
                    r"Dealt one by one:",
                    "the sizes are the quotient rounded down or up, for up to 40 records and 7 holders",
                    product(range(41), range(1, 8)),
                    lambda case: set(_deal(*case)) <= {case[0] // case[1], -(-case[0] // case[1])},
                    mutant=lambda case: set(_deal(*case)) <= {case[0] // case[1]},
                    lines=r"n_j &\in \bigl\{\lfloor \tfrac nM \rfloor, \lceil \tfrac nM \rceil\bigr\}",
                ),
            ),
        ),
        remark=r"Candidates without parents have the score $0$; without them $\sum_{i=2}^{k+1} i\binom Ni$ are left. "
        r"The sentence that a likelihood score almost always gives a complete graph is judged by "
        r"bayesnet.fully\_connected.",
    )


_SUMMED = r"Added over all cells; the masses of two distributions are both $1$."
_SIZES = tuple((size, degree) for size in (2, 3, 4, 5) for degree in range(1, size))


def _acyclic(size: int) -> int:
    """The number of acyclic sets of directed edges, by listing all sets."""
    edges = [(one, other) for one in range(size) for other in range(size) if one != other]
    found = 0
    for chosen in product((False, True), repeat=len(edges)):
        left, inside = set(range(size)), [edge for edge, there in zip(edges, chosen, strict=True) if there]
        while left:
            free = {one for one in left if not any(target == one and source in left for source, target in inside)}
            if not free:
                break
            left -= free
        found += not left
    return found


def _all_pairs(size: int, degree: int) -> int:
    """The number of candidates: an attribute, and at most ``degree`` of the others."""
    return sum(
        len(list(combinations([one for one in range(size) if one != child], parents)))
        for child in range(size)
        for parents in range(degree + 1)
    )


def _weighted_cases() -> Iterator[dict[sp.Symbol, int]]:
    for size, degree in _SIZES:
        total = sum(i * comb(size, i) for i in range(1, degree + 2))
        yield {_listed: _all_pairs(size, degree), _weighted: total, _attributes: size, _degree: degree}


def _never_hurts() -> Step:
    def more(table: tuple[tuple[int, ...], ...], one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return exponential(against(table, 0, one)) >= exponential(against(table, 0, other))

    tables = [table for rows in (2, 3, 4) for table in _tables(rows)]
    return enumerated(
        "never_hurts_listed",
        r"In fractions, for all tables of up to four records of three binary attributes:",
        "the information about an attribute does not fall by one more parent",
        tables,
        lambda table: more(table, (1, 2), (1,)) and more(table, (1, 2), (2,)),
        mutant=lambda table: more(table, (1,), (2,)),
        lines=r"\hat I(X; Y, Z) &\ge \hat I(X; Y)",
    )


def _tables(rows: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    yield from combinations_with_replacement(all_records((2, 2, 2)), rows)


def _largest_sets() -> Step:
    def best_is_largest(table: tuple[tuple[int, ...], ...], degree: int) -> bool:
        scores = {one: exponential(against(table, *one)) for one in candidates((0, 1), 3, degree)}
        return any(len(one[1]) == degree for one, value in scores.items() if value == max(scores.values()))

    def empty_is_best(table: tuple[tuple[int, ...], ...], degree: int) -> bool:
        scores = {one: exponential(against(table, *one)) for one in candidates((0, 1), 3, degree)}
        return scores[(2, ())] == max(scores.values())

    return enumerated(
        "largest_sets",
        r"For all tables of up to three records of three binary attributes some candidate of the largest score has "
        r"$k$ parents, where two attributes are chosen.",
        "a candidate with k parents has the largest score",
        ((table, degree) for rows in (1, 2, 3) for table in _tables(rows) for degree in (1, 2)),
        lambda case: best_is_largest(*case),
        mutant=lambda case: empty_is_best(*case),
    )


def _deal(records: int, holders: int) -> list[int]:
    sizes = [0] * holders
    for record in range(records):
        sizes[record % holders] += 1
    return sizes


CLAIMS = {"bayesnet.counts": counts}
