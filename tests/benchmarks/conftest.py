"""Figures of the benchmarks, each beside its limit or an oracle's: printed at the end, and written as a page."""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path

import pytest

ROWS: dict[str, list[str]] = {}
"""The rows of the page, by the name of their file."""

INTRODUCTION = f"""# Figures of the benchmarks

Written by `make benchmark`, not by hand. A run of one file with the same options writes its section alone anew.

Python {platform.python_version()} on {sys.platform}. Ratios are of two measurements in one run; other times depend on
the machine.
"""
HEADING = "\n## {}\n\n| | measured | limit | oracle |\n|---|---:|---|---|\n"


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
        ROWS.setdefault(request.path.name, []).append(f"| {what} | {measured:.4g} | {limit} | {oracle} |")

    return note


def pytest_terminal_summary(terminalreporter, config):
    for rows in ROWS.values():
        terminalreporter.write_line("\n".join(rows))
    if ROWS and (page := config.getoption("--figures")):
        earlier = re.split(r"^## (.+)$", Path(page).read_text(), flags=re.MULTILINE)[1:]
        sections = dict(zip(earlier[::2], (text.strip().split("\n")[2:] for text in earlier[1::2]), strict=True)) | ROWS
        parts = (HEADING.format(name) + "\n".join(sections[name]) + "\n" for name in sorted(sections))
        Path(page).write_text(INTRODUCTION + "".join(parts))
