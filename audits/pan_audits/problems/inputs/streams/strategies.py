"""Hypothesis strategies for adjacent streams."""

from __future__ import annotations

import contextlib
import importlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, configuration, find, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from pan_audits.problems.inputs.streams.family import (
    Family,
    Id,
    Pair,
    Piece,
    Schedule,
    Segment,
    StreamSlice,
    Updates,
    raised,
)
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
        patterns = [base, *(raised(base, place) for place in range(len(schedule)))]
    else:
        drawn = draw(st.lists(st.tuples(*(st.sampled_from((0, *_OFTEN)) for _ in schedule)), max_size=2))
        patterns = [(0,) * len(schedule), base, *drawn]
    patterns = list(dict.fromkeys(patterns))
    if len(patterns) == 1:
        patterns.append(raised(patterns[0], draw(st.integers(0, len(schedule) - 1))))
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


_HOME = "__hypothesis_home_directory"
_OF_MODULES = "_get_local_constants"
_CACHE = "CONSTANTS_CACHE"


@contextlib.contextmanager
def hypothesis_alone(numbers: Sequence[int] = (), texts: Sequence[str] = ()) -> Iterator[None]:
    """Send what Hypothesis writes to a folder that is removed afterwards, and let it read no loaded modules.

    It would draw constants that it finds in local modules. Then equal seeds would give other streams in a process
    that has imported other modules. It draws the given constants in their place.
    """
    kept = vars(configuration).get(_HOME)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        _with_constants(_names(), numbers, texts),
    ):
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
def _with_constants(names: dict[str, Any], numbers: Sequence[int], texts: Sequence[str]) -> Iterator[None]:
    """Older versions of Hypothesis, without these names, read no modules and draw no constants."""
    if _OF_MODULES not in names or _CACHE not in names:
        yield
        return
    kept = {name: names[name] for name in (_OF_MODULES, _CACHE)}
    ours = names["Constants"]()
    for number in numbers:
        ours.add(number)
        ours.add(float(number))
    for text in texts:
        ours.add(text)
    names[_OF_MODULES] = lambda: ours
    names[_CACHE] = type(kept[_CACHE])(1024)
    try:
        yield
    finally:
        names.update(kept)


_ATTEMPTS = 30


@st.composite
def reductions(draw: st.DrawFn, pair: Pair) -> Pair:
    """Pairs with the same user and schedule, but fewer updates. The pair without other updates comes first."""
    others = tuple(_reduced_segment(draw, segment) for segment in pair.family.others)
    patterns = tuple(
        tuple(draw(st.integers(0, times)) for times in pair.family.patterns[place]) for place in (pair.left, pair.right)
    )
    return Pair(replace(pair.family, others=others, patterns=patterns), 0, 1)


def shrink(pair: Pair, still_violated: Callable[[Pair], bool], *, seed: int, attempts: int = _ATTEMPTS) -> Pair:
    """A smallest reduction of ``pair`` that is adjacent and passes ``still_violated``."""
    alone = Pair(_narrowed(pair), 0, 1)
    known: dict[Pair, bool] = {}

    def passes(reduced: Pair) -> bool:
        if not reduced.family.pairs or (pair.nested and not reduced.nested):
            return False
        if reduced not in known:
            known[reduced] = still_violated(reduced)
        return known[reduced]

    try:
        with hypothesis_alone():
            return find(
                reductions(alone),
                passes,
                settings=settings(
                    max_examples=attempts,
                    database=None,
                    deadline=None,
                    phases=[Phase.generate, Phase.shrink],
                    suppress_health_check=list(HealthCheck),
                ),
                random=Random(seed),
            )
    except NoSuchExample:
        return alone


def _narrowed(pair: Pair) -> Family:
    family: Family = pair.family
    return replace(family, patterns=(pair.family.patterns[pair.left], pair.family.patterns[pair.right]))


def _reduced_segment(draw: st.DrawFn, segment: Segment) -> Segment:
    pieces: list[Piece] = []
    for piece in segment:
        if isinstance(piece, StreamSlice):
            stop = draw(st.integers(piece.start, piece.stop))
            if stop > piece.start:
                pieces.append(replace(piece, stop=stop))
            continue
        kept = draw(st.integers(0, len(piece.ids)))
        times = draw(st.integers(1, piece.times)) if piece.times > 1 else 1
        if kept:
            pieces.append(Updates(piece.ids[:kept], times, piece.deletes[:kept]))
    return tuple(pieces)
