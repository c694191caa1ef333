"""An error as an observation: a person who asks for an output, and gets an error, sees the error."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")
_LATER_DECIMALS = re.compile(r"(?<=\d\.\d{6})\d+")
_LONGEST = 200


@dataclass(frozen=True)
class Raised:
    """The observation of a step that raised an error.

    Attributes
    ----------
    kind
        The name of the class of the error.
    message
        Its message on one line, without what differs from process to process or lies below the sixth decimal.
    """

    kind: str
    message: str = ""

    def __post_init__(self) -> None:
        # The text may come from foreign code.
        name = self.kind if self.kind.isidentifier() and len(self.kind) <= _LONGEST else "an error"
        text = _LATER_DECIMALS.sub("", _ADDRESS.sub("0x...", " ".join(self.message.split())))[:_LONGEST]
        object.__setattr__(self, "kind", name)
        object.__setattr__(self, "message", "".join(letter if letter.isprintable() else "?" for letter in text))

    @classmethod
    def of(cls, problem: BaseException) -> Raised:
        """The observation of an error."""
        try:
            message = str(problem)
        except Exception:  # the class of the error is foreign code
            message = ""
        return cls(type(problem).__name__, message)

    def __repr__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind
