"""The promise vocabulary: what is promised, about which streams, to an intruder who sees what."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import Any

from pan_estimators.errors import InputError, shown
from pan_estimators.exact_epsilon import parse_epsilon


class Adjacency(StrEnum):
    """Which two streams must be hard to tell apart.

    ``USER_LEVEL``
        All *or some* occurrences of one user differ: the streams are equal once that user is
        deleted from both (lecture, Definition 2; paper, Definition 2.5).
    ``USER_LEVEL_NESTED``
        The narrower reading: one stream is the other with all or some occurrences of one user
        removed (paper, Section 2.2.1, first interpretation; thesis, Definition 4.1).
    ``EVENT_LEVEL``
        One single occurrence is added or removed (paper, Definition 2.4).
    """

    USER_LEVEL = "user-level"
    USER_LEVEL_NESTED = "user-level-nested"
    EVENT_LEVEL = "event-level"


class Observed(StrEnum):
    """What the intruder gets to see: the state at each intrusion, the outputs, or both jointly."""

    STATE = "state"
    OUTPUT = "output"
    STATE_AND_OUTPUT = "state+output"


@dataclass(frozen=True, kw_only=True)
class Promise:
    """A privacy promise. The number never travels without the rest.

    Parameters
    ----------
    epsilon
        Bound on the privacy loss of every event, in nats; positive and finite.
    adjacency
        Which pairs of streams it speaks about. It has no default on purpose.
    delta
        Probability by which the bound may be exceeded, in ``[0, 1)``.
    observed
        What the intruder sees.
    intrusions
        Number of unannounced times at which the state is seen, at least 0.
    announced
        Number of announced intrusions before them; the estimator is told and may re-randomise.
    outputs
        Number of releases that are seen. The promise ends with the last of them: what is seen later is
        not covered.
    claim
        Id of the statement in the list of claims that makes this promise, if any.

    Raises
    ------
    InputError
        If a number is outside its range.
    """

    epsilon: float
    adjacency: Adjacency
    delta: float = 0.0
    observed: Observed = Observed.STATE_AND_OUTPUT
    intrusions: int = 1
    announced: int = 0
    outputs: int = 1
    claim: str | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.epsilon, (int, float)) and 0 < self.epsilon < math.inf):
            raise InputError(f"the epsilon of a promise must be positive and finite, got {self.epsilon!r}")
        if not (isinstance(self.delta, (int, float)) and 0 <= self.delta < 1):
            raise InputError(f"the delta of a promise must lie in [0, 1), got {self.delta!r}")
        for name, most in (("intrusions", 4), ("announced", 4), ("outputs", 8)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
                raise InputError(f"the {name} of a promise must be a whole number from 0 to {most}, got {value!r}")
        try:
            object.__setattr__(self, "adjacency", Adjacency(self.adjacency))
        except ValueError:
            raise InputError(
                f"unknown adjacency {str(self.adjacency)!r}; choose one of {', '.join(Adjacency)}"
            ) from None
        try:
            object.__setattr__(self, "observed", Observed(self.observed))
        except ValueError:
            raise InputError(
                f"unknown observation {str(self.observed)!r}; choose one of {', '.join(Observed)}"
            ) from None
        if self.sees_state and self.intrusions + self.announced == 0:
            raise InputError("a promise about the state needs at least one intrusion, got 0")
        if self.sees_output and self.outputs == 0:
            raise InputError("a promise about the output needs at least one output, got 0")

    @property
    def sees_state(self) -> bool:
        """Whether the intruder sees states."""
        return self.observed is not Observed.OUTPUT

    @property
    def sees_output(self) -> bool:
        """Whether the intruder sees outputs."""
        return self.observed is not Observed.STATE

    def about(self, observed: Observed, *, epsilon: float, claim: str | None = None) -> Promise:
        """The same promise for another observation and another number."""
        return replace(self, observed=observed, epsilon=epsilon, claim=claim)

    def describe(self) -> str:
        """The promise as a noun phrase: ``0.2, user-level, 1 intrusion, state and output jointly``."""
        number = f"{float(self.epsilon):.6g}" + (f" (delta {self.delta:.3g})" if self.delta else "")
        seen = {
            Observed.STATE: "state alone",
            Observed.OUTPUT: "output alone",
            Observed.STATE_AND_OUTPUT: "state and output jointly",
        }[self.observed]
        parts = [number, str(self.adjacency)]
        if self.announced:
            parts.append(f"{self.announced} announced intrusion{'s' * (self.announced > 1)}")
        if self.intrusions:
            parts.append(f"{self.intrusions} intrusion{'s' * (self.intrusions > 1)}")
        if self.outputs > 1:
            parts.append(f"{self.outputs} outputs")
        return ", ".join([*parts, seen])

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        values = {name: str(value) if isinstance(value, StrEnum) else value for name, value in asdict(self).items()}
        return values | {"epsilon": float(self.epsilon)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Promise:
        """Read what :meth:`to_dict` wrote; unknown or missing names raise :class:`InputError`."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise InputError(f"a promise has no {unknown[0]!r}; it has {', '.join(sorted(known))}")
        if "adjacency" not in values:
            raise InputError(f"a promise needs an adjacency: one of {', '.join(Adjacency)}")
        if "epsilon" not in values:
            raise InputError("a promise needs an epsilon, in nats")
        return cls(**values)

    @classmethod
    def parse(cls, text: str) -> Promise:
        """Read ``epsilon=0.2,adjacency=user-level,observed=state``; a name that comes twice is refused."""
        values: dict[str, Any] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, equals, value = part.partition("=")
            if not equals:
                raise InputError(f"a promise is written name=value,name=value; {shown(part)} has no '='")
            name, value = name.strip(), value.strip()
            if name in values:
                raise InputError(f"a promise names each of its parts once, got {shown(name)} twice")
            kinds: dict[str, Callable[[str], Any]] = {"epsilon": parse_epsilon, "delta": float}
            kinds |= {"intrusions": int, "announced": int, "outputs": int}
            try:
                if name in kinds and ("_" in value or not value.isascii()):
                    raise ValueError("Python reads 1_0 and the digits of other scripts as well")
                values[name] = kinds.get(name, str)(value)
            except ValueError:
                raise InputError(f"the {name} of a promise must be a number, got {shown(value)}") from None
        return cls.from_dict(values)
