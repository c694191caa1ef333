"""Algorithms 4 and 5: streams that turn a counter of distinct elements into an answerer of batch queries.

The reductions to inner products and to one-way marginals, and the models of their streams.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.claims.factored import last_entry_changes, moved
from pan_proofs.continual.dyadic_tree import padded_length, squared_distance
from pan_proofs.continual.steps import by_sums, noise_fits, stated, two_neighbours
from pan_proofs.continual.streams import (
    NEIGHBOURS,
    PAIRS,
    Bits,
    Entry,
    Stream,
    both,
    counts,
    distinct_counts,
    elements,
    existence,
    flippancy,
    last_entries,
    one_at_most,
    streams,
    strict,
    toggle,
)
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.engines.word_sums import Words
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, lemma

Records = tuple[Bits, ...]
"""Rows of bits."""


def indicated(bits: Bits, sign: int = 1) -> Stream:
    """One entry for each bit: its element where it is 1, a no-op where it is 0."""
    return tuple((element, sign) if bit else None for element, bit in enumerate(bits))


def stream_of_queries(data: Bits, queries: tuple[Bits, ...]) -> Stream:
    """Algorithm 4: the elements of the data; then each query's elements, inserted and deleted again."""
    entries: list[Entry] = [*indicated(data)]
    for query in queries:
        entries += [*indicated(query), *indicated(query, -1)]
    return tuple(entries)


def inner_products(outputs: tuple[int, ...], queries: tuple[Bits, ...]) -> tuple[int, ...]:
    """The answers of Algorithm 4 from the outputs of a counter: ``r[n] + |q_j| - r[2 j n]``."""
    n = len(queries[0])
    return tuple(outputs[n - 1] + sum(query) - outputs[2 * j * n - 1] for j, query in enumerate(queries, start=1))


def inner_product(one: Bits, other: Bits) -> int:
    """The inner product of two vectors of bits."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def stream_of_records(records: Records) -> Stream:
    """Algorithm 5: for each attribute the records that have it are inserted, and deleted again."""
    entries: list[Entry] = []
    for attribute in zip(*records, strict=True):
        entries += [*indicated(attribute), *indicated(attribute, -1)]
    return tuple(entries)


def marginals(outputs: tuple[int, ...], records: int, attributes: int) -> tuple[Fraction, ...]:
    """The answers of Algorithm 5 from the outputs of a counter: ``r[(2 j - 1) n] / n``."""
    return tuple(Fraction(outputs[(2 * j - 1) * records - 1], records) for j in range(1, attributes + 1))


def averages(records: Records) -> tuple[Fraction, ...]:
    """The one-way marginals."""
    return tuple(Fraction(sum(attribute), len(records)) for attribute in zip(*records, strict=True))


def all_bits(length: int) -> tuple[Bits, ...]:
    """All vectors of bits of a length."""
    return tuple(product((0, 1), repeat=length))


def replaced_rows(records: Records) -> tuple[Records, ...]:
    """The neighbours of some records: one row is another."""
    return tuple(
        (*records[:place], row, *records[place + 1 :])
        for place in range(len(records))
        for row in all_bits(len(records[0]))
        if row != records[place]
    )


def largest_count(stream: Stream) -> int:
    """The largest count of an element at any time."""
    return max(count for element in elements(stream) for count in counts(stream, element))


Case = tuple[Bits, tuple[Bits, ...]]


def cases() -> Iterator[Case]:
    """Data of 1 to 3 bits, with 1 or 2 queries."""
    for size, number in product((1, 2, 3), (1, 2)):
        yield from product(all_bits(size), product(all_bits(size), repeat=number))


def tables() -> Iterator[Records]:
    """1 to 3 records of 1 to 3 bits; 3 records have 2 bits at most."""
    for number, size in product((1, 2, 3), repeat=2):
        if number * size <= 6:
            yield from product(all_bits(size), repeat=number)


def item_distance(one: Stream, other: Stream) -> int:
    """0 for equal streams, 1 for item-neighbours, 2 for streams with a common item-neighbour, 3 for any others."""
    if one == other:
        return 0
    near, far = set(NEIGHBOURS["item"](one)), set(NEIGHBOURS["item"](other))
    if other in near or one in far:
        return 1
    return 2 if near & far else 3


_count, _union, _first, _later, _answer, _output = sp.symbols("s u R_n R_j b R", real=True)
_error = sp.Symbol("alpha", real=True)
_left, _right, _distance, _largest = map(sp.Symbol, ("P_0", "Q_0", "h", "C"))
_number, _element = sp.symbols("m i", integer=True, positive=True)
_bit, _other_bit = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("a", "b"))
_inner, _size_of, _other_size, _joined, _entries, _bits_apart = sp.symbols("I A B U E H", real=True)


def two_data() -> Words:
    """For each element its bits in two indicators or data, of which the joined stream has the greater one."""
    one, other = _bit[_element], _other_bit[_element]
    terms = {
        _inner: one * other,
        _size_of: one,
        _other_size: other,
        _joined: sp.Max(one, other),
        _entries: sp.Abs(one - other),
        _bits_apart: one + other - 2 * one * other,
    }
    sums = {symbol: sp.Sum(term, (_element, 1, _number)) for symbol, term in terms.items()}
    return Words(_number, _element, (_bit, _other_bit), sums, {_bit: (0, 1), _other_bit: (0, 1)})


def _size(stream: Stream) -> int:
    """The number of distinct elements at the end."""
    return distinct_counts(stream)[-1]


def _common(one: Stream, other: Stream) -> int:
    """The inner product of the indicators."""
    return sum(existence(one, element)[-1] * existence(other, element)[-1] for element in elements((*one, *other)))


def _no_ops(one: Bits, other: Bits) -> int:
    """The entries in which the streams of two data differ, each a no-op in one of them, for any query."""
    found = set()
    for query in all_bits(len(one)):
        pair = zip(stream_of_queries(one, (query,)), stream_of_queries(other, (query,)), strict=True)
        differing = [both for both in pair if both[0] != both[1]]
        found.add(len(differing) if all(None in both for both in differing) else -1)
    return found.pop() if len(found) == 1 else -1


def inner_product_reduction() -> Claim:
    """The identity, the stream, and both halves of the lemma."""
    summed = by_sums(
        "summed",
        r"For one element with bits $a, b$: $a b = a + b - \max(a, b)$. The sums over any number of elements:",
        two_data(),
        eq(_inner, _size_of + _other_size - _joined),
        by_definition={
            _inner: lambda one, other: _common(indicated(one), indicated(other)),
            _size_of: lambda one, other: sum(one),
            _other_size: lambda one, other: sum(other),
            _joined: lambda one, other: _size((*indicated(one), *indicated(other))),
        },
        up_to=4,
    )
    entries = by_sums(
        "entries_that_differ",
        r"Only the first $n$ entries depend on the data, the entry $i$ on the bit $y_i$ alone. So for data of any size "
        r"as many entries of the streams differ as bits.",
        two_data(),
        eq(_entries, _bits_apart),
        by_definition={
            _entries: _no_ops,
            _bits_apart: lambda one, other: sum(a != b for a, b in zip(one, other, strict=True)),
        },
        up_to=4,
    )
    exact, found = _count + _answer - _union, _first + _answer - _later
    accurate = [sp.Le(sign * gap, _error) for gap in (_first - _count, _later - _union) for sign in (1, -1)]
    errors = (
        bounded(
            "two_errors",
            r"Let $s, u$ be the counts at the times $n$ and $2 j n$, $R_n$ and $R_j$ the outputs, and $b$ the number "
            r"of ones of the query, which is known.",
            le(found, exact + 2 * _error),
            *accurate,
        ),
        bounded("two_errors_below", r"Likewise it is bounded from below.", le(exact - 2 * _error, found), *accurate),
    )
    one, other = indicated((1,)), indicated((1,), -1)
    return Claim(
        id="turnstile.inner_product_reduction",
        title="From distinct elements to inner products",
        references=(
            Reference("turnstile", "Remark 4.4 and Lemma 4.2, section 4.1", "the formulas are lost"),
            Reference("turnstile", "Algorithm 4", "the listing is lost"),
        ),
        statement=r"For insertion-only streams $\sigma, \sigma'$ with indicators $h$: $\langle h(\sigma), h(\sigma') "
        r"\rangle = \lVert h(\sigma) \rVert_0 + \lVert h(\sigma') \rVert_0 - \lVert h(\sigma \circ \sigma') "
        r"\rVert_0$. If a counter is $(\varepsilon, \delta)$-event-level-differentially private, and "
        r"$\alpha$-accurate for streams of length $T \ge (2 k + 1) n$ with flippancy at most $2 k$, then Algorithm 4 "
        r"is $(\varepsilon, \delta)$-differentially private and answers $k$ inner product queries on $n$ bits with an "
        r"error of at most $2 \alpha$.",
        notation=(("$A$, $B$, $U$", "numbers of elements of the two streams, and of the joined one"),),
        hypotheses=("the counter is accurate with probability $0.99$ for all outputs of a stream together",),
        silent=(
            r"Algorithm 4 is read as: an insertion of $i$ for each bit $y_i = 1$; for each query $q_j$ insertions of "
            r"all $i$ with $q_j[i] = 1$, and then their deletions; no-ops elsewhere. The answer is $b_j = r[n] + "
            r"\lVert q_j \rVert_0 - r[2 j n]$ for the outputs $r$",
            r"data are neighbours if one bit differs; a stream shorter than $T$ is filled with no-ops",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "the identity (Remark 4.4)",
                r"Each element is counted once in the union, and twice in the sum if both streams have it. In the "
                r"formula $a_i$ and $b_i$ are the bits of the element $i$ in the two indicators, $\max(a_i, b_i)$ that "
                r"of the joined stream, and $I = \langle h(\sigma), h(\sigma') \rangle$.",
                summed,
            ),
            derived(
                Role.PUBLISHED,
                "privacy",
                r"If one bit of the data changes, one entry of the stream becomes a no-op, or the reverse: the "
                r"streams are event-neighbours. The answers are post-processing. In the formula $a_i$ and $b_i$ are "
                r"the bits of two data, $H$ is the number of bits in which they differ, and $E$ the number of entries "
                r"in which the streams differ, each a no-op in one of them.",
                entries,
            ),
            Part(
                Role.PUBLISHED,
                "accuracy",
                r"The stream has $(2 k + 1) n$ entries and flippancy at most $2 k$. The exact counts give the exact "
                r"inner products, and two errors of at most $\alpha$ give an error of at most $2 \alpha$.",
                (
                    enumerated(
                        "length_and_flippancy",
                        r"An element with $y_i = 1$ stays present. Another one is inserted and deleted once for each "
                        r"query.",
                        "data of 1 to 3 bits with 1 or 2 queries: the stream has (2 k + 1) n entries and flippancy at "
                        "most 2 k",
                        cases(),
                        lambda case: (
                            len(stream_of_queries(*case)) == (2 * len(case[1]) + 1) * len(case[0])
                            and flippancy(stream_of_queries(*case)) <= 2 * len(case[1])
                        ),
                        mutant=lambda case: flippancy(stream_of_queries(*case)) <= 2 * len(case[1]) - 1,
                    ),
                    enumerated(
                        "exact_answers",
                        r"At the time $2 j n$ the entries of earlier queries are deleted, and those of $q_j$ are "
                        r"inserted. The remark gives the inner product.",
                        "data of 1 to 3 bits with 1 or 2 queries: the answers from the exact counts are the inner "
                        "products",
                        cases(),
                        lambda case: (
                            inner_products(distinct_counts(stream_of_queries(*case)), case[1])
                            == tuple(inner_product(case[0], query) for query in case[1])
                        ),
                        mutant=lambda case: (
                            distinct_counts(stream_of_queries(*case))[2 * len(case[0]) - 1]
                            == inner_product(case[0], case[1][0])
                        ),
                    ),
                    *errors,
                ),
                formal=stated(*errors),
            ),
            derived(
                Role.READING,
                "the identity for streams with deletions",
                r"With deletions the indicator of the joined stream is not the union: the remark is false. $P_0$ and "
                r"$Q_0$ are its two sides in the example.",
                counterexample(
                    "one_deletion",
                    r"An insertion, and a deletion of the same element: both indicators after the joined streams "
                    r"are $0$.",
                    eq(_left, _right),
                    {
                        _left: lambda: _common(one, other),
                        _right: lambda: _size(one) + _size(other) - _size((*one, *other)),
                    },
                ),
                holds=False,
                departs="For insertion-only streams",
            ),
        ),
        uses=("turnstile.post_processing",),
        in_words=(
            ("entries_that_differ", r"the answers of Algorithm 4 are post-processing of the outputs"),
            (
                "exact_answers",
                r"at the time $2 j n$ just the elements of the data and those of the query are present, for "
                r"streams of every length",
            ),
            ("length_and_flippancy", r"an element flips at most twice for each query, for streams of every length"),
        ),
    )


def marginals_reduction() -> Claim:
    """Neighbouring tables give streams that are two steps apart; the true budget; accuracy."""
    twice, records = two_neighbours(), sp.Symbol("n", positive=True)
    within = (sp.Le(_output - _count, _error), sp.Le(_count - _output, _error))
    errors = tuple(
        bounded(name, text, le(smaller / records, larger / records), *within)
        for name, text, smaller, larger in (
            ("error_above", r"With the count $s$ and the output $R$:", _output, _count + _error),
            ("error_below", r"Likewise it is bounded from below.", _count - _error, _output),
        )
    )

    def lowered(table: Records, other: Records) -> bool:
        return all(a >= b for one, two in zip(table, other, strict=True) for a, b in zip(one, two, strict=True))

    return Claim(
        id="turnstile.marginals_reduction",
        title="From distinct elements to one-way marginals",
        references=(
            Reference("turnstile", "Lemma 5.2, section 5.1", "the formulas are lost"),
            Reference("turnstile", "Algorithm 5", "the listing is lost"),
        ),
        statement=r"If a counter is $(\varepsilon, \delta)$-item-level-differentially private, and $\alpha$-accurate "
        r"for streams of length $T \ge 2 d n$ with flippancy at most $2 d$, then Algorithm 5 is $(\varepsilon, "
        r"\delta)$-differentially private, and releases the $d$ marginals of $n$ records with an error of at most "
        r"$\alpha / n$. By construction the streams of neighbouring tables are item-neighbours.",
        notation=(("$P$, $H$, $P'$", "probabilities of an event for the first stream, the one between, and the last"),),
        hypotheses=("tables are neighbours if they differ in one row",),
        silent=(
            r"Algorithm 5 is read as: for each attribute $j$ insertions of all $i$ with $y_i[j] = 1$, and then their "
            r"deletions; no-ops elsewhere. The answer is $b_j = r[(2 j - 1) n] / n$ for the outputs $r$",
            r"item-neighbours are those of Definition 1.2: one stream has no-ops in place of some entries of the other",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "neighbouring tables are not item-neighbours",
                r"If a row loses one attribute and gains another, the streams need not be item-neighbours: for one "
                r"row, $(1, 0)$ or $(0, 1)$, the least number $h$ of steps between item-neighbours from one stream to "
                r"the other is $2$.",
                (
                    counterexample(
                        "one_record",
                        r"One record with two attributes, $(1, 0)$ and $(0, 1)$: its element has entries at the times "
                        r"$1, 2$, or $3, 4$. Two steps lead from one stream to the other.",
                        le(_distance, 1),
                        {_distance: lambda: item_distance(*(stream_of_records((row,)) for row in ((1, 0), (0, 1))))},
                    ),
                ),
                formal=symbolic(eq(_distance, 2), gt(_distance, 1)),
            ),
            derived(
                Role.AMENDED,
                "privacy with twice the budget",
                r"Such streams have a common item-neighbour: the stream without the row's element. So Algorithm 5 is "
                r"$(2 \varepsilon, (1 + e^{\varepsilon}) \delta)$-differentially private. It is $(\varepsilon, "
                r"\delta)$-differentially private for tables of which one has $0$ in place of some ones of a row.",
                enumerated(
                    "two_steps",
                    r"Each row stands for one element, and other entries do not change. If the other row has ones "
                    r"only where the row has them, one step suffices.",
                    "1 to 3 records of 1 to 3 bits, one row replaced by any other: the streams are "
                    "item-neighbours, or have a common item-neighbour",
                    [
                        (item_distance(*map(stream_of_records, (table, other))), lowered(table, other))
                        for table in tables()
                        for other in replaced_rows(table)
                    ],
                    lambda case: case[0] <= (1 if case[1] else 2),
                    mutant=lambda case: case[0] <= 1,
                ),
                twice,
            ),
            Part(
                Role.PUBLISHED,
                "accuracy",
                r"The stream has $2 d n$ entries and flippancy at most $2 d$. The exact counts give the exact "
                r"marginals, and an error of $\alpha$ gives an error of $\alpha / n$.",
                (
                    enumerated(
                        "length_and_flippancy",
                        r"Each element is inserted and deleted once for each attribute.",
                        "1 to 3 records of 1 to 3 bits: the stream has 2 d n entries and flippancy at most 2 d",
                        tables(),
                        lambda table: (
                            len(stream_of_records(table)) == 2 * len(table) * len(table[0])
                            and flippancy(stream_of_records(table)) <= 2 * len(table[0])
                        ),
                        mutant=lambda table: flippancy(stream_of_records(table)) <= 2 * len(table[0]) - 1,
                    ),
                    enumerated(
                        "exact_marginals",
                        r"At the time $(2 j - 1) n$ exactly the records with the attribute $j$ are present.",
                        "1 to 3 records of 1 to 3 bits: the answers from the exact counts are the marginals",
                        [
                            (
                                marginals(distinct_counts(stream_of_records(table)), len(table), len(table[0])),
                                averages(table),
                            )
                            for table in tables()
                        ],
                        lambda case: case[0] == case[1],
                        mutant=lambda case: case[0] == case[1][::-1],
                    ),
                    *errors,
                ),
                formal=stated(*errors),
            ),
        ),
        uses=("turnstile.post_processing", "turnstile.group_privacy"),
        remark=r"The lower bounds from this reduction keep their order of growth. Their constants are those for $2 "
        r"\varepsilon$.",
    )


_height, _least, _rho = sp.symbols("L c rho", positive=True)
_square, _nodes = sp.symbols("S N", nonnegative=True)
ERROR = sp.sqrt(2 * (_height + 1) ** 2 * 4 * (2 * _height * sp.log(2) + 1) * (sp.log(200) + _height * sp.log(2)))
"""A bound on the error of the mechanism for the toggle model, for epsilon = 1 and delta = T^-2, T = 2^L."""
_ORDERED, _OVER_BOUND = ERROR / _height**2, ERROR / 2 ** (_height / 4)
_flips, _times = sp.symbols("w T", positive=True)
_sum, _in, _out, _data, _now, _gone = sp.symbols("C a b y a_0 b_0", real=True)
_queries = sp.Symbol("n", integer=True, nonnegative=True)


def _count_of_element(kind: str, text: str, relation: sp.Basic, rule: sp.Basic, *witness: Bits) -> Step:
    """The count of one element, for any number of queries or attributes."""
    running = {_sum: _sum + _in - _out}
    return for_every_length(
        f"counts_{kind}",
        text,
        Induction(
            f"legal_models.{kind}",
            relation,
            _queries,
            (_in, _out),
            running,
            witness,
            conditions=(rule,),
            raised=sp.Integer(2),
        ),
    )


def legal_models() -> Claim:
    """The streams of both reductions, and a mechanism with a small error in the toggle model."""
    noise = noise_fits(
        "noise",
        r"With noise of variance $(L + 1)/\rho$ at each node the loss is",
        _square,
        2 * (_height + 1),
        _rho,
    )
    added = {_sum: sum_over_entries(_in - _out, (_in, _out), _queries)}
    of_query, of_attribute = le(_out, _in), le(_in, _out)
    now = (sp.Ge(_gone, 0), sp.Le(_gone, _now), sp.Le(_now, 1))
    return Claim(
        id="turnstile.legal_models",
        title="The models in which the lower bounds hold",
        references=(Reference("turnstile", "section 1.1, after Theorem 1.6"),),
        statement=r"All lower bounds also hold in the strict model, where no count is negative, and in the toggle "
        r"model, where an element is inserted only when absent and deleted only when present. They hold for "
        r"mechanisms that get the whole stream before they put out anything.",
        notation=(("$c$", "factor of the bound in the comparison"),),
        hypotheses=("those of Theorems 1.5 and 1.6",),
        silent=(
            r"Algorithms 4 and 5 are read as in turnstile.inner_product_reduction and turnstile.marginals_reduction",
            "a lower bound holds in a model if it holds for mechanisms that are accurate on the streams of that model",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "the event-level lower bound in the toggle model",
                r"Algorithm 4 inserts elements that are present. In the toggle model there is an event-level private "
                r"mechanism whose error is of order $\log^2 T$ for $\varepsilon = 1$ and $\delta = T^{-2}$, on all "
                r"streams of the model. The bound of Theorem 1.5 is of order $T^{1/4}$ for $w \ge \sqrt T$.",
                (
                    counterexample(
                        "inserted_twice",
                        r"For the data $1$ and the query $1$ the stream inserts its element twice: the count is $2$.",
                        le(_largest, 1),
                        {_largest: lambda: largest_count(stream_of_queries((1,), ((1,),)))},
                    ),
                    counterexample(
                        "less_than_the_bound",
                        r"The mechanism below has the error $\sqrt{2 (L + 1)^2 \cdot 4 (2 L \log 2 + 1) (\log 200 + L "
                        r"\log 2)}$ with probability $0.99$, $T = 2^L$. For $L = 200$ this is less than a thousandth "
                        r"of $T^{1/4}$.",
                        ge(ERROR, _least * 2 ** (_height / 4)),
                        {_height: sp.Integer(200), _least: sp.Rational(1, 1000)},
                    ),
                    lemma(
                        "every_constant",
                        r"For any constant it is so from some $T$ on: the error over $L^2$ has a limit, and over "
                        r"$T^{1/4}$ it tends to $0$.",
                        (
                            tends_to("legal_models.order", _ORDERED, _height, sp.oo, 4 * sp.log(2)),
                            tends_to("legal_models.below", _OVER_BOUND, _height, sp.oo, sp.S.Zero),
                        ),
                    ),
                ),
                formal=(
                    *symbolic(gt(_largest, 1)),
                    *symbolic(
                        eq(sp.Limit(_ORDERED, _height, sp.oo), 4 * sp.log(2)),
                        eq(sp.Limit(_OVER_BOUND, _height, sp.oo), 0),
                    ),
                    *symbolic(
                        eq(sp.Min(sp.sqrt(_flips), sp.root(_times, 4)), sp.root(_times, 4)),
                        given=(sp.Ge(_flips, sp.sqrt(_times)),),
                    ),
                ),
            ),
            Part(
                Role.AMENDED,
                "which streams the reductions make",
                r"The streams of Algorithm 4 are of the strict model, and those of Algorithm 5 of the toggle model. "
                r"So the event-level bound holds in the strict model, and the item-level bound in both. The "
                r"reductions know the whole stream before they start. In the formulas $y$ is the bit of an element in "
                r"the data, $a_j$ and $b_j$ tell whether it was inserted and deleted for the query, or attribute, "
                r"$j$, and $C$ is the sum of their differences; the last attribute has the bits $a$ and $b$.",
                (
                    enumerated(
                        "queries",
                        r"Each count is a bit of the data, and $1$ more while an element of a query is present.",
                        "data of 1 to 3 bits and 1 or 2 queries: the stream of Algorithm 4 is strict",
                        cases(),
                        lambda case: strict(stream_of_queries(*case)),
                        mutant=lambda case: toggle(stream_of_queries(*case)),
                    ),
                    enumerated(
                        "records",
                        r"Each record's element is inserted and deleted in turn.",
                        "1 to 3 records of 1 to 3 bits: the stream of Algorithm 5 is of the toggle model",
                        tables(),
                        lambda records: toggle(stream_of_records(records)),
                        mutant=lambda records: not any(counts(stream_of_records(records), 0)),
                    ),
                    _count_of_element(
                        "strict",
                        r"In Algorithm 4 the count of an element is its bit $y$ and what is inserted and not yet "
                        r"deleted for the queries so far: nothing is deleted that was not inserted for the same query. "
                        r"So no count is negative.",
                        ge(_sum, 0),
                        of_query,
                        (1, 1),
                        (1, 0),
                    ),
                    _count_of_element(
                        "toggle",
                        r"In Algorithm 5 all that was inserted for the attributes before is deleted again, so that "
                        r"they add no more than $0$ either. So the count is that of the present attribute, $0$ or $1$.",
                        le(_sum, 0),
                        of_attribute,
                        (1, 1),
                        (0, 0),
                    ),
                ),
                formal=(
                    *symbolic(
                        ge(_data + _sum, 0),
                        given=(of_query, sp.Ge(_data, 0), sp.Ge(_queries, 0)),
                        where=added,
                    ),
                    *symbolic(
                        ge(_now - _gone + _sum, 0),
                        le(_now - _gone + _sum, 1),
                        given=(of_query, of_attribute, *now, sp.Ge(_queries, 0)),
                        where=added,
                    ),
                ),
            ),
            derived(
                Role.AMENDED,
                "the mechanism for the toggle model",
                r"Let an element be present from an insertion on and absent from a deletion on. In the toggle model "
                r"this is its existence vector. For event-neighbours of the general model two entries of its changes "
                r"differ at most, by $1$ in opposite directions. So the tree with noise of variance $(\log_2 T + "
                r"1)/\rho$ at each node is $\rho$-event-level-zCDP for all streams, and accurate for those of the "
                r"toggle model.",
                enumerated(
                    "existence",
                    r"In the toggle model an element is present exactly if its last entry is an insertion.",
                    "streams of the toggle model of up to 5 entries over 2 elements: the vectors are the existence "
                    "vectors",
                    (stream for length in range(1, 6) for stream in filter(toggle, streams(length, 2))),
                    lambda stream: all(last_entries(stream, one) == existence(stream, one) for one in elements(stream)),
                    mutant=lambda stream: not any(any(last_entries(stream, one)) for one in elements(stream)),
                ),
                last_entry_changes(
                    "two_entries",
                    r"If one entry is left out, the element's vector differs from there to its next entry, after "
                    r"which it is the same.",
                ),
                enumerated(
                    "nodes",
                    r"The two differences are opposite. They change one node of each level each, by $1$, or none "
                    r"where they meet. So the squared distance $S$ of the nodes is at most $2 (L + 1)$.",
                    "event-neighbours of up to 5 entries: the squared distance of the nodes, and the differences "
                    "add up to 1 at most",
                    [word for length in range(1, 6) for word in product(PAIRS, repeat=length) if one_at_most(word)],
                    lambda word: (
                        _of_nodes(word) <= 2 * padded_length(len(word)).bit_length()
                        and abs(sum(moved(*both(word)))) <= 1
                    ),
                    mutant=lambda word: _of_nodes(word) <= padded_length(len(word)).bit_length(),
                ),
                noise,
                bounded(
                    "variance",
                    r"An output is a sum of $N \le L + 1$ nodes. By Lemma A.2 the $T$ errors exceed the root of $2 "
                    r"(L + 1)^2 \log(200 T) / \rho$ with probability at most $0.01$. For $\varepsilon = 1$ and "
                    r"$\delta = T^{-2}$ the budget is $\rho \ge 1 / (4 (2 \log T + 1))$: this is the error above.",
                    le(_nodes * (_height + 1) / _rho, (_height + 1) ** 2 / _rho),
                    sp.Le(_nodes, _height + 1),
                ),
                only=("noise",),
            ),
        ),
        uses=(
            "turnstile.changed_entries",
            "turnstile.gaussian_mechanism",
            "turnstile.gaussian_max",
            "turnstile.dyadic",
            "turnstile.zcdp_conversion",
        ),
    )


def _of_nodes(word: tuple[tuple[int, int], ...]) -> int:
    return squared_distance(*(last_entries(stream, 0) for stream in both(word)))


CLAIMS = {
    "turnstile.inner_product_reduction": inner_product_reduction,
    "turnstile.marginals_reduction": marginals_reduction,
    "turnstile.legal_models": legal_models,
}
