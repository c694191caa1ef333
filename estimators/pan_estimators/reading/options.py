"""The reading of ids: their column, their kind (text or integers), and the treatment of missing ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from pan_promises.errors import InputError

if TYPE_CHECKING:
    from pan_estimators.universes.universe import Universe


Progress = Callable[[int], None]
"""Called with the total number of bytes read."""


class IdKind(StrEnum):
    """Kinds of ids."""

    TEXT = "text"
    INTEGER = "integer"


class MissingPolicy(StrEnum):
    """The treatment of missing ids.

    ``FAIL``
        The first one ends the reading.
    ``SKIP``
        They are left out and counted.
    ``COUNT``
        All of them together are one id, the empty text. No other id is empty text.
    """

    FAIL = "fail"
    SKIP = "skip"
    COUNT = "count"


class Input(StrEnum):
    """The place at which the input of a run with a state begins.

    ``WHOLE``
        With what earlier runs have read. Ids are counted again, which changes nothing; panes and steps that are out are
        passed over.
    ``REST``
        After what the state has counted.
    """

    WHOLE = "whole"
    REST = "rest"


class Late(StrEnum):
    """The treatment of an id whose time lies in a pane that has ended.

    ``FAIL``
        It ends the run.
    ``COUNT``
        It is counted in the present pane.
    """

    FAIL = "fail"
    COUNT = "count"


class EntryFormat(StrEnum):
    """Formats of a stream of insertions and deletions."""

    AUTO = "auto"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"


@dataclass
class Tally:
    """The ids that were left out while reading.

    Attributes
    ----------
    skipped
        Number of missing ids under :attr:`MissingPolicy.SKIP`.
    """

    skipped: int = 0


@dataclass(frozen=True)
class Reading:
    """The reading of ids.

    Attributes
    ----------
    column
        Name of the column; its number, from 1 on, in a CSV file without a header. It may be left out if there
        is only one.
    kind
        ``csv``, ``tsv``, ``parquet``, ``text`` (one id to a line), or ``auto``: by the suffix of the file, with
        ``.gz`` and ``.zst`` taken off; any other suffix, and standard input, is text.
    header
        Whether the first row of a CSV file holds the names of the columns. The default is yes. A single
        column whose name looks like an id is then refused.
    ids
        Text or integers. By default text in text and CSV files, and the type of the column in Parquet.
    missing
        The treatment of missing ids: null and NaN in Parquet, and empty or blank text in any
        format.
    missing_texts
        Other texts that stand for a missing id.
    tally
        It counts the ids that were left out.
    """

    column: str | None = None
    kind: str = "auto"
    header: bool | None = None
    ids: IdKind | None = None
    missing: MissingPolicy = MissingPolicy.FAIL
    missing_texts: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally, compare=False)

    def for_universe(self, universe: Universe) -> Reading:
        """The reading for a universe: of integers if its ids are integers."""
        # The overview of the commands needs the names above alone.
        from pan_estimators.universes.universe import EdgeUniverse, IntegerUniverse

        if not isinstance(universe, (IntegerUniverse, EdgeUniverse)):
            return self
        if self.ids is IdKind.TEXT:
            raise InputError("a universe of integers (--universe) has no text ids; give --hash with --ids text")
        if self.missing is MissingPolicy.COUNT:
            raise InputError(
                "a universe of integers (--universe) has no place for missing ids; give --missing skip, or --hash"
            )
        return replace(self, ids=IdKind.INTEGER)
