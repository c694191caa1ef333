"""The witness of an exact check: two streams, what is seen, and the two exact probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from pan_audits.discovery import Variant, find_variant
from pan_audits.exact.errors import UnfollowableError
from pan_audits.exact.loss import Loss
from pan_audits.exact.noise import shown
from pan_audits.exact.numbers import Number, as_float
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.scope import Item, Stream, Update, describe
from pan_audits.exact.search import ExactPair, Found, search_family
from pan_audits.exact.stepping import Stepper
from pan_audits.pairs.side import Id, Step, id_from_json
from pan_estimators import InputError, Promise, Universe
from pan_estimators.exact_epsilon import LogFraction, parse_epsilon


@dataclass(frozen=True)
class ExactWitness:
    """Two adjacent streams that are told apart, with exact probabilities.

    Attributes
    ----------
    name, parameters
        The estimator and how to make it; budgets as text, so that they stay exact.
    promise
        What was promised.
    ids
        The users.
    left, right
        The streams; the observation is likelier on the left one.
    user
        The user whose updates differ.
    observation
        What is seen, in words.
    masses
        Its probability, or density up to a common factor, on the left and on the right stream.
    loss
        The logarithm of their ratio.
    delta
        For a promise with a delta: the least delta with which the two streams keep its epsilon.
    """

    name: str
    parameters: Mapping[str, Any]
    promise: Promise
    ids: tuple[Id, ...]
    left: Stream
    right: Stream
    user: int
    observation: str
    masses: tuple[Number, Number]
    loss: Loss
    delta: Number | None = None

    def describe(self) -> str:
        """The witness in words."""
        return (
            f"User {self.ids[self.user]} differs: {describe(self.left, self.ids)} against "
            f"{describe(self.right, self.ids)}. The intruder sees {self.observation}: {self._compared()}. "
            f"{self._concluded()}."
        )

    def _concluded(self) -> str:
        epsilon = f"{float(self.promise.epsilon):.6g}"
        if self.delta is None:
            return f"Loss {self.loss.describe()}, promised {epsilon}"
        return (
            f"With all that is seen, delta is {as_float(self.delta):.6g} at epsilon {epsilon}, "
            f"promised {self.promise.delta:.6g}"
        )

    def _compared(self) -> str:
        high, low = (_number(mass) for mass in self.masses)
        if self.loss.unbounded:
            return "possible on the one stream only" if low == "0" else "unboundedly likelier on the one stream"
        kind = "density, up to a common factor," if "noise" in self.observation else "probability"
        return f"{kind} {high} on the one stream against {low} on the other"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "panproof": 1,
            "exact": True,
            "description": self.describe(),
            "estimator": self.name,
            "parameters": {key: _parameter_to_json(value) for key, value in self.parameters.items()},
            "promise": self.promise.to_dict() | {"epsilon": str(self.promise.epsilon)},
            "users": [list(identifier) if isinstance(identifier, tuple) else identifier for identifier in self.ids],
            "user": self.user,
            "streams": [[_item_to_json(item) for item in stream] for stream in (self.left, self.right)],
            "observation": self.observation,
            "probabilities": [_number(mass) for mass in self.masses],
            "loss": self.loss.to_dict(),
            "delta": None if self.delta is None else as_float(self.delta),
        }


def witness_of(variant: Variant, pair: ExactPair, stepper: Stepper) -> ExactWitness:
    """The witness for a pair that was found."""
    return ExactWitness(
        name=variant.name,
        parameters=variant.parameters,
        promise=variant.promise,
        ids=stepper.ids,
        left=pair.left,
        right=pair.right,
        user=pair.user,
        observation=_observation(pair, stepper),
        masses=pair.extreme.masses,
        loss=pair.loss,
        delta=pair.delta,
    )


def replay_exact(values: Mapping[str, Any]) -> tuple[ExactWitness, ExactWitness]:
    """Compute a stored witness afresh from the estimator's code: what was stored, and what is found now.

    Raises
    ------
    InputError
        If it is no witness of an exact check, or the two streams are not told apart any more.
    """
    try:
        promise = Promise.from_dict({**values["promise"], "epsilon": parse_epsilon(values["promise"]["epsilon"])})
        ids = tuple(id_from_json(identifier) for identifier in values["users"])
        left, right = (tuple(_item_from_json(item) for item in stream) for stream in values["streams"])
        user, name = int(values["user"]), str(values["estimator"])
        parameters = {key: _parameter(key, value) for key, value in values["parameters"].items()}
        observation = str(values["observation"])
        ratio = values["loss"].get("ratio")
    except (KeyError, TypeError, ValueError) as problem:
        raise InputError(f"not a witness of an exact check: {problem}") from None
    variant = find_variant(name, parameters=parameters, promise=promise)
    stepper = Stepper(variant.estimator, ids)
    found = Found()
    search_family(stepper, [left, right], user, promise.adjacency, found, promise)
    if found.worst is None or found.worst.extreme.ratio == 1:
        raise InputError("the two streams of this witness cannot be told apart by the estimator as it is now")
    fresh = witness_of(variant, found.worst, stepper)
    stored = Loss(None if ratio is None else _parse_ratio(ratio))
    old = ExactWitness(name, parameters, promise, ids, left, right, user, observation, fresh.masses, stored)
    return old, fresh


def profile_of(witness: ExactWitness) -> dict[str, Any]:
    """Both privacy profiles of the two streams of a witness, up to its loss or twice the promise, JSON-ready.

    Raises
    ------
    InputError
        If the profile cannot be computed.
    """
    variant = find_variant(witness.name, parameters=witness.parameters, promise=witness.promise)
    stepper = Stepper(variant.estimator, witness.ids)
    largest = 2 * float(witness.promise.epsilon) if witness.loss.unbounded else witness.loss.nats
    try:
        left, right = (
            PrivacyProfile.of(stepper, *streams).table(largest=largest)
            for streams in ((witness.left, witness.right), (witness.right, witness.left))
        )
    except UnfollowableError as limit:
        raise InputError(f"no profile: {limit}") from None
    return {"streams": witness.to_dict()["streams"], "left_over_right": left, "right_over_left": right}


def _parse_ratio(text: str) -> Number:
    from flint import arb

    try:
        return fmpq(*map(int, text.split("/"))) if "[" not in text else arb(text)
    except (TypeError, ValueError):
        raise InputError(f"not a ratio of probabilities: {text!r}") from None


def _parameter_to_json(value: Any) -> Any:
    """Budgets as text, so that they stay exact; universes by their size."""
    if isinstance(value, LogFraction):
        return str(value)
    return value.size if isinstance(value, Universe) else value


def _parameter(key: str, value: Any) -> Any:
    return parse_epsilon(value) if key == "epsilon" and isinstance(value, str) else value


def _observation(pair: ExactPair, stepper: Stepper) -> str:
    """What is seen, in words."""
    steps = [item for item in pair.left if isinstance(item, Step)]
    parts: list[str] = []
    place = 0
    for step, key in zip(steps, pair.seen, strict=False):
        value = stepper.shown.get(key)
        noisy = stepper.numbers.get(key, 0)
        if step is Step.RELEASE and not noisy:
            parts.append(f"the output {_short(value)}")
        elif step is Step.RELEASE:
            values = pair.extreme.point[place : place + noisy]
            parts.append(_output(values))
        else:
            parts.append(f"the state {_short(value)}" + (" up to its noise" if noisy else ""))
        place += noisy
    return " and ".join(parts)


def _output(values: tuple[Any, ...]) -> str:
    words = [value for value in values if isinstance(value, str)]
    if words or not values:
        return f"an output with noise, {words[0] if words else 'whatever its value'}"
    return "an output with noise at " + " and ".join(f"{float(value):.6g}" for value in values)


def _short(value: Any) -> str:
    text = " ".join(shown(value).replace("array(", "(").replace(", dtype=int64", "").split())
    return text if len(text) <= 160 else text[:157] + "..."


def _number(mass: Number) -> str:
    text = str(mass) if isinstance(mass, fmpq) else ""
    return text if text and len(text) <= 24 else f"{as_float(mass):.6g}"


def _item_to_json(item: Item) -> Any:
    if isinstance(item, Step):
        return str(item)
    return {"delete" if item.deletes else "update": item.user}


def _item_from_json(value: Any) -> Item:
    if isinstance(value, str):
        return Step(value)
    ((kind, user),) = value.items()
    if kind not in {"update", "delete"}:
        raise ValueError(f"{kind!r} is neither an update nor a deletion")
    return Update(int(user), kind == "delete")
