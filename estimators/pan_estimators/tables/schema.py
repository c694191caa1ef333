"""Schemas: the attributes of a table and their public domains. A schema is never inferred from data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pan_promises.errors import InputError, shown
from pan_promises.problem import Problem

_MOST_ATTRIBUTES, _MOST_VALUES = 1000, 256
_MOST_BYTES = 2**24
_PLAIN = (bool, int, float, str)
_LARGEST_WHOLE_EDGE, _LARGEST_EDGE = 2**61, 1e300
_KEYS = ("name", "values", "edges", "ordered", "missing")


@dataclass(frozen=True)
class Attribute:
    """An attribute of a table, with a finite public domain."""

    name: str
    values: tuple[Any, ...] = ()
    ordered: bool = False
    edges: tuple[float, ...] = ()
    missing: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"an attribute has a name, got {shown(self.name)}")
        object.__setattr__(self, "values", tuple(self.values))
        object.__setattr__(self, "edges", tuple(self.edges))
        if bool(self.values) == bool(self.edges):
            raise InputError(f"the attribute {shown(self.name)} has either values or edges of bins")
        if wrong := [value for value in self.values if not isinstance(value, _PLAIN) or not _is_finite(value)]:
            raise InputError(f"a value of {shown(self.name)} is a finite number or a text, got {shown(wrong[0])}")
        for name in ("ordered", "missing"):
            if not isinstance(getattr(self, name), bool):
                given = shown(getattr(self, name))
                raise InputError(f"{name} of {shown(self.name)} is true or false, got {given}")
        if len(set(self.values)) < len(self.values):
            raise InputError(f"the values of {shown(self.name)} must differ; 1, 1.0 and true are equal")
        if self.edges:
            self._require_edges()
        if not 2 <= self.size <= _MOST_VALUES:
            raise InputError(
                f"the attribute {shown(self.name)} must have 2 to {_MOST_VALUES} categories, got {self.size}"
            )
        # They are kept from now on: an object that changes while a mechanism runs looks like a hidden state.
        _ = self.categories
        _ = self.representatives

    def _require_edges(self) -> None:
        numbers = all(isinstance(edge, (int, float)) and not isinstance(edge, bool) for edge in self.edges)
        if (
            not numbers
            or not all(map(_is_finite, self.edges))
            or any(low >= high for low, high in zip(self.edges, self.edges[1:], strict=False))
        ):
            raise InputError(
                f"the edges of {shown(self.name)} are finite numbers in rising order, got {shown(list(self.edges))}"
            )
        most = _LARGEST_WHOLE_EDGE if all(isinstance(edge, int) for edge in self.edges) else _LARGEST_EDGE
        if too_large := [edge for edge in self.edges if abs(edge) > most]:
            raise InputError(
                f"an edge of {shown(self.name)} is at most {most:.3g} away from 0, got {shown(too_large[0])}"
            )
        object.__setattr__(self, "ordered", True)

    @cached_property
    def categories(self) -> tuple[Any, ...]:
        """The categories: the values, or the bins as texts, and ``None`` for a missing value."""
        bins = [f"[{_text(low)}, {_text(high)})" for low, high in zip(self.edges, self.edges[1:], strict=False)]
        if bins:
            bins[-1] = bins[-1][:-1] + "]"
        return (*self.values, *bins, *((None,) if self.missing else ()))

    @cached_property
    def representatives(self) -> tuple[Any, ...]:
        """A value of each category: of a bin its middle."""
        middles = tuple((low + high) / 2 for low, high in zip(self.edges, self.edges[1:], strict=False))
        return (*self.values, *middles, *((None,) if self.missing else ()))

    @property
    def size(self) -> int:
        """The number of categories."""
        return max(len(self.values), len(self.edges) - 1) + bool(self.missing)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        domain = {"edges": list(self.edges)} if self.edges else {"values": list(self.values)}
        return {"name": self.name, **domain, "ordered": self.ordered, "missing": self.missing}

    @classmethod
    def from_dict(cls, values: Any) -> Attribute:
        """The attribute that :meth:`to_dict` wrote."""
        if not isinstance(values, Mapping) or "name" not in values:
            raise InputError(
                f"an attribute of a schema is an object with a name and values or edges, got {shown(values)}"
            )
        if unknown := [key for key in values if key not in _KEYS]:
            raise InputError(f"an attribute has no {shown(unknown[0])}; it has {', '.join(_KEYS)}")
        for key in ("values", "edges"):
            if not isinstance(values.get(key, []), (list, tuple)):
                raise InputError(f"the {key} of {shown(values['name'])} are a list, got {shown(values[key])}")
        return cls(
            values["name"],
            tuple(values.get("values", ())),
            values.get("ordered", False),
            tuple(values.get("edges", ())),
            values.get("missing", False),
        )


@dataclass(frozen=True)
class Schema:
    """The attributes of a table, with their public domains."""

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if not 1 <= len(self.attributes) <= _MOST_ATTRIBUTES:
            raise InputError(f"a schema has 1 to {_MOST_ATTRIBUTES} attributes, got {len(self.attributes)}")
        names = [attribute.name for attribute in self.attributes]
        if twice := [name for name in names if names.count(name) > 1]:
            raise InputError(f"a schema names each attribute once, got {shown(twice[0])} twice")
        # Kept from now on, as the categories of an attribute.
        _ = self.names
        _ = self.sizes

    @classmethod
    def of(cls, given: Any) -> Schema:
        """A schema from any of its forms: itself, a dictionary, a JSON text, or the path of a JSON file."""
        if isinstance(given, Schema):
            return given
        if isinstance(given, Mapping):
            return cls.from_dict(given)
        if isinstance(given, str) and given.lstrip().startswith("{"):
            return cls._parsed(given, "the schema")
        if isinstance(given, (str, Path)):
            try:
                with Path(given).open("rb") as file:
                    content = file.read(_MOST_BYTES + 1)
                if len(content) > _MOST_BYTES:
                    raise InputError(f"the schema {shown(str(given))} has more than {_MOST_BYTES:,} bytes")
                text = content.decode("utf-8")
            except (OSError, UnicodeDecodeError) as problem:
                reason = getattr(problem, "strerror", None) or "it is no text"
                raise InputError(f"cannot read the schema {shown(str(given))}: {reason}") from None
            return cls._parsed(text, f"the schema {shown(str(given))}")
        raise InputError(f"a schema is a dictionary, a JSON text or the path of a JSON file, got {shown(given)}")

    @classmethod
    def _parsed(cls, text: str, place: str) -> Schema:
        try:
            return cls.from_dict(json.loads(text, object_pairs_hook=_each_once))
        except (ValueError, RecursionError) as problem:
            if isinstance(problem, InputError):
                raise
            raise InputError(f"{place} is no JSON: {problem}") from None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of categories of each attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    def problem(self, rows: int) -> Problem:
        """The problem of tables with this schema, for an audit."""
        return Problem.of_table({one.name: one.representatives for one in self.attributes}, rows, least_rows=1)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        return {"attributes": [attribute.to_dict() for attribute in self.attributes]}

    @classmethod
    def from_dict(cls, values: Any) -> Schema:
        """The schema that :meth:`to_dict` wrote."""
        if not isinstance(values, Mapping) or not isinstance(values.get("attributes"), (list, tuple)):
            raise InputError(f"a schema is an object with a list of attributes, got {shown(values)}")
        if unknown := [key for key in values if key != "attributes"]:
            raise InputError(f"a schema has attributes and nothing else, got {shown(unknown[0])}")
        return cls(tuple(map(Attribute.from_dict, values["attributes"])))


def _is_finite(value: Any) -> bool:
    """Whether a value is no infinite number and no NaN. A whole number of any size is finite."""
    return not isinstance(value, float) or math.isfinite(value)


def _text(edge: float) -> str:
    """An edge as a short text from which it can be read again."""
    short = f"{edge:g}"
    return short if float(short) == edge else repr(edge)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of a JSON document, whose keys must differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"an object of a schema has the key {shown(twice)} twice")
    return found


def binary(count: int) -> Schema:
    """A schema of binary attributes ``a``, ``b``, ``c`` and so on."""
    return Schema(tuple(Attribute(chr(ord("a") + place), (0, 1)) for place in range(count)))


def table_problem(given: Any, rows: int) -> Problem:
    """The problem of tables with a schema that is given as a path or as JSON."""
    return Schema.of(given).problem(rows)
