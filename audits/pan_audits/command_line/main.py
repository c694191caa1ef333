"""Entry point: one sentence for bad input, and the exit codes of the verdicts."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer

from pan_audits.command_line.commands import LazyGroup, register
from pan_estimators import InputError

app = typer.Typer(
    name="panproof",
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Decides whether a streaming estimator keeps its privacy promise.\n\n"
    "Exit codes: 0 accepted, 1 refuted, 2 usage or input error, 3 inconclusive.",
    epilog="Example: panproof gate optimal-bernoulli --epsilon 0.1",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"panproof {version('panproof')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Decides whether a streaming estimator keeps its privacy promise."""


register(app)


def main() -> None:
    """Run the command; bad input ends with exit code 2 and one sentence on standard error."""
    # A file queue.py in the working directory must not replace Python's own in the worker processes.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    try:
        app()
    except InputError as problem:
        print(f"panproof: {problem}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception:
        # A crash must not look like a refutation: 1 is Python's own exit code for a traceback.
        traceback.print_exc()
        sys.exit(3)
