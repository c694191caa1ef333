"""The documents and files that a command writes, and the JSON Schemas of the documents."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

import typer

from pan_promises.errors import InputError, printable

FORMAT = 1
"""The version of the documents that ``--json`` prints."""
_COMMON = "urn:panproof:schema:1:common"


def require_writable(*paths: Path | None) -> None:
    """Check, before any work, that files can be written."""
    for path in paths:
        if path is None:
            continue
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder")
        if not path.parent.is_dir():
            raise InputError(f"cannot write {path}: there is no folder {path.parent}")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InputError(f"cannot write {path}: permission denied")


def write_text(path: Path, text: str) -> None:
    """Write a file; :class:`InputError` if that cannot be done."""
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror}") from None


class Files:
    """Files that a command writes beside its output.

    They are written first: a reader of the output may close the pipe early. A file that cannot be written is told
    after the output, so that the verdict is not lost.
    """

    def __init__(self) -> None:
        self._problem: Exception | None = None

    def write(self, path: Path, text: str) -> bool:
        """Write a file, and return whether it is there."""
        try:
            write_text(path, text)
        except InputError as problem:
            self._problem = self._problem or problem
            return False
        return True

    def write_json(self, path: Path | None, document: Mapping[str, Any] | None) -> bool:
        """Write a document, if there is one and it is wanted, and return whether it is there."""
        return path is not None and document is not None and self.write(path, json.dumps(document, indent=2))

    def write_witness(self, path: Path | None, found: Any, name: str, neighbours: str) -> str:
        """Write a witness, if there is one and it is wanted, and return the sentence about it."""
        from pan_audits.reports.commands import witness_command

        if path is None or found is None or not self.write_json(path, found.to_dict()):
            return ""
        return printable(f"witness written to {path}: {witness_command(path, name, neighbours)}")

    def require_written(self) -> None:
        """Raise :class:`InputError` for the first file that could not be written."""
        if self._problem is not None:
            raise self._problem


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document as JSON that any reader accepts, with the version of its format."""
    print(json.dumps({"panproof": FORMAT, **document}, indent=2, allow_nan=False, default=str))


def print_inconclusive(reason: str, *, as_json: bool, **about: str) -> NoReturn:
    """Print why nothing was judged, and end the command."""
    from pan_audits.judging.verdict import Verdict
    from pan_audits.reports.text import print_lines

    verdict = Verdict.INCONCLUSIVE
    if as_json:
        print_json({**about, "verdict": str(verdict), "reason": reason})
    else:
        print_lines(verdict, [(str(verdict), reason)])
    raise typer.Exit(verdict.exit_code)


def print_long_json(document: Mapping[str, Any], name: str, items: str) -> None:
    """Print a document that ends with a long list, whose items are JSON already, with commas between them."""
    text = json.dumps({"panproof": FORMAT, **document}, indent=2, allow_nan=False, default=str)
    head = text.removesuffix("\n}")
    print(f"{head},\n  {json.dumps(name)}: [\n{items}\n  ]\n}}")


def schema_of(command: str, module: str) -> dict[str, Any]:
    """The schema of a command's document, with the definitions that several commands share.

    It stands beside the rooms of the package that has the module of the command.
    """
    place = files(module.rsplit(".", 2)[0]) / "schemas" / f"{command}.schema.json"
    if not place.is_file():
        raise InputError(f"panproof {command} prints no JSON")
    common = json.loads((files("pan_audits") / "schemas" / "common.schema.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return {**found, "$defs": {**found.get("$defs", {}), _COMMON: common}}
