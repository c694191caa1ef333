"""The witness of a refutation: everything that is needed to see it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pan_audits.events import Event
from pan_audits.pairs.family import Family, Pair, segment_names
from pan_audits.pairs.side import Side, Step, StreamSlice, Updates, id_from_json
from pan_estimators import Adjacency, InputError, Promise


@dataclass(frozen=True)
class Counts:
    """How often an event happened.

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
    """A pair of adjacent streams and an event that tells them apart better than was promised.

    The event is likelier on the ``left`` stream of the pair. The numbers come from fresh runs, made
    after the pair and the event had been chosen.

    Attributes
    ----------
    promise
        What was promised.
    pair
        The two streams.
    event
        What the intruder looks for.
    counts
        How often it happened.
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

    def describe(self) -> str:
        """The witness in words."""
        family = self.pair.family
        return (
            f"On one stream {family.describe(self.pair.left)}; on the other {family.describe(self.pair.right)}. "
            f"{self._others()} The intruder sees {_seen(family)} and looks for this: {self.event.describe()}. "
            f"Its probability is at least {self.probability_left:.4g} on the one stream against at most "
            f"{self.probability_right:.4g} on the other: {self._conclusion()}."
        )

    def _conclusion(self) -> str:
        promised = f"promised {self.promise.epsilon:.3g}"
        if self.promise.delta:
            promised += f" (delta {self.promise.delta:.3g})"
        if self.loss > self.promise.epsilon:
            return f"loss at least {self.loss:.3g}, {promised}"
        # The search refuted the promise; the few runs of the measurement alone show less.
        return f"loss above what was {promised}, by the bets of the search; these counts alone show {self.loss:.3g}"

    def _others(self) -> str:
        described = [
            f"{_segment(segment)} {name}"
            for segment, name in zip(self.pair.family.others, segment_names(self.pair.family.schedule), strict=True)
            if segment
        ]
        return f"Of the other users there are {', and '.join(described)}." if described else "Nobody else appears."

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        family = self.pair.family
        return {
            "description": self.describe(),
            "promise": self.promise.to_dict(),
            "estimator": dict(self.estimator),
            "family": {
                "name": family.name,
                "user": list(family.user) if isinstance(family.user, tuple) else family.user,
                "schedule": [str(step) for step in family.schedule],
                "others": Side(family.others).to_dict()["segments"],
                "patterns": [list(family.patterns[self.pair.left]), list(family.patterns[self.pair.right])],
                "user_first": family.first,
                "alternating": family.alternating,
            },
            "streams": [side.to_dict()["segments"] for side in self.pair.sides],
            "nested": self.pair.nested,
            "event": self.event.to_dict(),
            "counts": {"left": self.counts.left, "right": self.counts.right, "runs": self.counts.runs},
            "probability_left_at_least": self.probability_left,
            "probability_right_at_most": self.probability_right,
            "loss_at_least": self.loss,
            "error": self.error,
            "seed": self.seed,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Witness:
        """Read what :meth:`to_dict` wrote; :class:`InputError` if it is no witness."""
        try:
            promise = Promise.from_dict(values["promise"])
            stored = values["family"]
            family = Family(
                str(stored["name"]),
                id_from_json(stored["user"]),
                tuple(Step(step) for step in stored["schedule"]),
                Side.from_dict({"segments": stored["others"]}).segments,
                tuple(tuple(int(times) for times in pattern) for pattern in stored["patterns"]),
                Adjacency(promise.adjacency),
                bool(stored["user_first"]),
                bool(stored["alternating"]),
            )
            if len(family.patterns) != 2 or any(len(p) != len(family.schedule) for p in family.patterns):
                raise ValueError("the patterns do not fit the schedule")
            counts = values["counts"]
            return cls(
                promise=promise,
                pair=Pair(family, 0, 1),
                event=Event.from_dict(values["event"]),
                counts=Counts(int(counts["left"]), int(counts["right"]), int(counts["runs"])),
                loss=float(values["loss_at_least"]),
                probability_left=float(values["probability_left_at_least"]),
                probability_right=float(values["probability_right_at_most"]),
                error=float(values["error"]),
                seed=int(values["seed"]),
                estimator=dict(values["estimator"]),
            )
        except (KeyError, TypeError, ValueError) as problem:
            if isinstance(problem, InputError):
                raise
            raise InputError(f"not a witness: {type(problem).__name__} {problem}") from None


def _seen(family: Family) -> str:
    states = sum(step is not Step.RELEASE for step in family.schedule)
    outputs = len(family.schedule) - states
    parts = []
    if states:
        parts.append("the state at the intrusion" if states == 1 else f"the states at {states} intrusions")
    if outputs:
        parts.append("the output" if outputs == 1 else f"{outputs} outputs")
    return " and ".join(parts)


def _segment(segment: tuple[Updates | StreamSlice, ...]) -> str:
    parts = []
    for piece in segment:
        if isinstance(piece, StreamSlice):
            parts.append(f"updates {piece.start} to {piece.stop} of {piece.stream}")
        else:
            distinct = len(set(piece.ids))
            parts.append(f"{len(piece)} update{'s' * (len(piece) > 1)} by {distinct} user{'s' * (distinct > 1)}")
    return " and ".join(parts)
