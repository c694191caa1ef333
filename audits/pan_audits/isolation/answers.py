"""The messages of a judged process, read with distrust."""

from __future__ import annotations

import array
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

import msgpack
import numpy as np

from pan_audits.inputs.streams.side import SegmentEnd
from pan_audits.isolation.data import DataError, from_data, to_data
from pan_audits.isolation.messages import Called, Draw, Drawn, Message, Runs, Unfollowable, read
from pan_audits.isolation.noise import NoiseTable
from pan_audits.observing.subject import subject_of
from pan_audits.running.course import Observation
from pan_audits.running.performance import Performance
from pan_audits.running.randomness_class import COMPARED, METHODS, WHOLE_PART
from pan_audits.running.script import Script, Trace, trace_of
from pan_audits.workers.limits import VariantError
from pan_estimators.common.accuracy_statement import Quantity, Relation
from pan_estimators.states.releasing import counts_releases
from pan_promises.errors import InputError, shown, suggestion

_Stated = TypeVar("_Stated", Quantity, Relation)


def trace_in(sent: Any, script: Script, estimator: Any) -> Trace:
    """The trace of a script, from the answer of a judged process."""
    try:
        shown = Performance(
            midway=from_data(sent["midway"]),
            end=from_data(sent["end"]),
            after_release=from_data(sent["after_release"]),
            output=from_data(sent["output"]),
            before={str(name): str(digest) for name, digest in sent["before"].items()},
            after={str(name): str(digest) for name, digest in sent["after"].items()},
            draws=int(sent["draws"]),
            generator=None,
        )
        midway: bytes = msgpack.packb([sent["midway"], sent["generator"]])
        performed = tuple(map(str, sent["performed"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError("it sent an invalid answer") from None
    trace = trace_of(shown, subject_of(estimator, script.first[0]), midway, counted=counts_releases(estimator))
    return replace(trace, performed=performed)


def answer_to_draw(randomness: Any, noises: NoiseTable, asked: Message) -> Message:
    """Make a draw that the code asks for."""
    from pan_audits.choices.errors import TooLargeError, UnfollowableError

    draw = asked.method if isinstance(asked, Draw) else None
    known = draw in METHODS or (draw in (COMPARED, WHOLE_PART) and hasattr(type(randomness), COMPARED))
    if not isinstance(asked, Draw) or not isinstance(draw, str) or not known:
        raise DataError("it asked for an unknown draw")
    arguments = from_data(asked.arguments, revive=noises.read)
    options = from_data(asked.options, revive=noises.read)
    if not isinstance(arguments, (list, tuple)) or not isinstance(options, dict):
        raise DataError("it asked for a draw without arguments")
    try:
        drawn = getattr(randomness, draw)(*arguments, **options)
        return Drawn(to_data(drawn, special=noises.write))
    except (UnfollowableError, TooLargeError, InputError, TypeError, ValueError) as problem:
        return Drawn(None, str(problem) or type(problem).__name__)


def followed(told: Any) -> Called:
    """The result of a call; an error if the code used its randomness in a way that cannot be followed."""
    from pan_audits.choices.errors import BypassError, UnfollowableError

    answer = read(Message, told)
    if isinstance(answer, Unfollowable):
        raise (BypassError if answer.bypass is True else UnfollowableError)(str(answer.sentence))
    if not isinstance(answer, Called) or not isinstance(answer.printed, bytes):
        raise DataError("its form is unknown")
    return answer


def require_shape(stacks: Sequence[Sequence[Observation]], asked: Runs) -> None:
    """Refuse another number of runs, states or outputs than those that the course has."""
    outputs = sum(step is SegmentEnd.RELEASE for *_, step in asked.course)
    states = len(asked.course) - outputs if asked.states else 0
    flat = [each for stack in stacks for each in stack]
    if len(flat) != asked.runs or any((len(each.states), len(each.outputs)) != (states, outputs) for each in flat):
        raise VariantError("it sent another number of observations than it was asked for")


def stated_as(kind: type[_Stated], text: Any, what: str, owner: str) -> _Stated:
    """The quantity or the relation that a judged process names."""
    known = {str(one): one for one in kind}
    if not isinstance(text, str) or text not in known:
        raise InputError(
            f"{owner} states an error with an unknown {what} {shown(text)}; {suggestion(str(text), known)}"
        )
    return known[text]


_WITHOUT_CONTENTS = (type(None), int, float, complex, str, bytes, Fraction, Decimal, frozenset, range, np.generic)
"""Types of values that no code can change."""


def become(state: Any, after: Any) -> None:
    """Replace the contents of a state by those of another one, in place."""
    if isinstance(state, tuple) and isinstance(after, tuple) and len(state) == len(after):
        # Only the contents of its parts can change.
        for part, changed in zip(state, after, strict=True):
            if not isinstance(part, _WITHOUT_CONTENTS) or repr(part) != repr(changed):
                become(part, changed)
    elif isinstance(state, (dict, set)):
        state.clear()
        state.update(after)
    elif isinstance(state, (list, bytearray, array.array)):
        state[:] = after
    elif isinstance(state, deque):
        state.clear()
        state.extend(after)
    elif isinstance(state, np.ndarray) and isinstance(after, np.ndarray) and state.shape == after.shape:
        state[...] = after
    elif not (hasattr(state, "__dict__") and hasattr(after, "__dict__")):
        raise VariantError(f"release changes a state of the type {type(state).__name__}, which cannot be followed")
    if hasattr(state, "__dict__") and hasattr(after, "__dict__"):
        vars(state).clear()
        vars(state).update(vars(after))
