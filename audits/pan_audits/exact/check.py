"""The exact check: every stream of a scope, every adjacent stream, every moment of an observation."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

from pan_audits.choices.errors import BypassError, TooLargeError, UnfollowableError
from pan_audits.choices.numbers import ONE
from pan_audits.exact.concentrated_scopes import searched_scopes
from pan_audits.exact.course import Course, judge
from pan_audits.exact.effort import Effort
from pan_audits.exact.growth import Growth, beyond, measure_growth
from pan_audits.exact.loss import Loss
from pan_audits.exact.mined import search_mined
from pan_audits.exact.result import CheckResult, CheckSettings, Coverage
from pan_audits.exact.scope import Scope, Stream, Update
from pan_audits.exact.search import search_pairs, search_scope, whole_or_in_parts
from pan_audits.exact.stepping import Stepper
from pan_audits.inputs.streams.family import SegmentEnd
from pan_audits.intake.discovery import Variant
from pan_audits.isolation.adapter import ObjectEstimator
from pan_audits.isolation.printed import DIFFER, PRINTED
from pan_audits.judging.verdict import Verdict
from pan_audits.problems import judged
from pan_audits.workers.limits import VariantError
from pan_promises.errors import InputError

Maker = Callable[[int, int | None], Variant]
"""Makes the estimator for a number of users and a sample size."""


def run_check(make: Maker, settings: CheckSettings, *, progress: Callable[[str], Any] | None = None) -> CheckResult:
    """Check a promise on every stream of up to ``settings.length`` updates by up to ``settings.users`` users.

    Parameters
    ----------
    make
        Makes the estimator with its promise.
    settings
        The scope.
    progress
        Called with the next step, in words.

    Returns
    -------
    A result for every estimator. If its random choices cannot be followed, or if the scope is too large, the result
    is inconclusive, with the scopes covered before. A violation found before is still reported.
    """
    course = Course(settings)
    make = cache(make)
    variant = make(settings.users, _size(settings, settings.users))
    if judged(variant.problem).whole:
        # Its inputs have sizes, and the mechanism has none.
        make = partial(_always, variant)
    problem = judged(variant.problem).why_not_checked(variant.promise)
    if problem:
        return not_judged(variant, settings, problem)
    try:
        if isinstance(variant.estimator, ObjectEstimator) or getattr(variant.estimator, "is_plain_object", False):
            raise BypassError(
                "a plain object draws its random numbers from seeds, not from the randomness interface; give it "
                "create(randomness), update(state, ids, randomness) and release(state, randomness)"
            )
        with contextlib.redirect_stdout(io.StringIO()):
            _cover(make, settings, course, progress)
            course.require_answers(variant)
            course.confirm()
            if course.minimal is None and getattr(variant.estimator, "has_printed", False):
                course.printing = _printing(make, settings, progress)
        course.survey(variant)
    except (UnfollowableError, TooLargeError, InputError) as limit:
        problem = str(limit)
    except VariantError as failure:
        problem = f"the estimator failed: {failure}"
    except (Exception, SystemExit) as failure:  # the estimator may raise any error
        problem = f"the estimator failed: {type(failure).__name__}: {' '.join(str(failure).split())}"
    verdict, reason = judge(course, variant.promise, problem)
    return CheckResult(
        name=variant.name,
        configuration=variant.configuration,
        promise=variant.promise,
        verdict=verdict,
        reason=reason,
        loss=course.worst.loss if course.worst else (Loss.none_of(variant.promise) if course.rows else None),
        witness=course.worst,
        minimal=course.minimal,
        settings=settings,
        coverage=tuple(course.rows),
        growth=course.growth,
        exact=course.exact,
        seconds=course.allowance.passed,
        note=problem or course.undecided or course.printing or course.missing or course.aside,
        printing=course.printing,
        conduct=course.conduct,
        problem=variant.problem,
        timed=course.allowance.timed,
    )


def not_judged(variant: Variant, settings: CheckSettings, reason: str) -> CheckResult:
    """The inconclusive result for a promise without a test, or for code that could not be run."""
    return CheckResult(
        name=variant.name,
        configuration=variant.configuration,
        promise=variant.promise,
        verdict=Verdict.INCONCLUSIVE,
        reason=reason,
        loss=None,
        witness=None,
        minimal=None,
        settings=settings,
        coverage=(),
        growth=None,
        exact=True,
        seconds=0.0,
        note=reason,
        problem=variant.problem,
    )


def _always(variant: Variant, users: int, size: int | None) -> Variant:
    """The same mechanism for every size."""
    return variant


def _size(settings: CheckSettings, users: int) -> int:
    size = settings.sample_size if settings.sample_size is not None else max(1, settings.users - 1)
    return min(size, users)


def _cover(make: Maker, settings: CheckSettings, course: Course, progress: Callable[[str], Any] | None) -> None:
    """All scopes of the kind of input."""
    variant = make(1, _size(settings, 1))
    if variant.promise.rho is not None:
        _cover_rho(make, settings, course, progress)
    elif not judged(variant.problem).whole:
        _cover_streams(make, settings, course, progress)
    else:
        _cover_inputs(make, settings, course)


def _printing(make: Maker, settings: CheckSettings, progress: Callable[[str], Any] | None) -> str:
    """The reason why the bytes that the code prints prevent a conclusion; empty if they break no promise.

    The same check is made again with everything that was printed as a part of each state and each output.
    """

    @cache
    def transcribed(users: int, size: int | None) -> Variant:
        variant = make(users, size)
        return replace(variant, estimator=replace(variant.estimator, transcribed=True))

    beside = Course(settings)
    promise = make(1, _size(settings, 1)).promise
    try:
        _cover(transcribed, settings, beside, progress)
    except (UnfollowableError, TooLargeError) as limit:
        return f"the code prints, and {PRINTED} cannot be compared exactly: {limit}"
    if beside.minimal is not None:
        return f"{PRINTED} {DIFFER}. {beside.minimal.describe()}".removesuffix(".")
    if judge(beside, promise, "")[0] is Verdict.REFUTED:
        return f"{PRINTED} {DIFFER} if one user appears often"
    return f"the code prints, and {PRINTED} were not compared in the whole scope" if beside.missing else ""


def _cover_inputs(make: Maker, settings: CheckSettings, course: Course) -> None:
    """Every adjacent pair of whole inputs: all small tables or turnstile streams, or the inputs given with the code."""
    kind = judged(make(1, None).problem)
    for size, length in kind.sizes(settings.users, settings.length):
        variant = make(size, None)
        inputs = kind.small(variant.promise, size, length)
        if inputs is None:
            course.leave(kind.too_many(size, length), every_size=kind.every_size)
            return
        if not inputs.adjacent:
            raise TooLargeError("no two of the inputs differ: there are no neighbours to judge")
        course.aside = inputs.remark or course.aside
        began = time.perf_counter()
        looks = (SegmentEnd.RELEASE,) * inputs.outputs
        pairs: list[list[Stream]] = [[(Update(one), *looks) for one in pair] for pair in inputs.adjacent]
        search = partial(search_pairs, pairs=pairs, promise=variant.promise, require=course.allowance.begin().require)
        stepper = Stepper(variant.estimator, inputs.labels, work=course.allowance.work)
        stepper, found = whole_or_in_parts(stepper, search)
        found.streams = len(inputs.labels)
        if stepper.silent:
            course.undecided = "the output is None on every input: a mechanism must return its output"
        course.bounded_only |= found.bounded_only
        course.take(variant, found.worst, stepper)
        loss = found.worst.loss if found.worst else Loss(ONE)
        taken = time.perf_counter() - began
        row = kind.shown_size(size)
        course.rows.append(Coverage(row, None, length, found.streams, found.pairs, len(stepper.states), taken, loss))
        if course.unbounded:
            return


def _cover_rho(make: Maker, settings: CheckSettings, course: Course, progress: Callable[[str], Any] | None) -> None:
    """All scopes of whole inputs, for a promise of a rho, until the loss is infinite."""
    notes: list[str] = []
    for scope in searched_scopes(make, settings, notes, course.allowance):
        found, inputs, promise = scope.found, scope.inputs, scope.variant.promise
        for pair in (found.first, found.worst):
            course.take(scope.variant, pair, scope.stepper)
        loss = found.worst.loss if found.worst else Loss.none_of(promise)
        course.rows.append(
            Coverage(inputs.size, None, inputs.length, inputs.number, found.pairs, found.laws, scope.seconds, loss)
        )
        course.undecided = course.undecided or found.not_followed
        if scope.stepper.silent:
            course.undecided = "the output is None on every input: a mechanism must return its output"
        if course.unbounded:
            return
        if progress:
            progress(f"{inputs.number:,} inputs of length {inputs.length}")
    if notes:
        course.leave("; ".join(notes), every_size=judged(make(1, None).problem).every_size)


def _cover_streams(make: Maker, settings: CheckSettings, course: Course, progress: Callable[[str], Any] | None) -> None:
    """All scopes in turn, the small ones first, until the loss is infinite."""
    for users in range(1, settings.users + 1):
        variant = make(users, _size(settings, users))
        stepper = _stepper(variant, users, course)
        if not _lengths(variant, stepper, settings.length, course, progress):
            return
        if course.unbounded:
            break
    if not stepper.noisy and stepper.batches_differ():
        course.undecided = (
            "a batch of ids gives other states than single updates with its ids; the check covers single ids only"
        )
    if stepper.silent and not variant.promise.sees_state:
        course.undecided = "the output is None on every stream: release must return its output"
    if course.minimal is None and (mined := search_mined(variant, stepper, course.allowance)) is not None:
        course.take(variant, *mined)
    if not variant.promise.delta:
        if progress:
            progress("one user who appears often")
        course.growth = _growth(variant, stepper, settings)
        course.take(variant, course.growth.worst, stepper)
        if course.minimal is None and (long := beyond(stepper, variant.promise, course.growth)) is not None:
            course.take(variant, long, stepper)
    if _sample_size(variant) is None or course.unbounded:
        return
    for size in range(1, settings.users + 1):
        if size != _sample_size(variant):
            other = make(settings.users, size)
            short = min(2, settings.length)
            try:
                _lengths(other, _stepper(other, settings.users, course), short, course, progress, last_only=True)
            except (UnfollowableError, TooLargeError) as limit:
                course.aside = f"a sample of {size}: {limit}"


def _growth(variant: Variant, stepper: Stepper, settings: CheckSettings) -> Growth:
    """The growth for the user with the largest one."""
    scope = _scope(variant, len(stepper.ids), 1)
    found = [
        measure_growth(stepper, variant.promise, most=settings.appearances, deletions=scope.deletions, user=user)
        for user in scope.subjects
    ]
    return max(found, key=lambda growth: (growth.unbounded, growth.losses[-1].nats if growth.losses else 0.0))


def _lengths(
    variant: Variant,
    stepper: Stepper,
    most: int,
    course: Course,
    progress: Callable[[str], Any] | None,
    *,
    last_only: bool = False,
) -> bool:
    """Check one number of users and streams of growing length. Return whether all lengths were covered."""
    users = len(stepper.ids)
    whole = _scope(variant, users, most)
    effort = Effort(stepper, whole)
    for length in range(1, most + 1):
        if why := course.allowance.lacks(effort.estimate(length)):
            course.missing = f"streams of {length} and more updates by {users} users are not covered: {why}"
            return False
        if progress:
            progress(f"{users} users, streams of up to {length} updates")
        began = time.perf_counter()
        part = course.allowance.begin()
        found = search_scope(stepper, replace(whole, length=length), require=part.require, promise=variant.promise)
        last = time.perf_counter() - began
        effort.took()
        course.bounded_only |= found.bounded_only
        course.take(variant, found.worst, stepper)
        if length < most and last_only:
            continue
        loss = found.worst.loss if found.worst else Loss(ONE)
        row = Coverage(
            users, _sample_size(variant), length, found.streams, found.pairs, len(stepper.states), last, loss
        )
        course.rows.append(row)
        if course.unbounded:
            break
    return True


def _stepper(variant: Variant, users: int, course: Course) -> Stepper:
    if len(variant.population) < users:
        raise InputError(f"{variant.name} knows only {len(variant.population)} users, fewer than {users}")
    return Stepper(variant.estimator, tuple(variant.population[:users]), work=course.allowance.work)


def _scope(variant: Variant, users: int, length: int) -> Scope:
    return Scope.of(
        variant.promise,
        users,
        length,
        deletions=bool(getattr(variant.estimator, "deletions", False)),
        # Only a shipped estimator may claim this: a false claim would hide the loss of a single user.
        exchangeable=variant.shipped and bool(getattr(variant.estimator, "exchangeable_users", False)),
    )


def _sample_size(variant: Variant) -> int | None:
    size = getattr(variant.estimator, "sample_size", None)
    return size if isinstance(size, int) else None
