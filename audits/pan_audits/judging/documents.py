"""Results as documents: the JSON of a result is the list of its keys."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from enum import Enum
from types import MethodType
from typing import Any


def document(result: Any, keys: str) -> dict[str, Any]:
    """JSON-ready: the attributes with the names of these keys; ``key=name`` is another name, which may be a method."""
    found = {}
    for word in keys.split():
        key, _, name = word.partition("=")
        value = getattr(result, name or key)
        found[key] = as_document(value() if isinstance(value, MethodType) else value)
    return found


def as_document(value: Any) -> Any:
    """JSON-ready: a number that is not finite is ``None``."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): as_document(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [as_document(each) for each in value]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
