"""The problem that a mechanism solves: the inputs that it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pan_promises.adjacency import OF_STREAMS, OF_TABLES, OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError, require_count, shown, suggestion
from pan_promises.turnstile import Model

_MOST_VALUES, _MOST_ROWS, _MOST_INPUTS = 256, 4096, 4096
_MOST_SAMPLED = 10**6
_MOST_ELEMENTS, _MOST_STEPS = 2**31 - 1, 2**40
_PLAIN = (bool, int, float, str, type(None))


class Kind(StrEnum):
    """The kind of an input.

    ``STREAM``
        Ids of users in order. An estimator takes them one after the other.
    ``TABLE``
        A list of rows. A row is a tuple with a value for each column. A mechanism takes the whole table.
    ``TURNSTILE``
        Insertions and deletions of elements, and no-ops, in order. A mechanism takes the whole stream and gives an
        output after each entry.
    ``GIVEN``
        Inputs of any kind that are given with the mechanism, and the pairs of neighbours among them.
    ``SPACE``
        Inputs of any kind that are drawn from a space, with their neighbours in it.
    """

    STREAM = "stream"
    TABLE = "table"
    TURNSTILE = "turnstile"
    GIVEN = "given"
    SPACE = "space"


@dataclass(frozen=True)
class Problem:
    """The inputs that a mechanism takes. It is plain data: a judge reads it from another process.

    Attributes
    ----------
    kind
        The kind of an input.
    schema
        Of tables: the name and the possible values of each column.
    rows
        Of tables: the number of rows at which they are audited, from 1 to 4096.
    least_rows
        Of tables: the least number of rows, 0 or 1.
    sampled
        Of tables: the number of sampled rows that an adversary sees, from 1 to a million; 0 for as many as ``rows``.
    labels
        Of given inputs: a description of each, 2 to 4096 in all. Of a space: some inputs, as texts.
    pairs
        Of given inputs and of a space: the pairs of neighbours, by position.
    elements
        Of turnstile streams: the number of elements, from 1 to 2**31 - 1.
    steps
        Of turnstile streams: the largest number of entries, from 1 to 2**40.
    model
        Of turnstile streams: the allowed streams, and the elements that exist.
    explorer
        Of a space: what draws its pairs for the judge. It is no part of the problem as data.

    Raises
    ------
    InputError
        If the tables, the given inputs or the turnstile streams are out of range.
    """

    kind: Kind = Kind.STREAM
    schema: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    rows: int = 0
    least_rows: int = field(default=0, kw_only=True)
    sampled: int = field(default=0, kw_only=True)
    labels: tuple[str, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    elements: int = 0
    steps: int = 0
    model: Model = Model.GENERAL
    explorer: Any = field(default=None, kw_only=True, compare=False, repr=False)

    @classmethod
    def of_table(
        cls, schema: Mapping[str, Sequence[Any]], rows: int, *, least_rows: int = 0, sampled: int = 0
    ) -> Problem:
        """The problem of tables with these columns.

        Parameters
        ----------
        schema
            The possible values of each column, 1 to 256: finite numbers, texts, truth values or ``None``.
        rows
            The number of rows of the audited tables, from 1 to 4096.
        least_rows
            The least number of rows that a table has: 1 if the mechanism takes no empty table.
        sampled
            The number of sampled rows that an adversary sees, from 1 to a million; 0 for as many as ``rows``.

        Raises
        ------
        InputError
            If there is no column, or a number or a value is out of range.
        """
        if not isinstance(schema, Mapping):
            raise InputError(f"the columns of a table are a dictionary of their possible values, got {shown(schema)}")
        for name, values in schema.items():
            if not isinstance(values, Iterable):
                raise InputError(f"the possible values of the column {shown(name)} are a list, got {shown(values)}")
        columns = tuple((str(name), tuple(values)) for name, values in schema.items())
        return cls(Kind.TABLE, columns, rows, least_rows=least_rows, sampled=sampled)

    @classmethod
    def of_inputs(cls, labels: Sequence[str], pairs: Sequence[tuple[int, int]]) -> Problem:
        """The problem of inputs that are given with the mechanism.

        Parameters
        ----------
        labels
            A description of each input, 2 to 4096, all different.
        pairs
            The pairs of neighbours, at least one, each as two positions in ``labels``.

        Raises
        ------
        InputError
            If a number is out of range.
        """
        return cls(Kind.GIVEN, labels=tuple(labels), pairs=tuple((int(left), int(right)) for left, right in pairs))

    @classmethod
    def of_space(cls, labels: Sequence[str], pairs: Sequence[tuple[int, int]]) -> Problem:
        """The problem of a space of inputs, with some inputs of it.

        Parameters
        ----------
        labels
            Some inputs as texts, 2 to 4096, all different.
        pairs
            Pairs of neighbours among them, at least one, each as two positions in ``labels``.

        Raises
        ------
        InputError
            If a number is out of range.
        """
        return cls(Kind.SPACE, labels=tuple(labels), pairs=tuple(pairs))

    @classmethod
    def of_turnstile(cls, elements: int, steps: int, model: Model | str) -> Problem:
        """The problem of turnstile streams.

        Parameters
        ----------
        elements
            The number of elements, from 1 to 2**31 - 1. They are the numbers from 0 to ``elements - 1``.
        steps
            The largest number of entries of a stream, from 1 to 2**40.
        model
            ``general``, ``strict`` or ``toggle``.

        Raises
        ------
        InputError
            If a number is out of range, or the model is unknown.
        """
        return cls(Kind.TURNSTILE, elements=elements, steps=steps, model=_known_model(model))

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "kind", Kind(self.kind))
        except ValueError:
            raise InputError(
                f"unknown kind of inputs {shown(str(self.kind))}; {suggestion(str(self.kind), Kind)}"
            ) from None
        object.__setattr__(self, "model", _known_model(self.model))
        _KINDS[self.kind][1](self)

    @property
    def adjacencies(self) -> tuple[Adjacency, ...]:
        """The adjacencies that are defined for such inputs."""
        return _KINDS[self.kind][0]

    def _require_stream(self) -> None:
        """A stream of ids has no parameters."""

    def _require_turnstile(self) -> None:
        require_count("the number of elements", self.elements, most=_MOST_ELEMENTS)
        require_count("the number of steps", self.steps, most=_MOST_STEPS)

    def _require_table(self) -> None:
        if not self.schema:
            raise InputError("a table needs at least one column")
        names = [name for name, _ in self.schema]
        if twice := [name for name in names if names.count(name) > 1]:
            raise InputError(f"a table has each column once, got {twice[0]!r} twice")
        for name, values in self.schema:
            if not 1 <= len(values) <= _MOST_VALUES:
                raise InputError(f"the column {name!r} must have 1 to {_MOST_VALUES} values, got {len(values)}")
            if wrong := [value for value in values if not isinstance(value, _PLAIN)]:
                raise InputError(f"a value of the column {name!r} must be a number, a text or None, got {wrong[0]!r}")
            if wrong := [value for value in values if isinstance(value, float) and not math.isfinite(value)]:
                raise InputError(f"a number of the column {name!r} must be finite, got {wrong[0]!r}")
            if len(set(values)) < len(values):
                raise InputError(f"the values of the column {name!r} must differ; 1, 1.0 and True are equal")
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or not 1 <= self.rows <= _MOST_ROWS:
            raise InputError(f"the number of rows must be a whole number from 1 to {_MOST_ROWS}, got {self.rows!r}")

        if isinstance(self.least_rows, bool) or self.least_rows not in (0, 1):
            raise InputError(f"the least number of rows of a table is 0 or 1, got {self.least_rows!r}")
        if self.sampled != 0:
            require_count("the number of sampled rows", self.sampled, most=_MOST_SAMPLED)

    def _require_inputs(self) -> None:
        count = len(self.labels)
        if not 2 <= count <= _MOST_INPUTS:
            raise InputError(f"there must be 2 to {_MOST_INPUTS} inputs, got {count}")
        if len(set(self.labels)) < count:
            raise InputError("the labels of the inputs must differ")
        if not self.pairs:
            raise InputError("there must be at least one pair of neighbours")
        if wrong := [pair for pair in self.pairs if not (min(pair) >= 0 and max(pair) < count and pair[0] != pair[1])]:
            raise InputError(f"neighbours are two different inputs by position, from 0 to {count - 1}, got {wrong[0]}")

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        return (
            {
                "kind": str(self.kind),
                "schema": [[name, list(values)] for name, values in self.schema],
                "rows": self.rows,
                "labels": list(self.labels),
                "pairs": [list(pair) for pair in self.pairs],
            }
            | ({"least_rows": self.least_rows} if self.least_rows else {})
            | ({"sampled": self.sampled} if self.sampled else {})
            | ({"elements": self.elements, "steps": self.steps, "model": str(self.model)} if self.elements else {})
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Problem:
        """The problem that :meth:`to_dict` wrote.

        Parameters
        ----------
        values
            The dictionary.

        Raises
        ------
        InputError
            If the dictionary describes no problem.
        """
        try:
            return cls(
                Kind(values["kind"]),
                tuple((str(name), tuple(column)) for name, column in values["schema"]),
                values["rows"],
                tuple(map(str, values["labels"])),
                tuple((int(left), int(right)) for left, right in values["pairs"]),
                values.get("elements", 0),
                values.get("steps", 0),
                _known_model(values.get("model", Model.GENERAL)),
                least_rows=values.get("least_rows", 0),
                sampled=values.get("sampled", 0),
            )
        except (KeyError, TypeError, ValueError) as problem:
            if isinstance(problem, InputError):
                raise
            raise InputError(f"a problem has a kind, a schema, rows, labels and pairs; got {values!r:.200}") from None


_KINDS: Mapping[Kind, tuple[tuple[Adjacency, ...], Callable[[Problem], None]]] = {
    Kind.STREAM: (OF_STREAMS, Problem._require_stream),
    Kind.TABLE: (OF_TABLES, Problem._require_table),
    Kind.TURNSTILE: (OF_TURNSTILE_STREAMS, Problem._require_turnstile),
    Kind.GIVEN: (tuple(Adjacency), Problem._require_inputs),
    Kind.SPACE: (tuple(Adjacency), Problem._require_inputs),
}
"""The adjacencies of each kind of input, and the check of its values."""


def _known_model(model: Any) -> Model:
    try:
        return Model(model)
    except ValueError:
        known = suggestion(str(model), Model)
        raise InputError(f"unknown model of turnstile streams {shown(str(model))}; {known}") from None


STREAM = Problem()
"""The problem of a stream of ids. It is the default of an estimator."""
