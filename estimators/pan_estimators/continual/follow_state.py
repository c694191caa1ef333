"""The state of a run that follows a count, in a file: enough to go on after any interruption.

The file has the format of :mod:`pan_estimators.states.state_format`. It is private to its owner, replaced as a whole,
and checked before use; nothing in it names code. It holds the outputs that were recorded last. They are recorded before
they are put out, so that no run draws other noise for an output that a reader may have seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.follow_outputs import Outputs
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.reading.elements import ElementNumbers
from pan_estimators.reading.steps import Place
from pan_estimators.states.plain_fields import state_from_plain, state_to_plain
from pan_estimators.states.private_files import open_regular, write_private
from pan_estimators.states.state_format import MAGIC, StateReader, file_of
from pan_promises.errors import InputError, StateFileError, shown

WHAT = "the state file"
_KIND = "a count that is followed"
_VERSION = 2
_OF_COUNTER = "counter "

Words = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Progress:
    """The progress of a run, without the state of its counter.

    Attributes
    ----------
    numbers
        The numbers of the elements.
    base, base_time
        The place of the stream at which its last input began, and the time of the last entry before.
    place, time
        The place that was reached, and the time of the last entry.
    digest
        A digest of the steps since the last input began.
    ended
        Whether the last step was put out before its end was seen.
    recorded
        The outputs that were recorded last.
    written
        The number of bytes that were written before these outputs.
    """

    numbers: ElementNumbers
    base: Place = field(default_factory=Place)
    base_time: int | None = None
    place: Place = field(default_factory=Place)
    time: int | None = None
    digest: str = ""
    ended: bool = False
    recorded: Outputs = field(default_factory=lambda: Outputs.joined([]))
    written: int = 0


@dataclass(frozen=True, eq=False)
class SavedRun:
    """The content of a state file.

    Attributes
    ----------
    settings
        The counter, its parameters, and the reading of the stream, by name.
    progress
        The progress of the run.
    document, arrays
        The state of the counter as plain data.
    generator
        The state of the seeded source of randomness, or ``None`` for the secure one.
    """

    settings: Mapping[str, Any]
    progress: Progress
    document: Any
    arrays: Words
    generator: Any

    def counter_state(self, counter: Any, randomness: Any) -> Any:
        """The state of the counter; the source of randomness goes on where it was."""
        fresh = counter.create(randomness)
        if hasattr(counter, "state_from_arrays"):
            state = counter.state_from_arrays(self.arrays)
        else:
            state = state_from_plain(type(fresh), self.document, self.arrays)
        if isinstance(randomness, NumpyRandomness):
            try:
                randomness.generator.bit_generator.state = self.generator
            except (TypeError, ValueError, KeyError, OverflowError):
                raise StateFileError("the state has no state of a source of random numbers") from None
        return state

    def require_settings(self, asked: Mapping[str, Any], source: Path) -> None:
        """Refuse other settings than those of the file."""
        for name, value in asked.items():
            if self.settings.get(name) != value:
                kept = self.settings.get(name)
                raise StateFileError(
                    f"{WHAT} {source} is of a run with {name} {_told(kept)}, and this one has {_told(value)}"
                )


def save_run(
    path: Path, settings: Mapping[str, Any], progress: Progress, counter: Any, state: Any, randomness: Any
) -> None:
    """Write a run to a file. It is on the disk when this function returns."""
    if hasattr(counter, "state_to_arrays"):
        document, of_counter = None, counter.state_to_arrays(state)
    else:
        document, of_counter = state_to_plain(state)
    arrays: Words = {_OF_COUNTER + name: array for name, array in of_counter.items()}
    arrays |= {
        "key": np.frombuffer(progress.numbers.key, dtype="<i8"),
        "elements": progress.numbers.hashes().view(np.int64),
        "recorded labels": progress.recorded.labels,
        "recorded outputs": progress.recorded.estimates,
        "recorded widths": progress.recorded.widths,
    }
    places = {}
    for name, place in (("base", progress.base), ("place", progress.place)):
        arrays |= {f"{name} elements": place.elements, f"{name} signs": place.signs.astype(np.int64)}
        places[name] = {"seen": place.seen, "steps": place.steps, "step": place.step}
    seeded = isinstance(randomness, NumpyRandomness)
    content = {
        "kind": _KIND,
        "version": _VERSION,
        "settings": dict(settings),
        "document": document,
        "generator": randomness.generator.bit_generator.state if seeded else None,
        **places,
        "times": [progress.base_time, progress.time],
        "digest": progress.digest,
        "ended": progress.ended,
        "written": progress.written,
    }
    write_private(path, file_of(content, arrays, releases=progress.place.steps), begins=MAGIC, what=WHAT)


def load_run(path: Path) -> SavedRun:
    """The run in a file."""
    source = f"{WHAT} {path}"
    with open_regular(path, WHAT) as (stream, size):
        reader = StateReader(stream, size, source)
        content, arrays = reader.header.configuration, reader.arrays()
    if content.get("kind") != _KIND:
        raise StateFileError(f"{source} is not of panproof follow")
    if content.get("version") != _VERSION:
        raise StateFileError(
            f"{source} has version {shown(str(content.get('version')))}; this panproof reads version {_VERSION}"
        )
    try:
        base, place = (_place(content[name], arrays, name) for name in ("base", "place"))
        base_time, time = (None if value is None else _whole(value, -(2**63)) for value in content["times"])
        recorded = Outputs(*(arrays[f"recorded {column}"] for column in ("labels", "outputs", "widths")))
        for column in (recorded.estimates, recorded.widths):
            if column.size != recorded.labels.size or column.dtype != np.float64:
                raise StateFileError("it has other outputs than steps")
        progress = Progress(
            numbers=ElementNumbers(arrays["key"].astype("<i8").tobytes(), arrays["elements"].view(np.uint64)),
            base=base,
            base_time=base_time,
            place=place,
            time=time,
            digest=str(content["digest"]),
            ended=content["ended"] is True,
            recorded=recorded,
            written=_whole(content["written"]),
        )
        of_counter = {
            name.removeprefix(_OF_COUNTER): array for name, array in arrays.items() if name.startswith(_OF_COUNTER)
        }
        settings = content["settings"]
        if not isinstance(settings, dict):
            raise StateFileError("it has no settings")
        return SavedRun(settings, progress, content["document"], of_counter, content["generator"])
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        told = f": {problem}" if isinstance(problem, InputError) else ""
        raise StateFileError(f"{source} does not fit a run of panproof follow{told}") from None


def _place(found: Any, arrays: Words, name: str) -> Place:
    elements, signs = arrays[f"{name} elements"], arrays[f"{name} signs"]
    if elements.size != signs.size or elements.dtype != np.int64 or (np.abs(signs) > 1).any():
        raise StateFileError("it has entries that are not whole")
    step = found["step"]
    step = None if step is None else _whole(step, -(2**63))
    return Place(_whole(found["seen"]), _whole(found["steps"]), step, elements, signs.astype(np.int8))


def _whole(value: Any, least: int = 0) -> int:
    if type(value) is not int or not least <= value < 2**63:
        raise StateFileError("a number in it is out of range")
    return value


def _told(value: Any) -> str:
    if value is None or value == []:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
