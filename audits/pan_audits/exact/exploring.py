"""The exact check of a space: pairs are drawn, their losses lead to others, and a violated pair is shrunk.

The verdict is about the pairs that were drawn. These are all pairs of a space that is small.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pan_audits.choices.errors import BypassError, TooLargeError, UnfollowableError
from pan_audits.choices.numbers import ZERO, Number, as_float
from pan_audits.exact.course import Course
from pan_audits.exact.outputs import searched
from pan_audits.exact.result import Coverage
from pan_audits.exact.scope import stream_of
from pan_audits.exact.search import ExactPair, LargestLoss, search_pairs, whole_or_in_parts
from pan_audits.exact.stepping import Stepper
from pan_audits.notions import Exactly, Loss, notion_of
from pan_audits.problems.problem import ListedInputs
from pan_audits.problems.space import Labels, OfSpace
from pan_audits.subject.intake.discovery import Mechanism

_EXAMPLES = 200
_INFINITE = 1e6
_SHARE = 0.6
"""Of the runs that are allowed, for the drawn pairs. The others are for shrinking."""
_ENOUGH = 8
"""Pairs that cannot be followed, after which no other is tried."""


@dataclass(frozen=True)
class _Compared:
    """The worst observation of two inputs; no pair if nothing distinguishes them, or if the code fails on both."""

    pair: ExactPair | None
    stepper: Stepper
    loss: Loss
    bounded_only: bool = False
    failed: bool = False
    unfinished: Number = ZERO

    @property
    def weight(self) -> float:
        """The loss as a number, or the least delta."""
        if self.pair is None:
            return 0.0
        return min(self.loss.nats if self.pair.delta is None else as_float(self.pair.delta), _INFINITE)


@dataclass
class _Comparison:
    """The losses of pairs. The distribution of each input is computed once."""

    mechanism: Mechanism
    stepper: Stepper
    failing: dict[str, bool] = field(default_factory=dict)

    def __call__(self, labels: Labels, require: Callable[[], object]) -> _Compared:
        """The loss of one pair."""
        promise, notion = self.mechanism.promise, notion_of(self.mechanism.promise)
        self.stepper.ids = tuple(dict.fromkeys((*self.stepper.ids, *labels)))
        left, right = (self.stepper.ids.index(label) for label in labels)
        if notion.exactly is Exactly.OUTPUTS:
            both = np.array([[0, 1]], dtype=np.int64)
            stepper = Stepper(self.mechanism.estimator, labels, work=self.stepper.work)
            found = searched(stepper, ListedInputs(labels, lambda: (both,), lambda: ()), notion, require)
            if found.not_followed:
                raise UnfollowableError(found.not_followed)
            loss = found.worst.loss if found.worst else notion.none
            return _Compared(found.worst, stepper, loss, failed=stepper.failed is not None)

        def search(stepper: Stepper) -> LargestLoss:
            for label, place in zip(labels, (left, right), strict=True):
                if label not in self.failing:
                    stepper.answered.clear()
                    stepper.errors.clear()
                    stepper.distribution(stream_of(place))
                    self.failing[label] = stepper.failed is not None
            return search_pairs(stepper, [[stream_of(left), stream_of(right)]], promise, require)

        stepper, ratios = whole_or_in_parts(self.stepper, search)
        loss = ratios.worst.loss if ratios.worst else notion.none
        failed = all(self.failing[label] for label in labels)
        return _Compared(ratios.worst, stepper, loss, ratios.bounded_only, failed, ratios.unfinished)


def cover_space(
    mechanism: Mechanism, kind: OfSpace, course: Course, progress: Callable[[str], Any] | None = None
) -> None:
    """Compare the two inputs of pairs of a space, and shrink the worst violation."""
    notion, began = notion_of(mechanism.promise), time.perf_counter()
    exploration = kind.exploration(_EXAMPLES, 0)
    part = course.allowance.begin(_SHARE)
    compare = _Comparison(mechanism, Stepper(mechanism.estimator, (), work=course.allowance.work, whole=True))
    known: dict[Labels, _Compared] = {}
    left_out: Counter[str] = Counter()
    ended = ""

    def compared(left: str, right: str) -> _Compared | None:
        nonlocal ended
        if (left, right) in known or ended or left_out.total() >= _ENOUGH:
            return known.get((left, right))
        try:
            part.require()
        except TooLargeError as limit:
            ended = str(limit)
            return None
        try:
            known[left, right] = compare((left, right), bool)
        except BypassError:
            raise
        except (UnfollowableError, TooLargeError) as limit:
            left_out[str(limit)] += 1
        return known.get((left, right))

    def weight(left: str, right: str) -> float | None:
        found = compared(left, right)
        return None if found is None or found.failed else found.weight

    def violates(left: str, right: str) -> bool:
        found = compared(left, right)
        if found is None or found.pair is None or found.pair.upper:
            return False
        return found.pair.violates(notion, exact=found.stepper.exact)

    exploration.run(weight)
    tried, exploration.failing = exploration.tried, sum(one.failed for one in known.values())
    if not known:
        raise UnfollowableError(left_out.most_common(1)[0][0] if left_out else ended)
    cut = bool(ended)
    if tried:
        compare.stepper.errors.clear()
    for one in known.values():
        course.take(mechanism, None, one.stepper)
        course.bounded_only |= one.bounded_only
        course.leave(one.unfinished)
    ranked = sorted(known, key=lambda labels: -known[labels].weight)
    broken = next((labels for labels in ranked if violates(*labels)), None)
    if broken is not None:
        part, ended = course.allowance.begin(), ""
        smallest = known[exploration.shrink(broken, violates)]
        course.take(mechanism, smallest.pair, smallest.stepper)
    worst = known[ranked[0]]
    course.take(mechanism, worst.pair, worst.stepper)
    if compare.stepper.silent:
        course.undecided = "the output is None on every input: a mechanism must return its output"
    inputs = len({label for pair in tried for label in pair})
    course.rows.append(Coverage(1, None, 1, inputs, len(tried), inputs, time.perf_counter() - began, worst.loss))
    if left_out:
        why, count = left_out.most_common(1)[0]
        course.missing = f"{count} of {len(known) + left_out.total()} pairs cannot be compared: {why}"
    elif exploration.complete and not cut:
        course.where = f" on every pair of the space, {len(tried):,} in all"
    else:
        course.where = f" on {len(tried):,} pairs of the space"
        course.aside = exploration.describe()
    if progress:
        progress(f"{len(tried):,} pairs of the space")
