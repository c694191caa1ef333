"""The commands by name: where the function stands, and the first line of its docstring."""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, tuple[str, str]] = {
    "count": (
        "pan_audits.density.commands.count:count",
        "Count the distinct users of a stream, for ids of any kind and an unknown number of users, in a few KiB.",
    ),
    "plan": (
        "pan_audits.density.commands.plan:plan",
        "The least sample for an accuracy, or the accuracy of a sample, by the published bound; memory of a counter.",
    ),
}
