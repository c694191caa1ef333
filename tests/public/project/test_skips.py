"""Skips that nobody expects are errors where NO_SKIPS=1 is set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]
SKIPPED = """
import pytest
@pytest.mark.skip(reason="{reason}")
def test_one(): pass
def test_other(): pass
"""


@pytest.mark.parametrize(
    ("reason", "strict", "code"),
    [("chromium is not installed", "1", 1), ("chromium is not installed", "", 0), ("could not import 'ray'", "1", 0)],
)
def test_an_unexpected_skip_is_an_error_where_none_is_allowed(pytester, monkeypatch, reason, strict, code):
    monkeypatch.setenv("NO_SKIPS", strict)
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    pytester.makepyfile(SKIPPED.format(reason=reason))
    result = pytester.runpytest_subprocess("-p", "tests.public.project.skips", "-q")
    assert result.ret == code
    assert ("not on the list" in result.stdout.str()) == bool(code)
