"""The progress of an exact check, and what it must rule out before a verdict.

The conduct of judged code during an exact check: its acts beside computing, and its lines that never ran.

Whether the code repeats the distributions of a witness, before a refutation is believed.

Compiled code can draw from the system where nobody sees it. An output with few values is then equal in two calls by
chance, and the check takes it for an output without noise: a coin that tells the truth with probability 3/4 would have
an infinite loss. So both distributions are computed again, with fresh calls, before the check says REFUTED.

The progress of an exact check: the worst pair so far, the reasons for no conclusion, and the verdict.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from flint import arb, fmpq

from pan_audits.choices.errors import BypassError, UnfollowableError
from pan_audits.choices.numbers import ZERO, Number, as_float
from pan_audits.exact.effort import Allowance
from pan_audits.exact.growth import Growth
from pan_audits.exact.outputs import GaussianOutputs
from pan_audits.exact.result import CheckSettings, Coverage
from pan_audits.exact.scope import Stream, Update
from pan_audits.exact.search import ExactPair
from pan_audits.exact.stepping import Stepper, Work
from pan_audits.exact.witness import ExactWitness, witness_of
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import Exactly, notion_of
from pan_audits.problems import judged
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.isolation.conduct import KEEPS, Conduct, places_in_words
from pan_audits.subject.isolation.estimator import IsolatedEstimator
from pan_audits.subject.isolation.orders import (
    beginning,
    courses_of,
    depends_on_earlier_runs,
    depends_on_other_runs,
    remembers,
)
from pan_audits.workers.limits import MechanismError
from pan_promises.promise import Promise

_NOT_CARRIED = (
    "the outputs differ if the state is copied between calls: they depend on data outside of the state, or on which "
    "object it is"
)


def conduct_of(mechanism: Mechanism) -> Conduct | None:
    """The conduct of code in a process of its own; ``None`` for other code."""
    if not isinstance(mechanism.estimator, IsolatedEstimator):
        return None
    conduct = mechanism.estimator.conduct()
    if mechanism.estimator.restarted or conduct.calls <= 1:
        # The process that made the calls has ended, and its memory with it.
        conduct = mechanism.estimator.surveyed(courses_of(mechanism.estimator, mechanism.population), 1, 0)
    kept = mechanism.estimator.places_that_depend(conduct, mechanism.population)
    return replace(conduct, kept=kept)


def why_undecided(conduct: Conduct | None, promise: Promise) -> str:
    """The reason why the check decides nothing: the adversary sees more than the state."""
    if conduct is None or not conduct.kept or not promise.sees_state:
        return ""
    return f"{KEEPS}{places_in_words(conduct.kept)}; an adversary who sees the memory of the process sees them"


def why_not_repeated(mechanism: Mechanism, conduct: Conduct | None, *, changed: bool) -> str:
    """The reason why the distributions of the check are not those of a new process: outputs depend on earlier calls."""
    places = conduct.changed if conduct is not None else {}
    if not isinstance(mechanism.estimator, IsolatedEstimator):
        return ""
    courses = courses_of(mechanism.estimator, mechanism.population)
    if not judged(mechanism.problem).whole:
        courses = [beginning(mechanism.population), *courses]
        # Code that fails on longer streams is judged on the scope of the check.
        with contextlib.suppress(MechanismError):
            if not mechanism.estimator.carries_states(courses, 0):
                return _NOT_CARRIED
    if not (changed or places):
        return ""
    if depends_on_earlier_runs(mechanism.estimator, courses) or depends_on_other_runs(mechanism.estimator, courses):
        return remembers(places)
    return ""


_NATS = 14.0
"""The logarithm of one over the probability that a mechanism that keeps its promise repeats itself by chance."""
_MOST, _WITH_NOISE, _FEW = 2000, 32, 8
_MOST_RUNS = 20_000
"""Runs of the code after which no further repetition begins."""

_LEFT = "the loss is not known: a loop has no longest run, and longer runs could have the same outputs"

DREW_UNSEEN = (
    "the estimator draws random numbers where the check does not see them: with the same draws, repeated calls have "
    "other outcomes"
)


def require_repetition(stepper: Stepper, streams: Iterable[Stream], promise: Promise) -> None:
    """Compute the distributions on some streams again and again.

    A mechanism whose distributions seem to have one outcome each, with different outcomes on two adjacent streams, and
    that keeps an epsilon, has another outcome with probability 1 / (1 + e^epsilon) or more on one of them; of other
    notions,
    :attr:`Notion.coin` takes the place of epsilon. The number of calls is such that it repeats itself with probability
    e^-14 at most.

    Where the check follows noise, this bound does not hold, and a fixed number of repetitions is made. Where it
    follows random choices, a few are made, since each of them calls the code for every outcome.
    """
    work = Work()
    wanted = min(_MOST, math.ceil(_NATS * (1 + math.exp(min(notion_of(promise).coin, 20.0)))))
    first: dict[Stream, dict[Any, Any]] = {}
    for number in range(wanted):
        fresh = replace(stepper.again(), work=work)
        enough = wanted
        if fresh.parts is not None:
            # Parts of an output are noise, and have several values.
            enough = _FEW
        for stream in streams:
            seen, noise = _masses(fresh, stream, promise)
            enough = min(enough, _FEW if len(seen) > 1 else _WITH_NOISE if noise else wanted)
            if first.setdefault(stream, seen) != seen:
                raise BypassError(DREW_UNSEEN)
        if work.done > _MOST_RUNS or number + 1 >= enough:
            return


def _masses(stepper: Stepper, stream: Stream, promise: Promise) -> tuple[dict[Any, Any], bool]:
    """The probabilities of paths, by their discrete parts and the places of noise; is there noise?"""
    if notion_of(promise).exactly is Exactly.OUTPUTS:
        (update, _) = stream
        assert isinstance(update, Update)
        found = GaussianOutputs(stepper).distribution(str(stepper.ids[update.user]))
        return dict(found), any(output.mean for output in found)
    masses: dict[Any, fmpq] = {}
    for key, paths in stepper.distribution(stream).items():
        for weight, path in paths:
            place = key, tuple((one.slope, one.location) for one in path.coordinates)
            masses[place] = masses.get(place, ZERO) + weight
    # Two balls of one number are not equal, but have one text.
    seen: dict[Any, Any] = {place: _named(mass) for place, mass in masses.items()}
    return seen, any(places for _, places in masses)


def _named(mass: Number) -> Any:
    return str(mass) if isinstance(mass, arb) else mass


@dataclass
class Course:
    """The progress of a check.

    Attributes
    ----------
    settings, allowance
        The settings, and the work that the check may do.
    rows
        The scopes that are covered.
    pair, worst
        The worst pair so far, and its witness.
    minimal, violated
        The witness of the first violation, and the mechanism, the stepper and the pair that showed it.
    growth
        The growth of the loss with the appearances of a user.
    exact
        Whether all numbers are exact.
    bounded_only
        Whether some losses are lower bounds alone.
    undecided, missing
        The reasons for no conclusion: about the code, and about pairs that cannot be compared.
    larger
        The larger scopes that are not covered. The verdict is about the covered ones, which it names.
    aside
        A remark.
    conduct
        The conduct of the code, if it matters.
    changed
        Whether the code changed a state that it was given.
    stepper
        The last stepper: that of the largest scope.
    printing
        The reason why printed bytes prevent a conclusion.
    where
        The pairs that were covered, in words that follow a loss.
    """

    settings: CheckSettings
    allowance: Allowance = field(init=False)
    rows: list[Coverage] = field(default_factory=list)
    pair: ExactPair | None = None
    worst: ExactWitness | None = None
    minimal: ExactWitness | None = None
    violated: tuple[Mechanism, Stepper, ExactPair] | None = None
    growth: Growth | None = None
    exact: bool = True
    bounded_only: bool = False
    undecided: str = ""
    missing: str = ""
    larger: str = ""
    aside: str = ""
    conduct: Conduct | None = None
    changed: bool = False
    stepper: Stepper | None = None
    printing: str = ""
    where: str = " on every pair of the scope"

    def __post_init__(self) -> None:
        self.allowance = Allowance(self.settings)

    @property
    def unbounded(self) -> bool:
        """Whether the loss is infinite; for a promise with a delta, an infinite loss decides nothing."""
        return self.pair is not None and self.pair.delta is None and self.pair.loss.unbounded

    def take(self, mechanism: Mechanism, pair: ExactPair | None, stepper: Stepper) -> None:
        """Take over the worst pair of a scope."""
        self.stepper = stepper
        self.exact &= stepper.exact
        self.changed |= stepper.changed
        if pair is None:
            return
        if self.pair is None or pair.worse_than(self.pair):
            self.pair, self.worst = pair, witness_of(mechanism, pair, stepper)
        notion = notion_of(mechanism.promise)
        if self.minimal is None and pair.violates(notion, exact=stepper.exact):
            if pair.upper:
                self.undecided = _LEFT if pair.unfinished else notion.why_upper
            else:
                self.minimal = witness_of(mechanism, pair, stepper)
                self.violated = mechanism, stepper, pair

    def leave(self, unfinished: Number) -> None:
        """Note the probability of runs that are left before their end."""
        if unfinished != 0:
            self.larger = (
                f"runs that go on for longer are not followed; their probability is {as_float(unfinished):.2g}"
            )

    def confirm(self) -> None:
        """Compute the distributions of the violation again; :class:`BypassError`, and no violation, if they differ."""
        if self.violated is None or self.violated[0].shipped:
            return
        mechanism, stepper, pair = self.violated
        try:
            require_repetition(stepper, (pair.left, pair.right), mechanism.promise)
        except UnfollowableError:
            self.withdraw()
            raise

    def require_answers(self, mechanism: Mechanism) -> None:
        """Withdraw everything if a step of the code failed in the whole scope."""
        error = self.stepper.failed if self.stepper is not None else None
        if error is None:
            return
        kept = self.minimal
        if isinstance(mechanism.estimator, IsolatedEstimator):
            try:
                mechanism.estimator.require_answers(courses_of(mechanism.estimator, mechanism.population))
            except MechanismError:
                self.withdraw()
                raise
        if kept is None:
            self.undecided = f"a step fails in the whole scope of the check: {error}"

    def withdraw(self) -> None:
        """Forget all results: the distributions were not those of the code in a new process."""
        self.minimal = self.worst = self.pair = None
        self.rows.clear()
        self.growth = None

    def survey(self, mechanism: Mechanism) -> None:
        """Look at the conduct of the code: kept data can undo a verdict, or hide a loss from the adversary."""
        conduct = conduct_of(mechanism)
        if self.minimal is None:
            self.conduct = conduct
            self.undecided = self.undecided or why_undecided(conduct, mechanism.promise)
        # A violation in the states is one whatever the outputs depend on.
        if self.undecided or (self.minimal is not None and mechanism.promise.sees_state):
            return
        self.undecided = why_not_repeated(mechanism, conduct, changed=self.changed)
        if self.undecided:
            self.conduct = conduct
            self.withdraw()


def judge(course: Course, promise: Promise, problem: str) -> tuple[Verdict, str]:
    """The verdict of a check, with its reason."""
    if course.minimal is not None:
        assert course.worst is not None
        return Verdict.REFUTED, _compared(course.worst, promise)
    if problem or course.undecided:
        return Verdict.INCONCLUSIVE, problem or course.undecided
    if course.growth is not None and course.growth.unbounded:
        return Verdict.REFUTED, f"the loss grows with the appearances of one user {course.growth.describe()}"
    if course.missing or course.printing:
        return Verdict.INCONCLUSIVE, course.printing or course.missing
    if course.larger and not course.rows:
        return Verdict.INCONCLUSIVE, course.larger
    if course.bounded_only:
        return (
            Verdict.INCONCLUSIVE,
            "only a lower bound of the loss is computed: an output carries noise of several scales, or compared noise",
        )
    if course.growth is not None and course.growth.still_growing:
        return Verdict.INCONCLUSIVE, f"kept in this scope, but the loss is {course.growth.describe()}"
    reason = _compared(course.worst, promise, course.where)
    return Verdict.NOT_REFUTED, f"{reason}; {course.larger}" if course.larger else reason


def _compared(worst: ExactWitness | None, promise: Promise, where: str = "") -> str:
    """The largest loss beside the promise."""
    notion = notion_of(promise)
    return notion.judged(worst.loss if worst else notion.none, worst.delta if worst else None, where)
