"""The witness of an exact check.

The observation of an exact check, in words.

The witness of an exact check: two streams, the observation, and its two exact probabilities.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.choices.noise import as_text, shown
from pan_audits.choices.numbers import Number, as_ball, as_float
from pan_audits.events.observing.numbers import Raised
from pan_audits.exact.outputs import outputs_again
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.scope import (
    Item,
    Scope,
    Stream,
    Update,
    adjacent,
    describe,
    places_of,
    require_adjacent_inputs,
    two_inputs,
    well_formed,
    without,
)
from pan_audits.exact.search import ExactPair, LargestLoss, search_family, whole_or_in_parts
from pan_audits.exact.stepping import Stepper
from pan_audits.judging.reading import Field
from pan_audits.notions import Exactly, Loss, notion_of
from pan_audits.problems import judged
from pan_audits.problems.inputs.labelled import LONGEST_LABEL, marked
from pan_audits.problems.inputs.streams.family import Id, SegmentEnd, id_in
from pan_audits.problems.space import OfSpace, inputs_of
from pan_audits.subject.intake.discovery import Mechanism, find_mechanism
from pan_audits.subject.intake.documents import Reference, in_document, mechanism_of, promise_in, reference_in
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, MechanismError
from pan_estimators.universes.universe import Universe
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.exact_epsilon import LogFraction
from pan_promises.promise import EVERY, Promise

# A run of letters is tried from its beginning only, so that a long text takes no longer than its length.
_NOISE = re.compile(r"(?<![-+./\w])[-+./\w]+ \+ noise")
_OTHER = re.compile(r"\w")


def observation_in_words(pair: ExactPair, stepper: Stepper, *, whole: bool) -> str:
    """The observation of a pair."""
    steps = [item for item in pair.left if isinstance(item, SegmentEnd)]
    parts: list[str] = []
    place = 0
    for step, key in zip(steps, pair.seen, strict=False):
        value = stepper.shown.get(key)
        noisy = stepper.numbers.get(key, 0)
        if step is SegmentEnd.RELEASE and not noisy:
            parts.append(f"the output {_short(value)}")
        elif step is SegmentEnd.RELEASE:
            values = pair.extreme.point[place : place + noisy]
            words = _output(values) if stepper.parts is None else stepper.parts.describe(value, values)
            parts.append(words + (_form(value) if whole and stepper.parts is None else ""))
        else:
            parts.append(f"the state {_short(value)}" + (" up to its noise" if noisy else _alike(key, stepper)))
        place += noisy
    return " and ".join(parts)


def _form(value: Any) -> str:
    """The parts of an output beside its noise; empty if there are none."""
    text = _NOISE.sub("noise", shown(value))
    if "noise" not in text or not _OTHER.search(text.replace("noise", "")):
        return ""
    return f", of the form {_shortened(text)}"


def _alike(key: str, stepper: Stepper) -> str:
    """A note for a state that is written like another one, and differs from it in memory."""
    text = _short(stepper.shown.get(key))
    others = (value for other, value in stepper.shown.items() if other != key)
    return " (another state is written alike, and differs in memory)" if text in map(_short, others) else ""


def _output(values: tuple[Any, ...]) -> str:
    words = [value for value in values if isinstance(value, str)]
    if words or not values:
        return f"an output with noise, {words[0] if words else 'whatever its value'}"
    return "an output with noise at " + " and ".join(map(as_text, values))


def _short(value: Any) -> str:
    return _shortened(shown(value))


def _shortened(text: str) -> str:
    text = " ".join(text.replace("array(", "(").replace(", dtype=int64", "").split())
    return text if len(text) <= 160 else text[:157] + "..."


_MOST_USERS, _MOST_ITEMS = 4096, 4096
_LONGEST = 4000


@dataclass(frozen=True)
class ExactWitness:
    """Two adjacent streams and an observation that distinguishes them, with exact probabilities.

    Attributes
    ----------
    name, parameters
        The estimator and its parameters; budgets as text, so that they stay exact.
    promise
        The promise.
    ids
        The users.
    left, right
        The streams; the observation is likelier on the left one.
    user
        The user whose updates differ.
    observation
        The observation, in words.
    masses
        Its probability, or density up to a common factor, on the left and on the right stream.
    loss
        The logarithm of their ratio.
    delta
        For a promise with a delta: the least delta with which the two streams keep its epsilon.
    whole
        Whether the users stand for whole inputs.
    parts
        For whole inputs whose outputs show choices beside noise: the losses of the choices and of the noise, in nats.
        They add up to the loss.
    remark
        The error that is raised on one side alone, in words; empty if there is none.
    space
        Whether the users stand for inputs of a space, which are read from their texts.
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
    whole: bool = False
    parts: tuple[float, float] | None = None
    remark: str = ""
    space: bool = False

    def describe(self) -> str:
        """The witness in words."""
        if self.whole:
            left, right = (self.ids[item.user] for item in (self.left[0], self.right[0]) if isinstance(item, Update))
            if self.space:
                left, right = marked(str(left), str(right))
            sides = f"The input is {left} on one side, and {right} on the other. The observer sees {self.observation}"
            raised = f" It {self.remark}." if self.remark else ""
            return f"{sides}{'' if self.loss.unit else ': ' + self._compared()}.{raised} {self._concluded()}."
        return (
            f"User {self.ids[self.user]} differs: {describe(self.left, self.ids)} against "
            f"{describe(self.right, self.ids)}. The adversary sees {self.observation}: {self._compared()}. "
            f"{self._concluded()}."
        )

    def _concluded(self) -> str:
        return notion_of(self.promise).concluded(self.loss, self.delta, self._divided())

    def _divided(self) -> str:
        if self.parts is None:
            return ""
        choices, noise = self.parts
        return f": {choices:.6g} by the choices that the output shows, and {noise:.6g} by the noise beside them"

    def _compared(self) -> str:
        high, low = (number_in_words(mass) for mass in self.masses)
        noun = "side" if self.whole else "stream"
        if self.loss.unbounded:
            return f"possible on the one {noun} only" if low == "0" else f"unboundedly likelier on the one {noun}"
        kind = "density, up to a common factor," if "noise" in self.observation else "probability"
        return f"{kind} {high} on the one {noun} against {low} on the other"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "panproof": 1,
            "exact": True,
            "description": self.describe(),
            "estimator": self.name,
            "parameters": {key: _parameter_to_json(value) for key, value in self.parameters.items()},
            "promise": self.promise.to_dict()
            | ({} if math.isinf(self.promise.epsilon) else {"epsilon": str(self.promise.epsilon)}),
            "users": [list(identifier) if isinstance(identifier, tuple) else identifier for identifier in self.ids],
            "user": self.user,
            "streams": [[_item_to_json(item) for item in stream] for stream in (self.left, self.right)],
            "observation": self.observation,
            "probabilities": None if self.loss.unit else [number_in_words(mass) for mass in self.masses],
            "loss": self.loss.to_dict(),
            "delta": None if self.delta is None else as_float(self.delta),
            **({"whole": True} if self.whole else {}),
            **({"space": True} if self.space else {}),
            **({"parts": dict(zip(("choices", "noise"), self.parts, strict=True))} if self.parts else {}),
        }


def witness_of(mechanism: Mechanism, pair: ExactPair, stepper: Stepper) -> ExactWitness:
    """The witness for a pair that was found."""
    ids, streams, user = stepper.ids, (pair.left, pair.right), pair.user
    kind = judged(mechanism.problem)
    whole = kind.whole
    if pair.unit or not kind.listed:
        # The two inputs alone: there can be thousands.
        ids, streams, user = two_inputs(ids, streams)
    return ExactWitness(
        name=mechanism.name,
        parameters=mechanism.parameters,
        promise=mechanism.promise,
        ids=ids,
        left=streams[0],
        right=streams[1],
        user=user,
        observation=pair.observation or observation_in_words(pair, stepper, whole=whole),
        masses=pair.extreme.masses,
        loss=pair.loss,
        delta=pair.delta,
        whole=whole,
        parts=_parts(pair) if whole else None,
        remark=_raised_alone(pair, stepper) if whole and not pair.unit else "",
        space=isinstance(kind, OfSpace),
    )


def _raised_alone(pair: ExactPair, stepper: Stepper) -> str:
    """The errors that are raised on one of the two inputs alone, in words."""
    kinds = [
        {error.kind for key in stepper.distribution(stream) if isinstance(error := stepper.shown.get(key[-1]), Raised)}
        for stream in (pair.left, pair.right)
    ]
    return f"raises {' or '.join(sorted(kinds[0] ^ kinds[1]))} on one side" if kinds[0] != kinds[1] else ""


def _parts(pair: ExactPair) -> tuple[float, float] | None:
    """The losses of the choices and of the noise, if the output shows both and the loss is finite."""
    if pair.unit or pair.loss.unbounded or not pair.extreme.point or pair.chances[0] == pair.chances[1]:
        return None
    high, low = (as_ball(chance) for chance in pair.chances)
    choices = as_float((high / low).log())
    return choices, pair.loss.nats - choices


_UNDISTINGUISHED = "the present estimator does not distinguish the two streams of this witness"


@dataclass(frozen=True)
class _Stored:
    """A witness from a document, and the task of computing it again."""

    reference: Reference
    ids: tuple[Id, ...]
    left: Stream
    right: Stream
    user: int
    observation: str
    loss: Loss

    def __call__(self) -> ExactWitness | InputError | Failure:
        try:
            mechanism = mechanism_of(self.reference)
            pair, stepper = pair_again(mechanism, self.reference.promise, self.ids, (self.left, self.right), self.user)
        except InputError as problem:
            return problem
        except (UnfollowableError, TooLargeError) as limit:
            return Failure(f"its random choices cannot be followed: {limit}")
        return InputError(_UNDISTINGUISHED) if pair is None else witness_of(mechanism, pair, stepper)


def pair_again(
    mechanism: Mechanism, promise: Promise, ids: tuple[Id, ...], streams: tuple[Stream, Stream], user: int
) -> tuple[ExactPair | None, Stepper]:
    """The pair of a witness, computed again from the code, and the stepper; no pair if nothing distinguishes them."""
    adjacency = promise.adjacency
    if judged(mechanism.problem).whole:
        require_adjacent_inputs(ids, streams, mechanism, promise)
        adjacency = Adjacency.USER_LEVEL
    if (notion := notion_of(promise)).exactly is Exactly.OUTPUTS:
        stepper = Stepper(mechanism.estimator, ids)
        return outputs_again(stepper, ids, places_of(*streams), notion), stepper

    def search(stepper: Stepper) -> LargestLoss:
        found = LargestLoss()
        search_family(stepper, list(streams), user, adjacency, found, promise)
        return found

    stepper = Stepper(mechanism.estimator, ids, whole=judged(mechanism.problem).whole)
    stepper, found = whole_or_in_parts(stepper, search)
    return (None if found.worst is None or found.worst.extreme.ratio == 1 else found.worst), stepper


def replay_exact(
    values: Field | Mapping[str, Any], *, third_party: str | None = None, inputs: str = "", limits: Limits | None = None
) -> tuple[ExactWitness, ExactWitness]:
    """Compute a stored witness again from the estimator's code: the stored loss, and the computed one."""
    stored = _stored(Field.of(values), third_party, inputs)
    fresh = stored() if limits is None else run_in_workers([stored], 1, limits)[0].result
    if isinstance(fresh, InputError):
        raise fresh
    if isinstance(fresh, Failure):
        raise MechanismError(fresh.sentence)
    reference = stored.reference
    old = ExactWitness(
        name=reference.name,
        parameters=reference.parameters,
        promise=reference.promise,
        ids=stored.ids,
        left=stored.left,
        right=stored.right,
        user=stored.user,
        observation=stored.observation,
        masses=fresh.masses,
        loss=stored.loss,
        whole=fresh.whole,
    )
    return old, fresh


def _stored(document: Field, third_party: str | None, inputs: str) -> _Stored:
    """Read a witness: two streams that the promise covers, and the estimator that it names."""
    document.needs("a witness of an exact check", "promise", "users", "streams", "estimator", "parameters")
    promise = promise_in(document["promise"])
    of_space = document.get("space") is not None and document["space"].truth()
    longest = LONGEST_LABEL if of_space else _LONGEST
    ids = tuple(id_in(identifier, longest) for identifier in document["users"].items(least=1, most=_MOST_USERS))
    if len(set(ids)) < len(ids):
        raise InputError(f"{document.place or 'the document'}: the users must be distinct")
    user = document["user"].whole(0, len(ids) - 1)
    streams = document["streams"].items(least=2, most=2)
    left, right = (tuple(_item(item, len(ids)) for item in stream.items(most=_MOST_ITEMS)) for stream in streams)
    place = streams[0].place.removesuffix("[0]")
    whole = document.get("whole") is not None and document["whole"].truth()
    if not whole and left != right and without(left, user) != without(right, user):
        raise InputError(f"{place}: the two streams differ in more than the updates of one user")
    if not whole and left != right and not adjacent(left, right, promise.adjacency):
        raise InputError(f"{place}: the two streams are not adjacent ({promise.adjacency})")
    notion = notion_of(promise)
    if whole and (notion.exactly is Exactly.OUTPUTS or promise.outputs == EVERY):
        allowed: tuple[Any, ...] = ((SegmentEnd.RELEASE,),)
    else:
        allowed = Scope.of(promise, 1, 1, deletions=True, exchangeable=False).schedules
    if tuple(item for item in left if isinstance(item, SegmentEnd)) not in allowed:
        raise InputError(f"{place}: the promise does not allow these observations: {promise.describe()}")
    if not all(well_formed(tuple(item for item in stream if isinstance(item, Update))) for stream in (left, right)):
        raise InputError(f"{place}: a user is deleted who is not present")
    parameters = dict(document["parameters"].entries())
    if of_space:
        inputs = inputs_of([str(ids[place]) for place in places_of(left, right)])
    return _Stored(
        reference=reference_in(document["estimator"], parameters, promise, third_party, inputs),
        ids=ids,
        left=left,
        right=right,
        user=user,
        observation=document["observation"].text(_LONGEST),
        loss=_loss(document["loss"], notion.none.unit),
    )


def profile_of(witness: ExactWitness, *, inputs: str = "", isolation: str = "best") -> dict[str, Any]:
    """Both privacy profiles of the two streams of a witness, up to its loss or twice the promise, JSON-ready."""
    if witness.space:
        inputs = inputs_of([str(label) for label in witness.ids])
    mechanism = find_mechanism(
        witness.name, parameters=witness.parameters, promise=witness.promise, inputs=inputs, isolation=isolation
    )
    stepper = Stepper(mechanism.estimator, witness.ids)
    if unit := notion_of(witness.promise).none.unit:
        raise InputError(f"no profile: the promise is one of a {unit}, and the check computes that {unit} alone")
    largest = 2 * float(witness.promise.epsilon) if witness.loss.unbounded else witness.loss.nats
    try:
        left, right = (
            PrivacyProfile.of(stepper, *streams).table(largest=largest)
            for streams in ((witness.left, witness.right), (witness.right, witness.left))
        )
    except (UnfollowableError, TooLargeError) as limit:
        raise InputError(f"no profile: {limit}") from None
    return {"streams": witness.to_dict()["streams"], "left_over_right": left, "right_over_left": right}


def _fraction(field: Field) -> fmpq:
    """A fraction that is not negative."""
    try:
        found = fmpq(*map(int, field.text(_LONGEST).split("/")))
    except (TypeError, ValueError, ArithmeticError):
        field.refuse("a fraction")
    if found < 0:
        field.refuse("a fraction of at least 0")
    return found


def _loss(field: Field, unit: str) -> Loss:
    """The loss as it was stored: unbounded, a number of a unit, or the logarithm of a ratio."""
    if unit and (number := field.get(unit)) is not None:
        return Loss(_fraction(number), unit=unit)
    ratio = field.get("ratio")
    if ratio is None:
        return Loss(None, unit=unit)
    text = ratio.text(_LONGEST)
    try:
        found = fmpq(*map(int, text.split("/"))) if "[" not in text else arb(text)
    except (TypeError, ValueError, ArithmeticError):
        ratio.refuse("a ratio of probabilities")
    if not (found > 0 and (isinstance(found, fmpq) or found.is_finite())):
        ratio.refuse("a ratio of probabilities, above 0")
    return Loss(found)


def _parameter_to_json(value: Any) -> Any:
    """Budgets as text, so that they stay exact; universes by their size."""
    if isinstance(value, LogFraction):
        return str(value)
    return value.size if isinstance(value, Universe) else in_document(value)


def number_in_words(mass: Number) -> str:
    """A probability, as a short fraction or with six digits."""
    text = str(mass) if isinstance(mass, fmpq) else ""
    if text and len(text) <= 24:
        return text
    # The probability of one value of a long vector lies below all doubles.
    return f"{as_float(mass):.6g}" if as_float(mass) else str(as_ball(mass).str(6, radius=False))


def _item_to_json(item: Item) -> Any:
    if isinstance(item, SegmentEnd):
        return str(item)
    return {"delete" if item.deletes else "update": item.user}


def _item(field: Field, users: int) -> Item:
    if isinstance(field.value, str):
        return field.choice(SegmentEnd)
    kind = "delete" if field.get("delete") is not None else "update"
    return Update(field.only([kind])[kind].whole(0, users - 1), kind == "delete")
