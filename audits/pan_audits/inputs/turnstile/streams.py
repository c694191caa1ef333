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
_LOOKS = {Observed.OUTPUT: "", Observed.STATE: " (state)", Observed.STATE_AND_OUTPUT: " (outputs and state)"}


def to_text(stream: TurnstileStream, observed: Observed = Observed.OUTPUT) -> str:
    """A stream as a text such as ``+0 . -0``, which is its label.

    Parameters
    ----------
    stream
        The stream.
    observed
        The observation: the outputs, the state after the last entry, or both. It is a part of the label.
    """
    return " ".join(map(_entry_text, stream)) + _LOOKS[observed]


def from_text(text: str) -> TurnstileStream:
    """Read the stream that :func:`to_text` wrote.

    Parameters
    ----------
    text
        The text.

    Raises
    ------
    InputError
        If the text describes no stream.
    """
    return tuple(map(_entry, _without_look(text).split()))


def look_in(text: str) -> Observed:
    """The observation that a label names."""
    return next((look for look, words in _LOOKS.items() if words and text.endswith(words)), Observed.OUTPUT)


def is_legal(stream: Iterable[Entry], elements: int, model: Model) -> bool:
    """Whether a stream has entries of known elements alone, and obeys a model.

    Parameters
    ----------
    stream
        The entries.
    elements
        The number of elements.
    model
        The model.
    """
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
    return text.removesuffix(_LOOKS[look_in(text)])


def _entry(text: str) -> Entry:
    if text == _NO_OP:
        return None
    found = _ENTRY.fullmatch(text)
    if found is None:
        raise InputError(f"an entry of a turnstile stream is '+0', '-0' or '.', with any element, got {shown(text)}")
    return int(found[2]), 1 if found[1] == "+" else -1
