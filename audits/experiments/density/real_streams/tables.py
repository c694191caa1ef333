"""The data of the plots, as tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.density.real_streams.distribution import Seen
from experiments.density.real_streams.figures import loss_of_exact_counter, worst_of
from experiments.density.real_streams.sentences import NAME, share_beyond
from experiments.density.real_streams.story import Pattern
from experiments.density.real_streams.study import CONTINUAL, DISTINCT, EXACT, KNOWN_DISTRIBUTION, OPPOSITE, Study
from experiments.toolkit.tables import write_table

_DENSITIES = 400
Rows = Iterable[Sequence[Any]]


def write_tables(studies: Sequence[Study], folder: Path) -> tuple[Path, ...]:
    """Write all tables, each for all streams."""
    tables: dict[str, tuple[str, Callable[[Study], Rows]]] = {
        "densities": ("stream updates density", _densities),
        "releases": ("stream estimator updates run release low_95 high_95", _releases),
        "losses": (
            "stream estimator truth other updates_between others_between seen runs least median greatest "
            "share_beyond_promise exact_least exact_greatest",
            _losses,
        ),
        "worst-cases": ("stream estimator truth other seen exact_loss promised_jointly", _worst_cases),
    }
    return tuple(
        write_table(
            folder,
            f"{NAME}-{name}",
            columns.split(),
            (tuple(map(_plain, row)) for study in studies for row in rows_of(study)),
        )
        for name, (columns, rows_of) in tables.items()
    )


def _plain(value: Any) -> Any:
    """A value as any reader of tables takes it; nine digits are the same wherever it was computed."""
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.9g}")
    if isinstance(value, (int, np.integer)):
        return int(value)
    return None if value is None else str(value)


def _densities(study: Study) -> Iterator[Sequence[Any]]:
    for updates in np.linspace(0, study.story.users.size, _DENSITIES + 1).round().astype(np.int64).tolist():
        yield study.story.name, updates, study.density[updates]


def _releases(study: Study) -> Iterator[Sequence[Any]]:
    for name, publication in study.publications.items():
        low, high = publication.band()
        several = name == CONTINUAL
        shown = publication.released[0] if several else publication.one_each()
        for place, updates in enumerate(publication.times.tolist()):
            yield study.story.name, name, updates, 1 if several else place + 1, shown[place], low[place], high[place]


def _losses(study: Study) -> Iterator[Sequence[Any]]:
    story = study.story
    for name, learned in study.learned.items():
        for truth, other in OPPOSITE.items():
            for moment, end in enumerate(story.moments):
                between = end - story.intrusion, story.others_redrawn(moment)
                for seen, losses in learned.losses(story, truth, other, moment).items():
                    found = losses.size, losses.min(), np.median(losses), losses.max()
                    beyond = share_beyond(losses, study.promised)
                    exact = (
                        -learned.distribution.worst_loss(other, truth, seen),
                        learned.distribution.worst_loss(truth, other, seen),
                    )
                    yield story.name, name, truth, other, *between, seen, *found, beyond, *exact


def _worst_cases(study: Study) -> Iterator[Sequence[Any]]:
    stream, promised = study.story.name, study.promised
    pairs = [(x, y) for x in Pattern for y in Pattern if x != y]
    for (truth, other), seen in itertools.product(pairs, Seen):
        for name in KNOWN_DISTRIBUTION:
            loss = study.learned[name].distribution.worst_loss(truth, other, seen)
            yield stream, name, truth, other, seen, loss, promised
        yield stream, EXACT, truth, other, seen, loss_of_exact_counter(truth, other, seen), None
    for name in (CONTINUAL, DISTINCT):
        for seen, loss in worst_of(study, name).items():
            yield stream, name, "any", "any other", seen, loss, promised
