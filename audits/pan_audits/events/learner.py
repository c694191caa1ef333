"""Learning the event with the largest loss, from runs on the two streams."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_audits.events.comparisons import COMPARISONS, Column, Comparison
from pan_audits.events.event import Candidate, Condition, Event, Objective
from pan_audits.events.features import LEARNED, PLAIN
from pan_audits.events.table import LIKELIHOOD_RATIO, Definition, Floats, Table, is_mark, needed
from pan_audits.events.training import learn_scores
from pan_audits.judging.reading import LARGEST_NUMBER
from pan_audits.statistics import best_stake, growth

MOST_COLUMNS = 64
_QUANTILES = np.array([0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98])


def promising_columns(left: Table, right: Table) -> tuple[Table, Table]:
    """Both tables with at most 64 columns: those that differ most between the streams, in their order."""
    if len(left.names) <= MOST_COLUMNS:
        return left, right
    contrast = [_contrast(left.values[:, place], right.values[:, place]) for place in range(len(left.names))]
    kept = sorted(np.argsort(-np.array(contrast), kind="stable")[:MOST_COLUMNS].tolist())
    names = tuple(left.names[place] for place in kept)
    return Table(names, left.values[:, kept]), Table(names, right.values[:, kept])


def _contrast(left: Floats, right: Floats) -> float:
    """The largest difference of two frequencies, in standard deviations: of absence, and of values up to a quantile."""
    absent = [np.isnan(side) for side in (left, right)]
    counts = [[float(side.sum()) for side in absent]]
    present = np.sort(np.concatenate([left[~absent[0]], right[~absent[1]]]))
    if present.size and present[0] != present[-1]:
        for value in np.unique(present[(_QUANTILES * (present.size - 1)).astype(np.int64)]):
            counts.append([float((side <= value).sum()) for side in (left, right)])
    seen = np.array(counts)
    return float((np.abs(seen[:, 0] - seen[:, 1]) / np.sqrt(seen.sum(axis=1) + 1)).max())


Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Literals:
    """Single conditions, one for each row.

    Attributes
    ----------
    conditions
        Feature by feature, comparison by comparison.
    left, right
        Whether each condition (row) holds in each run (column) on the two streams.
    """

    conditions: tuple[Condition, ...]
    left: Bools
    right: Bools

    @property
    def runs(self) -> int:
        """Number of runs on each stream."""
        return int(self.left.shape[1])

    @classmethod
    def of(cls, left: Table, right: Table, learned: Collection[str]) -> Literals:
        """The conditions that are tried on two tables with the same columns."""
        conditions: list[Condition] = []
        empty = np.zeros((0, left.runs), dtype=np.bool_)
        ours, theirs = [empty], [empty]
        # A comparison with NaN is no error. The state is set once, as that takes longer than a small comparison.
        with np.errstate(invalid="ignore"):
            # A mark says more than the absence of a number.
            for place, name in sorted(enumerate(left.names), key=lambda one: not is_mark(one[1])):
                column = Column(name, left.values[:, place], right.values[:, place], name in learned)
                for comparison in COMPARISONS:
                    values = _writable(comparison.values(column))
                    if values.size:
                        conditions += [Condition(name, comparison.name, float(value)) for value in values]
                        ours.append(_hold(comparison, values, column.left))
                        theirs.append(_hold(comparison, values, column.right))
        return cls(tuple(conditions), np.concatenate(ours), np.concatenate(theirs))


def _writable(values: Floats) -> Floats:
    """The values as numbers that a document may hold.

    An infinite feature still lies beyond the largest of them. A condition ``==`` never holds for it, and ``>`` or ``<``
    takes its place.
    """
    return np.clip(values, -LARGEST_NUMBER, LARGEST_NUMBER)


def _hold(comparison: Comparison, values: Floats, column: Floats) -> Bools:
    """Rows: the conditions with these values; columns: the runs."""
    return np.asarray(comparison.holds(column[None, :], values[:, None]), dtype=np.bool_)


_BEAM = 8
_DEPTH = 3
_LEAST_RUNS_USED = 8192
_ENTRIES = 200_000
"""Numbers to learn from: of long samples with many features, the latest runs are used."""

_GAIN_OF_A_CONDITION = 0.01
"""Part by which a further condition must raise the worth of an event; and in a bet, by the logarithm of
the number of conditions tried, over the runs, which is what the best of them gains by chance."""

_USELESS = 1e3

_FITTED_MARGIN = 1.01
_SCORE_MARGIN = 1.05
"""A learned score must be worth so much more than an event that a reader can check."""


def betting_objective(epsilon: float, delta: float, caution: float = 0.5) -> Objective:
    """Growth of the log-wealth, at probabilities that are ``caution`` standard errors less favourable.

    A coarse grid of events and a cautious objective keep the winner's curse small: the best of many
    events on few runs is worth less than it looks.
    """

    def worth(x: Floats, y: Floats, n: int) -> Floats:
        p, q = cautious(x, y, n, caution)
        result = np.zeros(p.shape)
        gain = p > np.exp(epsilon) * q + delta
        p, q = p[gain], q[gain]
        best = best_stake(p, q, epsilon=epsilon, delta=delta)
        result[gain] = growth(p, q, best, epsilon=epsilon, delta=delta)
        return result

    return worth


def bound_objective(
    runs: int, delta: float, deviations: float, *, caution: float | None = None, epsilon: float = 0.0
) -> Objective:
    """The lower bound on the loss that ``runs`` fresh runs a side can be expected to confirm."""
    most, chosen = (1 - delta) * np.exp(-epsilon), caution

    def worth(x: Floats, y: Floats, n: int) -> Floats:
        # Once for what the event was chosen on, as the best of many, and once for the fresh runs that
        # are to confirm it.
        caution = np.sqrt(2 * np.log(max(x.size, 2))) if chosen is None else chosen
        q = upper_proportion(upper_proportion(y / n, n, caution), runs, deviations)
        p = 1 - upper_proportion(upper_proportion(1 - x / n, n, caution), runs, deviations)
        # Both counts are seldom unfavourable at once: on the scale of the loss, their squares add up.
        seen_p, seen_q = np.maximum(x / n - delta, 1e-12), np.maximum(y, 0.5) / n
        lost = np.log(seen_p) - np.log(np.maximum(p - delta, 1e-12))
        gained = np.maximum(np.log(q) - np.log(seen_q), 0.0)
        worth = np.log(seen_p) - np.log(seen_q) - np.hypot(lost, gained)
        return np.asarray(np.where(y >= most * n, worth - _USELESS, worth))

    return worth


def upper_proportion(proportion: Floats, n: int, deviations: float) -> Floats:
    """Wilson's upper bound of a probability, sensible for proportions near 0 and 1 too."""
    square = deviations**2 / n
    centre = proportion + square / 2
    return (centre + np.sqrt(square * (proportion * (1 - proportion) + square / 4))) / (1 + square)


def cautious(x: Floats, y: Floats, n: int, caution: float) -> tuple[Floats, Floats]:
    """Probabilities of an event from its counts, shrunk towards no loss."""
    p, q = (np.asarray(x) + 0.5) / (n + 1), (np.asarray(y) + 0.5) / (n + 1)
    return (
        np.maximum(p - caution * np.sqrt(p * (1 - p) / n), 1e-9),
        np.minimum(q + caution * np.sqrt(q * (1 - q) / n), 1.0),
    )


def learn_events(
    left: Table,
    right: Table,
    objective: Objective,
    *,
    use_likelihood: bool = True,
    readable: bool = False,
    scores: Objective | None = None,
    steadied: Objective | None = None,
) -> tuple[Candidate, Candidate]:
    """The best events found, for left against right and for right against left.

    Conditions on single features are combined greedily, up to three, by beam search.
    """
    # A feature of one side alone is the strongest evidence.
    names = [name for name in dict.fromkeys((*left.names, *right.names)) if name != LIKELIHOOD_RATIO]
    if LIKELIHOOD_RATIO in left.names and use_likelihood:
        names = [LIKELIHOOD_RATIO]
    runs, most = left.runs, max(_LEAST_RUNS_USED, _ENTRIES // max(1, len(names)))
    whole = left, right
    left, right = (table.rows(max(0, runs - most), runs).select(names) for table in (left, right))
    if left.names == (LIKELIHOOD_RATIO,):
        return _both_ways(left, right, objective, ())
    left, right, derived = with_features(left, right, learned=False)
    left, right = promising_columns(left, right)
    simple = _both_ways(left, right, objective, derived)
    if readable:
        return simple if scores is None else _scanned(whole, names, simple, scores, derived, steadied, fitted=False)
    left, right, learned = with_features(left, right, learned=True)
    if learned:
        clever = _both_ways(left, right, objective, derived, learned)
        simple = (_preferred(simple[0], clever[0]), _preferred(simple[1], clever[1]))
    return simple if scores is None else _scanned(whole, names, simple, scores, derived, steadied, fitted=True)


def with_scores(
    left: Table, right: Table, known: tuple[Candidate, Candidate], scores: Objective, *, use_likelihood: bool = True
) -> tuple[Candidate, Candidate]:
    """Known events, or events of single scores that are worth more."""
    names = [name for name in dict.fromkeys((*left.names, *right.names)) if name != LIKELIHOOD_RATIO]
    if LIKELIHOOD_RATIO in left.names and use_likelihood:
        return known
    ours, theirs = (table.select(names) for table in (left, right))
    most = max(_LEAST_RUNS_USED, _ENTRIES // max(1, len(names)))
    *_, derived = with_features(*(table.last(most) for table in (ours, theirs)), learned=False)
    return _scanned((left, right), names, known, scores, derived, fitted=True)


def _scanned(
    whole: tuple[Table, Table],
    names: Sequence[str],
    simple: tuple[Candidate, Candidate],
    scores: Objective,
    derived: tuple[Definition, ...],
    steadied: Objective | None = None,
    *,
    fitted: bool,
) -> tuple[Candidate, Candidate]:
    """The candidates, or events of single scores where these are worth more in the runs that chose their thresholds."""
    ours, theirs = (Event((), derived).extended(table.select(names)) for table in whole)
    found = learn_scores(ours, theirs, scores, derived, fitted=fitted, steadied=steadied)
    if found is None:
        return simple
    return _better(simple[0], found[0], ours, theirs, scores), _better(simple[1], found[1], theirs, ours, scores)


def _better(known: Candidate, fitted: Candidate, ours: Table, theirs: Table, worth: Objective) -> Candidate:
    """The event of the fitted score if it is worth clearly more, else the known one.

    Both are measured in the runs to which the score was not fitted.
    """
    held = [table.rows(table.runs - fitted.runs, table.runs) for table in (ours, theirs)]
    again = Candidate.of(known.event, held[0], held[1], worth)
    return fitted if fitted.worth > max(_FITTED_MARGIN * again.worth, 0.0) else again


def with_features(left: Table, right: Table, *, learned: bool) -> tuple[Table, Table, tuple[Definition, ...]]:
    """Both tables with the columns of the features that are learned, or are not, and their definitions."""
    found = [derived for derive in (LEARNED if learned else PLAIN) for derived in derive(left, right)]
    for derived in found:
        left = left.with_column(derived.definition.name, derived.left)
        right = right.with_column(derived.definition.name, derived.right)
    return left, right, tuple(derived.definition for derived in found)


def _preferred(simple: Candidate, clever: Candidate) -> Candidate:
    return clever if clever.worth > max(_SCORE_MARGIN * simple.worth, 0.0) else simple


def _both_ways(
    left: Table,
    right: Table,
    objective: Objective,
    derived: tuple[Definition, ...],
    scores: tuple[Definition, ...] = (),
) -> tuple[Candidate, Candidate]:
    literals = Literals.of(left, right, {score.name for score in scores})
    definitions = (*derived, *scores)
    return (
        _search(literals, literals.left, literals.right, objective, definitions),
        _search(literals, literals.right, literals.left, objective, definitions),
    )


def _search(
    literals: Literals,
    ours: NDArray[np.bool_],
    theirs: NDArray[np.bool_],
    objective: Objective,
    derived: tuple[Definition, ...],
) -> Candidate:
    n, count = literals.runs, len(literals.conditions)
    if not count:
        return Candidate(Event(()), -np.inf, n, n, n)
    # The contribution of a condition to a conjunction may show only against a weaker promise.
    promising = betting_objective(0.0, 0.0)
    single_ours, single_theirs = ours.astype(np.float32), theirs.astype(np.float32)
    best: Candidate | None = None
    every = np.ones(n, dtype=np.float32)
    beam: list[tuple[tuple[int, ...], NDArray[np.float32], NDArray[np.float32]]] = [((), every, every)]
    for _ in range(_DEPTH):
        x = np.stack([mask for _, mask, _ in beam]) @ single_ours.T
        y = np.stack([mask for _, _, mask in beam]) @ single_theirs.T
        counts = x.ravel().astype(np.float64), y.ravel().astype(np.float64)
        worth = objective(*counts, n)
        place = int(np.argmax(worth))
        row, column = divmod(place, count)
        chance = np.log(count) / n
        if best is None or worth[place] > best.worth + max(_GAIN_OF_A_CONDITION * abs(best.worth), chance):
            chosen = (*beam[row][0], column)
            conditions = tuple(literals.conditions[i] for i in sorted(set(chosen)))
            event = Event(conditions, needed((condition.feature for condition in conditions), derived)[0])
            best = Candidate(event, float(worth[place]), int(x[row, column]), int(y[row, column]), n)
        hopeful = promising(*counts, n)
        order = list(dict.fromkeys([*np.argsort(-worth)[: _BEAM // 2], *np.argsort(-hopeful)[:_BEAM]]))[:_BEAM]
        beam = [
            ((*chosen, column), left * single_ours[column], right * single_theirs[column])
            for (chosen, left, right), column in ((beam[i // count], i % count) for i in map(int, order))
        ]
    assert best is not None
    return best
