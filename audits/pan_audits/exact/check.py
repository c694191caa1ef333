"""The exact check: every stream of a scope, every adjacent stream, every moment of an observation.

Exact checks with constants of the judged code, as ids and as numbers of updates.

The small streams of a check have the first ids of the universe, and few updates. Code can wait for another id, or for a
later update; the constant for which it waits is then usually in its code.

The exact check: every stream of a scope, every adjacent stream, every moment of an observation.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

from pan_audits.choices.errors import BypassError, TooLargeError, UnfollowableError
from pan_audits.choices.numbers import ONE
from pan_audits.exact.course import Course, judge
from pan_audits.exact.effort import Allowance, Effort
from pan_audits.exact.exploring import cover_space
from pan_audits.exact.growth import Growth, beyond, measure_growth
from pan_audits.exact.outputs import searched
from pan_audits.exact.result import CheckResult, CheckSettings, Coverage
from pan_audits.exact.scope import Scope, Stream, Update
from pan_audits.exact.search import ExactPair, LargestLoss, search_family, search_pairs, search_scope, whole_or_in_parts
from pan_audits.exact.stepping import Stepper
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import Exactly, Loss, notion_of
from pan_audits.problems import judged, whole_inputs
from pan_audits.problems.inputs.streams.family import Id, SegmentEnd
from pan_audits.problems.problem import ListedInputs
from pan_audits.problems.space import OfSpace
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.isolation.estimator import IsolatedEstimator
from pan_audits.subject.isolation.objects import ObjectEstimator
from pan_audits.subject.isolation.printed import DIFFER, PRINTED
from pan_audits.workers.limits import MechanismError
from pan_promises.errors import InputError

_MOST_IDS = 12
_MOST_NUMBERS = 6
_LONGEST = 64
_MOST_STATES = 64
_SHARE = 0.25
_ALONE = "no two of the inputs differ: there are no neighbours to judge"


def search_mined(mechanism: Mechanism, stepper: Stepper, allowance: Allowance) -> tuple[ExactPair, Stepper] | None:
    """The worst pair among streams with constants of the code; ``None`` without one."""
    if not isinstance(mechanism.estimator, IsolatedEstimator) or judged(mechanism.problem).whole:
        return None
    require = allowance.begin(_SHARE).require
    worst: tuple[ExactPair, Stepper] | None = None
    for found, made in (*_with_ids(mechanism, stepper, require), *_with_numbers(mechanism, stepper, require)):
        pair = found.worst
        if pair is not None and (worst is None or pair.worse_than(worst[0])):
            worst = pair, made
    return worst


def _with_ids(
    mechanism: Mechanism, stepper: Stepper, require: Callable[[], object]
) -> Iterator[tuple[LargestLoss, Stepper]]:
    """Streams of one constant and one usual id, if nobody says which ids exist."""
    told = mechanism.estimator.description
    if not told.open_universe or not stepper.ids:
        return
    ids: list[Id] = [each for each in (*told.numbers_in_code, *told.texts_in_code) if each not in stepper.ids]
    for each in ids[:_MOST_IDS]:
        for others in ((stepper.ids[0],), ()):
            made = Stepper(mechanism.estimator, (each, *others), work=stepper.work)
            scope = Scope.of(mechanism.promise, 1 + len(others), 1, deletions=False, exchangeable=False)
            try:
                found = search_scope(made, scope, require=require, promise=mechanism.promise)
                if "update" in made.errors:
                    # Nobody says that this id exists, and the code does not take it.
                    continue
                yield found, made
                break
            except TooLargeError:
                return
            except (UnfollowableError, MechanismError, InputError, ValueError, TypeError):
                # The code does not take this id, or not beside another one.
                continue


def _with_numbers(
    mechanism: Mechanism, stepper: Stepper, require: Callable[[], object]
) -> Iterator[tuple[LargestLoss, Stepper]]:
    """Streams of as many updates as a constant says, by another user and at the end by one of two users."""
    told = mechanism.estimator.description
    if len(stepper.ids) < 2 or stepper.noisy or len(stepper.states) > _MOST_STATES:
        return
    numbers = [number for number in told.numbers_in_code if number <= _LONGEST]
    scope = Scope.of(mechanism.promise, 2, 1, deletions=False, exchangeable=False)
    for number in numbers[:_MOST_NUMBERS]:
        found = LargestLoss()
        for order in scope.schedules:
            for length in (number - 1, number):
                before = (Update(1),) * length
                family: list[Stream] = [(*before, *order), (*before, Update(0), *order)]
                try:
                    require()
                    search_family(stepper, family, 0, scope.adjacency, found, mechanism.promise)
                except (UnfollowableError, TooLargeError, MechanismError):
                    return
        yield found, stepper


Maker = Callable[[int, int | None], Mechanism]
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
    mechanism = make(settings.users, _size(settings, settings.users))
    if judged(mechanism.problem).whole:
        # Its inputs have sizes, and the mechanism has none.
        make = lambda users, size: mechanism  # noqa: E731
    problem = notion_of(mechanism.promise).why_not_checked(judged(mechanism.problem))
    if problem:
        return not_judged(mechanism, settings, problem)
    try:
        if isinstance(mechanism.estimator, ObjectEstimator) or getattr(mechanism.estimator, "is_plain_object", False):
            raise BypassError(
                "a plain object draws its random numbers from seeds, not from the randomness interface; give it "
                "create(randomness), update(state, ids, randomness) and release(state, randomness)"
            )
        with contextlib.redirect_stdout(io.StringIO()):
            with course.allowance.holding():
                _cover(make, settings, course, progress)
            course.require_answers(mechanism)
            course.confirm()
            if course.minimal is None and getattr(mechanism.estimator, "has_printed", False):
                course.printing = _printing(make, settings, progress)
        course.survey(mechanism)
    except (UnfollowableError, TooLargeError, InputError) as limit:
        problem = str(limit)
    except MechanismError as failure:
        problem = f"the estimator failed: {failure}"
    except (Exception, SystemExit) as failure:  # the estimator may raise any error
        problem = f"the estimator failed: {type(failure).__name__}: {' '.join(str(failure).split())}"
    verdict, reason = judge(course, mechanism.promise, problem)
    return CheckResult(
        mechanism.name,
        mechanism.configuration,
        mechanism.promise,
        verdict,
        reason,
        settings,
        loss=course.worst.loss if course.worst else (notion_of(mechanism.promise).none if course.rows else None),
        witness=course.worst,
        minimal=course.minimal,
        coverage=tuple(course.rows),
        growth=course.growth,
        exact=course.exact,
        seconds=course.allowance.passed,
        note=problem or course.undecided or course.printing or course.missing or course.larger or course.aside,
        printing=course.printing,
        conduct=course.conduct,
        problem=replace(mechanism.problem, explorer=None),
        timed=course.allowance.timed,
    )


def not_judged(mechanism: Mechanism, settings: CheckSettings, reason: str) -> CheckResult:
    """The inconclusive result for a promise without a test, or for code that could not be run."""
    return CheckResult(
        mechanism.name,
        mechanism.configuration,
        mechanism.promise,
        Verdict.INCONCLUSIVE,
        reason,
        settings,
        note=reason,
        problem=replace(mechanism.problem, explorer=None),
    )


def _size(settings: CheckSettings, users: int) -> int:
    size = settings.sample_size if settings.sample_size is not None else max(1, settings.users - 1)
    return min(size, users)


def _cover(make: Maker, settings: CheckSettings, course: Course, progress: Callable[[str], Any] | None) -> None:
    """All scopes of the kind of input."""
    if not judged(make(1, _size(settings, 1)).problem).whole:
        _cover_streams(make, settings, course, progress)
    else:
        _cover_inputs(make, settings, course, progress)


def _printing(make: Maker, settings: CheckSettings, progress: Callable[[str], Any] | None) -> str:
    """The reason why the bytes that the code prints prevent a conclusion; empty if they break no promise.

    The same check is made again with everything that was printed as a part of each state and each output.
    """

    @cache
    def transcribed(users: int, size: int | None) -> Mechanism:
        mechanism = make(users, size)
        return replace(mechanism, estimator=replace(mechanism.estimator, transcribed=True))

    beside = Course(settings)
    promise = make(1, _size(settings, 1)).promise
    try:
        with beside.allowance.holding():
            _cover(transcribed, settings, beside, progress)
    except (UnfollowableError, TooLargeError) as limit:
        return f"the code prints, and {PRINTED} cannot be compared exactly: {limit}"
    if beside.minimal is not None:
        return f"{PRINTED} {DIFFER}. {beside.minimal.describe()}".removesuffix(".")
    if judge(beside, promise, "")[0] is Verdict.REFUTED:
        return f"{PRINTED} {DIFFER} if one user appears often"
    return (
        f"the code prints, and {PRINTED} were not compared in the whole scope"
        if beside.missing or beside.larger
        else ""
    )


def _cover_inputs(make: Maker, settings: CheckSettings, course: Course, progress: Callable[[str], Any] | None) -> None:
    """All scopes of whole inputs in turn: all small tables or turnstile streams, or the inputs given with the code."""
    notes: list[str] = []
    kind, each = whole_inputs(make(1, None).problem), 0.0
    if isinstance(kind, OfSpace):
        cover_space(make(1, None), kind, course, progress)
        return
    for size, length in kind.sizes(settings.users, settings.length):
        mechanism = make(size, None)
        outputs = notion_of(mechanism.promise).exactly is Exactly.OUTPUTS
        inputs = (kind.listed_small if outputs else kind.small)(mechanism.promise, size, length)
        if inputs is None:
            notes.append(kind.too_many(size, length))
            break
        notes += [inputs.remark] if inputs.remark else []
        number = len(inputs.labels)
        if outputs and (why := course.allowance.lacks(each * number)):
            notes.append(f"{number:,} inputs of length {length} are not covered: {why}")
            break
        before, began = course.allowance.work.done, time.perf_counter()
        compare = _compare_outputs if isinstance(inputs, ListedInputs) else _compare_pairs
        stepper, pairs, distributions, loss = compare(mechanism, inputs, course)
        taken = time.perf_counter() - began
        course.rows.append(Coverage(kind.shown_size(size), None, length, number, pairs, distributions, taken, loss))
        each = (course.allowance.work.done - before) / max(1, number)
        if stepper.silent:
            course.undecided = "the output is None on every input: a mechanism must return its output"
        if course.unbounded:
            return
        if progress:
            progress(f"{number:,} inputs of length {length}")
    if notes:
        told = "; ".join(dict.fromkeys(notes))
        course.larger, course.aside = (told, "") if kind.every_size else ("", told)


def _compare_outputs(mechanism: Mechanism, inputs: Any, course: Course) -> tuple[Stepper, int, int, Loss]:
    """Compare whole outputs on all adjacent pairs: the numbers of pairs and distributions, and the largest loss."""
    notion = notion_of(mechanism.promise)
    stepper = Stepper(mechanism.estimator, inputs.labels, work=course.allowance.work)
    found = searched(stepper, inputs, notion, course.allowance.begin().require)
    if not found.pairs:
        raise TooLargeError(_ALONE)
    for pair in (found.first, found.worst):
        course.take(mechanism, pair, stepper)
    course.undecided = course.undecided or found.not_followed
    return stepper, found.pairs, found.distributions, found.worst.loss if found.worst else notion.none


def _compare_pairs(mechanism: Mechanism, inputs: Any, course: Course) -> tuple[Stepper, int, int, Loss]:
    """The same for the ratios of the probabilities, or the profile, of each adjacent pair."""
    if not inputs.adjacent:
        raise TooLargeError(_ALONE)
    releases = (SegmentEnd.RELEASE,) * inputs.outputs
    pairs: list[list[Stream]] = [[(Update(one), *releases) for one in pair] for pair in inputs.adjacent]
    search = partial(search_pairs, pairs=pairs, promise=mechanism.promise, require=course.allowance.begin().require)
    stepper = Stepper(mechanism.estimator, inputs.labels, work=course.allowance.work, whole=True)
    stepper, found = whole_or_in_parts(stepper, search)
    course.bounded_only |= found.bounded_only
    course.take(mechanism, found.worst, stepper)
    course.leave(found.unfinished)
    return stepper, found.pairs, len(stepper.states), found.worst.loss if found.worst else Loss(ONE)


def _cover_streams(make: Maker, settings: CheckSettings, course: Course, progress: Callable[[str], Any] | None) -> None:
    """All scopes in turn, the small ones first, until the loss is infinite."""
    for users in range(1, settings.users + 1):
        mechanism = make(users, _size(settings, users))
        stepper = _stepper(mechanism, users, course)
        if not _lengths(mechanism, stepper, settings.length, course, progress):
            return
        if course.unbounded:
            break
    if not stepper.noisy and stepper.batches_differ():
        course.undecided = (
            "a batch of ids gives other states than single updates with its ids; the check covers single ids only"
        )
    if stepper.silent and not mechanism.promise.sees_state:
        course.undecided = "the output is None on every stream: release must return its output"
    if course.minimal is None and (mined := search_mined(mechanism, stepper, course.allowance)) is not None:
        course.take(mechanism, *mined)
    if notion_of(mechanism.promise).exactly is Exactly.RATIOS:
        if progress:
            progress("one user who appears often")
        course.growth = _growth(mechanism, stepper, settings)
        course.take(mechanism, course.growth.worst, stepper)
        # The pair is a part of the course, and no plain data.
        course.growth = replace(course.growth, worst=None)
        if course.minimal is None and (long := beyond(stepper, mechanism.promise, course.growth)) is not None:
            course.take(mechanism, long, stepper)
    if _sample_size(mechanism) is None or course.unbounded:
        return
    for size in range(1, settings.users + 1):
        if size != _sample_size(mechanism):
            other = make(settings.users, size)
            short = min(2, settings.length)
            try:
                _lengths(other, _stepper(other, settings.users, course), short, course, progress, last_only=True)
            except (UnfollowableError, TooLargeError) as limit:
                course.aside = f"a sample of {size}: {limit}"


def _growth(mechanism: Mechanism, stepper: Stepper, settings: CheckSettings) -> Growth:
    """The growth for the user with the largest one."""
    scope = _scope(mechanism, len(stepper.ids), 1)
    found = [
        measure_growth(stepper, mechanism.promise, most=settings.appearances, deletions=scope.deletions, user=user)
        for user in scope.subjects
    ]
    return max(found, key=lambda growth: (growth.unbounded, growth.losses[-1].nats if growth.losses else 0.0))


_UNCOVERED = "streams of {length} and more updates by {users} users are not covered: {why}"


def _lengths(
    mechanism: Mechanism,
    stepper: Stepper,
    most: int,
    course: Course,
    progress: Callable[[str], Any] | None,
    *,
    last_only: bool = False,
) -> bool:
    """Check one number of users and streams of growing length. Return whether all lengths were covered."""
    users = len(stepper.ids)
    whole = _scope(mechanism, users, most)
    effort = Effort(stepper, whole)
    for length in range(1, most + 1):
        if why := course.allowance.lacks(effort.estimate(length)):
            course.larger = _UNCOVERED.format(length=length, users=users, why=why)
            return False
        if progress:
            progress(f"{users} users, streams of up to {length} updates")
        began = time.perf_counter()
        part = course.allowance.begin()
        found = LargestLoss()
        try:
            search_scope(
                stepper, replace(whole, length=length), require=part.require, promise=mechanism.promise, found=found
            )
        except TooLargeError as limit:
            course.take(mechanism, found.worst, stepper)
            if not course.rows:
                raise
            course.larger = _UNCOVERED.format(length=length, users=users, why=limit)
            return False
        last = time.perf_counter() - began
        effort.took()
        course.bounded_only |= found.bounded_only
        course.take(mechanism, found.worst, stepper)
        course.leave(found.unfinished)
        if length < most and last_only:
            continue
        loss = found.worst.loss if found.worst else Loss(ONE)
        row = Coverage(
            users, _sample_size(mechanism), length, found.streams, found.pairs, len(stepper.states), last, loss
        )
        course.rows.append(row)
        if course.unbounded:
            break
    return True


def _stepper(mechanism: Mechanism, users: int, course: Course) -> Stepper:
    if len(mechanism.population) < users:
        raise InputError(f"{mechanism.name} knows only {len(mechanism.population)} users, fewer than {users}")
    return Stepper(mechanism.estimator, tuple(mechanism.population[:users]), work=course.allowance.work)


def _scope(mechanism: Mechanism, users: int, length: int) -> Scope:
    return Scope.of(
        mechanism.promise,
        users,
        length,
        deletions=bool(getattr(mechanism.estimator, "deletions", False)),
        # Only a shipped estimator may claim this: a false claim would hide the loss of a single user.
        exchangeable=mechanism.shipped and bool(getattr(mechanism.estimator, "exchangeable_users", False)),
    )


def _sample_size(mechanism: Mechanism) -> int | None:
    size = getattr(mechanism.estimator, "sample_size", None)
    return size if isinstance(size, int) else None
