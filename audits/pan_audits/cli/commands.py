"""The commands. A command is imported when it is called, or when its help is printed.

The overview of ``panproof --help`` needs a name and a sentence for each. The other imports would take a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperGroup

from pan_audits.cli.usage import Command, warn
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.families import FamilyParts, family_parts

_STYLE: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": "markdown",
    "pretty_exceptions_enable": False,
}

# The commands in the order of the overview: the place of the function, and the first line of its docstring.
_OWN = MappingProxyType(
    {
        "gate": (
            "pan_audits.cli.gate:gate",
            "Judge an estimator: its privacy promise, its conduct and its accuracy.",
        ),
        "check": (
            "pan_audits.cli.check:check",
            "Compute the privacy loss of an estimator exactly, on every small stream.",
        ),
        "audit": (
            "pan_audits.cli.gate:audit",
            "Judge an estimator by runs alone: the gate without the exact check.",
        ),
        "replay": ("pan_audits.cli.replay:replay", "Run both streams of a witness again and count its event."),
        "list": (
            "pan_audits.cli.listing:list_estimators",
            "List the shipped estimators, or judge all of them on real streams, side by side.",
        ),
        "claims": (
            "pan_audits.cli.claims:claims",
            "Show every judged statement of the sources with its verdict, or the whole derivation of some.",
        ),
        "estimate": (
            "pan_audits.cli.estimate:estimate",
            "Estimate the density and the distinct count of a stream of ids, in constant memory.",
        ),
        "stream": (
            "pan_audits.cli.stream:stream",
            "Print a stream to standard output, to be piped into ``panproof estimate``.",
        ),
    }
)

COMMANDS = FamilyParts(
    lambda: {**_OWN, **{name: row for table in family_parts("pan_audits", "commands") for name, row in table.items()}}
)
"""The commands of this room and of the families."""

MOVED = MappingProxyType(dict.fromkeys(("reproduce", "compare", "losses", "attack"), "python -m experiments"))
"""Commands of the last release that are elsewhere now, with the program that has them."""

_OF_THE_TABLE = frozenset(
    ["--stream", "--epsilon", "-e", "--only", "--time", "--error", "--seed", "--jobs", "-j", "--junit"]
)
"""The options with a value of the former command ``audit``, which named no estimator."""


def present(words: Sequence[str]) -> list[str]:
    """The words of a call with the present name of its command; former names are taken for one more release."""
    match list(words):
        case ["derive", *rest]:
            warn("panproof derive", "panproof claims --out")
            return ["claims", *rest]
        case ["schema", command, *rest] if not command.startswith("-"):
            warn("panproof schema COMMAND", "panproof COMMAND --json-schema")
            return [command, "--json-schema", *rest]
        case ["gate", *rest] if "--no-exact" in rest:
            warn("panproof gate --no-exact", "panproof audit")
            return ["audit", *(word for word in rest if word != "--no-exact")]
        case ["audit", *rest] if _names_nothing(rest):
            warn("panproof audit without a name", "panproof list --verdicts")
            return ["list", "--verdicts", *rest]
    return list(words)


def _names_nothing(words: Sequence[str]) -> bool:
    """Whether a call of ``audit`` has options of the former command only, and no estimator."""
    rest = iter(words)
    for word in rest:
        name, equals, _ = word.partition("=")
        if name in _OF_THE_TABLE:
            if not equals:
                next(rest, None)
        elif word != "--json":
            return False
    return True


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and summary until one is called.

    Typer offers no other place for this than a class of group. Another program has a subclass with its own table.
    """

    table: Mapping[str, tuple[str, str]] = COMMANDS
    """The place of the function of each command, and the first line of its docstring."""

    moved: Mapping[str, str] = MOVED

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """The called command itself, in the place of its name and summary."""
        if args[0] in self.moved:
            raise InputError(f"{args[0]} is a command of the repository now: {self.moved[args[0]]} {args[0]}")
        args = present(args)
        if args[0] not in self.table:
            meant = suggestion(args[0], self.table, overview=f"`{ctx.command_path} --help` shows all")
            raise InputError(f"unknown command {shown(args[0])}; {meant}")
        name, summary, rest = super().resolve_command(ctx, args)
        return name, summary if name is None else single(name, self.table), rest


def application(kind: type[LazyGroup], name: str, **told: Any) -> typer.Typer:
    """An application that has the commands of a group."""
    app = typer.Typer(name=name, cls=kind, **_STYLE, **told)
    for command, (_, summary) in kind.table.items():
        app.command(command, help=summary)(_not_imported)
    return app


def function_of(name: str, table: Mapping[str, tuple[str, str]] = COMMANDS) -> Callable[..., None]:
    """The function behind a command, imported now."""
    module, _, function = table[name][0].partition(":")
    found: Callable[..., None] = getattr(import_module(module), function)
    return found


def single(name: str, table: Mapping[str, tuple[str, str]] = COMMANDS) -> Any:
    """A command alone, imported now."""
    alone = typer.Typer(**_STYLE)
    alone.command(name, cls=Command)(function_of(name, table))
    return typer.main.get_command(alone)


def _not_imported() -> None:
    raise AssertionError("a command is resolved before it is called")
