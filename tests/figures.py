"""A plugin of pytest: ``--record PAGE`` writes the figures that the slow tests note, beside those of earlier runs.

Results of tests that are gone leave the page.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--record", metavar="PAGE", type=Path, help="Write how the tests went to this page, and as JSON.")


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    page = config.getoption("--record")
    if not page:
        return
    known = page.with_suffix(".json")
    found = json.loads(known.read_text()) if known.exists() else {}
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, ()):
            found[report.nodeid] = {
                "outcome": outcome,
                "seconds": round(report.duration, 1),
                "date": f"{datetime.now(UTC):%Y-%m-%d}",
                "figures": {str(name): str(value) for name, value in report.user_properties},
            }
    found = {name: each for name, each in found.items() if _is_there(name)}
    known.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    page.write_text(markdown(found))


def _is_there(name):
    """Whether the test of a result still exists."""
    file, _, test = name.partition("::")
    path = Path(file)
    return path.is_file() and f"def {test.partition('[')[0]}(" in path.read_text()


def markdown(found):
    """The page of all results."""
    failed = sum(each["outcome"] != "passed" for each in found.values())
    lines = [
        "# The last runs of the slow tests",
        "",
        "Written by `make test-slow`, not by hand.",
        "",
        f"{failed} failed, of {len(found)}." if failed else f"All {len(found)} passed.",
        "",
        "| test | | seconds | date |",
        "|---|---|---:|---|",
    ]
    for name, each in sorted(found.items()):
        lines.append(f"| {_cell(name)} | {each['outcome']} | {each['seconds']} | {each['date']} |")
    lines += ["", "## Figures", "", "| test | | |", "|---|---|---|"]
    for name, each in sorted(found.items()):
        lines += [f"| {_cell(name)} | {_cell(key)} | {_cell(text)} |" for key, text in each["figures"].items()]
    return "\n".join(lines) + "\n"


def _cell(text):
    return text.replace("|", "\\|").replace("\n", " ")
