"""The commands. A command is imported when it is called, or when its help is printed.

The overview of ``panproof --help`` needs a name and a sentence for each. The other imports would take a second.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperGroup

from pan_audits.command_line.usage import StrictCommand
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.families import FamilyParts, family_parts

# The commands in the order of the overview: the place of the function, and the first line of its docstring.
_OWN = MappingProxyType(
    {
        "gate": (
            "pan_audits.command_line.gate:gate",
            "Judge an estimator: its privacy promise, its conduct and its accuracy.",
        ),
        "check": (
            "pan_audits.command_line.check:check",
            "Compute the privacy loss of an estimator exactly, on every small stream.",
        ),
        "audit": (
            "pan_audits.command_line.audit:audit",
            "Judge all shipped estimators on real streams, side by side: promise, exact loss, audit, error, memory.",
        ),
        "compare": (
            "pan_audits.command_line.compare:compare",
            "Compare the estimators of the density of a stream of insertions at equal memory.",
        ),
        "replay": ("pan_audits.command_line.replay:replay", "Run both streams of a witness again and count its event."),
        "estimate": (
            "pan_audits.command_line.estimate:estimate",
            "Estimate the density and the distinct count of a stream of ids, in constant memory.",
        ),
        "claims": (
            "pan_audits.command_line.claims:claims",
            "Show every judged statement of the sources with its verdict, or the whole derivation of some.",
        ),
        "derive": (
            "pan_audits.command_line.derive:derive",
            "Write the derivations of claims as LaTeX, one file for each and a document of all, and as an HTML page.",
        ),
        "reproduce": (
            "pan_audits.command_line.reproduce:reproduce",
            "Reproduce the experiments of the paper and of the thesis, and judge every sentence about them.",
        ),
        "schema": (
            "pan_audits.command_line.schema:schema",
            "Print the JSON Schema of the document that a command prints with ``--json``.",
        ),
        "list": (
            "pan_audits.command_line.listing:list_estimators",
            "List the shipped estimators, and those of other installed packages.",
        ),
        "stream": (
            "pan_audits.command_line.stream:stream",
            "Print a stream to standard output, to be piped into ``panproof estimate``.",
        ),
    }
)

COMMANDS = FamilyParts(
    lambda: {**_OWN, **{name: row for table in family_parts("pan_audits", "commands") for name, row in table.items()}}
)
"""The commands of this room and of the families."""


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and summary until one is called.

    Typer offers no other place for this than a class of group.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """The called command itself, in the place of its name and summary."""
        if args[0] not in COMMANDS:
            meant = suggestion(args[0], COMMANDS, overview="`panproof --help` shows all")
            raise InputError(f"unknown command {shown(args[0])}; {meant}")
        name, summary, rest = super().resolve_command(ctx, args)
        return name, summary if name is None else _single(name), rest


def register(app: typer.Typer) -> None:
    """Give an application the names and summaries of all commands."""
    for name, (_, summary) in COMMANDS.items():
        app.command(name, help=summary)(_not_imported)


def function_of(name: str) -> Callable[..., None]:
    """The function behind a command, imported now."""
    module, _, function = COMMANDS[name][0].partition(":")
    found: Callable[..., None] = getattr(import_module(module), function)
    return found


def _single(name: str) -> Any:
    alone = typer.Typer(rich_markup_mode="markdown", add_completion=False, pretty_exceptions_enable=False)
    alone.command(name, cls=StrictCommand)(function_of(name))
    return typer.main.get_command(alone)


def _not_imported() -> None:
    raise AssertionError("a command is resolved before it is called")
