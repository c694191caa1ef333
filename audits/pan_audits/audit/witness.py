"""The witness of a refutation: all data for its repetition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pan_audits.events import Event
from pan_audits.judging.documents import as_document, document
from pan_audits.judging.reading import Field
from pan_audits.notions import Evidence, LowerBounds, notion_of
from pan_audits.problems.inputs.labelled import LONGEST_LABEL, LabelledInputs, releases_of
from pan_audits.problems.inputs.streams.catalogue import schedules
from pan_audits.problems.inputs.streams.family import (
    MOST_UPDATES,
    Family,
    Id,
    Pair,
    Segment,
    SegmentEnd,
    Side,
    Updates,
    id_in,
    segments_in,
)
from pan_audits.subject.intake.documents import in_document, promise_in
from pan_promises.errors import InputError
from pan_promises.promise import Promise

_MOST_RUNS = 10**7
_MOST_STEPS = 16
_LARGEST_LOSS = 1e6
_LEAST_ERROR, _LARGEST_ERROR = 1e-300, 0.5
"""The same limit as for the error budget of an audit."""
_FEWER = (100, 10, 1)
"""Parts of the runs at which the growth of a bound is told."""


@dataclass(frozen=True)
class Counts:
    """The counts of an event.

    Attributes
    ----------
    left, right
        Runs with the event, on the stream where it is likelier and on the other.
    runs
        Runs on each stream.
    """

    left: int
    right: int
    runs: int


@dataclass(frozen=True, kw_only=True)
class Witness:
    """A pair of adjacent streams, and an event that distinguishes them better than the promise allows.

    The event is likelier on the ``left`` stream of the pair. The numbers come from fresh runs, made
    after the pair and the event had been chosen.

    Attributes
    ----------
    promise
        The promise.
    pair
        The two streams.
    event
        The event that the adversary observes.
    counts
        The counts of the event.
    loss
        Lower bound on the privacy loss, in nats.
    probability_left, probability_right
        Lower bound of the event's probability on the left, upper bound on the right.
    error
        Probability, at most, that the bounds are wrong.
    seed
        Entropy of the run that confirmed it.
    estimator
        The estimator as it was named and configured, JSON-ready.
    evidence
        For a notion whose counts alone do not say the bound: the bound on the promised number.
    """

    promise: Promise
    pair: Pair
    event: Event
    counts: Counts
    loss: float
    probability_left: float
    probability_right: float
    error: float
    seed: int
    estimator: Mapping[str, Any]
    evidence: Evidence | None = None

    @classmethod
    def of(cls, measured: LowerBounds, **given: Any) -> Witness:
        """The witness with the measured numbers; the other fields are given."""
        return cls(
            loss=measured.loss,
            probability_left=measured.left,
            probability_right=measured.right,
            evidence=measured.evidence,
            **given,
        )

    @property
    def whole(self) -> bool:
        """Whether the mechanism is given its whole input."""
        return isinstance(self.pair.family, LabelledInputs)

    def describe(self) -> str:
        """The witness in words."""
        family = self.pair.family
        others = f" {told}" if (told := family.describe_others()) else ""
        sides = family.describe_pair(self.pair.left, self.pair.right)
        return (
            f"On one {family.noun} {sides[0]}; on the other {sides[1]}."
            f"{others} The adversary sees {_seen(family)} and looks for this: {self.event.describe()}. "
            f"Its probability is at least {self.probability_left:.4g} on the one {family.noun} against at most "
            f"{self.probability_right:.4g} on the other: "
            f"{notion_of(self.promise).conclusion(self.loss, self.evidence)}.{self._grows()}"
        )

    @property
    def growth(self) -> tuple[tuple[int, float], ...]:
        """For numbers of runs: the bound that an event shows which occurs as often as here, and never on the right.

        Empty if the event occurred on the right. Such a bound has no limit: an infinite loss looks like this, and so
        does a finite one that is too large for these runs.
        """
        notion = notion_of(self.promise)
        if self.counts.right or not notion.bets:
            return ()
        return tuple(
            (runs, notion.measured(left, 0, runs, self.error).loss)
            for part in _FEWER
            if (runs := self.counts.runs // part) and (left := self.counts.left // part)
        )

    def _grows(self) -> str:
        bounds = [f"{bound:.3g} at {runs:,} runs" for runs, bound in self.growth if bound > 0]
        if len(bounds) < 2:
            return ""
        return (
            f" The event never occurred on the other {self.pair.family.noun}, so the bound grows with the number of "
            f"runs: {', '.join(bounds)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        family = self.pair.family
        described = document(self, "description=describe promise") | {
            "estimator": as_document(in_document(self.estimator))
        }
        described["family"] = {
            "name": family.name,
            "user": list(family.user) if isinstance(family.user, tuple) else family.user,
            "schedule": [str(step) for step in family.schedule],
            "others": Side(family.others).to_dict()["segments"],
            "patterns": [list(family.patterns[self.pair.left]), list(family.patterns[self.pair.right])],
            "user_first": family.first,
            "alternating": family.alternating,
        } | _labels(self.pair)
        described["streams"] = [side.to_dict()["segments"] for side in self.pair.sides]
        described |= {"nested": self.pair.nested} | document(
            self,
            "event counts probability_left_at_least=probability_left probability_right_at_most=probability_right "
            "loss_at_least=loss error seed",
        )
        return described | (
            {} if self.evidence is None else {notion_of(self.promise).evidence_key: self.evidence.to_dict()}
        )

    @classmethod
    def from_dict(cls, values: Field | Mapping[str, Any]) -> Witness:
        """Read the result of :meth:`to_dict`; :class:`InputError` names the place of a part that is wrong."""
        document = Field.of(values).needs("a witness", "promise", "family", "event", "counts", "estimator")
        promise = promise_in(document["promise"])
        evidence = notion_of(promise).evidence_in(document)
        return cls(
            promise=promise,
            pair=_pair(document["family"], promise),
            event=Event.from_dict(document["event"]),
            counts=_counts(document["counts"]),
            loss=document["loss_at_least"].number(0, _LARGEST_LOSS),
            probability_left=document["probability_left_at_least"].number(0, 1),
            probability_right=document["probability_right_at_most"].number(0, 1),
            error=document["error"].number(_LEAST_ERROR, _LARGEST_ERROR),
            seed=document["seed"].whole(),
            estimator={name: field.value for name, field in document["estimator"].entries()},
            evidence=evidence,
        )


def _labels(pair: Pair) -> dict[str, Any]:
    """The two inputs of a pair, for inputs under labels."""
    if not isinstance(pair.family, LabelledInputs):
        return {}
    return {"inputs": [pair.family.labels[pair.left], pair.family.labels[pair.right]]}


def _pair(field: Field, promise: Promise) -> Pair:
    """Check that the promise covers two inputs: they are adjacent, and seen at most as often as it allows."""
    if field.get("inputs") is not None:
        labels = tuple(label.text(LONGEST_LABEL) for label in field["inputs"].items(least=2, most=2))
        family = LabelledInputs(field["name"].text(), labels, ((0, 1),), promise.adjacency, releases_of(promise))
        return Pair(family, 0, 1)
    return _pair_of_streams(field, promise)


def _pair_of_streams(field: Field, promise: Promise) -> Pair:
    """Two streams that are adjacent."""
    schedule = tuple(step.choice(SegmentEnd) for step in field["schedule"].items(most=_MOST_STEPS))
    if schedule not in schedules(promise):
        raise InputError(f"{field.place}.schedule: the promise does not allow these observations: {promise.describe()}")
    others = segments_in(field["others"])
    patterns = tuple(
        tuple(times.whole(most=MOST_UPDATES) for times in pattern.items(least=len(schedule), most=len(schedule)))
        for pattern in field["patterns"].items(least=2, most=2)
    )
    if len(others) != len(schedule):
        raise InputError(f"{field.place}.others: there must be one segment before each of {len(schedule)} steps")
    if max(map(sum, patterns)) > MOST_UPDATES:
        raise InputError(f"{field.place}.patterns: the user may appear at most {MOST_UPDATES} times")
    family = Family(
        field["name"].text(),
        id_in(field["user"]),
        schedule,
        others,
        patterns,
        promise.adjacency,
        field["user_first"].truth(),
        field["alternating"].truth(),
    )
    pair = Pair(family, 0, 1)
    if patterns[0] == patterns[1] or pair not in family.pairs:
        raise InputError(f"{field.place}.patterns: the two streams are not adjacent ({promise.adjacency})")
    if _appears(family.user, others):
        raise InputError(f"{field.place}.others: the user whose appearances differ is among them")
    return pair


def _appears(user: Id, segments: tuple[Segment, ...]) -> bool:
    pieces = [piece for segment in segments for piece in segment]
    return any(user in piece.ids if isinstance(piece, Updates) else str(user) != str(piece.without) for piece in pieces)


def _counts(field: Field) -> Counts:
    runs = field["runs"].whole(1, _MOST_RUNS)
    return Counts(field["left"].whole(most=runs), field["right"].whole(most=runs), runs)


def _seen(family: Any) -> str:
    states = sum(step is not SegmentEnd.RELEASE for step in family.schedule)
    outputs = len(family.schedule) - states
    parts = []
    if states:
        parts.append("the state at the intrusion" if states == 1 else f"the states at {states} intrusions")
    if outputs:
        parts.append("the output" if outputs == 1 else f"{outputs} outputs")
    return " and ".join(parts)
