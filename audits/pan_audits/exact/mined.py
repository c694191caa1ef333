"""Exact checks with constants of the judged code, as ids and as numbers of updates.

The small streams of a check have the first ids of the universe, and few updates. Code can wait for another id, or for a
later update; the constant for which it waits is then usually in its code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.exact.effort import Allowance
from pan_audits.exact.scope import Scope, Stream, Update
from pan_audits.exact.search import ExactPair, Found, search_family, search_scope
from pan_audits.exact.stepping import Stepper
from pan_audits.inputs.streams.family import Id
from pan_audits.intake.discovery import Variant
from pan_audits.isolation.estimator import IsolatedEstimator
from pan_audits.problems import judged
from pan_audits.workers.limits import VariantError
from pan_promises.errors import InputError

_MOST_IDS = 12
_MOST_NUMBERS = 6
_LONGEST = 64
_MOST_STATES = 64
_SHARE = 0.25


def search_mined(variant: Variant, stepper: Stepper, allowance: Allowance) -> tuple[ExactPair, Stepper] | None:
    """The worst pair among streams with constants of the code; ``None`` without one."""
    if not isinstance(variant.estimator, IsolatedEstimator) or judged(variant.problem).whole:
        return None
    require = allowance.begin(_SHARE).require
    worst: tuple[ExactPair, Stepper] | None = None
    for found, made in (*_with_ids(variant, stepper, require), *_with_numbers(variant, stepper, require)):
        pair = found.worst
        if pair is not None and (worst is None or pair.worse_than(worst[0])):
            worst = pair, made
    return worst


def _with_ids(variant: Variant, stepper: Stepper, require: Callable[[], object]) -> Iterator[tuple[Found, Stepper]]:
    """Streams of one constant and one usual id, if nobody says which ids exist."""
    told = variant.estimator.description
    if not told.open_universe or not stepper.ids:
        return
    ids: list[Id] = [each for each in (*told.numbers_in_code, *told.texts_in_code) if each not in stepper.ids]
    for each in ids[:_MOST_IDS]:
        for others in ((stepper.ids[0],), ()):
            made = Stepper(variant.estimator, (each, *others), work=stepper.work)
            scope = Scope.of(variant.promise, 1 + len(others), 1, deletions=False, exchangeable=False)
            try:
                found = search_scope(made, scope, require=require, promise=variant.promise)
                if "update" in made.errors:
                    # Nobody says that this id exists, and the code does not take it.
                    continue
                yield found, made
                break
            except TooLargeError:
                return
            except (UnfollowableError, VariantError, InputError, ValueError, TypeError):
                # The code does not take this id, or not beside another one.
                continue


def _with_numbers(variant: Variant, stepper: Stepper, require: Callable[[], object]) -> Iterator[tuple[Found, Stepper]]:
    """Streams of as many updates as a constant says, by another user and at the end by one of two users."""
    told = variant.estimator.description
    if len(stepper.ids) < 2 or stepper.noisy or len(stepper.states) > _MOST_STATES:
        return
    numbers = [number for number in told.numbers_in_code if number <= _LONGEST]
    scope = Scope.of(variant.promise, 2, 1, deletions=False, exchangeable=False)
    for number in numbers[:_MOST_NUMBERS]:
        found = Found()
        for order in scope.schedules:
            for length in (number - 1, number):
                before = (Update(1),) * length
                family: list[Stream] = [(*before, *order), (*before, Update(0), *order)]
                try:
                    require()
                    search_family(stepper, family, 0, scope.adjacency, found, variant.promise)
                except (UnfollowableError, TooLargeError, VariantError):
                    return
        yield found, stepper
