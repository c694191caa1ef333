"""The page of the figures: the rows of a run take the place of earlier rows of the same tests."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass

COMMAND = (
    "python -m pytest tests/benchmarks --benchmark-only --benchmark-columns=min,median,rounds "
    "--figures tests/benchmarks/FIGURES.md"
)


@dataclass(frozen=True)
class Row:
    """A row of the page.

    Attributes
    ----------
    module, test
        The file without its ending, and the name of the test in it.
    cells
        The other cells of the row, as they are written.
    """

    module: str
    test: str
    cells: str


def rows_of(page: str) -> list[Row]:
    """The rows of a page.

    Parameters
    ----------
    page
        The text of the page. Rows without a test are those of earlier versions of it.
    """
    rows, module = [], ""
    for line in page.splitlines():
        if found := re.fullmatch(r"## (\w+)\.py", line):
            module = found[1]
        elif line.startswith("| ") and not line.startswith("| | "):
            cells, _, last = line.removesuffix(" |").rpartition(" | ")
            named = re.fullmatch(r"`(.+)`|-", last)
            rows.append(Row(module, named[1] or "", cells) if named else Row(module, "", line.removesuffix(" |")))
    return rows


def merged(earlier: Iterable[Row], later: Iterable[Row], whole: Collection[str]) -> list[Row]:
    """The rows of both, without earlier rows of tests that are in both.

    Parameters
    ----------
    earlier, later
        The rows.
    whole
        The modules of which all tests ran: earlier rows of other tests are left out.
    """
    new = list(later)
    known = {(row.module, row.test) for row in new}
    kept = [row for row in earlier if row.module not in whole and (row.module, row.test) not in known]
    modules = sorted({row.module for row in [*kept, *new]})
    return [row for module in modules for row in [*kept, *new] if row.module == module]


def written(rows: Iterable[Row]) -> str:
    """The page with these rows.

    Parameters
    ----------
    rows
        The rows, those of a module together.
    """
    lines = [
        "# Figures of the benchmarks",
        "",
        "Written by `make benchmark`, not by hand:",
        "",
        f"    {COMMAND}",
        "",
        "A run of one file with these options writes its rows alone anew.",
        "",
        f"Python {platform.python_version()} on {sys.platform}. Ratios are of two measurements in one run; other times "
        "depend on the machine.",
    ]
    module = ""
    for row in rows:
        if row.module != module:
            module = row.module
            lines += ["", f"## {module}.py", "", "| | measured | limit | oracle | test |", "|---|---:|---|---|---|"]
        test = f"`{row.test}`" if row.test else "-"
        lines.append(f"{row.cells} | {test} |")
    return "\n".join(lines) + "\n"
