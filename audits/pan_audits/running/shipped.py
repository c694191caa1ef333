"""Whether an estimator is one that this project ships."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, TypeVar

KindT = TypeVar("KindT")


_FRONTS: set[type[Any]] = set()


def front_of_shipped(kind: type[KindT]) -> type[KindT]:
    """Mark a class whose objects stand for the shipped object in their attribute ``owner``."""
    _FRONTS.add(kind)
    return kind


def is_shipped(estimator: Any) -> bool:
    """Whether the class of an estimator is one that this project ships, or stands for one of them."""
    kind: Any = type(estimator.owner if type(estimator) in _FRONTS else estimator)
    return _ships(kind)


@cache
def _ships(kind: Any) -> bool:
    module = sys.modules.get(kind.__module__)
    return kind.__module__.startswith("pan_estimators.") and getattr(module, kind.__qualname__, None) is kind
