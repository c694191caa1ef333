"""A test that is skipped without anybody noticing tests nothing: with ``NO_SKIPS=1`` an unexpected skip is an error.

CI sets it where everything that the tests need beyond Python is installed.
"""

from __future__ import annotations

import os

import pytest

EXPECTED = {
    "could not import 'ray'": "Ray is an extra of hundreds of megabytes; its engine shares its code with Dask's",
    "does not work here": "the kernel of the machine decides which isolation there is",
    "there are no namespaces here": "the kernel of the machine decides which isolation there is",
    "no package index can be reached": "the small installation is built from the index",
    "is not here": "the source of another package comes with `make packages`, which replays its witnesses",
    "make packages has made no environment": "the environments of other packages are made by `make packages`",
    "no compiler for this language": "the examples of other languages are tried where a compiler is",
    "not a git checkout": "the files of the source distribution are those of the repository",
}
"""Reasons for which a test may be skipped in CI, each with why that is right."""


def unexpected(reasons):
    """The reasons that are not on the list."""
    return sorted({reason for reason in reasons if not any(expected in reason for expected in EXPECTED)})


def reason_of(report):
    """Why a test was skipped, as pytest tells it."""
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("NO_SKIPS") != "1" or terminal is None or hasattr(session.config, "workerinput"):
        return
    skipped = [report for report in terminal.stats.get("skipped", ()) if not hasattr(report, "wasxfail")]
    found = unexpected(map(reason_of, skipped))
    if found and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    for reason in found:
        terminal.write_line(f"ERROR: skipped, and not on the list in tests/public/project/skips.py: {reason}", red=True)
