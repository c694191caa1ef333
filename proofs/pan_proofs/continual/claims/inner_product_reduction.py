"""Remark 4.4, Lemma 4.2 and Algorithm 4: a counter of distinct elements answers inner product queries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import sympy as sp

from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.reductions import all_bits, indicated, inner_product, inner_products, stream_of_queries
from pan_proofs.continual.streams import (
    NEIGHBOURS,
    Bits,
    Stream,
    distinct_counts,
    elements,
    existence,
    insertions_only,
    streams,
)
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.word_sums import Words, bounded_sums, broken_by
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, lemma

_count, _union, _first, _later, _error = sp.symbols("s u R_n R_j alpha", real=True)
_answer = sp.Symbol("b", real=True)
_left, _right = sp.symbols("P Q", integer=True)

Case = tuple[Bits, tuple[Bits, ...]]

_number, _element = sp.symbols("m i", integer=True, positive=True)
_bit, _other_bit, _counted, _more = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("a", "b", "c", "d"))
_inner, _size_of, _other_size, _joined = sp.symbols("I A B U", real=True)
_IDENTITY = eq(_inner, _size_of + _other_size - _joined)

_ACCURATE = (
    *(sp.Le(sign * (_first - _count), _error) for sign in (1, -1)),
    *(sp.Le(sign * (_later - _union), _error) for sign in (1, -1)),
)


def indicators(one: sp.Expr, other: sp.Expr, joined: sp.Expr) -> dict[sp.Symbol, sp.Sum]:
    """The inner product of two indicators, their sizes, and the size of the indicator of the joined stream."""
    terms = {_inner: one * other, _size_of: one, _other_size: other, _joined: joined}
    return {symbol: sp.Sum(term, (_element, 1, _number)) for symbol, term in terms.items()}


def of_insertions() -> Words:
    """For each element its bits in the indicators of two streams of insertions; joined, the greater one."""
    bits = (_bit[_element], _other_bit[_element])
    sums = indicators(*bits, sp.Max(*bits))
    return Words(_number, _element, (_bit, _other_bit), sums, {_bit: (0, 1), _other_bit: (0, 1)})


def of_counts() -> Words:
    """For each element its counts in two streams; joined, their sum."""
    one, other = _counted[_element], _more[_element]
    bits = (sp.Min(1, sp.Max(0, term)) for term in (one, other, one + other))
    return Words(_number, _element, (_counted, _more), indicators(*bits))


def cases() -> Iterator[Case]:
    """Data of 1 to 3 bits, with 1 or 2 queries."""
    for size in (1, 2, 3):
        for number in (1, 2):
            for data in all_bits(size):
                for queries in product(all_bits(size), repeat=number):
                    yield data, queries


def inner_product_reduction() -> Claim:
    """The identity, the stream, and both halves of the lemma."""
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
        notation=(
            ("$A$, $B$, $U$", "numbers of elements of the two streams, and of the joined one"),
            ("$P$, $Q$", "the two sides of the identity"),
        ),
        hypotheses=("the counter is accurate with probability $0.99$ for all outputs of a stream together",),
        silent=(
            r"Algorithm 4 is read as: an insertion of $i$ for each bit $y_i = 1$; for each query $q_j$ insertions of "
            r"all $i$ with $q_j[i] = 1$, and then their deletions; no-ops elsewhere. The answer is $b_j = r[n] + "
            r"\lVert q_j \rVert_0 - r[2 j n]$ for the outputs $r$",
            r"data are neighbours if one bit differs; a stream shorter than $T$ is filled with no-ops",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the identity (Remark 4.4)",
                r"Each element is counted once in the union, and twice in the sum if both streams have it. In the "
                r"formula $a_i$ and $b_i$ are the bits of the element $i$ in the two indicators, $\max(a_i, b_i)$ that "
                r"of the joined stream, and $I = \langle h(\sigma), h(\sigma') \rangle$.",
                (identity(), summed()),
                formal=about(of_insertions(), _IDENTITY),
            ),
            Part(
                Role.PUBLISHED,
                "privacy",
                r"If one bit of the data changes, one entry of the stream becomes a no-op, or the reverse: the "
                r"streams are event-neighbours. The answers are post-processing. In the formula $a_i$ and $b_i$ are "
                r"the bits of two data, $H$ is the number of bits in which they differ, and $E$ the number of entries "
                r"in which the streams differ, each a no-op in one of them.",
                (privacy(), _entries_that_differ()),
                formal=about(_two_data(), eq(_apart, _bits_apart)),
            ),
            Part(
                Role.PUBLISHED,
                "accuracy",
                r"The stream has $(2 k + 1) n$ entries and flippancy at most $2 k$. The exact counts give the exact "
                r"inner products, and two errors of at most $\alpha$ give an error of at most $2 \alpha$.",
                accuracy(),
                formal=symbolic(
                    le(_first + _answer - _later, _count + _answer - _union + 2 * _error),
                    given=_ACCURATE,
                ),
            ),
            Part(
                Role.READING,
                "the identity for streams with deletions",
                r"With deletions the indicator of the joined stream is not the union: the remark is false. In the "
                r"formula $c_i$ and $d_i$ are the counts of the element $i$ in the two streams.",
                with_deletions(),
                formal=about(of_counts(), _IDENTITY, refuted=True),
                holds=False,
                departs="For insertion-only streams",
            ),
        ),
        uses=("turnstile.post_processing",),
        in_words=(
            ("event_neighbours", r"the answers of Algorithm 4 are post-processing of the outputs"),
            (
                "exact_answers",
                r"at the time $2 j n$ just the elements of the data and those of the query are present, for "
                r"streams of every length",
            ),
            ("length_and_flippancy", r"an element flips at most twice for each query, for streams of every length"),
        ),
    )


def identity() -> Step:
    """All pairs of short insertion-only streams."""
    return enumerated(
        "identity",
        r"For one element with bits $a, b$: $a b = a + b - \max(a, b)$. Summing over the elements gives the remark.",
        "pairs of insertion-only streams of up to 3 entries over 3 elements, the second with all names of elements",
        (
            (one, other)
            for first, second in product(range(1, 4), repeat=2)
            for one in filter(insertions_only, streams(first, 3))
            for other in product((None, (0, 1), (1, 1), (2, 1)), repeat=second)
        ),
        lambda pair: _common(*pair) == _size(pair[0]) + _size(pair[1]) - _size((*pair[0], *pair[1])),
        mutant=lambda pair: _common(*pair) == _size(pair[0]) + _size(pair[1]),
    )


def summed() -> Step:
    """The identity of one element, summed over any number of elements."""
    return lemma(
        "summed",
        r"The sums over any number of elements, one element after another:",
        bounded_sums(
            "inner_product.identity",
            _IDENTITY,
            of_insertions(),
            by_definition={
                _inner: inner_product,
                _size_of: lambda one, other: sum(one),
                _other_size: lambda one, other: sum(other),
                _joined: lambda one, other: _size((*indicated(one), *indicated(other))),
            },
            up_to=4,
        ),
        lines=r"I &= A + B - U",
    )


def _size(stream: Stream) -> int:
    """The number of distinct elements at the end."""
    return distinct_counts(stream)[-1]


def _common(one: Stream, other: Stream) -> int:
    """The inner product of the indicators."""
    return sum(existence(one, element)[-1] * existence(other, element)[-1] for element in elements((*one, *other)))


def privacy() -> Step:
    """The streams of neighbouring data."""
    return enumerated(
        "event_neighbours",
        r"Only the first $n$ entries depend on the data, the entry $i$ on the bit $y_i$ alone.",
        "data of 1 to 3 bits with 1 or 2 queries, one bit lowered: the streams are event-neighbours",
        ((case, place) for case in cases() for place, bit in enumerate(case[0]) if bit),
        lambda asked: stream_of_queries(*_lowered(*asked)) in set(NEIGHBOURS["event"](stream_of_queries(*asked[0]))),
        mutant=lambda asked: stream_of_queries(*_lowered(*asked)) == stream_of_queries(*asked[0]),
    )


_apart, _bits_apart = sp.symbols("E H", real=True)


def _two_data() -> Words:
    """The bits of two data, and how many differ; the entries of their streams depend on one bit each."""
    one, other = _bit[_element], _other_bit[_element]
    terms = {_apart: sp.Abs(one - other), _bits_apart: one + other - 2 * one * other}
    sums = {symbol: sp.Sum(term, (_element, 1, _number)) for symbol, term in terms.items()}
    return Words(_number, _element, (_bit, _other_bit), sums, {_bit: (0, 1), _other_bit: (0, 1)})


def _entries_that_differ() -> Step:
    """As many entries differ as bits, whatever the queries are."""

    def no_ops(one: Bits, other: Bits) -> int:
        found = set()
        for query in all_bits(len(one)):
            pair = zip(stream_of_queries(one, (query,)), stream_of_queries(other, (query,)), strict=True)
            differing = [(a, b) for a, b in pair if a != b]
            found.add(len(differing) if all(None in both for both in differing) else -1)
        return found.pop() if len(found) == 1 else -1

    return lemma(
        "entries_that_differ",
        r"For data of any size as many entries of the streams differ as bits.",
        bounded_sums(
            "inner_product_reduction.entries",
            eq(_apart, _bits_apart),
            _two_data(),
            by_definition={
                _apart: no_ops,
                _bits_apart: lambda one, other: sum(a != b for a, b in zip(one, other, strict=True)),
            },
            up_to=4,
        ),
        r"E &= H",
    )


def _lowered(case: Case, place: int) -> Case:
    data, queries = case
    return (*data[:place], 0, *data[place + 1 :]), queries


def accuracy() -> Steps:
    """Length, flippancy, exact answers, and errors."""
    return (
        enumerated(
            "length_and_flippancy",
            r"An element with $y_i = 1$ stays present. Another one is inserted and deleted once for each query.",
            "data of 1 to 3 bits with 1 or 2 queries: the stream has (2 k + 1) n entries and flippancy at most 2 k",
            cases(),
            lambda case: (
                len(stream_of_queries(*case)) == (2 * len(case[1]) + 1) * len(case[0])
                and flippancy(stream_of_queries(*case)) <= 2 * len(case[1])
            ),
            mutant=lambda case: flippancy(stream_of_queries(*case)) <= 2 * len(case[1]) - 1,
        ),
        enumerated(
            "exact_answers",
            r"At the time $2 j n$ the entries of earlier queries are deleted, and those of $q_j$ are inserted. The "
            r"remark gives the inner product.",
            "data of 1 to 3 bits with 1 or 2 queries: the answers from the exact counts are the inner products",
            cases(),
            lambda case: (
                inner_products(distinct_counts(stream_of_queries(*case)), case[1])
                == tuple(inner_product(case[0], query) for query in case[1])
            ),
            mutant=lambda case: (
                tuple(distinct_counts(stream_of_queries(*case))[2 * j * len(case[0]) - 1] for j in (1,))
                == tuple(inner_product(case[0], query) for query in case[1][:1])
            ),
        ),
        at_most(
            "two_errors",
            r"Let $s, u$ be the counts at the times $n$ and $2 j n$, $R_n$ and $R_j$ the outputs, and $b$ the number "
            r"of ones of the query, which is known.",
            Inequality(
                "inner_product.errors",
                _first + _answer - _later,
                _count + _answer - _union + 2 * _error,
                _ACCURATE,
            ),
            lines=r"R_n + b - R_j &\le (s + b - u) + 2 \alpha",
        ),
        at_most(
            "two_errors_below",
            r"Likewise it is bounded from below.",
            Inequality(
                "inner_product.errors_below",
                _count + _answer - _union - 2 * _error,
                _first + _answer - _later,
                _ACCURATE,
            ),
            lines=r"(s + b - u) - 2 \alpha &\le R_n + b - R_j",
        ),
    )


def with_deletions() -> Steps:
    """An insertion, and its deletion as the second stream."""
    one, other = indicated((1,)), indicated((1,), -1)
    return (
        counterexample(
            "one_deletion",
            r"An insertion, and a deletion of the same element: both indicators after the joined streams are $0$.",
            eq(_left, _right),
            {
                _left: lambda: _common(one, other),
                _right: lambda: _size(one) + _size(other) - _size((*one, *other)),
            },
        ),
        lemma(
            "one_deletion_by_sums",
            r"The counts of its element are $1$ and $-1$, and $0$ in the joined stream.",
            broken_by(
                "inner_product.deletion",
                _IDENTITY,
                of_counts(),
                ((1,), (-1,)),
                by_definition={
                    _inner: lambda *_: _common(one, other),
                    _size_of: lambda *_: _size(one),
                    _other_size: lambda *_: _size(other),
                    _joined: lambda *_: _size((*one, *other)),
                },
            ),
            lines=r"I = 0 &\ne A + B - U = 1",
        ),
    )


CLAIMS = {"turnstile.inner_product_reduction": inner_product_reduction}
