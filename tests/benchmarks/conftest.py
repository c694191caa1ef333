"""Figures of the benchmarks, each beside its limit or an oracle's: printed at the end, and written as a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.benchmarks.figures_page import Row, merged, rows_of, written


@dataclass(frozen=True)
class Figure:
    """What was measured, beside what it is measured against."""

    module: str
    test: str
    what: str
    measured: float
    limit: str
    oracle: str

    def __str__(self):
        return f"{self.what:<58} {self.measured:>9.4g}   limit {self.limit:<8} {self.oracle}"

    @property
    def row(self):
        cells = f"| {self.what} | {self.measured:.4g} | {self.limit} | {self.oracle}"
        return Row(self.module, self.test, cells)


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
        module = request.module.__name__.rpartition(".")[2]
        FIGURES.append(Figure(module, request.node.name, what, measured, limit, oracle))

    return note


def pytest_terminal_summary(terminalreporter, config):
    if FIGURES:
        terminalreporter.section("figures")
        for line in FIGURES:
            terminalreporter.write_line(str(line))
        if page := config.getoption("--figures"):
            path = Path(page)
            earlier = rows_of(path.read_text()) if path.exists() else []
            path.write_text(written(merged(earlier, [figure.row for figure in FIGURES], whole_modules(config))))


def whole_modules(config):
    """The modules whose tests all ran: none if some were chosen."""
    chosen = config.getoption("keyword") or any("::" in one for one in config.args)
    return () if chosen else {figure.module for figure in FIGURES}
