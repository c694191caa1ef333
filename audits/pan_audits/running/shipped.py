"""Whether an estimator is one that this project ships."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any


def is_shipped(estimator: Any) -> bool:
    """Whether the class of an estimator is one that this project ships."""
    kind: Any = type(estimator)
    return _ships(kind)


@cache
def _ships(kind: Any) -> bool:
    module = sys.modules.get(kind.__module__)
    return kind.__module__.startswith("pan_estimators.") and getattr(module, kind.__qualname__, None) is kind
