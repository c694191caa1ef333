"""The observation of an exact check, in words."""

from __future__ import annotations

import re
from typing import Any

from pan_audits.choices.showing import as_text, shown
from pan_audits.exact.search import ExactPair
from pan_audits.exact.stepping import Stepper
from pan_audits.inputs.streams.family import SegmentEnd

# A run of letters is tried from its beginning only, so that a long text takes no longer than its length.
_NOISE = re.compile(r"(?<![-+./\w])[-+./\w]+ \+ noise")
_OTHER = re.compile(r"\w")


def observation_in_words(pair: ExactPair, stepper: Stepper, *, whole: bool) -> str:
    """The observation of a pair."""
    steps = [item for item in pair.left if isinstance(item, SegmentEnd)]
    parts: list[str] = []
    place = 0
    for step, key in zip(steps, pair.seen, strict=False):
        value = stepper.shown.get(key)
        noisy = stepper.numbers.get(key, 0)
        if step is SegmentEnd.RELEASE and not noisy:
            parts.append(f"the output {_short(value)}")
        elif step is SegmentEnd.RELEASE:
            values = pair.extreme.point[place : place + noisy]
            words = _output(values) if stepper.parts is None else stepper.parts.describe(value, values)
            parts.append(words + (_form(value) if whole and stepper.parts is None else ""))
        else:
            parts.append(f"the state {_short(value)}" + (" up to its noise" if noisy else _alike(key, stepper)))
        place += noisy
    return " and ".join(parts)


def _form(value: Any) -> str:
    """The parts of an output beside its noise; empty if there are none."""
    text = _NOISE.sub("noise", shown(value))
    if "noise" not in text or not _OTHER.search(text.replace("noise", "")):
        return ""
    return f", of the form {_shortened(text)}"


def _alike(key: str, stepper: Stepper) -> str:
    """A note for a state that is written like another one, and differs from it in memory."""
    text = _short(stepper.shown.get(key))
    others = (value for other, value in stepper.shown.items() if other != key)
    return " (another state is written alike, and differs in memory)" if text in map(_short, others) else ""


def _output(values: tuple[Any, ...]) -> str:
    words = [value for value in values if isinstance(value, str)]
    if words or not values:
        return f"an output with noise, {words[0] if words else 'whatever its value'}"
    return "an output with noise at " + " and ".join(map(as_text, values))


def _short(value: Any) -> str:
    return _shortened(shown(value))


def _shortened(text: str) -> str:
    text = " ".join(text.replace("array(", "(").replace(", dtype=int64", "").split())
    return text if len(text) <= 160 else text[:157] + "..."
