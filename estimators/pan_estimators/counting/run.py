"""One counting run: it begins anew or from a state file, reads ids, saves what it has, and releases.

A whole copy of the state is known at every moment: signals and checkpoints wait for the end of a piece.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from pan_estimators.reading.options import Progress, Reading
from pan_estimators.reading.source import open_source
from pan_estimators.states.key_file import key_for_new
from pan_estimators.states.memory import return_unused_memory, wipe_freed_memory
from pan_estimators.states.private_files import locked
from pan_estimators.states.releasing import releases_covered
from pan_estimators.states.state_file import require_savable, save_spent, save_state
from pan_estimators.universes.ids import kind_of
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError, on_one_line

Bar = Callable[[str], AbstractContextManager[Progress | None]]
"""Shows the bytes that are read of a file."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MOST_UPDATES = 2**62
_MOST_SECONDS = 10**9


@contextmanager
def no_bar(file: str) -> Iterator[None]:
    """Show nothing."""
    yield None


def alone(state: Path | None) -> AbstractContextManager[None]:
    """Let no other process use a state file: of two, one would lose what the other counted, or release again."""
    return nullcontext() if state is None else locked(state, "the state file")


def tell(sentence: str) -> None:
    """Print a sentence about a run on standard error."""
    print(f"panproof: {sentence}", file=sys.stderr)


@dataclass(frozen=True)
class Checkpoint:
    """The interval of checkpoints: a number of updates, or a number of seconds."""

    updates: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Read ``100000`` or ``30s``."""
        match = re.fullmatch(r"([0-9]{1,19})|([0-9]{1,10}(?:\.[0-9]{1,9})?)\s?s", text, re.ASCII)
        if match and match[1] and 1 <= int(match[1]) <= _MOST_UPDATES:
            return cls(updates=int(match[1]))
        if match and match[2] and 0 < float(match[2]) <= _MOST_SECONDS:
            return cls(seconds=float(match[2]))
        raise InputError(
            f"--checkpoint takes a number of ids from 1 to 2^62, or of seconds up to {_MOST_SECONDS} with an s, "
            f"such as 100000 or 30s; got {text!r}"
        )


class Interrupted(BaseException):
    """A signal ended the run, at a moment at which the state is complete."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Watch:
    """Waits for Ctrl-C and SIGTERM while a run works."""

    def __init__(self) -> None:
        self._busy = False
        self._signal: int | None = None

    @contextmanager
    def whole(self, *, interruptible: bool = True) -> Iterator[None]:
        """A signal within the body waits for its end."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
        if interruptible and self._signal is not None:
            raise Interrupted(self._signal)

    @contextmanager
    def watching(self, leave: Callable[[], None]) -> Iterator[None]:
        """Leave on Ctrl-C and SIGTERM, and end the process with the exit code of the signal."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[signal.Signals, Any] = {}
        try:
            for number in _SIGNALS:
                before[number] = signal.signal(number, self._notice)
            yield
        except Interrupted as end:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_IGN)
            leave()
            raise SystemExit(128 + end.number) from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _notice(self, number: int, frame: FrameType | None) -> None:
        self._signal = number
        if not self._busy:
            raise Interrupted(number)


class CheckpointedRun(ABC):
    """A run whose state is saved at checkpoints, and after a signal.

    Attributes
    ----------
    checkpoint
        The interval of checkpoints; ``None``: the state is saved at the end only.
    watch
        The signals that end the run.
    """

    def __init__(self, checkpoint: Checkpoint | None) -> None:
        self.checkpoint, self.watch = checkpoint, Watch()
        self._saved_at, self._saved_after = time.monotonic(), 0

    def due(self, done: int) -> bool:
        """Whether a checkpoint is due after a number of ids."""
        if self.checkpoint is None:
            return False
        if self.checkpoint.updates is not None:
            return done - self._saved_after >= self.checkpoint.updates
        return time.monotonic() - self._saved_at >= (self.checkpoint.seconds or 0)

    def is_saved(self, done: int) -> None:
        """Begin the next interval of checkpoints."""
        self._saved_at, self._saved_after = time.monotonic(), done

    def watching(self) -> AbstractContextManager[None]:
        """Save on Ctrl-C and SIGTERM. A started piece is finished. A batch that is still being read is left out."""
        return self.watch.watching(lambda: tell(f"interrupted: {self._left()}"))

    @abstractmethod
    def _left(self) -> str:
        """Save after a signal, and say what is kept."""


class CountingRun(CheckpointedRun):
    """A state that reads an input, is saved while it reads, and is released from at the end.

    A class for one kind of state says how it counts a piece (:meth:`_count`), is written to its file (:meth:`_write`),
    and what is kept of it after a signal (:meth:`_left`).

    Attributes
    ----------
    done
        The number of ids of this run. It is printed and never saved. No promise covers it.
    """

    at_once = _MOST_UPDATES
    """Largest number of ids that are counted at once."""

    def __init__(self, checkpoint: Checkpoint | None) -> None:
        super().__init__(checkpoint)
        self.done = 0

    def take(self, ids: Any) -> None:
        """Count a column of ids in pieces. Each piece that ends at a checkpoint is saved."""
        every = self.checkpoint.updates if self.checkpoint else None
        start = 0
        while start < len(ids):
            room = self.at_once if every is None else min(self.at_once, every - (self.done - self._saved_after))
            piece = ids[start : start + room]
            with self.watch.whole():
                self._count(piece)
                self.done += len(piece)
                self.save_if_due()
            start += len(piece)

    def _read_files(self, files: Sequence[str], reading: Reading, name: str, bar: Bar) -> None:
        """Count all ids of files in order. There must be one."""
        empty = True
        for file in files:
            with bar(file) as progress:
                for ids in open_source(file, reading, progress=progress):
                    self._meet(ids, file)
                    self.take(ids)
                    empty = False
        if empty:
            left_out = " but missing ones" if reading.tally.skipped else ""
            raise InputError(f"{name} has no ids{left_out}: the stream is empty")

    def save_if_due(self) -> None:
        """Save the state if a checkpoint is due."""
        if self.due(self.done):
            self.save()

    def save(self) -> None:
        """Save the state, if it is kept in a file."""
        self._write()
        self.is_saved(self.done)

    def _meet(self, ids: Any, file: str) -> None:
        """Look at the ids of a file before they are counted."""
        return

    @abstractmethod
    def _count(self, piece: Any) -> None:
        """Count some ids."""

    @abstractmethod
    def _write(self) -> None:
        """Write the state, if it is kept in a file."""


@dataclass(frozen=True)
class StateFiles:
    """The files of a state between loading and saving.

    Attributes
    ----------
    load, save, key_file
        The file from which the state is loaded, the one to which it is saved, and the one of its key.
    checkpoint
        The interval of checkpoints, if the state is saved while ids are read.
    """

    load: Path | None = None
    save: Path | None = None
    key_file: Path | None = None
    checkpoint: Checkpoint | None = None


class EstimatingRun(CountingRun):
    """A run of an estimator of ids, whose state may continue in another file than it was loaded from.

    Parameters
    ----------
    estimator, state, randomness
        The estimator, its state, and the source of random choices.
    files
        The files of the state.

    Raises
    ------
    InputError
        If a file cannot be written, or there is no key for the key file.
    """

    def __init__(self, estimator: Any, state: Any, randomness: Any, files: StateFiles) -> None:
        super().__init__(files.checkpoint)
        self.estimator, self.state, self.randomness, self.files = estimator, state, randomness, files
        self.name = "the input"
        # Without a promise, the loaded file has no count of releases.
        self._counted = files.load if releases_covered(estimator) is not None else None
        for path in (files.save, self._counted):
            if path is not None:
                require_savable(path)
        if files.key_file is not None and files.save is not None:
            arrays = estimator.state_to_arrays(state)
            if "key" not in arrays:
                raise InputError("--key-file is for a sample that is kept as a key; this state has none")
            kept = key_for_new(files.key_file, files.save) if files.load is None else None
            if kept is not None:
                self.state = estimator.state_from_arrays({**arrays, "key": kept})

    def read(self, file: str, reading: Reading, bar: Bar = no_bar) -> None:
        """Count all ids of a file.

        Parameters
        ----------
        file
            The file, or ``-`` for standard input.
        reading
            The reading of ids.
        bar
            Shows the bytes that are read.

        Raises
        ------
        InputError
            If the file cannot be read, or has no ids.
        """
        wipe_freed_memory()
        self.name = "standard input" if file == "-" else file
        with self.watching():
            self._read_files([file], reading.for_universe(self.estimator.universe), on_one_line(self.name), bar)
        return_unused_memory()

    def _count(self, piece: Any) -> None:
        universe, kind = self.estimator.universe, kind_of(piece)
        if isinstance(universe, HashedUniverse) and universe.ids is None and kind is not None:
            # The first ids decide the kind of all ids. The state keeps it.
            self.estimator = replace(self.estimator, universe=replace(universe, ids=kind))
        self.state = self.estimator.update(self.state, piece, self.randomness)

    def _write(self) -> None:
        self._write_to(self.files.save)

    def _write_to(self, path: Path | None) -> None:
        if path is not None:
            save_state(path, self.estimator, self.state, key_file=self.files.key_file)

    def release(self) -> float:
        """Release, and update the files before the output is shown."""
        with self.watch.whole(interruptible=False):
            output = float(self.estimator.release(self.state, self.randomness))
            self._settle()
        return output

    def keep(self) -> None:
        """End the run without a release."""
        with self.watch.whole(interruptible=False):
            self._settle()

    def _settle(self) -> None:
        save, counted = self.files.save, self._counted
        self._write_to(save or counted)
        if save is not None and counted is not None and save.resolve() != counted.resolve():
            save_spent(counted, self.estimator, self.state.releases)

    def _left(self) -> str:
        if self.files.save is None:
            return "no state is saved, since there is no --state"
        self.save()
        return (
            f"{self.files.save} holds the first {self.done} ids of {self.name}, no promise covers this number; "
            "nothing was released"
        )
