"""Entry point: one sentence for bad input, and the exit codes of the verdicts."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from typing import Annotated

import typer

from pan_audits.cli.commands import LazyGroup, application
from pan_audits.cli.usage import USAGE_ERROR, sentence
from pan_promises.errors import InputError, sentences_of

CLOSED_PIPE = 141
"""Exit code after the reader of the output has closed the pipe: 128 and SIGPIPE, as for any command in a shell.

It is not the code of a verdict: 1 means refuted, and 3 means inconclusive.
"""
INTERRUPTED = 130
TRACEBACK = "PANPROOF_TRACEBACK"
"""The variable of the environment that asks for a traceback."""

app = application(
    LazyGroup,
    "panproof",
    help="Decides whether a streaming estimator keeps its privacy promise.\n\n"
    "Exit codes: 0 accepted, 1 refuted, 2 usage or input error, 3 inconclusive.",
    epilog="Example: panproof gate optimal-bernoulli --promise-epsilon 0.2",
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


def main(app: typer.Typer = app, name: str = "panproof") -> None:
    """Run the command; bad input ends with exit code 2 and one sentence on standard error."""
    try:
        code = _run(app, name)
        # Otherwise Python writes the rest of the buffer when it ends, and a failure there is exit code 120.
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_output()
        code = CLOSED_PIPE
    except OSError as problem:
        _abandon_output()
        print_errors(f"cannot write: {problem.strerror}")
        code = 2
    sys.exit(code)


def print_errors(*sentences: str) -> None:
    """Print errors on standard error, one line for each."""
    from pan_promises.errors import printable

    for one in sentences:
        print(f"panproof: {printable(one)}", file=sys.stderr)


def _run(app: typer.Typer, name: str) -> str | int | None:
    """The exit code of the command; :class:`OSError` if its output cannot be written."""
    words = sys.argv[1:]
    try:
        code = app(words or ["--help"], prog_name=name, standalone_mode=False)
        return (code or 0) if words else 2
    except SystemExit as end:
        # Typer ends with 1 when the pipe is closed, and 1 means refuted here.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        return end.code
    except (KeyboardInterrupt, typer.Abort):
        print_errors("interrupted")
        return INTERRUPTED
    except USAGE_ERROR as problem:
        print_errors(sentence(problem))
        return 2
    except InputError as problem:
        print_errors(*sentences_of(problem))
        return 2
    except Exception as problem:
        if isinstance(problem, OSError) and problem.errno in (errno.EPIPE, errno.ENOSPC):
            raise
        if isinstance(problem, ModuleNotFoundError) and (told := _missing_library(problem)):
            print_errors(told)
            return 2
        _print_crash(problem)
        # A crash must not look like a refutation: 1 is Python's own exit code for a traceback.
        return 3


def _print_crash(problem: Exception) -> None:
    """One line about a defect of this package; the traceback only if it is asked for."""
    if os.environ.get(TRACEBACK):
        traceback.print_exc()
        return
    *_, place = traceback.extract_tb(problem.__traceback__)
    told = " ".join(f"{type(problem).__name__}: {problem}".split())
    print_errors(
        f"internal error, please report it: {told} ({os.path.basename(place.filename)}, line {place.lineno}); "
        f"with {TRACEBACK}=1 in the environment the same command prints the traceback"
    )


def _missing_library(problem: ModuleNotFoundError) -> str:
    """The sentence about a missing library of an extra; empty for any other module."""
    from pan_promises.errors import MissingExtraError
    from pan_promises.extras import extra_with

    extra = extra_with(problem.name or "")
    return "" if extra is None else str(MissingExtraError("this command", extra))


def _abandon_output() -> None:
    """Discard the rest of the buffers, so that Python ends in silence."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):  # not a file: replaced by a caller
        os.dup2(nowhere, sys.stdout.fileno())
        sys.stdout.flush()
    os.close(nowhere)
