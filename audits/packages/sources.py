"""Repositories that are no packages: their files stand in .venv-packages/sources, where a person puts them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".venv-packages" / "sources"


@dataclass(frozen=True)
class Source:
    """One file of a repository at a commit.

    Attributes
    ----------
    address
        Of the repository.
    commit
        The commit.
    file
        The path of the file in the repository.
    digest
        The SHA-256 of its contents.
    """

    address: str
    commit: str
    file: str
    digest: str


SOURCES = {
    "smooth-binary-mechanism": Source(
        "https://github.com/jodander/smooth-binary-mechanism",
        "1795acf00da002fb960eae801d81e0b2099eb403",
        "mechanism_noise_generation.py",
        "8f6b942b74be66e2e865060e5e278a4317c401f75ebae32252b40d4236c4ddb7",
    )
}


def file_of(name: str) -> Path:
    """Where the file of a repository stands."""
    return FOLDER / name / SOURCES[name].file


def why_missing(name: str) -> str:
    """Why a repository cannot be judged here, in a sentence; empty if it can."""
    source, file = SOURCES[name], file_of(name)
    if not file.is_file():
        return (
            f"it is a repository and no package, and there was no copy of it: a clone of {source.address} belongs "
            f"into `.venv-packages/sources/{name}`"
        )
    if hashlib.sha256(file.read_bytes()).hexdigest() != source.digest:
        return f"its file `{source.file}` is not that of the commit {source.commit[:12]}"
    return ""
