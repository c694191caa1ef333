"""The conduct of judged code during an exact check: its acts beside computing, and its lines that never ran."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from pan_audits.intake.discovery import Variant
from pan_audits.isolation.conduct import KEEPS, Conduct, places_in_words
from pan_audits.isolation.estimator import IsolatedEstimator
from pan_audits.isolation.orders import beginning, courses_of, depends_on_earlier_runs, depends_on_other_runs, remembers
from pan_audits.problems import judged
from pan_audits.workers.limits import VariantError
from pan_promises.promise import Promise

_NOT_CARRIED = (
    "the outputs differ if the state is copied between calls: they depend on data outside of the state, or on which "
    "object it is"
)


def conduct_of(variant: Variant) -> Conduct | None:
    """The conduct of code in a process of its own; ``None`` for other code."""
    if not isinstance(variant.estimator, IsolatedEstimator):
        return None
    conduct = variant.estimator.conduct()
    if variant.estimator.restarted or conduct.calls <= 1:
        # The process that made the calls has ended, and its memory with it.
        conduct = variant.estimator.surveyed(courses_of(variant.estimator, variant.population), 1, 0)
    kept = variant.estimator.places_that_depend(conduct, variant.population)
    return replace(conduct, kept=kept)


def why_undecided(conduct: Conduct | None, promise: Promise) -> str:
    """The reason why the check decides nothing: the intruder sees more than the state."""
    if conduct is None or not conduct.kept or not promise.sees_state:
        return ""
    return f"{KEEPS}{places_in_words(conduct.kept)}; an intruder who sees the memory of the process sees them"


def why_not_repeated(variant: Variant, conduct: Conduct | None, *, changed: bool) -> str:
    """The reason why the laws of the check are not those of a new process: outputs depend on earlier calls."""
    places = conduct.changed if conduct is not None else {}
    if not isinstance(variant.estimator, IsolatedEstimator):
        return ""
    courses = courses_of(variant.estimator, variant.population)
    if not judged(variant.problem).whole:
        courses = [beginning(variant.population), *courses]
        # Code that fails on longer streams is judged on the scope of the check.
        with contextlib.suppress(VariantError):
            if not variant.estimator.carries_states(courses, 0):
                return _NOT_CARRIED
    if not (changed or places):
        return ""
    if depends_on_earlier_runs(variant.estimator, courses) or depends_on_other_runs(variant.estimator, courses):
        return remembers(places)
    return ""
