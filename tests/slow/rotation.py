"""Which of the slow tests are run today: every one has its day, and no day takes longer than it may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def parts(tests: Sequence[str], durations: Mapping[str, float], seconds: float) -> list[list[str]]:
    """The tests in parts that each take at most so many seconds.

    The longest test comes first, into the first part that has room for it. A test that nobody has timed
    yet, or that needs more than all of the time, has no part.

    Parameters
    ----------
    tests
        Their names; the order does not matter.
    durations
        How long each of them took, as far as that is known.
    seconds
        The longest that a part may take.
    """
    found: list[tuple[float, list[str]]] = []
    needed = {test: durations[test] for test in tests if durations.get(test, seconds + 1) <= seconds}
    for test in sorted(needed, key=lambda test: (-needed[test], test)):
        for place, (taken, part) in enumerate(found):
            if taken + needed[test] <= seconds:
                found[place] = (taken + needed[test], [*part, test])
                break
        else:
            found.append((needed[test], [test]))
    return [sorted(part) for _, part in found]


def todays(tests: Sequence[str], durations: Mapping[str, float], seconds: float, day: int) -> list[str]:
    """The part whose turn it is on a day, which is counted from any day on."""
    found = parts(tests, durations, seconds)
    return found[day % len(found)] if found else []


def never(tests: Sequence[str], durations: Mapping[str, float], seconds: float) -> list[str]:
    """The tests that have no part: ``make test-slow`` alone runs them."""
    return sorted(test for test in tests if durations.get(test, seconds + 1) > seconds)
