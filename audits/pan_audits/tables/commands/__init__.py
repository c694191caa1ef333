"""The commands by name: where the function stands, and the first line of its docstring."""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, tuple[str, str]] = {
    "synthesize": (
        "pan_audits.tables.commands.synthesize:synthesize",
        "Write synthetic rows of a table with privacy, from a private model of it.",
    ),
}
"""``panproof synthesize``."""
