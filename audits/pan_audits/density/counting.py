"""The steps of ``panproof count``: begin or go on, read the ids, save checkpoints, release."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pan_audits.command_line.interruption import Interrupted, Watch
from pan_audits.command_line.progress import byte_bar
from pan_audits.density.count_place import Place
from pan_audits.density.count_report import CountReport
from pan_audits.density.count_use import CountUse
from pan_audits.sources.reader import open_source
from pan_audits.sources.reading import Reading
from pan_estimators.density.distinct_ids import PIECE
from pan_estimators.density.distinct_output import DistinctCount
from pan_estimators.density.distinct_user_counter import DistinctUserCounter
from pan_estimators.density.distinct_user_saving import load_counter, save_counter
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.states.key_file import key_for_new
from pan_estimators.states.memory import return_unused_memory, wipe_freed_memory
from pan_estimators.states.private_files import locked
from pan_estimators.states.state_file import require_content, require_savable
from pan_estimators.universes.ids import kind_of
from pan_promises.errors import InputError, on_one_line

_MAY_LACK, _LEFT = "may_lack", "left"
"""Keys of a stored place: ids may be missing; the run ended at this checkpoint."""

_DEFAULTS = {"memory": 2**13, "least": 1e4, "most": 1e9}


class CountKeeper:
    """A counter, the place in its input, and its file.

    Attributes
    ----------
    panes
        The progress of panes, JSON-ready, if the stream is divided into panes.
    may_lack
        Whether ids may be missing that an earlier run counted after its last checkpoint.
    watch
        The signals that end the run.
    """

    def __init__(self, counter: DistinctUserCounter, use: CountUse, place: Place | None) -> None:
        self.counter, self.use = counter, use
        self.panes: Mapping[str, Any] | None = None
        self.may_lack = False
        self._place = place
        self._done = 0
        self._kind = counter.kind
        self.watch = Watch()
        self._saved_at, self._saved_after = time.monotonic(), 0

    def _begin(self) -> None:
        """Save the counter with its input before any id is counted, so that a kill is known from now on."""
        with self.watch.whole():
            self.save()

    def read(self, reading: Reading) -> None:
        """Count all ids of the input."""
        assert self._place is not None
        name = on_one_line(self._place.name)
        begun = False
        with self.watch.watching(self.leave):
            for file in self.use.files:
                if file != "-" and not os.path.exists(file):
                    raise InputError(f"there is no file {on_one_line(file)}")
            if self._place.versions[0] is None:
                # A pipe may have nothing to read for long. An error at the beginning of a file leaves no state behind.
                self._begin()
                begun = True
            for file in self.use.files:
                with byte_bar(file) as progress:
                    for ids in open_source(file, reading, progress=progress).batches:
                        self._require_one_kind(ids, file)
                        if not begun:
                            self._begin()
                            begun = True
                        self._take(ids)
            if not self._done:
                left_out = " but missing ones" if reading.tally.skipped else ""
                raise InputError(f"{name} has no ids{left_out}: the stream is empty")

    def _require_one_kind(self, ids: Any, file: str) -> None:
        """Refuse texts after numbers in another file, or in a state: 7 and the text 7 are two users."""
        kind = kind_of(ids)
        if self._kind is not None and kind not in (None, self._kind):
            raise InputError(
                f"{on_one_line(file)} has {kind} as ids, and the ids before are {self._kind}, so that one user would "
                "be counted twice: give --ids text for all of them"
            )
        self._kind = self._kind or kind

    def _take(self, ids: Any) -> None:
        start = 0
        every = self.use.checkpoint.updates if self.use.state is not None else None
        while start < len(ids):
            room = PIECE if every is None else min(PIECE, every - (self._done - self._saved_after))
            piece = ids[start : start + room]
            with self.watch.whole():
                self.counter.add_many(piece)
                self._done += len(piece)
                if self._due():
                    self.save()
            start += len(piece)

    def _due(self) -> bool:
        if self.use.state is None:
            return False
        when = self.use.checkpoint
        if when.updates is not None:
            return self._done - self._saved_after >= when.updates
        return time.monotonic() - self._saved_at >= (when.seconds or 0)

    def pass_over(self, rows: int) -> None:
        """Begin after some rows, which were counted before."""
        self._done = rows

    def take(self, ids: Sequence[Any], rows: int) -> None:
        """Count the ids of consecutive rows, and save if a checkpoint is due. A signal waits for the end."""
        for one in ids:
            self.counter.add_many(one)
        self._done += rows
        if self._due():
            self.save()

    def save(self, *, finished: bool = False, left: bool = False) -> None:
        """Save the counter with its place, if it is kept in a file."""
        if self.use.state is None:
            return
        place: dict[str, Any] | None = None
        if self._place is not None and self.use.keeps_place and not finished:
            place = self._place.to_dict(None if self.panes is None else self._done)
        if self.panes is not None:
            place = {**(place or {}), "panes": dict(self.panes)}
        if self.may_lack:
            place = {**(place or {}), _MAY_LACK: True}
        if (left or finished) and place is not None:
            place = {**place, _LEFT: True}
        save_counter(self.use.state, self.counter, key_file=self.use.key_file, place=place)
        self._saved_at, self._saved_after = time.monotonic(), self._done

    def finish(self, level: float) -> DistinctCount | None:
        """Release if the options ask for it, and save before the output is shown."""
        with self.watch.whole(interruptible=False):
            output = self.counter.release(level=level) if self.use.releases else None
            self.save(finished=True)
        return output

    def leave(self, _: Interrupted) -> None:
        """Save, and say what is kept, after a signal."""
        assert self._place is not None
        if self.use.state is None:
            told = "nothing is kept, since there is no --state"
        else:
            self.save(left=True)
            told = (
                f"{self.use.state} holds the first {self._done} ids that were read of {self._place.name}, no promise "
                f"covers this number; {'nothing' if self.panes is None else 'nothing of the present pane'} was released"
            )
        print(f"panproof: interrupted: {told}", file=sys.stderr)


def run(
    use: CountUse, parameters: Mapping[str, Any], reading: Reading, *, level: float, seed: int | None
) -> CountReport:
    """Count, and return the counter with the outputs that are to be shown."""
    with ExitStack() as stack:
        # A reader alone needs no lock, and perhaps cannot make one.
        if use.state is not None and not use.show:
            # Of two processes with one state, one would lose its users.
            stack.enter_context(locked(use.state, "the state file"))
        return _run(use, parameters, reading, level=level, seed=seed)


def _run(
    use: CountUse, parameters: Mapping[str, Any], reading: Reading, *, level: float, seed: int | None
) -> CountReport:
    counter, stored = begun(use, parameters, seed)
    if use.show:
        if not counter.outputs:
            raise InputError(f"the state file {use.state} has kept no output: nothing was released")
        return CountReport(counter, counter.outputs, may_lack=may_lack(use, stored))
    if stored is not None and "panes" in stored:
        raise InputError(f"{use.state} was begun with panes: give the same --every")
    if counter.erased:
        raise InputError(
            f"the last release of {use.state} was made, and its promise covers no more: --show prints its output; "
            "count with a new state"
        )
    keeper = CountKeeper(counter, use, placed(use, stored, reading)[0])
    keeper.may_lack = may_lack(use, stored)
    if use.state is not None:
        require_savable(use.state)
    if use.releases and seed is None:
        counter.require_noise()
    if use.files:
        wipe_freed_memory()
        keeper.read(reading)
        return_unused_memory()
    output = keeper.finish(level)
    return CountReport(counter, () if output is None else (output,), may_lack=keeper.may_lack)


def begun(
    use: CountUse, parameters: Mapping[str, Any], seed: int | None
) -> tuple[DistinctUserCounter, Mapping[str, Any] | None]:
    """The counter of the state file, or a new one; and the place that the file holds."""
    randomness = None if seed is None else NumpyRandomness(seed)
    if use.state is not None and os.path.lexists(use.state):
        require_content(use.state)
        counter, place = load_counter(use.state, key_file=use.key_file, randomness=randomness)
        _require_agreement(counter, parameters, use.state)
        return counter, place
    if not use.files:
        raise InputError(f"there is no state file {use.state}")
    if "epsilon" not in parameters:
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
        "epsilon": counter.estimator.epsilon,
        "least": counter.least,
        "most": counter.most,
        "releases": counter.estimator.outputs,
    }
    options = {"epsilon": "--promise-epsilon", "least": "--from", "most": "--to", "releases": "--releases"}
    for name, option in options.items():
        if name in parameters and parameters[name] != found[name]:
            # The promise is twice the parameter.
            times = 2 if name == "epsilon" else 1
            raise InputError(
                f"{state} was begun with {option} {times * found[name]:g}, not {times * parameters[name]:g}"
            )
    if "memory" in parameters and parameters["memory"] < counter.memory:
        raise InputError(f"{state} was begun with {counter.memory} bytes, more than the given {parameters['memory']}")


def may_lack(use: CountUse, stored: Mapping[str, Any] | None) -> bool:
    """Whether a run was killed, and the ids that it counted after its last checkpoint need not come again."""
    if stored is None:
        return False
    killed = ("file" in stored or "panes" in stored) and _LEFT not in stored
    return _MAY_LACK in stored or (killed and not (use.files and use.whole))


def placed(use: CountUse, stored: Mapping[str, Any] | None, reading: Reading) -> tuple[Place | None, int]:
    """The beginning of the input, and the number of its ids that are counted already, for panes."""
    earlier = None
    if stored is not None and use.state is not None and stored.keys() - {"panes", _MAY_LACK, _LEFT}:
        earlier = Place.of(stored, use.state)
    if not use.files:
        if earlier is not None:
            told = f"{use.state} holds a part of the ids of {earlier.name}, and not the rest"
            print(f"panproof: {told}", file=sys.stderr)
        return None, 0
    place = Place.beginning(use.files, reading)
    if earlier is None or not use.whole:
        return place, 0
    if not use.told_whole:
        earlier.require_same(place, use.state)
    return place, earlier.ids
