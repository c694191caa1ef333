"""The commands by name: where the function stands, and the first line of its docstring."""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, tuple[str, str]] = {
    "follow": (
        "pan_audits.continual.commands.follow:follow",
        "Count the present elements of a stream of insertions and deletions, after every step, with privacy.",
    ),
}
"""``panproof follow``."""
