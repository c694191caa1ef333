"""Figures of the benchmarks, printed beside the oracle's at the end."""

from __future__ import annotations

import pytest

FIGURES: list[str] = []


@pytest.fixture
def figure():
    """Note a figure: what, measured, limit, oracle."""

    def note(what: str, measured: float, limit: str, oracle: str = "") -> None:
        FIGURES.append(f"{what:<58} {measured:>9.4g}   limit {limit:<8} {oracle}")

    return note


def pytest_terminal_summary(terminalreporter):
    if FIGURES:
        terminalreporter.section("figures")
        for line in FIGURES:
            terminalreporter.write_line(line)
