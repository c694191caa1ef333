"""The counter of the elements whose last entry is an insertion, at event level."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import sympy as sp

from pan_proofs.continual.factored_steps import (
    NORM,
    RHO,
    SQUARE,
    TWO_COLUMNS,
    TWO_COLUMNS_GIVEN,
    calibrated,
    columns,
    rounding,
    two_columns,
)
from pan_proofs.continual.run_steps import ONE_RUN, ONE_RUN_GIVEN, one_run, rates
from pan_proofs.continual.streams import NEIGHBOURS, Bits, Stream, elements, streams
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.engines.walks import Machine, Word, bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import counterexample, enumerated, lemma

_squared = sp.Symbol("F")


def last_entries(stream: Stream, element: int) -> Bits:
    """Whether the last entry of an element so far is an insertion."""
    found, present = [], 0
    for entry in stream:
        if entry is not None and entry[0] == element:
            present = int(entry[1] > 0)
        found.append(present)
    return tuple(found)


def moved(one: Stream, other: Stream) -> tuple[int, ...]:
    """The changes of the difference of the two counts."""
    known = {*elements(one), *elements(other)}
    counts = [[sum(column) for column in zip(*(last_entries(s, e) for e in known), strict=True)] for s in (one, other)]
    gaps = [0, *(a - b for a, b in zip(*counts, strict=True))]
    return tuple(after - before for before, after in pairwise(gaps))


def presence() -> Claim:
    """Two opposite changes, and the noise for them."""
    return Claim(
        id="continual.presence",
        title="The present elements if the last entry decides",
        references=(Reference("here", "for the counter presence"),),
        statement=r"An element is present if its last entry is an insertion. Let $x_t$ be the change of the number of "
        r"present elements at step $t$, and $R$ lower triangular and Toeplitz with entries $r_0 \ge r_1 \ge \dots \ge "
        r"0$, $r_0 > 0$, and $S = \sum_k r_k^2$. The release of $R x$ with independent Gaussian noise of variance $2 S "
        r"/ (2 \rho)$, and of all that is computed from it, is $\rho$-event-level-zCDP, for all streams. If $r_k = "
        r"\sum_m a_m f_m^k$ with $a_m > 0$ and $0 \le f_m \le 1$, the bound for $w = 1$ of continual.calibrated can "
        r"take the place of $2 S$.",
        notation=(("$D$", r"bound on the distance: $\Delta + m\,(\eta + h\,\sigma)$"),),
        hypotheses=(r"$\rho > 0$", "a neighbour has a no-op in place of one entry"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the noise",
                r"For event-neighbours $\lVert R (x - x') \rVert^2 \le 2 S$, and the loss is at most $\rho$. The "
                r"outputs $M R^{-1} (R x + z)$ for the prefix sum $M$ are post-processing. Below, $A$ and $B$ are the "
                r"squared norms of the columns of the two changes, $C$ is their inner product, and $q = \lVert R (x - "
                r"x') \rVert^2$.",
                (
                    one_interval(),
                    signs(),
                    *columns(),
                    two_columns("two_changes", "Two opposite changes, at steps $i < j$, or one of them:"),
                    calibrated(
                        "noise", sp.Integer(2), r"With $q = \lVert R (x - x') \rVert^2$ the loss is:", {SQUARE: 2}
                    ),
                    rounding(),
                ),
                formal=(
                    *symbolic(TWO_COLUMNS, given=TWO_COLUMNS_GIVEN),
                    *symbolic(
                        le(SQUARE / (2 * (2 * NORM / (2 * RHO))), RHO),
                        given=(sp.Le(SQUARE, 2 * NORM), sp.Gt(NORM, 0)),
                    ),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "mixtures of decays",
                r"For entries $r_k = \sum_m a_m f_m^k$ with $a_m > 0$, $0 \le f_m \le 1$, weights $c_m$ and the weight "
                r"$a$ of the rate $1$ as below: $\lVert R (x - x') \rVert^2 \le \sum_m 2 c_m (1 - f_m^T) + a^2 T$. By "
                r"the steps above the difference $g_t$ of the counts has at most one run, a row of steps at which it "
                r"is $1$ or $-1$. Let $v_t = g_t - g_{t - 1}$. The formula is about one rate, with $p = f^d$ for the "
                r"length $d$ of the run and $p' = f^T$.",
                (*rates(), *one_run()),
                formal=symbolic(ONE_RUN, given=ONE_RUN_GIVEN),
            ),
            Part(
                Role.READING,
                "item level",
                r"At item level the noise is too small: a neighbour may lack every entry of the element, and the "
                r"counts then differ by more changes than two. For $R = I$ and two insertions and deletions in turn "
                r"the squared distance $F$ is four.",
                (
                    counterexample(
                        "four_changes",
                        r"For one column of $R = I$ the squared distance is the number of changes: four, and not two.",
                        le(_squared, 2),
                        {
                            _squared: lambda: sum(
                                one * one for one in moved(((0, 1), (0, -1), (0, 1), (0, -1)), (None,) * 4)
                            ),
                        },
                    ),
                ),
                formal=symbolic(eq(_squared, 4), gt(_squared, 2)),
                holds=False,
                departs=r"$\rho$-event-level-zCDP",
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.post_processing"),
    )


def pairs(length: int, number: int) -> Iterator[tuple[Stream, Stream]]:
    """Event-neighbours."""
    return ((one, other) for one in streams(length, number) for other in NEIGHBOURS["event"](one))


def one_interval() -> Step:
    """At most two changes, for every length."""

    def step(state: tuple[int, int, bool], letter: tuple[int, int]) -> tuple[tuple[int, int, bool], int] | None:
        one, other, differed = state
        differs = letter[0] != letter[1]
        if differs and differed:
            return None
        after, after_other = (int(entry > 0) if entry else bit for entry, bit in zip(letter, (one, other), strict=True))
        return (after, after_other, differed or differs), int(after - after_other != one - other)

    letters = ((0, 0), (1, 1), (-1, -1), (1, 0), (-1, 0))

    def computed(word: Word) -> int:
        one, other = (tuple((0, sign) if sign else None for sign in signs) for signs in zip(*word, strict=True))
        return sum(change != 0 for change in moved(one, other))

    return lemma(
        "one_interval",
        r"Neighbours differ in one entry of one element. From its next entry on both streams agree about the element. "
        r"So the difference of the counts changes at most twice.",
        bounded_for_every_length(
            "presence.interval",
            "event-neighbours of one element: the number of steps at which the difference of the counts changes is at "
            "most 2",
            Machine((0, 0, False), letters, step),
            2,
            by_definition=computed,
            allowed=lambda word: sum(one != other for one, other in word) <= 1,
            up_to=5,
        ),
    )


def signs() -> Step:
    """The two changes are opposite, and by 1."""
    return enumerated(
        "opposite_signs",
        r"The difference is a bit minus a bit, $0$ before the entry, and $0$ again after the second change. So the "
        r"changes are $1$ and $-1$.",
        "event-neighbours of up to 4 entries over 2 elements: the changes that are not 0 are 1 or -1 and add up to 0, "
        "or there is one of them",
        [pair for length in range(1, 5) for pair in pairs(length, 2)],
        lambda pair: [one for one in moved(*pair) if one] in ([], [1], [-1], [1, -1], [-1, 1]),
        mutant=lambda pair: [one for one in moved(*pair) if one] in ([], [1], [-1]),
    )


CLAIMS = {"continual.presence": presence}
