"""The options of ``panproof estimate`` about states, and their combinations."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pan_audits.cli.values import words

if TYPE_CHECKING:
    from pan_estimators.counting.run import StateFiles

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


def files_of(
    *,
    file: str | None,
    load: Path | None,
    save: Path | None,
    key_file: Path | None,
    update_only: bool,
    release_only: bool,
    checkpoint: str | None,
    about_ids: bool = False,
) -> StateFiles:
    """The files of the state; :class:`InputError` if the options contradict each other.

    ``about_ids`` is true if options about the reading of ids are given.
    """
    from pan_estimators.counting.run import Checkpoint, StateFiles
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
    return StateFiles(load, save, key_file, None if checkpoint is None else Checkpoint.parse(checkpoint))


def _read_checkpoint(text: str) -> str:
    """The value of an option that was read without an error."""
    from pan_estimators.counting.run import Checkpoint

    Checkpoint.parse(text)
    return text


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
