"""Hypothesis strategies for adjacent streams."""

from __future__ import annotations

import contextlib
import importlib
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, configuration, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis import strategies as st

from pan_audits.problems.inputs.streams.family import Family, Id, Pair, Schedule, Segment, Updates
from pan_promises.promise import Adjacency

_OFTEN = (1, 1, 1, 2, 3, 128)


@st.composite
def families(
    draw: st.DrawFn,
    *,
    adjacency: Adjacency,
    schedule: Schedule,
    population: Sequence[Id],
    deletions: bool = False,
    longest: int = 12,
) -> Family:
    """Families of streams: other users of all kinds, and one user with several appearance patterns."""
    user = draw(st.sampled_from(population))
    rest = [identifier for identifier in population if identifier != user]
    others: list[Segment] = []
    unused = list(rest)
    for _ in schedule:
        if not rest or not draw(st.booleans()):
            others.append(())
            continue
        if deletions:
            size = draw(st.integers(0, min(longest, len(unused))))
            ids, unused = unused[:size], unused[size:]
        else:
            ids = draw(st.lists(st.sampled_from(rest), max_size=longest))
        others.append((Updates(tuple(ids)),) if ids else ())
    base = draw(st.tuples(*(st.sampled_from((0, *_OFTEN)) for _ in schedule)))
    if adjacency is Adjacency.EVENT_LEVEL:
        patterns = [base, *(_raised(base, place) for place in range(len(schedule)))]
    else:
        drawn = draw(st.lists(st.tuples(*(st.sampled_from((0, *_OFTEN)) for _ in schedule)), max_size=2))
        patterns = [(0,) * len(schedule), base, *drawn]
    patterns = list(dict.fromkeys(patterns))
    if len(patterns) == 1:
        patterns.append(_raised(patterns[0], draw(st.integers(0, len(schedule) - 1))))
    return Family(
        "generated", user, schedule, tuple(others), tuple(patterns), adjacency, draw(st.booleans()), deletions
    )


def pairs(**arguments: Any) -> st.SearchStrategy[Pair]:
    """Adjacent pairs of streams; the arguments are those of :func:`families`."""
    return families(**arguments).flatmap(lambda family: st.sampled_from(family.pairs))


def generated_families(
    adjacency: Adjacency,
    schedule: Schedule,
    population: Sequence[Id],
    *,
    deletions: bool,
    count: int,
    seed: int,
) -> list[Family]:
    """``count`` examples of :func:`families`, the same for the same ``seed``."""
    found: list[Family] = []

    @hypothesis_seed(seed)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(families(adjacency=adjacency, schedule=schedule, population=population, deletions=deletions))
    def collect(family: Family) -> None:
        found.append(family)

    with hypothesis_alone():
        collect()
    return [family for family in dict.fromkeys(found) if family.pairs]


def _raised(pattern: tuple[int, ...], place: int) -> tuple[int, ...]:
    return tuple(times + (position == place) for position, times in enumerate(pattern))


_HOME = "__hypothesis_home_directory"
_OF_MODULES = "_get_local_constants"
_CACHE = "CONSTANTS_CACHE"


@contextlib.contextmanager
def hypothesis_alone() -> Iterator[None]:
    """Send what Hypothesis writes to a folder that is removed afterwards, and let it read no loaded modules.

    It would draw constants that it finds in local modules. Then equal seeds would give other streams in a process
    that has imported other modules.
    """
    kept = vars(configuration).get(_HOME)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _without_constants(_names()):
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(kept)


def _names() -> dict[str, Any]:
    try:
        providers = importlib.import_module("hypothesis.internal.conjecture.providers")
    except ImportError:
        return {}
    return vars(providers)


@contextlib.contextmanager
def _without_constants(names: dict[str, Any]) -> Iterator[None]:
    """Older versions of Hypothesis, without these names, read no modules."""
    if _OF_MODULES not in names or _CACHE not in names:
        yield
        return
    kept = {name: names[name] for name in (_OF_MODULES, _CACHE)}
    none = names["Constants"]()
    names[_OF_MODULES] = lambda: none
    names[_CACHE] = type(kept[_CACHE])(1024)
    try:
        yield
    finally:
        names.update(kept)
