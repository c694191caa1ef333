"""The options of ``panproof estimate`` about states, and their combinations."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from pan_audits.command_line.values import words

State = Annotated[
    Path | None,
    typer.Option(
        "--state",
        help="Keep the state in this file, which only its owner can read, and go on from it if it exists. A reader of "
        "the file is an adversary. It counts the releases; after the last one it holds no state.",
    ),
]
Load = Annotated[Path | None, typer.Option(hidden=True)]
Save = Annotated[Path | None, typer.Option(hidden=True)]
UpdateOnly = Annotated[bool, typer.Option("--update-only", help="Read the ids and save the state; release nothing.")]
ReleaseOnly = Annotated[bool, typer.Option("--release-only", help="Release from the loaded state; read no ids.")]


def checkpoint_option(help: str) -> Any:
    """The option ``--checkpoint``: an interval as text."""
    return words("--checkpoint", parse=lambda text, _: _read_checkpoint(text), help=help, metavar="N|Ns")


CheckpointText = Annotated[str | None, checkpoint_option("Save while reading: after every 100000 ids, or every 30s.")]
KeyFile = Annotated[
    Path | None,
    typer.Option(help="Keep the key of the sample in this file, apart from the state. The last release removes it."),
]


def places(
    state: Path | None, load: Path | None, save: Path | None, *, release_only: bool
) -> tuple[Path | None, Path | None]:
    """The files from which a state is loaded and to which it is saved; ``--load`` and ``--save`` are former options."""
    from pan_promises.errors import InputError

    if state is None:
        return load, save
    if load is not None or save is not None:
        raise InputError("--state is the file that is loaded and saved: leave out --load and --save")
    begun = os.path.lexists(state)
    return (state if begun or release_only else None), (None if release_only else state)


_MOST_UPDATES = 2**62
_MOST_SECONDS = 10**9


@dataclass(frozen=True)
class Checkpoint:
    """The interval of checkpoints: a number of updates, or a number of seconds."""

    updates: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Read ``100000`` or ``30s``."""
        from pan_promises.errors import InputError

        match = re.fullmatch(r"([0-9]{1,19})|([0-9]{1,10}(?:\.[0-9]{1,9})?)\s?s", text, re.ASCII)
        if match and match[1] and 1 <= int(match[1]) <= _MOST_UPDATES:
            return cls(updates=int(match[1]))
        if match and match[2] and 0 < float(match[2]) <= _MOST_SECONDS:
            return cls(seconds=float(match[2]))
        raise InputError(
            f"--checkpoint takes a number of ids from 1 to 2^62, or of seconds up to {_MOST_SECONDS} with an s, "
            f"such as 100000 or 30s; got {text!r}"
        )


@dataclass(frozen=True)
class StateUse:
    """The files of a state, and its use between loading and saving."""

    load: Path | None = None
    save: Path | None = None
    key_file: Path | None = None
    updates: bool = True
    releases: bool = True
    checkpoint: Checkpoint | None = None

    @classmethod
    def of(
        cls,
        *,
        file: str | None,
        load: Path | None,
        save: Path | None,
        key_file: Path | None,
        update_only: bool,
        release_only: bool,
        checkpoint: str | None,
        about_ids: bool = False,
    ) -> StateUse:
        """The use that the options ask for; :class:`InputError` if they contradict each other.

        ``about_ids`` is true if options about the reading of ids are given.
        """
        from pan_promises.errors import InputError

        if update_only and release_only:
            raise InputError("give one of --update-only and --release-only, or neither for both at once")
        if release_only and load is None:
            raise InputError("--release-only needs a state to release from: give --state")
        if release_only and (file is not None or checkpoint is not None or about_ids):
            raise InputError("--release-only reads no ids: leave out the file, --checkpoint, and the options about ids")
        if not release_only and file is None:
            raise InputError("give a file with ids, or - for standard input")
        if update_only and save is None:
            raise InputError("--update-only releases nothing and only keeps the state: give --state")
        if checkpoint is not None and save is None:
            raise InputError("--checkpoint saves the state while ids are read: give --state")
        if key_file is not None and save is None and load is None:
            raise InputError("--key-file is for a state that is kept: give --state")
        if key_file is not None and any(other is not None and _same(key_file, other) for other in (load, save)):
            raise InputError("--key-file keeps the key apart from the state: give two different files")
        when = None if checkpoint is None else Checkpoint.parse(checkpoint)
        return cls(load, save, key_file, not release_only, not update_only, when)

    @property
    def home(self) -> Path | None:
        """The file that holds the state afterwards."""
        return self.save or self.load

    @property
    def moves(self) -> bool:
        """Whether the state is saved to another file than the loaded one."""
        return self.load is not None and self.save is not None and not _same(self.load, self.save)


def _read_checkpoint(text: str) -> str:
    """The value of an option that was read without an error."""
    Checkpoint.parse(text)
    return text


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
