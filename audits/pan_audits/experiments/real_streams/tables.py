"""What is plotted, as CSV."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.experiments.real_streams.certainty_figure import certainty_over_time
from pan_audits.experiments.real_streams.law import Seen, loss_of_appearances
from pan_audits.experiments.real_streams.learned_figure import loss_of_exact_counter
from pan_audits.experiments.real_streams.result import Sentence
from pan_audits.experiments.real_streams.sentences import joint_worst_of_outputs, share_beyond, telling_updates
from pan_audits.experiments.real_streams.story import Pattern
from pan_audits.experiments.real_streams.study import CONTINUAL, DISTINCT, EXACT, KNOWN_LAW, OPPOSITE, Study

_DENSITIES = 400
Rows = Iterable[Sequence[Any]]


def write_tables(studies: Sequence[Study], judged: Sequence[Sentence], folder: Path) -> tuple[Path, ...]:
    """Write all tables, each for all streams."""

    def all_of(rows: Any) -> Iterator[Sequence[Any]]:
        return itertools.chain.from_iterable(rows(study) for study in studies)

    sentences = (list(sentence.to_dict().values()) for sentence in judged)
    tables: dict[str, tuple[str, Rows]] = {
        "densities": ("stream updates density", all_of(_densities)),
        "releases": ("stream estimator updates run release low_95 high_95", all_of(_releases)),
        "losses": (
            "stream estimator truth other updates_between others_between seen runs least median greatest "
            "share_beyond_promise exact_least exact_greatest",
            all_of(_losses),
        ),
        "worst-cases": ("stream estimator truth other seen exact_loss promised_jointly", all_of(_worst_cases)),
        "certainty": (
            "stream estimator updates_between others_between median quantile_95 surest exact_worst",
            all_of(_certainty),
        ),
        "sentences": ("stream estimator claim statement found promised loss verdict", sentences),
    }
    return tuple(_write(folder / f"real-streams-{name}.csv", *table) for name, table in tables.items())


def _write(path: Path, heading: str, rows: Rows) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading.split())
        writer.writerows([_plain(value) for value in row] for row in rows)
    return path


def _plain(value: Any) -> Any:
    return f"{value:.9g}" if isinstance(value, (float, np.floating)) else str(value)


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
                    exact = -learned.law.worst_loss(other, truth, seen), learned.law.worst_loss(truth, other, seen)
                    yield story.name, name, truth, other, *between, seen, *found, beyond, *exact


def _worst_cases(study: Study) -> Iterator[Sequence[Any]]:
    stream, promised = study.story.name, study.promised
    pairs = [(x, y) for x in Pattern for y in Pattern if x != y]
    for name in KNOWN_LAW:
        for (truth, other), seen in itertools.product(pairs, Seen):
            yield stream, name, truth, other, seen, study.learned[name].law.worst_loss(truth, other, seen), promised
    for (truth, other), seen in itertools.product(pairs, Seen):
        yield stream, EXACT, truth, other, seen, loss_of_exact_counter(truth, other, seen), ""
    for seen, loss in joint_worst_of_outputs(study).items():
        yield stream, CONTINUAL, "any", "any other", seen, loss, promised
    loss = loss_of_appearances(study.estimators[DISTINCT].cells.p_upd, telling_updates(study))
    yield stream, DISTINCT, Pattern.NEVER, Pattern.BEFORE, Seen.STATE, loss, promised


def _certainty(study: Study) -> Iterator[Sequence[Any]]:
    for name in KNOWN_LAW:
        found = certainty_over_time(study, name)
        columns = (found.updates, found.others, found.median, found.nearly_all, found.surest)
        for row in zip(*columns, strict=True):
            yield study.story.name, name, *row, found.worst
