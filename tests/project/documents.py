"""The written pages of the repo, and the marked blocks in them.

A comment before a block says how the tests treat it: ``run`` executes the command, ``file: NAME`` writes a file for the
commands of all pages, ``doctest`` executes Python, ``session`` a Python session with its output. ``table``, ``losses``
and ``experiments`` mark results that a test compares with the code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), ROOT / "tests" / "README.md"]
}
"""The text of each page, by its path in the repo."""


@dataclass(frozen=True)
class Block:
    """A marked block.

    Attributes
    ----------
    page
        The path of its page.
    note
        The text of the comment before it.
    body
        The text between the fences.
    """

    page: str
    note: str
    body: str

    @property
    def command(self) -> str:
        """The first line without its prompt."""
        return self.body.partition("\n")[0].removeprefix("$ ")


BLOCKS = [
    Block(page, note, body)
    for page, text in PAGES.items()
    for note, body in re.findall(r"<!-- (.+?) -->\n```\w+\n(.*?)```", text, re.DOTALL)
]


def blocks(kind: str) -> list[Block]:
    """The blocks whose note begins with this word."""
    return [block for block in BLOCKS if block.note.partition(":")[0] == kind]


def table_after(note: str) -> list[list[str]]:
    """The cells of the Markdown table that follows a comment, without its two heading lines."""
    (rows,) = [found for text in PAGES.values() for found in re.findall(rf"<!-- {note} -->\n((?:\|.*\n)+)", text)]
    return [[cell.strip(" `") for cell in row.strip().strip("|").split("|")] for row in rows.splitlines()[2:]]
