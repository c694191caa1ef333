"""Streams in which a user is always present once or absent: they show every pattern of last updates."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import heavy_first
from pan_proofs.density.lemmas.intrusions.whole_mechanism import largest_over_streams
from pan_proofs.density.lemmas.losses.observations import Pattern, Update, patterns
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import enumerated, found


def legal_stream_steps() -> tuple[Step, ...]:
    """All nine patterns occur, and the joint loss is that of streams without deletions."""
    return (
        enumerated(
            "realised",
            r"Before each deletion the user is inserted if absent, and before each insertion deleted if present; "
            r"what counts is the last update.",
            "a stream of insertions of absent and deletions of present users is built for each of the patterns",
            patterns(2, deletions=True),
            _realised,
            # The updates of the pattern alone.
            mutant=lambda pattern: _realised(pattern, prepared=False),
        ),
        found(
            "realised_number",
            r"So all nine patterns occur.",
            "the number of patterns for which a legal stream is built",
            lambda: sum(_realised(pattern) for pattern in patterns(2, deletions=True)),
            9,
            quantities=(sp.Symbol("n"),),
        ),
        heavy_first(
            "deleted",
            r"Let $p_0 = p_{\mathrm{init}}$, $p_1 = p_{\mathrm{upd}}$, $q_i = 1 - p_i$, $A = p_1/p_0$, $B = q_0/q_1$. "
            r"With deletions the joint loss is the larger of $\log B(q_1 + p_1 r)$ and $\log A(p_0 + q_0 r)$. The "
            r"second is that of a user who is inserted and then deleted, against one who never appears. For "
            r"$p_{\mathrm{init}} + p_{\mathrm{upd}} \ge 1$ it is not the larger one, and neither are those without "
            r"deletions:",
            deletions=True,
        ),
        enumerated(
            "small_streams",
            r"The whole mechanism with deletions, run in fractions on every adjacent pair of short streams, "
            r"gives the same number.",
            "two moments and one or two users, p_init = 2/5, p_upd = 3/5, r = 3/2 and 3",
            (
                (largest_over_streams(2, users, _EXACT, rate, deletions=True)[0], rate)
                for users in (1, 2)
                for rate in (Fraction(3, 2), Fraction(3))
            ),
            lambda case: case[0] == _first_ratio(case[1]),
            # Without the factor B.
            mutant=lambda case: case[0] == _added_ratio(case[1]),
        ),
    )


_EXACT = (Fraction(2, 5), Fraction(3, 5))


def _first_ratio(rate: Fraction) -> Fraction:
    return (1 - _EXACT[0]) / (1 - _EXACT[1]) * _added_ratio(rate)


def _added_ratio(rate: Fraction) -> Fraction:
    return 1 - _EXACT[1] + _EXACT[1] * rate


def _realised(pattern: Pattern, *, prepared: bool = True) -> bool:
    """Build the stream, and check that it is legal and has the pattern.

    Parameters
    ----------
    prepared
        Whether an absent user is inserted before a deletion, and a present one deleted before an insertion.
    """
    present, made = False, []
    for update in pattern:
        updates: list[Update] = []
        if update is not Update.NONE:
            if prepared and present == (update is Update.INSERT):
                updates.append(Update.DELETE if present else Update.INSERT)
                present = not present
            updates.append(update)
            present = update is Update.INSERT
        made.append(updates)
    legal, now = True, False
    for one in (update for updates in made for update in updates):
        legal &= now == (one is Update.DELETE)
        now = one is Update.INSERT
    return legal and tuple(updates[-1] if updates else Update.NONE for updates in made) == pattern
