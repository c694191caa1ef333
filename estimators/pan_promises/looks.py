"""The observation of an intruder: the state, the outputs or both, and the number of outputs."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

EVERY: Literal["every"] = "every"
"""The number of outputs of a promise that covers an output after every step."""

Outputs: TypeAlias = int | Literal["every"]
"""The number of outputs that are seen."""

MOST_INTRUSIONS = 4
"""The largest number of intrusions of a promise, and also of its announced intrusions."""


class Observed(StrEnum):
    """The observation of the intruder: the state at each intrusion, the outputs, or both jointly."""

    STATE = "state"
    OUTPUT = "output"
    STATE_AND_OUTPUT = "state+output"
