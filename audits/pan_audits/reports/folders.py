"""Folders for files that a command writes at its end: they are made and tried before the work begins."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from pan_promises.errors import InputError


def require_folder(folder: Path) -> None:
    """Make a folder if it is missing, and write and delete a file there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            file.write(b"panproof")
    except OSError as problem:
        raise InputError(f"cannot write to {folder}: {problem.strerror}") from None
