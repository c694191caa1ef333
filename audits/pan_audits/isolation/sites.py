"""In the judged process: the parts of lines that are recorded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

NO_SOURCE = "its source is not at hand, so that the parts of its lines were not followed"
"""Words for a function of which the text is not known, as in an interactive session."""

PREFIX = "panproof: "
"""First word of the texts that stand for the functions of the recorder."""


class Kind(Enum):
    """The part of a line that is recorded.

    A *truth* is a condition, a *value* the result of an operation, and a *place* a part that runs or does not. A
    *start* is the begin of a statement with places.
    """

    TRUTH = "truth"
    VALUE = "value"
    PLACE = "place"
    START = "start"


@dataclass
class Site:
    """One part of a line.

    Attributes
    ----------
    line, text
        The line, and the source of the part.
    kind
        Its kind.
    above
        The number of the site whose value depends on this one, or -1.
    told
        The values of the condition that need no words: another line then never runs, and is named.
    within
        The number of the site that is reached when the statement begins, or -1.
    """

    line: int
    text: str
    kind: Kind
    above: int = -1
    told: tuple[Any, ...] = ()
    within: int = -1
