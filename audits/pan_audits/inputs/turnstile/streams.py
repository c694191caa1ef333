"""Turnstile streams as texts, and whether a stream obeys its model."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from pan_promises.errors import InputError, shown
from pan_promises.looks import Observed
from pan_promises.turnstile import Entry, Model, TurnstileStream

_NO_OP = "."
_ENTRY = re.compile(r"([+-])(0|[1-9][0-9]{0,9})", re.ASCII)
_STATE = " (state)"
_BOTH = re.compile(r" \(outputs, state after (0|[1-9][0-9]{0,9})\)$", re.ASCII)


def to_text(stream: TurnstileStream, observed: Observed = Observed.OUTPUT, after: int | None = None) -> str:
    """A stream as a text such as ``+0 . -0``, which is its label."""
    text = " ".join(map(_entry_text, stream))
    if observed is Observed.STATE_AND_OUTPUT:
        return f"{text} (outputs, state after {len(stream) if after is None else after})"
    return text + (_STATE if observed is Observed.STATE else "")


def from_text(text: str) -> TurnstileStream:
    """Read the stream that :func:`to_text` wrote."""
    return tuple(map(_entry, _without_look(text).split()))


def look_in(text: str) -> Observed:
    """The observation that a label names."""
    if _BOTH.search(text):
        return Observed.STATE_AND_OUTPUT
    return Observed.STATE if text.endswith(_STATE) else Observed.OUTPUT


def intrusion_in(text: str) -> int | None:
    """The number of entries before the intrusion that a label names; ``None`` if it names none."""
    found = _BOTH.search(text)
    if found is None:
        return None
    after, entries = int(found[1]), len(_without_look(text).split())
    if after > entries:
        raise InputError(f"the intrusion lies between 0 and {entries} entries, got {after}")
    return after


def is_legal(stream: Iterable[Entry], elements: int, model: Model) -> bool:
    """Whether a stream has entries of known elements alone, and obeys a model."""
    counts: dict[int, int] = defaultdict(int)
    for entry in stream:
        if entry is None:
            continue
        element, sign = entry
        if not 0 <= element < elements or sign not in (1, -1):
            return False
        counts[element] += sign
        if not is_legal_count(counts[element], model):
            return False
    return True


def is_legal_count(count: int, model: Model) -> bool:
    """Whether a model allows a count of an element."""
    return model is Model.GENERAL or count == 0 or count == 1 or (count > 0 and model is Model.STRICT)


def all_streams(elements: int, steps: int, model: Model) -> Iterator[TurnstileStream]:
    """All streams of a model with exactly this many entries."""
    letters: list[Entry] = [None, *((element, sign) for element in range(elements) for sign in (1, -1))]

    def extended(stream: TurnstileStream, counts: tuple[int, ...]) -> Iterator[TurnstileStream]:
        if len(stream) == steps:
            yield stream
            return
        for letter in letters:
            after = counts
            if letter is not None:
                element, sign = letter
                after = (*counts[:element], counts[element] + sign, *counts[element + 1 :])
                if not is_legal_count(after[element], model):
                    continue
            yield from extended((*stream, letter), after)

    return extended((), (0,) * elements)


def _entry_text(entry: Entry) -> str:
    if entry is None:
        return _NO_OP
    return f"{'+' if entry[1] > 0 else '-'}{entry[0]}"


def _without_look(text: str) -> str:
    return _BOTH.sub("", text).removesuffix(_STATE)


def _entry(text: str) -> Entry:
    if text == _NO_OP:
        return None
    found = _ENTRY.fullmatch(text)
    if found is None:
        raise InputError(f"an entry of a turnstile stream is '+0', '-0' or '.', with any element, got {shown(text)}")
    return int(found[2]), 1 if found[1] == "+" else -1
