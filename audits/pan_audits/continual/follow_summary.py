"""The sentences about a run that follows a count: its promise, its noise and its intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pan_audits.continual.follow_outputs import Form, Outputs
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
        Half the width of the intervals.
    level
        The probability that all intervals hold together.
    compared_with
        The counts that the intervals hold, in words.
    private
        Whether the noise is secure.
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

    @classmethod
    def of(cls, name: str, counter: Any, *, level: float, conversion: str, private: bool) -> Summary:
        """The summary of a run with a counter.

        Parameters
        ----------
        name, counter
            The counter and its name.
        level, conversion, private
            As in the attributes.
        """
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
            f"outputs are within {self.width:.4g} of {self.compared_with}, with probability {self.level:g}{private}"
        )

    def facts(self) -> list[tuple[str, str]]:
        """The numbers with their labels."""
        return [
            ("largest number of outputs", f"{self.steps:,}"),
            ("standard deviation of an output", f"at most {self.deviation:.4g}"),
            ("half the width of an interval", f"{self.width:.4g}"),
            ("all intervals hold together", f"with probability {self.level:g}"),
            ("they are about", self.compared_with),
        ]

    def document(self, form: Form, outputs: Outputs) -> dict[str, Any]:
        """The run with its outputs as a JSON-ready document.

        Parameters
        ----------
        form
            The form of the outputs.
        outputs
            All outputs, in order.
        """
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
            "releases": list(_releases(form, outputs)),
        }


def _releases(form: Form, outputs: Outputs) -> Iterator[dict[str, Any]]:
    table = form.table(outputs)
    ends = table.ends.to_pylist() if form.timed else outputs.labels.tolist()
    columns = (ends, table.estimates.tolist(), table.low.tolist(), table.high.tolist())
    for row in zip(*columns, strict=True):
        yield dict(zip(("end", "estimate", "low", "high"), row, strict=True))
