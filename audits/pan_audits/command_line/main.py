"""Entry point: one sentence for bad input, and the exit codes of the verdicts."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from typing import Annotated

import typer

from pan_audits.command_line.commands import LazyGroup, register

CLOSED_PIPE = 141
"""Exit code when whoever reads the output has gone: 128 and SIGPIPE, as for any command in a shell.

Neither a verdict nor its absence: 1 would read as refuted, 3 as a claim that an engine could not decide.
"""

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
        code = _run()
        # What is still in the buffer would be written at the end of Python, where a failure is exit code 120.
        sys.stdout.flush()
    except BrokenPipeError:
        _let_output_go()
        code = CLOSED_PIPE
    except OSError as problem:
        _let_output_go()
        print(f"panproof: cannot write: {problem.strerror}", file=sys.stderr)
        code = 2
    sys.exit(code)


def _run() -> str | int | None:
    """The exit code of the command; :class:`OSError` if its output cannot be written."""
    try:
        app()
    except SystemExit as end:
        # Rich and Typer end with 1 when the pipe is closed, and 1 means refuted here.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        return end.code
    except Exception as problem:
        from pan_estimators import InputError

        if isinstance(problem, InputError):
            from pan_audits.reading import printable

            print(f"panproof: {printable(str(problem))}", file=sys.stderr)
            return 2
        if isinstance(problem, OSError) and problem.errno in (errno.EPIPE, errno.ENOSPC):
            raise
        # A crash must not look like a refutation: 1 is Python's own exit code for a traceback.
        traceback.print_exc()
        return 3
    return 0


def _let_output_go() -> None:
    """Send what is left in the buffers nowhere, so that Python can end in silence."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):  # not a file: replaced by a caller
        os.dup2(nowhere, sys.stdout.fileno())
        sys.stdout.flush()
    os.close(nowhere)
