"""The privacy promise: its bound on the loss, its adjacency, and the observation of the adversary."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.exact_epsilon import parse_epsilon
from pan_promises.notion import epsilon_of_rho

__all__ = ["Adjacency", "Observed", "Promise"]


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


def _in_place_of_epsilon(notion: str) -> Any:
    """The field of a positive number by which a notion bounds the loss, in place of epsilon and delta."""
    return field(default=None, metadata={"notion": notion})


@dataclass(frozen=True, kw_only=True)
class Promise:
    """A privacy promise: the bound on the loss, together with everything that it depends on.

    Parameters
    ----------
    epsilon
        Bound on the privacy loss of every event, in nats; positive and finite. It is infinite if ``rho`` is given.
    adjacency
        The pairs of inputs that the promise is about. It has no default on purpose.
    delta
        Probability by which the bound may be exceeded, in ``[0, 1)``.
    observed
        The observation of the adversary.
    intrusions
        Number of unannounced times at which the state is seen, from 0 to 4.
    announced
        Number of announced intrusions before them, from 0 to 4. The estimator is told and may re-randomise.
    outputs
        Number of releases that are seen, or ``"every"`` for a release after every step. The promise ends with
        the last of them and does not cover later observations.
    claim
        Id of the statement in the list of claims that makes this promise, if any.
    rho
        Bound of zero-concentrated differential privacy, in place of epsilon and delta; positive and finite.
    public
        The public properties of the input, such as ``("universe",)`` or ``("rows", "schema")``.

    Raises
    ------
    InputError
        If a number is outside its range.
    """

    epsilon: float = math.inf
    adjacency: Adjacency
    delta: float = 0.0
    observed: Observed = Observed.STATE_AND_OUTPUT
    intrusions: int = 1
    announced: int = 0
    outputs: Outputs = 1
    claim: str | None = None
    rho: float | None = _in_place_of_epsilon("zCDP")
    public: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._require_notion()
        for name in ("intrusions", "announced"):
            value = getattr(self, name)
            if not _whole(value) or not 0 <= value <= MOST_INTRUSIONS:
                raise InputError(
                    f"the {name} of a promise must be a whole number from 0 to {MOST_INTRUSIONS}, got {value!r}"
                )
        if self.outputs != EVERY and not (_whole(self.outputs) and 0 <= self.outputs < 2**31):
            raise InputError(
                f"the outputs of a promise must be a whole number of at least 0, or 'every', got {self.outputs!r}"
            )
        object.__setattr__(self, "public", _listed(self.public))
        if not isinstance(self.claim, (str, type(None))):
            raise InputError(f"the claim of a promise is an id, got {shown(self.claim)}")
        try:
            object.__setattr__(self, "adjacency", Adjacency(self.adjacency))
        except ValueError:
            raise InputError(
                f"unknown adjacency {shown(str(self.adjacency))}; {suggestion(str(self.adjacency), Adjacency)}"
            ) from None
        try:
            object.__setattr__(self, "observed", Observed(self.observed))
        except ValueError:
            raise InputError(
                f"unknown observation {shown(str(self.observed))}; {suggestion(str(self.observed), Observed)}"
            ) from None
        if self.sees_state and self.intrusions + self.announced == 0:
            raise InputError("a promise about the state needs at least one intrusion, got 0")
        if self.sees_output and self.outputs == 0:
            raise InputError("a promise about the output needs at least one output, got 0")

    def _require_notion(self) -> None:
        for name in (name for name in NOTIONS if getattr(self, name) is not None):
            number = getattr(self, name)
            if not (_number(number) and 0 < number < math.inf):
                raise InputError(f"the {name} of a promise must be positive and finite, got {number!r}")
            if self.epsilon != math.inf or self.delta or name != self.bound:
                raise InputError(f"a promise has either a {name}, or an epsilon with or without a delta, got both")
        if self.bound != "epsilon":
            return
        if self.epsilon is math.inf:
            raise InputError(_UNBOUNDED)
        if not (_number(self.epsilon) and 0 < self.epsilon < math.inf):
            raise InputError(f"the epsilon of a promise must be positive and finite, got {self.epsilon!r}")
        if not (_number(self.delta) and 0 <= self.delta < 1):
            raise InputError(f"the delta of a promise must lie in [0, 1), got {self.delta!r}")

    @property
    def bound(self) -> str:
        """The name of the number by which the promise bounds the loss: ``epsilon``, or a key of :data:`NOTIONS`."""
        return next((name for name in NOTIONS if getattr(self, name) is not None), "epsilon")

    @property
    def notion(self) -> str:
        """The name of the notion by which the promise bounds the loss: ``pure``, ``approximate`` or ``zCDP``."""
        return NOTIONS.get(self.bound) or ("approximate" if self.delta else "pure")

    def implied(self, delta: float) -> tuple[Promise, str]:
        """The promise of an epsilon and a delta that a promise of a rho implies, and the conversion in words.

        Parameters
        ----------
        delta
            In (0, 1).

        Raises
        ------
        InputError
            If there is no rho, or delta is out of range.
        """
        if self.rho is None:
            raise InputError("only a promise of a rho is converted")
        epsilon = epsilon_of_rho(self.rho, delta)
        shown_as = (
            f"rho {self.rho:.6g} implies epsilon {epsilon:.6g} at delta {delta:.3g}, rho + 2 sqrt(rho log(1/delta))"
        )
        return replace(self, epsilon=epsilon, delta=delta, rho=None), shown_as

    @property
    def output_count(self) -> int:
        """The number of outputs that are seen.

        Raises
        ------
        InputError
            If there is an output after every step. The number then depends on the input.
        """
        if self.outputs == EVERY:
            raise InputError("a promise for every output has no fixed number of outputs")
        return int(self.outputs)

    @property
    def sees_state(self) -> bool:
        """Whether the adversary sees states."""
        return self.observed in OF_STATES

    @property
    def sees_output(self) -> bool:
        """Whether the adversary sees outputs."""
        return self.observed is not Observed.STATE

    def about(self, observed: Observed, *, epsilon: float, claim: str | None = None) -> Promise:
        """The same promise for another observation and another epsilon.

        Parameters
        ----------
        observed
            The observation of the adversary.
        epsilon
            Bound on the loss of this observation, in nats.
        claim
            Id of the statement that makes this promise, if any.
        """
        return replace(self, observed=observed, epsilon=epsilon, claim=claim)

    def describe(self) -> str:
        """The promise as a noun phrase: ``0.2, user-level, 1 intrusion, state and output jointly``."""
        number = f"{float(self.epsilon):.6g}" + (f" (delta {self.delta:.3g})" if self.delta else "")
        if self.bound in NOTIONS:
            number = f"{self.bound} {getattr(self, self.bound):.6g} ({self.notion})"
        seen = {
            Observed.STATE: "state alone",
            Observed.OUTPUT: "output alone",
            Observed.STATE_AND_OUTPUT: "state and output jointly",
            Observed.TRANSCRIPT: "the transcript",
            Observed.MODEL: "the model",
            Observed.SAMPLE: "a sample",
        }[self.observed]
        parts = [number, str(self.adjacency)]
        if self.announced:
            parts.append(f"{self.announced} announced intrusion{'s' * (self.announced > 1)}")
        # A mechanism on tables has no state that an intrusion could see.
        if self.intrusions and self.observed in (*OF_STATES, Observed.OUTPUT):
            parts.append(f"{self.intrusions} intrusion{'s' * (self.intrusions > 1)}")
        if self.outputs == EVERY:
            parts.append("every output")
        elif self.output_count > 1:
            parts.append(f"{self.outputs} outputs")
        return ", ".join([*parts, seen])

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        values = {name: str(value) if isinstance(value, StrEnum) else value for name, value in asdict(self).items()}
        values |= {"epsilon": float(self.epsilon), "public": list(self.public)}
        if self.bound != "epsilon":
            values["epsilon"] = None
        # A promise with neither has the same document as in earlier versions.
        return {name: value for name, value in values.items() if value or name not in (*NOTIONS, "public")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Promise:
        """The promise that :meth:`to_dict` wrote.

        Parameters
        ----------
        values
            The dictionary. Names of parameters that have a default may be missing.

        Raises
        ------
        InputError
            For an unknown or missing name, or a value out of range.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise InputError(f"a promise has no {shown(unknown[0])}; {suggestion(unknown[0], sorted(known))}")
        if "adjacency" not in values:
            raise InputError(f"a promise needs an adjacency: one of {', '.join(Adjacency)}")
        bounds = {"epsilon", *NOTIONS}
        given = {name: value for name, value in values.items() if not (name in bounds and value is None)}
        if not bounds & set(given):
            raise InputError(_UNBOUNDED)
        if isinstance(given.get("public"), list):
            given["public"] = _listed(given["public"])
        return cls(**given)

    @classmethod
    def parse(cls, text: str) -> Promise:
        """The promise in a text such as ``epsilon=0.2,adjacency=user-level,observed=state``.

        Parameters
        ----------
        text
            Pairs ``name=value``, separated by commas. Each name is a parameter of this class.

        Raises
        ------
        InputError
            For an unknown, missing or repeated name, or a value out of range.
        """
        values: dict[str, Any] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, equals, value = part.partition("=")
            if not equals:
                raise InputError(f"a promise is written name=value,name=value; {shown(part)} has no '='")
            name, value = name.strip(), value.strip()
            if name in values:
                raise InputError(f"a promise names each of its parts once, got {shown(name)} twice")
            numbers: dict[str, Callable[[str], Any]] = {
                "epsilon": parse_epsilon,
                **dict.fromkeys(("delta", *NOTIONS), float),
            }
            numbers |= {"intrusions": int, "announced": int, "outputs": _outputs}
            if name == "public":
                values[name] = _names(value)
                continue
            try:
                if name in numbers and ("_" in value or not value.isascii()):
                    raise ValueError("Python reads 1_0 and the digits of other scripts as well")
                values[name] = numbers.get(name, str)(value)
            except ValueError:
                raise InputError(f"the {name} of a promise must be a number, got {shown(value)}") from None
        return cls.from_dict(values)


NOTIONS = {one.name: one.metadata["notion"] for one in fields(Promise) if "notion" in one.metadata}
"""The notions that bound the loss by a number of their own, by the name of this number in a promise."""

_UNBOUNDED = f"a promise needs an epsilon, in nats, or a {' or a '.join(NOTIONS)}"


def _listed(names: Any) -> tuple[str, ...]:
    """The public properties, as a tuple of names."""
    if not isinstance(names, (list, tuple)) or not all(isinstance(one, str) for one in names):
        raise InputError(f"the public part of a promise is a list of names, got {names!r}")
    return tuple(names)


def _outputs(text: str) -> Outputs:
    return EVERY if text == EVERY else int(text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (name.strip() for name in text.split("+"))))


def _number(value: Any) -> bool:
    """Whether a value is a number that a double can hold."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 2**1023
    return isinstance(value, float)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
