"""The progress, shown on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pan_audits.reports.text import console
from pan_promises.errors import printable


def _told(text: str) -> str:
    """A text with a name from outside, on one line and without markup."""
    from rich.markup import escape

    return escape(printable(text))


@contextmanager
def run_counter(description: str) -> Iterator[Callable[..., None] | None]:
    """Count finished runs on standard error while it is a terminal."""
    terminal = console(stderr=True)
    if not terminal.is_terminal:
        yield None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,} runs"))
    with Progress(*columns, TimeElapsedColumn(), console=terminal, transient=True) as progress:
        task = progress.add_task(_told(description), total=None)

        def count(runs: int, note: str = "") -> None:
            progress.advance(task, runs)
            if note:
                progress.update(task, description=_told(f"{description}: {note}"))

        yield count


@contextmanager
def spinner(description: str) -> Iterator[Callable[[str], None] | None]:
    """Print the current step on standard error, while it is a terminal."""
    terminal = console(stderr=True)
    if not terminal.is_terminal:
        yield None
        return
    with terminal.status(_told(description)) as status:
        yield lambda text: status.update(_told(f"{description}: {text}"))


@contextmanager
def byte_bar(file: str) -> Iterator[Callable[[int], None] | None]:
    """Show the bytes that were read of a file, on standard error while it is a terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    size = Path(file).stat().st_size if file != "-" and Path(file).is_file() else None
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("reading", total=size)
        yield lambda done: bar.update(task, completed=done)
