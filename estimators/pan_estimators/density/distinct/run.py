"""One run that counts the distinct users of an input: it begins, reads, saves and releases.

After an interruption a run names its input without a word about its users: a digest of the ids would tell an adversary
which stream was read, and the number of ids how long it was. All ids of an input are therefore counted again: repeated
ids change nothing. Panes alone hold a number, because their outputs are out.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pan_estimators.common.registry import refuse_former
from pan_estimators.counting.run import Bar, Checkpoint, CountingRun, no_bar, tell
from pan_estimators.density.distinct.ids import PIECE
from pan_estimators.density.distinct.output import DistinctCount
from pan_estimators.density.distinct.users import DistinctUserCounter, load_counter, save_counter
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.reading.byte_streams import standard_input
from pan_estimators.reading.options import Reading
from pan_estimators.states.key_file import key_for_new
from pan_estimators.states.memory import return_unused_memory, wipe_freed_memory
from pan_estimators.states.state_file import require_content, require_savable
from pan_estimators.universes.ids import kind_of
from pan_promises.errors import InputError, on_one_line

LACKING = (
    "a run was killed, and ids after its last checkpoint may not have been given again; if any are missing, the loss "
    "can exceed the promise by up to a quarter (distinct.joint_privacy)"
)

_MAY_LACK, _LEFT = "may_lack", "left"
"""Keys of a stored place: ids may be missing; the run ended at this checkpoint."""

_DEFAULTS = {"memory": 2**13, "least": 1e4, "most": 1e9}

Version = tuple[int, int]
"""Two numbers that change when a file is written to or replaced."""

WAYS = "give --input whole if it begins with the ids that were counted, or --input rest if it does not"


@dataclass(frozen=True)
class Place:
    """The input in whose middle a run stopped.

    Attributes
    ----------
    files
        The files of the input, in order.
    versions
        The version of each file; ``None`` for a pipe, which has none.
    reading
        The options that decide which ids the input has.
    ids
        The number of ids that are counted, for panes.
    """

    files: tuple[str, ...]
    versions: tuple[Version | None, ...]
    reading: Mapping[str, Any]
    ids: int = 0

    @classmethod
    def beginning(cls, files: Sequence[str], reading: Reading) -> Place:
        """The beginning of an input."""
        options = {
            "column": reading.column,
            "format": reading.kind,
            "header": reading.header,
            "ids": None if reading.ids is None else str(reading.ids),
            "missing": str(reading.missing),
            "missing_text": list(reading.missing_texts),
        }
        names = tuple(file if file == "-" else os.path.realpath(file) for file in files)
        return cls(names, tuple(_version(file) for file in files), options)

    @classmethod
    def of(cls, stored: Mapping[str, Any], state: Any) -> Place:
        """The place that a state file holds; :class:`InputError` if that is no place."""
        files, ids, reading = stored.get("file"), stored.get("ids", 0), stored.get("reading")
        named = [files] if isinstance(files, str) else files if isinstance(files, list) else []
        known = bool(named) and all(isinstance(file, str) for file in named)
        if not known or type(ids) is not int or ids < 0 or not isinstance(reading, dict):
            raise InputError(f"the state file {state} holds no place in an input")
        # States of earlier versions name no version of their input.
        versions = stored.get("versions", [None] * len(named))
        if not isinstance(versions, list) or len(versions) != len(named) or not all(map(_is_version, versions)):
            raise InputError(f"the state file {state} holds no place in an input")
        return cls(tuple(named), tuple(one and (one[0], one[1]) for one in versions), reading, ids)

    def to_dict(self, ids: int | None) -> dict[str, Any]:
        """JSON-ready."""
        files = list(self.files)
        return {
            "file": files[0] if len(files) == 1 else files,
            "versions": [None if one is None else list(one) for one in self.versions],
            "reading": dict(self.reading),
            **({} if ids is None else {"ids": ids}),
        }

    @property
    def name(self) -> str:
        """The input, for messages."""
        return ", ".join("standard input" if file == "-" else file for file in self.files)

    def require_same(self, now: Place, state: Any) -> None:
        """Refuse an input that need not be this one."""
        stopped = f"{state} stopped in the middle of {self.name}"
        if self.files != now.files:
            raise InputError(f"{stopped}, and not of {now.name}: count the former first, or {WAYS}")
        if dict(self.reading) != dict(now.reading):
            raise InputError(
                f"{stopped}, which was read with other options: give the same ones, or --input rest to count it anew"
            )
        if None in now.versions:
            raise InputError(f"{stopped}, and a pipe may begin with other ids than before: {WAYS}")
        if self.versions != now.versions:
            raise InputError(f"{stopped}, which was written to or replaced since then: {WAYS}")


def _version(file: str) -> Version | None:
    try:
        status = os.fstat(standard_input().fileno()) if file == "-" else os.stat(file)
    except (OSError, ValueError):
        return None  # The reader says what is wrong with it.
    return (status.st_ino, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def _is_version(one: Any) -> bool:
    return one is None or (isinstance(one, list) and len(one) == 2 and all(type(part) is int for part in one))


@dataclass(frozen=True)
class CountUse:
    """The input of a count, and its files.

    Attributes
    ----------
    files
        The files with ids, or ``-`` for standard input. Without any, a state is released.
    state, key_file
        The file of the counter, and the one of its key, if it is kept apart.
    releases
        Whether the count ends with a release.
    checkpoint
        The interval of checkpoints.
    whole
        Whether the input begins with the ids that an interrupted run has counted.
    told_whole
        Whether the user said so, so that the input need not be unchanged.
    keeps_place
        Whether the state names the input while it is read.
    reading
        The reading of ids.
    """

    files: tuple[str, ...] = ()
    state: Path | None = None
    key_file: Path | None = None
    releases: bool = True
    checkpoint: Checkpoint = field(default_factory=lambda: Checkpoint(seconds=30.0))
    whole: bool = True
    told_whole: bool = False
    keeps_place: bool = True
    reading: Reading = field(default_factory=Reading)


class CountRun(CountingRun):
    """A run of a distinct user counter over an input. :meth:`begin` makes it.

    Attributes
    ----------
    counter
        The counter.
    use
        The input and the files.
    may_lack
        Whether ids may be missing that an earlier run counted after its last checkpoint.
    """

    at_once = PIECE

    def __init__(self, counter: DistinctUserCounter, use: CountUse, place: Place | None = None) -> None:
        super().__init__(None if use.state is None else use.checkpoint)
        self.counter, self.use, self.may_lack = counter, use, False
        self._place, self._kind, self._begun = place, counter.kind, False

    @classmethod
    def begin(cls, use: CountUse, parameters: Mapping[str, Any], *, seed: int | None = None) -> CountRun:
        """The run of a new counter, or of the one in the state file.

        Parameters
        ----------
        use
            The input and the files.
        parameters
            The parameters of a new counter. A counter in a file must agree with them.
        seed
            A seed for tests; nothing is then private.

        Raises
        ------
        InputError
            If the state is spent, damaged, or of another use; if a file cannot be written; if there is no noise.
        """
        counter, stored = begun(use, parameters, seed)
        if stored is not None and "panes" in stored:
            raise InputError(f"{use.state} was begun with panes: give the same --every")
        if counter.erased:
            raise InputError(
                f"the last release of {use.state} was made, and its promise covers no more: --show prints its output; "
                "count with a new state"
            )
        run = cls(counter, use, placed(use, stored)[0])
        run.may_lack = may_lack(use, stored)
        if use.state is not None:
            require_savable(use.state)
        if use.releases and seed is None:
            counter.require_noise()
        return run

    def read(self, bar: Bar = no_bar) -> None:
        """Count all ids of the input. There is nothing to do without files.

        Parameters
        ----------
        bar
            Shows the bytes that are read of a file.

        Raises
        ------
        InputError
            If a file cannot be read, the input has no ids, or ids of another kind than before.
        """
        if self._place is None:
            return
        wipe_freed_memory()
        with self.watching():
            for file in self.use.files:
                if file != "-" and not os.path.exists(file):
                    raise InputError(f"there is no file {on_one_line(file)}")
            if self._place.versions[0] is None:
                # A pipe may have nothing to read for long. An error at the beginning of a file leaves no state behind.
                self._begin()
            self._read_files(self.use.files, self.use.reading, on_one_line(self._place.name), bar)
        return_unused_memory()

    def _begin(self) -> None:
        """Save the counter with its input before any id is counted, so that a kill is known from now on."""
        if not self._begun:
            with self.watch.whole():
                self.save()
        self._begun = True

    def _meet(self, ids: Any, file: str) -> None:
        """Refuse texts after numbers in another file, or in a state: 7 and the text 7 are two users."""
        kind = kind_of(ids)
        if self._kind is not None and kind not in (None, self._kind):
            raise InputError(
                f"{on_one_line(file)} has {kind} as ids, and the ids before are {self._kind}, so that one user would "
                "be counted twice: give --ids text for all of them"
            )
        self._kind = self._kind or kind
        self._begin()

    def _count(self, piece: Any) -> None:
        self.counter.add_many(piece)

    def _write(self, *, finished: bool = False, left: bool = False) -> None:
        """Save the counter with its place, if it is kept in a file."""
        if self.use.state is None:
            return
        place = {} if self._place is None or finished or not self.use.keeps_place else self._place.to_dict(self._passed)
        place |= self._more_of_place()
        if self.may_lack:
            place[_MAY_LACK] = True
        if (left or finished) and place:
            place[_LEFT] = True
        save_counter(self.use.state, self.counter, key_file=self.use.key_file, place=place or None)

    @property
    def _passed(self) -> int | None:
        """The number of ids that a later run passes over, for panes."""
        return None

    def _more_of_place(self) -> dict[str, Any]:
        return {}

    def release(self, level: float = 0.95) -> DistinctCount | None:
        """Release if the use ends with a release, and save before the output is shown.

        Parameters
        ----------
        level
            The confidence of the interval, in (0, 1).

        Returns
        -------
        The output; ``None`` if the counter is only kept.
        """
        with self.watch.whole(interruptible=False):
            output = self.counter.release(level=level) if self.use.releases else None
            self._write(finished=True)
        return output

    def _left(self) -> str:
        assert self._place is not None
        if self.use.state is None:
            return "nothing is kept, since there is no --state"
        self._write(left=True)
        return (
            f"{self.use.state} holds the first {self.done} ids that were read of {self._place.name}, no promise "
            f"covers this number; {self._unreleased} was released"
        )

    _unreleased = "nothing"


def begun(
    use: CountUse, parameters: Mapping[str, Any], seed: int | None
) -> tuple[DistinctUserCounter, Mapping[str, Any] | None]:
    """The counter of the state file, or a new one; and the place that the file holds."""
    refuse_former("distinct-counter", parameters)
    randomness = None if seed is None else NumpyRandomness(seed)
    if use.state is not None and os.path.lexists(use.state):
        require_content(use.state)
        counter, place = load_counter(use.state, key_file=use.key_file, randomness=randomness)
        _require_agreement(counter, parameters, use.state)
        return counter, place
    if not use.files:
        raise InputError(f"there is no state file {use.state}")
    if "promise_epsilon" not in parameters:
        raise InputError("a new counter needs a privacy budget: give --promise-epsilon")
    words = None
    if use.key_file is not None and use.state is not None:
        words = key_for_new(use.key_file, use.state)
    key = None if words is None else words.astype("<i8").tobytes()
    # A command that releases asks for the noise itself.
    counter = DistinctUserCounter(
        **{**_DEFAULTS, **parameters}, key=key, randomness=randomness, updates_only=not use.releases
    )
    return counter, None


def _require_agreement(counter: DistinctUserCounter, parameters: Mapping[str, Any], state: Path) -> None:
    found = {
        "promise_epsilon": counter.estimator.promise_epsilon,
        "least": counter.least,
        "most": counter.most,
        "releases": counter.estimator.outputs,
    }
    options = {"promise_epsilon": "--promise-epsilon", "least": "--from", "most": "--to", "releases": "--releases"}
    for name, option in options.items():
        if name in parameters and parameters[name] != found[name]:
            raise InputError(f"{state} was begun with {option} {found[name]:g}, not {parameters[name]:g}")
    if "memory" in parameters and parameters["memory"] < counter.memory:
        raise InputError(f"{state} was begun with {counter.memory} bytes, more than the given {parameters['memory']}")


def may_lack(use: CountUse, stored: Mapping[str, Any] | None) -> bool:
    """Whether a run was killed, and the ids that it counted after its last checkpoint need not come again."""
    if stored is None:
        return False
    killed = ("file" in stored or "panes" in stored) and _LEFT not in stored
    return _MAY_LACK in stored or (killed and not (use.files and use.whole))


def placed(use: CountUse, stored: Mapping[str, Any] | None) -> tuple[Place | None, int]:
    """The beginning of the input, and the number of its ids that are counted already, for panes."""
    earlier = None
    if stored is not None and use.state is not None and stored.keys() - {"panes", _MAY_LACK, _LEFT}:
        earlier = Place.of(stored, use.state)
    if not use.files:
        if earlier is not None:
            tell(f"{use.state} holds a part of the ids of {earlier.name}, and not the rest")
        return None, 0
    place = Place.beginning(use.files, use.reading)
    if earlier is None or not use.whole:
        return place, 0
    if not use.told_whole:
        earlier.require_same(place, use.state)
    return place, earlier.ids
