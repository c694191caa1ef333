"""The sentences about a run that follows a count: its promise, its noise and its intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pan_promises.promise import Promise


@dataclass(frozen=True)
class Summary:
    """A run, for people.

    Attributes
    ----------
    counter
        The name of the counter.
    promise
        Its promise.
    conversion
        The conversion of the budget in words, if another one was given.
    steps
        The largest number of outputs.
    deviation
        The largest standard deviation of an output.
    width
        Half the largest possible width of an interval.
    level
        The probability that all intervals hold together.
    compared_with
        The counts that the intervals hold, in words.
    private
        Whether the noise is secure.
    widest
        Half the largest width of an interval in this run; 0 before the run.
    """

    counter: str
    promise: Promise
    conversion: str
    steps: int
    deviation: float
    width: float
    level: float
    compared_with: str
    private: bool
    widest: float = 0.0

    @classmethod
    def of(cls, name: str, counter: Any, *, level: float, conversion: str, private: bool) -> Summary:
        """The summary of a run with a counter."""
        return cls(
            counter=name,
            promise=counter.promise,
            conversion=conversion,
            steps=counter.steps,
            deviation=counter.noise,
            width=counter.half_width(level),
            level=level,
            compared_with=counter.compared_with,
            private=private,
        )

    def line(self) -> str:
        """The run on one line."""
        private = "" if self.private else "; the noise has a seed, so that nothing is private"
        return (
            f"promise {self.promise.describe()}; standard deviation at most {self.deviation:.4g}; all {self.steps:,} "
            f"outputs are within {self.width:.4g} of {self.compared_with}{self._widest()}, with probability "
            f"{self.level:g}{private}"
        )

    def facts(self) -> list[tuple[str, str]]:
        """The numbers with their labels."""
        return [
            ("largest number of outputs", f"{self.steps:,}"),
            ("standard deviation of an output", f"at most {self.deviation:.4g}"),
            ("half the width of an interval", f"at most {self.width:.4g}{self._widest()}"),
            ("all intervals hold together", f"with probability {self.level:g}"),
            ("they are about", self.compared_with),
        ]

    def document(self) -> dict[str, Any]:
        """The run without its outputs as a JSON-ready document."""
        return {
            "counter": self.counter,
            "promise": self.promise.to_dict(),
            "conversion": self.conversion or None,
            "steps": self.steps,
            "deviation": self.deviation,
            "half_width": self.width,
            "level": self.level,
            "compared_with": self.compared_with,
            "private": self.private,
        }

    def _widest(self) -> str:
        """The largest distance of an output in this run, if it is smaller."""
        shown = f"{self.widest:.4g}"
        return f", those of this run within {shown}" if self.widest and shown != f"{self.width:.4g}" else ""
