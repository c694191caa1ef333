"""The observation of an adversary: the state, the outputs or both, and the number of outputs."""

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
    """The observation of the adversary: the state at each intrusion, the outputs, or both jointly.

    A mechanism on tables has a last step or two that read the table no more. Its output is then one of three:

    ``TRANSCRIPT``
        Everything that leaves the holder of the table, before post-processing.
    ``MODEL``
        The model that is computed from it.
    ``SAMPLE``
        Rows that are sampled from the model: as many as the audited tables have, or a stated number.
    """

    STATE = "state"
    OUTPUT = "output"
    STATE_AND_OUTPUT = "state+output"
    TRANSCRIPT = "transcript"
    MODEL = "model"
    SAMPLE = "sample"


OF_STATES = (Observed.STATE, Observed.STATE_AND_OUTPUT)
"""The observations that hold a state."""

OF_TABLE_MECHANISMS = (Observed.OUTPUT, Observed.TRANSCRIPT, Observed.MODEL, Observed.SAMPLE)
"""The observations of a mechanism on tables. The output is the transcript."""
