"""``panproof schema``: the JSON Schemas of the documents that the commands print with ``--json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any

from pan_audits.command_line.values import argument
from pan_promises.errors import InputError, shown, suggestion

_COMMON = "urn:panproof:schema:1:common"


def _with_schema(text: str, name: str) -> str:
    from pan_audits.command_line.commands import COMMANDS

    known = [command for command in COMMANDS if _file(command).is_file()]
    if text in COMMANDS and text not in known:
        raise InputError(f"panproof {text} prints no JSON; {suggestion('', known)}")
    if text not in known:
        raise InputError(f"unknown command {shown(text)}; {suggestion(text, known)}")
    return text


def schema(
    command: Annotated[str, argument(parse=_with_schema, help="The command, for instance gate.")],
) -> None:
    """Print the JSON Schema of the document that a command prints with ``--json``.

    The schema follows draft 2020-12 and refers to nothing outside itself.

    Example: panproof schema gate > gate.schema.json
    """
    print(json.dumps(schema_of(command), indent=2, ensure_ascii=False))


def schema_of(command: str, table: Mapping[str, tuple[str, str]] | None = None) -> dict[str, Any]:
    """The schema of a command's document, with the definitions that several commands share."""
    found: dict[str, Any] = json.loads(_file(command, table).read_text(encoding="utf-8"))
    common = json.loads((files("pan_audits") / "schemas" / "common.schema.json").read_text(encoding="utf-8"))
    return {**found, "$defs": {**found.get("$defs", {}), _COMMON: common}}


def _file(command: str, table: Mapping[str, tuple[str, str]] | None = None) -> Any:
    """The place of a command's schema: beside the rooms of the package that has the command."""
    from pan_audits.command_line.commands import COMMANDS

    package = (table or COMMANDS)[command][0].rpartition(":")[0].rsplit(".", 2)[0]
    return files(package) / "schemas" / f"{command}.schema.json"
