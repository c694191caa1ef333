"""The scope of an exact check, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pan_audits.choices.numbers import as_float
from pan_audits.exact.growth import Growth
from pan_audits.exact.witness import ExactWitness
from pan_audits.judging.documents import document
from pan_audits.judging.randomness import RandomnessLevel
from pan_audits.judging.ranges import MOST_APPEARANCES, require_seconds
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import Loss
from pan_audits.subject.isolation.conduct import Conduct
from pan_promises.errors import Problems, require_count
from pan_promises.problem import STREAM, Problem
from pan_promises.promise import Promise

_SLOW = 0.025
"""Seconds for one run of the code, which usual code does not take on a busy machine either."""


@dataclass(frozen=True, kw_only=True)
class CheckSettings:
    """The scope of an exact check.

    Parameters
    ----------
    users
        Most users.
    length
        Most updates in a stream.
    sample_size
        Users that are sampled; by default all but one.
    appearances
        Greatest number of appearances of one user in the measurement of growth.
    runs
        Runs of the code after which no further scope begins, one for each outcome of its random choices.
    seconds
        In place of ``runs``: time after which no further scope begins. The coverage then differs between machines.
    """

    users: int = 3
    length: int = 4
    sample_size: int | None = None
    appearances: int = 8
    runs: int = 20_000
    seconds: float | None = None

    def __post_init__(self) -> None:
        problems = Problems()
        with problems.collected():
            require_count("the number of users", self.users, most=16)
        with problems.collected():
            require_count("the length of a stream", self.length, most=64)
        if self.sample_size is not None:
            with problems.collected():
                require_count("the sample size m", self.sample_size)
        with problems.collected():
            require_count("the number of appearances", self.appearances, least=2, most=MOST_APPEARANCES)
        with problems.collected():
            require_count("the number of runs", self.runs)
        if self.seconds is not None:
            with problems.collected():
                require_seconds("the time", self.seconds)
        problems.raise_any()

    @property
    def clock(self) -> float:
        """Seconds after which no further scope begins: those that were asked for, or more than usual code takes."""
        return self.runs * _SLOW if self.seconds is None else self.seconds

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(self, "users length sample_size appearances")


@dataclass(frozen=True)
class Coverage:
    """One scope that was covered, and the largest loss in it.

    Attributes
    ----------
    users, sample_size, length
        The scope: all streams of these users with up to this many updates.
    streams, pairs, states
        Number of streams with every placement of observations, of adjacent pairs, and of distinct states.
    seconds
        Its time.
    loss
        The largest loss.
    """

    users: int
    sample_size: int | None
    length: int
    streams: int
    pairs: int
    states: int
    seconds: float
    loss: Loss

    def to_dict(self, *, timed: bool = True) -> dict[str, Any]:
        """JSON-ready; the time it took can be left out, so that equal checks give equal dictionaries."""
        described = document(self, "users sample_size length streams pairs states loss")
        return described | ({"seconds": round(self.seconds, 3)} if timed else {})


@dataclass(frozen=True)
class CheckResult:
    """The outcome of an exact check.

    Attributes
    ----------
    name, configuration, promise
        The checked estimator and its promise.
    verdict
        Refuted if some loss exceeds the promise; not refuted if no loss in the whole requested scope
        exceeds it; inconclusive if the scope could not be covered.
    reason
        The verdict in a sentence.
    loss
        The largest loss found.
    witness
        The place at which it is attained.
    minimal
        The first violation by number of users and length, if there is one.
    settings
        The requested scope.
    coverage
        The scopes that were covered.
    growth
        The loss by the number of appearances of one user.
    exact
        Whether all probabilities are simple fractions; otherwise they are the doubles of the code.
    conduct
        Acts of the code beside computing, and its lines that never ran; ``None`` for code in this process.
    kind
        The kind of the inputs.
    timed
        If the clock decided what is covered, so that another machine may cover another part: a sentence about it.
    printing
        The reason why printed bytes prevent a conclusion; empty if they do not.
    """

    name: str
    configuration: Mapping[str, Any]
    promise: Promise
    verdict: Verdict
    reason: str
    settings: CheckSettings
    loss: Loss | None = None
    witness: ExactWitness | None = None
    minimal: ExactWitness | None = None
    coverage: tuple[Coverage, ...] = ()
    growth: Growth | None = None
    exact: bool = True
    seconds: float = 0.0
    note: str = ""
    conduct: Conduct | None = None
    problem: Problem = STREAM
    timed: str = ""
    printing: str = ""

    @property
    def refuted(self) -> bool:
        """Whether the promise is refuted."""
        return self.verdict is Verdict.REFUTED

    @property
    def least_delta(self) -> float | None:
        """For a promise with a delta: the least delta of the worst pair at the promised epsilon."""
        return None if self.witness is None or self.witness.delta is None else as_float(self.witness.delta)

    @property
    def knows_no_loss(self) -> bool:
        """Whether the check has no conclusion and found no loss, so that a loss of 0 would say too much."""
        return self.loss is None or (self.verdict is Verdict.INCONCLUSIVE and self.loss.nats == 0)

    @property
    def randomness(self) -> RandomnessLevel | None:
        """``followed`` if the check knows the distributions in its scope; ``None`` if something prevented it."""
        return None if self.knows_no_loss else RandomnessLevel.FOLLOWED

    def to_dict(self, *, timed: bool = True) -> dict[str, Any]:
        """JSON-ready; the time it took can be left out, so that equal checks give equal dictionaries."""
        described = document(self, "name configuration promise verdict reason loss witness minimal_witness=minimal")
        described["coverage"] = [row.to_dict(timed=timed) for row in self.coverage]
        described = {"panproof": 1, **described} | document(self, "growth exact randomness note timed conduct")
        return described | ({"seconds": round(self.seconds, 3)} if timed else {})
