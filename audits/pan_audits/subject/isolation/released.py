"""In the judged process: what an output shows, as plain contents.

An iterator is what it yields. A fitted object is what it publishes. A table is its columns, and another object of
compiled code what its pickle names.
"""

from __future__ import annotations

import array
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from pan_audits.choices.errors import unfollowable
from pan_audits.events.observing.values import GENERATORS, fields_of, fingerprint
from pan_audits.subject.isolation.data import BASES, made_of_attributes
from pan_audits.subject.isolation.objects import find_method
from pan_audits.subject.isolation.sources import is_followed
from pan_audits.subject.isolation.synthesizers import SAMPLE_METHODS
from pan_promises.errors import InputError

_PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes, np.float64, np.int64, np.bool_))
_AS_THEY_ARE = (
    *(type, FunctionType, BuiltinFunctionType, MethodType, ModuleType, *GENERATORS),
    *(*BASES.values(), np.generic, memoryview, array.array, Decimal, Fraction),
)
_DEEPEST = 16
_MOST_OUTPUTS = 1024
"""Outputs that are taken from an iterator."""
_SAMPLED = 16
"""Rows that are taken from a fitted synthesizer."""


def released(value: Any, depth: int = 0) -> Any:
    """The contents of an output."""
    kind = type(value)
    if kind in _PLAIN or depth > _DEEPEST or kind.__module__.startswith("pan_"):
        return value
    if kind is list or kind is tuple:
        parts = [released(part, depth + 1) for part in value]
        return value if all(map(_is, parts, value)) else kind(parts)
    if kind is dict:
        held = {key: released(part, depth + 1) for key, part in value.items()}
        return value if all(map(_is, held.values(), value.values())) else held
    if isinstance(value, Iterator):
        shown = list(islice(value, _MOST_OUTPUTS))
        if len(shown) == _MOST_OUTPUTS and is_followed() and next(value, shown) is not shown:
            raise unfollowable(f"the mechanism yields more than {_MOST_OUTPUTS:,} outputs, and no more are followed")
        return [released(part, depth + 1) for part in shown]
    found = _contents(value, kind, depth + 1)
    return value if found is value else released(found, depth + 1)


def _is(one: Any, other: Any) -> bool:
    return one is other


def _contents(value: Any, kind: type, depth: int) -> Any:
    if isinstance(value, Mapping) or (isinstance(value, _AS_THEY_ARE) and not isinstance(value, Enum)):
        return value
    # A data frame, or another table with columns by name.
    columns: Callable[[], Any] | None = getattr(value, "items", None) or getattr(value, "to_dict", None)
    try:
        if hasattr(kind, "columns") and callable(columns):
            return {**_labels(value), **_by_name(columns())}
        if hasattr(kind, "__array__"):
            labels = _labels(value)
            return {**labels, "values": np.asarray(value)} if labels else np.asarray(value)
        fields = fields_of(value) if made_of_attributes(kind) and not isinstance(value, Enum) else None
        if fields is not None:
            held = released(fields, depth)
            return value if held is fields else {kind.__qualname__: held}
        reduced = value.__reduce_ex__(4)
    except Exception:  # any object may raise any error
        return value
    if isinstance(reduced, str):
        return reduced
    _, arguments, *rest = reduced
    parts = [part for part in (*arguments, *rest) if part is not None and part is not kind]
    return {kind.__qualname__: parts[0] if len(parts) == 1 else parts}


def _labels(value: Any) -> dict[str, Any]:
    """What a table or a column shows beside its entries."""
    labels: dict[str, Any] = {}
    index = getattr(value, "index", None)
    if index is not None and not callable(index):
        axes = index, getattr(value, "columns", None)
        labels |= {"index": np.asarray(index), "names": [name for axis in axes for name in getattr(axis, "names", ())]}
    if hasattr(value, "to_frame"):
        labels["name"] = value.name
    labels["attrs"] = getattr(value, "attrs", None)
    categories = getattr(getattr(value, "dtype", None), "categories", None)
    labels["categories"] = None if categories is None else [*categories]
    return {key: part for key, part in labels.items() if key == "index" or _says_something(part)}


def _says_something(part: Any) -> bool:
    return any(each is not None for each in part) if isinstance(part, list) else part is not None and part != {}


def _by_name(columns: Any) -> dict[str, Any]:
    """The columns by their names; as pairs, if two have the same name."""
    listed = [(str(name), column) for name, column in (columns.items() if isinstance(columns, Mapping) else columns)]
    named = dict(listed)
    return named if len(named) == len(listed) else {"columns": listed}


def published(own: Any, returned: Any, fresh: Any, data: tuple[Any, ...]) -> Any:
    """What is published of an object after its fit.

    The attributes whose names end with an underscore, as those of scikit-learn do. Else what it samples, the other
    attributes without an underscore before their names that the fit has set, what the fit returns, or the transformed
    data.
    """
    # Some libraries return the model from the method, and others keep it in the object.
    made = find_method(returned, SAMPLE_METHODS) is not None and not hasattr(type(returned), "__array__")
    model = returned if made else own
    shown = {name: part for name, part in (fields_of(model) or {}).items() if not name.startswith("_")}
    if fitted := {name: part for name, part in shown.items() if name.endswith("_")}:
        return fitted
    if (sample := find_method(model, SAMPLE_METHODS)) is not None:
        return getattr(model, sample)(_SAMPLED)
    before = fields_of(fresh) or {}
    if later := {name: part for name, part in shown.items() if _differs(part, before.get(name))}:
        return later
    if returned is not None and returned is not own:
        return returned
    for name in ("transform", "predict"):
        if callable(getattr(model, name, None)):
            return getattr(model, name)(data[0])
    raise InputError(f"the fit of {type(own).__name__} leaves no attribute that could be published")


def _differs(one: Any, other: Any) -> bool:
    return one is not other and fingerprint(one) != fingerprint(other)
