"""Theorems 1.5 and 1.6: the lower bounds, from cited ones for batch queries; and Theorem B.1 for small epsilon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise, product

import sympy as sp

from pan_proofs.continual.claims.reductions import Records, all_bits, averages, inner_product
from pan_proofs.continual.formulas import bits_from_zero, flipped, from_zero
from pan_proofs.continual.steps import by_sums, positive_root, stated
from pan_proofs.continual.streams import (
    NEIGHBOURS,
    Bits,
    Entry,
    Stream,
    differences,
    distinct_counts,
    flippancy,
    of_one_element,
    streams,
)
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.notation import epsilon, tex
from pan_proofs.ledger.steps import bounded, compared, counterexample, enumerated, lemma

_length, _short, _error, _flips, _factor = sp.symbols("T n alpha w x", positive=True)
_delta, _sum, _likely, _unlikely = sp.symbols("delta s P Pprime", nonnegative=True)
_ROUNDED = (ge(_short, 1), gt(_short, epsilon * _length - 1))
_DELTA = r"$\delta = o(\varepsilon/T)$; below, $\delta \le 1/(10 T)$ for $\varepsilon \le 2/T$"
_HYPOTHESES = (r"$0 < \varepsilon \le 1$, $T$ is sufficiently large, and $\delta$ is small",)


def _distinct_insertions(length: int) -> list[Stream]:
    """Streams from no-ops to insertions of different elements, one entry more each."""
    return [tuple((place, 1) if place < number else None for place in range(length)) for number in range(length + 1)]


def _tiny(level: str) -> Part:
    """For epsilon at most 2/T the error is at least T/2."""
    chain = (
        le(_likely, _factor * _unlikely + _length * _sum),
        le(_unlikely, sp.Rational(1, 100)),
        le(_sum, _factor * _delta),
        le(_delta, 1 / (10 * _length)),
        le(_factor, 8),
    )
    steps = (
        enumerated(
            "chain",
            r"Let $\varepsilon \le 2/T$. The stream of $T$ no-ops and that of $T$ insertions of different elements are "
            r"joined by $T$ steps between neighbours. The last counts are $0$ and $T$.",
            "T from 1 to 6: each step joins event-neighbours and item-neighbours, and the last count rises by 1",
            [pair for length in range(1, 7) for pair in pairwise(_distinct_insertions(length))],
            lambda pair: (
                all(pair[0] in set(NEIGHBOURS[kind](pair[1])) for kind in NEIGHBOURS)
                and distinct_counts(pair[1])[-1] == distinct_counts(pair[0])[-1] + 1
            ),
            mutant=lambda pair: distinct_counts(pair[1])[-1] == 1,
        ),
        compared(
            "factor",
            r"By Lemma 2.3 the whole chain has the factor $x = e^{\varepsilon T} \le e^2$, and each of its $T$ terms "
            r"of $\delta'$ is at most $s = x \delta$.",
            le(sp.exp(2), 8),
            lines=r"x \le e^2 &\le 8",
        ),
        bounded(
            "contradiction",
            r"If the error were less than $T/2$ with probability $0.99$, the last output would exceed $T/2$ with "
            r"probability $P' \le 0.01$ for the first stream, and $P \ge 0.99$ for the other. For $\delta \le 1/(10 "
            r"T)$ this is impossible:",
            le(_likely, sp.Rational(88, 100)),
            *chain,
            lines=r"P \le x P' + T s \le \tfrac{8}{100} + \tfrac{8}{10} &= 0.88 < 0.99",
        ),
    )
    return Part(
        Role.PUBLISHED,
        "epsilon at most 2/T",
        rf"There the error is at least $T/2$, by group privacy for $T$ {level}.",
        steps,
        formal=symbolic(lt(_likely, sp.Rational(99, 100)), given=chain),
    )


def _smaller(statement: str, *terms: tuple[str, str, int, sp.Expr]) -> Part:
    """The bounds ``alpha`` with ``(eps alpha)^power = eps T``, as the reduction to small epsilon gives them."""
    floored = bounded(
        "floor",
        r"Rounding $\varepsilon T \ge 1$ down to $n$ loses at most half.",
        le(epsilon * _length / 2, _short),
        *_ROUNDED,
    )

    def difference(power: int) -> sp.Expr:
        return (epsilon * _error) ** power - epsilon * _length

    scaled = [
        equal_as(
            name,
            text,
            (lambda power=power: positive_root(difference(power), _error), value),  # type: ignore[misc]
            rf"(\varepsilon \alpha)^{power} = \varepsilon T \quad\text{{for}}\quad \alpha &= {tex(value)}",
        )
        for name, text, power, value in terms
    ]
    return Part(
        Role.PUBLISHED,
        "smaller epsilon",
        statement,
        (floored, *scaled),
        formal=(
            *stated(floored),
            *(
                text
                for _, _, power, value in terms
                for text in symbolic(eq(_error, value), given=(eq((epsilon * _error) ** power, epsilon * _length),))
            ),
        ),
    )


_bits, _queries, _many, _least = sp.symbols("n k c_1 c_2", positive=True)
_square, _square_of_least = sp.symbols("q c", positive=True)
_EMBEDDED = (
    sp.Ge(_flips, 1),
    sp.Le(_flips**2, _many * _length),
    sp.Eq(_queries, _flips / 2),
    sp.Eq(_many * _bits, _queries),
)


def event_lower_bound() -> Claim:
    """The cited theorem, its consequence for epsilon = 1, and the scaling."""
    error = bounded(
        "error",
        r"By Lemma 4.2 Algorithm 4 is $(1, \delta)$-differentially private with error $2 \alpha$. By Theorem 4.5 $2 "
        r"\alpha \ge c_2 \sqrt n$.",
        ge(_error**2, _least**2 * _flips / (8 * _many)),
        *_EMBEDDED,
        sp.Ge((2 * _error) ** 2, _least**2 * _bits),
    )
    return Claim(
        id="turnstile.event_lower_bound",
        title="The event-level lower bound",
        references=(
            Reference("turnstile", "Theorem 1.5, section 1.1, and Lemma 4.6, section 4.2", "the formulas are lost"),
            Reference("turnstile", "Theorem 4.5, section 4.2", "taken from the literature"),
        ),
        statement=r"If an $(\varepsilon, \delta)$-event-level-differentially private mechanism is $\alpha$-accurate "
        r"for all streams of length $T$ with flippancy at most $w$, then $\alpha = \Omega(\min(\sqrt w/\varepsilon,\ "
        r"T^{1/4}/\varepsilon^{3/4},\ T))$.",
        hypotheses=_HYPOTHESES,
        silent=(
            r"Theorem 4.5 is read as: there are $c_1, c_2 > 0$ such that no algorithm that answers $k = c_1 n$ inner "
            r"product queries with an error below $c_2 \sqrt n$ is $(1, 1/3)$-differentially private",
            _DELTA,
            r"$k$, $n$ and $w/2$ are rounded to whole numbers, which changes constants only",
            "the streams are those of the general or of the strict model: see turnstile.legal_models",
        ),
        parts=(
            Part(
                Role.CITED,
                "inner product queries (Theorem 4.5)",
                r"No algorithm that answers $c_1 n$ inner product queries with an error below $c_2 \sqrt n$ is $(1, "
                r"1/3)$-differentially private. It is not derived here. For all $2^n$ queries and small $n$ it is "
                r"tested that the answers determine most bits.",
                (
                    enumerated(
                        "reconstruction",
                        r"If two data agree in all $2^n$ inner products up to $a$, they differ in at most $2 a$ bits: "
                        r"the queries for the ones of one that the other lacks.",
                        "pairs of data of 1 to 5 bits: twice the largest difference of an inner product is at least "
                        "their distance",
                        [
                            (
                                max(abs(inner_product(one, to) - inner_product(other, to)) for to in all_bits(size)),
                                sum(a != b for a, b in zip(one, other, strict=True)),
                            )
                            for size in range(1, 6)
                            for one, other in product(all_bits(size), repeat=2)
                        ],
                        lambda case: 2 * case[0] >= case[1],
                        mutant=lambda case: case[0] >= case[1],
                    ),
                ),
                no_formula="the theorem speaks of every algorithm, and no step derives it",
            ),
            derived(
                Role.PUBLISHED,
                "epsilon = 1 (Lemma 4.6)",
                r"For $w \le \sqrt{c_1 T}$ the error is at least $\frac{c_2}{2} \sqrt{w/(2 c_1)}$. For larger $w$ the "
                r"bound for $w = \sqrt{c_1 T}$ holds, which is of order $T^{1/4}$.",
                bounded(
                    "fits",
                    r"Let $k = w/2$ and $n = k/c_1$. The stream of Algorithm 4 has flippancy at most $2 k = w$, "
                    r"and its length is $(2 k + 1) n$. For $1 \le w \le \sqrt{c_1 T}$ it fits:",
                    le((2 * _queries + 1) * _bits, _length),
                    *_EMBEDDED,
                ),
                error,
                bounded(
                    "largest",
                    r"At $w = \sqrt{c_1 T}$ the bound is of order $T^{1/4}$: with $q = \alpha^2$ and $c = c_2^2$,",
                    le(_square_of_least**2 * _length, 64 * _many * _square**2),
                    sp.Ge(_square, _square_of_least * _flips / (8 * _many)),
                    sp.Eq(_flips**2, _many * _length),
                ),
                only=("error",),
            ),
            _smaller(
                r"For $\varepsilon > 2/T$ Theorem B.1 gives $\min(\sqrt w, (\varepsilon T)^{1/4}) / \varepsilon$, up "
                r"to a constant.",
                (
                    "fourth_root",
                    r"The second term of the minimum:",
                    4,
                    sp.root(_length, 4) / epsilon ** sp.Rational(3, 4),
                ),
            ),
            _tiny("entries"),
        ),
        uses=("turnstile.inner_product_reduction", "turnstile.small_epsilon", "turnstile.group_privacy"),
        remark=r"The error of Theorem 1.4 for $\varepsilon = 1$ is of the same order for $w \le \sqrt T$, up to "
        r"logarithms. For larger $w$ a gap remains, from $T^{1/4}$ to $\min(\sqrt w, T^{1/3})$.",
    )


_size, _constant, _count, _chance = sp.symbols("d c N P", positive=True)
_least_square = sp.Symbol("b", positive=True)
_records = _bits
_SHORT = (sp.Eq(_flips * _records, _length), sp.Le(_flips**3, _length**2))
_SHORT_PURE = (sp.Eq(_flips * _records, _length), sp.Le(_flips**2, _length))
_LARGE = sp.Ge(_error, _constant * _records)


def table(row: Bits, copies: int, records: int) -> Records:
    """Some equal rows, and zeros else."""
    return (*(row,) * copies, *((0,) * len(row),) * (records - copies))


def _apart(rows: Iterable[Bits], copies: int, records: int) -> Fraction:
    """The largest difference of the marginals of two tables with some equal rows."""
    tables = (averages(table(row, copies, records)) for row in rows)
    return max(abs(a - b) for a, b in zip(*tables, strict=True))


def _rows(largest: int) -> Iterator[tuple[Bits, ...]]:
    """Pairs of different rows."""
    return (pair for size in range(1, largest + 1) for pair in product(all_bits(size), repeat=2) if pair[0] != pair[1])


def item_lower_bound() -> Claim:
    """The cited bound, the packing bound, both cases of the lemma, and the scaling."""
    masses = bounded(
        "masses",
        r"Each of the $N = 2^d$ sets has the probability $P \ge 0.99$ under its table. Its probability under one fixed "
        r"table is at least $P/x$, $x = e^{r \varepsilon}$, as $r$ rows differ at most. These add up to at most $1$.",
        le(sp.Rational(99, 100) * _count, _factor),
        sp.Ge(_chance, sp.Rational(99, 100)),
        sp.Le(_count * _chance, _factor),
        lines=r"0.99 \cdot 2^d &\le e^{r \varepsilon}",
    )
    text = r"If the error of the marginals is above $c$:"
    large = bounded("large_error", text, ge(_error**2, _constant**2 * _flips), *_SHORT, _LARGE)
    large_pure = bounded("large_error_pure", text, ge(_error, _constant * _flips), *_SHORT_PURE, _LARGE)
    return Claim(
        id="turnstile.item_lower_bound",
        title="The item-level lower bounds",
        references=(
            Reference("turnstile", "Theorem 1.6, section 1.1, and Lemma 5.4, section 5.2", "the formulas are lost"),
            Reference("turnstile", "Lemma 5.3, section 5.2", "taken from the literature"),
        ),
        statement=r"If an $(\varepsilon, \delta)$-item-level-differentially private mechanism is $\alpha$-accurate "
        r"for all streams of length $T$ with flippancy at most $w$, then $\alpha = \tilde\Omega(\min(\sqrt "
        r"w/\varepsilon,\ T^{1/3}/\varepsilon^{2/3},\ T))$. For $\delta = 0$: $\alpha = \Omega(\min(w/\varepsilon,\ "
        r"\sqrt{T/\varepsilon},\ T))$.",
        hypotheses=_HYPOTHESES,
        silent=(
            r"Lemma 5.3 is read as: to release $d$ marginals of $n$ records with an error of at most $\gamma$ below a "
            r"constant takes $n = \Omega(\sqrt d / (\gamma \varepsilon \log d))$ records, and $n = \Omega(d / (\gamma "
            r"\varepsilon))$ for $\delta = 0$",
            r"by turnstile.marginals_reduction the marginals have twice the budget, which changes constants only; "
            r"likewise the rounding of $d = w/2$ and $n = T/w$",
            _DELTA,
        ),
        parts=(
            Part(
                Role.CITED,
                "marginals with a delta (item 1 of Lemma 5.3)",
                r"The bound with $\sqrt d$ rests on fingerprinting codes. It is not derived here: it is tested that "
                r"marginals with an error below $\frac12$ tell the row of a table of equal rows.",
                (
                    enumerated(
                        "equal_rows",
                        r"The marginals of equal rows are the row.",
                        "rows of 1 to 4 bits, 1 to 5 records: any two tables of equal rows have a marginal that "
                        "differs by 1",
                        product(_rows(4), range(1, 6)),
                        lambda case: _apart(*case, case[1]) == 1,
                        mutant=lambda case: _apart(case[0], 1, case[1]) == 1,
                    ),
                ),
                no_formula="the theorem speaks of every algorithm, and no step derives it",
            ),
            derived(
                Role.PUBLISHED,
                "marginals without a delta (item 2 of Lemma 5.3)",
                r"Tables with $r$ equal rows $v$ and zeros else, $r > 2 \gamma n$, one for each $v \in \{0, 1\}^d$, "
                r"are "
                r"told apart by marginals with an error of at most $\gamma$. So $r \varepsilon \ge d \log 2 - 0.02$.",
                enumerated(
                    "told_apart",
                    r"Their marginals differ by $r/n > 2 \gamma$, so that the outputs within $\gamma$ of them are "
                    r"disjoint sets.",
                    "rows of 1 to 3 bits, 4 records, r = 1, 2, 3: any two tables have a marginal that differs by r/4",
                    product(_rows(3), (1, 2, 3)),
                    lambda case: _apart(*case, 4) == Fraction(case[1], 4),
                    mutant=lambda case: _apart(*case, 4) > Fraction(case[1], 4),
                ),
                masses,
                compared(
                    "logarithm",
                    r"So $r \varepsilon \ge d \log 2 + \log 0.99$. Here $\log 0.99 > -0.02$.",
                    gt(sp.log(sp.Rational(99, 100)), -sp.Rational(2, 100)),
                ),
                only=("masses",),
            ),
            derived(
                Role.PUBLISHED,
                "epsilon = 1, with a delta (Lemma 5.4)",
                r"For $w \le T^{2/3}$ let $d = w/2$ and $n = T/w$. If the error of the marginals is above a constant "
                r"$c$, then $\alpha \ge c n \ge c \sqrt w$. Otherwise $\alpha = \gamma n = \Omega(\sqrt d/\log d)$.",
                bounded(
                    "fits",
                    r"The stream of Algorithm 5 has flippancy at most $2 d$ and $2 d n$ entries. For $2 d \le w$ "
                    r"and $w n \le T$ it fits:",
                    le(2 * _size * _records, _length),
                    sp.Le(2 * _size, _flips),
                    sp.Le(_flips * _records, _length),
                ),
                bounded(
                    "many_records",
                    r"For $w \le T^{2/3}$, where $w^3 \le T^2 = w^2 n^2$, there are at least $\sqrt w$ records.",
                    le(_flips, _records**2),
                    *_SHORT,
                ),
                large,
                bounded(
                    "largest",
                    r"For larger $w$ the bound for $w = T^{2/3}$ holds, which is of order $T^{1/3}$: with $q = "
                    r"\alpha^2$ and $b = c^2$,",
                    le(_least_square**3 * _length**2, _square**3),
                    sp.Ge(_square, _least_square * _flips),
                    sp.Eq(_flips**3, _length**2),
                ),
                only=("large_error",),
            ),
            derived(
                Role.PUBLISHED,
                "epsilon = 1, without a delta (Lemma 5.4)",
                r"For $w \le \sqrt T$ with the same $d$ and $n$: $\alpha \ge c n \ge c w$, or $\alpha = \gamma n = "
                r"\Omega(d)$, by item 2 of Lemma 5.3. The text names item 1 there.",
                bounded(
                    "many_records_pure",
                    r"For $w \le \sqrt T$ there are at least $w$ records.",
                    le(_flips, _records),
                    *_SHORT_PURE,
                ),
                large_pure,
                bounded(
                    "small_error_pure",
                    r"Otherwise, for the budget $1$, $r = 3 \gamma n$ equal rows give $3 \gamma n \ge d \log 2 - "
                    r"0.02$, up to rounding, and $\alpha = \gamma n$. As $\log 2 \ge 0.69$, for $d \ge 1$:",
                    le(_size / 10, _error),
                    sp.Ge(3 * _error, sp.Rational(69, 100) * _size - sp.Rational(2, 100)),
                    sp.Ge(_size, 1),
                    gap=sp.Rational(99, 100),
                    weaker=sp.Rational(1, 3),
                ),
                compared(
                    "log_of_two",
                    r"The logarithm of $2$ is above $0.69$.",
                    gt(sp.log(2), sp.Rational(69, 100)),
                ),
                only=("large_error_pure",),
            ),
            _smaller(
                r"For $\varepsilon > 2/T$ Theorem B.1 gives $\min(\sqrt w, (\varepsilon T)^{1/3}) / \varepsilon$ and "
                r"$\min(w, \sqrt{\varepsilon T}) / \varepsilon$, up to constants.",
                (
                    "third_root",
                    r"With a delta the second term is",
                    3,
                    sp.cbrt(_length) / epsilon ** sp.Rational(2, 3),
                ),
                ("square_root", r"Without a delta it is", 2, sp.sqrt(_length / epsilon)),
            ),
            _tiny("items"),
        ),
        uses=("turnstile.marginals_reduction", "turnstile.small_epsilon", "turnstile.group_privacy"),
        remark=r"The streams are of the toggle model, so that the bounds hold in all three models.",
    )


def copied(stream: Stream, copies: int) -> Stream:
    """The stream of the proof: each entry becomes one entry for each copy of its element."""
    entries: list[Entry] = []
    for entry in stream:
        entries += [None if entry is None else (entry[0] * copies + number, entry[1]) for number in range(copies)]
    return tuple(entries)


def chain(one: Stream, other: Stream, copies: int) -> Iterator[Stream]:
    """From the copied stream of one to that of the other, one copy after another."""
    first, last = copied(one, copies), copied(other, copies)
    for number in range(copies + 1):
        yield tuple(b if place % copies < number else a for place, (a, b) in enumerate(zip(first, last, strict=True)))


def joined(kind: str, one: Stream, other: Stream, copies: int) -> bool:
    """Whether the chain goes from copied stream to copied stream, and each step joins neighbours."""
    links = tuple(chain(one, other, copies))
    ends = links[0] == copied(one, copies) and links[-1] == copied(other, copies)
    return ends and all(b in set(NEIGHBOURS[kind](a)) for a, b in pairwise(links))


_copies = sp.Symbol("m", positive=True)
_alpha, _bound = sp.symbols("alpha g", nonnegative=True)
_of_delta, _y = sp.symbols("delta y", positive=True)
_found, _flippancy = sp.symbols("F_c F")
_all, _changed, _is_changed = sp.symbols("C D d", real=True)
_number = sp.Symbol("n", integer=True, nonnegative=True)
_KEPT = sp.sqrt(_copies / (_copies + 1))


def _chains() -> Steps:
    """One change of the stream, and those of the copied stream."""
    return (
        enumerated(
            "chains",
            r"Event-neighbours, and item-neighbours: each copy in turn.",
            "neighbours of both kinds of up to 3 entries over 2 elements, m = 2, 3: the chain goes from copied stream "
            "to copied stream, and each of its m steps joins neighbours",
            [
                (kind, one, other, m)
                for kind in NEIGHBOURS
                for length in range(1, 4)
                for one in streams(length, 2)
                for other in NEIGHBOURS[kind](one)
                for m in (2, 3)
            ],
            lambda case: joined(*case),
            mutant=lambda case: copied(case[2], case[3]) in set(NEIGHBOURS[case[0]](copied(case[1], case[3]))),
        ),
        for_every_length(
            "changes_of_copies",
            r"The copies of an entry are $m$ entries, and those of an element $m$ elements. They are changed if the "
            r"entry, or the element, is. For any number of entries, and of copies:",
            Induction(
                "small_epsilon.copies",
                eq(_all, _copies * _changed),
                _number,
                (_is_changed,),
                {_all: _all + _copies * _is_changed, _changed: _changed + _is_changed},
                ((1,), (0,), (1,)),
                {_copies: sp.Integer(3)},
            ),
        ),
    )


def small_epsilon() -> Claim:
    """The construction, the budget of a group, and what it does to the flippancy."""
    errors = bounded(
        "errors",
        r"The error of the quotients is $\alpha/m \ge g$.",
        ge(_alpha, _bound / epsilon),
        sp.Ge(_alpha / _copies, _bound),
        sp.Eq(_copies * epsilon, 1),
    )
    rounded = bounded(
        "rounded",
        r"The group has the budget $m \varepsilon \le 1$, and $m > 1/\varepsilon - 1$, $m \ge 1$.",
        le(1 / (2 * epsilon), _copies),
        sp.Ge(_copies, 1),
        sp.Gt(_copies, 1 / epsilon - 1),
        sp.Le(epsilon, 1),
    )
    chains = _chains()
    insertion = of_one_element((1,))
    flips = by_sums(
        "at_most_one_more",
        r"The existence vector of the first copy has the flips of the element's own. That of another copy has them "
        r"and a flip more if the element is present after the first entry: its copy is inserted later.",
        bits_from_zero(),
        le(from_zero, flipped + 1),
        ge(from_zero, flipped),
        by_definition={
            flipped: lambda bits: flippancy(of_one_element(differences(bits))),
            from_zero: lambda bits: flippancy(copied(of_one_element(differences(bits)), 3)),
        },
    )
    group = _of_delta * (sp.E - 1) / (sp.exp(epsilon) - 1)
    return Claim(
        id="turnstile.small_epsilon",
        title="Lower bounds for small epsilon",
        references=(Reference("turnstile", "Theorem B.1, appendix B", "the formulas are lost"),),
        statement=r"Let $g$ be increasing. If every $(1, \delta')$-item-level-differentially private mechanism for "
        r"streams of length $T'$ has an error of at least $g(T')$, for all $T'$, then every $(\varepsilon, "
        r"\delta)$-item-level-differentially private mechanism for streams of length $T$ has an error of at least $g("
        r"\lfloor \varepsilon T \rfloor) / \varepsilon$, where $\delta = \Theta(\varepsilon \delta')$. The same holds "
        r"for event-level privacy.",
        notation=(("$F$, $F_c$", "flippancies of the stream, and of the copied stream"),),
        hypotheses=(r"$0 < \varepsilon \le 1$ and $\varepsilon T \ge 1$",),
        silent=(
            r"$1/\varepsilon$ is a whole number $m$: the hypotheses are lost in the text",
            r"$\delta = \delta' (e^{\varepsilon} - 1) / (e - 1)$",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "the reduction",
                r"A mechanism with error $\alpha$ for streams of length $T$ gives one with error $\alpha / m$ for "
                r"streams of length $n = \lfloor \varepsilon T \rfloor$: run on $m$ copies of each item, its outputs "
                r"at the times $m t$ divided by $m$.",
                enumerated(
                    "counts",
                    r"After each $m$ entries all copies of an item have the same count.",
                    "streams of up to 4 entries over 2 elements, m = 2, 3: the distinct count at the time m t is m "
                    "times that at t",
                    ((stream, m) for length in range(1, 5) for stream in streams(length, 2) for m in (2, 3)),
                    lambda case: (
                        distinct_counts(copied(*case))[case[1] - 1 :: case[1]]
                        == tuple(case[1] * count for count in distinct_counts(case[0]))
                    ),
                    mutant=lambda case: distinct_counts(copied(*case))[:: case[1]] == distinct_counts(case[0]),
                ),
                bounded(
                    "length",
                    r"The copied stream has $m n$ entries, $n \le \varepsilon T$ and $m \varepsilon = 1$.",
                    le(_copies * _short, _length),
                    sp.Le(_short, epsilon * _length),
                    sp.Eq(_copies * epsilon, 1),
                ),
                errors,
                only=("errors",),
            ),
            Part(
                Role.PUBLISHED,
                "a chain of neighbours",
                r"One change of the stream is $m$ changes of the copied stream, of an entry, or of all entries of an "
                r"element, each. In the formula $d_i = 1$ where the $i$-th entry, or element, is changed, and $D$ and "
                r"$C$ are the numbers of changes of the stream and of the copied stream.",
                chains,
                formal=stated(chains[1]),
            ),
            Part(
                Role.PUBLISHED,
                "the budget",
                r"By Lemma 2.3 the budget of $m$ changes is $m \varepsilon = 1$, with $\delta' = \delta \frac{e - "
                r"1}{e^{\varepsilon} - 1} \le \frac{e - 1}{\varepsilon} \delta$.",
                (
                    equal_as(
                        "group",
                        r"For a group of $m = 1/\varepsilon$,",
                        (
                            lambda: sp.simplify(
                                _of_delta * (sp.exp((1 / epsilon) * epsilon) - 1) / (sp.exp(epsilon) - 1)
                            ),
                            group,
                        ),
                        r"\delta \frac{e^{m \varepsilon} - 1}{e^{\varepsilon} - 1} &= \delta \frac{e - "
                        r"1}{e^{\varepsilon} - 1}",
                    ),
                    lemma(
                        "order",
                        r"With $y = e^{\varepsilon}$, $e^{\varepsilon} - 1 \ge \varepsilon$ for $\varepsilon > 0$:",
                        Slopes(
                            "small_epsilon.order",
                            _y - 1 - sp.log(_y),
                            _y,
                            sp.Integer(1),
                            {_y: sp.Rational(11, 10)},
                            sp.Rational(1, 10),
                        ).discharge(),
                        lines=r"\log y &\le y - 1",
                    ),
                ),
                formal=symbolic(le(group, (sp.E - 1) * _of_delta / epsilon)),
            ),
            derived(
                Role.READING,
                "any epsilon",
                r"With $m = \lfloor 1/\varepsilon \rfloor$ copies the error is at least $m\, g(\lfloor \varepsilon T "
                r"\rfloor)$, which is at least half of the bound.",
                rounded,
            ),
            Part(
                Role.READING,
                "streams of bounded flippancy",
                r"Theorems 1.5 and 1.6 use the theorem for streams of flippancy at most $w$. The copied stream can "
                r"have the flippancy $w + 1$: an insertion at the first entry is no flip, and its copies stand later. "
                r"So the bound for $w$ follows from that for $w + 1$. In the formulas $w_1$ and $C$ are the flips of "
                r"an existence vector $x$ and its changes from $0$ on, which are flips of a later copy. For $m$ "
                r"flips the bounds have the ratio that tends to $1$.",
                (
                    counterexample(
                        "first_insertion",
                        r"A stream of one insertion has flippancy $0$. Of two copies the second is inserted at the "
                        r"second entry.",
                        le(_found, _flippancy),
                        {_found: lambda: flippancy(copied(insertion, 2)), _flippancy: lambda: flippancy(insertion)},
                    ),
                    flips,
                    lemma(
                        "order_kept",
                        r"This changes no order of growth: the bounds for $w + 1$ and $w$ have the ratio",
                        tends_to("small_epsilon.order_kept", _KEPT, _copies, sp.oo, sp.S.One),
                        r"\lim_{w \to \infty} \sqrt{w/(w + 1)} &= 1",
                    ),
                ),
                formal=(
                    *symbolic(eq(_found, 1), eq(_flippancy, 0)),
                    *stated(flips),
                    *symbolic(eq(sp.Limit(_KEPT, _copies, sp.oo), 1)),
                ),
                holds=False,
                departs="for streams of length $T'$",
            ),
        ),
        uses=("turnstile.group_privacy", "turnstile.post_processing"),
        in_words=(
            (
                "counts",
                r"after each $m$ entries all copies of an item have the same count, for streams of every "
                r"length",
            ),
            (
                "chains",
                r"neighbours of the stream are joined by a chain of $m$ neighbours of the copied stream, for "
                r"streams of every length",
            ),
            ("errors", r"a mechanism with less error would contradict the bound for $\varepsilon = 1$"),
        ),
    )


CLAIMS = {
    "turnstile.small_epsilon": small_epsilon,
    "turnstile.event_lower_bound": event_lower_bound,
    "turnstile.item_lower_bound": item_lower_bound,
}
