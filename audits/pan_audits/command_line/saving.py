"""Saving a state while ids are read: checkpoints, interruptions, and its files after a release."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from pan_audits.command_line.interruption import Interrupted, Watch
from pan_audits.command_line.state_options import StateUse
from pan_estimators.states.key_file import key_for_new
from pan_estimators.states.releasing import releases_covered
from pan_estimators.states.state_file import require_savable, save_spent, save_state
from pan_estimators.universes.ids import kind_of
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError


class StateKeeper:
    """The state of one command; a complete copy is known at every moment."""

    def __init__(self, estimator: Any, state: Any, randomness: Any, use: StateUse) -> None:
        self.estimator, self.state, self.randomness, self.use = estimator, state, randomness, use
        self.updates = 0
        """Number of ids of this command. It is printed and never saved. No promise covers it."""
        self._watch = Watch()
        self._saved_at, self._saved_after = time.monotonic(), 0
        self._require_savable()

    def _require_savable(self) -> None:
        use = self.use
        covered = releases_covered(self.estimator)
        for path in (use.save, use.load if covered is not None else None):
            if path is not None:
                require_savable(path)
        if use.key_file is not None and use.save is not None:
            arrays = self.estimator.state_to_arrays(self.state)
            if "key" not in arrays:
                raise InputError("--key-file is for a sample that is kept as a key; this state has none")
            if use.load is None:
                kept = key_for_new(use.key_file, use.save)
                if kept is not None:
                    self.state = self.estimator.state_from_arrays({**arrays, "key": kept})

    def update(self, ids: Any) -> None:
        """Update the state with a batch of ids, in pieces. Save a checkpoint after each piece that ends at one."""
        self._decide_kind(ids)
        every = self.use.checkpoint.updates if self.use.checkpoint else None
        start = 0
        while start < len(ids):
            stop = len(ids) if every is None else min(len(ids), start + every - (self.updates - self._saved_after))
            with self._watch.whole():
                self.state = self.estimator.update(self.state, ids[start:stop], self.randomness)
                self.updates += stop - start
                if self._due():
                    self._save()
            start = stop

    def _decide_kind(self, ids: Any) -> None:
        """Let the first ids decide the kind of all ids of a hashed universe. The state keeps it."""
        universe, kind = self.estimator.universe, kind_of(ids)
        if isinstance(universe, HashedUniverse) and universe.ids is None and kind is not None:
            self.estimator = replace(self.estimator, universe=replace(universe, ids=kind))

    def _due(self) -> bool:
        when = self.use.checkpoint
        if when is None:
            return False
        if when.updates is not None:
            return self.updates - self._saved_after >= when.updates
        return time.monotonic() - self._saved_at >= (when.seconds or 0)

    def _save(self) -> None:
        if self.use.save is not None:
            save_state(self.use.save, self.estimator, self.state, key_file=self.use.key_file)
        self._saved_at, self._saved_after = time.monotonic(), self.updates

    def finish(self, release: Any) -> Any:
        """Release if the options ask for it, and update the files before the output is shown."""
        with self._watch.whole(interruptible=False):
            result = release() if self.use.releases else None
            self._settle()
        return result

    def _settle(self) -> None:
        use, covered = self.use, releases_covered(self.estimator)
        # Without a promise, the loaded file has no count of releases.
        home = use.home if covered is not None else use.save
        if home is not None:
            save_state(home, self.estimator, self.state, key_file=use.key_file)
        if use.moves and use.load is not None and covered is not None:
            save_spent(use.load, self.estimator, self.state.releases)

    def watching(self, file: str) -> AbstractContextManager[None]:
        """Save on Ctrl-C and SIGTERM. A started update is finished. A batch that is still being read is left out."""
        return self._watch.watching(lambda end: self._leave(end, file))

    def _leave(self, end: Interrupted, file: str) -> None:
        name = "standard input" if file == "-" else file
        if self.use.save is None:
            told = "no state is saved, since there is no --state"
        else:
            self._save()
            told = (
                f"{self.use.save} holds the first {self.updates} ids of {name}, no promise covers this number; "
                f"nothing was released"
            )
        print(f"panproof: interrupted: {told}", file=sys.stderr)
