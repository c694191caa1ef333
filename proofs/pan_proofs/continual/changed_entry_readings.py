"""Readings of section 1.2: other models of streams, and a bound on the flippancy of one stream alone."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.neighbour_examples import example
from pan_proofs.continual.pair_machines import both, differ, one_at_most, toggled
from pan_proofs.continual.streams import changed_entries, counts, strict, toggle
from pan_proofs.engines.walks import bounded_for_every_length
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import counterexample, enumerated, lemma

changed, bound = sp.symbols("N w", integer=True)
"""The entries that differ, and the bound on the flippancies."""
_least = sp.Symbol("c", integer=True)


def toggles() -> tuple[Step, ...]:
    """Counts are 0 or 1, so that the machine reads the streams themselves."""
    return (
        lemma(
            "toggles_item",
            r"Both counts are $0$ or $1$, and each entry of the neighbour is one of the stream. So the neighbour "
            r"changes only where the stream does.",
            bounded_for_every_length(
                "changed_entries.toggles",
                "item-neighbours: the entries that differ minus the flips of the stream are at most 1",
                toggled(
                    lambda before, after, other, other_after, first: (
                        differ(before, after, other, other_after, first) - (0 if first else int(before != after))
                    ),
                    events=False,
                ),
                1,
                by_definition=lambda word: changed_entries(*both(word)) - flippancy(both(word)[0]),
                allowed=lambda word: all(map(toggle, both(word))),
                up_to=5,
            ),
        ),
        lemma(
            "toggles_event",
            r"One entry can be left out only if no other entry of the element follows.",
            bounded_for_every_length(
                "changed_entries.one_toggle",
                "event-neighbours: at most 1 entry differs",
                toggled(differ, events=True),
                1,
                by_definition=lambda word: changed_entries(*both(word)),
                allowed=lambda word: all(map(toggle, both(word))) and one_at_most(word),
                up_to=5,
            ),
        ),
    )


def strict_example() -> tuple[Step, ...]:
    """The neighbour in the example, and another example."""
    return (
        counterexample(
            "negative_count",
            r"An insertion and a deletion; without the insertion the count is $-1$.",
            sp.Ge(_least, 0, evaluate=False),
            {_least: lambda: min(counts(example(2)[1], 0))},
        ),
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


def one_sided() -> tuple[Step, ...]:
    """The first of two streams never flips."""
    one, other = example(5, first_twice=True)
    return (
        counterexample(
            "other_flips",
            r"In the strict example with $T = 5$ the existence vector of the first stream is $1$ throughout.",
            sp.Le(changed, 2 * bound + 1, evaluate=False),
            {changed: lambda: changed_entries(one, other), bound: lambda: flippancy(one)},
        ),
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
