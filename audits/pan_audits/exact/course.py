"""The progress of an exact check: the worst pair so far, the reasons for no conclusion, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.numbers import as_float
from pan_audits.exact.conduct import conduct_of, why_not_repeated, why_undecided
from pan_audits.exact.effort import Allowance
from pan_audits.exact.growth import Growth
from pan_audits.exact.loss import Loss
from pan_audits.exact.repeating import require_repetition
from pan_audits.exact.result import CheckSettings, Coverage
from pan_audits.exact.search import ExactPair
from pan_audits.exact.stepping import Stepper
from pan_audits.exact.witness import ExactWitness, witness_of
from pan_audits.intake.discovery import Variant
from pan_audits.isolation.conduct import Conduct
from pan_audits.isolation.estimator import IsolatedEstimator
from pan_audits.isolation.orders import courses_of
from pan_audits.judging.verdict import Verdict
from pan_audits.workers.limits import VariantError
from pan_promises.promise import Promise


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
        The witness of the first violation, and the variant, the stepper and the pair that showed it.
    growth
        The growth of the loss with the appearances of a user.
    exact
        Whether all numbers are exact.
    bounded_only
        Whether some losses are lower bounds alone.
    undecided, missing, aside
        The reasons for no conclusion: about the code, and about the scope; and a remark.
    conduct
        The conduct of the code, if it matters.
    changed
        Whether the code changed a state that it was given.
    stepper
        The last stepper: that of the largest scope.
    printing
        The reason why printed bytes prevent a conclusion.
    """

    settings: CheckSettings
    allowance: Allowance = field(init=False)
    rows: list[Coverage] = field(default_factory=list)
    pair: ExactPair | None = None
    worst: ExactWitness | None = None
    minimal: ExactWitness | None = None
    violated: tuple[Variant, Stepper, ExactPair] | None = None
    growth: Growth | None = None
    exact: bool = True
    bounded_only: bool = False
    undecided: str = ""
    missing: str = ""
    aside: str = ""
    conduct: Conduct | None = None
    changed: bool = False
    stepper: Stepper | None = None
    printing: str = ""

    def __post_init__(self) -> None:
        self.allowance = Allowance(self.settings)

    @property
    def unbounded(self) -> bool:
        """Whether the loss is infinite; for a promise with a delta, an infinite loss decides nothing."""
        return self.pair is not None and self.pair.delta is None and self.pair.loss.unbounded

    def take(self, variant: Variant, pair: ExactPair | None, stepper: Stepper) -> None:
        """Take over the worst pair of a scope."""
        self.stepper = stepper
        self.exact &= stepper.exact
        self.changed |= stepper.changed
        if pair is None:
            return
        if self.pair is None or pair.worse_than(self.pair):
            self.pair, self.worst = pair, witness_of(variant, pair, stepper)
        # An upper bound of a rho is a rounded number.
        exact = stepper.exact and not (pair.upper and pair.concentrated)
        if self.minimal is None and pair.violates(variant.promise, exact=exact):
            if pair.upper:
                self.undecided = _BOUND_OF_CHOICES if pair.concentrated else _LATTICES
            else:
                self.minimal = witness_of(variant, pair, stepper)
                self.violated = variant, stepper, pair

    def leave(self, why: str, *, every_size: bool) -> None:
        """Note inputs that are too many: the check is open, unless it may end with smaller ones."""
        if every_size:
            self.missing = why
        else:
            self.aside = why

    def confirm(self) -> None:
        """Compute the laws of the violation again; :class:`BypassError`, and no violation, if they differ."""
        if self.violated is None or self.violated[0].shipped:
            return
        variant, stepper, pair = self.violated
        try:
            require_repetition(stepper, (pair.left, pair.right), variant.promise)
        except UnfollowableError:
            self.withdraw()
            raise

    def require_answers(self, variant: Variant) -> None:
        """Withdraw everything if a step of the code failed in the whole scope."""
        error = self.stepper.failed if self.stepper is not None else None
        if error is None:
            return
        kept = self.minimal
        if isinstance(variant.estimator, IsolatedEstimator):
            try:
                variant.estimator.require_answers(courses_of(variant.estimator, variant.population))
            except VariantError:
                self.withdraw()
                raise
        if kept is None:
            self.undecided = f"a step fails in the whole scope of the check: {error}"

    def withdraw(self) -> None:
        """Forget all results: the laws were not those of the code in a new process."""
        self.minimal = self.worst = self.pair = None
        self.rows.clear()
        self.growth = None

    def survey(self, variant: Variant) -> None:
        """Look at the conduct of the code: kept data can undo each verdict, or hide a loss from the intruder's view."""
        conduct = conduct_of(variant)
        if self.minimal is None:
            self.conduct = conduct
            self.undecided = self.undecided or why_undecided(conduct, variant.promise)
        # A violation in the states is one whatever the outputs depend on.
        if self.undecided or (self.minimal is not None and variant.promise.sees_state):
            return
        self.undecided = why_not_repeated(variant, conduct, changed=self.changed)
        if self.undecided:
            self.conduct = conduct
            self.withdraw()


_LATTICES = (
    "the loss is not known: an output has integer noise with several step sizes, or no noise on some runs, and "
    "different noise may give the same output"
)
_BOUND_OF_CHOICES = "the rho is not known: only an upper bound is computed where an output shows random choices"
"""Reasons why a number above the promise refutes nothing."""


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
    if course.bounded_only:
        return (
            Verdict.INCONCLUSIVE,
            "only a lower bound of the loss is computed: an output carries noise of several scales, or compared noise",
        )
    if course.growth is not None and course.growth.still_growing:
        return Verdict.INCONCLUSIVE, f"kept in this scope, but the loss is {course.growth.describe()}"
    return Verdict.NOT_REFUTED, _compared(course.worst, promise, " on every pair of the scope")


def _compared(worst: ExactWitness | None, promise: Promise, where: str = "") -> str:
    """The largest loss beside the promise."""
    promised = f"promised {float(promise.epsilon):.6g}"
    if worst is not None and worst.delta is not None:
        delta = f"delta {as_float(worst.delta):.6g} (promised {worst.promise.delta:.6g}) at this epsilon"
        return f"{delta}{where}, {promised}"
    loss = worst.loss if worst else Loss.none_of(promise)
    if promise.rho is not None:
        return f"loss {loss.compared_with(promise)}{where}"
    return f"loss {loss.describe()}{where}, {promised}"
