"""The nodes that contain an event of a running count, by the binary digits of its number."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.running_counts import containing
from pan_proofs.engines.relations import eq
from pan_proofs.engines.word_sums import Words, bounded_sums
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import lemma

contain, ones_symbol = sp.symbols("N S", real=True)
levels_symbol, _level = sp.Symbol("n", integer=True, positive=True), sp.Symbol("j", integer=True)
_digit = sp.IndexedBase(sp.Symbol("d", integer=True))


def digits() -> Words:
    """The binary digits of the number of an event, less 1, from the highest on."""
    zeros, ones = (sp.Sum(one, (_level, 1, levels_symbol)) for one in (1 - _digit[_level], _digit[_level]))
    return Words(levels_symbol, _level, (_digit,), {contain: zeros, ones_symbol: ones}, {_digit: (0, 1)})


def nodes_of_events(name: str) -> Step:
    """The nodes that contain an event are the binary zeros of its number, less 1."""

    def found(bits: tuple[int, ...]) -> int:
        return len(containing(2 ** len(bits) - 1, 1 + int("".join(map(str, bits)), 2)))

    together = contain + ones_symbol
    return lemma(
        name,
        r"On level $j$ a node contains event $i$ just if the binary digit $j$ of $i - 1$ is $0$ and the node ends at "
        r"$T$ or before. So with $T = 2^n - 1$, the most steps with $n$ levels, $N$ nodes contain $i$ if $S$ of the "
        r"$n$ digits are $1$:",
        [
            bounded_sums(
                f"running_count.{name}.{number}",
                relation,
                digits(),
                by_definition={contain: found, ones_symbol: sum},
                up_to=6,
            )
            for number, relation in enumerate((eq(together, levels_symbol), sp.Le(together, levels_symbol)))
        ],
        r"N + S &= n",
    )
