"""The use of a counter by ``panproof count``: its input, its files, and the combinations of the options."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pan_audits.command_line.state_options import Checkpoint
from pan_audits.density.pane_use import PaneUse
from pan_promises.errors import InputError


class Input(StrEnum):
    """The place at which the input of a run with a state begins.

    ``WHOLE``
        With the ids that an interrupted run has counted. They are counted again, which changes nothing; in panes, they
        are passed over.
    ``REST``
        After the ids that the state has counted.
    """

    WHOLE = "whole"
    REST = "rest"


@dataclass(frozen=True)
class CountUse:
    """The use of a counter and of its files."""

    files: tuple[str, ...]
    state: Path | None
    key_file: Path | None
    releases: bool
    show: bool
    checkpoint: Checkpoint
    whole: bool
    told_whole: bool
    keeps_place: bool
    panes: PaneUse | None = None

    @classmethod
    def of(
        cls,
        *,
        files: Sequence[str],
        state: Path | None,
        key_file: Path | None,
        update_only: bool,
        release_only: bool,
        show: bool,
        checkpoint: str | None,
        input_place: Input | None,
        without_place: bool,
        panes: PaneUse | None = None,
        releases: int | None = None,
    ) -> CountUse:
        """The use that the options ask for; :class:`InputError` if they contradict each other."""
        if panes is not None:
            if show or without_place:
                told = "--show needs no --every" if show else "panes need the place in the input"
                raise InputError(f"{told}: leave out {'--every' if show else '--without-place'}")
            if panes.output is not None and any(
                other is not None and os.path.realpath(panes.output) == os.path.realpath(other)
                for other in (state, key_file, *files)
            ):
                raise InputError("--output is a file of its own, and neither the state, the key nor the input")
            if len(files) > 1:
                raise InputError("panes are for one input: join the files, or give --update-only for all but the last")
            if panes.fresh and key_file is not None:
                raise InputError("--fresh-panes keeps the key of each pane in the state: leave out --key-file")
        if update_only + release_only + show > 1:
            raise InputError("give one of --update-only, --release and --show")
        reads = not (release_only or show)
        if reads and not files:
            raise InputError("give a file with ids, or - for standard input")
        if not reads and files:
            raise InputError(f"{'--show' if show else '--release'} reads no ids: leave out the file")
        if state is None:
            for name, given in (
                ("--update-only", update_only),
                ("--release", release_only),
                ("--show", show),
                ("--checkpoint", checkpoint is not None),
                ("--key-file", key_file is not None),
                ("--input", input_place is not None),
                ("--without-place", without_place),
                ("--releases", panes is None and releases is not None and releases > 1),
            ):
                if given:
                    raise InputError(f"{name} is for a counter that is kept in a file: give --state")
        if state is not None and key_file is not None and os.path.realpath(state) == os.path.realpath(key_file):
            raise InputError("--key-file keeps the key apart from the state: give two different files")
        when = Checkpoint(seconds=30.0) if checkpoint is None else Checkpoint.parse(checkpoint)
        return cls(
            tuple(files),
            state,
            key_file,
            releases=not (update_only or show),
            show=show,
            checkpoint=when,
            whole=input_place is not Input.REST,
            told_whole=input_place is Input.WHOLE,
            keeps_place=not without_place,
            panes=panes,
        )
