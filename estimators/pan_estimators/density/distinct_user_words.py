"""A distinct user counter in words: the promise of the use that was made, and refusals."""

from __future__ import annotations

from html import escape

from pan_estimators.density.distinct_counter import DistinctCounter
from pan_estimators.density.distinct_output import USELESS
from pan_estimators.states.releasing import releases_covered

NO_COPY = (
    "a counter is not copied, since a copy could be released again: to_bytes keeps it elsewhere, and renewed() begins "
    "a new one"
)
"""The sentence that refuses a copy or a pickle."""
NO_FORK = (
    "this counter belongs to the parent of this process, and a copy could be released again: renewed() begins a new one"
)
"""The sentence that refuses the copy in a forked process."""


def as_html(text: str) -> str:
    """Lines for a notebook."""
    return "".join(f"<div>{escape(line)}</div>" for line in text.splitlines())


def promise_of_use(estimator: DistinctCounter, releases: int, *, seeded: bool) -> str:
    """The promise of the use that was made so far, with its claim."""
    covered = releases_covered(estimator) or 0
    promise = estimator.promise
    use = f"release {releases} of {covered}" if releases else f"no release yet, {covered} left"
    told = f"{promise.describe()}: proved ({promise.claim}); {use}"
    return f"{told}; void, since the randomness is seeded" if seeded else told


def no_more_uses(estimator: DistinctCounter, releases: int) -> str:
    """The sentence that refuses the use of an erased counter."""
    covered = releases_covered(estimator) or 0
    return (
        f"this counter is erased: its promise covers {covered} release{'s' * (covered != 1)}, and "
        f"{releases} {'was' if releases == 1 else 'were'} made; count with a new counter"
    )


def large_error(worst: float, least: float, most: float) -> str:
    """The warning about a large standard error."""
    part = f"{worst:.0%}" if worst < USELESS else "more than ten times the number"
    return (
        f"the standard error reaches {part} between {least:,.0f} and {most:,.0f} users: give a larger epsilon, a "
        "smaller range, or more memory; panproof plan distinct finds the memory for an error"
    )


def description(estimator: DistinctCounter, least: float, most: float, promise: str) -> str:
    """The lines about a counter that has released nothing."""
    middle = (least * most) ** 0.5
    return "\n".join(
        [
            f"distinct user counter of {memory_of(estimator):,} bytes for {least:,.0f} to {most:,.0f} users",
            f"expected error  {estimator.expected_error(middle):.1%} at {middle:,.0f} users",
            f"promise         {promise}",
        ]
    )


def memory_of(estimator: DistinctCounter) -> int:
    """The size of the bits in bytes."""
    return (estimator.geometry.cells + 7) // 8
