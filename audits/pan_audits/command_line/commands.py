"""The commands, each imported when it is called or its help is asked for, not before.

The overview of ``panproof --help`` needs a name and a sentence for each; the rest would cost a second.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperGroup

# In the order of the overview: where the function stands, and the first line of its docstring.
COMMANDS = MappingProxyType(
    {
        "gate": ("gate:gate", "Judge an estimator: its privacy promise, its conduct and its accuracy."),
        "check": ("check:check", "Compute the privacy loss of an estimator exactly, on every small stream."),
        "audit": (
            "audit:audit",
            "Judge all shipped estimators on real streams, side by side: promise, exact loss, audit, error, memory.",
        ),
        "compare": (
            "compare:compare",
            "Compare the estimators of the density of a stream of insertions at equal memory.",
        ),
        "replay": ("replay:replay", "Run both streams of a witness again and count its event."),
        "estimate": (
            "estimate:estimate",
            "Estimate the density and the distinct count of a stream of ids, in constant memory.",
        ),
        "plan": (
            "plan:plan",
            "The least sample for an accuracy, or the accuracy of a sample, by the published bound.",
        ),
        "losses": (
            "losses:losses",
            "Show what the published estimators promise for state and output jointly, and what they lose.",
        ),
        "claims": (
            "claims:claims",
            "Show every judged statement of the sources with its verdict, or the whole derivation of some.",
        ),
        "derive": (
            "derive:derive",
            "Write the derivations of claims as LaTeX, one file for each and a document of all, and as an HTML page.",
        ),
        "reproduce": (
            "reproduce:reproduce",
            "Make the experiments of the paper and of the thesis anew, and judge every sentence about them.",
        ),
        "list": (
            "listing:list_estimators",
            "List the shipped estimators, and those that other installed packages have announced.",
        ),
        "stream": (
            "stream:stream",
            "Print a stream of ids to standard output, to be piped into ``panproof estimate``.",
        ),
    }
)


class LazyGroup(TyperGroup):
    """A group whose commands stand there by name and summary until one is called.

    Typer offers no other place for this than a class of group.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """The called command itself, in the place of its name and summary."""
        name, summary, rest = super().resolve_command(ctx, args)
        return name, summary if name is None else _single(name), rest


def register(app: typer.Typer) -> None:
    """Give an application the names and summaries of all commands."""
    for name, (_, summary) in COMMANDS.items():
        app.command(name, help=summary)(_not_imported)


def function_of(name: str) -> Callable[..., None]:
    """The function behind a command, imported now."""
    module, _, function = COMMANDS[name][0].partition(":")
    found: Callable[..., None] = getattr(import_module(f"pan_audits.command_line.{module}"), function)
    return found


def _single(name: str) -> Any:
    alone = typer.Typer(rich_markup_mode="markdown", add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(function_of(name))
    return typer.main.get_command(alone)


def _not_imported() -> None:
    raise AssertionError("a command is resolved before it is called")
