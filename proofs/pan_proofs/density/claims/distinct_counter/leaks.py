"""Sketches without random draws before the output have no finite loss of the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import sympy as sp

from pan_proofs.engines.quantities import one_of, related_in_every_case
from pan_proofs.engines.relations import eq, gt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import lemma, related

State = tuple[int, ...]
Update = Callable[[State, int], State]
"""The state after an element, which is given by the bits of its hash."""

_REGISTERS = 4
_BITS = 6


def hyper_log_log(state: State, hashed: int) -> State:
    """A register keeps the largest number of leading zeros, plus one, of the hashes that fall to it."""
    register, rest = hashed % _REGISTERS, hashed // _REGISTERS
    rank = _BITS - rest.bit_length() + 1
    return (*state[:register], max(state[register], rank), *state[register + 1 :])


def flajolet_martin(state: State, hashed: int) -> State:
    """A register is a set of bits, in which the place of the last one of the hash is set."""
    register, rest = hashed % _REGISTERS, hashed // _REGISTERS
    place = (rest & -rest).bit_length() if rest else _BITS
    return (*state[:register], state[register] | 2**place, *state[register + 1 :])


def linear_count(state: State, hashed: int) -> State:
    """A bitmap in which the cell of the hash is set; it may be randomised, once, at the end."""
    return (*state[: hashed % _REGISTERS], 1, *state[hashed % _REGISTERS + 1 :])


def count_min(state: State, hashed: int) -> State:
    """Two rows of two counters; each row counts the element in the cell that a part of the hash chooses."""
    cells = (hashed % 2, 2 + hashed // 2 % 2)
    return tuple(count + (cell in cells) for cell, count in enumerate(state))


SKETCHES: dict[str, Update] = {
    "HyperLogLog": hyper_log_log,
    "Flajolet and Martin": flajolet_martin,
    "Count-Min": count_min,
    "a bitmap that is randomised at the end": linear_count,
}


def state_after(update: Update, hashes: Sequence[int]) -> State:
    """The state after a stream, before any output."""
    return reduce(update, hashes, (0,) * _REGISTERS)


def chance_of(state: State, update: Update, hashes: Sequence[int]) -> int:
    """The probability that an adversary after a stream sees a state: 1 or 0."""
    return int(state_after(update, hashes) == state)


_with, _without = sp.symbols("P_with P_without")
_sketch, _users = sp.symbols("j n", integer=True, positive=True)


def distinct_one_shot_leaks() -> Claim:
    """Four sketches, and every state without random draws."""
    return Claim(
        id="distinct.one_shot_leaks",
        title="Sketches that are randomised once, at the end",
        references=(
            Reference(
                "here",
                "for the distinct counter",
                "of HyperLogLog, the sketches of Flajolet and Martin and Count-Min, bitmaps",
            ),
            Reference("paper", "section 2.2.2, the remark on sampling and sketching"),
            Reference("thesis", "section 4.1.1, the same remark"),
        ),
        statement=r"Let the state of a counter be a function of the stream and of a hash that the adversary knows, "
        r"until the first output. If two streams that differ in one user ever give different states, the privacy loss "
        r"of the state at an intrusion is infinite, whatever noise the output has. So it is for HyperLogLog, for the "
        r"sketch of Flajolet and Martin, for Count-Min, and for a bitmap whose bits are flipped at the end. If the "
        r"loss is finite, "
        r"the state is the same for all streams.",
        hypotheses=("the intrusion comes before the output", "the adversary knows the hash"),
        silent=(
            r"A key that the state needs for updates is part of the state: the adversary sees it.",
            r"Streams are adjacent if all appearances of one user are left out, and the user's places stay empty.",
        ),
        in_words=(
            (
                "unseen",
                "if the state is a function of the stream, an event about it has probability 0 or 1 for each "
                "stream; so two streams with different states have an event with the ratio of 1 to 0, which no "
                "finite loss allows",
            ),
        ),
        parts=(_four_sketches(), _every_sketch()),
        remark=r"These sketches keep the privacy of their output, if noise is added to it. They do not keep that of "
        r"the state.",
    )


def _four_sketches() -> Part:
    cases = [
        {
            _with: chance_of(state, update, stream),
            _without: chance_of(state, update, stream[:-1]),
            _sketch: number,
            _users: len(stream),
        }
        for number, update in enumerate(SKETCHES.values(), 1)
        for stream in [(3,), (3, 6), (7, 129, 66)]
        for state in [state_after(update, stream)]
    ]
    return Part(
        Role.PUBLISHED,
        "four sketches",
        r"For each of the four sketches there are an event and two adjacent streams, with which the event has the "
        r"probabilities $P_{\mathrm{with}} = 1$ and $P_{\mathrm{without}} = 0$. No finite factor bounds the first by "
        r"the second. In the formula $j$ is the number of the sketch in this order, and $n$ that of the users in the "
        r"stream.",
        (
            related(
                "seen",
                r"The event is that the adversary sees the state that a stream gives. Without the last user of the "
                r"stream the state is another one.",
                "the state after a stream of one, two and three users, for HyperLogLog, the sketches of Flajolet "
                "and Martin and Count-Min, and a bitmap",
                eq(_with, 1 + _without),
                cases,
                mutant=eq(_with, _without),
                parameters=(_sketch, _users),
                lines=(r"P_{\mathrm{with}} &= 1",),
            ),
            lemma(
                "unseen",
                r"It has no probability at all without this user.",
                related_in_every_case(
                    "unseen",
                    "the same streams without the last user",
                    eq(_without, 0),
                    cases,
                    mutant=eq(_without, 1),
                    parameters=(_sketch, _users),
                ),
                (r"P_{\mathrm{without}} &= 0",),
            ),
        ),
        formal=symbolic(
            gt(_with, sp.exp(epsilon) * _without),
            given=(one_of({_sketch: case[_sketch], _users: case[_users]} for case in cases),),
        ),
    )


def _every_sketch() -> Part:
    return Part(
        Role.PUBLISHED,
        "every state without random draws",
        r"If no user changes the state of any stream, the state is the same for all streams.",
        (),
        theorems=("one_shot_leaks",),
    )


CLAIMS = {"distinct.one_shot_leaks": distinct_one_shot_leaks}
