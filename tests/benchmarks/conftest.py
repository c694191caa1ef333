"""Figures of the benchmarks, each beside its limit or an oracle's: printed at the end, and written as a page."""

from __future__ import annotations

import platform
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Figure:
    """What was measured, beside what it is measured against."""

    module: str
    what: str
    measured: float
    limit: str
    oracle: str

    def __str__(self):
        return f"{self.what:<58} {self.measured:>9.4g}   limit {self.limit:<8} {self.oracle}"

    @property
    def row(self):
        return f"| {self.what} | {self.measured:.4g} | {self.limit} | {self.oracle} |"


FIGURES: list[Figure] = []


def pytest_collection_modifyitems(items):
    """Mark the benchmarks, so that the tests can leave them out without a skip for each."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("benchmark")


def pytest_addoption(parser):
    parser.addoption("--figures", metavar="FILE", help="Also write the figures of the benchmarks as a Markdown page.")


@pytest.fixture
def figure(request):
    """Note a figure: what, measured, limit, oracle."""

    def note(what: str, measured: float, limit: str, oracle: str = "") -> None:
        FIGURES.append(Figure(request.module.__name__.rpartition(".")[2], what, measured, limit, oracle))

    return note


def pytest_terminal_summary(terminalreporter, config):
    if FIGURES:
        terminalreporter.section("figures")
        for line in FIGURES:
            terminalreporter.write_line(str(line))
        if page := config.getoption("--figures"):
            Path(page).write_text(markdown(config.invocation_params.args))


def markdown(arguments):
    """The figures as a page, with the command that makes it."""
    lines = [
        "# Figures of the benchmarks",
        "",
        "Written by `make benchmark`, not by hand:",
        "",
        f"    python -m pytest {shlex.join(map(str, arguments))}",
        "",
        f"Python {platform.python_version()} on {sys.platform}. Ratios are of two measurements in one run; other times "
        "depend on the machine.",
    ]
    for module in dict.fromkeys(figure.module for figure in FIGURES):
        rows = [figure.row for figure in FIGURES if figure.module == module]
        lines += ["", f"## {module}.py", "", "| | measured | limit | oracle |", "|---|---:|---|---|", *rows]
    return "\n".join(lines) + "\n"
