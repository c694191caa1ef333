"""Definition 1.3 and its descriptions in the abstract and below the definition."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.flippancy import contributions, emptied, flippancy
from pan_proofs.continual.formulas import ONE_VECTOR, bits, bits_from_zero, fallen, flipped, from_zero, length
from pan_proofs.continual.streams import MODELS, Stream, of_one_element, streams
from pan_proofs.engines.relations import eq, le, lt
from pan_proofs.engines.word_sums import bounded_sums, broken_by
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import counterexample, enumerated, found, lemma

_flips, _drops, _changes = sp.symbols("w D C", integer=True, nonnegative=True)
_most_flips, _most_falls = sp.symbols("W M", real=True)
"""The largest numbers of flips and of falls of all elements."""
_BITS, _FROM_ZERO = bits(), bits_from_zero()
_ABOVE = le(flipped, 2 * fallen + 1)
_BELOW = le(2 * fallen - 1, flipped)
_NOT_ABOVE = le(flipped, 2 * fallen)
_NOT_BELOW = le(2 * fallen, flipped)
_SAME, _SAME_CHANGES = (eq(flipped, other) for other in (fallen, from_zero))
_SHORTER = le(flipped, length - 1)


def alternating(length: int) -> Stream:
    """An element that is inserted and deleted in turn."""
    return of_one_element(tuple((-1) ** place for place in range(length)))


def flippancy_definition() -> Claim:
    """The bound by the length of the stream, and three descriptions that do not agree."""
    return Claim(
        id="turnstile.flippancy_definition",
        title="Two descriptions of flippancy",
        references=(
            Reference("turnstile", "Definition 1.3", "the formula is lost; the sentence before it defines it"),
            Reference("turnstile", "abstract", "counts changes from a positive number to zero"),
            Reference("turnstile", "section 3.2", "the bound; its formula is lost and read as $T$"),
        ),
        statement=r"The flippancy of an element is the number of adjacent entries of its existence vector that differ, "
        r"$w$ for the element where it is largest. The abstract describes $w$ as the largest number of times that the "
        r"count of one element changes from a positive number to zero. It is at most $T$.",
        notation=(("$x$", "existence vector of one element"),),
        hypotheses=(r"$T \ge 1$ is the length of the stream",),
        silent=(
            r"every count is $0$ before the first entry",
            r"in the formulas $x_i$ are the entries of the existence vector of one element, with $w_1$ flips, $D$ "
            r"falls from $1$ to $0$ and $C$ changes from $0$ on. $W$ and $M$ are the largest numbers of flips and of "
            r"falls of all elements",
            r"in the strict model no count is negative. In the toggle model elements are inserted only when absent and "
            r"deleted only when present",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "at most T",
                r"For every stream of length $T$: $w \le T - 1 < T$.",
                bound(),
                formal=about(_BITS, sp.And(_SHORTER, lt(length - 1, length))),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the abstract counts something else",
                r"The number $D$ of changes from a positive count to zero is not $w$.",
                not_the_drops(),
                formal=about(_BITS, _SAME, refuted=True),
            ),
            Part(
                Role.AMENDED,
                "the descriptions agree up to a factor of 2",
                r"For every stream $2 D - 1 \le w \le 2 D + 1$, and both bounds are attained.",
                factor_two(),
                formal=(
                    *about(_BITS, le(flipped, 2 * _most_falls + 1), given=(fallen <= _most_falls,)),
                    *about(_BITS, le(2 * fallen - 1, _most_flips), given=(flipped <= _most_flips,)),
                    *about(_BITS, _NOT_ABOVE, _NOT_BELOW, refuted=True),
                ),
            ),
            Part(
                Role.READING,
                "changes of the contribution, from 0 before the first entry",
                r"If the insertion at the first entry counts as a change of the contribution, the number $C$ of "
                r"changes is not $w$: it is $w$ or $w + 1$.",
                with_the_first_entry(),
                formal=(
                    *about(
                        _FROM_ZERO,
                        sp.And(le(flipped, from_zero), le(from_zero, flipped + 1)),
                    ),
                    *about(_FROM_ZERO, _SAME_CHANGES, refuted=True),
                ),
                holds=False,
            ),
        ),
    )


def bound() -> Steps:
    """For every length, and the streams that attain it."""
    return (
        lemma(
            "one_for_each_pair",
            r"An entry of the existence vector adds at most $1$ to the flippancy, and the first adds nothing. So the "
            r"flippancy minus the length never exceeds $-1$.",
            bounded_sums("flippancy.length", _SHORTER, _BITS, by_definition=ONE_VECTOR, up_to=8),
            lines=r"w_1 &\le T - 1",
        ),
        enumerated(
            "attained",
            r"An element that is inserted and deleted in turn attains it. Its stream is one of the strict and of the "
            r"toggle model.",
            "lengths: the alternating stream is one of each model and has T - 1 flips",
            range(1, 13),
            lambda length: (
                all(allowed(alternating(length)) for allowed in MODELS.values())
                and flippancy(alternating(length)) == length - 1
            ),
            mutant=lambda length: flippancy(alternating(length)) == length,
        ),
    )


def not_the_drops() -> Steps:
    """One element comes late, leaves, and comes again."""
    stream = of_one_element((0, 1, -1, 1))
    return (
        counterexample(
            "three_flips_one_drop",
            r"A no-op, then an element that is inserted, deleted and inserted: the existence vector is $0, 1, 0, 1$. "
            r"It has three flips, and the count falls from $1$ to $0$ once.",
            eq(_flips, _drops),
            {_flips: lambda: flippancy(stream), _drops: lambda: emptied(stream)},
        ),
        lemma(
            "flips_are_not_falls",
            r"The sums over this vector are $w_1 = 3$ and $D = 1$.",
            broken_by("flippancy.falls", _SAME, _BITS, ((0, 1, 0, 1),), by_definition=ONE_VECTOR),
            lines=r"x = (0, 1, 0, 1):\quad w_1 = 3 &\ne D = 1",
        ),
        found(
            "insertions_alone",
            r"With insertions alone no count ever falls, and the flippancy can be $1$: an element that appears after "
            r"the first entry.",
            "the flippancy of a no-op and an insertion, and the number of falls to zero",
            lambda: tuple(measure(of_one_element((0, 1))) for measure in (flippancy, emptied)),
            (1, 0),
        ),
    )


def factor_two() -> Steps:
    """By induction over the entries, and on all short streams."""

    def related(stream: Stream) -> bool:
        return 2 * emptied(stream) - 1 <= flippancy(stream) <= 2 * emptied(stream) + 1

    return (
        lemma(
            "at_most_one_more_than_twice",
            r"Flips alternate between rises and falls, so that there is at most one rise more than falls.",
            (
                bounded_sums("flippancy.above", _ABOVE, _BITS, by_definition=ONE_VECTOR, up_to=8),
                broken_by("flippancy.one_more", _NOT_ABOVE, _BITS, ((0, 1, 0, 1),), by_definition=ONE_VECTOR),
            ),
            lines=(r"w_1 &\le 2 D + 1", r"w_1 &= 2 D + 1 \quad\text{for}\quad x = (0, 1, 0, 1)"),
        ),
        lemma(
            "at_least_one_less_than_twice",
            r"Between two falls there is a rise, and no rise is needed before the first.",
            (
                bounded_sums("flippancy.below", _BELOW, _BITS, by_definition=ONE_VECTOR, up_to=8),
                broken_by("flippancy.one_less", _NOT_BELOW, _BITS, ((1, 0, 1, 0),), by_definition=ONE_VECTOR),
            ),
            lines=(r"2 D - 1 &\le w_1", r"2 D - 1 &= w_1 \quad\text{for}\quad x = (1, 0, 1, 0)"),
        ),
        *(
            enumerated(
                f"streams_{name}",
                (
                    r"A count moves by one at each entry. So it falls to zero exactly when the existence vector falls. "
                    r"Both bounds carry over to the maxima over the elements. This is asked of all short streams."
                    if name == "general"
                    else rf"The same for the streams of the {name} model."
                ),
                f"streams of 1 to 6 entries over 1 to 3 elements, {name} model",
                (
                    stream
                    for number in (1, 2, 3)
                    for length in range(1, 7 if number == 1 else 6)
                    for stream in streams(length, number)
                    if allowed(stream)
                ),
                related,
                mutant=lambda stream: flippancy(stream) <= 2 * emptied(stream),
            )
            for name, allowed in MODELS.items()
        ),
    )


def with_the_first_entry() -> Steps:
    """An insertion at the first entry."""
    stream = of_one_element((1, -1))
    bounds = (le(flipped, from_zero), le(from_zero, flipped + 1))
    return (
        counterexample(
            "first_entry",
            r"An insertion and a deletion: the contribution to the count changes from $0$ to $1$ and back, and the "
            r"existence vector $1, 0$ has one flip.",
            eq(_flips, _changes),
            {_flips: lambda: flippancy(stream), _changes: lambda: contributions(stream)},
        ),
        lemma(
            "one_more_at_most",
            r"The two numbers differ by the first entry of the existence vector.",
            (
                *(
                    bounded_sums(
                        f"flippancy.contributions.{number}", one, _FROM_ZERO, by_definition=ONE_VECTOR, up_to=8
                    )
                    for number, one in enumerate(bounds)
                ),
                broken_by("flippancy.contribution", _SAME_CHANGES, _FROM_ZERO, ((1, 0),), by_definition=ONE_VECTOR),
            ),
            lines=r"w_1 \le C &\le w_1 + 1",
        ),
    )


CLAIMS = {"turnstile.flippancy_definition": flippancy_definition}
