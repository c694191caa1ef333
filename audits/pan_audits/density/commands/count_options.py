"""The options of ``panproof count``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line.names import choice
from pan_audits.command_line.state_options import checkpoint_option
from pan_audits.command_line.values import option, parse_bits, real, words
from pan_audits.density.count_use import Input

_MOST_USERS = 2.0**61


CounterMemory = Annotated[
    str | None,
    words(
        "--memory",
        parse=lambda text, _: _read_memory(text),
        help="Largest size of the bits, from 128 bytes on: bytes, or 32kbit, 4KiB, 1MB; by default 8KiB.",
    ),
]
Least = Annotated[
    float | None,
    option(
        "--from",
        parse=real(_MOST_USERS, "users"),
        help="Least number of users for which the error is small; by default 1e4.",
        metavar="FLOAT",
    ),
]
Most = Annotated[
    float | None,
    option(
        "--to",
        parse=real(_MOST_USERS, "users"),
        help="Largest number of users for which the error is small; by default 1e9.",
        metavar="FLOAT",
    ),
]
State = Annotated[
    Path | None,
    typer.Option(
        "--state",
        help="Keep the counter in this file, which only its owner can read, and go on from it if it exists. Each "
        "reading of a copy is an intrusion; one is covered.",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(help="Keep the key of the hash in this file, apart from the state. The last release removes it."),
]
UpdateOnly = Annotated[bool, typer.Option("--update-only", help="Count the ids and keep the state; release nothing.")]
ReleaseOnly = Annotated[bool, typer.Option("--release-only", help="Release from the state; read no ids.")]
Show = Annotated[bool, typer.Option("--show", help="Print the outputs that the state has kept; change nothing.")]
CheckpointText = Annotated[
    str | None,
    checkpoint_option("With a state: save while reading, after every 100000 ids, or every 30s; by default every 30s."),
]
InputPlace = Annotated[
    Input | None,
    choice(
        "--input",
        Input,
        "After an interruption: whole, if the input begins with the ids that were counted; rest, if it begins after "
        "them, or is another one. Without it, the file must be unchanged. All ids of the input are counted: repeated "
        "ids change nothing.",
    ),
]
WithoutPlace = Annotated[
    bool,
    typer.Option(
        "--without-place",
        help="Do not save which input is read. After an interruption any input is counted, without a question.",
    ),
]


def _read_memory(text: str) -> str:
    """The value of an option that was read without an error."""
    parse_bits(text)
    return text
