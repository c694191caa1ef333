"""How ids are read: where they stand, whether they are text or integers, and how missing ones are treated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from pan_estimators.universes.universe import EdgeUniverse, IntegerUniverse, Universe
from pan_promises.errors import InputError

Progress = Callable[[int], None]
"""Called with the number of bytes that have been read in all."""


class IdKind(StrEnum):
    """Kinds of ids."""

    TEXT = "text"
    INTEGER = "integer"


class MissingPolicy(StrEnum):
    """How missing ids are treated.

    ``FAIL``
        The first one ends the reading.
    ``SKIP``
        They are left out and counted.
    ``COUNT``
        All of them together are one id of its own: the empty text, which no other id is.
    """

    FAIL = "fail"
    SKIP = "skip"
    COUNT = "count"


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
    """How ids are read.

    Attributes
    ----------
    column
        Name of the column; its number, from 1 on, in a CSV file without a header. It may be left out if there
        is only one.
    kind
        ``csv``, ``tsv``, ``parquet``, ``text`` (one id to a line), or ``auto``: by the suffix of the file, with
        ``.gz`` and ``.zst`` taken off; any other suffix, and standard input, is text.
    header
        Whether the first row of a CSV file holds the names of the columns. By default it does, and a lone
        column whose name looks like an id is refused.
    ids
        Text or integers. By default text in text and CSV files, and in Parquet what the type of the column says.
    missing
        How missing ids are treated: those of Parquet that are null or NaN, and in any format text that is empty
        or blank.
    missing_texts
        Other texts that stand for a missing id.
    tally
        Where it is noted what was left out.
    """

    column: str | None = None
    kind: str = "auto"
    header: bool | None = None
    ids: IdKind | None = None
    missing: MissingPolicy = MissingPolicy.FAIL
    missing_texts: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally, compare=False)

    def for_universe(self, universe: Universe) -> Reading:
        """The reading for a universe: integers where its ids are.

        Raises
        ------
        InputError
            If text is asked for in a universe of integers, or missing ids are to be counted there.
        """
        if not isinstance(universe, (IntegerUniverse, EdgeUniverse)):
            return self
        if self.ids is IdKind.TEXT:
            raise InputError("a universe of integers (--universe) has no text ids; give --hash with --ids text")
        if self.missing is MissingPolicy.COUNT:
            raise InputError(
                "a universe of integers (--universe) has no place for missing ids; give --missing skip, or --hash"
            )
        return replace(self, ids=IdKind.INTEGER)
