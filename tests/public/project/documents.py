"""The written pages of the repo, and the marked blocks in them.

A comment before a block says how the tests treat it: ``run`` executes the command, ``file: NAME`` writes a file for the
commands of all pages, ``doctest`` executes Python, ``session`` a Python session with its output. ``table``, ``losses``
and ``experiments`` mark results that a test compares with the code. ``python -m tests.public.project.documents``
writes the table of all options anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from experiments.__main__ import COMMANDS as EXPERIMENTS
from experiments.__main__ import PROGRAM
from pan_audits.cli.commands import COMMANDS, single

ROOT = Path(__file__).parents[3]

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


PROGRAMS = {"panproof": COMMANDS, PROGRAM: EXPERIMENTS}
OPTIONS = "docs/command-line.md"
HEADING = "| option | commands | meaning |\n|---|---|---|\n"


def option_table() -> str:
    """All options of all commands: an option with one text in several commands has one row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for program, table in PROGRAMS.items():
        for command in table:
            for one in single(command, table).params:
                if one.param_type_name == "option" and not one.hidden:
                    names = ", ".join(f"`{name}`" for name in sorted({*one.opts, *one.secondary_opts}, reverse=True))
                    text = " ".join((one.help or "").split()).replace("|", "\\|")
                    rows.setdefault((names, text), []).append(command if program == "panproof" else f"*{command}*")
    found = sorted(rows.items(), key=lambda row: row[0][0].lower())
    return HEADING + "".join(f"| {names} | {', '.join(commands)} | {text} |\n" for (names, text), commands in found)


if __name__ == "__main__":
    page = ROOT / OPTIONS
    head = page.read_text().partition(HEADING)[0]
    page.write_text(head + option_table())
