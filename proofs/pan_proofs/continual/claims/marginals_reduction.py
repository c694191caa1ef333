"""Lemma 5.2 and Algorithm 5: a counter of distinct elements releases one-way marginals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import sympy as sp

from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.reductions import (
    Records,
    all_bits,
    averages,
    marginals,
    replaced_rows,
    stream_of_records,
)
from pan_proofs.continual.streams import NEIGHBOURS, Stream, distinct_counts
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.steps import at_most, counterexample, enumerated

_distance = sp.Symbol("h")
_count, _output, _error = sp.symbols("s R alpha", real=True)
_records = sp.Symbol("n", positive=True)
_chance, _between, _other, _delta = sp.symbols("P H Pprime delta", nonnegative=True)
_x = sp.Symbol("x", positive=True)

_ACCURATE = (sp.Le(_output - _count, _error), sp.Le(_count - _output, _error))
_TWO_STEPS = (sp.Le(_chance, _x * _between + _delta), sp.Le(_between, _x * _other + _delta))


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


def marginals_reduction() -> Claim:
    """Neighbouring tables give streams that are two steps apart; the true budget; accuracy."""
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
                not_neighbours(),
                formal=symbolic(eq(_distance, 2), gt(_distance, 1)),
            ),
            Part(
                Role.AMENDED,
                "privacy with twice the budget",
                r"Such streams have a common item-neighbour: the stream without the row's element. So Algorithm 5 is "
                r"$(2 \varepsilon, (1 + e^{\varepsilon}) \delta)$-differentially private. It is $(\varepsilon, "
                r"\delta)$-differentially private for tables of which one has $0$ in place of some ones of a row.",
                twice(),
                formal=symbolic(
                    le(_chance, _x**2 * _other + (1 + _x) * _delta),
                    given=(*_TWO_STEPS, sp.Ge(_x, 1)),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "accuracy",
                r"The stream has $2 d n$ entries and flippancy at most $2 d$. The exact counts give the exact "
                r"marginals, and an error of $\alpha$ gives an error of $\alpha / n$.",
                accuracy(),
                formal=symbolic(le(_output / _records, (_count + _error) / _records), given=_ACCURATE),
            ),
        ),
        uses=("turnstile.post_processing", "turnstile.group_privacy"),
        remark=r"The lower bounds from this reduction keep their order of growth. Their constants are those for $2 "
        r"\varepsilon$.",
    )


def not_neighbours() -> Steps:
    """One record with two attributes."""
    return (
        counterexample(
            "one_record",
            r"One record with two attributes, $(1, 0)$ and $(0, 1)$: its element has entries at the times $1, 2$, or "
            r"$3, 4$. Two steps lead from one stream to the other.",
            le(_distance, 1),
            {_distance: lambda: sp.Integer(item_distance(stream_of_records(((1, 0),)), stream_of_records(((0, 1),))))},
        ),
    )


def twice() -> Steps:
    """Two steps, and one step for rows that lose attributes only."""
    return (
        enumerated(
            "two_steps",
            r"Each row stands for one element, and other entries do not change.",
            "1 to 3 records of 1 to 3 bits, one row replaced by any other: the streams are item-neighbours, or have a "
            "common item-neighbour",
            ((table, other) for table in tables() for other in replaced_rows(table)),
            lambda pair: item_distance(*map(stream_of_records, pair)) <= 2,
            mutant=lambda pair: item_distance(*map(stream_of_records, pair)) <= 1,
        ),
        enumerated(
            "one_step",
            r"If the other row has ones only where the row has them, one step suffices.",
            "1 to 3 records of 1 to 3 bits, ones of one row lowered: the streams are item-neighbours",
            (
                (table, other)
                for table in tables()
                for other in replaced_rows(table)
                if all(a >= b for one, two in zip(table, other, strict=True) for a, b in zip(one, two, strict=True))
            ),
            lambda pair: item_distance(*map(stream_of_records, pair)) == 1,
            mutant=lambda pair: stream_of_records(pair[1]) in set(NEIGHBOURS["event"](stream_of_records(pair[0]))),
        ),
        at_most(
            "budget_of_two_steps",
            r"With $x = e^{\varepsilon}$ two steps give",
            Inequality(
                "marginals.two_steps",
                _chance,
                _x**2 * _other + (1 + _x) * _delta,
                (*_TWO_STEPS, sp.Ge(_x, 1)),
            ),
            lines=r"P \le x H + \delta &\le x^2 P' + (1 + x) \delta",
        ),
    )


def accuracy() -> Steps:
    """Length, flippancy, exact marginals, and errors."""
    return (
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
            tables(),
            lambda table: (
                marginals(distinct_counts(stream_of_records(table)), len(table), len(table[0])) == averages(table)
            ),
            mutant=lambda table: (
                marginals(distinct_counts(stream_of_records(table)), len(table), len(table[0]))
                == tuple(reversed(averages(table)))
            ),
        ),
        *(
            at_most(
                name,
                text,
                Inequality(
                    f"marginals.{name}",
                    smaller / _records,
                    larger / _records,
                    _ACCURATE,
                ),
            )
            for name, text, smaller, larger, at in (
                ("error_above", r"With the count $s$ and the output $R$:", _output, _count + _error, 3),
                ("error_below", r"Likewise it is bounded from below.", _count - _error, _output, 1),
            )
        ),
    )


CLAIMS = {"turnstile.marginals_reduction": marginals_reduction}
