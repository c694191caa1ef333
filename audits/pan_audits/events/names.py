"""Names of columns that the learner knows."""

from __future__ import annotations

LIKELIHOOD_RATIO = "log-likelihood ratio"
"""Column with the exact log-likelihood ratio of left against right, where the mechanism has one."""

LIKELIHOOD = "log-likelihood"
"""The beginning of the names of columns that a trusted capability computes from the whole observation."""

OUTPUT = "output"
"""The name of a single output, and the beginning of the names of several; all other columns belong to states."""

_STATED = (" is NaN", " is infinite", " is -infinite", " is None")
_RAISED = " raised "


def mark_of(label: str, value: float) -> str:
    """The name of the column that marks the runs in which a number is not finite."""
    return label + (_STATED[0] if value != value else _STATED[1] if value > 0 else _STATED[2])


def none_of(label: str) -> str:
    """The name of the column that marks the runs in which a part is ``None``."""
    return label + _STATED[3]


def error_of(label: str, kind: str) -> str:
    """The name of the column that marks the runs in which an error of some kind took the place of a part."""
    return f"{label}{_RAISED}{kind}"


def is_mark(name: str) -> bool:
    """Whether a column marks runs: its name is a statement, which is false for the runs without the column."""
    return name.endswith(_STATED) or _RAISED in name


def opposite(mark: str) -> str:
    """The opposite of the statement of a mark."""
    if mark.endswith(_STATED):
        return " is not ".join(mark.rsplit(" is ", 1))
    return " did not raise ".join(mark.rsplit(_RAISED, 1))
