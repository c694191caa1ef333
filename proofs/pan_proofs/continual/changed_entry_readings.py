"""Readings of section 1.2: other models of streams, and a bound on the flippancy of one stream alone."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.formulas import (
    TWO_STREAMS,
    differing,
    flipped,
    in_turn,
    last_count,
    left_out,
    length,
    of_streams,
    toggled,
)
from pan_proofs.continual.neighbour_examples import example
from pan_proofs.continual.streams import changed_entries, strict
from pan_proofs.continual.streams import counts as counts_of
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.word_sums import bounded_sums, broken_by
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.steps import counterexample, enumerated, lemma

TOGGLED = toggled()
"""Item-neighbours of the toggle model: all counts are 0 or 1."""
LAST_COUNT = last_count()
"""The example, with the last count of the neighbour."""
ONE_MORE_THAN_FLIPS = le(differing, flipped + 1)
NOT_NEGATIVE = ge(next(iter(LAST_COUNT.sums)), 0)
changed, bound = sp.symbols("N w", integer=True)
"""The entries that differ, and the bound on the flippancies."""
_least = sp.Symbol("c", integer=True)


def toggles() -> Steps:
    """Counts are 0 or 1, so that the sums are over the counts themselves."""
    return (
        lemma(
            "toggles_item",
            r"Both counts are $0$ or $1$, and each entry of the neighbour is one of the stream. So the neighbour "
            r"changes only where the stream does.",
            bounded_sums("changed_entries.toggles", ONE_MORE_THAN_FLIPS, TOGGLED, by_definition=TWO_STREAMS, up_to=6),
            lines=r"N &\le w_1 + 1",
        ),
        lemma(
            "toggles_event",
            r"Each entry that is left out changes one entry of the summation stream, and event-neighbours lack one.",
            bounded_sums(
                "changed_entries.one_toggle",
                eq(differing, left_out),
                TOGGLED,
                by_definition=TWO_STREAMS,
                up_to=6,
            ),
            lines=r"N &= E",
        ),
    )


def strict_example() -> Steps:
    """The neighbour in the example, and another example."""
    return (
        counterexample(
            "negative_count",
            r"An insertion and a deletion; without the insertion the count is $-1$.",
            ge(_least, 0),
            {_least: lambda: min(counts_of(example(2)[1], 0))},
        ),
        lemma(
            "negative_count_by_sums",
            r"The last count, as the sum of its changes, is negative.",
            broken_by(
                "changed_entries.negative",
                NOT_NEGATIVE,
                LAST_COUNT,
                of_streams(*example(2)),
                by_definition={NOT_NEGATIVE.lhs: lambda one, other, *_: other[-1]},
            ),
            lines=r"d_T = \sum_{i=1}^T (d_i - d_{i-1}) &= -1",
        ),
        _all_differ(),
        enumerated(
            "another_example",
            r"Two insertions, then deletions and insertions in turn: the first stream has the count $1$ or $2$, the "
            r"other $0$ or $1$.",
            "lengths from 2 to 24: both streams are strict and all entries differ",
            range(2, 25),
            lambda length: (
                all(map(strict, example(length, first_twice=True)))
                and changed_entries(*example(length, first_twice=True)) == length
            ),
            mutant=lambda length: all(map(strict, example(length))),
        ),
    )


def _all_differ() -> Step:
    words = in_turn(first_twice=True)
    relations = (eq(differing, length), eq(flipped, 0))
    return lemma(
        "another_example_at_every_length",
        r"The second example: the counts $c$ are $1$ and $2$ in turn, so that the first stream has no flip, and those "
        r"of its neighbour are less by $1$. All entries differ.",
        tuple(
            bounded_sums(f"changed_entries.twice.{number}", one, words, by_definition=TWO_STREAMS, up_to=12)
            for number, one in enumerate(relations)
        ),
        lines=(r"N &= T", r"w_1 &= 0"),
    )


def one_sided() -> Steps:
    """The first of two streams never flips."""
    one, other = example(5, first_twice=True)
    return (
        counterexample(
            "other_flips",
            r"In the strict example with $T = 5$ the existence vector of the first stream is $1$ throughout.",
            le(changed, 2 * bound + 1),
            {changed: lambda: changed_entries(one, other), bound: lambda: flippancy(one)},
        ),
        replace(_all_differ(), name="no_flip_at_every_length"),
        enumerated(
            "no_flip",
            r"So it is for every length, with all $T$ entries different.",
            "lengths from 2 to 24: the first stream has no flip and all entries differ",
            range(2, 25),
            lambda length: (
                flippancy(example(length, first_twice=True)[0]) == 0
                and changed_entries(*example(length, first_twice=True)) == length
            ),
            mutant=lambda length: flippancy(example(length)[0]) == 0,
        ),
    )
