"""Many cases of one kind: a part of them in the ordinary run, the others in `make test-more`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def every(number: int, cases: Iterable[Any]) -> list[Any]:
    """The cases, of which each but every ``number``-th one has the marker ``more``; a tuple holds several arguments."""
    return [case if place % number == 0 else _with_more(case) for place, case in enumerate(cases)]


def _with_more(case: Any) -> Any:
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.more], id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.more)
