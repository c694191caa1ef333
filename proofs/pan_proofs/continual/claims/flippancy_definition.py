"""Definition 1.3 and its descriptions in the abstract and below the definition."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.continual.flippancy import changes, contributions, drops, emptied, flippancy, flips
from pan_proofs.continual.streams import MODELS, Stream, of_one_element, streams
from pan_proofs.engines.walks import Machine, bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import counterexample, enumerated, found, lemma

_flips, _drops, _changes, _length = sp.symbols("w D C T", integer=True, nonnegative=True)


def bits_with(flip: int, fall: int, each: int, first: int) -> Machine:
    """Existence vectors, with weights of a flip, of a fall to 0, of each entry, and of a first entry that is 1."""

    def step(state: int | None, bit: int) -> tuple[int, int]:
        if state is None:
            return bit, each + first * bit
        return bit, each + flip * (state != bit) + fall * (state > bit)

    return Machine(None, (0, 1), step)


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
        hypotheses=(r"$T \ge 1$ is the length of the stream",),
        silent=(
            r"every count is $0$ before the first entry",
            r"in the strict model no count is negative. In the toggle model elements are inserted only when absent and "
            r"deleted only when present",
        ),
        parts=(
            Part(Role.PUBLISHED, "at most T", r"For every stream of length $T$: $w \le T - 1 < T$.", bound()),
            Part(
                Role.COUNTEREXAMPLE,
                "the abstract counts something else",
                r"The number $D$ of changes from a positive count to zero is not $w$.",
                not_the_drops(),
            ),
            Part(
                Role.AMENDED,
                "the descriptions agree up to a factor of 2",
                r"For every stream $2 D - 1 \le w \le 2 D + 1$, and both bounds are attained.",
                factor_two(),
            ),
            Part(
                Role.READING,
                "changes of the contribution, from 0 before the first entry",
                r"If the insertion at the first entry counts as a change of the contribution, the number $C$ of "
                r"changes is not $w$: it is $w$ or $w + 1$.",
                from_zero(),
                holds=False,
            ),
        ),
    )


def bound() -> tuple[Step, ...]:
    """For every length, and the streams that attain it."""
    return (
        lemma(
            "one_for_each_pair",
            r"An entry of the existence vector adds at most $1$ to the flippancy, and the first adds nothing. So the "
            r"flippancy minus the length never exceeds $-1$.",
            bounded_for_every_length(
                "flippancy.length",
                "existence vectors: the flips minus the length are at most -1",
                bits_with(1, 0, -1, 0),
                -1,
                by_definition=lambda bits: flips(bits) - len(bits),
                up_to=9,
            ),
            lines=(r"w &\le T - 1",),
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


def not_the_drops() -> tuple[Step, ...]:
    """One element comes late, leaves, and comes again."""
    stream = of_one_element((0, 1, -1, 1))
    return (
        counterexample(
            "three_flips_one_drop",
            r"A no-op, then an element that is inserted, deleted and inserted: the existence vector is $0, 1, 0, 1$. "
            r"It has three flips, and the count falls from $1$ to $0$ once.",
            sp.Eq(_flips, _drops, evaluate=False),
            {_flips: lambda: flippancy(stream), _drops: lambda: emptied(stream)},
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


def factor_two() -> tuple[Step, ...]:
    """By induction over the entries, and on all short streams."""

    def related(stream: Stream) -> bool:
        return 2 * emptied(stream) - 1 <= flippancy(stream) <= 2 * emptied(stream) + 1

    return (
        lemma(
            "at_most_one_more_than_twice",
            r"Flips alternate between rises and falls, so that there is at most one rise more than falls.",
            bounded_for_every_length(
                "flippancy.above",
                "existence vectors: the flips minus twice the falls are at most 1",
                bits_with(1, -2, 0, 0),
                1,
                by_definition=lambda bits: flips(bits) - 2 * drops(bits),
                up_to=9,
            ),
            lines=(r"w &\le 2 D + 1",),
        ),
        lemma(
            "at_least_one_less_than_twice",
            r"Between two falls there is a rise, and no rise is needed before the first.",
            bounded_for_every_length(
                "flippancy.below",
                "existence vectors: twice the falls minus the flips are at most 1",
                bits_with(-1, 2, 0, 0),
                1,
                by_definition=lambda bits: 2 * drops(bits) - flips(bits),
                up_to=9,
            ),
            lines=(r"2 D - 1 &\le w",),
        ),
        *(
            enumerated(
                f"streams_{name}",
                r"A count moves by one at each entry. So it falls to zero exactly when the existence vector falls. "
                r"Both bounds carry over to the maxima over the elements. "
                rf"This is asked of short streams of the {name} model.",
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


def from_zero() -> tuple[Step, ...]:
    """An insertion at the first entry."""
    stream = of_one_element((1, -1))
    return (
        counterexample(
            "first_entry",
            r"An insertion and a deletion: the contribution to the count changes from $0$ to $1$ and back, and the "
            r"existence vector $1, 0$ has one flip.",
            sp.Eq(_flips, _changes, evaluate=False),
            {_flips: lambda: flippancy(stream), _changes: lambda: contributions(stream)},
        ),
        lemma(
            "one_more_at_most",
            r"The two numbers differ by the first entry of the existence vector.",
            tuple(
                bounded_for_every_length(
                    f"flippancy.contributions.{sign}",
                    f"existence vectors: the changes from 0 minus the flips, times {sign}, are at most {most}",
                    _first_times(sign),
                    most,
                    by_definition=partial(_more_changes, sign),
                    up_to=9,
                )
                for sign, most in ((1, 1), (-1, 0))
            ),
            lines=(r"w \le C &\le w + 1",),
        ),
    )


def _first_times(sign: int) -> Machine:
    return bits_with(0, 0, 0, sign)


def _more_changes(sign: int, bits: tuple[int, ...]) -> int:
    return sign * (changes(bits) - flips(bits))


CLAIMS = {"turnstile.flippancy_definition": flippancy_definition}
