"""One stream under study: its densities, the outputs of the estimators, and the knowledge of the intruder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from experiments.density.real_streams.law import Floats, Seen, UserLaw, user_law
from experiments.density.real_streams.runs import Observations, log_densities, observe, releases_along
from experiments.density.real_streams.story import Indices, Pattern, Story, running_density, story_of
from pan_estimators.common.registry import create_estimator
from pan_promises.workers import all_done

PUBLISHED, CALIBRATED, CONTINUAL = "optimal-bernoulli", "calibrated-bernoulli", "calibrated-continual-output"
DISTINCT, EXACT = "pan-private-distinct-sampling", "exact-counter"
SHOWN = (PUBLISHED, CALIBRATED, CONTINUAL, DISTINCT, EXACT)
"""The estimators of the page, in its order."""
KNOWN_LAW = (PUBLISHED, CALIBRATED)
"""The estimators with an exact distribution of all observations of one user."""

OPPOSITE = {
    Pattern.NEVER: Pattern.BOTH,
    Pattern.BEFORE: Pattern.AFTER,
    Pattern.AFTER: Pattern.BEFORE,
    Pattern.BOTH: Pattern.NEVER,
}
"""For each pattern, the pattern that differs from it both before and after the intrusion."""

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
class Learned:
    """The knowledge of the intruder about the target from the runs of one estimator.

    Attributes
    ----------
    law
        The exact law of what is seen of the target.
    observations
        The runs, by the target's pattern.
    """

    law: UserLaw
    observations: dict[Pattern, Observations]

    def losses(self, story: Story, truth: Pattern, other: Pattern, moment: int) -> dict[Seen, Floats]:
        """The loss of each run with the pattern ``truth``, ``log P(seen | truth) / P(seen | other)``, in nats."""
        densities = log_densities(self.law, story, self.observations[truth], moment)
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
        By name, for :data:`KNOWN_LAW`.
    """

    story: Story
    epsilon: float
    density: Floats
    estimators: dict[str, Any]
    publications: dict[str, Publication]
    learned: dict[str, Learned]

    @property
    def promised(self) -> float:
        """The joint promise of all of them, in nats."""
        return 2 * self.epsilon


def make_estimator(name: str, users: int, epsilon: float) -> Any:
    """An estimator of the page: every user is sampled, except with distinct sampling."""
    if name == EXACT:
        return create_estimator(name, universe=users)
    size = max(2, users // _PART_OF_UNIVERSE) if name == DISTINCT else users
    options = {"outputs": OUTPUTS} if name == CONTINUAL else {}
    return create_estimator(name, universe=users, epsilon=epsilon, sample_size=size, **options)


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
                learned={name: Learned(user_law(parts[name][0]), parts[name][2]) for name in KNOWN_LAW},
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
    if name not in KNOWN_LAW:
        return estimator, publication, {}
    seeds = zip(Pattern, of_patterns, strict=True)
    return (
        estimator,
        publication,
        {pattern: observe(estimator, story, pattern, runs_of_target, one) for pattern, one in seeds},
    )
